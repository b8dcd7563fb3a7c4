"""The declarations of tools, in both forms (ATDF-TOOL, ATDF-DESC)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.verdicts.checks import Checks, broken, clause, holds


def _declared(
    tool: ToolEvidence, clause_id: str, *, descriptor: bool = False, given: bool = True
) -> Checks:
    """What the catalog's validation says of one clause for this tool.

    `given` says whether the tool has at all what the clause is about.
    """
    if descriptor and tool.tool.form is not ToolForm.DESCRIPTOR:
        return
    found = [problem for problem in tool.problems if problem.clause == clause_id]
    for problem in found:
        words = problem.message
        yield broken(None, words.id, path=problem.path, **dict(words.values))
    if given and not found:
        yield holds()


def _has(tool: Tool, *names: str) -> bool:
    """Whether a tool declares one of these fields, wherever its form has it."""
    return any(name in place for place in _places(tool.raw) for name in names)


def _places(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The tool itself, and the objects in which the forms keep the same fields."""
    yield raw
    for member in ("_meta", "metadata", "how_to_use"):
        inner = raw.get(member)
        if isinstance(inner, dict):
            yield inner
            yield from (each for each in inner.values() if isinstance(each, dict))


def _uses(schema: Any, *keywords: str) -> bool:
    """Whether a schema, or one inside it, has one of these keywords."""
    if isinstance(schema, list):
        return any(_uses(each, *keywords) for each in schema)
    if not isinstance(schema, dict):
        return False
    return any(word in schema for word in keywords) or _uses([*schema.values()], *keywords)


@clause("ATDF-TOOL-001")
def test_a_tool_has_a_name(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-001")


@clause("ATDF-TOOL-002")
def test_a_tool_says_what_it_does(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-002")


@clause("ATDF-TOOL-003")
def test_a_tool_has_an_input_schema(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-003")


@clause("ATDF-TOOL-004")
def test_the_schemas_are_valid(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-004")


@clause("ATDF-TOOL-005")
def test_every_reference_resolves(tool: ToolEvidence) -> Checks:
    given = _uses(tool.tool.input_schema, "$ref", "$dynamicRef")
    yield from _declared(tool, "ATDF-TOOL-005", given=given)


@clause("ATDF-TOOL-006")
def test_examples_are_valid_calls(tool: ToolEvidence) -> Checks:
    given = _has(tool.tool, "examples")
    yield from _declared(tool, "ATDF-TOOL-006", given=given)


@clause("ATDF-TOOL-007")
def test_only_the_six_types_are_used(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-007")


@clause("ATDF-TOOL-008")
def test_every_parameter_is_described(tool: ToolEvidence) -> Checks:
    given = _uses(tool.tool.input_schema, "properties")
    yield from _declared(tool, "ATDF-TOOL-008", given=given)


@clause("ATDF-TOOL-009")
def test_required_names_and_defaults_fit(tool: ToolEvidence) -> Checks:
    given = _uses(tool.tool.input_schema, "required", "default")
    yield from _declared(tool, "ATDF-TOOL-009", given=given)


@clause("ATDF-TOOL-010")
def test_tags_are_distinct(tool: ToolEvidence) -> Checks:
    given = _has(tool.tool, "tags")
    yield from _declared(tool, "ATDF-TOOL-010", given=given)


@clause("ATDF-TOOL-011")
def test_an_invocation_has_endpoint_and_method(tool: ToolEvidence) -> Checks:
    given = _has(tool.tool, "invocation")
    yield from _declared(tool, "ATDF-TOOL-011", given=given)


@clause("ATDF-TOOL-012")
def test_no_placeholder_is_left_in_a_tool(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-012")


@clause("ATDF-TOOL-013")
def test_version_and_examples_have_their_form(tool: ToolEvidence) -> Checks:
    given = _has(tool.tool, "version", "examples")
    yield from _declared(tool, "ATDF-TOOL-013", given=given)


@clause("ATDF-TOOL-014")
def test_every_field_has_its_type(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-014")


@clause("ATDF-DESC-001")
def test_a_descriptor_has_one_id(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-DESC-001", descriptor=True)


@clause("ATDF-DESC-002")
def test_a_descriptor_says_what_for_and_when(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-DESC-002", descriptor=True)


@clause("ATDF-DESC-003")
def test_inputs_have_name_and_type(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-DESC-003", descriptor=True)


@clause("ATDF-DESC-004")
def test_outputs_say_success_and_failure(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-DESC-004", descriptor=True)


@clause("ATDF-DESC-005")
def test_each_input_has_a_name_of_its_own(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-DESC-005", descriptor=True)


@clause("ATDF-DESC-006")
def test_the_schema_version_is_a_string(tool: ToolEvidence) -> Checks:
    given = "schema_version" in tool.tool.raw
    yield from _declared(tool, "ATDF-DESC-006", descriptor=True, given=given)
