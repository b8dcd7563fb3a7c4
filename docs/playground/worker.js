// Runs the engine away from the page, so that no document can freeze it. DATA and the engine stand
// before this in the built file.
"use strict";

const LISTED = 100;

self.addEventListener("message", (event) => {
  const { id, text } = event.data;
  let answer;
  try {
    answer = examine(text, DATA);
  } catch {
    const problem = { line: 1, path: "$", pointer: "", keyword: "kit", clause: null, words: DATA.messages["site.playground.failed"] };
    answer = { row: null, problems: [problem], more: false };
  }
  // A page that is handed a thousand problems would be busy with them.
  const { row, problems, more } = answer;
  const wrong = [...new Set(problems.map((each) => each.line))];
  self.postMessage({ id, row, problems: problems.slice(0, LISTED), count: problems.length, more, wrong });
});
