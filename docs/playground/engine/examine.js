/* exported examine */
"use strict";

// What is found in a text: what it was recognized as, each problem and each hint with its place, and whether
// there are more problems. With `as`, it is that document, whatever its keys say.
function examine(text, data, as) {
  const here = lines(text);
  let read = readFast(text);
  try {
    read ??= readJson(text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const problem = { ...here(error.at), path: "$", pointer: "", keyword: "json", clause: null, words: words(data, error.id, error.values) };
    return { row: null, problems: [problem], hints: [], more: false };
  }
  const twice = read.twice || [];
  const halves = read.halves || [];
  const strange = [...twice.slice(0, MOST_FAULTS).map(({ name, start, pointer }) => ({
    ...here(start), path: pathOf([name]).replace("$.", "$…"), pointer, keyword: "duplicate", clause: null,
    words: words(data, "site.playground.twice", { name: shown(name, 40) }),
  })), ...halves.slice(0, MOST_FAULTS).map(({ text: half, start, pointer }) => ({
    ...here(start), path: pathOf(stepsIn(pointer)), pointer, keyword: "surrogate", clause: null,
    words: words(data, "documents.half_pair", { value: shown(half) }),
  }))];
  const chosen = as && data.table.find((row) => `${row.spec}/${row.document}` === as);
  const known = chosen ? { row: chosen } : recognize(read.data, data);
  if (!known.row) {
    const problem = { ...here(0), path: "$", pointer: "", keyword: "document", clause: null, words: words(data, known.id, known.values) };
    return { row: null, problems: [...strange, problem], hints: hintsIn(text, read.data, undefined, data), more: false, data: read.data };
  }
  const { wrong, more } = validate(read.data, known.row, data);
  const places = wrong.length ? (read.places ?? readJson(text).places) : new Map();
  const found = wrong.map((each) => {
    const { fix, written } = corrected(text, places, each);
    const values = written === undefined ? each.values : { ...each.values, value: written };
    return {
      ...here(places.get(pointerOf(each.at)) || 0), path: pathOf(each.at), pointer: pointerOf(each.at), keyword: each.keyword,
      clause: each.clause, id: each.id, values, words: words(data, each.id, values), missing: each.missing, fix,
    };
  });
  const { spec, document, version } = known.row;
  const { wrong: told, hints } = toldOnce(found, hintsIn(text, read.data, known.row, data), data);
  const problems = [...strange, ...told].sort((a, b) => a.line - b.line || a.column - b.column);
  return { row: { spec, document, version }, problems, hints, more: more || twice.length + halves.length > strange.length, data: read.data };
}

// If a required member is only misspelled, that is one problem, at the place of the misspelled name.
function toldOnce(wrong, hints, data) {
  const slips = new Map(hints.filter((each) => each.meant).map((each) => [`${each.pointer.replace(/[^/]*$/, "")}${each.meant}`, each]));
  const once = new Set();
  const told = wrong.map((each) => {
    const slip = each.missing === undefined ? undefined : slips.get(`${each.pointer}/${each.missing}`);
    if (!slip) return each;
    once.add(slip);
    const { hint, ...there } = slip;
    return { ...there, keyword: each.keyword, clause: each.clause, words: words(data, "documents.misspelled.required", slip.values) };
  });
  return { wrong: told, hints: hints.filter((each) => !once.has(each)) };
}

// The steps of a pointer; one of digits is taken for that of an item.
const stepsIn = (pointer) => pointer.split("/").slice(1)
  .map((step) => (/^[0-9]+$/.test(step) ? Number(step) : step.replaceAll("~1", "/").replaceAll("~0", "~")));

// The change of the text that corrects a problem, where there is only one. A number that is to be a text keeps
// its digits: `written`.
function corrected(text, places, { at, only, id }) {
  if (only === undefined || !places.has(pointerOf(at))) return {};
  const named = at.length > 0 && typeof at.at(-1) === "string";
  const span = spanOf(text, places.get(pointerOf(at)), named);
  const written = id.endsWith(".type.quotes") ? text.slice(span.from, span.to) : undefined;
  return { fix: { ...span, text: JSON.stringify(written ?? only) }, written };
}
