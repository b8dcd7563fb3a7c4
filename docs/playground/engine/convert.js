/* exported convertible converted */
// A tool in one form as a tool in another, as conformance/convert does it. Forms that are more than other
// names for the same members are left to the command; a test compares both on every example.
"use strict";

const OWN = ["name", "tool_id", "id", "resource_id", "resource_type", "description", "when_to_use", "inputSchema", "how_to_use",
  "content", "outputs", "outputSchema", "version", "tags", "metadata", "invocation", "schema_version"];
const OF_CATALOG = ["name", "description", "when_to_use", "inputSchema", "outputs", "version", "tags", "metadata", "invocation", "schema_version"];
const OF_DESCRIPTOR = ["tool_id", "id", "description", "when_to_use", "how_to_use", "metadata", "invocation", "schema_version"];
const OF_MCP = ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "execution", "_meta"];
const OF_INPUT = ["name", "type", "description", "required", "schema"];
const MOVED = ["version", "tags"];
const LISTED_IN = { catalog: "tools", descriptor: "tools", mcp: "tools", gemini: "functionDeclarations" };
const SCHEMA_IN = { openai: "parameters", anthropic: "input_schema", gemini: "parametersJsonSchema" };

const without = (value, names) => Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
const only = (value, names) => Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
const given = (value) => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined && each !== null));
let terms;
const isEmpty = (value) => !Object.keys(value).length;

class Notes {
  constructor() {
    Object.assign(this, { lost: [], changed: [], made: [] });
  }
  lose(...at) {
    this.lost.push(pathOf(at));
  }
  change(...at) {
    this.changed.push(pathOf(at));
  }
  make(...at) {
    this.made.push(pathOf(at));
  }
}

// Where the source has each part of a tool: a way of steps, and the place that it leads to.
class Places {
  constructor(...ways) {
    this.ways = new Map(ways.map(([steps, place]) => [JSON.stringify(steps), place]));
  }
  has(...steps) {
    return this.ways.has(JSON.stringify(steps));
  }
  of(...steps) {
    let known = steps.length;
    while (!this.has(...steps.slice(0, known))) known -= 1;
    return [...this.ways.get(JSON.stringify(steps.slice(0, known))), ...steps.slice(known)];
  }
}

function restOf(item, own, at, notes, found = {}) {
  for (const name of OWN) if (!own.includes(name) && name in item) notes.lose(...(found[name] ?? [...at, name]));
  return without(item, OWN);
}

const READ = {
  catalog(item, at, notes, found = {}, made = []) {
    let { metadata, outputs } = item;
    const home = found.metadata ?? [...at, "metadata"];
    if (metadata !== undefined && metadata !== null && !isObject(metadata)) notes.lose(...home), (metadata = undefined);
    metadata ??= undefined;
    const ways = [[[], at], [["schema"], [...at, "inputSchema"]], ...Object.entries(found).map(([name, place]) => [[name], place])];
    for (const name of MOVED) {
      if (metadata && name in metadata) notes[name in item ? "lose" : "change"](...home, name);
      if (name in item) ways.push([["metadata", name], found[name] ?? [...at, name]]);
    }
    const beside = only(item, MOVED);
    if (isObject(outputs)) {
      const place = found.outputs ?? [...at, "outputs"];
      if (Object.keys(outputs).some((name) => terms.schema_words.includes(name))) {
        outputs = { schema: outputs };
        ways.push([["outputs", "schema"], place]);
      } else if (Object.keys(outputs).join() === "schema") notes.change(...place);
    }
    if (metadata && !isEmpty(beside) && Object.keys(metadata).every((name) => MOVED.includes(name))) notes.change(...home);
    const whole = metadata || !isEmpty(beside) ? { ...metadata, ...beside } : undefined;
    return given({ name: item.name, description: item.description, schema: item.inputSchema, when_to_use: item.when_to_use, outputs,
      metadata: whole, invocation: item.invocation, schema_version: item.schema_version, rest: restOf(item, OF_CATALOG, at, notes, found),
      places: new Places(...ways), made });
  },
  descriptor(item, at, notes) {
    const use = item.how_to_use;
    if ("id" in item) notes.change(...at, "id");
    for (const name of Object.keys(use)) if (!["inputs", "input_schema", "outputs"].includes(name)) notes.lose(...at, "how_to_use", name);
    return given({ name: item.tool_id ?? item.id, description: item.description, schema: schemaOf(use, [...at, "how_to_use"], notes),
      when_to_use: item.when_to_use, outputs: use.outputs, metadata: item.metadata, invocation: item.invocation,
      schema_version: item.schema_version, rest: restOf(item, OF_DESCRIPTOR, at, notes), made: [],
      places: new Places([[], at], [["name"], [...at, "tool_id" in item ? "tool_id" : "id"]],
        [["schema"], [...at, "how_to_use", "inputs"]], [["outputs"], [...at, "how_to_use", "outputs"]]) });
  },
  mcp(item, at, notes) {
    let flat = { ...item };
    const meta = item._meta;
    const key = isObject(meta) ? terms.meta_keys.find((name) => name in meta) : undefined;
    const found = {};
    const made = [];
    if (key && isObject(meta[key])) {
      for (const name of Object.keys(meta[key])) {
        if (name in item) notes.lose(...at, "_meta", key, name);
        else found[name] = [...at, "_meta", key, name];
      }
      flat = without({ ...meta[key], ...flat }, ["_meta"]);
      const others = without(meta, [key]);
      if (!isEmpty(others)) flat._meta = others;
    }
    if ("outputSchema" in flat) {
      if ("outputs" in flat) notes.lose(...(found.outputs ?? [...at, "outputs"]));
      flat.outputs = flat.outputSchema;
      found.outputs = found.outputSchema ?? [...at, "outputSchema"];
      delete flat.outputSchema;
      delete found.outputSchema;
    }
    if (!flat.description && typeof flat.title === "string") {
      flat.description = flat.title;
      made.push("description");
    }
    if (flat.inputSchema.type !== "object") {
      flat.inputSchema = { ...flat.inputSchema, type: flat.inputSchema.type ?? "object" };
      made.push("schema");
    }
    return READ.catalog(flat, at, notes, found, made);
  },
  openai(item, at, notes) {
    const nested = isObject(item.function);
    if (!nested) notes.change(...at);
    for (const name of nested ? Object.keys(item) : []) if (!["type", "function"].includes(name)) notes.lose(...at, name);
    return readFunction(nested ? item.function : item, "parameters", ["type"], nested ? [...at, "function"] : at, notes);
  },
  anthropic(item, at, notes) {
    if (item.type === "custom") notes.change(...at, "type");
    return readFunction(item, "input_schema", ["type"], at, notes);
  },
  gemini: (item, at, notes) => readFunction(item, "parametersJsonSchema", [], at, notes),
};

