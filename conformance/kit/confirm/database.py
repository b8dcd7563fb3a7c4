"""Tells the next session which random calls failed, or still fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.database import Memory, Remembered
from conformance.kit.cases.drawn import drawn_of
from conformance.kit.confirm.confirm import FAILED
from conformance.kit.confirm.shrink import of_chance_alone
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import Item
from conformance.kit.model.run import Run
from conformance.kit.verdicts.judge import Question
from conformance.spec.vocabulary import Verdict

_HOLDS = frozenset({Verdict.PASS, Verdict.NOT_APPLICABLE})
_Asked = Mapping[tuple[str, str, str | None], Item]
"""The items by run, clause and tool."""


def memorise(
    memory: Memory,
    asked: Sequence[Question],
    items: Mapping[int, Item],
    evidence: Mapping[str, RunEvidence],
    exchanges: Mapping[int, Exchange],
) -> None:
    """Store failures in their smallest form, and remove those that were sent again and passed."""
    by_place = {(q.run, q.clause.id, q.tool): items[n] for n, q in enumerate(asked)}
    broken: dict[tuple[str, str], list[Remembered]] = {}
    for n, question in enumerate(asked):
        for finding in of_chance_alone(question, items[n], exchanges):
            case = exchanges[finding.exchange or 0].case
            assert case is not None
            one = Remembered(drawn_of(case), (question.clause.id,))
            broken.setdefault((question.run, case.tool), []).append(one)
    touched: list[tuple[Run, Tool]] = []
    for run, seen in evidence.items():
        for name, tool in seen.by_tool.items():
            before = memory.recall(seen.run, tool.tool)
            found = broken.get((run, name), [])
            for one in before:
                clauses = tuple(c for c in one.clauses if _may_fail(one, c, tool, by_place))
                found += [Remembered(one.call, clauses)] if clauses else []
            if before or found:
                memory.replace(seen.run, tool.tool, before, _merged(found))
                touched.append((seen.run, tool.tool))
    memory.tidy(touched)


def _merged(found: list[Remembered]) -> Iterator[Remembered]:
    """Return each call once, with all the clauses that it breaks."""
    calls = {one.call.id: one.call for one in found}
    for id, call in calls.items():
        clauses = {clause for one in found if one.call.id == id for clause in one.clauses}
        yield Remembered(call, tuple(sorted(clauses)))


def _may_fail(one: Remembered, clause: str, tool: ToolEvidence, items: _Asked) -> bool:
    """Return whether a call still breaks a clause. A call that was not sent or not judged counts
    too.
    """
    if all(call.case.id != one.call.id for call in tool.calls):
        return True
    said = list(_said(clause, tool, items))
    if not said or any(item.verdict not in FAILED | _HOLDS for item in said):
        return True
    return any(f.case == one.call.id.text for item in said for f in item.findings)


def _said(clause: str, tool: ToolEvidence, items: _Asked) -> Iterator[Item]:
    for name in (tool.tool.name, None):
        item = items.get((tool.run.id, clause, name))
        if item is not None:
            yield item
