/* readOpenapi */
// The operations of an OpenAPI description as tools, as conformance/convert/openapi.py reads them.
"use strict";

const IN_COMPONENTS = "#/components/schemas/";
const OF_JSON = "application/json";
const NO_BODY = ["get", "delete", "options", "head", "trace"];
const SAFE_METHODS = ["get", "head", "options", "trace", "query"];
const OF_OPERATION = ["operationId", "summary", "description", "parameters", "requestBody", "responses", "tags"];
const OF_PARAMETER = ["name", "in", "required", "schema", "description"];
const FLAGS = { nullable: null, exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" };
const WITH_ONE = ["items", "contains", "unevaluatedItems", "additionalItems", "additionalProperties", "propertyNames",
  "unevaluatedProperties", "not", "if", "then", "else", "contentSchema"];
const WITH_LIST = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const WITH_NAMES = ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];
const MOST_IN_ALL = 6_000_000; // the command takes more

const objectOr = (value) => (isObject(value) ? value : {});
const textsOf = (value) => [...new Set(Array.isArray(value) ? value.filter((each) => typeof each === "string") : [])];
const holds = (value, name) => Object.hasOwn(value, name);

// The objects that are schemas, below a schema and it, each with its place.
function* schemasIn(node, at = []) {
  if (!isObject(node)) return;
  yield [node, at];
  for (const [word, value] of Object.entries(node)) {
    if (isObject(value) && WITH_ONE.includes(word)) yield* schemasIn(value, [...at, word]);
    else if (Array.isArray(value) && WITH_LIST.includes(word)) for (const [n, each] of value.entries()) yield* schemasIn(each, [...at, word, n]);
    else if (isObject(value) && WITH_NAMES.includes(word)) for (const [name, each] of Object.entries(value)) yield* schemasIn(each, [...at, word, name]);
  }
}

class Description {
  constructor(data, notes) {
    Object.assign(this, { data, notes, used: new Set(), size: 0, old: String(data.openapi).startsWith("3.0") });
    this.known = objectOr(objectOr(data.components).schemas);
    this.ready = new Map();
  }

  use(...steps) {
    this.used.add(JSON.stringify(steps.slice(0, 3)));
  }

  // What a `$ref` within the description leads to, and where that is.
  resolved(place, node) {
    if (!isObject(node)) return [place, {}];
    if (typeof node.$ref !== "string" || !node.$ref.startsWith("#/")) return [place, node];
    const steps = node.$ref.split("/").slice(1).map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
    const found = steps.reduce((value, step) => (isObject(value) && holds(value, step) ? value[step] : undefined), this.data);
    if (!isObject(found)) return [place, {}];
    this.use(...steps);
    this.notes.change(...place);
    return [steps, found];
  }

  *names(schema) {
    for (const [{ $ref }] of schemasIn(schema)) {
      if (typeof $ref !== "string" || !$ref.startsWith(IN_COMPONENTS)) continue;
      const name = $ref.slice(IN_COMPONENTS.length).split("/")[0];
      if (!holds(this.known, name)) continue;
      this.use("components", "schemas", name);
      yield name;
    }
  }

  component(name) {
    if (!this.ready.has(name)) {
      const made = this.written(this.known[name]);
      this.ready.set(name, [made, [...new Set(this.names(this.known[name]))], JSON.stringify(made).length]);
    }
    return this.ready.get(name);
  }

  // A schema with the components that it needs.
  whole(schema, at, ways) {
    const needed = Object.create(null);
    const waiting = [...this.names(schema)];
    while (waiting.length) {
      const name = waiting.pop();
      if (holds(needed, name)) continue;
      const [made, below, size] = this.component(name);
      needed[name] = made;
      ways.push([[...at, "$defs", name], ["components", "schemas", name]]);
      this.size += size;
      if (this.size > MOST_IN_ALL) throw new RangeError("too large");
      waiting.push(...below);
    }
    const made = this.written(schema);
    if ("required" in made && (!made.required || (typeof made.required === "object" && isEmpty(made.required)))) delete made.required;
    if (!isEmpty(needed)) made.$defs = { ...objectOr(made.$defs), ...needed };
    return made;
  }

