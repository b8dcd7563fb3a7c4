import json
import time

import pytest

from conformance.formats.resource.resource import CONTENT, plain, resource
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import (
    ARDF_CONTENT_BLOCK,
    ARDF_CONTENT_WRITTEN,
    RESOURCE_TYPE_BLOCKS,
    ArdfContent,
    Requirement,
    ResourceType,
)
from tests.root import ROOT

VALID = ROOT / "fixtures" / "examples" / "ardf" / "valid"


def example(name):
    return json.loads((VALID / f"{name}.json").read_text(encoding="utf-8"))


def made(kind="custom", use=None, **more):
    return {
        "schema_version": "1.0.0",
        "resource_id": "r",
        "resource_type": kind,
        "description": "d",
        **({} if use is None else {"how_to_use": use}),
        **more,
    }


def broken(data, document=None):
    return [(each.path, each.clause) for each in validate(data, document)]


def workflow(name, *references):
    steps = [{"order": n, "resource_ref": ref} for n, ref in enumerate(references, 1)]
    use = {"composition": {"control_flow": "sequential", "steps": steps}}
    return {**made("workflow", use), "resource_id": name}


@pytest.mark.parametrize("kind", ResourceType)
def test_there_is_a_valid_example_of_each_type(kind):
    found = [json.loads(file.read_text(encoding="utf-8")) for file in VALID.glob("*.json")]
    assert [each for each in found if each.get("resource_type") == kind]


def test_the_printed_catalog_of_six_is_whole_and_of_the_types_that_it_names():
    catalog = {each["resource_id"]: each for each in example("hospital-catalog")["resources"]}
    printed = {
        "flight_booking": "tool",
        "medical_guidelines": "document",
        "appointment_coordinator": "prompt",
        "patient_privacy_policy": "policy",
        "symptom_classifier": "model",
        "emergency_intake": "workflow",
    }
    assert {name: catalog[name]["resource_type"] for name in printed} == printed
    assert all(catalog[name]["how_to_use"] for name in printed)
    assert not broken(example("hospital-catalog"))


@pytest.mark.parametrize("kind", [each for each in ResourceType if each != "custom"])
def test_a_type_without_its_block_is_a_must_for_tool_and_document_and_else_a_warning(kind):
    (problem,) = validate(made(kind, {}))
    must = kind in ("tool", "document")
    assert problem.requirement is (Requirement.MUST if must else Requirement.SHOULD)


def test_a_custom_resource_needs_no_block():
    assert broken(made()) == []


@pytest.mark.parametrize("kind", ArdfContent)
def test_each_kind_of_content_stands_for_a_block_that_fits_its_type(kind):
    written = ARDF_CONTENT_WRITTEN[kind]
    data = {"endpoint": "/x", "notes": "kept"}
    item = made(written.split("/")[0], content={"type": written, "data": data})
    known = resource(item)
    assert known.dialects == (CONTENT,)
    assert known.blocks[0].name in RESOURCE_TYPE_BLOCKS[known.type]
    ((name, block),) = plain(item)["how_to_use"].items()
    assert name == ARDF_CONTENT_BLOCK[kind].value
    assert data.items() <= block.items()
    assert "content" not in plain(item)


def test_content_is_judged_like_the_block_that_it_stands_for():
    steps = [{"order": 1, "resource_ref": "a"}, {"order": 1, "resource_ref": 5}]
    data = {"control_flow": "sequential", "steps": steps}
    item = made("workflow", content={"type": "workflow/steps", "data": data})
    assert broken(item) == [
        ("$.content.data.steps[1].resource_ref", "ARDF-RES-009"),
        ("$.content.data.steps[1].order", "ARDF-COMP-002"),
    ]


def test_an_example_in_a_dialect_is_judged_by_the_inputs():
    item = example("dialect-bare")
    item["examples"][0]["input_values"] = {"day": 5}
    assert ("$.examples[0].input_values.day", "ARDF-EX-002") in broken(item)


def test_the_examples_of_a_resource_without_inputs_may_be_anything():
    item = made(examples=[{"name": "a", "input": 5}, {"name": "b", "input": None, "output": []}])
    assert broken(item) == []


def test_a_sentence_will_do_as_the_example_of_a_template():
    item = example("discharge-letter")
    item["examples"][0]["input"] = "Write to John Doe"
    assert broken(item) == []
    item["examples"][0]["input"] = {"patient": "John Doe"}
    assert {clause for _, clause in broken(item)} == {"ARDF-EX-002"}


def test_a_cycle_over_many_resources_is_reported_once_and_with_its_way():
    data = {"resources": [workflow("a", "b"), workflow("b", "c"), workflow("c", "a", "b")]}
    found = [each for each in validate(data) if each.clause == "ARDF-COMP-003"]
    assert [each.path[:15] for each in found] == ["$.resources[2]."] * 2
    assert '"a" → "b" → "c" → "a"' in found[0].message.words("en")


