"""The dialect `ardf-content`: its own names are understood, and errors are where it wrote them."""

import copy

import pytest

from conformance.convert.convert import convert
from conformance.convert.form import Form
from conformance.formats.resource.resource import plain
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import Requirement


def foreign(kind, content, data, id="r"):
    return {
        "schema_version": "1.0.0",
        "resource_id": id,
        "resource_type": kind,
        "description": "d",
        "content": {"type": content, "data": data},
    }


PROMPT = foreign(
    "prompt",
    "prompt/template",
    {
        "role": "system",
        "input_variables": ["guest", "night"],
        "template_text": "Book {night} for ${guest} with {room_search}.",
    },
)
DOCUMENT = foreign(
    "document", "document/ref", {"access": "read-only", "format": "markdown", "selectors": ["page"]}
)
WORKFLOW = foreign(
    "workflow",
    "workflow/steps",
    {
        "steps": [
            {"step": "rules", "description": "Apply the house rules.", "policy_id": "house_rules"},
            {"step": "find", "description": "Find a room.", "tool_id": "room_search"},
        ]
    },
    id="stay",
)
POLICY = foreign(
    "policy",
    "policy/rules",
    {"rules": [{"id": "p1", "statement": "Give no key to a stranger.", "effect": "deny"}]},
    id="house_rules",
)
MODEL = foreign(
    "model",
    "model/spec",
    {
        "interface": "http",
        "endpoint": "https://example.org/price",
        "signature": {"inputs": ["night"], "outputs": ["price"]},
        "capabilities": ["regression"],
    },
)
DATASET = foreign(
    "dataset",
    "dataset/spec",
    {"schema": {"type": "object"}, "query": "SELECT 1", "connector": "front_desk"},
)
CONNECTOR = foreign(
    "connector",
    "connector/spec",
    {
        "interface": "http",
        "base_url": "https://example.org/desk",
        "endpoints": [{"method": "GET", "path": "/rooms"}],
    },
    id="front_desk",
)
TOOL = foreign(
    "tool",
    "tool/io",
    {
        "inputs": [{"name": "night", "type": "string", "description": "The night"}],
        "outputs": {"success": "The rooms", "failure": []},
    },
    id="room_search",
)
ALL = {
    each["resource_type"]: each
    for each in (PROMPT, DOCUMENT, WORKFLOW, POLICY, MODEL, DATASET, CONNECTOR, TOOL)
}


def musts(data):
    return [
        (each.path, each.clause) for each in validate(data) if each.requirement is Requirement.MUST
    ]


@pytest.mark.parametrize("kind", ALL)
def test_a_resource_in_the_names_of_the_dialect_breaks_no_must(kind):
    before = copy.deepcopy(ALL[kind])
    assert musts(ALL[kind]) == []
    assert ALL[kind] == before


@pytest.mark.parametrize("kind", [each for each in ALL if each not in ("document", "dataset")])
def test_without_the_dialect_it_is_a_valid_resource(kind):
    made = plain(ALL[kind])
    assert "content" not in made
    assert musts(made) == []


@pytest.mark.parametrize("kind", ["document", "dataset"])
def test_what_has_no_address_stays_in_the_dialect(kind):
    assert plain(ALL[kind]) == ALL[kind]
    reached = copy.deepcopy(ALL[kind])
    reached["content"]["data"]["endpoint"] = "/there"
    assert plain(reached)["how_to_use"]["access"]["endpoint"] == "/there"
    assert musts(plain(reached)) == []


def test_each_name_of_the_dialect_becomes_the_name_of_the_block():
    assert plain(PROMPT)["how_to_use"]["content"] == {
        "role": "system",
        "template": "Book {{night}} for {{guest}} with {room_search}.",
        "variables": [{"name": "guest", "schema": True}, {"name": "night", "schema": True}],
    }
    assert plain(WORKFLOW)["how_to_use"]["composition"] == {
        "control_flow": "sequential",
        "steps": [
            {
                "step": "rules",
                "order": 1,
                "resource_ref": "house_rules",
                "notes": "Apply the house rules.",
            },
            {"step": "find", "order": 2, "resource_ref": "room_search", "notes": "Find a room."},
        ],
    }
    assert plain(POLICY)["how_to_use"]["guardrails"] == {
        "rules": [{"id": "p1", "description": "Give no key to a stranger.", "effect": "deny"}],
        "enforcement": "hard",
        "applies_to": ["*"],
    }
    assert plain(MODEL)["how_to_use"]["invocation"]["inputs"] == [{"name": "night", "schema": True}]
    assert plain(CONNECTOR)["how_to_use"]["invocation"]["endpoint"] == "https://example.org/desk"


def test_what_is_wrong_is_shown_where_the_document_wrote_it():
    prompt, workflow, policy = map(copy.deepcopy, (PROMPT, WORKFLOW, POLICY))
    prompt["content"]["data"]["template_text"] = "Nobody is here."
    assert [each.path for each in validate(prompt) if each.clause == "ARDF-CONT-003"] == [
        "$.content.data.input_variables[0]",
        "$.content.data.input_variables[1]",
    ]
    workflow["content"]["data"]["steps"][1]["tool_id"] = 5
    assert musts(workflow) == [("$.content.data.steps[1].tool_id", "ARDF-RES-009")]
    policy["content"]["data"]["rules"][0]["statement"] = ""
    assert ("$.content.data.rules[0].statement", "ARDF-RES-009") in musts(policy)
    document = copy.deepcopy(DOCUMENT)
    document["content"]["data"]["access"] = "sometimes"
    assert musts(document) == [("$.content.data.access", "ARDF-RES-009")]


def test_references_of_the_dialect_are_resolved_and_need_their_type():
    whole = {"resources": [WORKFLOW, POLICY, TOOL, DATASET, CONNECTOR]}
    assert musts(whole) == []
    lost = {"resources": [WORKFLOW, POLICY, DATASET]}
    assert musts(lost) == [
        ("$.resources[0].content.data.steps[1].tool_id", "ARDF-COL-003"),
        ("$.resources[2].content.data.connector", "ARDF-COL-003"),
    ]
    other = {
        "resources": [
            WORKFLOW,
            {**POLICY, "resource_id": "room_search"},
            TOOL | {"resource_id": "house_rules"},
        ]
    }
    assert {place for place, _ in musts(other)} == {
        "$.resources[0].content.data.steps[0].policy_id",
        "$.resources[0].content.data.steps[1].tool_id",
    }


def test_a_step_that_names_a_tool_and_a_policy_refers_to_both():
    workflow = copy.deepcopy(WORKFLOW)
    workflow["content"]["data"]["steps"][1]["policy_id"] = "nowhere"
    found = musts({"resources": [workflow, POLICY, TOOL]})
    assert found == [("$.resources[0].content.data.steps[1].policy_id", "ARDF-COL-003")]


def test_a_conversion_lists_what_the_dialect_left_unsaid():
    converted = convert(POLICY, Form.ARDF)
    assert converted.made == (
        "$.how_to_use.guardrails.enforcement",
        "$.how_to_use.guardrails.applies_to",
    )
