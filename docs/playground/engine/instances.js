// What a tool says of its own parameters: examples and defaults that its input schema refuses, and what has no
// description. As conformance/formats/validate/rules.py finds it; a schema that has more than is read here is
// left to the command.
"use strict";

const OF_EXAMPLES = ["input", "input_values", "inputs"];
const ASIDE = ["$schema", "$ref", "$defs", "definitions", "$comment", "title", "description", "default", "deprecated", "examples",
  "readOnly", "writeOnly", "then", "else", "contentMediaType", "contentEncoding", "contentSchema"];
const MOST_REFERRED = 2000;
const TOOL_SCHEMA = "own"; // the schema of a tool, as a file

// Whether this page can tell which values a schema allows.
function isRead(schema, data) {
  if (schema.$schema !== undefined && schema.$schema !== NEWEST) return false;
  const all = Object.keys(data.schemas[NEWEST].properties);
  const unread = new Set(all.filter((word) => word === "dependencies" || !(Object.hasOwn(KEYWORDS, word) || Object.hasOwn(APPLIED, word) || ASIDE.includes(word))));
  return [...schemasIn(schema)].every(([node]) => {
    if (Object.keys(node).some((word) => unread.has(word)) || Array.isArray(node.items) || !/^(?:#(?:\/[^%]*)?)?$/.test(node.$ref ?? "")) return false;
    const parts = [node.items, node.not, node.if, node.then, node.else, node.propertyNames, ...Object.values(node.properties ?? {}), ...UNIONS.flatMap((word) => node[word] ?? [])];
    try {
      return !parts.includes(false) && (node.pattern === undefined || Boolean(regex(node.pattern)));
    } catch {
      return false; // a pattern that browsers do not read
    }
  });
}

// Whether a pattern of a tool may take long on a text: a group that repeats may be tried in very many ways.
const isCostly = (pattern, text) => text.length > (/\)[*+{]/.test(pattern) ? 16 : 1000);

// The innermost cause of a fault: in branches, the first of the deepest.
function nearest(found, value, data) {
  if (!["anyOf", "oneOf"].includes(found.keyword)) return found;
  const { file, steps } = found.trail.at(-1);
  const held = valueAt(value, found.at);
  const branches = valueAt(data.schemas[file], steps).map((branch, n) => [...faults(branch, held, { parent: null, file, steps: [...steps, n] }, data)]);
  if (branches.some((each) => !each.length)) return found; // more than one fits
  const deepest = branches.flat().reduce((best, each) => (each.at.length > best.at.length ? each : best));
  return nearest({ ...deepest, at: [...found.at, ...deepest.at] }, value, data);
}

function* invalidIn(schema, place, value, at, clause) {
  let left = MOST_REFERRED;
  const data = { schemas: { get [TOOL_SCHEMA]() {
    if ((left -= 1) < 0) throw new RangeError("endless");
    return schema;
  } } };
  let count = 0;
  try {
    for (const each of faults(valueAt(schema, place), value, { parent: null, file: TOOL_SCHEMA, steps: place }, data)) {
      const { keyword, trail, missing, ...told } = nearest(each, value, data);
      yield { ...told, at: [...at, ...told.at], keyword: clause, clause, trail: [] };
      if ((count += 1) === MOST_OF_SCHEMA) return;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // it would take too long here
  }
}

function* examplesIn(tool, at, data) {
  const { inputSchema: schema, examples } = tool;
  if (!Array.isArray(examples) || !isRead(schema, data)) return;
  let count = 0;
  for (const [n, each] of examples.entries()) {
    const member = isObject(each) ? OF_EXAMPLES.find((name) => isObject(each[name])) : undefined;
    if (member === undefined) continue;
    for (const found of invalidIn(schema, [], each[member], [...at, "examples", n, member], "ATDF-TOOL-006")) {
      yield found;
      if ((count += 1) === MOST_OF_SCHEMA) return;
    }
  }
}

function* defaultsIn(schema, at, data) {
  if (!isRead(schema, data)) return;
  let count = 0;
  for (const [node, place] of schemasIn(schema)) {
    if (!("default" in node)) continue;
    for (const { only, ...found } of invalidIn(schema, place, node.default, [...at, ...place, "default"], "ATDF-TOOL-009")) {
      yield found;
      if ((count += 1) === MOST_OF_SCHEMA) return;
    }
  }
}

function* undescribedIn(schema, at) {
  const isDescribed = (node, left) => {
    if (!isObject(node) || !left) return false;
    if (typeof node.description === "string" && regex(SAYS_SOMETHING).test(node.description)) return true;
    const [, group, name, more] = /^#\/(\$defs|definitions)\/([^/]*)(.*)$/.exec(node.$ref ?? "") ?? [];
    return group !== undefined && !more && isDescribed(objectOr(schema[group])[name], left - 1);
  };
  const missing = Object.entries(objectOr(schema.properties)).filter(([, node]) => !isDescribed(node, 5));
  for (const [name] of missing.slice(0, MOST_OF_SCHEMA)) {
    yield { at: [...at, "properties", name], keyword: "ATDF-TOOL-008", clause: "ATDF-TOOL-008", id: "documents.tool.undescribed", values: { name: shown(name) } };
  }
}

// The tools of a catalog, or the one tool, each with its place.
const toolsOf = (value, row) => (row.document === "catalog" && isObject(value) && Array.isArray(value.tools) ? value.tools.map((tool, n) => [tool, ["tools", n]]) :
  ["tool", "descriptor", "enhanced-descriptor"].includes(row.document) ? [[value, []]] : []).filter(([tool]) => isObject(tool));

function* toolFaults(value, row, data) {
  const seen = new Set();
  for (const [tool, at] of toolsOf(value, row)) {
    const member = !isDescriptor(tool) ? "name" : "tool_id" in tool || !("id" in tool) ? "tool_id" : "id";
    const name = tool[member];
    if (seen.has(name)) yield { at: [...at, member], keyword: "ATDF-CAT-002", clause: "ATDF-CAT-002", id: "documents.catalog.name_twice", values: { name: shown(name) }, trail: [] };
    if (typeof name === "string") seen.add(name);
    const usable = !isDescriptor(tool) && isObject(tool.inputSchema) && schemaFaults(tool.inputSchema, [], data).next().done;
    if (usable) yield* examplesIn(tool, at, data);
  }
}