  written(schema) {
    const made = this.moved(schema);
    return this.old ? newer(made) : made;
  }

  moved(node) {
    if (Array.isArray(node)) return node.map((each) => this.moved(each));
    if (!isObject(node)) return node;
    const made = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, this.moved(value)]));
    if (typeof node.$ref === "string" && node.$ref.startsWith(IN_COMPONENTS)) made.$ref = `#/$defs/${node.$ref.slice(IN_COMPONENTS.length)}`;
    return made;
  }

  // What 3.0 says and JSON Schema says otherwise, or need not say.
  noteOldWords(node, place) {
    if (Array.isArray(node)) node.forEach((each, index) => this.noteOldWords(each, [...place, index]));
    if (!isObject(node)) return;
    for (const [name, each] of Object.entries(node)) this.noteOldWords(each, [...place, name]);
    if (node.nullable === true && Array.isArray(node.enum) && !node.enum.includes(null)) this.notes.change(...place, "enum");
    for (const [word, bound] of Object.entries(FLAGS)) {
      const useless = bound !== null && !(bound in node);
      if (node[word] === false || (useless && node[word] === true)) this.notes.change(...place, word);
    }
  }
}

// A schema of 3.0 in 2020-12.
function newer(node) {
  if (!isObject(node)) return node;
  if (typeof node.$ref === "string") return { $ref: node.$ref }; // what else is there means nothing in 3.0
  const made = { ...node };
  for (const word of ["properties", "patternProperties", "$defs", "dependentSchemas"]) {
    if (isObject(node[word])) made[word] = Object.fromEntries(Object.entries(node[word]).map(([name, each]) => [name, newer(each)]));
  }
  for (const word of ["allOf", "anyOf", "oneOf", "prefixItems"]) if (Array.isArray(node[word])) made[word] = node[word].map(newer);
  for (const word of ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties"]) if (isObject(node[word])) made[word] = newer(node[word]);
  for (const [bound, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]]) {
    const flag = made[exclusive];
    if (typeof flag !== "boolean") continue;
    delete made[exclusive];
    if (flag && bound in made) (made[exclusive] = made[bound]), delete made[bound];
  }
  if ("example" in made) {
    if (!("examples" in made)) made.examples = [made.example];
    delete made.example;
  }
  const { nullable } = made;
  delete made.nullable;
  if (nullable === true && typeof made.type === "string") {
    made.type = [made.type, "null"];
    if (Array.isArray(made.enum) && !made.enum.includes(null)) made.enum = [...made.enum, null];
  }
  return made;
}

function loseAll(notes, members, at, said) {
  for (const name of Object.keys(members)) if (!said.includes(name)) notes.lose(...at, name);
}

// The schema of an operation's inputs, and where the description has its parts.
class Inputs {
  constructor(described, at) {
    Object.assign(this, { described, notes: described.notes, at, schema: { type: "object", properties: Object.create(null), required: [] } });
    this.ways = [[["schema"], at]];
  }

  addParameter(given, declared) {
    const [place, each] = this.described.resolved(given, declared);
    const { name } = each;
    const { properties } = this.schema;
    if (!["path", "query"].includes(each.in) || typeof name !== "string" || holds(properties, name)) return this.notes.lose(...place);
    loseAll(this.notes, each, place, OF_PARAMETER);
    const node = { ...objectOr(each.schema) };
    const home = ["schema", "properties", name];
    if ("schema" in each && !isObject(each.schema)) this.notes.lose(...place, "schema");
    this.ways.push([home, isEmpty(node) ? place : [...place, "schema"]]);
    if (typeof each.description === "string" && !("description" in node)) {
      node.description = each.description;
      this.ways.push([[...home, "description"], [...place, "description"]]);
      this.notes.change(...place, "description");
    } else if ("description" in each && !equal(each.description, node.description ?? null)) this.notes.lose(...place, "description");
    properties[name] = node;
    if (each.in === "query" && !NO_BODY.includes(this.at.at(-1))) this.notes.lose(...place, "in"); // a tool sends it in the body
    if (each.required === true || each.in === "path") this.schema.required.push(name);
    return undefined;
  }

