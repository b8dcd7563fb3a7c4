// The schemas in a schema, what a pointer leads to, and a schema of OpenAPI 3.0 in the words of 2020-12.
"use strict";

const WITH_ONE = ["items", "contains", "unevaluatedItems", "additionalItems", "additionalProperties", "propertyNames",
  "unevaluatedProperties", "not", "if", "then", "else", "contentSchema"];
const WITH_LIST = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const WITH_NAMES = ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];

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

const stepsOf = (reference) => decoded(reference).split("/").slice(1).map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));

function decoded(reference) {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

// Where a pointer leads to, and what is there; undefined where that is nothing.
function placeIn(value, pointer) {
  const place = [];
  for (const step of stepsOf(pointer)) {
    const index = Array.isArray(value) && /^\d{1,9}$/.test(step) ? Number(step) : step;
    if (!(Array.isArray(value) ? index !== step && index in value : isObject(value) && holds(value, index))) return undefined;
    value = value[index];
    place.push(index);
  }
  return [place, value];
}

// A schema in 2020-12, whose references lead to where `own` says; one that it makes empty is taken away.
function redirected(node, own, old) {
  if (!isObject(node)) return node;
  const made = { ...node };
  if (typeof node.$ref === "string") {
    made.$ref = own(node.$ref);
    if (!made.$ref) delete made.$ref;
    if (old) return made.$ref ? { $ref: made.$ref } : {}; // what else is there means nothing in 3.0
  }
  const inside = (each) => redirected(each, own, old);
  for (const [word, value] of Object.entries(node)) {
    if (Array.isArray(value) && WITH_LIST.includes(word)) made[word] = value.map(inside);
    else if (isObject(value) && WITH_NAMES.includes(word)) made[word] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inside(each)]));
    else if (isObject(value) && WITH_ONE.includes(word)) made[word] = inside(value);
  }
  return old ? newer(made) : made;
}

// The words of 3.0 in those of 2020-12.
function newer(made) {
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
