"""A fault of the kit itself, as data, so that it affects one tool or script and not the session."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb, format_exception

from conformance.kit.model.written import Foreign


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception of the kit. `id` is the same for the same place in the code, and `what` is its
    text.

    `trace` is for the developer who fixes it.
    """

    id: str
    what: Foreign
    trace: Foreign


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
    return Fault(id, f"{name}: {error}", "".join(format_exception(error)))


class Faulty(Exception):
    """The evidence that a judge asks for is missing, because of a fault of the kit."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.what)
        self.fault = fault
