// What is said of values and places: kinds, equality, pointers, paths, and texts that are safe to show.
// The parts of the engine are joined in the order of `scripts/website/pages/playground.py`, and know
// nothing but the data that the build made of the source: no network, no page. A worker runs them,
// and so do the tests.
"use strict";

const SHOWN = 80;
const SHOWN_NAME = 200;
// What no eye sees, and what turns, hides or joins text: the kit's report writes the same out.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff0-\ufffb\u{13430}-\u{1345f}\u{16fe4}\u{1d159}]/gu;
// Accents that would cover other lines, or change the quotation mark before them.
const STACKED = /(?<=\p{M}{6}|")\p{M}/gu;

const escapeStep = (step) => String(step).replace(/~/g, "~0").replace(/\//g, "~1");
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const objectOr = (value) => (isObject(value) ? value : {});
const holds = (value, name) => Object.hasOwn(value, name);

const pointerOf = (at) => at.map((step) => "/" + escapeStep(step)).join("");

function pathOf(at) {
  return at.reduce((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    return /^[A-Za-z_$][A-Za-z0-9_$-]{0,199}$/.test(step) ? `${path}.${step}` : `${path}[${shown(step, SHOWN_NAME)}]`;
  }, "$");
}

// A value as JSON text that is safe to show, cut where it is long.
function shown(value, limit = SHOWN) {
  const text = written(value, limit + 1);
  const cut = text.length <= limit || (typeof value === "string" && value.length <= limit) ? text :
    text.slice(0, limit) + (typeof value === "string" ? '…"' : "…");
  return cut.replace(UNSEEN, escapedSigns).replace(STACKED, escapedSigns);
}

// The JSON text of a value, on lines of its own; what no eye sees is written out.
const jsonOf = (value) => JSON.stringify(value, null, 2).replace(UNSEEN, (signs) => (signs === "\n" ? signs : escapedSigns(signs)));

const escapedSigns = (signs) => signs.split("").map((sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0")).join("");

function written(value, room) {
  if (typeof value === "string") return JSON.stringify(value.slice(0, room));
  if (!Array.isArray(value) && !isObject(value)) return JSON.stringify(value);
  const list = Array.isArray(value);
  const parts = [];
  let length = 2;
  for (const [name, each] of Object.entries(value)) {
    if (length > room) break;
    const part = (list ? "" : JSON.stringify(name.slice(0, room)) + ": ") + written(each, room);
    length += part.length + 2;
    parts.push(part);
  }
  return (list ? "[" : "{") + parts.join(", ") + (list ? "]" : "}");
}

const words = (data, id, values) =>
  data.messages[id].replace(/\{([a-z]\w*)(?:\|([^{}|]*)\|([^{}|]*))?\}|\{\{|\}\}/g, (all, name, one, other) => {
    if (name === undefined) return all[0];
    if (!(name in values)) return all;
    const value = String(values[name]);
    return one === undefined ? value : (value === "1" ? one : other).replaceAll("#", value);
  });

// The same text for equal values: the names of an object stand in order.
const canonical = (value) => JSON.stringify(value, (_, each) =>
  isObject(each) ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))) : each);

function equal(one, other) {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((each, i) => equal(each, other[i]));
  }
  if (isObject(one)) {
    const names = Object.keys(one);
    return isObject(other) && names.length === Object.keys(other).length &&
      names.every((name) => name in other && equal(one[name], other[name]));
  }
  return one === other;
}
