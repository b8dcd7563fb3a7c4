// Runs the engine away from the page, so that no document can freeze it. DATA and the engine stand
// before this in the built file. The reader of YAML is fetched when a text may be YAML, and what converts
// when a form is chosen.
"use strict";

const LISTED = 100;
const MOST_MADE = 5 * 1024 * 1024;
const MOST_VALUES = 100_000;
const MOST_SIGNS = 10_000_000; // of all names and texts: an alias makes a long one count again
const LOOKS_LIKE_YAML = /^\s*(?:- |[\w"'$-]+\s*:)/m;

let held;

self.addEventListener("message", (event) => {
  const { id, text, as, to } = event.data;
  if (to) return self.postMessage({ id, to, made: madeOf(to) });
  let answer;
  try {
    answer = found(text, as);
  } catch {
    const problem = { line: 1, path: "$", pointer: "", keyword: "kit", clause: null, words: DATA.messages["site.playground.failed"] };
    answer = { row: null, problems: [problem], hints: [], more: false };
  }
  // A page that is handed a thousand problems would be busy with them.
  const { row, problems, hints, more, documents, known, turn, subject, framed, form } = answer;
  const wrong = [...new Set(problems.map((each) => each.line))];
  const errors = form && (form === "fastapi" || DATA.targets.errors.includes(form));
  const targets = form && (known || !problems.length) && subject !== undefined ? DATA.targets[errors ? "errors" : "tools"].filter((each) => each !== form) : [];
  held = { subject, form, framed, yaml: Boolean(answer.yaml) };
  self.postMessage({ id, row, problems: problems.slice(0, LISTED), hints: hints.slice(0, LISTED), count: problems.length, warned: hints.length, more, wrong, documents,
    known, turn, targets,
    mcp: form === "mcp" || (form === "catalog" && Boolean(framed)) });
});

// What was found, and `turn`: the text in another way, if the page has one to offer.
function found(text, as) {
  const answer = examineAll(text, DATA, as);
  const offered = (words, value) => (value === undefined || value.length > MOST_MADE ? undefined : { words, text: value });
  if (answer.repaired !== undefined) return { ...answer, turn: offered("repair", answer.repaired) };
  if (answer.row || answer.known || answer.headed || answer.html || /^\s*[{[]/.test(text) || !LOOKS_LIKE_YAML.test(text)) {
    return { ...answer, turn: answer.framed ? offered("alone", jsonOf(answer.subject)) : undefined };
  }
  const read = yamlOf(text);
  if (read === undefined) return answer;
  if (read.problem) return answer.documents ? answer : { row: null, problems: [read.problem], hints: [], more: false };
  const inside = examineAll(read.json, DATA, as);
  if (answer.documents && !inside.row && !inside.known) return answer;
  const placed = lines(text);
  // A value that `<<` merges into an object has no place in it: the object has.
  const near = (pointer) => read.places.get(pointer) ?? (pointer ? near(pointer.slice(0, pointer.lastIndexOf("/"))) : 0);
  const there = ({ fix, ...each }) => ({ ...each, ...placed(near(each.pointer)), ...(fix && inYaml(each, fix, text, read)) });
  return { ...inside, problems: inside.problems.map(there), hints: inside.hints.map(there), yaml: true, turn: offered("as_json", read.json) };
}

// The same correction in YAML, where what it changes is a plain word there. A number keeps its digits.
function inYaml({ pointer, meant, id, values }, fix, text, { names, plain }) {
  const span = (meant === undefined ? plain : names).get(pointer);
  if (!span) return {};
  if (meant !== undefined) return { fix: { ...span, text: meant } };
  if (!id.endsWith(".type.quotes")) return { fix: { ...span, text: fix.text } };
  const value = text.slice(span.from, span.to);
  return { fix: { ...span, text: JSON.stringify(value) }, words: words(DATA, id, { ...values, value }) };
}

// A text of YAML as JSON, with the place of each value, or the problem that it has; undefined where it
// is no object or list in YAML.
function yamlOf(text) {
  try {
    if (!self.jsyaml) self.importScripts("playground.yaml.js");
  } catch {
    return undefined; // the page says then that it is not JSON, and where
  }
  try {
    const read = self.jsyaml.load(text, { schema: self.jsyaml.CORE_SCHEMA.withTags(self.jsyaml.mergeTag) });
    let values = 0;
    let signs = 0;
    let noted = 0;
    const counted = (value, length) => {
      values += 1;
      noted += length;
      if (typeof value === "string") signs += value.length;
      if (values > MOST_VALUES || signs > MOST_SIGNS || noted > MOST_NOTED) throw new RangeError("too much");
      if (value === null || typeof value !== "object") return;
      for (const [name, inner] of Object.entries(value)) {
        signs += name.length;
        counted(inner, length + 1 + name.length);
      }
    };
    counted(read, 0);
    if (read === null || typeof read !== "object") return undefined;
    return { json: jsonOf(read), ...yamlPlaces(text) };
  } catch ({ mark }) {
    if (!mark) return undefined;
    const words = DATA.messages["site.playground.not_yaml"];
    return { problem: { line: mark.line + 1, column: mark.column + 1, path: "$", pointer: "", keyword: "yaml", clause: null, words } };
  }
}

// Where each value of a YAML text begins, by its pointer; that of a member is the place of its name. And where the
// names and values without quotes begin and end.
function yamlPlaces(text) {
  const [places, names, plain] = [new Map(), new Map(), new Map()];
  const spanIn = (event) => (event.style === self.jsyaml.SCALAR_STYLE_PLAIN ? { from: event.valueStart, to: event.valueEnd } : undefined);
  const { EVENT_SCALAR, EVENT_MAPPING, EVENT_SEQUENCE, EVENT_POP, EVENT_ALIAS } = self.jsyaml;
  const open = [];
  for (const event of self.jsyaml.parseEvents(text)) {
    const parent = open.at(-1);
    if (event.type === EVENT_POP) open.pop();
    if (![EVENT_SCALAR, EVENT_MAPPING, EVENT_SEQUENCE, EVENT_ALIAS].includes(event.type)) continue;
    const at = event.start ?? event.valueStart;
    let pointer = "";
    if (parent?.mapping && parent.name === undefined) {
      parent.name = event.type === EVENT_SCALAR ? self.jsyaml.getScalarValue(text, event) : "";
      parent.begins = at;
      parent.span = spanIn(event);
      if (event.type === EVENT_SCALAR) continue;
    } else if (parent?.mapping) {
      pointer = `${parent.pointer}/${escapeStep(parent.name)}`;
      places.set(pointer, parent.begins);
      names.set(pointer, parent.span);
      parent.name = undefined;
    } else if (parent) {
      pointer = `${parent.pointer}/${parent.count}`;
      places.set(pointer, at);
      parent.count += 1;
    } else {
      places.set(pointer, at);
    }
    if (event.type === EVENT_SCALAR) plain.set(pointer, spanIn(event));
    else if (event.type !== EVENT_ALIAS) open.push({ pointer, mapping: event.type === EVENT_MAPPING, count: 0 });
  }
  return { places, names, plain };
}

// What was found, in another form, or the command that makes it.
function madeOf(to) {
  const { subject, form, framed, yaml } = held;
  const command = `agent-formats convert document.${yaml && !framed ? "yaml" : "json"} --to ${to}`;
  try {
    if (!self.convertible) self.importScripts("playground.convert.js");
    if (!convertible(subject, form, to, DATA)) return { command, framed };
    const { data, lost, changed, made } = converted(subject, form, to, DATA);
    const text = jsonOf(data);
    return text.length > MOST_MADE ? { command, framed } : { text, lost, changed, made, command };
  } catch {
    return { command, framed }; // which says what is wrong with the document, or works without the file
  }
}
