"""Errors do not reveal credentials (ATDF-ERR-013)."""

from __future__ import annotations

from conformance.atdf.leaks import credential_in
from conformance.atdf.scripts import CANARY
from conformance.kit.config.secrets import tells
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import read
from conformance.kit.verdicts.checks import Checks, broken, clause, holds


@clause("ATDF-ERR-013")
def test_no_error_repeats_a_credential(run: RunEvidence) -> Checks:
    """No error contains a credential of the user, the canary, or a known form of the server's own.

    The user gave the first to the kit. The kit made up the canary and sent it for this check.
    """
    for call in run.calls:
        if call.reading.accepted or not call.reading.text:
            continue
        own = credential_in(call.reading.text, sent=call.exchange.request.body)
        if tells(call.reading.text, *run.credentials):
            yield broken(call, "finding.error.secret")
        elif own is not None:
            yield broken(call, "finding.error.own_secret", kind=own)
        else:
            yield holds()
    for exchange in run.steps("canary").values():
        if exchange.answer is None or read(exchange).accepted:
            continue
        told = [exchange.answer.body.decode("utf-8", "replace")]
        told += [value for _, value in exchange.answer.headers]
        if any(tells(text, CANARY) for text in told):
            yield broken(exchange, "finding.error.secret")
        else:
            yield holds()
