/* exported examine */
"use strict";

// All that is found in a text: what it was recognised as, and each problem with its line.
function examine(text, data) {
  const lineOf = lines(text);
  let read = readFast(text);
  try {
    read ??= readJson(text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const problem = { line: lineOf(error.at), path: "$", pointer: "", keyword: "json", clause: null, words: words(data, error.id, error.values) };
    return { row: null, problems: [problem] };
  }
  const strange = (read.twice || []).map(({ name, start, pointer }) => ({
    line: lineOf(start), path: pathOf([name]).replace("$.", "$…"), pointer, keyword: "duplicate", clause: null,
    words: words(data, "site.playground.twice", { name: shown(name, 40) }),
  }));
  const known = recognise(read.data, data);
  if (!known.row) {
    const problem = { line: 1, path: "$", pointer: "", keyword: "document", clause: null, words: words(data, known.id, known.values) };
    return { row: null, problems: [...strange, problem] };
  }
  const wrong = validate(read.data, known.row, data);
  const places = wrong.length ? (read.places ?? readJson(text).places) : new Map();
  const lined = (pointer) => lineOf(places.get(pointer) || 0);
  const found = wrong.map((each) => ({
    line: lined(pointerOf(each.at)), path: pathOf(each.at), pointer: pointerOf(each.at), keyword: each.keyword,
    clause: each.clause, words: words(data, each.id, each.values),
  }));
  const { spec, document, version } = known.row;
  return { row: { spec, document, version }, problems: [...strange, ...found].sort((a, b) => a.line - b.line) };
}
