// Shows the rows of a long table that fit: a text, and one choice for each facet. What is chosen is
// in the address, so that a link shows the same rows.
"use strict";

(() => {
  const bar = document.getElementById("filter");
  const table = document.querySelector("article table");
  if (!bar || !table) return;
  const said = JSON.parse(bar.dataset.words);
  const facets = JSON.parse(bar.dataset.facets); // of each: key, label, values, and those of each row by number
  const fold = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  let rows = [...table.tBodies[0].rows].map((row) => ({ row, text: fold(row.textContent) }));
  const make = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const find = make("input", { type: "search", id: "filter-find" });
  const choices = facets.map((facet) => {
    const options = facet.values.map((each) => make("option", { value: each }, each));
    const select = make("select", { id: `filter-${facet.key}` }, make("option", { value: "" }, said.all), ...options);
    return { ...facet, select };
  });
  const shown = make("p", { class: "filter__shown", role: "status" });
  const clear = make("button", { type: "button", class: "filter__clear" }, said.clear);
  bar.replaceChildren(
    make("span", { class: "filter__find" }, make("label", { for: "filter-find" }, said.find), find),
    ...choices.map(({ label, select }) => make("span", {}, make("label", { for: select.id }, label), select)),
    make("div", { class: "filter__end" }, shown, clear),
  );
  const apply = () => {
    const words = fold(find.value).split(/\s+/).filter(Boolean);
    const chosen = choices.filter(({ select }) => select.value)
      .map(({ select, values, rows: of }) => ({ of, wanted: values.indexOf(select.value) }));
    let count = 0;
    rows.forEach(({ row, text }, at) => {
      const fits = words.every((word) => text.includes(word)) && chosen.every(({ of, wanted }) => of[at].includes(wanted));
      row.hidden = !fits;
      count += fits;
    });
    shown.textContent = said.shown.replace("{count}", count).replace("{all}", rows.length);
    clear.hidden = !words.length && !chosen.length;
  };
  // What the pages of the rows say beyond the table is fetched when a text is given.
  let asked = false;
  const more = async () => {
    if (asked || !bar.dataset.more || !find.value) return;
    asked = true;
    try {
      const words = await (await fetch(bar.dataset.more)).json();
      rows = rows.map(({ row, text }) => ({ row, text: `${text} ${words[row.querySelector("a[id]")?.id] ?? ""}` }));
    } catch {
      return; // the table alone is searched
    }
    apply();
  };
  const change = () => {
    const address = new URL(location);
    for (const { id, value } of [find, ...choices.map(({ select }) => select)]) {
      const name = id.replace("filter-", "");
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    address.hash = ""; // a row that a link led to may be hidden now
    history.replaceState(null, "", address);
    apply();
    more();
  };
  const given = new URLSearchParams(location.search);
  find.value = given.get("find")?.slice(0, 300) ?? "";
  for (const { key, select } of choices) select.value = given.get(key) ?? "";
  for (const { select } of choices) if (select.selectedIndex < 0) select.value = "";
  find.addEventListener("input", change);
  for (const { select } of choices) select.addEventListener("change", change);
  clear.addEventListener("click", () => {
    find.value = "";
    for (const { select } of choices) select.value = "";
    change();
    find.focus();
  });
  apply();
  more();
})();
