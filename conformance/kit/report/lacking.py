"""What keeps a run from a level; clauses that could not be judged for one reason stand together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.formats.messages import Message
from conformance.formats.vocabulary import Level, Verdict
from conformance.kit.report.standing import GRAVITY, missing_for
from conformance.kit.results import Item, RunResult

_IN_THE_WAY = GRAVITY[: GRAVITY.index(Verdict.NOT_APPLICABLE)]


@dataclass(frozen=True, slots=True)
class Lack:
    """Clauses that a level lacks. `reason` is why they could not be judged, of `tools`."""

    verdict: Verdict | None
    clauses: tuple[str, ...]
    reason: Message | None = None
    tools: tuple[str, ...] = ()


def lacks(run: RunResult, level: Level) -> tuple[Lack, ...]:
    """Give what keeps a run from `level`, what was broken first."""
    missing = missing_for(run, level)
    held: dict[str, list[Item]] = {clause: [] for clause in missing}
    for item in run.items:
        if item.clause in held:
            held[item.clause].append(item)
    broken: list[Lack] = []
    unjudged: dict[Message, list[str]] = {}
    for clause in missing:
        verdict = _gravest(held[clause])
        reason = _reason(held[clause]) if verdict is Verdict.NOT_VERIFIED else None
        if reason is None:
            broken.append(Lack(verdict, (clause,)))
        else:
            unjudged.setdefault(reason, []).append(clause)
    broken.sort(key=lambda lack: _IN_THE_WAY.index(lack.verdict) if lack.verdict else 99)
    return (
        *broken,
        *(
            Lack(Verdict.NOT_VERIFIED, tuple(clauses), reason, _tools(held, clauses, reason))
            for reason, clauses in unjudged.items()
        ),
    )


def _gravest(items: list[Item]) -> Verdict | None:
    verdicts = {item.verdict for item in items}
    return next((verdict for verdict in _IN_THE_WAY if verdict in verdicts), None)


def _reason(items: list[Item]) -> Message | None:
    unjudged = (item for item in items if item.verdict is Verdict.NOT_VERIFIED and item.findings)
    return next((item.findings[0].message for item in unjudged), None)


def _tools(held: Mapping[str, list[Item]], clauses: list[str], reason: Message) -> tuple[str, ...]:
    """The tools of which the reason is said, each once."""
    found = (
        item.tool
        for clause in clauses
        for item in held[clause]
        if item.tool is not None and any(each.message == reason for each in item.findings)
    )
    return tuple(dict.fromkeys(found))
