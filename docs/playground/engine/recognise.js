// Says which document a value is, by the table of documents.
"use strict";

// What decides beside the members, by document; the names and their groups stand in the table.
const CONDITIONS = {
  "toolset-catalog": (m) => (Array.isArray(m.tools) || isObject(m.tools)) &&
    Object.values(m.tools).some((tool) => isObject(tool) && "toolset" in tool),
  "tool-event": (m, data) => data.tool_events.includes(m.event),
  "stream-event": (m, data) => data.stream_events.includes(m.event) || !data.tool_events.includes(m.event),
  "runtime-error": (m) => isObject(m.error) && "code" in m.error,
  collection: (m) => {
    const items = objectsOf(m);
    return !items.length || items.some((each) => "resource_type" in each || "resource_id" in each);
  },
  resource: (m) => !("resources" in m),
  manifest: (m) => {
    const has = (each, ...names) => names.every((name) => name in each);
    return objectsOf(m).some((each) => has(each, "type", "path")) &&
      !objectsOf(m).some((each) => has(each, "type", "path", "resource_type"));
  },
  "enhanced-descriptor": (m, data) => {
    const version = m.schema_version;
    return (typeof version === "string" && /^(2\.|0\.2)/.test(version)) || data.enhanced.some((name) => name in m);
  },
};

const objectsOf = (members) => (Array.isArray(members.resources) ? members.resources.filter(isObject) : []);

function matches(row, members, data) {
  return row.needs.every((group) => group.some((name) => name in members)) &&
    (row.known === null || Object.keys(members).every((name) => row.known.includes(name))) &&
    (!row.conditional || CONDITIONS[row.document](members, data));
}

// The row of the table that `value` is, or the sentence that says why it is none.
function recognise(value, data) {
  const lookedFor = data.table.map((row) => `${row.document}: ${row.rule}`).join("; ");
  if (!isObject(value)) return { id: "documents.unknown.kind", values: { value: shown(value), looked_for: lookedFor } };
  const [first, ...others] = data.table.filter((row) => matches(row, value, data));
  if (!first) return { id: "documents.unknown", values: { looked_for: lookedFor } };
  const rival = first.outranks === null ? undefined : others.find((row) => !first.outranks.includes(row.document));
  if (!rival) return { row: first };
  const values = { one: first.document, rule: first.rule, other: rival.document, other_rule: rival.rule };
  return { id: "documents.ambiguous", values };
}
