// Walks through schemas and value together, and says of each fault where it is and whose clause it breaks.
"use strict";

function* faults(schema, value, spot, data) {
  if (schema === true) return;
  if (schema === false) {
    yield fault("other", value, spot, { id: "other", values: { keyword: "false" } });
    return;
  }
  if ("$ref" in schema) yield* faults(...referred(schema.$ref, spot, data, value));
  for (const [keyword, wanted] of Object.entries(schema)) {
    const there = down(spot, keyword);
    if (Object.hasOwn(KEYWORDS, keyword)) {
      for (const found of KEYWORDS[keyword](wanted, value, schema, spot)) yield fault(keyword, value, there, { ...found, only: onlyValue(keyword, wanted, value) });
    } else if (Object.hasOwn(APPLIED, keyword)) {
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
      if (holds(value, name)) yield* faults(schema, value[name], down(spot, name, name), data);
    }
  },
  *additionalProperties(wanted, value, spot, data, schema) {
    if (!isObject(value)) return;
    const extra = Object.keys(value).filter((name) => !holds(schema.properties ?? {}, name));
    if (wanted === false) {
      const names = [...extra.slice(0, 5).map((name) => shown(name, 40)), ...(extra.length > 5 ? ["…"] : [])].join(", ");
      if (extra.length) yield fault("additionalProperties", value, spot, { values: { names, count: extra.length } });
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
  *oneOf(wanted, value, spot, data) {
    if (wanted.filter((each, i) => passes(each, value, down(spot, i), data)).length !== 1) {
      yield fault("oneOf", value, spot, { id: "other", values: { keyword: "oneOf" } });
    }
  },
  *not(wanted, value, spot, data) {
    if (!passes(wanted, value, spot, data)) return;
    const only = Object.keys(wanted).join() === "required";
    const other = spot.parent.barring;
    yield fault("not", value, spot, only ? { id: other ? "not.with" : "not.required", values: { names: wanted.required.map((n) => "`" + n + "`").join(", "), other } } : {});
  },
  *if(wanted, value, spot, data, schema) {
    const branch = passes(wanted, value, spot, data) ? "then" : "else";
    // One of two members is needed: `then` asks for one if the other is `not` there, or `else` does.
    const { required, ...more } = (branch === "then" ? !wanted.properties && wanted.not : wanted) || {};
    const other = !Object.keys(more)[0] && !required?.[1] && required?.[0];
    // The one member that `if` speaks of bars what is `not` allowed in a branch.
    const decides = (wanted.not || wanted).required ?? [];
    const barring = !decides[1] && decides[0];
    if (branch in schema) yield* faults(schema[branch], value, { ...down(up(spot), branch), other, barring, decides }, data);
  },
};

// A spot: one step further, in the schemas (`step`), in the document (`member`), or along a `$ref`
// (`steps`). It is only taken apart where a fault is found.
const down = (spot, step, member) => ({ parent: spot, file: spot.file, quiet: spot.quiet, step, member });
const inside = (spot, member) => ({ parent: spot, file: spot.file, quiet: spot.quiet, member });
const up = (spot) => spot.parent;
const memberOf = (spot) => (spot && (spot.member ?? memberOf(spot.parent)));

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
  const id = found.whole || `documents.keyword.${(found.id || keyword).toLowerCase()}`;
  return { keyword, ...apart(spot), missing: found.missing, only: found.only, id, values: { value: shown(value), ...found.values } };
}

const ownedBy = (file) => file.split("/")[0];

// The clause that owns a fault: the nearest on the way up that is of the document's own
// specification, else the nearest.
function clauseOf(found, row, data) {
  const claims = [];
  const claim = (file, steps) => {
    const owner = data.owners[file]?.[pointerOf(steps)];
    if (owner) claims.push({ spec: ownedBy(file), owner });
  };
  const last = found.trail[found.trail.length - 1];
  if (!last) return null;
  if (found.missing !== undefined) claim(last.file, [...last.steps.slice(0, -1), "properties", found.missing]);
  for (const { file, from, steps } of [...found.trail].reverse()) {
    for (let length = steps.length; length >= from; length -= 1) claim(file, steps.slice(0, length));
  }
  const own = claims.find((each) => each.spec === row.spec) || claims[0];
  return own ? own.owner : null;
}

// A clause may have words of its own for a keyword.
function owned(found, row, data) {
  const clause = found.clause ?? clauseOf(found, row, data);
  const id = `documents.of.${clause}.${found.keyword}`.toLowerCase();
  return { ...found, clause, ...(id in data.messages && { id }) };
}

// A document of very many faults is judged by the first of them: `more` says that there are others.
const MOST_FAULTS = 1000;

// A tool of MCP carries under a key of `_meta` what MCP has no field for: it is read next to the rest, and what is wrong
// there is told at its place.
function carriedIn(value, row, data) {
  const carrying = new Map();
  const lifted = (tool, at) => {
    const meta = isObject(tool) && isObject(tool._meta) ? tool._meta : {};
    const key = data.terms.meta_keys.find((name) => name in meta);
    if (key === undefined) return tool;
    carrying.set(pointerOf(at), { key, held: meta[key] });
    if (!isObject(meta[key])) return tool;
    const { _meta, ...others } = tool;
    return { ...others, ...meta[key] };
  };
  if (row.document === "tool") return { whole: lifted(value, []), depth: 0, carrying };
  if (row.document !== "catalog" || !isObject(value) || !Array.isArray(value.tools)) return { whole: value, depth: 0, carrying };
  return { whole: { ...value, tools: value.tools.map((each, n) => lifted(each, ["tools", n])) }, depth: 2, carrying };
}

function* faultsOf(value, row, spot, data) {
  const { whole, depth, carrying } = carriedIn(value, row, data);
  const told = function* () {
    yield* faults(data.schemas[spot.file], whole, spot, data);
    yield* toolFaults(whole, row, data);
  };
  for (const each of told()) {
    const { key, held } = carrying.get(pointerOf(each.at.slice(0, depth))) ?? {};
    const moved = isObject(held) && each.at.length > depth && each.at[depth] in held;
    yield moved ? { ...each, at: [...each.at.slice(0, depth), "_meta", key, ...each.at.slice(depth)] } : each;
  }
  for (const [pointer, { key, held }] of carrying) {
    const at = depth ? ["tools", Number(pointer.split("/").at(-1))] : [];
    const said = { whole: "documents.meta.no_object", values: {} };
    if (!isObject(held)) yield { ...fault("type", held, spot, said), at: [...at, "_meta", key], trail: [] };
  }
  yield* heldFaults(value, row, data);
}

function validate(value, row, data) {
  const held = row.document === "retry-policy" ? policyIn(value, data) : undefined;
  if (held) {
    const { wrong, more } = validate(held.policy, row, data);
    return { wrong: wrong.map((each) => ({ ...each, at: [...held.at, ...each.at] })), more };
  }
  const file = `${row.spec}/${row.version}/${row.document}.schema.json`;
  const spot = { parent: null, file, steps: [] };
  const found = [];
  let more = false;
  for (const each of faultsOf(value, row, spot, data)) {
    more = found.length === MOST_FAULTS;
    if (more) break;
    found.push(each);
  }
  const placesOf = (keyword) => new Set(found.filter((each) => each.keyword === keyword).map((each) => pointerOf(each.at)));
  // A pattern beside a format says the same once more. What has another type is not also forbidden.
  const echoes = { pattern: placesOf("format"), not: placesOf("type") };
  const wrong = found
    .filter((each) => !echoes[each.keyword]?.has(pointerOf(each.at)))
    .map((each) => owned(each, row, data));
  return { wrong, more };
}