function readFunction(item, member, known, at, notes) {
  for (const name of Object.keys(item)) if (!["name", "description", member, ...known].includes(name)) notes.lose(...at, name);
  const schema = isObject(item[member]) ? item[member] : {};
  return given({ name: item.name, description: item.description, schema: { ...schema, type: "object" }, rest: {},
    places: new Places([[], at], [["schema"], [...at, member]]), made: schema.type === "object" ? [] : ["schema"] });
}

const WRITE = {
  catalog(tool, at, notes) {
    const made = given({ name: tool.name, description: describe(tool, at, notes), when_to_use: tool.when_to_use });
    made.inputSchema = tool.schema;
    if (tool.outputs) made.outputs = Object.keys(tool.outputs).join() === "schema" ? tool.outputs.schema : tool.outputs;
    if (tool.metadata) {
      Object.assign(made, only(tool.metadata, MOVED));
      const others = without(tool.metadata, MOVED);
      if (!isEmpty(others) || isEmpty(tool.metadata)) made.metadata = others;
    }
    return { ...made, ...ofAll(tool, at, notes) };
  },
  descriptor(tool, at, notes) {
    const made = { tool_id: tool.name, description: describe(tool, at, notes) };
    if (tool.when_to_use === undefined) notes.make(...at, "when_to_use");
    made.when_to_use = tool.when_to_use || made.description;
    const { inputs, remains } = inputsOf(tool.schema);
    const outputs = { ...tool.outputs };
    for (const [name, value] of [["success", made.description], ["failure", []]]) {
      if (!(name in outputs)) (outputs[name] = value), notes.make(...at, "how_to_use", "outputs", name);
    }
    made.how_to_use = { inputs, ...(isEmpty(remains) ? {} : { input_schema: remains }), outputs };
    return { ...made, ...(tool.metadata ? { metadata: tool.metadata } : {}), ...ofAll(tool, at, notes) };
  },
  mcp(tool, at, notes) {
    const flat = WRITE.catalog(tool, at, notes);
    const whole = tool.outputs && Object.keys(tool.outputs).join() === "schema";
    if (whole && isObject(flat.outputs) && flat.outputs.type === "object") {
      flat.outputSchema = flat.outputs;
      delete flat.outputs;
    }
    const made = only(flat, OF_MCP);
    const carried = without(flat, OF_MCP);
    if ("_meta" in made && !isObject(made._meta)) notes.lose(...tool.places.of("_meta")), delete made._meta;
    if (!isEmpty(carried)) made._meta = { ...made._meta, [terms.meta_keys[0]]: carried };
    return made;
  },
  openai: (tool, at, notes) => ({ type: "function", function: writeFunction(tool, "openai", notes) }),
  anthropic: (tool, at, notes) => writeFunction(tool, "anthropic", notes),
  gemini(tool, at, notes) {
    const made = writeFunction(tool, "gemini", notes);
    if (!/^[\d-]/.test(made.name)) return made;
    made.name = `_${made.name}`.slice(0, 64);
    if (!tool.made.includes("name")) notes.lose(...tool.places.of("name"));
    return made;
  },
};

