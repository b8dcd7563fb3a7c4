"""What can be told of the first tool, long before the last one was called."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.verdicts.judge import Question, judge
from conformance.spec.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Early:
    """How many clauses hold for a tool so far, and how many seem broken.

    None of it is a verdict: what seems broken is sent again first, and scripts may yet show more.
    """

    run: str
    tool: str
    held: int
    doubtful: int


async def early(asked: Iterable[Question], evidence: RunEvidence, tool: str) -> Early | None:
    """What the calls of a tool show; None where they show nothing yet.

    Other tools may be called meanwhile: between two questions their answers are taken.
    """
    verdicts = []
    for question in asked:
        if (question.run, question.tool) == (evidence.run.id, tool):
            verdicts.append(judge(question, evidence).verdict)
            await asyncio.sleep(0)
    held = verdicts.count(Verdict.PASS)
    doubtful = verdicts.count(Verdict.FAIL) + verdicts.count(Verdict.WARN)
    return Early(evidence.run.id, tool, held, doubtful) if held or doubtful else None
