// What FastAPI, or problem details (RFC 9457), say of a failed call, as an ATDF error, as
// conformance/convert/errors.py makes it.
"use strict";

const OF_REQUEST = ["body", "query", "path", "header", "cookie"];
const TEXTS = ["type", "title", "detail", "instance"];

const isDetails = (value, { statuses }) => TEXTS.every((name) => typeof (value[name] ?? "") === "string") &&
  ["meta", "context"].every((name) => !(name in value) || isObject(value[name])) &&
  (!("status" in value) || Object.values(statuses).flat().includes(value.status));

// The last segment of a type; undefined where it has none.
const typeOf = (uri) => (typeof uri !== "string" ? undefined :
  decoded(/^(?:[a-z][\w+.-]*:)?(?:\/\/[^/?#]*)?([^?#]*)/i.exec(uri)[1].replace(/\/+$/, "").split("/").at(-1)) || undefined);

function completed(error, status, n, notes, { statuses, terms: { base } }) {
  const made = { ...error };
  if (typeOf(made.type) === undefined || !made.type.includes(":")) {
    if ("type" in made) notes.lose("type");
    made.type = `${base}/errors/${Object.keys(statuses).find((each) => statuses[each].includes(status)) ?? "internal-error"}`;
    notes.make("errors", n, "type");
  }
  const word = typeOf(made.type).replaceAll("-", " ").toLowerCase();
  const title = made.title || word[0].toUpperCase() + word.slice(1);
  const instance = "urn:uuid:" + "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (sign) => (sign ^ ((Math.random() * 16) >> (sign / 4))).toString(16));
  for (const [name, value] of Object.entries({ title, detail: title, instance, tool_name: null })) {
    if (name in made && (value === null || !["", null].includes(made[name]))) continue;
    made[name] = value;
    notes.make("errors", n, name);
  }
  return made;
}

function erred(value, from, data) {
  const notes = new Notes();
  if (from === "fastapi") {
    for (const name of Object.keys(value)) if (name !== "detail") notes.lose(name);
    const errors = value.detail.map(({ msg: detail, ...context }, n) => {
      const { loc } = context;
      const [first, ...steps] = loc.slice(OF_REQUEST.includes(loc[0]) ? 1 : 0);
      const name = typeof first === "string" && first ? first + steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("") : null;
      notes.make("errors", n, "type");
      return completed({ type: `${data.terms.base}/errors/validation-error`, detail, parameter_name: name, context }, undefined, n, notes, data);
    });
    return answer({ errors }, notes);
  }
  const { status, code, meta, more_errors: more = [], ...own } = value;
  const right = Array.isArray(more) && more.every((each) => isObject(each) && [...TEXTS, "tool_name"].every((name) => name in each));
  if (!right) notes.lose("more_errors");
  const error = completed(own, status, 0, notes, data);
  if ("status" in value && status !== data.statuses[typeOf(error.type)]?.[0]) notes.lose("status");
  return answer({ errors: [error, ...(right ? more : [])], ...only(value, ["code", "meta"]) }, notes);
}
