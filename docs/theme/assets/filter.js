// Shows the rows of a long table that fit: a text, and one choice for each column that is named. What
// is chosen is in the address, so that a link shows the same rows.
"use strict";

(() => {
  const bar = document.getElementById("filter");
  const table = document.querySelector("article table");
  if (!bar || !table) return;
  const said = JSON.parse(bar.dataset.words);
  const columns = bar.dataset.columns.split(",").map(Number);
  const fold = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const rows = [...table.tBodies[0].rows].map((row) => ({
    row,
    text: fold(row.textContent),
    // Of the names in a cell, the part before their numbers: MCP-CALL-001 is of MCP-CALL.
    kinds: new Map(columns.map((at) => [at, row.cells[at].textContent.split(",")
      .map((each) => each.replace(/-\d+(?:\.\d+)?(?=\W*$)/, "").replace(/¶/g, "").trim()).filter(Boolean)])),
  }));
  const make = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const find = make("input", { type: "search", id: "filter-find" });
  const choices = columns.map((at) => {
    const kinds = [...new Set(rows.flatMap(({ kinds }) => kinds.get(at)))].sort();
    const options = kinds.map((each) => make("option", { value: each }, each));
    return { at, select: make("select", { id: `filter-${at}` }, make("option", { value: "" }, said.all), ...options) };
  });
  const shown = make("p", { class: "filter__shown", role: "status" });
  bar.replaceChildren(
    make("span", {}, make("label", { for: "filter-find" }, said.find), find),
    ...choices.map(({ at, select }) => make("span", {}, make("label", { for: select.id }, heads[at]), select)),
    shown,
  );
  const apply = () => {
    const words = fold(find.value).split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, text, kinds } of rows) {
      const fits = words.every((word) => text.includes(word)) &&
        choices.every(({ at, select }) => !select.value || kinds.get(at).includes(select.value));
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = said.shown.replace("{count}", count).replace("{all}", rows.length);
  };
  const change = () => {
    const address = new URL(location);
    for (const { id, value } of [find, ...choices.map(({ select }) => select)]) {
      const name = id.replace("filter-", "");
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    history.replaceState(null, "", address);
    apply();
  };
  const given = new URLSearchParams(location.search);
  find.value = given.get("find") ?? "";
  for (const { at, select } of choices) select.value = given.get(String(at)) ?? "";
  for (const { select } of choices) if (select.selectedIndex < 0) select.value = "";
  find.addEventListener("input", change);
  for (const { select } of choices) select.addEventListener("change", change);
  apply();
})();
