// Mechanical corrections: they need no guess of what was meant. Of a text that is no JSON, its
// notation; of a problem, the value where only one can be right.
"use strict";

const WORDS = { True: "true", False: "false", None: "null", undefined: "null" };

// The text as JSON, with its spaces and lines; undefined where it is JSON, or where that is not enough.
function repaired(text) {
  const body = text.replace(/^\uFEFF/, "").replace(/^\s*```\w*\r?\n([^]*?)\r?\n```\s*$/, "$1")
    .replace(/^HTTP\/[\d.]+ [^]*?\r?\n\r?\n/, "");
  if (readFast(body) !== undefined) return body === text ? undefined : body;
  const token = /\s+|\/\/[^\n]*|\/\*[^]*?\*\/|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[[\]{},:]|[^\s[\]{},:"'/#]+/y;
  const made = [];
  let last = "";
  const value = (sign) => sign && !/^[[{,:]$/.test(sign);
  while (token.lastIndex < body.length) {
    let [sign] = token.exec(body) ?? [];
    if (sign === undefined) return undefined;
    if (/^(?:\s|\/[/*]|#)/.test(sign)) {
      if (/^\s/.test(sign)) made.push(sign);
      continue;
    }
    if (sign[0] === "'") sign = JSON.stringify(sign.slice(1, -1).replace(/\\(['"])|\\(.)/g, (all, quote, other) => quote ?? `\\${other}`)).replace(/\\\\/g, "\\");
    else if (Object.hasOwn(WORDS, sign)) sign = WORDS[sign];
    else if (/^[A-Za-z_$][\w$-]*$/.test(sign) && !["true", "false", "null"].includes(sign)) sign = JSON.stringify(sign);
    const spaces = made.length && /^\s/.test(made.at(-1)) ? made.pop() : "";
    if (last === "," && (sign === "}" || sign === "]")) made.pop();
    else if (value(last) && value(sign) && sign !== "}" && sign !== "]") made.push(",");
    else if (value(last) && (sign === "{" || sign === "[")) made.push(",");
    made.push(spaces, sign);
    last = sign;
  }
  const result = made.join("");
  return readFast(result) === undefined ? undefined : result;
}

// The value that one place of a document can only be meant to have; undefined where it is a question.
function onlyValue(keyword, wanted, value) {
  if (keyword === "const") return wanted;
  if (keyword === "enum") {
    if (wanted.length === 1) return wanted[0];
    const bare = (each) => String(each).toLowerCase().replace(/[^a-z0-9]/g, "");
    const near = typeof value === "string" ? wanted.filter((each) => bare(each) === bare(value)) : [];
    return near.length === 1 ? near[0] : undefined;
  }
  if (keyword !== "type") return undefined;
  const kinds = Array.isArray(wanted) ? wanted : [wanted];
  if (kinds.includes("string")) return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
  if (typeof value !== "string" || !value.trim()) return undefined;
  const read = readFast(value)?.data;
  return read !== null && typeof read !== "object" && kinds.some((kind) => TYPES[kind](read)) ? read : undefined;
}
