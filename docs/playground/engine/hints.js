// What no format forbids, and what is most likely a slip: a name that is nearly a known one, and a required
// name that no property has. As conformance/formats/validate/hints.py finds it.
"use strict";

const MOST_COMPARED = 1000;
const MOST_HINTS = 100;
const PREFIXED = /^(?:x-|[$@])|[./]/; // added on purpose
const OF_OPENAPI = ["discriminator", "example", "externalDocs", "nullable", "xml"];
const UNIONS = ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];
const BOUNDS = ["minimum maximum", "minimum exclusiveMaximum", "exclusiveMinimum maximum", "exclusiveMinimum exclusiveMaximum",
  "minLength maxLength", "minItems maxItems", "minProperties maxProperties"].map((each) => each.split(" "));
const OPEN = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "then"];

// The members that schemas know in any of their branches, each with the schemas of its value; `others` has
// those of all other members, `items` those of the items of a list.
const membersKnown = new Map();
function membersOf(spots, data) {
  const keyOf = ({ file, steps }) => `${file}#${steps.join("/")}`;
  const key = spots.map(keyOf).join(" ");
  if (membersKnown.has(key)) return membersKnown.get(key);
  const made = { named: new Map(), others: [], items: [] };
  const seen = new Set();
  const look = (spot) => {
    const node = valueAt(data.schemas[spot.file], spot.steps);
    if (seen.has(keyOf(spot)) || !isObject(node)) return;
    seen.add(keyOf(spot));
    const below = (...more) => ({ file: spot.file, steps: [...spot.steps, ...more] });
    if ("$ref" in node) look(referred(node.$ref, spot, data)[2]);
    for (const word of ["if", "then", "else"]) if (word in node) look(below(word));
    for (const word of ["allOf", "anyOf", "oneOf"]) (node[word] ?? []).forEach((_, index) => look(below(word, index)));
    for (const [name, inner] of Object.entries(node.properties ?? {})) {
      if (inner !== false) made.named.set(name, [...(made.named.get(name) ?? []), below("properties", name)]);
    }
    if (isObject(node.additionalProperties)) made.others.push(below("additionalProperties"));
    if ("items" in node) made.items.push(below("items"));
  };
  spots.forEach(look);
  membersKnown.set(key, made);
  return made;
}

function* unknownIn(value, at, known) {
  for (const name of Object.keys(value)) if (!known.has(name) && !PREFIXED.test(name)) yield { at: [...at, name], name, value, known };
}

function* unknownMembers(value, file, data) {
  const waiting = [[[], [{ file, steps: [] }], value]];
  while (waiting.length) {
    const [at, spots, held] = waiting.pop();
    const { named, others, items } = membersOf(spots, data);
    const more = named.has("inputSchema") ? ONLY_MCP : [];
    if (isObject(held) && !others.length) yield* unknownIn(held, at, new Set([...named.keys(), ...more]));
    const below = Array.isArray(held) ? () => items : (name) => named.get(name) ?? others;
    for (const [name, inner] of Array.isArray(held) ? held.entries() : Object.entries(held)) {
      if (inner !== null && typeof inner === "object" && below(name).length) waiting.push([[...at, name], below(name), inner]);
    }
  }
}

function* unknownKeywords(schema, at, data) {
  const known = new Set([...Object.keys(data.schemas[NEWEST].properties), ...OF_OPENAPI]);
  for (const [node, place] of schemasIn(schema)) yield* unknownIn(node, [...at, ...place], known);
}

function* misspelledIn(strange) {
  let compared = 0;
  const told = new Set();
  for (const { at, name, value, known } of strange) {
    if (told.has(pointerOf(at))) continue;
    if ((compared += 1) > MOST_COMPARED) return;
    const near = [...known.keys()].sort().find((each) => !(each in value) && (oneSlip(name.toLowerCase(), each.toLowerCase()) || `${name}_name` === each));
    if (near === undefined) continue;
    told.add(pointerOf(at));
    yield { at, keyword: "misspelled", clause: null, id: "documents.misspelled", values: { name: shown(name, 40), known: near }, meant: near };
  }
}

function* undeclaredIn(schema, at, clause) {
  let count = 0;
  for (const [node, place] of schemasIn(schema)) {
    if (!Array.isArray(node.required) || [...place.filter((step) => UNIONS.includes(step)), ...OPEN.filter((word) => word in node)].length) continue;
    const { properties = {} } = node;
    for (const [index, name] of node.required.entries()) {
      if (typeof name !== "string" || !isObject(properties) || name in properties || (count += 1) > MOST_OF_SCHEMA) continue;
      yield { at: [...at, ...place, "required", index], keyword: clause ?? "undeclared", clause, id: "documents.tool.undeclared", values: { name: shown(name) } };
    }
  }
}