  addBody(given, declared) {
    const [place, body] = this.described.resolved(given, declared);
    loseAll(this.notes, body, place, ["content", "required"]);
    const media = objectOr(body.content);
    loseAll(this.notes, media, [...place, "content"], [OF_JSON]);
    const held = media[OF_JSON];
    if (!isObject(held) || !isObject(held.schema)) return this.notes.lose(...place);
    const whole = [...place, "content", OF_JSON, "schema"];
    loseAll(this.notes, held, whole.slice(0, -1), ["schema"]);
    const needed = body.required === true;
    if (!needed) this.notes.change(...place);
    const [home, flat] = this.flat(whole, held.schema);
    const { properties } = this.schema;
    if (!flat) { // any other body cannot be taken apart into inputs
      const name = holds(properties, "body") ? "request_body" : "body";
      properties[name] = { ...held.schema };
      this.ways.push([["schema", "properties", name], whole]);
      this.notes.change(...whole);
      if (needed) this.schema.required.push(name);
      return undefined;
    }
    for (const [name, node] of Object.entries(flat.properties)) {
      if (holds(properties, name)) this.notes.lose(...home, "properties", name);
      else (properties[name] = node), this.ways.push([["schema", "properties", name], [...home, "properties", name]]);
    }
    this.schema.required = [...new Set([...this.schema.required, ...(needed ? textsOf(flat.required) : [])])];
    for (const [word, value] of Object.entries(flat)) {
      if (["type", "properties", "required"].includes(word) || (word === "$defs" && !isObject(value))) continue;
      this.schema[word] = value;
      this.ways.push([["schema", word], [...home, word]]);
    }
    return undefined;
  }

  flat(place, node) {
    for (let round = 0; round < 10 && "$ref" in node; round += 1) [place, node] = this.described.resolved(place, node);
    return [place, node.type === "object" && !("$ref" in node) && isObject(node.properties) ? node : undefined];
  }
}

function outputsOf(described, at, responses, ways) {
  const { notes } = described;
  const listed = objectOr(responses);
  const chosen = Object.keys(listed).sort().find((code) => code.startsWith("2"));
  for (const code of Object.keys(listed)) if (code !== chosen) notes.lose(...at, "responses", code);
  if (chosen === undefined) return undefined;
  const [place, response] = described.resolved([...at, "responses", chosen], listed[chosen]);
  loseAll(notes, response, place, ["content", ...(response.description === "Success" ? ["description"] : [])]);
  const media = objectOr(response.content);
  loseAll(notes, media, [...place, "content"], [OF_JSON]);
  if ("content" in response && isEmpty(media)) notes.change(...place, "content");
  const home = [...place, "content", OF_JSON];
  const held = media[OF_JSON];
  if (isObject(held)) loseAll(notes, held, home, ["schema"]);
  if (!isObject(held) || !isObject(held.schema) || isEmpty(held.schema)) {
    if (OF_JSON in media) notes.lose(...home);
    return undefined;
  }
  ways.push([["outputs", "schema"], [...home, "schema"]], [["outputs"], [...home, "schema"]]);
  return { ...held.schema };
}

