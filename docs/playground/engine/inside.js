/* exported examineAll */
// What people paste is often a frame around documents: the answer to a request, a list, the events of
// a stream, lines of JSON. The documents inside it are examined, each at its place.
"use strict";

const MOST_DOCUMENTS = 200;

// As `examine`, and `documents`: how many there are inside, which of them are right, and of what kinds.
function examineAll(text, data) {
  const whole = examine(text, data);
  if (whole.row) return whole;
  const inside = documentsInside(text);
  const examined = inside.slice(0, MOST_DOCUMENTS).map((each) => ({ ...each, found: examine(each.text, data) }));
  if (!examined.some(({ found }) => found.row)) return whole;
  const kinds = new Map();
  for (const { found: { row } } of examined) {
    if (row) kinds.set(`${row.spec}/${row.document}`, (kinds.get(`${row.spec}/${row.document}`) ?? 0) + 1);
  }
  const problems = examined.flatMap(({ place, line, single, found }) => found.problems.map((each) => ({
    ...each,
    line: single ? line : line + each.line - 1,
    path: place + each.path.slice(1),
  })));
  const right = examined.filter(({ found }) => found.row && !found.problems.length).length;
  const more = inside.length > examined.length || examined.some(({ found }) => found.more);
  const row = examined.find(({ found }) => found.row).found.row;
  return { row, problems, more, documents: { count: inside.length, right, kinds: [...kinds] } };
}

// The documents inside a text: `place` names where each one is, `line` is its first line. With
// `single`, all of it is on that line.
function documentsInside(text) {
  let read;
  try {
    read = readJson(text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return linesOfJson(text) ?? eventsOf(text);
  }
  const lineOf = lines(text);
  const made = [];
  const add = (value, at, path) => {
    const { from, to } = spanOf(text, read.places.get(pointerOf(at)), at.length && typeof at.at(-1) === "string");
    made.push({ text: text.slice(from, to), place: path, line: lineOf(from) });
  };
  const look = (value, at) => {
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) if (isObject(each)) add(each, [...at, index], pathOf([...at, index]));
    } else if (!isObject(value)) {
      return;
    } else if (value.jsonrpc !== undefined && value.result !== null && typeof value.result === "object") {
      look(value.result, [...at, "result"]);
    } else if (value.jsonrpc !== undefined && isObject(value.error) && isObject(value.error.data)) {
      add(value.error.data, [...at, "error", "data"], pathOf([...at, "error", "data"]));
    } else if (Array.isArray(value.content) && !isObject(value.structuredContent)) {
      for (const [index, { text: said } = {}] of value.content.entries()) {
        const place = [...at, "content", index];
        if (typeof said !== "string" || !/^\s*[{[]/.test(said)) continue;
        made.push({ text: said, place: pathOf(place), line: lineOf(read.places.get(pointerOf(place))), single: true });
      }
    } else if (isObject(value.structuredContent)) {
      add(value.structuredContent, [...at, "structuredContent"], pathOf([...at, "structuredContent"]));
    } else if (at.length) {
      add(value, at, pathOf(at));
    }
  };
  look(read.data, []);
  return made;
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
  for (const [index, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    if (!/^\s*\{/.test(line) || readFast(line) === undefined) return undefined;
    made.push({ text: line, place: `$[${made.length}]`, line: index + 1 });
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
      const known = !name || /"event"\s*:/.test(said) ? said : said.replace("{", `{"event": ${JSON.stringify(name)}, `);
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
