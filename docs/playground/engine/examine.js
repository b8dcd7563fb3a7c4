/* exported examine */
"use strict";

// What is found in a text: what it was recognised as, each problem with its line, and whether there
// are more of them.
function examine(text, data) {
  const lineOf = lines(text);
  let read = readFast(text);
  try {
    read ??= readJson(text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const problem = { line: lineOf(error.at), path: "$", pointer: "", keyword: "json", clause: null, words: words(data, error.id, error.values) };
    return { row: null, problems: [problem], more: false };
  }
  const twice = read.twice || [];
  const strange = twice.slice(0, MOST_FAULTS).map(({ name, start, pointer }) => ({
    line: lineOf(start), path: pathOf([name]).replace("$.", "$…"), pointer, keyword: "duplicate", clause: null,
    words: words(data, "site.playground.twice", { name: shown(name, 40) }),
  }));
  const known = recognise(read.data, data);
  if (!known.row) {
    const problem = { line: 1, path: "$", pointer: "", keyword: "document", clause: null, words: words(data, known.id, known.values) };
    return { row: null, problems: [...strange, problem], more: false };
  }
  const { wrong, more } = validate(read.data, known.row, data);
  const places = wrong.length ? (read.places ?? readJson(text).places) : new Map();
  const lined = (pointer) => lineOf(places.get(pointer) || 0);
  const found = wrong.map((each) => ({
    line: lined(pointerOf(each.at)), path: pathOf(each.at), pointer: pointerOf(each.at), keyword: each.keyword,
    clause: each.clause, words: words(data, each.id, each.values),
  }));
  const { spec, document, version } = known.row;
  const problems = [...strange, ...found].sort((a, b) => a.line - b.line);
  return { row: { spec, document, version }, problems, more: more || twice.length > strange.length };
}
