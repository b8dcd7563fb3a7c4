// Says which document a value is, by the table of documents.
"use strict";

// What decides beside the members, by document; the names and their groups stand in the table.
const CONDITIONS = {
  "toolset-catalog": (m) => (Array.isArray(m.tools) || isObject(m.tools)) &&
    Object.values(m.tools).some((tool) => isObject(tool) && "toolset" in tool),
  "tool-event": (m, data) => data.tool_events.includes(m.event),
  "stream-event": (m, data) => data.stream_events.includes(m.event) || !data.tool_events.includes(m.event),
  "runtime-error": (m) => isObject(m.error) && "code" in m.error &&
    ("name" in m.error || (typeof m.error.code === "string" && /^E[0-9]{4}$/.test(m.error.code))),
  collection: (m) => {
    const items = objectsOf(m);
    return !items.length || items.some((each) => "resource_type" in each || "resource_id" in each);
  },
  resource: (m) => !("resources" in m),
  catalog: (m) => !areFunctions(m.tools),
  discovery: (m) => Array.isArray(m.conformance) && !("resources" in m),
  manifest: (m) => {
    const hasAll = (each, ...names) => names.every((name) => name in each);
    return objectsOf(m).some((each) => hasAll(each, "type", "path")) &&
      !objectsOf(m).some((each) => hasAll(each, "type", "path", "resource_type"));
  },
  "enhanced-descriptor": (m, data) => {
    const version = m.schema_version;
    return (typeof version === "string" && /^(2\.|0\.2)/.test(version)) || data.enhanced.some((name) => name in m);
  },
};

const EDITOR_LINE = "$schema"; // it tells an editor the schema, and the kit nothing

const objectsOf = (members) => (Array.isArray(members.resources) ? members.resources.filter(isObject) : []);

function matches(row, members, data) {
  return row.needs.every((group) => group.some((name) => name in members)) &&
    !foreign(row, members).length &&
    (!row.conditional || CONDITIONS[row.document](members, data));
}

const has = (value, group) => group.some((name) => name in value);
const share = (row, value) => row.needs.filter((group) => has(value, group)).length / row.needs.length;
const foreign = (row, value) => (row.known === null ? [] : Object.keys(value).filter((name) => name !== EDITOR_LINE && !row.known.includes(name)));

// Up to five names, each as JSON text.
function listed(names) {
  const more = names.length > 5 ? [`… (+${names.length - 5})`] : [];
  return [...names.slice(0, 5).map((name) => shown(name, 40)), ...more].join(", ");
}

// Which member has to be written otherwise to make a document of it.
function misspelled(value, data) {
  for (const name of Object.keys(value).slice(0, 20)) {
    const { [name]: held, ...others } = value;
    for (const row of data.table) {
      const corrects = (each) => oneSlip(name.toLowerCase(), each.toLowerCase()) && matches(row, { ...others, [each]: held }, data);
      const known = row.needs.flat().find(corrects);
      if (known) return { id: "documents.unknown.misspelled", values: { name: shown(name, 40), known, document: row.document } };
    }
  }
  return null;
}

// Whether a letter that is missing, added, wrong or in its neighbor's place makes one of it.
function oneSlip(name, known) {
  if (Math.abs(name.length - known.length) > 1 || known.length < 4) return false;
  let alike = 0;
  while (alike < name.length && name[alike] === known[alike]) alike += 1;
  const [one, other] = [name.slice(alike), known.slice(alike)];
  const swapped = other.length > 1 && one.slice(0, 2) === other[1] + other[0] && one.slice(2) === other.slice(2);
  return swapped || [one, one.slice(1)].some((each) => each === other || each === other.slice(1));
}

// Why an object is not a document: what it holds, or what the closest one has and it lacks.
function unknown(value, data) {
  if (!Object.keys(value).length) return { id: "documents.unknown.empty", values: {} };
  if ("swagger" in value || (typeof value.openapi === "string" && "paths" in value)) {
    return { id: "documents.unknown.openapi", values: { version: shown("openapi" in value ? value.openapi : value.swagger, 40) } };
  }
  if (Array.isArray(value.skills) && isObject(value.capabilities)) return { id: "documents.unknown.agent_card", values: {} };
  for (const [name, inside] of Object.entries(value)) {
    const row = isObject(inside) && data.table.find((each) => matches(each, inside, data));
    if (row) return { id: "documents.unknown.inside", values: { name: shown(name, 40), document: row.document } };
  }
  let closest, best;
  for (const row of data.table.filter((each) => each.needs.some((group) => has(value, group)))) {
    const score = [share(row, value), -foreign(row, value).length];
    if (!closest || score[0] > best[0] || (score[0] === best[0] && score[1] >= best[1])) [closest, best] = [row, score];
  }
  if (!closest) return misspelled(value, data) || { id: "documents.unknown", values: { names: listed(Object.keys(value)) } };
  const { document, rule, needs } = closest;
  const missing = needs.filter((group) => !has(value, group)).map((group) => group.join("|"));
  if (missing.length) return misspelled(value, data) || { id: "documents.unknown.lacks", values: { document, missing: listed(missing) } };
  const names = foreign(closest, value);
  if (names.length) return { id: "documents.unknown.foreign", values: { document, names: listed(names) } };
  return { id: "documents.unknown.rule", values: { document, rule } };
}

// The retry policy under a member `retry_policy`, and its place; or next to that name, if a text lost its indentation.
function policyIn(value, data) {
  if (!isObject(value) || !("retry_policy" in value)) return undefined;
  const { retry_policy: policy, ...flat } = value;
  const row = data.table.find((each) => each.document === "retry-policy");
  if (isObject(policy) && Object.keys(flat).every((name) => name === EDITOR_LINE)) return { row, at: ["retry_policy"], policy };
  return policy === null && matches(row, flat, data) ? { row, at: [], policy: flat } : undefined;
}

// The row of the table that `value` is, or the sentence that says why it is none.
function recognize(value, data) {
  if (!isObject(value)) return { id: "documents.unknown.kind", values: { value: shown(value) } };
  const [first, ...others] = data.table.filter((row) => matches(row, value, data));
  if (!first) return policyIn(value, data) ?? unknown(value, data);
  const rival = first.outranks === null ? undefined : others.find((row) => !first.outranks.includes(row.document));
  if (!rival) return { row: first };
  const values = { one: first.document, rule: first.rule, other: rival.document, other_rule: rival.rule };
  return { id: "documents.ambiguous", values };
}