def test_two_ways_to_one_resource_are_no_cycle():
    data = {
        "resources": [
            workflow("a", "b", "c"),
            workflow("b", "c"),
            workflow("c", "d"),
            {**made(), "resource_id": "d"},
        ]
    }
    assert broken(data) == []


def test_a_long_chain_of_workflows_is_walked_in_no_time():
    chain = [workflow(f"w{n}", f"w{n + 1}") for n in range(3000)]
    began = time.process_time()
    found = [each for each in validate({"resources": chain}) if each.clause == "ARDF-COL-003"]
    assert [each.path for each in found] == [
        "$.resources[2999].how_to_use.composition.steps[0].resource_ref"
    ]
    assert time.process_time() - began < 20


def test_prerequisites_of_a_composition_are_references_too():
    item = workflow("a", "b")
    item["how_to_use"]["composition"]["prerequisites"] = {"policies": ["b"], "tools": ["z"]}
    data = {"resources": [item, {**made(), "resource_id": "b"}]}
    at = "$.resources[0].how_to_use.composition.prerequisites"
    assert broken(data) == [
        (f"{at}.tools[0]", "ARDF-COL-003"),
        (f"{at}.policies[0]", "ARDF-COL-003"),
    ]


def test_the_prerequisites_of_atdf_are_accepted_beside_those_of_ardf():
    needed = {"conditions": ["c"], "permissions": ["p"], "policies": [], "resources": []}
    assert broken(made(prerequisites=needed)) == []


def test_what_is_shared_with_atdf_is_laid_to_the_clause_of_ardf():
    assert broken(made(metadata={"tags": ["a", "a"]})) == [("$.metadata.tags", "ARDF-META-001")]
    inputs = {"invocation": {"inputs": [{"type": "string"}]}}
    assert ("$.how_to_use.invocation.inputs[0]", "ARDF-INV-001") in broken(made("tool", inputs))


HOSTILE = [
    made("tool", {"invocation": {"inputs": [5, {"name": []}], "input_schema": []}}),
    made("tool", {"inputs": {}, "outputs": 5}),
    made("workflow", {"composition": {"steps": {"a": 1}, "control_flow": []}}),
    made("workflow", {"composition": {"steps": [5, {"order": "x", "resource_ref": []}]}}),
    made("prompt", {"content": {"template": "{{" * 100_000, "variables": 5}}),
    made("policy", {"guardrails": {"rules": [5], "applies_to": [{}], "enforcement": None}}),
    made([], content={"type": [], "data": []}),
    made({}, content={"type": "tool/io", "data": 5}),
    made(prerequisites={"tools": [[], 5], "resources": {}}, examples=[5, {"input": {}}]),
    {"resources": [None, 5, made(), {"resource_id": [], "resource_type": {}}]},
    {"resources": [{"type": [], "path": {}}]},
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_resources_end_in_problems_and_never_in_a_traceback(data):
    problems = validate(data)
    assert problems
    assert all(each.message.words("es") for each in problems)


@pytest.mark.parametrize("version", ["1.0", "1.0.0", "2.0", "2.1.3", "0.1", "0.2", "0.2.0"])
def test_versions_and_legacy_labels_of_a_descriptor_are_known(version):
    path = VALID.parents[1] / "atdf" / "valid" / "room-hold-descriptor.json"
    item = {**json.loads(path.read_text(encoding="utf-8")), "schema_version": version}
    assert "ATDF-DESC-007" not in {clause for _, clause in broken(item)}
    item["schema_version"] = f"9{version}"
    assert "ATDF-DESC-007" in {clause for _, clause in broken(item)}


@pytest.mark.parametrize(
    ("kind", "block", "listed"),
    [("tool", "invocation", "inputs"), ("prompt", "content", "variables")],
)
def test_a_faulty_schema_is_blamed_where_the_input_declares_it(kind, block, listed):
    inputs = [{"name": "a"}, {"name": "b", "schema": {"type": "text"}}]
    data = made(kind, {block: {listed: inputs}})
    place = f"$.how_to_use.{block}.{listed}[1].schema.type"
    assert place in [path for path, clause in broken(data) if clause == "ARDF-INV-003"]


def test_a_faulty_schema_beside_the_inputs_is_blamed_itself():
    use = {"invocation": {"inputs": [], "input_schema": {"required": "a"}}}
    found = [path for path, clause in broken(made("tool", use)) if clause == "ARDF-INV-003"]
    assert found
    assert all(path.startswith("$.how_to_use.invocation.input_schema") for path in found)
