"""Answers of which a record kept only the head, and the notes of who asked for the rest.

A judge that looks at what was not recorded cannot know what it would have seen: it is watched, and
what it passes is not verified.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any, Self

from conformance.kit.model.exchange import Answer
from conformance.spec.vocabulary import Outcome


@dataclass(slots=True)
class Missed:
    """Whether something was asked for that was not recorded."""

    anything: bool = False


_WATCH: ContextVar[Missed | None] = ContextVar("watch", default=None)


@contextmanager
def watching() -> Iterator[Missed]:
    """Note what is asked for meanwhile, and was not recorded."""
    missed = Missed()
    token = _WATCH.set(missed)
    try:
        yield missed
    finally:
        _WATCH.reset(token)


def note() -> None:
    """Say that something was asked for that was not recorded."""
    missed = _WATCH.get()
    if missed is not None:
        missed.anything = True


class CutAnswer(Answer):
    """An answer whose `body` or `messages`, or both, were not kept whole: asking is noted.

    `meant` is what the recording kit took the whole answer for, None where it did not say.
    """

    lost: frozenset[str]
    meant: Outcome | None

    @classmethod
    def of(cls, answer: Answer, lost: frozenset[str], meant: Outcome | None) -> Self:
        """`answer`, with what it `lost`: names of its fields."""
        made = cls(*(getattr(answer, field.name) for field in fields(Answer)))
        object.__setattr__(made, "meant", meant)
        object.__setattr__(made, "lost", lost)
        return made

    @property
    def is_readable(self) -> bool:
        """Whether its messages were kept, which say all that its body says."""
        return "messages" not in self.lost and bool(self.messages)

    def __reduce__(self) -> Any:
        whole = Answer(*(getattr(self, field.name) for field in fields(Answer)))
        return CutAnswer.of, (whole, self.lost, self.meant)

    def __getattribute__(self, name: str) -> Any:
        if name in {"body", "messages"} and name in self.__dict__.get("lost", ()):
            note()
        return super().__getattribute__(name)
