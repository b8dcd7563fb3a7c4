"""Every item of the original texts, with what shows it: each proof is run, not only looked up.

An item names its proofs as in `test_seed_checklist.py`, and also:

    block 000/3        a printed block, verbatim, through validate and convert
    conversion NAME    of `conversions.yaml`
    request NAME       of `requests.yaml`, sent to the reference server
    erratum SPEC/ID, vocabulary NAME
    anchor PAGE#ID     a heading of the site
    reason NAME        why it is left out: `site.seed_out_NAME`
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import httpx2
import pytest

from conformance.convert.convert import convert
from conformance.convert.form import TARGETS, Form
from conformance.formats.text.json_text import read
from conformance.formats.validate.validate import examine, validate
from conformance.spec.vocabulary import Requirement
from fixtures.servers.start import listening
from scripts.generator.seeds import DIFFERS, OUT
from tests.root import ROOT
from tests.spec.places import missing, source
from tests.spec.printed import blocks, text_of

pytestmark = pytest.mark.usefixtures("forked")

ITEMS = [item for seed in source().seeds.seeds for group in seed.groups for item in group.items]
SHOWN = sorted({each for item in ITEMS for each in item.shown})
TRIALS = source().seeds.trials
COUNTS = {"000": 67, "001": 53, "002": 43, "003": 84, "004": 74}


def of_kind(kind: str) -> list[str]:
    return [each.partition(" ")[2] for each in SHOWN if each.partition(" ")[0] == kind]


@cache
def anchors(page: str) -> frozenset[str]:
    text = (ROOT / "docs" / "en" / page).read_text(encoding="utf-8")
    return frozenset(part.split("}")[0].strip() for part in text.split("{ #")[1:])


def at(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def example(name: str) -> Any:
    spec, _, wanted = name.partition("/")
    return next(e.data for e in source().examples if (e.spec, e.id) == (spec, wanted))


def test_all_items_are_listed_and_each_has_a_proof():
    assert Counter(item.id.partition("-")[0] for item in ITEMS) == COUNTS
    assert len(ITEMS) == 321
    assert all(item.shown for item in ITEMS)


@pytest.mark.parametrize("item", ITEMS, ids=lambda each: each.id)
def test_what_differs_or_is_left_out_says_why(item):
    kinds = {each.partition(" ")[0] for each in item.shown}
    if item.state == DIFFERS:
        assert kinds & {"change", "erratum", "clause"}
    assert ("reason" in kinds) == (item.state == OUT)


@pytest.mark.parametrize("shown", SHOWN)
def test_a_proof_is_there(shown):
    kind, _, name = shown.partition(" ")
    if kind in ("block", "conversion", "request"):
        assert name in TRIALS[f"{kind}s"]
    elif kind == "anchor":
        page, _, anchor = name.partition("#")
        assert f"#{anchor}"[1:] in anchors(page)
    elif kind == "reason":
        assert f"site.seed_out_{name}" in source().messages
    else:
        assert missing(shown) is None


@pytest.mark.parametrize("name", sorted({*of_kind("example")}))
def test_an_example_is_what_it_is_said_to_be(name):
    found = next(e for e in source().examples if f"{e.spec}/{e.id}" == name)
    seen = examine(json.dumps(found.data).encode(), document=found.document)
    assert seen.valid == (found.breaks is None)


@pytest.mark.parametrize("clause", of_kind("clause"))
def test_a_clause_finds_what_breaks_it(clause):
    for each in source().examples:
        if each.breaks == clause:
            seen = examine(json.dumps(each.data).encode(), document=each.document)
            assert clause in {found.clause for found in seen.problems}


@pytest.mark.parametrize("name", sorted(TRIALS["conversions"]))
def test_a_conversion_has_its_outcome(name):
    trial = TRIALS["conversions"][name]
    asked = trial["from"]
    document = example(asked) if isinstance(asked, str) else asked
    made = convert(document, Form(trial["to"]))
    if "no" in trial:
        assert made.data is None
        assert [each.message.id for each in made.problems] == [trial["no"]]
        return
    assert made.problems == ()
    assert {path: at(made.data, path) for path in trial["gives"]} == trial["gives"]
    assert sorted(made.lost) == sorted(trial.get("lost", []))
    assert sorted(made.changed) == sorted(trial.get("changed", []))
    if trial["to"] in ("catalog", "descriptor", "ardf", "error"):
        assert [each for each in validate(made.data) if each.requirement is Requirement.MUST] == []


@pytest.fixture(scope="module")
def server():
    with listening() as url, httpx2.Client(base_url=url) as http:
        yield http


@pytest.mark.parametrize("name", sorted(TRIALS["requests"]))
def test_the_reference_server_answers_so(server, name):
    trial = TRIALS["requests"][name]
    answer = server.request(
        trial["method"],
        trial["path"],
        json=trial.get("body"),
        headers=trial.get("headers"),
    )
    assert answer.status_code == trial["status"]
    said = answer.json()
    assert {path: at(said, path) for path in trial["has"]} == trial["has"]


def outcome(raw: bytes, notation: Any) -> dict[str, Any]:
    """What validate and convert say of a block."""
    seen = examine(raw, notation)
    data = read(raw, notation).data
    known = seen.recognition.document if seen.recognition else "unknown"
    said = sorted({str(each.clause or each.keyword) for each in seen.problems})
    forms = [to.value for to in TARGETS if convert(data, to).data is not None]
    made: dict[str, Any] = {"as": known}
    return made | ({"problems": said} if said else {}) | ({"becomes": forms} if forms else {})


@pytest.mark.parametrize("seed", sorted({name.partition("/")[0] for name in TRIALS["blocks"]}))
def test_a_printed_block_goes_through_validate_and_convert(seed):
    text = text_of(seed)
    if text is None:
        pytest.skip("the original texts are not next to this project")
    found = {f"{seed}/{i}": outcome(*block) for i, block in enumerate(blocks(text), 1)}
    pinned = {name: each for name, each in TRIALS["blocks"].items() if name.startswith(seed)}
    assert found == pinned