// Where each form says what a reader had to make.
const MADE_AT = {
  catalog: { name: ["name"], description: ["description"], schema: ["inputSchema", "type"], safe: ["safe"] },
  descriptor: { name: ["tool_id"], description: ["description"], safe: ["safe"] },
  mcp: { name: ["name"], description: ["description"], schema: ["inputSchema", "type"] },
  openai: { name: ["function", "name"], description: ["function", "description"], schema: ["function", "parameters", "type"] },
  anthropic: { name: ["name"], description: ["description"], schema: ["input_schema", "type"] },
  gemini: { name: ["name"], description: ["description"], schema: ["parametersJsonSchema", "type"] },
};

function writeTool(tool, to, at, notes) {
  const home = { ...MADE_AT[to], ...(to === "mcp" ? { safe: ["_meta", terms.meta_keys[0], "safe"] } : {}) };
  for (const name of tool.made) if (home[name]) notes.make(...at, ...home[name]);
  return WRITE[to](tool, at, notes);
}

function writeFunction(tool, form, notes) {
  const name = [...tool.name].slice(0, 64).join("").replace(/[^a-zA-Z0-9_-]/gu, "_");
  if (name !== tool.name && !tool.made.includes("name")) notes.lose(...tool.places.of("name"));
  for (const each of ["when_to_use", "schema_version"]) if (each in tool) notes.lose(...tool.places.of(each));
  for (const each of ["outputs", "metadata", "invocation"]) {
    if (!(each in tool)) continue;
    const names = Object.keys(tool[each]);
    const apart = names.filter((one) => tool.places.has(each, one));
    for (const one of apart) notes.lose(...tool.places.of(each, one));
    if (!apart.length || apart.length < names.length) notes.lose(...tool.places.of(each));
  }
  for (const each of Object.keys(tool.rest)) if (!tool.made.includes(each)) notes.lose(...tool.places.of(each));
  return { name, ...(tool.description ? { description: tool.description } : {}), [SCHEMA_IN[form]]: tool.schema };
}

function describe(tool, at, notes) {
  if (!tool.description) notes.make(...at, "description");
  return tool.description || tool.when_to_use || tool.name;
}

function ofAll(tool, at, notes) {
  const made = {};
  if (isObject(tool.invocation) && "endpoint" in tool.invocation) {
    made.invocation = { ...tool.invocation, method: tool.invocation.method ?? "POST" };
    if (!("method" in tool.invocation)) notes.make(...at, "invocation", "method");
  }
  if (tool.schema_version !== undefined) made.schema_version = tool.schema_version;
  return { ...made, ...without(tool.rest, OWN) };
}

function inputsOf(schema) {
  const { properties = {}, required = [] } = schema;
  const inputs = Object.entries(properties).map(([name, node]) => {
    const typed = isObject(node) && terms.json_types.includes(node.type);
    const told = isObject(node) && typeof node.description === "string";
    const rest = isObject(node) ? without(node, [...(typed ? ["type"] : []), ...(told ? ["description"] : [])]) : node;
    return { name, ...(typed ? { type: node.type } : {}), ...(told ? { description: node.description } : {}),
      required: required.includes(name), ...(typed && isObject(rest) && isEmpty(rest) ? {} : { schema: rest }) };
  });
  const remains = without(schema, ["type", "properties", "required"]);
  if ("properties" in schema && isEmpty(properties)) remains.properties = {};
  const wanted = inputs.filter((each) => each.required).map((each) => each.name);
  if ("required" in schema && (!equal(required, wanted) || !required.length)) remains.required = required;
  return { inputs, remains };
}

function schemaOf(use, at, notes) {
  const { inputs, input_schema: remains = {} } = use;
  const schema = { type: "object", ...remains };
  const properties = Object.fromEntries(inputs.map((each) => {
    if (typeof each.schema === "boolean") return [each.name, each.schema];
    const typed = terms.json_types.includes(each.type);
    return [each.name, { ...(typed ? { type: each.type } : {}),
      ...("description" in each ? { description: each.description } : {}), ...each.schema }];
  }));
  if (!isEmpty(properties)) schema.properties = { ...remains.properties, ...properties };
  const wanted = inputs.filter((each) => each.required === true).map((each) => each.name);
  const required = [...new Set([...(remains.required ?? []), ...wanted])];
  if (required.length) schema.required = required;
  const again = inputsOf(schema);
  inputs.forEach((each, index) => {
    for (const name of Object.keys(each)) if (!OF_INPUT.includes(name)) notes.lose(...at, "inputs", index, name);
    if (!equal(again.inputs.find(({ name }) => name === each.name), only(each, OF_INPUT))) notes.change(...at, "inputs", index);
  });
  if (!equal(again.inputs.map(({ name }) => name), inputs.map(({ name }) => name))) notes.change(...at, "inputs");
  if (!equal(again.remains, remains) || ("input_schema" in use && isEmpty(remains))) notes.change(...at, "input_schema");
  return schema;
}

