"""A pytest item for one clause of one run and tool. It reports a verdict that was made before.

If a target has very many tools, one item holds a clause of a run with all its tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from conformance.kit.model.results import Item, UsedWaiver
from conformance.kit.model.settings import Settings
from conformance.kit.model.slug import slug
from conformance.kit.report.levels import GRAVITY
from conformance.kit.report.safe_text import visible
from conformance.kit.report.words import others, told_of, verdict_name
from conformance.kit.verdicts.judge import Question
from conformance.spec.messages import message
from conformance.spec.vocabulary import Verdict

MOST_ITEMS = 10_000
"""The most pairs of clause and tool with an item each: items cost time and memory.
"""


_LONGEST = 2_000
"""The most characters of an item's text, which goes to the log and to the JUnit file."""


class ClauseFailed(Exception):
    """A MUST is broken. The text is one line that says how."""


class KitFault(Exception):
    """The kit itself failed while it judged."""


class ClauseItem(pytest.Item):
    """An item that runs nothing: all verdicts exist before the first item reports."""

    def __init__(
        self,
        *,
        questions: tuple[Question, ...],
        line: int,
        settings: Settings,
        current: bool = True,
        redact: Callable[[str], str] = str,
        **rest: Any,
    ) -> None:
        super().__init__(**rest)
        self.questions = questions
        self.results: tuple[Item, ...] = ()
        self._line = line
        self._counts = current or settings.fail_on_superseded
        self._strict = settings.fail_on_should
        self.language = settings.language
        self.redact = redact
        clause = questions[0].clause
        self.add_marker(pytest.mark.clause(clause.id))
        self.add_marker(clause.requirement.value.lower())

    @property
    def result(self) -> Item | None:
        """The worst of the verdicts; None before judging.

        It is "not applicable" only if the clause applies to none of the tools.
        """
        applies = [item for item in self.results if item.verdict is not Verdict.NOT_APPLICABLE]
        return min(
            applies or self.results, key=lambda item: GRAVITY.index(item.verdict), default=None
        )

    def setup(self) -> None:
        """Raise `KitFault` for a fault of the kit, so that pytest shows an error."""
        if self.result is not None and self.result.verdict is Verdict.KIT_ERROR:
            raise KitFault(self.words)

    def runtest(self) -> None:
        """Report the verdict as one of pytest's outcomes."""
        result = self.result
        if result is None:
            raise KitFault(message("kit.not_judged").words(self.language))
        broken = {Verdict.FAIL, Verdict.WARN} if self._strict else {Verdict.FAIL}
        if result.verdict in broken and self._counts:
            raise ClauseFailed(self.words)
        if result.verdict in {Verdict.FAIL, Verdict.WARN, Verdict.WAIVED, Verdict.FLAKY}:
            reason = visible(self.redact(result.waiver_reason or ""), _LONGEST)
            said = reason if result.verdict is Verdict.WAIVED else self.words
            pytest.xfail(f"{self._name}: {said}")
        if result.verdict in {Verdict.NOT_APPLICABLE, Verdict.NOT_VERIFIED}:
            pytest.skip(f"{self._name}: {self.words}")

    @property
    def _name(self) -> str:
        """The name of the verdict, as in the report."""
        return verdict_name(self.result.verdict, self.language) if self.result else ""

    @property
    def words(self) -> str:
        """The first finding in words, and how many more there are and where."""
        worst = self.result
        alike = [item for item in self.results if worst and item.verdict is worst.verdict]
        told = told_of(alike)
        if not told:
            return ""
        first = visible(self.redact(told[0][1].words(self.language)), _LONGEST)
        more = others(told, self.language, lambda text: visible(self.redact(text), 60))
        return f"{first} ({more})" if more else first

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Return one line, never a traceback for something that the target did.

        pytest also asks for this for a warning; its own answer would quote a line of this module.
        """
        if isinstance(excinfo.value, (ClauseFailed, KitFault, pytest.xfail.Exception)):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the judge, and the name of the item."""
        return self.path, self._line, self.name


def grouped(asked: list[Question], *, fold: bool) -> list[tuple[Question, ...]]:
    """Return the questions of each item: one, or with `fold` all of a clause and run."""
    if not fold:
        return [(question,) for question in asked]
    return [tuple(own) for _, own in groupby(asked, key=lambda one: (one.clause.id, one.run))]


def item_name(function: str, questions: tuple[Question, ...]) -> str:
    """Return a name like `test_x[ATDF-ERR-004-http-hotel_reservation]`, in ASCII for every tool
    name.
    """
    first = questions[0]
    parts = [first.clause.id, first.run]
    if first.tool is not None and len(questions) == 1:
        parts.append(slug(first.tool))
    return f"{function}[{'-'.join(parts)}]"


class StaleWaiver(Exception):
    """A waiver that is not needed any more. The text says which, and why."""


class WaiverItem(pytest.Item):
    """An item that fails with one line. Its name is the place in the file, which JUnit shows."""

    def __init__(self, *, place: str, line: int, words: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._place, self._line, self._words = place, line, words
        self.add_marker("clause")

    def runtest(self) -> None:
        """Say which waiver is stale."""
        raise StaleWaiver(self._words)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Return one line, never a traceback for something that a file says."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the waiver."""
        return Path(self._place), self._line - 1, self.name


def stale_items(
    session: pytest.Session,
    waivers: Iterable[UsedWaiver],
    place: str,
    language: str,
    redact: Callable[[str], str],
) -> list[pytest.Item]:
    """Return an item for each stale waiver of the file `place`: its line, why, and what to do."""
    found: list[pytest.Item] = []
    for used in waivers:
        if used.stale is None:
            continue
        line, reason = used.waiver.line, used.stale.words(language)
        stale = message("kit.waivers.stale", file=place, line=line, reason=reason)
        words = visible(redact(stale.words(language)), None)
        name = f"stale_waiver[{used.waiver.clause}-{line}]"
        found.append(
            WaiverItem.from_parent(session, name=name, place=place, line=line, words=words)
        )
    return found
