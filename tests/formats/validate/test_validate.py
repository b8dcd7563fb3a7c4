import copy
import json

import pytest

from conformance.formats.problem import Problem
from conformance.formats.text.json_text import Notation
from conformance.formats.validate.validate import examine, validate
from conformance.spec import published
from conformance.spec.vocabulary import Requirement
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
TOOL = {"name": "t", "description": "d", "inputSchema": {"type": "object"}}


def data_of(entry):
    return json.loads((EXAMPLES / entry["file"]).read_text(encoding="utf-8"))


def musts(data, document=None):
    return [each for each in validate(data, document) if each.requirement is Requirement.MUST]


@pytest.mark.parametrize("entry", INDEX["valid"], ids=lambda entry: entry["id"])
def test_each_valid_example_breaks_no_must(entry):
    assert musts(data_of(entry)) == []


@pytest.mark.parametrize("entry", INDEX["invalid"], ids=lambda entry: entry["id"])
def test_each_invalid_example_fails_where_its_index_says_and_nowhere_else(entry):
    found = [
        (each.path, each.keyword, each.clause)
        for each in validate(data_of(entry), entry["document"])
        if each.requirement is Requirement.MUST or each.clause == entry["breaks"]
    ]
    assert found == [(entry["at"], entry["keyword"], entry["breaks"])]


@pytest.mark.parametrize("language", ["en", "es", "pt"])
@pytest.mark.parametrize("entry", INDEX["invalid"], ids=lambda entry: entry["id"])
def test_each_problem_has_words_without_an_open_placeholder(entry, language):
    for problem in validate(data_of(entry), entry["document"]):
        words = problem.message.words(language)
        assert words
        assert not any("{" + name + "}" in words for name, _ in problem.message.values)


def test_a_broken_branch_reports_its_own_place_and_not_the_union():
    catalog = {"tools": [copy.deepcopy(TOOL), {"tool_id": "x", "how_to_use": {"inputs": 5}}]}
    paths = {each.path for each in musts(catalog)}
    assert "$.tools[1].how_to_use.inputs" in paths
    assert "$.tools[1]" in paths
    assert not any(each.keyword in ("anyOf", "oneOf", "if") for each in musts(catalog))


def test_path_and_pointer_name_the_same_place():
    (problem,) = musts({"tools": [{**TOOL, "tags": [1]}]})
    assert (problem.path, problem.pointer) == ("$.tools[0].tags[0]", "/tools/0/tags/0")
    assert problem.tool == "t"


def test_a_missing_member_is_laid_to_the_clause_of_that_member():
    (problem,) = musts({"name": "t", "inputSchema": {"type": "object"}})
    assert (problem.keyword, problem.clause) == ("required", "ATDF-TOOL-002")
    assert "`description`" in problem.message.words("en")


def test_an_unknown_document_is_one_problem():
    (problem,) = validate({"a": 1})
    assert problem.message.id == "documents.unknown"


def test_a_document_can_be_judged_as_another_than_it_looks():
    assert {each.clause for each in musts({"tools": []}, "error")} == {"ATDF-ERR-001"}


def test_an_unknown_name_of_a_document_is_refused():
    with pytest.raises(KeyError):
        validate({}, "cataloge")


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