// With one of these keywords, a schema may know more names than those of `properties`.
const DECLARES = [...OPEN, "else", "dependentSchemas", "dependencies"];

// Names in braces in an endpoint that no property has.
function* unfilledIn(tool, at) {
  const { invocation, inputSchema: schema } = tool;
  const { endpoint } = isObject(invocation) ? invocation : {};
  if (!isObject(schema)) return;
  const { properties = {} } = schema;
  if (typeof endpoint !== "string" || !isObject(properties) || DECLARES.some((word) => word in schema) || isObject(schema.additionalProperties)) return;
  for (const name of new Set([...endpoint.matchAll(/\{([^{}]+)\}/g)].map((each) => each[1]))) {
    if (Object.hasOwn(properties, name)) continue;
    yield { at: [...at, "invocation", "endpoint"], keyword: "unfilled", clause: null, id: "documents.tool.unfilled", values: { name: shown(name, 40) } };
  }
}

// Bounds between which there is no value, and lists of allowed values that are empty.
function* withoutValueIn(schema, at) {
  for (const [node, place] of schemasIn(schema)) {
    if (Array.isArray(node.enum) && !node.enum.length) {
      yield { at: [...at, ...place, "enum"], keyword: "unsatisfiable", clause: null, id: "documents.schema.empty_enum", values: {} };
    }
    for (const [low, high] of BOUNDS) {
      const [least, most] = [node[low], node[high]];
      if (typeof least !== "number" || typeof most !== "number" || least < most || (least === most && !/exc/.test(low + high))) continue;
      yield { at: [...at, ...place, low], keyword: "unsatisfiable", clause: null, id: "documents.schema.no_value", values: { low, high, least: shown(least), most: shown(most) } };
    }
  }
}

// Of a document, of a schema alone, or of the schemas in an OpenAPI description.
function* hintsOf(value, row, data) {
  const alone = !row && isSchemaAlone(value, data);
  if (!row && formOf(value) === "openapi") {
    yield* misspelledIn((function* () {
      for (const [at, part, known] of fixedParts(value, data)) yield* unknownIn(part, at, known);
      for (const [at, schema] of schemasOf(value)) yield* unknownKeywords(schema, at, data);
    })());
    for (const [at, schema] of schemasOf(value)) yield* withoutValueIn(schema, at);
  }
  if (!row && !alone) return;
  const schemas = alone ? [[value, []]] : [...schemasHeld(value, row, data)];
  const strange = function* () {
    for (const [schema, at] of schemas) yield* unknownKeywords(schema, at, data);
    if (row && value !== null && typeof value === "object") yield* unknownMembers(value, `${row.spec}/${row.version}/${row.document}.schema.json`, data);
  };
  yield* misspelledIn(strange());
  for (const [{ name }, at] of row ? toolsOf(value, row).filter(([tool]) => !isDescriptor(tool)) : []) {
    if (typeof name !== "string" || /^[\w.-]{0,128}$/.test(name)) continue;
    yield { at: [...at, "name"], keyword: "unportable", clause: null, id: "finding.mcp.tool_name", values: { name: shown(name), length: [...name].length } };
  }
  for (const [tool, at] of row ? toolsOf(value, row).filter(([tool]) => !isDescriptor(tool)) : []) yield* unfilledIn(tool, at);
  for (const [schema, at] of schemas) {
    yield* withoutValueIn(schema, at);
    if (!(alone || at.at(-1) === "inputSchema")) continue;
    yield* undeclaredIn(schema, at, alone ? null : "ATDF-TOOL-009");
    if (alone) continue;
    yield* undescribedIn(schema, at);
    if (schemaFaults(schema, at, data).next().done) yield* defaultsIn(schema, at, data);
  }
}

// The hints of a text, each at its place; that of a name offers the right one.
function hintsIn(text, value, row, data) {
  const found = [];
  for (const each of hintsOf(value, row, data)) if (found.length < MOST_HINTS) found.push(each);
  if (!found.length) return found;
  const { places } = readJson(text);
  const placed = lines(text);
  return found.map(({ at, id, ...each }) => {
    const from = places.get(pointerOf(at));
    const fix = each.meant === undefined ? {} : { fix: { from, to: from + /^"(?:[^"\\]|\\.)*"/.exec(text.slice(from))[0].length, text: JSON.stringify(each.meant) } };
    return { ...each, ...placed(from), path: pathOf(at), pointer: pointerOf(at), words: words(data, id, each.values), hint: true, ...fix };
  });
}
