"""Progress while driving: on a terminal one line that is written over, else two lines a run."""

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
"""Seconds between two writings: a terminal over a slow line must not hold up the driver."""

_CLEAR = "\r\x1b[K"


class Progress:
    """Shows how far driving is; silent if `stream` is not a terminal.

    `clock` gives seconds. `update` may be called for each case: it writes ten times a second.
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
        """Whether anybody sees the line."""
        return self._active

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` cases are done; `total` may grow on the way."""
        now = self._clock()
        if not self._active or (self._written is not None and now - self._written < _EVERY):
            return
        self._written = now
        width = shutil.get_terminal_size().columns - 1
        line = progress_line(done, total, now - self._began, self._language)
        self._stream.write(_CLEAR + line[:width])
        self._stream.flush()

    def finish(self) -> None:
        """Take the line away."""
        if self._active and self._written is not None:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._written = None


def begins_line(run: str, language: str) -> str:
    """Give the line that says that a run begins, for where no line is written over."""
    return say("report.run.begins", language, run=run)


@dataclass(frozen=True, slots=True)
class FirstTool:
    """How many clauses hold for the first tool so far, and how many seem broken.

    None of it is a verdict: what seems broken is sent again first, and scripts may show more.
    """

    run: str
    tool: str
    held: int
    doubtful: int


async def first_tool(
    asked: Iterable[Question], evidence: RunEvidence, tool: str
) -> FirstTool | None:
    """Give what the calls of a tool show; None where they show nothing yet.

    Other tools may be called meanwhile: between two questions their answers are taken.
    """
    verdicts = []
    for question in asked:
        if (question.run, question.tool) == (evidence.run.id, tool):
            verdicts.append(judge(question, evidence).verdict)
            await asyncio.sleep(0)
    held = verdicts.count(Verdict.PASS)
    doubtful = verdicts.count(Verdict.FAIL) + verdicts.count(Verdict.WARN)
    return FirstTool(evidence.run.id, tool, held, doubtful) if held or doubtful else None


def first_line(first: FirstTool, language: str) -> str:
    """Give the line that says what the calls of the first tool show."""
    counts = {"held": number(first.held, language), "doubtful": number(first.doubtful, language)}
    id = "report.run.first_doubtful" if first.doubtful else "report.run.first"
    return say(id, language, run=first.run, tool=first.tool, **counts)


def ends_line(driven: RunDriven, language: str) -> str:
    """Give the line that says that a run ended, and what it took."""
    return say(
        "report.run.ends" if driven.calls else "report.run.ends-calls",
        language,
        run=driven.run,
        cases=number(driven.calls, language),
        requests=number(driven.requests, language),
        time=duration(driven.seconds, language),
    )


def confirms_line(count: int, language: str) -> str:
    """Give the line that says how many clauses seem broken, which may take long to confirm."""
    return say("report.confirms", language, count=number(count, language))


def progress_line(done: int, total: int, seconds: float, language: str) -> str:
    """Give the line: cases done, the rate, and the time left once there is something to go by."""
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