// A tool for each operation, in the order of the description.
function readOpenapi(data, notes) {
  for (const name of Object.keys(data)) if (!["openapi", "info", "paths", "components", "servers"].includes(name)) notes.lose(name);
  const servers = Array.isArray(data.servers) ? data.servers : [];
  servers.slice(1).forEach((_, index) => notes.lose("servers", index + 1));
  const first = objectOr(servers[0]);
  loseAll(notes, first, ["servers", 0], ["url"]);
  const base = typeof first.url === "string" ? first.url.replace(/\/+$/, "") : "";
  const described = new Description(data, notes);
  const names = new Map();
  const tools = [];
  for (const [path, item] of Object.entries(objectOr(data.paths))) {
    if (!isObject(item)) {
      notes.lose("paths", path);
      continue;
    }
    loseAll(notes, item, ["paths", path], [...METHODS, "parameters"]);
    for (const method of METHODS.filter((each) => each in item)) {
      if (isObject(item[method])) tools.push(readOperation(described, path, method, base, names));
      else notes.lose("paths", path, method);
    }
  }
  for (const [kind, each] of Object.entries(objectOr(data.components))) {
    if (!isObject(each)) notes.lose("components", kind);
    else for (const name of Object.keys(each)) if (!described.used.has(JSON.stringify(["components", kind, name]))) notes.lose("components", kind, name);
  }
  if (described.old) described.noteOldWords(data, []);
  return tools;
}

function readOperation(described, path, method, base, names) {
  const { data, notes } = described;
  const item = data.paths[path];
  const operation = item[method];
  const at = ["paths", path, method];
  const { operationId } = operation;
  const usable = typeof operationId === "string" && operationId !== "" && !names.has(operationId);
  const name = usable ? operationId : nameOf(method, path, names);
  if ("operationId" in operation && !usable) notes.lose(...at, "operationId");
  if (!names.has(name)) names.set(name, 1);
  const inputs = new Inputs(described, at);
  const own = Array.isArray(operation.parameters) ? operation.parameters : [];
  const key = (each) => JSON.stringify([String(each.name), String(each.in)]);
  const keys = new Set(own.filter(isObject).map(key));
  (Array.isArray(item.parameters) ? item.parameters : []).forEach((each, index) => {
    if (!(isObject(each) && keys.has(key(each)))) inputs.addParameter(["paths", path, "parameters", index], each);
  });
  own.forEach((each, index) => inputs.addParameter([...at, "parameters", index], each));
  if ("requestBody" in operation) inputs.addBody([...at, "requestBody"], operation.requestBody);
  for (const member of ["parameters", "tags"]) if (Array.isArray(operation[member]) && !operation[member].length) notes.change(...at, member);
  loseAll(notes, operation, at, OF_OPERATION);
  const texts = ["description", "summary"].filter((member) => typeof operation[member] === "string" && operation[member]);
  if (texts[0] === "summary") notes.change(...at, "summary");
  const ways = [[[], at], [["name"], [...at, "operationId"]], [["invocation"], at], ...inputs.ways,
    [["description"], [...at, texts[0] ?? ""]], [["title"], [...at, "summary"]], [["metadata", "tags"], [...at, "tags"]]];
  const outputs = outputsOf(described, at, operation.responses, ways);
  const safe = SAFE_METHODS.includes(method);
  const endpoint = base + path;
  const tags = textsOf(operation.tags);
  if ("tags" in operation && !equal(tags, operation.tags)) notes.change(...at, "tags");
  const schema = described.whole(inputs.schema, ["schema"], ways);
  const answered = outputs && described.whole(outputs, ["outputs"], ways);
  return given({ name, description: texts.length ? operation[texts[0]] : `${method.toUpperCase()} ${endpoint}`, schema,
    outputs: answered && { schema: answered }, metadata: tags.length ? { tags } : undefined,
    invocation: { endpoint, method: method.toUpperCase() },
    rest: { ...(safe ? { safe } : {}), ...(texts.length > 1 ? { title: operation.summary } : {}) }, places: new Places(...ways),
    made: [...(usable ? [] : ["name"]), ...(safe ? ["safe"] : []), ...(texts.length ? [] : ["description"])] });
}

// A name of the route; `names` has for each name the highest number that was put behind it.
function nameOf(method, path, names) {
  const words = `${method} ${path}`.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  let name = words;
  while (names.has(name)) {
    names.set(words, names.get(words) + 1);
    name = `${words}_${names.get(words)}`;
  }
  return name;
}
