// Reads, recognises and validates a document, with nothing but the data that the build made of the
// source: the table of documents, the schemas, the owners of clauses and the sentences. No network,
// no page: a worker runs it, and so do the tests.
/* exported examine */
"use strict";

const DEEPEST = 256;
const SHOWN = 80;
const SHOWN_NAME = 200;

class Unreadable extends Error {
  constructor(id, values, at) {
    super(id);
    this.id = id;
    this.values = values;
    this.at = at;
  }
}

// JSON with the place of every value: `places` maps a JSON pointer to where the value begins.
function readJson(text) {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const places = new Map();
  const twice = [];
  const space = /[ \t\n\r]*/y;
  const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  // eslint-disable-next-line no-control-regex
  const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
  const skip = () => {
    space.lastIndex = at;
    space.exec(text);
    at = space.lastIndex;
  };
  const fail = () => {
    throw new Unreadable("site.playground.not_json", {}, at);
  };
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) fail();
    at = pattern.lastIndex;
    return found[0];
  };
  const members = (pointer, depth) => {
    const made = Object.create(null);
    at += 1;
    skip();
    if (text[at] === "}") return (at += 1), made;
    for (;;) {
      skip();
      const start = at;
      const name = JSON.parse(take(string));
      skip();
      if (text[at] !== ":") fail();
      at += 1;
      if (name in made) twice.push({ name, start, pointer });
      made[name] = value(pointer + "/" + escapeStep(name), depth + 1, start);
      skip();
      if (text[at] === "}") return (at += 1), made;
      if (text[at] !== ",") fail();
      at += 1;
    }
  };
  const items = (pointer, depth) => {
    const made = [];
    at += 1;
    skip();
    if (text[at] === "]") return (at += 1), made;
    for (;;) {
      made.push(value(pointer + "/" + made.length, depth + 1));
      skip();
      if (text[at] === "]") return (at += 1), made;
      if (text[at] !== ",") fail();
      at += 1;
    }
  };
  const value = (pointer, depth, start) => {
    skip();
    if (depth > DEEPEST) throw new Unreadable("documents.too_deep", { limit: DEEPEST }, at);
    places.set(pointer, start === undefined ? at : start);
    const sign = text[at];
    if (sign === "{") return members(pointer, depth);
    if (sign === "[") return items(pointer, depth);
    if (sign === '"') return JSON.parse(take(string));
    for (const [word, meant] of [["true", true], ["false", false], ["null", null]]) {
      if (text.startsWith(word, at)) return (at += word.length), meant;
    }
    return Number(take(number));
  };
  const data = value("", 1);
  skip();
  if (at < text.length) fail();
  return { data, places, twice };
}

const escapeStep = (step) => String(step).replace(/~/g, "~0").replace(/\//g, "~1");
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

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

const TYPES = {
  string: (v) => typeof v === "string",
  integer: (v) => Number.isInteger(v),
  number: (v) => typeof v === "number",
  boolean: (v) => typeof v === "boolean",
  array: Array.isArray,
  object: isObject,
  null: (v) => v === null,
};

function equal(one, other) {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((each, i) => equal(each, other[i]));
  }
  if (isObject(one)) {
    const names = Object.keys(one);
    return isObject(other) && names.length === Object.keys(other).length &&
      names.every((name) => name in other && equal(one[name], other[name]));
  }
  return one === other;
}

