"""Progress while driving: one updated line on a terminal, otherwise two lines for each run."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TextIO

from conformance.kit.drive.progress import RunDriven
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.report.words import duration, number, say
from conformance.kit.verdicts.judge import Question, judge
from conformance.spec.vocabulary import Verdict

_EVERY = 0.1
"""Seconds between two writes. A terminal on a slow connection must not delay the driver."""

_CLEAR = "\r\x1b[K"


class Progress:
    """Shows the progress of driving; silent if `stream` is not a terminal.

    `clock` returns seconds. `update` may be called for each case, but writes at most ten times a
    second.
    """

    def __init__(
        self, stream: TextIO, language: str = "en", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._language = language
        self._clock = clock
        self._active = stream.isatty()
        self._began = clock()
        self._written: float | None = None

    @property
    def active(self) -> bool:
        """Whether the progress line is shown."""
        return self._active

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` cases are done; `total` may grow while driving."""
        now = self._clock()
        if not self._active or (self._written is not None and now - self._written < _EVERY):
            return
        self._written = now
        width = shutil.get_terminal_size().columns - 1
        line = progress_line(done, total, now - self._began, self._language)
        self._stream.write(_CLEAR + line[:width])
        self._stream.flush()

    def finish(self) -> None:
        """Erase the line."""
        if self._active and self._written is not None:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._written = None


def begins_line(run: str, language: str) -> str:
    """Return the line that says that a run begins, for output without an updated line."""
    return say("report.run.begins", language, run=run)


@dataclass(frozen=True, slots=True)
class FirstTool:
    """How many clauses hold for the first tool so far, and how many seem broken.

    These are not verdicts. The kit first sends again what seems broken, and scripts may show more.
    `refused` says that the call that should work was refused, so that little could be checked.
    """

    run: str
    tool: str
    held: int
    doubtful: int
    refused: bool = False


async def first_tool(
    asked: Iterable[Question], evidence: RunEvidence, tool: str
) -> FirstTool | None:
    """Judge the calls of a tool; None if they show nothing yet.

    Between two questions, other tasks can run, such as calls of other tools.
    """
    verdicts = []
    for question in asked:
        if (question.run, question.tool) == (evidence.run.id, tool):
            verdicts.append(judge(question, evidence).verdict)
            await asyncio.sleep(0)
    held = verdicts.count(Verdict.PASS)
    doubtful = verdicts.count(Verdict.FAIL) + verdicts.count(Verdict.WARN)
    if not held and not doubtful:
        return None
    baseline = evidence.by_tool[tool].baseline
    refused = baseline is not None and not baseline.reading.accepted
    return FirstTool(evidence.run.id, tool, held, doubtful, refused)


def first_line(first: FirstTool, language: str) -> str:
    """Return the line about the calls of the first tool."""
    counts = {"held": number(first.held, language), "doubtful": number(first.doubtful, language)}
    id = "report.run.first_doubtful" if first.doubtful else "report.run.first"
    if first.refused:
        id = "report.run.first_refused"
    return say(id, language, run=first.run, tool=first.tool, **counts)


def ends_line(driven: RunDriven, language: str) -> str:
    """Return the line that says that a run ended, with its calls, requests and time."""
    return say(
        "report.run.ends" if driven.calls else "report.run.ends-calls",
        language,
        run=driven.run,
        cases=number(driven.calls, language),
        requests=number(driven.requests, language),
        time=duration(driven.seconds, language),
    )


def confirms_line(count: int, language: str) -> str:
    """Return the line that says what the kit confirms, which may take long."""
    return say("report.confirms", language, count=number(count, language))


def progress_line(done: int, total: int, seconds: float, language: str) -> str:
    """Return the progress line: cases done, the rate, and, if there is a rate, the time left."""
    rate = done / seconds if seconds > 0 else 0.0
    values = {
        "done": number(done, language),
        "total": number(total, language),
        "rate": number(round(rate), language),
    }
    if not rate or done >= total:
        return say("report.progress", language, **values)
    left = duration(max(1.0, (total - done) / rate), language)
    return say("report.progress.left", language, **values, left=left)
