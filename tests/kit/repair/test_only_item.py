"""One value for a list: a server that reads it as a list of one may name, and repair, its item."""

from dataclasses import replace

import pytest

from conformance.formats.tool.errors import envelope_of
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.model.case import Violation
from conformance.kit.repair.hints import list_of, with_lists
from conformance.spec.vocabulary import Verdict
from tests.kit.samples import accepted, error, refused, run_evidence, tool_evidence, verdict

WORDS = {"type": "array", "items": {"enum": ["red", "blue"]}}
SCHEMA = {
    "type": "object",
    "properties": {
        "colours": {"anyOf": [WORDS, {"type": "null"}]},
        "tags": WORDS,
        "name": {"type": "string"},
        "table": {"type": "object"},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"tags": WORDS}}},
    },
}
LISTS = Tool("book", SCHEMA, ToolForm.CATALOG, {"name": "book"})


@pytest.mark.parametrize("name", ["colours[0]", "colours.0", "/colours/0", "tags[0]"])
def test_the_only_item_of_a_list_is_known(name):
    whole = "/tags" if name.startswith("tags") else "/colours"
    assert list_of(name, {"colours": "abc", "tags": 7}, SCHEMA) == whole


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("colours", {"colours": "abc"}),
        ("colours[1]", {"colours": "abc"}),
        ("colours[0]", {"colours": ["abc"]}),
        ("colours[0]", {"colours": {"a": 1}}),
        ("colours[0]", {"colours": None}),
        ("colours[0]", {}),
        ("name[0]", {"name": "abc"}),
        ("table.0", {"table": "abc"}),
        (None, {"colours": "abc"}),
    ],
)
def test_no_other_place_is_taken_for_one(name, sent):
    assert list_of(name, sent, SCHEMA) is None


def test_a_list_within_a_list_is_found():
    sent = {"rows": [{}, {"tags": "red"}]}
    assert list_of("rows[1].tags[0]", sent, SCHEMA) == "/rows/1/tags"
    repaired = with_lists(sent, [suggesting("rows[1].tags[0]", "blue")], SCHEMA)
    assert repaired == {"rows": [{}, {"tags": ["red"]}]}


def test_a_schema_that_cannot_be_used_has_no_lists():
    assert list_of("tags[0]", {"tags": "a"}, {"$ref": "#/$defs/none"}) is None


def suggesting(name, value):
    (found,) = envelope_of({"errors": [error(parameter=name, suggested_value=value)]}).errors
    return found


def test_a_suggestion_for_the_item_makes_the_value_a_list_and_leaves_all_else():
    sent = {"colours": "abc", "tags": "x", "name": "n"}
    twice = [suggesting("colours[0]", "red")] * 2
    assert with_lists(sent, twice, SCHEMA) == {**sent, "colours": ["abc"]}
    assert with_lists(sent, [suggesting("colours[0]", None)], SCHEMA) == sent
    assert sent["colours"] == "abc"


def named(blamed, sent):
    """The verdict on an error that names this for a value of the wrong type."""
    (broken,) = sent
    violation = Violation(f"/{broken}", broken, ("type",), was=["red"], sent=sent[broken])
    call = refused(error(parameter=blamed), arguments=sent, violation=violation)
    call = replace(call, tool=LISTS)
    run = run_evidence(tool_evidence(accepted(), call, tool=LISTS), claims=True)
    return verdict("ATDF-ERR-007", run, "book").verdict


@pytest.mark.parametrize("name", ["colours", "colours[0]"])
def test_the_list_and_its_only_item_are_both_right_names(name):
    assert named(name, {"colours": "abc"}) is Verdict.PASS


@pytest.mark.parametrize(
    ("name", "sent"), [("colours[0]", {"tags": "abc"}), ("name[0]", {"name": 5})]
)
def test_the_item_of_another_place_is_no_right_name(name, sent):
    assert named(name, sent) is Verdict.FAIL
