"""Where a fact is in the source: what the checklists of the original texts name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import urldefrag, urljoin

from scripts.generator.build import Source, load_source, read_source
from scripts.generator.build import outputs as made_of
from tests.root import ROOT


@cache
def source() -> Source:
    return read_source(load_source(ROOT))[0]


@cache
def schemas() -> dict[str, Any]:
    made = made_of(source())
    return {
        json.loads(content)["$id"]: json.loads(content)
        for path, content in made.items()
        if path.endswith(".schema.json")
    }


def below(node: Any, base: str) -> Iterator[tuple[Any, str]]:
    """The schemas that apply to the same value as `node`, with the `$id` they are relative to."""
    if not isinstance(node, dict):
        return
    yield node, base
    if "$ref" in node:
        where, fragment = urldefrag(urljoin(base, node["$ref"]))
        target = schemas()[where]
        for step in fragment.strip("/").split("/") if fragment else ():
            target = target[step.replace("~1", "/")]
        yield from below(target, where)
    for keyword in ("then", "else"):
        yield from below(node.get(keyword), base)
    for inner in node.get("allOf", ()):
        yield from below(inner, base)


def find(document: str, path: str) -> tuple[bool, bool]:
    """Whether a document has a property at `path`, and whether it is required there."""
    spec, name = document.split("/")
    root = next(i for i in schemas() if f"/{spec}/" in i and i.endswith(f"/{name}.schema.json"))
    places = [(schemas()[root], root)]
    required = False
    for step in re.findall(r"[^.\[\]{}]+|\[\]|\{\}", path):
        nodes = [each for place in places for each in below(*place)]
        if step == "[]":
            places = [(node["items"], base) for node, base in nodes if "items" in node]
        elif step == "{}":
            places = [
                (node["additionalProperties"], base)
                for node, base in nodes
                if isinstance(node.get("additionalProperties"), dict)
            ]
        else:
            required = any(step in node.get("required", ()) for node, _ in nodes)
            places = [
                (node["properties"][step], base)
                for node, base in nodes
                if step in node.get("properties", {})
            ]
    return bool(places), required


def missing(found: str, reasons: frozenset[str] = frozenset()) -> str | None:
    """What is not found of one place, None where it is."""
    kind, _, rest = found.partition(" ")
    place, _, more = rest.partition(" ")
    spec, _, name = place.partition("/")
    known: dict[str, Any] = {
        "clause": lambda: place in {each.id for each in source().clauses},
        "example": lambda: (spec, name) in {(e.spec, e.id) for e in source().examples},
        "change": lambda: (spec, name) in {(e.spec, e.id) for e in source().changes},
        "erratum": lambda: (spec, name) in {(e.spec, e.id) for e in source().errata},
        "vocabulary": lambda: place in source().vocabularies,
        "alias": lambda: place in source().project.aliases,
        "label": lambda: place in source().project.legacy_labels["atdf"],
        "command": (ROOT / "conformance" / "cli" / f"{place}.py").is_file,
        "file": (ROOT / place).is_file,
        "out": lambda: place in reasons,
        "value": lambda: more in source().vocabularies[place].words(),
        "field": lambda: find(place, more)[0],
        "required": lambda: all(find(place, more)),
    }
    return None if known[kind]() else found
