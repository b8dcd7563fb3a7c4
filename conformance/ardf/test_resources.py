"""The resources themselves: what they are, and what stands beside their use (ARDF-RES, …)."""

from __future__ import annotations

from conformance.ardf.found import each, having, judged, of_type
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.verdicts.checks import Checks, clause
from conformance.spec.vocabulary import ResourceType


@clause("ARDF-RES-001")
def test_a_resource_is_an_object_of_known_types(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-001", each)


@clause("ARDF-RES-002")
def test_a_resource_says_the_version_of_its_schema(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-002", each)


@clause("ARDF-RES-003")
def test_a_resource_has_an_id(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-003", each)


@clause("ARDF-RES-004")
def test_a_resource_is_of_a_known_type(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-004", each)


@clause("ARDF-RES-005")
def test_a_resource_says_what_for_and_when(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-005", each)


@clause("ARDF-RES-006")
def test_a_tool_says_how_it_is_called(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-006", of_type(ResourceType.TOOL))


@clause("ARDF-RES-007")
def test_a_document_says_how_it_is_read(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-007", of_type(ResourceType.DOCUMENT))


@clause("ARDF-RES-008")
def test_a_resource_has_a_block_that_fits_its_type(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-008", each)


@clause("ARDF-RES-009")
def test_a_content_outside_is_of_a_known_kind(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-009", having("content"))


@clause("ARDF-RES-010")
def test_a_content_outside_has_type_and_data(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-010", having("content"))


@clause("ARDF-RES-011")
def test_inputs_stand_in_their_block(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-011", each)


@clause("ARDF-RES-012")
def test_no_placeholder_is_left_in_a_resource(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-RES-012", each)


@clause("ARDF-META-001")
def test_metadata_have_their_form(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-META-001", having("metadata"))


@clause("ARDF-LOC-001")
def test_localization_has_its_form(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-LOC-001", having("localization"))


@clause("ARDF-FEED-001")
def test_feedback_has_its_form(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-FEED-001", having("feedback"))


@clause("ARDF-PRE-001")
def test_prerequisites_have_their_form(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-PRE-001", having("prerequisites"))


@clause("ARDF-PRE-002")
def test_a_resource_does_not_need_itself(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-PRE-002", having("prerequisites"))


@clause("ARDF-EX-001")
def test_examples_have_a_name_and_an_input(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-EX-001", having("examples"))


@clause("ARDF-EX-002")
def test_examples_are_valid_for_the_inputs(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-EX-002", having("examples"))
