// Runs the engine away from the page, so that no document can freeze it. DATA and the engine stand
// before this in the built file.
"use strict";

self.addEventListener("message", (event) => {
  const { id, text } = event.data;
  let answer;
  try {
    answer = examine(text, DATA);
  } catch (error) {
    const problem = { line: 1, path: "$", pointer: "", keyword: "kit", clause: null, words: DATA.messages["site.playground.failed"] };
    answer = { row: null, problems: [problem], failed: String(error) };
  }
  self.postMessage({ id, ...answer });
});
