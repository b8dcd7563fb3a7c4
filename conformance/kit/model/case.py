"""A case: one call with named intent, and what it expects."""

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
    """Either: the schema allows it, and few servers are made for it. It must not break them."""


class Strictness(StrEnum):
    """Which clause a broken case serves: how surely a correct server refuses it."""

    STRICT = "strict"
    """No lossless reading makes it valid: must be refused everywhere."""
    NEAR_MISS = "near_miss"
    """In the closed list of near misses."""
    CLOSED = "closed"
    """An extra property on a closed object."""
    FORMAT = "format"
    """Breaks nothing but one of the four ATDF formats."""
    OTHER_FORMAT = "other_format"
    """Breaks nothing but another format: an annotation in 2020-12."""
    MALFORMED = "malformed"
    """`arguments` itself is not an object."""


class CaseKind(StrEnum):
    """Why a call is made."""

    BASELINE = "baseline"
    """The first call of a tool, or of a branch of a union."""
    VALID = "valid"
    BROKEN = "broken"
    AFTER = "after"
    """The baseline call once more, after the tool's cases."""
    REPAIR = "repair"
    """A broken call again, with the suggestions applied."""
    SECOND = "second"
    """The same call again immediately, of a tool that says it changes nothing."""


@dataclass(frozen=True, slots=True)
class Violation:
    """The one place where a broken case is broken.

    `pointer` is a JSON Pointer into `arguments` ("" is `arguments` itself); for a missing or an
    extra property it is that property's own path. `parameter` is the same place as an error writes
    it (`passengers[0].name`), None for `arguments` itself. `keywords` are those that the value
    breaks there. `was` is the value that stood there in the baseline call (None if absent: see
    `was_absent`), `sent` the one that is there now (see `sent_absent`).
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
    """One call to make. `id` is stable over sessions.

    `arguments` is what is sent, any JSON value. `scenario` names the deviation (`below-minimum`).
    `neighbour` is the id of the baseline call from which it deviates: a refusal proves something
    only if that call was accepted. `repairable`: the schema alone gives a valid value.
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
    def run(self) -> str:
        """The id of the run in which the call is made."""
        return self.id.run

    @property
    def tool(self) -> str:
        """The raw name of the tool that is called."""
        return self.id.tool
