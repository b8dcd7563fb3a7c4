// Gives the row of each field that the example of the page has a link that shows the field in the playground.
"use strict";

(() => {
  const tried = document.querySelector("a[data-lines]");
  if (!tried) return;
  for (const [anchor, line] of Object.entries(JSON.parse(tried.dataset.lines))) {
    const row = document.getElementById(anchor)?.closest("tr");
    if (!row) continue;
    const link = document.createElement("a");
    link.className = "shown-field";
    link.href = `${tried.href}&line=${line}`;
    link.textContent = "▷";
    link.title = tried.dataset.words.replace("{name}", row.querySelector("code").textContent);
    link.setAttribute("aria-label", link.title);
    row.lastElementChild.append(" ", link);
  }
})();
