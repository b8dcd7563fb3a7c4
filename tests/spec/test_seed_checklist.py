"""Every fact of the five seeds is in the source, or is said not to be built, and why.

`tests/spec/checklist/` has a file for each seed. An entry maps a word of the seed to its place:

    field SPEC/DOCUMENT PATH       a property of a schema; `required` where it must also be required
    value VOCABULARY WORD          a word of a vocabulary; columns may be asserted as well
    clause ID, example SPEC/ID, change SPEC/ID, alias NAME, label LABEL
    command NAME, file PATH
    out REASON                     not built; reasons.yaml says why

` + ` joins several. `words` are patterns that find the words of the seed by themselves, so that
none is forgotten: each must be an entry, or be listed under `data` as a member of a printed
example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.root import ROOT
from tests.spec.places import missing, source

SEEDS = ROOT.parent / "shared" / "seeds"
FOLDER = Path(__file__).parent / "checklist"


def load(name: str) -> Any:
    return YAML(typ="safe", pure=True).load((FOLDER / name).read_text(encoding="utf-8"))


NAMES = sorted(file.name for file in FOLDER.glob("[0-9]*.yaml"))
LISTS = {name: load(name) for name in NAMES}
REASONS = load("reasons.yaml")
_KNOWN = frozenset(REASONS)


def entries(name: str) -> Iterator[tuple[str, str, Any]]:
    for group in LISTS[name]["groups"]:
        for word, found in group["items"].items():
            yield group["kind"], word, found


ALL = [(name, *entry) for name in NAMES for entry in entries(name)]


@pytest.mark.parametrize(("name", "kind", "word", "found"), ALL, ids=lambda each: str(each)[:40])
def test_a_fact_of_a_seed_is_in_the_source(name: str, kind: str, word: str, found: Any):
    columns = {} if isinstance(found, str) else {k: v for k, v in found.items() if k != "found"}
    places = found if isinstance(found, str) else found.get("found", "")
    named = filter(None, places.split(" + "))
    assert [each for each in named if missing(each, _KNOWN)] == []
    if columns:
        vocabulary, value = columns.pop("value").split()
        row = next(v for v in source().vocabularies[vocabulary].values if v.value == value)
        assert {name: row.columns[name] for name in columns} == columns


@pytest.mark.parametrize("name", NAMES)
def test_every_word_that_a_seed_shows_is_on_its_list(name: str):
    listed = LISTS[name]
    file = SEEDS / listed["seed"]
    if not file.is_file():
        pytest.skip(f"the seed {listed['seed']} is not next to this project")
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
