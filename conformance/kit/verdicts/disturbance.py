"""Calls that were accepted first and refused later: perhaps others disturbed or spoiled them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from conformance.kit.evidence.cache import cached
from conformance.kit.evidence.evidence import Call, RunEvidence
from conformance.kit.evidence.response import Reading
from conformance.kit.model.case import CaseKind


def refused_afterwards(calls: Sequence[Call]) -> Call | None:
    """Return a tool's accepted baseline call as it was sent again at the end, if it was refused."""
    again = (call for call in calls[-2:] if call.case.kind is CaseKind.AFTER)
    return next((call for call in again if _refuses(call.reading)), None)


def is_disturbed(calls: Sequence[Call]) -> bool:
    """Return whether that call was accepted when it was sent once more, alone."""
    return refused_afterwards(calls) is not None and calls[-1].reading.accepted


def cause_of(run: RunEvidence | None, refused: Call) -> str:
    """Return why a valid call was perhaps refused: "disturbed", "spoiled", or "" if nothing tells.

    Some call of the run was accepted first, and refused later with the same words. If it was
    accepted again alone, other calls disturbed it. Otherwise, they may have spoiled what it needs.
    """
    if run is None or not _refuses(refused.reading):
        return ""
    return _later_refusals(run).get(_plain(refused), "")


def _refuses(reading: Reading) -> bool:
    return reading.refused and not reading.stopped


def _plain(call: Call) -> str:
    """Return the words of a refusal without its numbers."""
    return re.sub(r"\d+", "0", call.reading.text)


@cached
def _later_refusals(run: RunEvidence) -> dict[str, str]:
    """Return the words of refusals of calls that had been accepted before, each with its cause."""
    found: dict[str, str] = {}
    for tool in run.by_tool.values():
        refused = refused_afterwards(tool.calls)
        if refused is None or not refused.reading.text:
            continue
        if is_disturbed(tool.calls):
            found[_plain(refused)] = "disturbed"
        elif _overlap(tool.calls):
            found.setdefault(_plain(refused), "spoiled")
    return found


def _overlap(calls: Sequence[Call]) -> bool:
    """Return whether calls of a tool were under way at the same time."""
    spans = sorted((call.exchange.started, call.exchange.elapsed) for call in calls)
    return any(later < began + took for (began, took), (later, _) in pairwise(spans))
