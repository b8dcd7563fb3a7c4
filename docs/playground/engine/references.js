/* exported leadNowhere */
// The references of a schema that lead to nothing in it, or out of it. Nothing is ever fetched.
"use strict";

const NAMING = ["$ref", "$dynamicRef"];
const ROOT = "root:/schema";

// The addresses of the schemas in a schema, and of the names in them.
function addressed(schema, draft4) {
  const known = new Map([[ROOT, schema]]);
  const bases = [];
  const names = new Set();
  for (const [node, at] of schemasIn(schema)) {
    const parent = bases.findLast((each) => each.at.every((step, index) => at[index] === step));
    let base = parent?.base ?? ROOT;
    const own = draft4 ? node.id : node.$id;
    if (typeof own === "string" && own.startsWith("#")) names.add(base + own);
    else if (typeof own === "string") {
      base = addressOf(base, own).split("#")[0];
      known.set(base, node);
      bases.push({ at, base });
    }
    for (const word of ["$anchor", "$dynamicAnchor"]) if (typeof node[word] === "string") names.add(`${base}#${node[word]}`);
  }
  return { known, names, baseOf: (at) => bases.findLast((each) => each.at.every((step, index) => at[index] === step))?.base ?? ROOT };
}

function addressOf(base, reference) {
  const [, scheme, host, path] = /^([A-Za-z][\w+.-]*:)?(\/\/[^/?#]*)?([^#]*)/.exec(base);
  if (/^[A-Za-z][\w+.-]*:/.test(reference)) return reference;
  if (reference.startsWith("//")) return scheme + reference;
  if (reference.startsWith("/")) return scheme + (host ?? "") + reference;
  return reference === "" || reference.startsWith("#") ? base + reference : scheme + (host ?? "") + resolve(path, reference);
}

function* leadNowhere(schema, at, draft4) {
  if (![...schemasIn(schema)].some(([node]) => NAMING.some((word) => typeof node[word] === "string"))) return;
  const { known, names, baseOf } = addressed(schema, draft4);
  const leads = (reference, base) => {
    const [address, fragment = ""] = addressOf(base, reference).split("#");
    if (!known.has(address)) return /^https?:\/\/json-schema\.org\/draft[/-]/.test(address);
    if (fragment.startsWith("/")) return placeIn(known.get(address), fragment) !== undefined;
    return fragment === "" || names.has(`${address}#${fragment}`);
  };
  for (const [node, place] of schemasIn(schema)) {
    for (const keyword of NAMING) {
      const reference = node[keyword];
      if (typeof reference !== "string" || leads(reference, baseOf(place))) continue;
      const id = `documents.schema.${/^(https?:|\/\/)/.test(reference) ? "remote" : "dangling"}_ref`;
      yield { at: [...at, ...place, keyword], reference, id, values: { keyword, ref: shown(reference) }, keyword: "ATDF-TOOL-005", clause: "ATDF-TOOL-005", trail: [] };
    }
  }
}
