"""One clause of one run and tool, as a pytest item that reports a verdict given before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.formats.messages import message
from conformance.formats.vocabulary import Verdict
from conformance.kit.judging import Question
from conformance.kit.results import Item
from conformance.kit.slug import slug


class ClauseFailed(Exception):
    """A MUST is broken; the text is the one line that says how."""


class KitFault(Exception):
    """The kit itself failed while it judged."""


class ClauseItem(pytest.Item):
    """Runs nothing: judging is over before the first item reports (pytest-html counts rows)."""

    def __init__(self, *, question: Question, line: int, language: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.question = question
        self.result: Item | None = None
        self._line = line
        self._language = language
        self.add_marker(pytest.mark.clause(question.clause.id))
        self.add_marker(question.clause.requirement.value.lower())

    def setup(self) -> None:
        """Raise KitFault for a fault of the kit, so that pytest shows an error."""
        if self.result is not None and self.result.verdict is Verdict.KIT_ERROR:
            raise KitFault(self.words)

    def runtest(self) -> None:
        """Report the verdict as pytest's table has it (the kit's section on verdicts)."""
        result = self.result
        if result is None:
            raise KitFault(message("kit.not_judged").words(self._language))
        strict = self.config.getoption("--fail-on") == "should"
        if result.verdict is Verdict.FAIL or (result.verdict is Verdict.WARN and strict):
            raise ClauseFailed(self.words)
        if result.verdict in {Verdict.WARN, Verdict.WAIVED, Verdict.FLAKY}:
            pytest.xfail(f"{result.verdict.value}: {self.words}")
        if result.verdict is Verdict.NOT_APPLICABLE:
            pytest.skip(f"not applicable: {self.words}")
        if result.verdict is Verdict.NOT_VERIFIED:
            pytest.skip(f"not verified: {self.words}")

    @property
    def words(self) -> str:
        """The first finding in words, and how many more there are."""
        findings = self.result.findings if self.result is not None else ()
        if not findings:
            return ""
        first = findings[0].message.words(self._language)
        more = len(findings) - 1
        return first if not more else f"{first} (+{more})"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """One line: never a traceback for what a target did."""
        if isinstance(excinfo.value, (ClauseFailed, KitFault)):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the judge stands, and the item's name."""
        return self.path, self._line, self.name


def item_name(function: str, question: Question) -> str:
    """`test_x[ATDF-ERR-004-http-hotel_reservation]`, in ASCII whatever the tool is named."""
    parts = [question.clause.id, question.run]
    if question.tool is not None:
        parts.append(slug(question.tool))
    return f"{function}[{'-'.join(parts)}]"
