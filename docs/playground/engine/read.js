// Reads JSON: the value, where each part of it stands, which names stand twice, and which texts have half a character.
"use strict";

const DEEPEST = 256;
const HALF = /\p{Cs}/u; // of a surrogate pair
const MOST_NOTED = 100_000_000; // signs of all pointers: that of each value repeats the names around it

class Unreadable extends Error {
  constructor(id, values, at) {
    super(id);
    this.id = id;
    this.values = values;
    this.at = at;
  }
}

// JSON with the place of every value: `places` maps a JSON pointer to where the value begins. With
// `from`, the one value that begins there, and where it ends.
function readJson(text, from) {
  let at = from ?? (text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const places = new Map();
  const twice = [];
  const halves = [];
  let noted = 0;
  const space = /[ \t\n\r]*/y;
  const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  // eslint-disable-next-line no-control-regex
  const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
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
      if (HALF.test(name)) halves.push({ text: name, start, pointer: pointer + "/" + escapeStep(name) });
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
    noted += pointer.length;
    if (noted > MOST_NOTED) throw new RangeError("names too long");
    places.set(pointer, start === undefined ? at : start);
    const sign = text[at];
    if (sign === "{") return members(pointer, depth);
    if (sign === "[") return items(pointer, depth);
    const begun = at;
    if (sign === '"') {
      const text = JSON.parse(take(string));
      if (HALF.test(text)) halves.push({ text, start: begun, pointer });
      return text;
    }
    for (const [word, meant] of [["true", true], ["false", false], ["null", null]]) {
      if (text.startsWith(word, at)) return (at += word.length), meant;
    }
    const word = take(number);
    if (!Number.isFinite(Number(word))) throw new Unreadable("documents.no_number", { word: shown(word) }, begun);
    return Number(word);
  };
  const data = value("", 1);
  const end = at;
  skip();
  if (from === undefined && at < text.length) fail();
  return { data, places, twice, halves, end };
}

// The value alone, as the browser reads it; undefined where a place has to be named: the text is not
// JSON, goes too deep, has a name twice, half a character or a number beyond all others, or has long names around many values.
function readFast(text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  let names = 0;
  let noted = 0;
  const bare = (value, depth, length) => {
    noted += length;
    if (depth > DEEPEST || noted > MOST_NOTED) return false;
    if (typeof value === "string") return !HALF.test(value);
    if (typeof value === "number") return Number.isFinite(value);
    if (value === null || typeof value !== "object") return true;
    if (Array.isArray(value)) return value.every((each, index) => bare(each, depth + 1, length + 1 + String(index).length));
    Object.setPrototypeOf(value, null); // `toString` is no member
    const held = Object.keys(value);
    names += held.length;
    return held.every((name) => !HALF.test(name) && bare(value[name], depth + 1, length + 1 + name.length));
  };
  if (!bare(data, 1, 0)) return undefined;
  const strings = /"[^"\\]*(?:\\.[^"\\]*)*"(?:[ \t\n\r]*(:))?/g;
  let written = 0;
  for (let found = strings.exec(text); found; found = strings.exec(text)) if (found[1]) written += 1;
  return written === names ? { data } : undefined;
}

// Gives where a place is in a text: its line and its column, counted from 1.
function lines(text) {
  const ends = [];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) ends.push(i);
  return (at) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] < at) low = middle + 1;
      else high = middle;
    }
    return { line: low + 1, column: at - (low ? ends[low - 1] : -1) };
  };
}
