"""One server over two bindings treats the same call in the same way (ATDF-PAR)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import shown
from conformance.formats.schema.equality import same
from conformance.formats.tool.errors import ErrorView
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.model.case import CaseKind, Expectation
from conformance.kit.model.case_id import CaseId
from conformance.kit.transport.binding import to_bytes
from conformance.kit.verdicts.checks import Checks, broken, clause, holds
from conformance.kit.verdicts.sent_words import call_shown
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Outcome

Schema = Mapping[str, Any]

_JUDGED = frozenset({Outcome.ACCEPTED, Outcome.INPUT_REFUSED})
"""Outcomes that can be compared: not those about state, rights, load or failures."""


_COMPARED = (
    "type", "enum", "const", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
)  # fmt: skip
"""Keywords of an input that mean the same only if their values are equal."""

_REFUSED = message("answer.refused")
_PRESENT, _ABSENT, _REQUIRED, _OPTIONAL = (
    message(f"finding.parity_schema.{word}")
    for word in ("present", "absent", "required", "optional")
)


@clause("ATDF-PAR-001")
def test_a_call_means_the_same_over_each_binding(tool: ToolEvidence) -> Checks:
    """Both bindings accept a call, or refuse it with the same errors. Results are not compared.

    The evidence is broken calls, and the valid calls of tools that only read.
    """
    if tool.beside is None:
        return
    there = {_key(call): call for call in _compared(tool.beside)}
    for call in _compared(tool):
        other = there.get(_key(call))
        if other is None or to_bytes(other.case.arguments) != to_bytes(call.case.arguments):
            continue
        said, said_there = _said(call), _said(other)
        if said == said_there or _is_vague(call, other):
            yield holds()
            continue
        yield broken(
            call,
            "finding.parity",
            case=call_shown(call.case, tool.good_case(call.case)),
            here=said,
            run=tool.run.id,
            there=said_there,
            other=tool.beside.run.id,
        )


@clause("ATDF-PAR-002")
def test_a_tool_takes_the_same_input_over_each_binding(tool: ToolEvidence) -> Checks:
    """Both schemas have the same inputs and require the same ones.

    A keyword that both schemas give for an input has the same value in both.
    """
    if tool.beside is None:
        return
    here, there = (each.tool.input_schema for each in (tool, tool.beside))
    if not all(isinstance(each.get("properties"), dict) for each in (here, there)):
        return
    differences = list(_differences(here, there))
    for place, said, said_there in differences:
        yield broken(
            tool.baseline,
            "finding.parity_schema",
            place=place,
            here=said,
            run=tool.run.id,
            there=said_there,
            other=tool.beside.run.id,
        )
    if not differences:
        yield holds()


def _differences(here: Schema, there: Schema) -> Iterator[tuple[str, str | Message, str | Message]]:
    """Yield each place where two input schemas of one tool differ, with what each of them says."""
    own, other = here["properties"], there["properties"]
    for name in sorted({*own, *other}):
        if name not in own or name not in other:
            held = [_PRESENT if name in each else _ABSENT for each in (own, other)]
            yield f"properties.{name}", held[0], held[1]
            continue
        needed = [_REQUIRED if name in _required(each) else _OPTIONAL for each in (here, there)]
        if needed[0] != needed[1]:
            yield f"properties.{name}", needed[0], needed[1]
        if isinstance(own[name], dict) and isinstance(other[name], dict):
            for keyword in _COMPARED:
                given = [
                    _unordered(keyword, each.get(keyword)) for each in (own[name], other[name])
                ]
                if None not in given and not same(*given):
                    yield f"properties.{name}.{keyword}", shown(given[0]), shown(given[1])


def _required(schema: Schema) -> list[Any]:
    """Return the names that a schema requires. In older dialects `required` is a boolean."""
    names = schema.get("required")
    return names if isinstance(names, list) else []


def _unordered(keyword: str, value: Any) -> Any:
    """Return a keyword's value, sorted if it is a list of types or of values."""
    if keyword == "type" and isinstance(value, str):
        return [value]
    if keyword in {"type", "enum"} and isinstance(value, list):
        return sorted(value, key=lambda each: json.dumps(each, sort_keys=True))
    if keyword in {"exclusiveMinimum", "exclusiveMaximum"} and isinstance(value, bool):
        return None  # in older dialects, the bound is in another keyword
    return value


def _compared(tool: ToolEvidence) -> Iterator[Call]:
    """Yield the calls whose outcome depends only on their form."""
    reads = tool.tool.annotations.read_only is True or tool.tool.safe is True
    for call in tool.of(CaseKind.BROKEN, CaseKind.VALID):
        if call.case.expects is Expectation.ANSWER:
            continue
        violation = call.case.violation
        broken_in_form = violation is not None and violation.parameter is not None
        if call.reading.outcome in _JUDGED and (broken_in_form or (reads and violation is None)):
            yield call


def _key(call: Call) -> CaseId:
    """Return a case's id without its run, which is equal for the same case over each binding."""
    return call.case.id.in_run("")


def _said(call: Call) -> Message:
    """Return an answer's outcome in words: accepted, or refused and with which errors."""
    envelope = call.reading.envelope
    if call.reading.accepted:
        return message("answer.accepted")
    errors = envelope.errors if envelope is not None else ()
    names = sorted({comparable_error(error) for error in errors} - {""})
    return message("answer.refused_as", errors=", ".join(names)) if names else _REFUSED


def comparable_error(error: ErrorView) -> str:
    """Return the type of an error and, in brackets, the parameter that it names."""
    type, parameter = error.type, error.parameter_name
    parts = (f"`{type}`" if type else "", f"(`{parameter}`)" if parameter else "")
    return " ".join(part for part in parts if part)


def _is_vague(call: Call, other: Call) -> bool:
    """Return whether both answers refuse, and at least one of them has no envelope to compare."""
    refused = not call.reading.accepted and not other.reading.accepted
    return refused and (call.reading.envelope is None or other.reading.envelope is None)