function aDay(text) {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

// The exact form of a format stands in the `pattern` beside it; here is what a pattern cannot say.
const FORMATS = {
  date: aDay,
  "date-time": (text) => {
    const found = /^(.{10})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.exec(text);
    return found !== null && aDay(found[1]);
  },
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text),
  uri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[^\s"<>\\^`{|}]*$/.test(text),
  "uri-reference": (text) => /^[^\s"<>\\^`{|}]*$/.test(text),
};

const regexes = new Map();
function regex(pattern) {
  if (!regexes.has(pattern)) regexes.set(pattern, new RegExp(pattern, "u"));
  return regexes.get(pattern);
}

// Each function yields the values of the sentence for one fault; `fault.rest` stands for none.
const KEYWORDS = {
  *required(wanted, value) {
    if (isObject(value)) for (const name of wanted) if (!(name in value)) yield { id: "required", values: { name }, missing: name };
  },
  *type(wanted, value) {
    const kinds = Array.isArray(wanted) ? wanted : [wanted];
    if (!kinds.some((kind) => TYPES[kind](value))) yield { values: { expected: kinds.join(" | ") } };
  },
  *enum(wanted, value) {
    if (!wanted.some((each) => equal(each, value))) yield { values: { allowed: wanted.map((each) => shown(each, 40)).join(", ") } };
  },
  *const(wanted, value) {
    if (!equal(wanted, value)) yield { values: { expected: shown(wanted) } };
  },
  *pattern(wanted, value) {
    if (typeof value === "string" && !regex(wanted).test(value)) yield {};
  },
  *format(wanted, value) {
    if (typeof value === "string" && !FORMATS[wanted](value)) yield { values: { format: wanted } };
  },
  *minLength(wanted, value) {
    if (typeof value === "string" && [...value].length < wanted) yield wanted === 1 ? { id: "empty" } : { values: { limit: wanted } };
  },
  *minItems(wanted, value) {
    if (Array.isArray(value) && value.length < wanted) yield { values: { limit: wanted } };
  },
  *maxItems(wanted, value) {
    if (Array.isArray(value) && value.length > wanted) yield { values: { limit: wanted } };
  },
  *minimum(wanted, value) {
    if (typeof value === "number" && value < wanted) yield { values: { limit: wanted } };
  },
  *maximum(wanted, value) {
    if (typeof value === "number" && value > wanted) yield { values: { limit: wanted } };
  },
  *uniqueItems(wanted, value) {
    if (wanted && Array.isArray(value) && value.some((each, i) => value.slice(0, i).some((other) => equal(each, other)))) yield {};
  },
};

function* faults(schema, value, spot, data) {
  if (schema === true) return;
  if (schema === false) {
    yield fault("other", value, spot, { id: "other", values: { keyword: "false" } });
    return;
  }
  if ("$ref" in schema) yield* faults(...referred(schema.$ref, spot, data, value));
  for (const [keyword, wanted] of Object.entries(schema)) {
    const there = down(spot, keyword);
    if (keyword in KEYWORDS) {
      for (const found of KEYWORDS[keyword](wanted, value)) yield fault(keyword, value, there, found);
    } else if (keyword in APPLIED) {
      yield* APPLIED[keyword](wanted, value, there, data, schema);
    }
  }
}

// Whether there is no fault; nobody asks where one would be.
const passes = (schema, value, spot, data) =>
  faults(schema, value, { ...spot, quiet: true }, data).next().done;

const APPLIED = {
  *properties(wanted, value, spot, data) {
    if (!isObject(value)) return;
    for (const [name, schema] of Object.entries(wanted)) {
      if (name in value) yield* faults(schema, value[name], down(spot, name, name), data);
    }
  },
  *additionalProperties(wanted, value, spot, data, schema) {
    if (!isObject(value)) return;
    const extra = Object.keys(value).filter((name) => !(name in (schema.properties || {})));
    if (wanted === false) {
      const names = extra.slice(0, 5).map((name) => shown(name, 40)).join(", ");
      if (extra.length) yield fault("additionalProperties", value, spot, { values: { names } });
    } else {
      for (const name of extra) yield* faults(wanted, value[name], inside(spot, name), data);
    }
  },
  *propertyNames(wanted, value, spot, data) {
    if (isObject(value)) for (const name of Object.keys(value)) yield* faults(wanted, name, spot, data);
  },
  *items(wanted, value, spot, data) {
    if (Array.isArray(value)) for (let i = 0; i < value.length; i += 1) yield* faults(wanted, value[i], inside(spot, i), data);
  },
  *allOf(wanted, value, spot, data) {
    for (let i = 0; i < wanted.length; i += 1) yield* faults(wanted[i], value, down(spot, i), data);
  },
  *anyOf(wanted, value, spot, data) {
    if (!wanted.some((each, i) => passes(each, value, down(spot, i), data))) {
      yield fault("anyOf", value, spot, { id: "other", values: { keyword: "anyOf" } });
    }
  },
  *not(wanted, value, spot, data) {
    if (!passes(wanted, value, spot, data)) return;
    const only = Object.keys(wanted).join() === "required";
    yield fault("not", value, spot, only ? { id: "not.required", values: { names: wanted.required.map((n) => "`" + n + "`").join(", ") } } : {});
  },
  *if(wanted, value, spot, data, schema) {
    const branch = passes(wanted, value, spot, data) ? "then" : "else";
    if (branch in schema) yield* faults(schema[branch], value, down(up(spot), branch), data);
  },
};

// A spot: one step further, in the schemas (`step`), in the document (`member`), or along a `$ref`
// (`steps`). It is only taken apart where a fault is found.
const down = (spot, step, member) => ({ parent: spot, file: spot.file, quiet: spot.quiet, step, member });
const inside = (spot, member) => ({ parent: spot, file: spot.file, quiet: spot.quiet, member });
const up = (spot) => spot.parent;

function apart(spot) {
  const chain = [];
  for (let each = spot; each; each = each.parent) chain.push(each);
  const at = [];
  const trail = [];
  for (const { file, steps, step, member } of chain.reverse()) {
    if (steps) trail.push({ file, from: steps.length, steps: [...steps] });
    if (step !== undefined) trail[trail.length - 1].steps.push(step);
    if (member !== undefined) at.push(member);
  }
  return { at, trail };
}

function referred(reference, spot, data, value) {
  const [name, fragment = ""] = reference.split("#");
  const file = name ? resolve(spot.file, name) : spot.file;
  const steps = fragment.split("/").slice(1).map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
  let node = data.schemas[file];
  for (const step of steps) node = node[step];
  return [node, value, { parent: spot, file, quiet: spot.quiet, steps }, data];
}

function resolve(base, name) {
  const parts = base.split("/").slice(0, -1);
  for (const part of name.split("/")) part === ".." ? parts.pop() : parts.push(part);
  return parts.join("/");
}

function fault(keyword, value, spot, found) {
  if (spot.quiet) return null;
  const id = `documents.keyword.${(found.id || keyword).toLowerCase()}`;
  return { keyword, ...apart(spot), missing: found.missing, id, values: { value: shown(value), ...found.values } };
}

const ownedBy = (file) => file.split("/")[0];

// The clause that owns a fault: the nearest on the way up that is of the document's own
// specification, else the nearest.
function clauseOf(found, row, data) {
  const claims = [];
  const claim = (file, steps) => {
    const owner = data.owners[`${file}#${steps.map((step) => "/" + escapeStep(step)).join("")}`];
    if (owner) claims.push({ spec: ownedBy(file), owner });
  };
  const last = found.trail[found.trail.length - 1];
  if (found.missing !== undefined) claim(last.file, [...last.steps.slice(0, -1), "properties", found.missing]);
  for (const { file, from, steps } of [...found.trail].reverse()) {
    for (let length = steps.length; length >= from; length -= 1) claim(file, steps.slice(0, length));
  }
  const own = claims.find((each) => each.spec === row.spec) || claims[0];
  return own ? own.owner : null;
}

function validate(value, row, data) {
  const file = `${row.spec}/${row.version}/${row.document}.schema.json`;
  const spot = { parent: null, file, steps: [] };
  const found = [...faults(data.schemas[file], value, spot, data)];
  const places = new Set(found.filter((each) => each.keyword === "format").map((each) => pointerOf(each.at)));
  return found
    .filter((each) => each.keyword !== "pattern" || !places.has(pointerOf(each.at)))
    .map((each) => ({ ...each, clause: clauseOf(each, row, data) }));
}

const pointerOf = (at) => at.map((step) => "/" + escapeStep(step)).join("");

function pathOf(at) {
  return at.reduce((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    return /^[A-Za-z_$][A-Za-z0-9_$-]{0,199}$/.test(step) ? `${path}.${step}` : `${path}[${shown(step, SHOWN_NAME)}]`;
  }, "$");
}

// A value as JSON text that is safe to show, cut where it is long.
function shown(value, limit = SHOWN) {
  const text = written(value, limit + 1);
  const cut = text.length <= limit || (typeof value === "string" && value.length <= limit) ? text :
    text.slice(0, limit) + (typeof value === "string" ? '…"' : "…");
  // eslint-disable-next-line no-control-regex
  return cut.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"));
}

function written(value, room) {
  if (typeof value === "string") return JSON.stringify(value.slice(0, room));
  if (!Array.isArray(value) && !isObject(value)) return JSON.stringify(value);
  const list = Array.isArray(value);
  const parts = [];
  let length = 2;
  for (const [name, each] of Object.entries(value)) {
    if (length > room) break;
    const part = (list ? "" : JSON.stringify(name.slice(0, room)) + ": ") + written(each, room);
    length += part.length + 2;
    parts.push(part);
  }
  return (list ? "[" : "{") + parts.join(", ") + (list ? "]" : "}");
}

const words = (data, id, values) =>
  data.messages[id].replace(/\{([a-z]\w*)(?:\|([^{}|]*)\|([^{}|]*))?\}|\{\{|\}\}/g, (all, name, one, other) => {
    if (name === undefined) return all[0];
    if (!(name in values)) return all;
    const value = String(values[name]);
    return one === undefined ? value : (value === "1" ? one : other).replaceAll("#", value);
  });

function lineOf(text, at) {
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < at; i = text.indexOf("\n", i + 1)) line += 1;
  return line;
}

// All that is found in a text: what it was recognised as, and each problem with its line.
function examine(text, data) {
  let read;
  try {
    read = readJson(text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const problem = { line: lineOf(text, error.at), path: "$", pointer: "", keyword: "json", clause: null, words: words(data, error.id, error.values) };
    return { row: null, problems: [problem] };
  }
  const lined = (pointer) => lineOf(text, read.places.get(pointer) || 0);
  const strange = read.twice.map(({ name, start, pointer }) => ({
    line: lineOf(text, start), path: pathOf([name]).replace("$.", "$…"), pointer, keyword: "duplicate", clause: null,
    words: words(data, "site.playground.twice", { name: shown(name, 40) }),
  }));
  const known = recognise(read.data, data);
  if (!known.row) {
    const problem = { line: 1, path: "$", pointer: "", keyword: "document", clause: null, words: words(data, known.id, known.values) };
    return { row: null, problems: [...strange, problem] };
  }
  const found = validate(read.data, known.row, data).map((each) => ({
    line: lined(pointerOf(each.at)), path: pathOf(each.at), pointer: pointerOf(each.at), keyword: each.keyword,
    clause: each.clause, words: words(data, each.id, each.values),
  }));
  const { spec, document, version } = known.row;
  return { row: { spec, document, version }, problems: [...strange, ...found].sort((a, b) => a.line - b.line) };
}
