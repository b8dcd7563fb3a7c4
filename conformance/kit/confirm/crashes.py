"""Bystanders: calls that were under way when a process ended that another call had ended.

Over stdio all calls share one process, so each of them is left without an answer. Which one it was
is seen when each is sent again alone; what was not, is laid to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.results import Finding, Item
from conformance.kit.transport.bindings import traits_of
from conformance.kit.verdicts.judge import Question

Repeated = Mapping[tuple[str, str], Sequence[Exchange]]
"""What came when cases were sent again, by run and case."""
MOST_ASKED: Final = 12
"""Of them sent again at most for each (clause, tool), until enough are found guilty: a bystander
costs two quick calls, a guilty one two starts of a process.
"""


def under_way(question: Question, item: Item, evidence: RunEvidence) -> list[Finding]:
    """The findings, one for each case, of calls that others may have left without an answer."""
    if question.tool is None or not traits_of(evidence.run).starts_process:
        return []
    own = evidence.by_tool[question.tool]
    found: dict[str, Finding] = {}
    for finding in item.findings:
        case = finding.case or ""
        if case in own.ended_in and case not in own.ended_alone:
            found.setdefault(case, finding)
    return list(found.values())


def ended_again(again: Sequence[Exchange] | None) -> bool:
    """Whether a call that was sent again ended its process each time: nothing else was there."""
    return bool(again) and all(each.trouble is Trouble.CLOSED for each in again or ())


def ended_by_another(
    case: str | None, question: Question, evidence: RunEvidence, cases: Repeated
) -> bool:
    """Whether another call of the same process is known to end it, alone or when it was sent again.

    Of a tool with some such calls those count too that were not sent again: not all are.
    """
    process = evidence.by_tool[question.tool or ""].ended_in.get(case or "")
    return any(
        other != case and ended_in == process and _is_guilty(other, tool, cases)
        for tool in evidence.by_tool.values()
        for other, ended_in in tool.ended_in.items()
    )


def _is_guilty(case: str, tool: ToolEvidence, cases: Repeated) -> bool:
    again = cases.get((tool.run.id, case))
    if case in tool.ended_alone or again is not None:
        return case in tool.ended_alone or ended_again(again)
    return any(
        each in tool.ended_alone or ended_again(cases.get((tool.run.id, each)))
        for each in tool.ended_in
    )
