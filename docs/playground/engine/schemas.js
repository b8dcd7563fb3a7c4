// The JSON Schemas that tools hold, by the metaschema of their dialect: what is none is no contract
// for a call.
"use strict";

const NEWEST = "https://json-schema.org/draft/2020-12/schema";
const UNCHECKED = "http://json-schema.org/draft-03/schema";
const MOST_OF_SCHEMA = 10;

const valueAt = (value, at) => at.reduce((node, step) => node[step], value);

// Where the innermost cause of a fault is: that of branches is the deepest of theirs.
function innermost(found, value, data) {
  if (found.keyword !== "anyOf") return found.at;
  const { file, steps } = found.trail.at(-1);
  const held = valueAt(value, found.at);
  const places = valueAt(data.schemas[file], steps)
    .flatMap((branch) => [...faults(branch, held, { parent: null, file, steps: [] }, data)])
    .map((each) => [...found.at, ...innermost(each, held, data)]);
  return places.reduce((best, at) => (at.length > best.length ? at : best));
}

// What its metaschema forbids, once for each place; where it forbids nothing, the references that
// lead nowhere.
function* schemaFaults(schema, at, data) {
  const { $schema: named = NEWEST } = schema;
  const file = typeof named === "string" ? named.replace(/#$/, "") : "";
  if (file === UNCHECKED) return;
  if (!isDialect(named, data)) {
    yield { id: "documents.schema.dialect", values: { dialect: shown(named) }, at: [...at, "$schema"], keyword: "ATDF-TOOL-004", clause: "ATDF-TOOL-004", trail: [] };
    return;
  }
  const seen = new Set();
  for (const each of faults(data.schemas[file], schema, { parent: null, file, steps: [] }, data)) {
    const inside = innermost(each, schema, data);
    if (seen.has(pointerOf(inside))) continue;
    if (seen.size === MOST_OF_SCHEMA) return;
    seen.add(pointerOf(inside));
    const value = valueAt(schema, inside);
    const keyword = inside.findLast((step) => typeof step === "string") ?? "type";
    const told = keyword === "type" && typeof value === "string" ?
      { id: "documents.schema.type", values: { value: shown(value), known: [...data.terms.json_types, "null"].map((name) => "`" + name + "`").join(", ") } } :
      { id: IN_BRACKETS.test(inside.at(-1)) && !Array.isArray(value) ? "documents.schema.list" : "documents.schema.invalid", values: { keyword, value: shown(value) } };
    yield { ...told, at: [...at, ...inside], keyword: "ATDF-TOOL-004", clause: "ATDF-TOOL-004", trail: [] };
  }
  if (seen.size) return;
  let count = 0;
  for (const each of leadNowhere(schema, at, file.includes("draft-04"))) {
    if (count === MOST_OF_SCHEMA) return;
    count += 1;
    yield each;
  }
}

const IN_BRACKETS = /^(required|enum|examples|(all|any|one)Of|prefixItems)$/;
const isDialect = (named, data) => typeof named === "string" && named.startsWith("http") && named.replace(/#$/, "") in data.schemas;

// Whether a value is a schema alone.
const looksLikeSchema = (value) => isObject(value.properties) && value.type === "object";
const isSchemaAlone = (value, data) => isObject(value) && (looksLikeSchema(value) || (isObject(value.properties) && isDialect(value.$schema, data)));

// The schemas of the tools of a catalog, or of one tool.
function* schemasHeld(value, row, data) {
  const isSchema = (held) => isObject(held) && data.terms.schema_words.some((name) => name in held);
  for (const [tool, at] of toolsOf(value, row)) {
    const output = ["outputSchema", "outputs"].find((name) => isSchema(tool[name]));
    const named = [!isDescriptor(tool) && isObject(tool.inputSchema) ? "inputSchema" : undefined, output].filter(Boolean);
    for (const name of named) yield [tool[name], [...at, name]];
  }
}

// What is wrong in the inputs of a descriptor, which together are one schema.
function* describedFaults(tool, at, data) {
  const { inputs = [], input_schema: rest = {} } = isObject(tool.how_to_use) ? tool.how_to_use : {};
  if (!Array.isArray(inputs) || !isObject(rest)) return;
  const declared = new Map();
  for (const [index, each] of inputs.entries()) {
    if (isObject(each) && typeof each.name === "string" && each.name && !declared.has(each.name)) declared.set(each.name, index);
  }
  const properties = [...declared].map(([name, index]) => {
    const { schema, type, description } = inputs[index];
    if (typeof schema === "boolean") return [name, schema];
    const typed = data.terms.json_types.includes(type) ? { type } : {};
    return [name, { ...typed, ...(typeof description === "string" ? { description } : {}), ...objectOr(schema) }];
  });
  const whole = { type: "object", ...rest, ...(isObject(rest.properties ?? {}) && { properties: { ...rest.properties, ...Object.fromEntries(properties) } }) };
  for (const { at: inside, ...each } of schemaFaults(whole, [], data)) {
    const index = inside[0] === "properties" && inside.length > 1 ? declared.get(inside[1]) : undefined;
    const own = index === undefined ? undefined : inputs[index].schema;
    const beside = index !== undefined && inside.length > 2 && !(isObject(own) && holds(own, inside[2])) && holds(inputs[index], inside[2]);
    const home = index === undefined ? ["input_schema", ...inside] : ["inputs", index, ...(beside ? [] : ["schema"]), ...inside.slice(2)];
    yield { ...each, at: [...at, "how_to_use", ...home] };
  }
}

function* heldFaults(value, row, data) {
  for (const [schema, at] of schemasHeld(value, row, data)) yield* schemaFaults(schema, at, data);
  for (const [tool, at] of toolsOf(value, row)) if (isDescriptor(tool)) yield* describedFaults(tool, at, data);
}

// Of an OpenAPI description, a schema alone, or tools in the forms of OpenAI and Anthropic.
function* providedFaults(value, data) {
  if (formOf(value) === "openapi") yield* openapiFaults(value, data);
  if (isSchemaAlone(value, data)) {
    for (const each of schemaFaults(value, [], data)) if (each.reference?.startsWith("#") ?? true) yield { ...each, clause: null };
    return;
  }
  const name = Array.isArray(value) ? undefined : LISTS.find((each) => listOf(value, each));
  const items = Array.isArray(value) ? value : name ? value[name] : [value];
  for (const [n, item] of items.entries()) {
    const at = Array.isArray(value) ? [n] : name ? [name, n] : [];
    if (PROVIDERS.anthropic(item)) yield* schemaFaults(item.input_schema, [...at, "input_schema"], data);
    if (!PROVIDERS.openai(item)) continue;
    const held = isObject(item.function) ? ["function", "parameters"] : ["parameters"];
    const schema = valueAt(item, held);
    if (isObject(schema)) yield* schemaFaults(schema, [...at, ...held], data);
  }
}
