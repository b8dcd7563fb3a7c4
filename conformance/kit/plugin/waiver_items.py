"""A stale waiver, as a pytest item of its own that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from conformance.kit.model.results import UsedWaiver
from conformance.spec.messages import message


class StaleWaiver(Exception):
    """A waiver that nothing needs any more; the text says which and why."""


class WaiverItem(pytest.Item):
    """Fails with one line; its name is the file's line, so that JUnit shows where to look."""

    def __init__(self, *, place: str, line: int, words: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._place, self._line, self._words = place, line, words
        self.add_marker("clause")

    def runtest(self) -> None:
        """Say what is stale."""
        raise StaleWaiver(self._words)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """One line: never a traceback for what a file says."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the waiver stands."""
        return Path(self._place), self._line - 1, self.name


def stale_items(
    session: pytest.Session,
    waivers: Iterable[UsedWaiver],
    place: str,
    language: str,
    redact: Callable[[str], str],
) -> list[pytest.Item]:
    """An item for each stale waiver of the file `place`: where it stands, why, and what to do."""
    found: list[pytest.Item] = []
    for used in waivers:
        if used.stale is None:
            continue
        line, reason = used.waiver.line, used.stale.words(language)
        words = message("kit.waivers.stale", file=place, line=line, reason=reason)
        name = f"stale_waiver[{used.waiver.clause}-{line}]"
        found.append(
            WaiverItem.from_parent(
                session, name=name, place=place, line=line, words=redact(words.words(language))
            )
        )
    return found
