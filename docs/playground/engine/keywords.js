// The keywords of JSON Schema that look at one value alone.
"use strict";

const TYPES = {
  string: (v) => typeof v === "string",
  integer: (v) => Number.isInteger(v),
  number: (v) => typeof v === "number",
  boolean: (v) => typeof v === "boolean",
  array: Array.isArray,
  object: isObject,
  null: (v) => v === null,
};

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

const OF_FORMATS = { date: "2030-01-02", "date-time": "2030-01-02T10:00:00Z", email: "name@example.com", uri: "https://example.com/name",
  "uri-reference": "/name" };

// A text of white space alone, by Unicode's property White_Space, does not match it.
const SAYS_SOMETHING = "[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

const regexes = new Map();
function regex(pattern) {
  if (!regexes.has(pattern)) regexes.set(pattern, new RegExp(pattern, "u"));
  return regexes.get(pattern);
}

// The members whose values decide that a rule applies: each `if` above it asks for them.
const deciding = (spot) => (!spot || spot.steps ? [] : [...deciding(spot.parent), ...(spot.decides ?? [])]);

function ofOthers(keyword, limit, spot) {
  const others = spot.file === TOOL_SCHEMA ? [] : deciding(spot);
  return others[0] && { id: `${keyword}.with`, values: { limit: shown(limit), others: others.map((n) => "`" + n + "`").join(", ") } };
}

// Each function yields the values of the sentence for one fault; `fault.rest` stands for none.
const KEYWORDS = {
  *required(wanted, value, schema, spot) {
    if (!isObject(value)) return;
    for (const name of wanted.filter((each) => !(each in value))) {
      const known = schema.properties?.[name]?.enum;
      const allowed = known?.map((each) => shown(each, 40)).join(", ");
      const other = !wanted[1] && spot.other;
      const id = other ? "required.either" : known ? "required.one" : "required";
      yield { id, values: { name, other, ...(known && { allowed }) }, missing: name };
    }
  },
  *dependencies(wanted, value) {
    if (isObject(value)) for (const [name, needed] of Object.entries(wanted)) if (name in value && !needed.every((each) => each in value)) yield {};
  },
  *type(wanted, value) {
    const kinds = Array.isArray(wanted) ? wanted : [wanted];
    if (kinds.some((kind) => TYPES[kind](value))) return;
    const bare = typeof value === "number" || typeof value === "boolean";
    const quotes = bare && kinds.includes("string") && kinds.every((kind) => kind === "string" || kind === "null");
    yield { id: quotes ? "type.quotes" : "type", values: { expected: kinds.join(" | ") } };
  },
  *enum(wanted, value) {
    if (!wanted.some((each) => equal(each, value))) yield { values: { allowed: wanted.map((each) => shown(each, 40)).join(", ") } };
  },
  *const(wanted, value, schema, spot) {
    if (!equal(wanted, value)) yield ofOthers("const", wanted, spot) ?? { values: { expected: shown(wanted) } };
  },
  *pattern(wanted, value, schema, spot) {
    if (typeof value !== "string") return;
    if (spot.file === TOOL_SCHEMA && isCostly(wanted, value)) throw new RangeError("costly");
    if (regex(wanted).test(value)) return;
    if (wanted === SAYS_SOMETHING) yield { id: value ? "blank" : "empty" };
    else if (memberOf(spot) === "schema_version") yield { whole: "documents.resource.version", values: { version: shown(value) } };
    else yield spot.step === "propertyNames" && spot.member === undefined ? { id: "pattern.name" } : {};
  },
  *format(wanted, value) {
    if (typeof value === "string" && Object.hasOwn(FORMATS, wanted) && !FORMATS[wanted](value)) {
      yield { id: wanted === "date-time" && FORMATS[wanted](value + "Z") ? "format.offset" : "format.like",
        values: { format: wanted, like: shown(OF_FORMATS[wanted]) } };
    }
  },
  *minLength(wanted, value) {
    if (typeof value === "string" && [...value].length < wanted) yield wanted === 1 ? { id: "empty" } : { values: { limit: wanted } };
  },
  *maxLength(wanted, value) {
    if (typeof value === "string" && [...value].length > wanted) yield { values: { limit: wanted } };
  },
  *minItems(wanted, value) {
    if (Array.isArray(value) && value.length < wanted) yield { values: { limit: wanted } };
  },
  *maxItems(wanted, value) {
    if (Array.isArray(value) && value.length > wanted) yield { values: { limit: wanted } };
  },
  *minimum(wanted, value, schema, spot) {
    if (typeof value === "number" && value < wanted) yield ofOthers("minimum", wanted, spot) ?? { values: { limit: wanted } };
  },
  *exclusiveMinimum(wanted, value) {
    if (typeof value === "number" && value <= wanted) yield { values: { limit: wanted } };
  },
  *maximum(wanted, value) {
    if (typeof value === "number" && value > wanted) yield { values: { limit: wanted } };
  },
  *exclusiveMaximum(wanted, value) {
    if (typeof value === "number" && value >= wanted) yield { values: { limit: wanted } };
  },
  *multipleOf(wanted, value) {
    if (typeof value === "number" && Math.abs(value / wanted - Math.round(value / wanted)) > 1e-9) yield { values: { limit: wanted } };
  },
  *minProperties(wanted, value) {
    if (isObject(value) && Object.keys(value).length < wanted) yield { values: { limit: wanted } };
  },
  *uniqueItems(wanted, value) {
    if (wanted && Array.isArray(value) && new Set(value.map(canonical)).size < value.length) yield {};
  },
};
