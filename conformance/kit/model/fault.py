"""A fault of the kit itself, as data, so that it affects one tool or script and not the session."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb, format_exception
from typing import Any

from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.kit.model.written import Foreign, Redact
from conformance.spec.messages import Message, message


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception of the kit. `id` is the same for the same place in the code, and `what` is its
    text.

    `trace` is for the developer who fixes it.
    """

    id: str
    what: Foreign
    trace: Foreign


_FRAMES = 8
"""How many calls a trace shows, the last ones: a report cuts the end of a longer text."""


class Cut(asyncio.CancelledError):
    """Ends work that goes on for too long. It cancels the work, as the event loop itself would."""


def cut_behind(error: BaseException | None) -> Cut | None:
    """Return the `Cut` that an exception is or comes from, if any.

    Pydantic turns any exception of a function that it calls into an error of its own.
    """
    while error is not None and not isinstance(error, Cut):
        error = error.__cause__
    return error


def fault_of(error: BaseException) -> Fault:
    """Return the fault for an exception. Raises `Cut` if the exception comes from one."""
    if cut := cut_behind(error):
        raise cut
    if isinstance(error, Faulty):
        return error.fault
    frames = extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name} {frames[-1].name}" if frames else ""
    name = type(error).__name__
    id = sha256(f"{name} {where}".encode()).hexdigest()[:8]
    return Fault(id, f"{name}: {error}", "".join(format_exception(error, limit=-_FRAMES)))


@dataclass(slots=True)
class Caught:
    """What a block raised, if anything."""

    fault: Fault | None = None


@contextmanager
def catching(*but: type[Exception]) -> Iterator[Caught]:
    """Keep what the block raises as a fault of the kit, and go on after it.

    An `OSError`, such as a failing disk or the end of the time, and those in `but` are raised: they
    concern more than this block.
    """
    caught = Caught()
    try:
        with ends_in_recursion_error():
            yield caught
    except Exception as error:
        if isinstance(error, (OSError, *but)):
            raise
        caught.fault = fault_of(error)


@dataclass(slots=True)
class FaultLog:
    """The faults of a session that belong to no verdict, each with a message of what it cost."""

    noted: list[tuple[Message, Fault]] = field(default_factory=list)

    def note(self, where: str | Message, error: Exception) -> Fault:
        """Record an exception, with the message of what it cost, or the id of that message."""
        fault = fault_of(error)
        self.add(where, fault)
        return fault

    def add(self, where: str | Message, fault: Fault) -> None:
        """Record a fault, unless it is known."""
        told = message(where) if isinstance(where, str) else where
        noted = ((cost, one.id, one.what) for cost, one in self.noted)
        if (told, fault.id, fault.what) not in noted:  # else it is known already
            self.noted.append((told, fault))

    @contextmanager
    def noting(self, where: str | Message, *but: type[Exception]) -> Iterator[Caught]:
        """Record what the block raises, and go on after it.

        What `catching` raises is raised, and so is a `MemoryError`.
        """
        with catching(MemoryError, *but) as caught:
            yield caught
        if caught.fault is not None:
            self.add(where, caught.fault)

    def words(self, language: str) -> tuple[str, ...]:
        """Return each fault in words."""
        return tuple(told_fault(where, fault).words(language) for where, fault in self.noted)

    @property
    def traces(self) -> tuple[str, ...]:
        """The places of the faults, for the developer who fixes the kit."""
        return tuple(fault.trace for _, fault in self.noted)


def told_fault(where: str | Message, fault: Fault) -> Message:
    """Return the message about a fault; `where` says what it cost."""
    return message("kit.fault", where=where, fault=fault.id, what=fault.what)


def ended_by(error: Exception, language: str, redact: Redact | None) -> str:
    """Return one sentence about a fault that left no report.

    Without `redact`, it lacks the text of the exception, in which a secret may be.
    """
    place = extract_tb(error.__traceback__)[-1]
    name = f"{type(error).__name__}, {Path(place.filename).name}, line {place.lineno}"
    try:
        fault = fault_of(error)
        what = name if redact is None else redact(fault.what)
        told = told_fault(message("kit.command_failed"), replace(fault, what=what))
        return told.words(language)
    except Exception:  # the fault may be in what makes sentences
        return f"The command ended early, because the kit itself failed ({name})."


class Faulty(Exception):
    """The evidence that a judge asks for is missing, because of a fault of the kit."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.what)
        self.fault = fault


def fault_in(tasks: Iterable[asyncio.Task[Any]]) -> Exception | None:
    """Return the exception that ended one of the tasks, unless the system raised it."""
    ended = (task.exception() for task in tasks if task.done() and not task.cancelled())
    ours = (each for each in ended if isinstance(each, Exception))
    return next((each for each in ours if not isinstance(each, OSError)), None)
