/* exported examineAll */
// What people paste is often a frame around documents: the answer to a request, a list, the events of
// a stream, lines of JSON. The documents inside it are examined, each at its place.
"use strict";

const MOST_DOCUMENTS = 5000;

// As `examine`, and `documents`: how many there are inside, how many were checked, how many of these are
// right, and of what kinds; `known`: what it is where it is none of the documents; `subject`: the value
// itself, out of its frame; `form`: what it can be converted from; `headed`: whether it is below headers.
function examineAll(text, data, as) {
  const start = bodyOf(text);
  if (!start) return examineBody(text, data, as);
  const above = lines(text)(start).line - 1;
  const found = examineBody(text.slice(start), data, as);
  const below = ({ fix, ...each }) => ({
    ...each, line: above + each.line, ...(fix && { fix: { ...fix, from: start + fix.from, to: start + fix.to } }),
  });
  return { ...found, problems: found.problems.map(below), hints: found.hints.map(below), framed: found.subject !== undefined, headed: true };
}

// Where the body of an answer begins that was pasted with its headers, as `curl -i` prints it; 0 where there
// are none. An answer on the way, such as a redirect, has headers of its own.
function bodyOf(text) {
  const block = /\s*(?:(?:[$%>#] )?curl (?:[^\n]*\\\r?\n)*[^\n]*\n)?HTTP\/\d[^\n]*\n(?:[^\s:{}[\]"]+:[^\n]*\n)*(?:[ \t\r]*\n|[ \t\r]*$|(?=[{[]))/y;
  let start = 0;
  while (block.test(text)) start = block.lastIndex;
  return start;
}

function examineBody(text, data, as) {
  const whole = examine(text, data, as);
  if (whole.row) return withForm(whole, whole.data);
  const inside = documentsInside(text, data.terms.error_keys);
  const examined = inside.slice(0, MOST_DOCUMENTS).map((each) => ({ ...each, found: examine(each.text, data, as) }));
  if (!examined.some(({ found }) => found.row)) {
    const values = whole.data === undefined ? [] : [whole.data];
    const known = [...values, ...examined.map(({ found }) => found.data)].map((value) => elsewhere(value, data)).find(Boolean);
    const unread = whole.problems.some((each) => each.keyword === "json");
    if (!known && unread && examined.length && examined.some(({ found }) => found.data !== undefined)) {
      return { ...whole, ...problemsOf(examined), documents: { count: inside.length, checked: examined.length, right: 0, kinds: [] } };
    }
    if (!known) {
      const right = unread ? repaired(text) : undefined;
      return { ...whole, repaired: right, ...(unread && right === undefined && noDocument(text, data)) };
    }
    const [subject] = [...values, ...examined.map(({ found }) => found.data)].filter((value) => elsewhere(value, data));
    const problems = ["provider", "schema", "openapi"].includes(known.name) && subject === whole.data ? providedProblems(text, subject, data)
      : unread ? problemsOf(examined.filter(({ found }) => found.data === undefined)).problems : [];
    const { wrong, hints } = toldOnce(problems, whole.hints, data);
    return withForm({ ...whole, problems: wrong, hints, known }, subject, subject !== whole.data);
  }
  const kinds = new Map();
  for (const { found: { row } } of examined) {
    if (row) kinds.set(`${row.spec}/${row.document}`, (kinds.get(`${row.spec}/${row.document}`) ?? 0) + 1);
  }
  const { problems, hints, more } = problemsOf(examined);
  const right = examined.filter(({ found }) => found.row && !found.problems.length).length;
  const row = examined.find(({ found }) => found.row).found.row;
  const made = { row, problems, hints, more, documents: { count: inside.length, checked: examined.length, right, kinds: [...kinds] } };
  const held = examined.map(({ found }) => found.data);
  const tools = [...kinds.keys()].every((kind) => ["atdf/tool", "atdf/descriptor", "atdf/enhanced-descriptor"].includes(kind));
  const subject = held.length === 1 ? held[0] : tools && right === inside.length ? { tools: held } : undefined;
  return subject === undefined ? made : withForm(made, subject, true, held.length > 1 ? { document: "catalog" } : row);
}

// What is told of a text that does not even begin as JSON; undefined where it does.
function noDocument(text, data) {
  const [, html, first] = /^\s*(?:(<[!a-z])|([^\s{}[\]",:0-9-][^\n]*))?/i.exec(text);
  if (!html && first === undefined) return undefined;
  const id = html ? "site.playground.html" : "site.playground.no_document";
  const problem = { line: 1, column: 1, path: "$", pointer: "", keyword: "document", clause: null, words: words(data, id, { value: shown(first ?? "", 60) }) };
  return { problems: [problem], html: Boolean(html) };
}

// The problems and the hints of all documents, each at its place in the text, and whether there are more.
function problemsOf(examined) {
  const [problems, hints] = ["problems", "hints"].map((name) => {
    const told = [];
    for (const each of examined) {
      if (told.length > MOST_FAULTS) break;
      told.push(...each.found[name].map((one) => moved(one, each)));
    }
    return told;
  });
  const more = problems.length > MOST_FAULTS || examined.some(({ found }) => found.more);
  return { problems: problems.slice(0, MOST_FAULTS), hints, more };
}

// What is wrong in a document of another standard, or in the schemas of a provider's tools, each at its place.
function providedProblems(text, value, data) {
  const found = [];
  for (const each of providedFaults(value, data)) {
    if (found.length === MOST_FAULTS) break;
    found.push(each);
  }
  if (!found.length) return found;
  const { places } = readJson(text);
  const placed = lines(text);
  return found.map(({ at, id, values, missing, clause }) => ({
    ...placed(places.get(pointerOf(at))), path: pathOf(at), pointer: pointerOf(at), keyword: "schema", missing, clause,
    words: words(data, id, values),
  })).sort((a, b) => a.line - b.line || a.column - b.column);
}

function withForm(made, subject, framed, row) {
  const form = formOf(subject, row ?? made.row);
  return { ...made, subject, framed: Boolean(framed), form };
}

// A problem of a document inside a text, at its place in that text.
function moved(problem, { place, pointer, line, column, from, single }) {
  const first = problem.line === 1;
  return {
    ...problem,
    line: single ? line : line + problem.line - 1,
    column: single || from === undefined ? undefined : first && column ? column + problem.column - 1 : problem.column,
    path: place + problem.path.slice(1),
    pointer: pointer === undefined ? undefined : pointer + problem.pointer,
    fix: problem.fix && from !== undefined ? { ...problem.fix, from: from + problem.fix.from, to: from + problem.fix.to } : undefined,
  };
}

// The documents inside a text: `place` names where each one is, `line` and `column` are where it begins,
// `from` counts the signs before it. With `single`, all of it is on that line.
function documentsInside(text, errorKeys) {
  let read;
  try {
    read = readJson(text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return (linesOfJson(text) ?? eventsOf(text)).flatMap((each) => unframed(each, errorKeys));
  }
  const placed = lines(text);
  const made = [];
  const add = (value, at) => {
    const { from, to } = spanOf(text, read.places.get(pointerOf(at)), at.length && typeof at.at(-1) === "string");
    made.push({ text: text.slice(from, to), place: pathOf(at), pointer: pointerOf(at), from, ...placed(from) });
  };
  const look = (value, at) => {
    const error = isObject(value?._meta) ? errorKeys.find((key) => isObject(value._meta[key])) : undefined;
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) if (isObject(each)) look(each, [...at, index]);
    } else if (!isObject(value)) {
      return;
    } else if (value.jsonrpc !== undefined && value.result !== null && typeof value.result === "object") {
      look(value.result, [...at, "result"]);
    } else if (value.jsonrpc !== undefined && isObject(value.error) && isObject(value.error.data)) {
      add(value.error.data, [...at, "error", "data"]);
    } else if (error !== undefined) {
      add(value._meta[error], [...at, "_meta", error]);
    } else if (Array.isArray(value.content) && !isObject(value.structuredContent) && !("resource_type" in value)) {
      const before = made.length;
      for (const [index, block] of value.content.entries()) {
        const said = block?.text;
        const place = [...at, "content", index, "text"];
        if (typeof said !== "string" || !/^\s*[{[]/.test(said)) continue;
        made.push({ text: said, place: pathOf(place), line: placed(read.places.get(pointerOf(place))).line, single: true });
      }
      if (made.length === before && at.length) add(value, at);
    } else if (isObject(value.structuredContent)) {
      add(value.structuredContent, [...at, "structuredContent"]);
    } else if (at.length) {
      add(value, at);
    }
  };
  look(read.data, []);
  return made;
}

// A line or an event that is the answer to a request: what the answer holds, on the same line.
function unframed(each, errorKeys) {
  const read = readFast(each.text);
  if (!isObject(read?.data) || read.data.jsonrpc === undefined) return [each];
  const held = documentsInside(each.text, errorKeys);
  return held.length ? held.map((one) => ({ text: one.text, place: each.place + one.place.slice(1), line: each.line, single: true })) : [each];
}

// Where the value at a place begins and ends; the place of a member is that of its name.
function spanOf(text, place, named) {
  let from = place;
  if (named) {
    const name = /"[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*/y;
    name.lastIndex = place;
    name.exec(text);
    from = name.lastIndex;
  }
  return { from, to: readJson(text, from).end };
}

// One document on each line; undefined where a line is something else.
function linesOfJson(text) {
  const made = [];
  let from = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim()) {
      if (!/^\s*\{/.test(line) || readFast(line) === undefined) return undefined;
      made.push({ text: line, place: `$[${made.length}]`, line: index + 1, column: 1, from });
    }
    from += line.length + 1;
  }
  return made;
}

// The events of a stream, with their names as a stream event has them. The data of the last event of
// some streams is no JSON.
function eventsOf(text) {
  const made = [];
  let name = "", held = [], first = 0;
  const end = () => {
    const said = held.join("\n");
    if (/^\s*\{/.test(said)) {
      const known = !name || /"(?:event|jsonrpc)"\s*:/.test(said) ? said : said.replace("{", () => `{"event": ${JSON.stringify(name)}, `);
      made.push({ text: known.replace(/, \s*\}$/, "}"), place: `$[${made.length}]`, line: first });
    }
    name = "", held = [];
  };
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const field = /^(event|data|id|retry)?:\s?(.*)$/.exec(line);
    if (line === "") end();
    else if (!field) return [];
    else if (field[1] === "event") name = field[2];
    else if (field[1] === "data") {
      if (!held.length) first = index + 1;
      held.push(field[2]);
    }
  }
  end();
  return made;
}
