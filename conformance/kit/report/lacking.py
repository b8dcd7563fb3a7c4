"""What keeps a run from a level. Clauses that were not judged for the same reason are grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from conformance.kit.model.results import Item, RunResult
from conformance.kit.report.levels import GRAVITY, missing_for
from conformance.kit.report.words import NAMED, number, say
from conformance.spec.messages import Message, codes
from conformance.spec.vocabulary import VERDICT_BLOCKS_LEVEL, Level, Verdict

_SOMETHING = frozenset(GRAVITY[: GRAVITY.index(Verdict.NOT_APPLICABLE)])
_TOLD = frozenset({Verdict.KIT_ERROR, Verdict.FAIL})
"""Verdicts that the report explains in full elsewhere."""


@dataclass(frozen=True, slots=True)
class Lack:
    """Clauses that a level lacks, for one reason, in the order of their ids.

    `reason` is why they could not be judged, or the first warning about one of them. `tools` are
    the tools that it is about. For the tools in `also`, the message has other values. Failures have
    no reason here, because the report explains them elsewhere.
    """

    verdict: Verdict | None
    clauses: tuple[str, ...]
    reason: Message | None = None
    tools: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def lacks(run: RunResult, level: Level) -> tuple[Lack, ...]:
    """Return what keeps a run from `level`, failures first.

    A clause is listed for each verdict and each reason, so that a developer sees all reasons at the
    same time. "Not applicable" is listed only if there is no other reason.
    """
    held: dict[str, list[Item]] = {clause: [] for clause in missing_for(run, level)}
    for item in run.items:
        if item.clause in held:
            held[item.clause].append(item)
    found: dict[tuple[Verdict | None, Message | str], list[Item]] = {}
    clauses: dict[tuple[Verdict | None, Message | str], list[str]] = {}
    for clause, items in held.items():
        for verdict, reason, own in _parted(clause, items):
            found.setdefault((verdict, reason), []).extend(own)
            clauses.setdefault((verdict, reason), []).append(clause)
    told = [_lack(*key, clauses[key], items) for key, items in found.items()]
    if any(lack.verdict in _SOMETHING for lack in told):
        told = [lack for lack in told if lack.verdict is not Verdict.NOT_APPLICABLE]
    return tuple(sorted(told, key=_place))


def _place(lack: Lack) -> int:
    return GRAVITY.index(lack.verdict) if lack.verdict is not None else len(GRAVITY)


def _parted(
    clause: str, items: Sequence[Item]
) -> Iterable[tuple[Verdict | None, Message | str, list[Item]]]:
    """Yield one clause's items by verdict and reason; its id replaces a reason told elsewhere."""
    for verdict in _in_the_way(items):
        by_reason: dict[str, list[Item]] = {}
        for item in items:
            if item.verdict is verdict:
                by_reason.setdefault("" if verdict in _TOLD else _reason_id(item), []).append(item)
        for reason, own in by_reason.items():
            yield verdict, own[0].findings[0].message if reason else clause, own
    if not items:
        yield None, clause, []


def _in_the_way(items: Sequence[Item]) -> list[Verdict]:
    """Return the verdicts that prevent a level; if there is none, the gravest verdict."""
    verdicts = {item.verdict for item in items}
    ranked = [verdict for verdict in GRAVITY if verdict in verdicts]
    return [verdict for verdict in ranked if VERDICT_BLOCKS_LEVEL[verdict]] or ranked[:1]


def _reason_id(item: Item) -> str:
    return item.findings[0].message.id if item.findings else ""


def _lack(
    verdict: Verdict | None, reason: Message | str, clauses: Sequence[str], items: Sequence[Item]
) -> Lack:
    """Return one lack; a string as reason is the id of a clause that is explained elsewhere."""
    if isinstance(reason, str):
        return Lack(verdict, tuple(sorted(clauses)))
    tools = _tools(i for i in items if any(each.message == reason for each in i.findings))
    also = (tool for tool in _tools(items) if tool not in tools)
    return Lack(verdict, tuple(sorted(clauses)), reason, tools, tuple(also))


def _tools(items: Iterable[Item]) -> tuple[str, ...]:
    """Return the raw names of the tools, each once, in order."""
    return tuple(dict.fromkeys(item.tool for item in items if item.tool is not None))


def also(lack: Lack, language: str, text: Callable[[str], str]) -> str:
    """Return a text such as `and 2 more tools: charge, refund`; empty if there are no more.

    `text` makes a name safe and short.
    """
    if not lack.also:
        return ""
    tools = codes(map(text, lack.also[:NAMED])) + (", …" if len(lack.also) > NAMED else "")
    return say("report.more-tools", language, count=number(len(lack.also), language), tools=tools)
