// Marks on the opened page what was searched for, with its accents or without them. The theme's own
// marking would read the whole index of the search for this, on every page.
"use strict";

(() => {
  // A link may have any number of words: each of them is looked for at each sign of the page.
  const asked = new URLSearchParams(location.search).get("h")?.slice(0, 300);
  const page = document.querySelector("article");
  if (!asked || !page) return;
  const bare = (sign) => sign.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().charAt(0) || sign;
  // As long as the text, so that a place in one is the same place in the other.
  const folded = (text) => Array.from({ length: text.length }, (_, at) => bare(text[at])).join("");
  const words = folded(asked).split(/[\s"+*~]+/).filter((word) => word.length > 1);
  if (!words.length) return;
  const plain = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const begins = new RegExp(`(?<![\\p{L}\\p{N}])(?:${plain.join("|")})`, "gu");
  const walk = document.createTreeWalker(page, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest("script, style, .headerlink, .diagram, textarea")
      ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const texts = [];
  while (walk.nextNode()) texts.push(walk.currentNode);
  for (const node of texts) {
    const text = node.data;
    const parts = [];
    let end = 0;
    for (const { index, 0: word } of folded(text).matchAll(begins)) {
      const mark = document.createElement("mark");
      mark.textContent = text.slice(index, index + word.length);
      parts.push(text.slice(end, index), mark);
      end = index + word.length;
    }
    if (parts.length) node.replaceWith(...parts, text.slice(end));
  }
})();
