"""Refusals of valid calls must not blame a value that the schema governs (ATDF-CALL-010)."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final

from conformance.formats.problem import quoted, shown
from conformance.formats.schema.equality import same
from conformance.formats.text import rpc
from conformance.kit.cases.expectations import is_governed
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.response import Reading
from conformance.kit.verdicts.blame import blamed_parameters, only_advises
from conformance.kit.verdicts.checks import Checks, broken, clause, holds
from conformance.kit.verdicts.sent_words import call_shown
from conformance.spec.messages import message
from conformance.spec.vocabulary import Outcome

_LONGEST: Final = 200
_READ: Final = 20_000
"""The most characters of a value, and of a refusal, that are compared."""
_BLAMING: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})


@clause("ATDF-CALL-010")
def test_a_refusal_blames_no_valid_value(tool: ToolEvidence) -> Checks:
    """A refused valid call must not blame a governed value that differs from the baseline call's.

    A value is governed if it depends on the schema alone. Envelopes have a clause of their own, and
    so have failures inside the server and errors inside a success. A refusal that names several
    places, or repeats the value of another one, may be about a relation between them, which no
    schema states.
    """
    for call in tool.valid:
        if call.reading.accepted:
            yield holds()
            continue
        blamed = _blamed(tool, call)
        if blamed is not None:
            sent = call.case.arguments
            value = shown(sent[blamed]) if blamed in sent else message("finding.call.left_out")
            yield broken(
                call,
                "finding.call.valid_blamed",
                parameter=blamed,
                sent=value,
                said=quoted(call.reading.said),
                case=call_shown(call.case, tool.good_case(call.case)),
            )


def _blamed(tool: ToolEvidence, refused: Call) -> str | None:
    """Return the only place that a refused valid call names, if the schema governs its value."""
    reading, baseline, schema = refused.reading, tool.baseline, tool.tool.input_schema
    if reading.outcome is not Outcome.INPUT_REFUSED or reading.envelope is not None:
        return None
    if baseline is None or not baseline.reading.accepted:
        return None
    if not _blames_the_input(reading):
        return None
    named = blamed_parameters(schema, reading)
    if len(named) != 1 or not _is_new(named[0], refused, baseline):
        return None
    sent = refused.case.arguments
    if named[0] not in sent and only_advises(named[0], reading):
        return None
    if any(_tells(name, sent[name], reading.text) for name in sent if name != named[0]):
        return None
    return named[0] if is_governed(schema, refused.case.arguments, named[0]) else None


def _tells(name: str, value: object, text: str) -> bool:
    """Return whether a text has a name with its value behind it, as in `city 'Nowhere'`.

    Then the refusal is about this value, too.
    """
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return False
    told = rf"(?<!\w){re.escape(name)}\W{{1,4}}{re.escape(value)}(?!\w)"
    return re.search(told, text[:_READ]) is not None


def _blames_the_input(reading: Reading) -> bool:
    """Return whether a refusal's status, code or `isError` says that the input is at fault."""
    if reading.disguise is not None:
        return False
    by_protocol = reading.rpc_code == rpc.INVALID_PARAMS or reading.status in _BLAMING
    return by_protocol or reading.result is not None


def _is_new(name: str, refused: Call, baseline: Call) -> bool:
    """Return whether a call sends another value for a parameter than the accepted baseline call.

    2.0 and 2 are the same value.
    """
    sent, known = refused.case.arguments, baseline.case.arguments
    if name in sent and name in known:
        return type(sent[name]) is not type(known[name]) or not same(sent[name], known[name])
    return name in sent or name in known
