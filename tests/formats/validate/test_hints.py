"""Names that are nearly those that the format knows, and required names that no property has."""

from __future__ import annotations

import json
import time

import pytest

from conformance.formats.problem import MISSPELLED, UNDECLARED
from conformance.formats.validate.validate import examine
from conformance.spec.vocabulary import Requirement
from tests.root import ROOT

TOOL = {"name": "a", "description": "Does a.", "inputSchema": {"type": "object"}}
RIGHT_ERROR = {
    "type": "https://example.com/errors/validation-error",
    "title": "T",
    "detail": "D",
    "instance": "urn:uuid:0b7c2a53-8f4e-4f0a-9d53-6a1f2f0f4a11",
    "tool_name": "a",
}


def hinted(value, **options):
    found = examine(json.dumps(value).encode(), **options)
    return {
        each.path: dict(each.message.values).get("known", "")
        for each in found.problems
        if each.keyword in (MISSPELLED, UNDECLARED)
    }


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (TOOL | {"outputShema": {}}, {"$.outputShema": "outputSchema"}),
        (TOOL | {"meta": {}}, {"$.meta": "_meta"}),
        (TOOL | {"Tags": []}, {"$.Tags": "tags"}),
        ({"tools": [TOOL, TOOL | {"atgs": []}]}, {"$.tools[1].atgs": "tags"}),
        (
            {"errors": [RIGHT_ERROR | {"parametr_name": "x"}]},
            {"$.errors[0].parametr_name": "parameter_name"},
        ),
        (
            TOOL | {"inputSchema": {"type": "object", "requird": ["a"]}},
            {"$.inputSchema.requird": "required"},
        ),
        (
            TOOL | {"inputSchema": {"type": "object", "properties": {"x": {"descripton": "d"}}}},
            {"$.inputSchema.properties.x.descripton": "description"},
        ),
        (
            {"type": "object", "properties": {"x": {"enums": ["a"]}}},
            {"$.properties.x.enums": "enum"},
        ),
    ],
)
def test_a_name_that_is_nearly_a_known_one_is_told(value, found):
    assert hinted(value) == found


@pytest.mark.parametrize(
    "value",
    [
        TOOL | {"x-tag": 1, "com.example/tag": 1, "$tags": 1, "owner": "me"},
        TOOL | {"tags": ["a"], "tag": "a"},
        TOOL | {"inputSchema": {"type": "object", "properties": {"descripton": {"example": 1}}}},
        TOOL | {"examples": [{"name": "n", "input": {"descripton": 1}}]},
        {"type": "object", "properties": {"x": {"default": {"typ": 1}, "nullable": True}}},
    ],
    ids=["prefix", "both", "property", "data", "default"],
)
def test_a_name_of_somebodys_own_is_not_told(value):
    assert hinted(value) == {}


def test_a_hint_is_a_warning_and_the_document_stays_valid():
    found = examine(json.dumps(TOOL | {"meta": {}}).encode())
    [hint] = [each for each in found.problems if each.keyword == MISSPELLED]
    assert found.valid
    assert hint.requirement is Requirement.SHOULD
    assert found.positions[hint.place].column == json.dumps(TOOL | {"meta": {}}).index('"meta"') + 1
    words = {language: hint.message.words(language) for language in ("en", "es", "pt")}
    assert words["en"] == 'Unknown member "meta". Did you mean `_meta`?'
    assert all("`_meta`" in each for each in words.values())
    assert len(set(words.values())) == 3


def test_a_required_name_that_is_misspelled_is_one_problem_at_its_place():
    text = '{"name": "a",\n "desciption": "d",\n "inputSchema": {"type": "object"},\n "titel": "A"}'
    found = examine(text.encode())
    wrong, hint = found.problems
    assert (wrong.path, wrong.keyword, wrong.clause) == (
        "$.desciption",
        "required",
        "ATDF-TOOL-002",
    )
    assert (wrong.requirement, found.valid) == (Requirement.MUST, False)
    assert found.positions[wrong.place].line == 2
    words = {language: wrong.message.words(language) for language in ("en", "es", "pt")}
    assert words["en"].endswith("Did you mean `description`?")
    assert all('"desciption"' in each and "`description`" in each for each in words.values())
    assert (hint.path, hint.keyword) == ("$.titel", MISSPELLED)


def test_a_name_that_is_required_in_a_schema_alone_has_to_be_declared():
    schema = {"type": "object", "properties": {"a": {}}, "required": ["a", "b"]}
    assert hinted(schema) == {"$.required[1]": ""}
    assert hinted({**schema, "anyOf": [{"properties": {"b": {}}}]}) == {}
    assert hinted({**schema, "required": ["a"]}) == {}


def test_no_valid_example_has_a_hint():
    files = sorted((ROOT / "fixtures" / "examples").glob("*/valid/*.json"))
    assert len(files) > 50
    assert [each.name for each in files if hinted(json.loads(each.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    "value",
    [
        TOOL | {f"descriptio{n}": 1 for n in range(100_000)},
        {"tools": [{"name": "a" * 50_000, "inputSchema": {"a" * 500_000: 1}}] * 10},
        {"errors": [1] * 300_000},
    ],
    ids=["many names", "long names", "many items"],
)
def test_many_names_take_no_long_time(value):
    begun = time.process_time()
    hinted(value)
    assert time.process_time() - begun < 30
