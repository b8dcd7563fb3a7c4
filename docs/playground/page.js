// The playground's page: a text, its verdict, and each problem at its line. What is pasted stays in
// this page and its worker. Every text of a document is put in as text, never as HTML.
"use strict";

(() => {
  const root = document.getElementById("playground");
  if (!root || !window.Worker) return;
  const said = JSON.parse(document.getElementById("playground-words").textContent);
  const SYNTAX = ["json", "yaml"];
  const MOST = 5 * 1024 * 1024;
  const MOST_LINES = 200_000; // a browser lays out each of them before it does anything else
  const MOST_SHAPED = 20_000; // control characters, accents and what changes the direction in one line: each is set by those before it
  const SHAPED = /[\p{Cc}\p{Cf}\p{M}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;
  const PATIENCE = 5000;

  const make = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const fill = (id, values) => said[id].replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all));

  const label = make("label", { for: "playground-text" }, said.label);
  const text = make("textarea", { id: "playground-text", spellcheck: "false", autocomplete: "off", rows: "18", wrap: "off" });
  const lines = make("div", { class: "playground__lines", "aria-hidden": "true" });
  const example = make("select", { id: "playground-example" }, make("option", { value: "" }, said.choose));
  const file = make("input", { type: "file", id: "playground-file", class: "playground__file", accept: ".json,.yaml,.yml,.sse,.ndjson,.jsonl,.txt,application/json" });
  const share = make("button", { type: "button", class: "playground__share" }, said.share);
  const shared = make("span", { role: "status" });
  const as = make("select", { id: "playground-as" }, make("option", { value: "" }, said.by_keys));
  for (const [value, title] of Object.entries(said.titles)) as.append(make("option", { value }, `${title} (${value.split("/")[1]})`));
  const turn = make("button", { type: "button", class: "playground__turn", hidden: "" });
  const verdict = make("p", { class: "playground__verdict", role: "status" });
  const beyond = make("p", { class: "playground__beyond" });
  const list = make("ol", { class: "playground__problems" });
  const to = make("select", { id: "playground-to" });
  const about = make("p", { role: "status" });
  const result = make("div", {});
  const convert = make("div", { class: "playground__convert", hidden: "" },
    make("span", { class: "playground__bar" }, make("label", { for: "playground-to" }, said.convert), to), make("div", { class: "playground__made" }, about, result));
  const bar = make("div", { class: "playground__bar" },
    make("span", {}, make("label", { for: "playground-example" }, said.example), example),
    make("span", {}, file, make("label", { for: "playground-file" }, said.file)),
    make("span", {}, make("label", { for: "playground-as" }, said.as), as),
    make("span", {}, share, shared));
  root.replaceChildren(bar, label, make("div", { class: "playground__text" }, lines, text),
    make("div", { class: "playground__found" }, verdict, turn, list, beyond, convert));

  const examples = JSON.parse(document.getElementById("playground-examples").textContent);
  examples.forEach((each, index) => example.append(make("option", { value: String(index) }, each.title)));

  let worker, newest = 0, clock, waiting, patience;
  const start = () => {
    worker = new Worker(root.dataset.worker);
    worker.addEventListener("message", (event) => {
      if (event.data.id !== newest) return;
      clearTimeout(clock);
      if (event.data.to) showMade(event.data);
      else show(event.data);
    });
  };
  start();

  const tell = (state, words) => {
    clearTimeout(patience);
    root.dataset.state = state;
    verdict.textContent = words;
  };
  // The numbers are one text, cut only where a line is wrong: a long document has thousands.
  const number = (wrong) => {
    const count = Math.min(text.value.split("\n").length, 20000);
    const parts = [];
    let run = "";
    for (let line = 1; line <= count; line += 1) {
      if (wrong.has(line)) {
        parts.push(run, make("span", {}, String(line)));
        run = "\n";
      } else {
        run += `${line}\n`;
      }
    }
    lines.replaceChildren(...parts, run);
    lines.scrollTop = text.scrollTop; // a paste scrolls the text before its lines have numbers
  };
  let other;
  const show = ({ row, problems, hints, count, warned, more, wrong, documents, known: foreign, targets, ...rest }) => {
    other = rest.turn && !isLong(rest.turn.text) ? rest.turn : undefined;
    turn.hidden = !other;
    beyond.hidden = !row;
    turn.disabled = false;
    if (other) turn.textContent = said[other.words];
    const enlist = (shown) => list.replaceChildren(...[...shown, ...hints].sort((one, other) => one.line - other.line).map(item));
    enlist(problems);
    offer(targets);
    number(new Set(wrong));
    const warnings = warned ? ` ${fill("hints", { number: warned })}` : "";
    if (documents && documents.count > 1) {
      const kinds = documents.kinds.map(([kind, number]) => `${said.titles[kind]} (${number})`).join(", ");
      if (!documents.kinds.length) return tell("unknown", fill("stream", documents));
      const state = documents.right !== documents.checked || count ? "invalid" : documents.checked < documents.count ? "foreign" : "valid";
      return tell(state, fill(documents.checked < documents.count ? "first" : "inside", { ...documents, kinds }) + warnings);
    }
    const listed = problems.length;
    const many = !count ? "clean" : count === 1 ? "one" : more ? "more" : count > listed ? "listed" : "many";
    if (foreign) {
      const document = said.forms[foreign.form] ?? foreign.title; // of another standard that is checked here
      tell(!document ? "foreign" : count ? "invalid" : "valid", document ? `${fill(many, { document, count, listed })}${warnings} ` : "");
      const [page, words] = said.help[foreign.name] ?? [];
      const link = page ? [" ", make("a", { href: `../${page}` }, words)] : [];
      return verdict.append(make("span", {}, ...rich(foreign.words), ...link));
    }
    if (!row && count && !SYNTAX.includes(problems[0].keyword)) {
      enlist(problems.slice(1)); // the first says what the document is not
      tell("unknown", "");
      return verdict.append(...told(problems[0]));
    }
    if (!row) return tell("unknown", count ? said.unreadable : "");
    const also = warnings + (rest.mcp ? ` ${said.mcp}` : "");
    const known = { document: `${said.titles[`${row.spec}/${row.document}`]} ${row.version}`, count, listed };
    if (!count) return tell("valid", fill("valid", known) + also);
    tell("invalid", fill(many, known) + also);
  };
  // What stands in ticks is code.
  const rich = (words) => words.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
  // What is wrong, without its place.
  beyond.append(...rich(said.beyond));
  const told = (problem) => {
    const parts = rich(problem.words);
    if (problem.clause) {
      parts.push(" ", make("a", { href: `${root.dataset.clauses}${problem.clause.toLowerCase()}/` }, problem.clause));
    }
    if (problem.fix) {
      const fix = make("button", { type: "button", class: "playground__fix" }, fill("fix", { value: problem.fix.text }));
      fix.addEventListener("click", () => change(problem.fix));
      parts.push(" ", fix);
    }
    return parts;
  };
  const item = (problem) => {
    const where = make("button", { type: "button" }, fill(problem.column ? "line_column" : "line", problem));
    where.addEventListener("click", () => go(problem.line, problem.column ?? 1));
    const named = SYNTAX.includes(problem.keyword) ? [": "] : [", ", make("code", {}, problem.path), ": "];
    const kind = problem.hint ? [make("em", {}, said.hint), " "] : [];
    return make("li", {}, where, ...named, ...kind, ...told(problem));
  };
  // As if it were typed, so that the browser can undo it.
  const change = ({ from, to: end, text: value }) => {
    const wanted = text.value.slice(0, from) + value + text.value.slice(end);
    text.focus();
    text.setSelectionRange(from, end);
    document.execCommand("insertText", false, value);
    if (text.value !== wanted) text.value = wanted;
    judge();
  };
  const offer = (targets) => {
    convert.hidden = !targets.length;
    const chosen = to.value;
    to.replaceChildren(make("option", { value: "" }, said.choose), ...targets.map((each) => make("option", { value: each }, said.forms[each])));
    to.value = targets.includes(chosen) ? chosen : "";
    if (targets.length) ask();
  };
  const ask = () => {
    if (!to.value) return about.replaceChildren(), result.replaceChildren();
    newest += 1;
    worker.postMessage({ id: newest, to: to.value });
    limit();
  };
  to.addEventListener("change", ask);
  const showMade = ({ made: { text: whole, ...made } }) => {
    if (whole !== undefined && !isLong(whole)) made.text = whole;
    const shown = make("pre", { tabindex: "0" }, make("code", {}, made.text ?? made.command));
    const copy = make("button", { type: "button", class: "playground__share" }, said.copy);
    copy.addEventListener("click", async () => {
      await navigator.clipboard?.writeText(made.text ?? made.command).catch(() => {});
      copy.textContent = said.copied;
    });
    const notes = ["lost", "changed", "made"].filter((each) => made[each]?.length)
      .map((each) => make("li", {}, `${said[each]} ${made[each].slice(0, 20).join(", ")}${made[each].length > 20 ? ", …" : ""}`));
    about.replaceChildren(...rich(made.text === undefined ? said[made.framed ? "command_alone" : "command"] : said.same));
    result.replaceChildren(copy, shown, make("ul", {}, ...notes));
  };
  const go = (line, column) => {
    const before = text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0) + column - 1;
    const end = text.value.indexOf("\n", before);
    text.focus();
    text.setSelectionRange(before, end < 0 ? text.value.length : end);
    text.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(text).lineHeight));
  };

  const judge = () => {
    clearTimeout(clock);
    clearTimeout(waiting);
    newest += 1;
    turn.disabled = true; // what it offers is of the text before
    keep(text.value);
    if (!text.value.trim() || text.value.length > MOST) (turn.hidden = true), offer([]);
    if (!text.value.trim()) return list.replaceChildren(...offered()), number(new Set()), tell("empty", said.empty);
    if (text.value.length > MOST) return list.replaceChildren(), lines.replaceChildren(), tell("unknown", said.large);
    if (root.dataset.state === "empty") list.replaceChildren();
    root.dataset.state = "busy";
    clearTimeout(patience);
    patience = setTimeout(tell, 300, "busy", said.busy); // most answers are there before
    worker.postMessage({ id: newest, text: text.value, as: as.value });
    limit();
  };
  // What takes too long is ended, and the page says so.
  const limit = () => {
    clearTimeout(clock);
    clock = setTimeout(() => {
      worker.terminate();
      start();
      list.replaceChildren();
      turn.hidden = true;
      offer([]);
      tell("unknown", said.slow);
    }, PATIENCE);
  };
  // The text is kept for this window: a reload and another language show it again. What would hold
  // the page while it is laid out is not kept, and gets no link: nothing shows it again.
  const KEPT = "agent-formats.playground";
  const keep = (value) => {
    try {
      sessionStorage.setItem(KEPT, value.length > MOST / 5 || isLong(value) ? "" : value);
    } catch {
      // a window without storage keeps nothing
    }
  };
  const kept = () => {
    try {
      const value = sessionStorage.getItem(KEPT) ?? ""; // an older version of the page kept any text
      return isLong(value) ? "" : value;
    } catch {
      return "";
    }
  };
  const isLong = (value) => {
    const held = value.split(/\r\n|\n|\r/);
    const most = MOST_SHAPED ** 2; // what one such line takes grows with the square of them
    const taken = (length) => held.reduce((sum, line) => sum + length(line) ** 2, 0);
    return held.length > MOST_LINES || (taken((line) => line.length) > most && taken((line) => line.length - line.replace(SHAPED, "").length) > most);
  };
  // A link holds the text itself, behind the `#`, which no browser sends to a server.
  const through = async (bytes, stream) => {
    const parts = [];
    let length = 0;
    for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > MOST) throw new RangeError("too large");
      parts.push(value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };
  const packed = async (value) => {
    const bytes = await through(new TextEncoder().encode(value), new CompressionStream("deflate-raw"));
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
      .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  };
  const unpacked = async (value) => {
    const bytes = Uint8Array.from(atob(value.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
    const inside = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    if (isLong(inside)) throw new RangeError("too many lines");
    return inside;
  };
  share.addEventListener("click", async () => {
    if (text.value.length > MOST || isLong(text.value)) return tell("unknown", said.large);
    history.replaceState(null, "", `#text=${await packed(text.value)}`);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    shared.textContent = said.shared;
  });
  turn.addEventListener("click", () => {
    change({ from: 0, to: text.value.length, text: other.text });
  });
  let links = 0;
  const begin = async () => {
    const given = /^#text=([\w-]+)(?:&line=(\d{1,6}))?$/.exec(location.hash);
    const mine = (links += 1);
    try {
      const inside = given ? await unpacked(given[1]) : kept();
      if (mine !== links) return; // another link was followed meanwhile
      text.value = inside;
    } catch (failure) {
      if (mine !== links) return;
      text.value = ""; // no link that this page made
      if (failure instanceof RangeError) return tell("unknown", said.large);
    }
    judge();
    if (given?.[2]) go(Number(given[2]), 1);
  };
  window.addEventListener("hashchange", begin);
  text.addEventListener("input", (event) => {
    if (event.inputType === "insertFromPaste") requestAnimationFrame(() => (text.scrollLeft = 0)); // else the end of a long line hides the other lines
    shared.textContent = "";
    clearTimeout(waiting);
    waiting = setTimeout(judge, 120);
  });
  text.addEventListener("scroll", () => (lines.scrollTop = text.scrollTop));
  as.addEventListener("change", () => judge());
  const take = (chosen) => {
    as.value = "";
    text.value = examples[chosen].text;
    judge();
  };
  // What an empty page offers: each example by its name.
  const offered = () => examples.map((each, index) => {
    const name = make("button", { type: "button" }, each.title);
    name.addEventListener("click", () => (take(index), text.focus()));
    return make("li", {}, name);
  });
  example.addEventListener("change", () => example.value === "" || take(Number(example.value)));
  file.addEventListener("change", async () => {
    const chosen = file.files[0];
    if (!chosen) return;
    if (chosen.size > MOST) return list.replaceChildren(), tell("unknown", said.large);
    const held = await chosen.text();
    if (isLong(held)) return list.replaceChildren(), tell("unknown", said.large);
    text.value = held;
    file.value = ""; // the same file, changed, may be chosen again
    judge();
  });
  begin();
})();
