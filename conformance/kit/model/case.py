"""A case: one call with a known purpose, and the expected outcome."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from conformance.kit.model.case_id import Id
from conformance.kit.model.written import Foreign, Value


class Expectation(StrEnum):
    """What a correct server does with a case."""

    ACCEPT = "accept"
    REJECT = "reject"
    ANSWER = "answer"
    """Accept or refuse: the schema allows the value, but few servers expect it. It must not cause a
    crash.
    """


class Strictness(StrEnum):
    """Which clause a broken case serves: how certain it is that a correct server refuses it."""

    STRICT = "strict"
    """No lossless conversion makes it valid. Every server must refuse it."""
    NEAR_MISS = "near_miss"
    """On the closed list of near misses."""
    CLOSED = "closed"
    """An extra property on a closed object."""
    FORMAT = "format"
    """Breaks only one of the four formats that ATDF names."""
    OTHER_FORMAT = "other_format"
    """Breaks only another format, which is an annotation in 2020-12."""
    MALFORMED = "malformed"
    """`arguments` itself is not an object."""


class CaseKind(StrEnum):
    """Why a call is made."""

    BASELINE = "baseline"
    """The first call of a tool, or of a branch of a union."""
    VALID = "valid"
    BROKEN = "broken"
    AFTER = "after"
    """The baseline call again, after the tool's cases."""
    REPAIR = "repair"
    """A broken call again, with the suggestions applied."""
    SECOND = "second"
    """The same call again immediately, for a tool that says it changes nothing."""


@dataclass(frozen=True, slots=True)
class Violation:
    """The one place where a broken case is broken.

    `pointer` is a JSON Pointer into `arguments`, and "" for `arguments` itself. For a missing or an
    extra property it is the path of that property. `parameter` is the same place as errors write it
    (`passengers[0].name`), or None for `arguments` itself. `keywords` are those that the value
    breaks there. `was` is the value of the baseline call (None if absent: see `was_absent`), and
    `sent` the value of this call (see `sent_absent`).
    """

    pointer: Foreign
    parameter: Foreign | None
    keywords: tuple[str, ...]
    was: Value = None
    was_absent: bool = False
    sent: Value = None
    sent_absent: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One call to make.

    `id` is the same in every session. `arguments` is what is sent, any JSON value. `scenario` names
    the deviation (`below-minimum`). `neighbour` is the id of the baseline call that it deviates
    from: a refusal proves something only if that call was accepted. `repairable` says that the
    schema alone gives a valid value.
    """

    id: Id
    kind: CaseKind
    scenario: str
    arguments: Value
    expects: Expectation
    violation: Violation | None = None
    strictness: Strictness | None = None
    repairable: bool = False
    neighbour: Id | None = None
    step: int = 0

    @property
    def parameter(self) -> str:
        """The parameter that is broken; empty if none is, or the arguments as a whole are."""
        return (self.violation.parameter or "") if self.violation is not None else ""

    @property
    def run(self) -> str:
        """The id of the run of the call."""
        return self.id.run

    @property
    def tool(self) -> str:
        """The raw name of the called tool."""
        return self.id.tool
