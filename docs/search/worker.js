/* The search of the site. It speaks with the theme as the theme's own worker does, and asks
   MiniSearch. Before this stand `STOP_WORDS`, `SYNONYMS`, `stem` and `MiniSearch`: see `scripts/website/search.py`. */
"use strict";

/* A name of code, of the specifications or of the kit: isError, suggested_value, ATDF-ERR-004, --max-time, E3001. Among
   plain words it counts as several of them. */
const NAME = /[a-zA-Z0-9][_\-./][a-zA-Z0-9]|[a-z][A-Z]|\d/, NAMED = 3;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]*/gu;
const PARTS = /[_./-]+|(?<=[a-z])(?=[A-Z])/;
const WEIGHTS = { title: 3, anchor: 1, page: 8, about: 16, text: 1, code: 0.3 };
/* A listing uses a name many times; the sentence next to it says what the name is. */
const LISTING = /<pre>[^]*?<\/pre>/g;
/* A record whose title or anchor is what was asked; and how much its page's other records count. */
const EXACT = 10, REST = 0.15, MOST_OTHERS = 5;
/* An error code or a value may be a plain word, such as `authentication`: then other pages may be meant as well. */
const PLAIN_ROW = 2;
/* Somebody who asks in a sentence wants an explanation rather than one field, fault or word. */
const SENTENCE = 3, ROW = 0.3;
/* And best of all the same question, with its answer. */
const ASKED = 3;
/* A message of the kit is what was asked, if the question is long and has this share of its words in it. */
const LONG = 5, QUOTED = 0.7;
const PAGES = 20, OF_ONE = 8, LENGTH = 220;
/* Signs of a question that are read: a link may have any number of them, and a long word takes their square. */
const LONGEST = 300;

const fold = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
const stopWords = new Set(STOP_WORDS.map(fold));
const words = (text) => (text.match(WORD) ?? []).map((word) => word.replace(/[./-]+$/, ""));
/* A name is found whole, and by its parts. */
const tokens = (text) => words(text).flatMap((word) => {
  const parts = word.split(PARTS).filter((part) => part.length > 1);
  return parts.length > 1 ? [word, ...parts] : [word];
});
/* A word is found in its other forms, with its accents and without them. Each word is stemmed once: all
   pages together have few words, and say them often. */
const known = new Map();
const forms = (word) => {
  let made = known.get(word);
  if (!made) {
    made = NAME.test(word) ? [fold(word)] : [...new Set([word.toLowerCase(), fold(word)].map((each) => fold(stem(each))))];
    known.set(word, made);
  }
  return made;
};

