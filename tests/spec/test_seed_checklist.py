"""Every fact of the five seeds is in the source, or is said not to be built, and why.

`tests/spec/checklist/` has a file for each seed. An entry maps a word of the seed to its place:

    field SPEC/DOCUMENT PATH       a property of a schema; `required` where it must also be required
    value VOCABULARY WORD          a word of a vocabulary; columns may be asserted beside it
    clause ID, example SPEC/ID, change SPEC/ID, alias NAME, label LABEL
    command NAME, file PATH
    out REASON                     not built; reasons.yaml says why

` + ` joins several. `words` are patterns that find the words of the seed by themselves, so that
none is forgotten: each must be an entry, or stand under `data` as a member of a printed example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest
from ruamel.yaml import YAML

from scripts.generator.build import Source, load_source, read_source
from scripts.generator.build import outputs as made_of
from tests.root import ROOT

SEEDS = ROOT.parent / "shared" / "seeds"
FOLDER = Path(__file__).parent / "checklist"


@cache
def source() -> Source:
    return read_source(load_source(ROOT))[0]


def load(name: str) -> Any:
    return YAML(typ="safe", pure=True).load((FOLDER / name).read_text(encoding="utf-8"))


NAMES = sorted(file.name for file in FOLDER.glob("[0-9]*.yaml"))
LISTS = {name: load(name) for name in NAMES}
REASONS = load("reasons.yaml")


def entries(name: str) -> Iterator[tuple[str, str, Any]]:
    for group in LISTS[name]["groups"]:
        for word, found in group["items"].items():
            yield group["kind"], word, found


ALL = [(name, *entry) for name in NAMES for entry in entries(name)]


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


def missing(found: str) -> str | None:
    """What is not found of one place, None where it is."""
    kind, _, rest = found.partition(" ")
    place, _, more = rest.partition(" ")
    spec, _, name = place.partition("/")
    known: dict[str, Any] = {
        "clause": lambda: place in {each.id for each in source().clauses},
        "example": lambda: (spec, name) in {(e.spec, e.id) for e in source().examples},
        "change": lambda: (spec, name) in {(e.spec, e.id) for e in source().changes},
        "alias": lambda: place in source().project.aliases,
        "label": lambda: place in source().project.legacy_labels["atdf"],
        "command": (ROOT / "conformance" / "cli" / f"{place}.py").is_file,
        "file": (ROOT / place).is_file,
        "out": lambda: place in REASONS,
        "value": lambda: more in source().vocabularies[place].words(),
        "field": lambda: find(place, more)[0],
        "required": lambda: all(find(place, more)),
    }
    return None if known[kind]() else found


@pytest.mark.parametrize(("name", "kind", "word", "found"), ALL, ids=lambda each: str(each)[:40])
def test_a_fact_of_a_seed_is_in_the_source(name: str, kind: str, word: str, found: Any):
    columns = {} if isinstance(found, str) else {k: v for k, v in found.items() if k != "found"}
    places = found if isinstance(found, str) else found.get("found", "")
    assert [each for each in map(missing, filter(None, places.split(" + "))) if each] == []
    if columns:
        vocabulary, value = columns.pop("value").split()
        row = next(v for v in source().vocabularies[vocabulary].values if v.value == value)
        assert {name: row.columns[name] for name in columns} == columns


@pytest.mark.parametrize("name", NAMES)
def test_every_word_that_a_seed_shows_is_on_its_list(name: str):
    listed = LISTS[name]
    file = SEEDS / listed["seed"]
    if not file.is_file():
        pytest.skip(f"the seed {listed['seed']} is not beside this project")
    text = file.read_text(encoding="utf-8")
    known = {word for _, word, _ in entries(name)} | set(listed["data"])
    for pattern in listed["words"]:
        words = {
            next(filter(None, each.groups())) for each in re.finditer(pattern, text, re.MULTILINE)
        }
        assert words, f"{pattern} finds nothing"
        assert words - known == set(), pattern


def test_every_reason_is_used_and_every_seed_has_its_list():
    used = {each.split()[1] for *_, each in ALL if isinstance(each, str) and each.startswith("out")}
    assert used == set(REASONS)
    assert [name[:3] for name in NAMES] == ["000", "001", "002", "003", "004"]


def test_the_search_for_a_fact_can_fail():
    for absent in (
        "field atdf/tool nothing",
        "required atdf/tool version",
        "clause ATDF-CAT-999",
        "value json_type null",
        "example atdf/nothing",
        "out because",
    ):
        assert missing(absent) == absent
