"""What keeps a run from a level; clauses that could not be judged for one reason stand together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.formats.messages import Message
from conformance.formats.vocabulary import Level, Verdict
from conformance.kit.report.standing import GRAVITY, missing_for
from conformance.kit.results import Item, RunResult

_IN_THE_WAY = frozenset(GRAVITY[: GRAVITY.index(Verdict.NOT_APPLICABLE)])
_TOLD = frozenset({Verdict.KIT_ERROR, Verdict.FAIL})
"""What was found is told in full, at another place."""


@dataclass(frozen=True, slots=True)
class Lack:
    """Clauses that a level lacks.

    `reason` is why they could not be judged, or the first thing that one of them was warned of, and
    `tools` are those it is said of; what was broken is told elsewhere, with all that it is about.
    """

    verdict: Verdict | None
    clauses: tuple[str, ...]
    reason: Message | None = None
    tools: tuple[str, ...] = ()


def lacks(run: RunResult, level: Level) -> tuple[Lack, ...]:
    """Give what keeps a run from `level`, what was broken first.

    That nothing was there to judge is a reason only where there is no better one.
    """
    missing = missing_for(run, level)
    held: dict[str, list[Item]] = {clause: [] for clause in missing}
    for item in run.items:
        if item.clause in held:
            held[item.clause].append(item)
    found: dict[tuple[Verdict | None, Message | str], list[str]] = {}
    for clause in missing:
        verdict = _gravest(held[clause])
        reason = None if verdict in _TOLD else _reason(held[clause], verdict)
        found.setdefault((verdict, reason or clause), []).append(clause)
    told = [_lack(verdict, reason, found[verdict, reason], held) for verdict, reason in found]
    if any(lack.verdict in _IN_THE_WAY for lack in told):
        told = [lack for lack in told if lack.verdict is not Verdict.NOT_APPLICABLE]
    return tuple(sorted(told, key=_place))


def _place(lack: Lack) -> int:
    return GRAVITY.index(lack.verdict) if lack.verdict is not None else len(GRAVITY)


def _lack(
    verdict: Verdict | None,
    reason: Message | str,
    clauses: list[str],
    held: Mapping[str, list[Item]],
) -> Lack:
    """One lack; a reason in place of which stands a clause's id is told elsewhere."""
    if isinstance(reason, str):
        return Lack(verdict, tuple(clauses))
    return Lack(verdict, tuple(clauses), reason, _tools(held, clauses, reason))


def _gravest(items: list[Item]) -> Verdict | None:
    verdicts = {item.verdict for item in items}
    return next((verdict for verdict in GRAVITY if verdict in verdicts), None)


def _reason(items: list[Item], verdict: Verdict | None) -> Message | None:
    alike = (item for item in items if item.verdict is verdict and item.findings)
    return next((item.findings[0].message for item in alike), None)


def _tools(
    held: Mapping[str, list[Item]], clauses: Sequence[str], reason: Message
) -> tuple[str, ...]:
    """The tools of which the reason is said, each once."""
    found = (
        item.tool
        for clause in clauses
        for item in held[clause]
        if item.tool is not None and any(each.message == reason for each in item.findings)
    )
    return tuple(dict.fromkeys(found))
