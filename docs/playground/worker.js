// Runs the engine away from the page, so that no document can freeze it. DATA and the engine stand
// before this in the built file. The reader of YAML is fetched when a text may be YAML.
"use strict";

const LISTED = 100;
const MOST_VALUES = 100_000;

self.addEventListener("message", (event) => {
  const { id, text } = event.data;
  let answer;
  try {
    answer = examineAll(text, DATA);
  } catch {
    const problem = { line: 1, path: "$", pointer: "", keyword: "kit", clause: null, words: DATA.messages["site.playground.failed"] };
    answer = { row: null, problems: [problem], more: false };
  }
  // A page that is handed a thousand problems would be busy with them.
  const { row, problems, more, documents } = answer;
  const wrong = [...new Set(problems.map((each) => each.line))];
  const json = row ? undefined : jsonOf(text);
  self.postMessage({ id, row, problems: problems.slice(0, LISTED), count: problems.length, more, wrong, documents, json });
});

// A text of YAML as JSON; undefined where it is JSON, or no object or list in YAML.
function jsonOf(text) {
  if (/^\s*[{[]/.test(text) || !/^\s*(?:- |[\w"'$-]+\s*:)/m.test(text)) return undefined;
  if (documentsInside(text).length) return undefined;
  try {
    if (!self.jsyaml) self.importScripts("playground.yaml.js");
    const read = self.jsyaml.load(text);
    let values = 0;
    const counted = (value) => {
      values += 1;
      if (values > MOST_VALUES) throw new RangeError("too many values");
      if (value !== null && typeof value === "object") Object.values(value).forEach(counted);
    };
    counted(read);
    return read !== null && typeof read === "object" ? JSON.stringify(read, null, 2) : undefined;
  } catch {
    return undefined; // the page says then that it is not JSON, and where
  }
}