// Whether a browser reads each number as it is written.
function exact(value) {
  if (typeof value === "number") return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return value === null || typeof value !== "object" || Object.values(value).every(exact);
}

// Whether the browser converts a value of a form to another; if not, the command does.
function convertible(value, from, to, data) {
  if (!exact(value)) return false;
  if (to === "error") return from === "fastapi" || (from === "problem" && isDetails(value, data));
  if (!(to in WRITE)) return false;
  if (from === "openapi") return isReadable(value);
  if (!(from in READ)) return false;
  const { items } = itemsOf(value);
  return items.every((item) => {
    if (!isObject(item)) return false;
    if (from === "descriptor" || from === "catalog") return !("resource_type" in item);
    if (from === "mcp") return typeof item.name === "string" && isObject(item.inputSchema) && isSound(item);
    return PROVIDERS[from](item) && !(from === "gemini" && !("parametersJsonSchema" in item)) &&
      isSound(from === "openai" && isObject(item.function) ? item.function : item);
  });
}

// Whether the members that a reader uses have the right types, as conformance/convert/shapes.py asks of them.
const isTexts = (value) => Array.isArray(value) && value.every((each) => typeof each === "string");
const isSchemaLike = (value) => ["properties", "$defs"].every((name) => !(name in value) || isObject(value[name])) &&
  (!("required" in value) || isTexts(value.required));
const SHAPES = { description: (value) => value === null || typeof value === "string", outputSchema: (value) => isObject(value) && isSchemaLike(value) };
for (const member of ["inputSchema", ...Object.values(SCHEMA_IN)]) SHAPES[member] = (value) => value === null || SHAPES.outputSchema(value);
const isSound = (tool) => Object.entries(SHAPES).every(([name, fits]) => !(name in tool) || fits(tool[name]));

function itemsOf(value) {
  if (Array.isArray(value)) return { items: value, at: [], around: {}, listed: true };
  const member = LISTS.find((name) => listOf(value, name));
  if (member === undefined) return { items: [value], around: {} };
  return { items: value[member], at: [member], around: without(value, [member]), listed: true };
}

// Whether a description is small enough: all its tools together repeat its components.
function isReadable(value) {
  try {
    readOpenapi(value, new Notes());
  } catch (failure) {
    if (failure instanceof RangeError) return false;
    throw failure;
  }
  return true;
}

// The value in the form `to`, with the paths of what is lost, changed and made.
function converted(value, from, to, data) {
  terms = data.terms;
  const notes = new Notes();
  if (from !== to && !Array.isArray(value)) value = without(value, ["$schema"]); // which names the old form
  if (to === "error") return erred(value, from, data);
  if (from === "openapi") {
    if ("info" in value) notes.lose("info");
    const { lost, ...made } = writeTools(readOpenapi(value, notes), {}, to, notes);
    const absent = [...danglingIn(value)].flatMap(({ at }) => [pathOf(at), pathOf(at.slice(0, -1))]);
    return { ...made, lost: lost.filter((each) => !absent.includes(each)) }; // what is wrong there is told at its line
  }
  const { items, at, around, listed } = itemsOf(value);
  const reader = (item) => (from === "descriptor" || from === "catalog" ? READ[isDescriptor(item) ? "descriptor" : "catalog"] : READ[from]);
  if (!listed) {
    const made = writeTool(reader(value)(value, [], notes), to, [], notes);
    return answer(made, notes);
  }
  return writeTools(items.map((item, index) => reader(item)(item, [...at, index], notes)), around, to, notes);
}

// The document of a list of tools, with what is around them.
function writeTools(tools, around, to, notes) {
  const target = LISTED_IN[to];
  if (target === undefined || to === "gemini") for (const name of Object.keys(around)) notes.lose(name);
  const written = tools.map((tool, index) => writeTool(tool, to, target ? [target, index] : [index], notes));
  return answer(target === undefined ? written : { [target]: written, ...(to === "gemini" ? {} : around) }, notes);
}

function answer(made, { lost, changed, made: added }) {
  const once = (paths) => [...new Set(paths)];
  return { data: made, lost: once(lost), changed: once(changed), made: once(added) };
}
