"""The declarations of tools, in both forms (ATDF-TOOL, ATDF-DESC)."""

from __future__ import annotations

from conformance.formats.tool import ToolForm
from conformance.kit.clause import Checks, broken, clause, holds
from conformance.kit.evidence import ToolEvidence


def _declared(tool: ToolEvidence, clause_id: str, *, descriptor: bool = False) -> Checks:
    """What the catalog's validation says of one clause for this tool."""
    if descriptor and tool.tool.form is not ToolForm.DESCRIPTOR:
        return
    found = [problem for problem in tool.problems if problem.clause == clause_id]
    for problem in found:
        words = problem.message
        yield broken(None, words.id, path=problem.path, **dict(words.values))
    if not found:
        yield holds()


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
    yield from _declared(tool, "ATDF-TOOL-005")


@clause("ATDF-TOOL-006")
def test_examples_are_valid_calls(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-006")


@clause("ATDF-TOOL-007")
def test_only_the_six_types_are_used(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-007")


@clause("ATDF-TOOL-008")
def test_every_parameter_is_described(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-008")


@clause("ATDF-TOOL-009")
def test_required_names_and_defaults_fit(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-009")


@clause("ATDF-TOOL-010")
def test_tags_are_distinct(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-010")


@clause("ATDF-TOOL-011")
def test_an_invocation_has_endpoint_and_method(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-011")


@clause("ATDF-TOOL-012")
def test_no_placeholder_is_left_in_a_tool(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-012")


@clause("ATDF-TOOL-013")
def test_version_and_examples_have_their_form(tool: ToolEvidence) -> Checks:
    yield from _declared(tool, "ATDF-TOOL-013")


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
    yield from _declared(tool, "ATDF-DESC-006", descriptor=True)