/* Words that people use for one another: each finds the others as well, a little less. */
const SAME = 0.6;
const groups = SYNONYMS.map((group) => group.split(" "));
const others = (word) => groups.filter((group) => group.some((each) => forms(each).some((form) => forms(word).includes(form))))
  .flat().filter((each) => !forms(each).some((form) => forms(word).includes(form)));

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
const plain = (markup) => markup.replace(/<[^>]*>/g, " ").replace(/&(?:lt|gt|quot|#39|amp);/g, (each) => ENTITIES[each]);
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const pageOf = (location) => location.split("#")[0];
const anchorOf = (location) => location.split("#")[1] ?? "";

let index;
const records = new Map();
const titles = new Map();
const named = new Set();

function build(docs) {
  for (const doc of docs) {
    if (records.has(doc.location)) continue;
    records.set(doc.location, doc);
    titles.set(doc.location, fold(plain(doc.title)));
    named.add(titles.get(doc.location));
  }
  index = new MiniSearch({
    idField: "location",
    fields: Object.keys(WEIGHTS),
    tokenize: tokens,
    processTerm: forms,
    extractField: (doc, field) => {
      switch (field) {
        case "location": return doc.location;
        case "anchor": return anchorOf(doc.location);
        case "page": return anchorOf(doc.location) ? plain(records.get(pageOf(doc.location))?.title ?? "") : "";
        case "text": return plain((doc.text ?? "").replace(LISTING, " "));
        case "code": return plain((doc.text ?? "").match(LISTING)?.join(" ") ?? "");
        default: return plain(doc[field] ?? "");
      }
    },
  });
  index.addAll([...records.values()]);
}

/* A word that nothing has, with two neighboring letters the other way around if that is a word. The last word may be
   unfinished. */
function turned(word, last) {
  const has = (each) => index.search(each, { tokenize: (text) => [text], prefix: last && each.length > 2 }).length > 0;
  if (word.length < 4 || word.length > 20 || NAME.test(word) || has(word)) return word;
  const swaps = Array.from(word.slice(1), (_, at) => word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2));
  return swaps.find(has) ?? word;
}

/* The pages that answer best, each with its records: [{page, score, held: [{doc, score}]}], and the forms of
   words that were found. */
function found(question) {
  const asked = words(question);
  const kept = asked.filter((word) => NAME.test(word) || !stopWords.has(fold(word)));
  const sought = (kept.length ? kept : asked);
  const met = new Set();
  if (!sought.length) return { pages: [], met };
  const whole = fold(sought.find((word) => /-\d/.test(word) && named.has(fold(word))) ?? sought.join(" ")); // a clause among other words
  const sentence = !NAME.test(whole) && (sought.length < asked.length || sought.length >= SENTENCE);
  const pages = new Map();
  const seen = new Map();
  for (const [at, typed] of sought.entries()) {
    const last = at === sought.length - 1;
    const word = turned(typed, last);
    const results = new Map();
    for (const [place, meant] of [word, ...others(word)].entries()) {
      const options = place ? {} : {
        fuzzy: /\d/.test(word) || word.length < 5 ? false : word.length < 8 ? 1 : 2,
        prefix: last && word.length > 2,
        weights: { fuzzy: 0.2, prefix: 0.4 },
      };
      for (const { id, score: full, terms } of index.search(meant, { boost: WEIGHTS, tokenize: (text) => [text], ...options })) {
        const score = full * (place ? SAME : 1) * (NAME.test(word) ? NAMED : 1);
        if (!(results.get(id)?.score >= score)) results.set(id, { score, terms });
      }
    }
    for (const [id, { score, terms }] of results) {
      const held = seen.get(id) ?? { doc: records.get(id), score: 0, words: 0 };
      held.score += score;
      held.words += 1;
      for (const term of terms) met.add(term);
      seen.set(id, held);
    }
  }
  for (const [id, held] of seen) {
    const share = held.words / sought.length;
    const quoted = held.doc.quoted && sought.length >= LONG && share >= QUOTED;
    held.score *= share * share * (quoted ? EXACT : held.doc.boost ?? 1);
    if (sentence && held.doc.asked) held.score *= ASKED;
    if (sentence && held.doc.row && !quoted) held.score *= ROW;
    else if (titles.get(id) === whole || (!sentence && fold(anchorOf(id)) === whole)) held.score *= held.doc.row && !NAME.test(whole) ? PLAIN_ROW : EXACT;
    pages.set(pageOf(id), [...(pages.get(pageOf(id)) ?? []), held]);
  }
  const best = [...pages].map(([page, held]) => {
    held.sort((one, other) => other.score - one.score);
    const rest = held.slice(1, 1 + MOST_OTHERS).reduce((sum, { score }) => sum + score, 0);
    return { page, held, score: held[0].score + REST * rest };
  }).sort((one, other) => other.score - one.score);
  return { pages: best.slice(0, PAGES), met };
}

/* Whether a word is one that was met; most words of a text are asked about more than once. */
function marker(met) {
  const asked = new Map();
  const meets = (word) => forms(word).some((form) => met.has(form));
  return (word) => {
    if (!asked.has(word)) asked.set(word, meets(word) || word.split(PARTS).some((part) => part && meets(part)));
    return asked.get(word);
  };
}

/* The part of a text that has most of the words, with the words marked. */
function excerpt(text, hit) {
  const hits = [...text.matchAll(WORD)].map(({ 0: word, index: at }) => [word.replace(/[./-]+$/, ""), at])
    .filter(([word]) => hit(word)).map(([word, at]) => [at, at + word.length]);
  const [from] = hits.map(([at]) => [at, hits.filter(([begin, end]) => begin >= at && end <= at + LENGTH).length])
    .reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0]);
  const start = from < LENGTH / 2 ? 0 : text.lastIndexOf(" ", from - 30) + 1;
  let end = Math.min(text.length, start + LENGTH);
  if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), start + LENGTH / 2);
  let made = start ? "… " : "", at = start;
  for (const [begin, close] of hits) if (begin >= start && close <= end) {
    made += `${escaped(text.slice(at, begin))}<mark>${escaped(text.slice(begin, close))}</mark>`;
    at = close;
  }
  return made + escaped(text.slice(at, end)) + (end < text.length ? " …" : "");
}

function answer(question) {
  const { pages, met } = found(question.slice(0, LONGEST));
  const hit = marker(met);
  const items = pages.map(({ page, held }) => {
    const shown = held.slice(0, OF_ONE).map(({ doc, score }) => ({
      location: doc.location,
      title: excerpt(plain(doc.title), hit),
      text: excerpt(plain(doc.about ?? doc.text).replace(/\s+/g, " ").trim(), hit),
      score,
      terms: {},
    }));
    const own = records.get(page);
    if (own && !shown.some(({ location }) => location === page))
      shown.push({ location: page, title: escaped(plain(own.title)), text: "", score: 0, terms: {} });
    return shown;
  });
  return { items };
}

self.addEventListener("message", ({ data: { type, data } }) => {
  if (type === 0) {
    build(data.docs);
    self.postMessage({ type: 1 });
  } else if (type === 2) {
    self.postMessage({ type: 3, data: answer(data) });
  }
});
