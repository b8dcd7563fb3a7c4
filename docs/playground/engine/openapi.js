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
const MOST_IN_ALL = 6_000_000; // the command takes more

const textsOf = (value) => [...new Set(Array.isArray(value) ? value.filter((each) => typeof each === "string") : [])];

const definedBy = (reference) => stepsOf(reference.slice("#/$defs".length))[0];

class Description {
  constructor(data, notes) {
    Object.assign(this, { data, notes, used: new Set(), around: new Set(), size: 0, old: String(data.openapi).startsWith("3.0") });
    this.known = objectOr(objectOr(data.components).schemas);
    Object.assign(this, { ready: new Map(), names: new Map(), sources: new Map() });
    this.taken = new Map(Object.keys(this.known).map((name) => [name, 1]));
  }

  use(place) {
    place.forEach((_, count) => this.around.add(JSON.stringify(place.slice(0, count))));
    this.used.add(JSON.stringify(place));
  }

  // The components, or the parts of one, that no tool has anything of.
  loseUnused(node, ...place) {
    const at = JSON.stringify(place);
    if (this.used.has(at)) return;
    if (!this.around.has(at)) this.notes.lose(...place);
    else for (const [step, each] of Array.isArray(node) ? node.entries() : Object.entries(node)) this.loseUnused(each, ...place, step);
  }

  // What a `$ref` within the description leads to, and where that is.
  resolved(place, node) {
    if (!isObject(node)) return [place, {}];
    if (typeof node.$ref !== "string" || !node.$ref.startsWith("#/")) return [place, node];
    const [there, found] = placeIn(this.data, node.$ref) ?? [];
    if (!isObject(found)) return [place, {}];
    this.use(there.slice(0, 3));
    this.notes.change(...place);
    return [there, found];
  }

  // A reference in a schema that stands alone: what is no component has a name of the words that lead there.
  own(reference) {
    if (reference.startsWith(IN_COMPONENTS)) return `#/$defs/${reference.slice(IN_COMPONENTS.length)}`;
    const steps = stepsOf(reference);
    const key = JSON.stringify(steps);
    if (!this.names.has(key)) {
      const name = distinct(wordsOf(steps.slice(steps[0] === "components" ? 1 : 0).join("_")) || "schema", this.taken);
      this.names.set(key, name);
      this.sources.set(name, reference);
    }
    return `#/$defs/${this.names.get(key)}`;
  }

  definition(name) {
    if (!this.ready.has(name)) {
      const [place, found] = holds(this.known, name) ? [["components", "schemas", name], this.known[name]]
        : placeIn(this.data, this.sources.get(name));
      this.use(place);
      const [made, below] = this.written(found, [], [[[], place]]);
      this.ready.set(name, [made, below, JSON.stringify(made).length, place]);
    }
    return this.ready.get(name);
  }

  // A schema with the definitions that it needs.
  whole(schema, at, ways) {
    const needed = Object.create(null);
    const [made, waiting] = this.written(schema, at, ways);
    while (waiting.length) {
      const name = waiting.pop();
      if (holds(needed, name)) continue;
      const [definition, below, size, place] = this.definition(name);
      needed[name] = definition;
      ways.push([[...at, "$defs", name], place]);
      this.size += size;
      if (this.size > MOST_IN_ALL) throw new RangeError("too large");
      waiting.push(...below);
    }
    if ("required" in made && (!made.required || (typeof made.required === "object" && isEmpty(made.required)))) delete made.required;
    if (!isEmpty(needed)) made.$defs = { ...objectOr(made.$defs), ...needed };
    return made;
  }

  // A schema in 2020-12, and the names of the definitions that it needs.
  written(schema, at, ways) {
    const nodes = [...schemasIn(schema)];
    const own = at.length || (isObject(schema) && typeof schema.$id === "string") ? objectOr(schema.$defs) : {};
    const named = new Set();
    for (const [node] of nodes) {
      for (const word of ["$anchor", "$dynamicAnchor"]) if (word in node) named.add(`#${node[word]}`);
      if (typeof node.$id === "string") named.add(node.$id);
    }
    const stays = (reference) => reference.startsWith("#/$defs/") ? holds(own, definedBy(reference))
      : named.has(reference) || /^https?:\/\/json-schema\.org\/draft[/-]/.test(reference);
    const needed = new Set();
    const led = new Map();
    for (const [{ $ref }, inside] of nodes) {
      if (typeof $ref !== "string") continue;
      led.set($ref, $ref);
      if (stays($ref)) continue;
      const found = $ref.startsWith("#/") && placeIn(this.data, $ref);
      led.set($ref, found ? this.own($ref) : "");
      if (found) needed.add(definedBy(led.get($ref)));
      else this.notes.lose(...new Places(...ways).of(...at, ...inside, "$ref"));
    }
    return [redirected(schema, (reference) => led.get(reference), this.old), [...needed]];
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
    else for (const [name, component] of Object.entries(each)) described.loseUnused(component, "components", kind, name);
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
  const name = usable ? operationId : distinct(wordsOf(`${method} ${path}`), names);
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
const wordsOf = (text) => text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");

// A name that is not taken: the words, with a number if need be. It is taken from now on.
function distinct(words, taken) {
  let name = words;
  while (taken.has(name)) {
    taken.set(words, taken.get(words) + 1);
    name = `${words}_${taken.get(words)}`;
  }
  taken.set(name, 1);
  return name;
}