HOSTILE = [
    None,
    5,
    "x" * 1_000_000,
    deep(5000),
    {"tools": deep(5000)},
    {"tools": {"a": 1}},
    {"tools": [None, 5, [], {}, {"name": 5}, {"name": "x" * 1_000_000}]},
    {"tools": [{"name": "\ud800", "description": "\udfff", "inputSchema": {"$ref": 5}}]},
    {"tools": [{**TOOL, "inputSchema": {"type": "object", "properties": 5, "required": 7}}]},
    {"tools": [{**TOOL, "inputSchema": {"type": "object", "properties": {"a": deep(3000)}}}]},
    {"tools": [{**TOOL, "inputSchema": {"type": "object", "$schema": ["x"], "$id": "http://["}}]},
    {
        "tools": [
            {**TOOL, "inputSchema": {"type": "object", "$ref": "#"}, "examples": [{"input": {}}]}
        ]
    },
    {"tools": [{**TOOL, "examples": [{"name": "x", "input": {}}] * 3, "outputs": {"type": "no"}}]},
    {"tools": [{"tool_id": [], "how_to_use": 5}, {"how_to_use": {"inputs": [5, {"name": {}}]}}]},
    {"tool_id": "a", "how_to_use": {"inputs": "x", "input_schema": []}},
    {
        "tool_id": "a",
        "how_to_use": {"inputs": [], "input_schema": {"properties": [], "required": 5}},
    },
    {"errors": [5, {"type": "http://["}, {"type": "\ud800", "context": deep(100)}]},
    {"errors": [{"type": "a" * 1_000_000, "instance": "{" * 100_000}]},
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_input_ends_in_problems_and_never_in_a_traceback(data):
    problems = validate(data)
    assert problems
    assert all(
        isinstance(each, Problem) and len(each.message.words("pt")) < 2000 for each in problems
    )


def test_a_file_is_read_recognised_and_validated_with_positions():
    raw = b'{"tools": [\n{"name": "a",\n"description": "",\n"inputSchema": {"type": "object"}}]}'
    examined = examine(raw)
    (problem,) = examined.problems
    assert not examined.valid
    assert examined.recognition.document == "catalog"
    assert examined.positions[problem.place].line == 3


def test_a_catalog_with_a_name_twice_breaks_the_clause_on_its_text():
    examined = examine(b'{"tools": [], "tools": []}')
    assert [each.clause for each in examined.problems] == ["ATDF-CAT-003"]
    assert not examined.valid


def test_a_warning_leaves_a_document_valid():
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    examined = examine(json.dumps({"tools": [{**TOOL, "inputSchema": schema}]}).encode())
    assert [each.clause for each in examined.problems] == ["ATDF-TOOL-008"]
    assert examined.valid


def test_what_cannot_be_read_is_neither_recognised_nor_validated():
    examined = examine(b"<html>")
    assert examined.recognition is None
    assert not examined.valid


def test_a_catalog_in_yaml_is_validated_like_one_in_json():
    raw = b"tools:\n- name: ''\n  description: d\n  inputSchema: {type: object}\n"
    (problem,) = examine(raw, Notation.YAML).problems
    assert (problem.path, problem.clause) == ("$.tools[0].name", "ATDF-TOOL-001")


def test_a_thousand_tools_are_validated_in_seconds():
    schema = {
        "type": "object",
        "properties": {f"p{i}": {"type": "string", "description": "d"} for i in range(5)},
    }
    tools = [{**TOOL, "name": f"t{i}", "inputSchema": schema} for i in range(1000)]
    assert validate({"tools": tools}) == []


def test_the_compiled_validator_only_makes_things_faster(monkeypatch):
    every = [data_of(entry) for kind in INDEX.values() for entry in kind]
    quick = [validate(data, "resource") for data in every]
    monkeypatch.setattr(published, "compiled_validator", lambda document: None)
    assert [validate(data, "resource") for data in every] == quick


def test_a_value_that_the_compiled_validator_cannot_take_is_judged_all_the_same():
    tool = {**TOOL, "version": "\ud800", "examples": [{"name": "a", "input": {"n": 10**400}}]}
    assert validate({"tools": [tool]}) == []


NAMED = {"name": "a", "description": "Does a.", "inputSchema": {"type": "object"}}


def test_an_earlier_key_of_meta_is_told_in_a_file():
    tool = {**NAMED, "_meta": {"agent-formats/atdf": {"version": "1.0.0"}}}
    for document, path in ((tool, '$._meta["agent-formats/atdf"]'), ({"tools": [tool]}, None)):
        (found,) = examine(json.dumps(document).encode()).problems
        assert (found.clause, found.requirement) == ("MCP-ATDF-003", Requirement.SHOULD)
        assert path in (None, found.path)
    assert found.path == '$.tools[0]._meta["agent-formats/atdf"]'


CARRIED = {"when_to_use": 3, "examples": [{"name": "a", "input": {"b": 3}}]}
HELD = '._meta["io.github.agent-formats/atdf"]'


def carrying(value):
    part = {"type": "string", "description": "A part."}
    schema = {"type": "object", "properties": {"b": part}}
    meta = {"io.github.agent-formats/atdf": value}
    return {**NAMED, "name": "b", "inputSchema": schema, "_meta": meta}


@pytest.mark.parametrize("alone", [True, False])
def test_what_a_tool_of_mcp_carries_is_validated_at_its_place(alone):
    tool = carrying(CARRIED)
    found = validate(tool if alone else {"tools": [NAMED, tool]})
    root = "$" if alone else "$.tools[1]"
    assert sorted((each.path, each.clause) for each in found) == [
        (f"{root}{HELD}.examples[0].input.b", "ATDF-TOOL-006"),
        (f"{root}{HELD}.when_to_use", "ATDF-TOOL-014"),
    ]


def test_what_a_tool_of_mcp_carries_has_its_line():
    examined = examine(json.dumps(carrying({"tags": "x"}), indent=1).encode())
    (found,) = examined.problems
    assert examined.positions[found.place].line == 15


def test_what_a_tool_of_mcp_carries_has_to_be_an_object():
    (found,) = validate({"tools": [carrying(["version"])]})
    assert (found.path, found.message.id) == (f"$.tools[0]{HELD}", "documents.meta.no_object")


def test_an_unknown_type_is_told_once_and_not_with_its_content():
    resource = {
        "schema_version": "1.0.0",
        "resource_id": "a",
        "resource_type": "prompts",
        "description": "d",
        "content": {"type": "prompt/text", "data": {}},
    }
    (found,) = validate(resource)
    assert found.path == "$.resource_type"
    (found,) = validate({**resource, "resource_type": "custom"})
    assert found.message.id == "documents.resource.content_none"


def test_an_openapi_description_is_called_one():
    (found,) = validate({"openapi": "4.0.0", "info": {}, "paths": {}})
    assert found.message.id == "documents.unknown.openapi"


def test_an_a2a_agent_card_is_called_one():
    card = {"name": "a", "url": "https://a", "capabilities": {}, "skills": [{"id": "x"}]}
    (found,) = validate(card)
    assert found.message.id == "documents.unknown.agent_card"


def test_a_placeholder_in_what_a_tool_says_of_its_answers_is_told():
    outputs = {"success": "string", "failure": [{"code": "...", "description": "string"}]}
    use = {"inputs": [], "outputs": outputs}
    data = {"tool_id": "a", "description": "Does a.", "when_to_use": "Now.", "how_to_use": use}
    home = "$.how_to_use.outputs"
    told = [each.path for each in validate(data) if each.clause == "ATDF-TOOL-012"]
    assert told == [
        f"{home}.success",
        f"{home}.failure[0].code",
        f"{home}.failure[0].description",
    ]
    catalog = {"tools": [{**NAMED, "outputs": outputs}]}
    assert "$.tools[0].outputs.success" in {each.path for each in validate(catalog)}
