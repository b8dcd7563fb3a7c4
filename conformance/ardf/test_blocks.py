"""How resources are used: the five blocks (ARDF-INV, -ACC, -COMP, -GUARD, -CONT)."""

from __future__ import annotations

from conformance.ardf.found import judged, using
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.verdicts.checks import Checks, clause
from conformance.spec.vocabulary import ArdfBlock

_INPUTS = using(ArdfBlock.INVOCATION, ArdfBlock.CONTENT)
_SCHEMAS = using(ArdfBlock.INVOCATION, ArdfBlock.CONTENT, ArdfBlock.ACCESS)
_COMPOSITION = using(ArdfBlock.COMPOSITION)
_CONTENT = using(ArdfBlock.CONTENT)


@clause("ARDF-INV-001")
def test_an_invocation_has_inputs(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-INV-001", using(ArdfBlock.INVOCATION))


@clause("ARDF-INV-002")
def test_each_input_has_a_name_of_its_own(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-INV-002", _INPUTS)


@clause("ARDF-INV-003")
def test_schemas_of_a_resource_are_valid(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-INV-003", _SCHEMAS)


@clause("ARDF-ACC-001")
def test_access_has_mode_and_endpoint(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-ACC-001", using(ArdfBlock.ACCESS))


@clause("ARDF-COMP-001")
def test_a_composition_has_steps(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-COMP-001", _COMPOSITION)


@clause("ARDF-COMP-002")
def test_the_order_of_steps_ascends(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-COMP-002", _COMPOSITION)


@clause("ARDF-COMP-003")
def test_a_composition_does_not_lead_back_to_itself(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-COMP-003", _COMPOSITION)


@clause("ARDF-COMP-004")
def test_a_conditional_composition_has_a_condition(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-COMP-004", _COMPOSITION)


@clause("ARDF-GUARD-001")
def test_guardrails_have_rules(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-GUARD-001", using(ArdfBlock.GUARDRAILS))


@clause("ARDF-CONT-001")
def test_a_content_has_a_template_or_data(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-CONT-001", _CONTENT)


@clause("ARDF-CONT-002")
def test_variables_of_a_template_are_declared(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-CONT-002", _CONTENT)


@clause("ARDF-CONT-003")
def test_declared_variables_are_used(run: RunEvidence) -> Checks:
    yield from judged(run, "ARDF-CONT-003", _CONTENT)
