"""Bystanders: calls that were under way when a process ended that another call had ended.

Over stdio all calls share one process, so each of them is left without an answer. Which one it was
is seen when each is sent again alone; what was not, is laid to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from conformance.formats.vocabulary import Binding
from conformance.kit.evidence import RunEvidence
from conformance.kit.exchange import Exchange, Trouble
from conformance.kit.judging import Question
from conformance.kit.results import Finding, Item

MOST_ASKED: Final = 12
"""Of them sent again at most for each (clause, tool), until enough are found guilty: a bystander
costs two quick calls, a guilty one two starts of a process.
"""


def under_way(question: Question, item: Item, evidence: RunEvidence) -> list[Finding]:
    """The findings, one for each case, of calls that were left so when their process ended."""
    if question.tool is None or evidence.run.binding is not Binding.STDIO:
        return []
    calls = evidence.by_tool[question.tool].calls
    ended = {call.case.id for call in calls if call.reading.trouble is Trouble.CLOSED}
    found: dict[str, Finding] = {}
    for finding in item.findings:
        if finding.case in ended:
            found.setdefault(finding.case, finding)
    return list(found.values())


def ended_alone(again: Sequence[Exchange]) -> bool:
    """Whether a call that was sent again ended its process each time: nothing else was there."""
    return bool(again) and all(each.trouble is Trouble.CLOSED for each in again)


def is_someone_guilty(run: str, cases: Mapping[tuple[str, str], Sequence[Exchange]]) -> bool:
    """Whether some call of a run is known that ends the process."""
    return any(ended_alone(again) for (of, _), again in cases.items() if of == run)
