import json
import re

import pytest

from conformance.formats.problem import Problem
from conformance.formats.validate.recognize import TABLE, Recognition, recognize, row_of
from tests.root import ROOT

EXAMPLES = ROOT / "fixtures" / "examples"
INDEX = {
    kind: [
        {**entry, "file": f"{index.parent.name}/{entry['file']}"}
        for index in sorted(EXAMPLES.glob("*/index.json"))
        for entry in json.loads(index.read_text(encoding="utf-8"))[kind]
    ]
    for kind in ("valid", "invalid")
}


@pytest.mark.parametrize("entry", INDEX["valid"], ids=lambda entry: entry["id"])
def test_each_valid_example_is_recognised_as_its_document(entry):
    data = json.loads((EXAMPLES / entry["file"]).read_text(encoding="utf-8"))
    recognised = recognize(data)
    assert isinstance(recognised, Recognition)
    assert recognised.document == entry["document"]


def test_no_invalid_example_is_taken_for_another_document():
    """One that lacks what it is known by is unknown; every other is known as what it is."""
    taken = {
        entry["id"]: (found.document, entry["document"])
        for entry in INDEX["invalid"]
        if isinstance(found := recognize(_data(entry)), Recognition)
    }
    assert [name for name, (one, other) in taken.items() if one != other] == []
    assert len(taken) > 0.9 * len(INDEX["invalid"])


def _data(entry):
    return json.loads((EXAMPLES / entry["file"]).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("data", "document"),
    [
        ({"errors": "broken"}, "error"),
        ({"tools": None}, "catalog"),
        ({"tool_id": "a", "how_to_use": {}}, "descriptor"),
        ({"id": "a", "description": "b"}, "descriptor"),
        ({"name": "a", "inputSchema": {}}, "tool"),
        ({"status": "error", "data": None}, "enriched-response"),
        ({"tool_id": "a", "description": "b", "schema_version": "2.1"}, "enhanced-descriptor"),
        ({"tool_id": "a", "description": "b", "schema_version": "0.2"}, "enhanced-descriptor"),
        ({"tool_id": "a", "description": "b", "schema_version": "1.0.0"}, "descriptor"),
        (
            {"id": "a", "description": "b", "schema_version": "1.0.0", "feedback": 5},
            "enhanced-descriptor",
        ),
        ({"resources": []}, "collection"),
        ({"resources": "none"}, "collection"),
        ({"resources": [{"resource_type": "tool"}]}, "collection"),
        ({"resources": [{"type": "tool", "path": "/tools"}]}, "manifest"),
        ({"resource_type": "tool"}, "resource"),
        ({"resource_id": "a", "id": "b", "description": "c", "metadata": {}}, "resource"),
    ],
)
def test_the_members_decide_whatever_their_values(data, document):
    assert recognize(data).document == document


def test_recognition_says_which_rule_decided():
    recognised = recognize({"id": "a", "description": "b"})
    assert recognised.rule == "tool_id|id + how_to_use|description"


def test_a_catalog_with_an_id_and_a_description_is_a_catalog():
    assert recognize({"id": "a", "description": "b", "tools": []}).document == "catalog"


def test_a_legacy_label_is_named_as_a_dialect():
    data = {"tool_id": "a", "description": "b", "schema_version": "0.1"}
    assert recognize(data).dialects == ("legacy-label",)


def test_a_legacy_label_on_a_resource_is_no_dialect_since_the_resource_is_not_valid():
    data = {"resource_id": "a", "resource_type": "custom", "schema_version": "0.1"}
    assert recognize(data).dialects == ()


@pytest.mark.parametrize("data", [None, 5, "text", [], [{"name": "a"}]])
def test_what_is_not_an_object_gets_a_problem_that_shows_it(data):
    problem = recognize(data)
    assert isinstance(problem, Problem)
    assert problem.message.words("en").startswith("Expected a document")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"name": "a", "description": "b"}, 'closest to tool, but lacks "inputSchema".'),
        ({"status": "success", "result": {}}, 'closest to enriched-response, but lacks "data".'),
        ({"id": "a"}, 'closest to descriptor, but lacks "how_to_use|description".'),
        ({"catalog": {"tools": []}}, '"catalog" contains a document of the kind catalog.'),
        (
            {"jsonrpc": "2.0", "result": {"tools": []}},
            '"result" contains a document of the kind cat',
        ),
        ({"policy": {"strategy": "x"}}, '"policy" contains a document of the kind ret'),
        ({"wire": "", "text": "", "more": 1}, 'is recorded-stream, which does not allow "more".'),
        ({"resources": [{"uri": "file:///a"}]}, "is manifest, which is recognized by resources + "),
        ({"hello": 1, "x": {"y": 2}}, 'None of its members ("hello", "x") identifies'),
        ({}, "The object has no members."),
        (dict.fromkeys("abcdefg"), '("a", "b", "c", "d", "e", … (+2))'),
    ],
)
def test_an_unknown_object_gets_a_problem_that_names_the_closest_document(data, said):
    problem = recognize(data)
    assert isinstance(problem, Problem)
    assert said in problem.message.words("en")


FUNCTION = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    ("tools", "catalog"),
    [
        ([FUNCTION], False),
        ([{"type": "function", "name": "f"}, FUNCTION], False),
        ([FUNCTION, {"name": "t", "inputSchema": {}}], True),
        ([{"name": "t", "input_schema": {}}], True),
        ([{"type": "function", "name": "t", "inputSchema": {}}], True),
        ([], True),
        (None, True),
    ],
)
def test_the_functions_of_a_request_are_no_catalog(tools, catalog):
    assert isinstance(recognize({"tools": tools}), Recognition) is catalog


@pytest.mark.parametrize("name", ["tols", "Tools", "toolz", "toools", "tolos"])
def test_a_member_that_is_misspelled_is_told_with_the_name_that_is_meant(name):
    said = recognize({name: []}).message.words()
    assert f'"{name}"' in said
    assert "`tools`" in said
    assert "catalog" in said


@pytest.mark.parametrize("data", [{"tls": []}, {"desription": "x"}, {"ol": 1}])
def test_a_member_that_makes_no_document_when_it_is_corrected_is_not_told(data):
    assert recognize(data).message.id == "documents.unknown"


def test_input_that_could_be_two_documents_gets_a_problem_that_names_both():
    problem = recognize({"errors": [], "tools": []})
    assert problem.message.id == "documents.ambiguous"
    assert {"error", "catalog"} <= {value for _, value in problem.message.values}


def test_resources_of_two_kinds_are_ambiguous():
    problem = recognize({"resources": [{"resource_type": "tool"}, {"type": "tool", "path": "/"}]})
    assert problem.message.id == "documents.ambiguous"


def test_a_list_of_other_resources_is_unknown():
    problem = recognize({"resources": [{"uri": "file:///a"}]})
    assert problem.message.id == "documents.unknown.rule"


def test_no_line_of_the_table_stands_twice():
    assert len({row.document for row in TABLE}) == len(TABLE)


def test_an_unknown_name_of_a_document_is_refused_with_the_known_ones():
    with pytest.raises(KeyError, match="catalog"):
        row_of("cataloge")


def test_a_rule_is_made_of_members_and_signs_and_of_no_language():
    assert [row.rule for row in TABLE if not re.fullmatch(r"[\w|.\[\]]+( \+ \S+| 2\.x\S*)*"
            r"|\{[^{} ]+( \+ [^{} ]+)*\}", row.rule)] == []  # fmt: skip
