/* exported openapiFaults */
// What is wrong with all that tools are made of in an OpenAPI description, as
// conformance/formats/catalog/openapi_problems.py finds it.
"use strict";

const WHERE = ["path", "query", "header", "cookie"];
const NAMED = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas", "responses", "parameters",
  "requestBodies", "headers", "links", "callbacks", "pathItems", "paths", "content", "encoding", "webhooks", "securitySchemes", "mediaTypes"];
const NO_SCHEMA = ["default", "enum", "const", "example", "examples", "value"];

const isReference = (value) => isObject(value) && typeof value.$ref === "string";
const lacks = (at, member) => ({ at, id: "documents.openapi.missing", values: { member }, missing: member, clause: null });

// The objects in a list, or among the members of an object, that are there themselves.
function* objectsIn(node, at) {
  const listed = Array.isArray(node) ? node.entries() : isObject(node) ? Object.entries(node) : [];
  for (const [step, each] of listed) if (isObject(each) && !isReference(each)) yield [[...at, step], each];
}

function* operationsIn(data) {
  for (const [at, item] of objectsIn(data.paths, ["paths"])) {
    for (const method of METHODS) if (isObject(item[method])) yield [[...at, method], item, item[method]];
  }
}

// The parameters, bodies or answers of all operations, and those of the components.
function* partsIn(data, member) {
  if (member === "parameters") for (const [at, item] of objectsIn(data.paths, ["paths"])) yield* objectsIn(item[member], [...at, member]);
  for (const [place, , operation] of operationsIn(data)) {
    const [held, at] = [operation[member], [...place, member]];
    if (member !== "requestBody") yield* objectsIn(held, at);
    else if (isObject(held) && !isReference(held)) yield [at, held];
  }
  const name = member === "requestBody" ? "requestBodies" : member;
  yield* objectsIn(objectOr(data.components)[name], ["components", name]);
}

function* schemasOf(data) {
  for (const member of ["parameters", "requestBody", "responses"]) {
    for (const [at, holder] of partsIn(data, member)) {
      if ("schema" in holder) yield [[...at, "schema"], holder.schema];
      for (const [place, media] of objectsIn(holder.content, [...at, "content"])) if ("schema" in media) yield [[...place, "schema"], media.schema];
    }
  }
  for (const [name, schema] of Object.entries(objectOr(objectOr(data.components).schemas))) yield [["components", "schemas", name], schema];
}

// Each part of a description that has fixed fields, with their names.
function* fixedParts(described, { fields }) {
  const known = (part) => new Set(fields[part]);
  yield [[], described, known("document")];
  for (const [at, item] of objectsIn(described.paths, ["paths"])) if (at[1].startsWith("/")) yield [at, item, known("path")];
  for (const [at, , operation] of operationsIn(described)) yield [at, operation, known("operation")];
  for (const member of ["parameters", "requestBody", "responses"]) {
    for (const [at, part] of partsIn(described, member)) {
      yield [at, part, known(member)];
      for (const [place, media] of objectsIn(part.content, [...at, "content"])) yield [place, media, known("content")];
    }
  }
}

// What a reference leads to; undefined where that is nothing in the document.
function ledTo(data, reference) {
  if (!reference.startsWith("#/")) return reference;
  const found = placeIn(data, reference)?.[1];
  return found === null ? true : found;
}

function* danglingIn(data) {
  const waiting = [[[], data, false]];
  while (waiting.length) {
    const [at, node, named] = waiting.pop();
    if (Array.isArray(node)) waiting.push(...node.map((each, index) => [[...at, index], each, false]).reverse());
    if (!isObject(node) || (at.length && !named && typeof node.$id === "string")) continue;
    if (!named && isReference(node) && ledTo(data, node.$ref) === undefined) {
      yield { at: [...at, "$ref"], id: "documents.openapi.reference", values: { reference: shown(node.$ref) }, clause: "HTTP-OAS-001" };
    }
    const below = Object.entries(node).filter(([name]) => named || !(NO_SCHEMA.includes(name) || name.startsWith("x-")));
    waiting.push(...below.map(([name, each]) => [[...at, name], each, !named && NAMED.includes(name)]).reverse());
  }
}

function* operationFaults(data) {
  const taken = new Set();
  for (const [at, item, operation] of operationsIn(data)) {
    const { operationId: name } = operation;
    if (taken.has(name)) yield { at: [...at, "operationId"], id: "documents.openapi.operation_twice", values: { name: shown(name) }, clause: null };
    if (typeof name === "string") taken.add(name);
    if (data.openapi.startsWith("3.0") && !("responses" in operation)) yield lacks(at, "responses");
    const listed = [item.parameters, operation.parameters].flatMap((each) => (Array.isArray(each) ? each : []))
      .map((each) => (isReference(each) ? ledTo(data, each.$ref) : each));
    if (!listed.every((each) => isObject(each) && !("$ref" in each))) continue; // it may be the one that is missing
    const known = listed.filter((each) => each.in === "path").map((each) => each.name);
    for (const part of at[1].split("{").slice(1)) {
      const [asked] = part.split("}");
      if (!known.includes(asked)) yield { at, id: "documents.openapi.path_parameter", values: { name: shown(asked) }, clause: null };
    }
  }
}

function* parameterFaults(at, parameter, newest) {
  for (const name of ["name", "in"]) if (!(name in parameter)) yield lacks(at, name);
  if (!("schema" in parameter || "content" in parameter)) yield lacks(at, "schema");
  const allowed = newest ? [...WHERE, "querystring"] : WHERE;
  if ("in" in parameter && !allowed.includes(parameter.in)) {
    const values = { value: shown(parameter.in), allowed: allowed.map((each) => shown(each)).join(", ") };
    yield { at: [...at, "in"], id: "documents.keyword.enum", values, clause: null };
  }
  if (parameter.in === "path" && parameter.required !== true) yield lacks(at, "required: true");
}

function* openapiFaults(described, data) {
  const [old, newest] = ["3.0", "3.2"].map((each) => described.openapi.startsWith(each));
  const noPaths = !old && ("components" in described || "webhooks" in described);
  for (const [holder, at, wanted] of [[described, [], ["info", "paths"]], [objectOr(described.info), ["info"], ["title", "version"]]]) {
    for (const name of wanted) if (!(name in holder) && !(name === "paths" && noPaths)) yield { ...lacks(at, name), clause: "HTTP-OAS-001" };
  }
  yield* danglingIn(described);
  yield* operationFaults(described);
  for (const [at, each] of partsIn(described, "parameters")) yield* parameterFaults(at, each, newest);
  for (const [at, each] of partsIn(described, "requestBody")) if (!("content" in each)) yield lacks(at, "content");
  if (!newest) for (const [at, each] of partsIn(described, "responses")) if (!("description" in each)) yield lacks(at, "description");
  for (const [at, schema] of schemasOf(described)) {
    if (typeof schema === "boolean" && !old) continue;
    if (!isObject(schema)) {
      yield { at, id: "documents.keyword.type", values: { expected: "object", value: shown(schema) }, clause: "HTTP-OAS-002" };
      continue;
    }
    for (const each of schemaFaults(old ? redirected(schema, String, true) : schema, at, data)) {
      if (each.clause !== "ATDF-TOOL-005") yield { ...each, at: there(described, each.at), clause: "HTTP-OAS-002" };
    }
  }
}

// The part of a place that the document has: a schema of 3.0 is written otherwise today.
function there(value, at) {
  for (const [count, step] of at.entries()) {
    if (value === null || typeof value !== "object" || !holds(value, step)) return at.slice(0, count);
    value = value[step];
  }
  return at;
}
