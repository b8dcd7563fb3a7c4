"""The outcome of a session: what the report, `results.json` and the exit code are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from conformance.kit.model.fault import Fault
from conformance.kit.model.run import Run
from conformance.kit.model.written import Foreign, Form, Head, Redact, Writing
from conformance.spec.messages import Message, Topic
from conformance.spec.vocabulary import Level, Missing, Requirement, Verdict


def _write_message(message: Message, writing: Writing) -> dict[str, Any]:
    values = {
        name: _write_message(value, writing) if isinstance(value, Message) else writing.text(value)
        for name, value in message.values
    }
    return {
        "message": _clean(message, writing).words(writing.language),
        "message_id": message.id,
        "values": values,
    }


def _clean(message: Message, writing: Writing) -> Message:
    """The message with values that hold no secrets, and are not too long."""
    if not message.values:
        return message
    kept = (
        (name, _clean(value, writing) if isinstance(value, Message) else writing.text(value))
        for name, value in message.values
    )
    return Message(message.id, tuple(kept))


def cleaned(item: Item, redact: Redact) -> Item:
    """An item whose findings hold no secret in any value.

    Once a value is in the middle of a sentence, half a secret at its end cannot be known.
    """
    if not any(each.message.values for each in item.findings):
        return item
    writing = Writing(redact)
    found = (replace(each, message=_clean(each.message, writing)) for each in item.findings)
    return replace(item, findings=tuple(found))


def _read_message(data: Any) -> Message:
    values = (
        (name, value if isinstance(value, str) else _read_message(value))
        for name, value in data["values"].items()
    )
    return Message(data["message_id"], tuple(values))


Said = Annotated[Message, Form(_write_message, _read_message)]
"""A message, in the words of the file's language."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a clause is broken, or one reason why it could not be judged.

    `exchange` is the id of the exchange that shows it, `case` the id of its case. `path` is a
    JSON path into the document or answer concerned.
    """

    message: Said
    exchange: int | None = None
    case: Foreign | None = None
    scenario: str | None = None
    parameter: Foreign | None = None
    path: Foreign | None = None
    trace: str = ""
    """Of a fault of the kit: where in its code, for those who fix it."""
    then: tuple[int, ...] = field(default=(), compare=False)
    """The ids of the exchanges that came of this one: the steps of a repair, say."""

    def words(self, language: str) -> str:
        """Say it; what speaks of a place of a document ("Expected …") begins with that place."""
        said = self.message.words(language)
        of_place = self.path is not None and self.message.topic is Topic.DOCUMENT
        return f"{self.path}: {said}" if of_place else said


@dataclass(frozen=True, slots=True)
class Item:
    """The verdict on one (clause, run, tool); `tool` is the raw name, None for the target.

    `requirement` is the one in force on this target (raised where ATDF is claimed).
    `findings` is empty for a pass; `checked` counts what was looked at.
    """

    clause: str
    requirement: Requirement
    run: str
    tool: Foreign | None
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    checked: int = 0
    waiver_reason: Foreign | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """A share: `hits` of `of`; `rate` is None where there was nothing to count."""

    hits: int = 0
    of: int = 0

    @property
    def rate(self) -> float | None:
        """Hits ÷ of, None for 0 of 0."""
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Advice:
    """A suggestion that was not given, as it would look: `suggested` as `suggested_value` has it.

    `sent` is what stood at the parameter, as JSON; None where it was left out.
    """

    keyword: str
    tool: Foreign
    parameter: Foreign
    sent: Foreign | None
    suggested: Foreign


@dataclass(frozen=True, slots=True)
class Repair:
    """What came of following the suggestions. `rate` counts repaired of repairable cases.

    `steps` counts the repaired by how many calls it took; `advice` is for the keywords that some
    refusal gave no suggestion for.
    """

    rate: Rate = Rate()
    by_keyword: Mapping[str, Rate] = field(default_factory=dict)
    stuck: int = 0
    wrong: int = 0
    none_given: int = 0
    steps: Mapping[int, int] = field(default_factory=dict)
    advice: tuple[Advice, ...] = ()


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A refusal that does not name the parameter that was wrong; `case` is the id of its case.

    `named` are the parameters that it names, if any, and `said` are its words.
    """

    keyword: str
    tool: Foreign
    case: Foreign
    parameter: Foreign
    named: tuple[Foreign, ...]
    said: Head


@dataclass(frozen=True, slots=True)
class Explain:
    """How many refusals name the parameter, and how many also say what would be right.

    `unnamed` are the first few of each keyword that do not.
    """

    names_parameter: Rate = Rate()
    says_what_is_right: Rate = Rate()
    by_keyword: Mapping[str, tuple[Rate, Rate]] = field(default_factory=dict)
    unnamed: tuple[Unnamed, ...] = ()


@dataclass(frozen=True, slots=True)
class LevelState:
    """Whether a level was reached, and the clauses that kept it from being reached."""

    reached: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tool that was not called, why, and the option that includes it."""

    tool: Foreign
    reason: Said


@dataclass(frozen=True, slots=True)
class Shortage:
    """What is missing around a server, the words that told it first, and the tools that lack it."""

    missing: Missing
    said: Foreign
    tools: tuple[Foreign, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a target says of itself: a specification, its version, classes of conformance."""

    spec: Foreign
    version: Foreign
    classes: tuple[Foreign, ...] = ()


@dataclass(frozen=True, slots=True)
class RunResult:
    """All that one run gave. `level` is None for a protocol run, and where not all was judged."""

    run: Run
    level: Level | None
    levels: Mapping[Level, LevelState]
    repair: Repair
    explain: Explain
    items: tuple[Item, ...]
    tools_called: tuple[Foreign, ...]
    tools_left_out: tuple[LeftOut, ...]
    baseline_accepted: tuple[Foreign, ...]
    claims_atdf: bool
    requests: int
    resources: Mapping[str, int] = field(default_factory=dict)
    """How many ARDF resources of each known type were listed."""
    tools_unmarked: tuple[Foreign, ...] = ()
    """Tools that were called, and say neither that they change something nor that they do not."""
    shortages: tuple[Shortage, ...] = ()
    """What is missing around the server, so that calls of its tools failed."""
    tools_spared: tuple[Foreign, ...] = ()
    """Tools that got few calls, and slowly, because they may reach beyond their server."""
    overhead: float | None = None
    """Seconds that a gateway adds at least before the first content."""
    claims: tuple[Claim, ...] = ()
    """What the target claims of itself."""
    faults: tuple[Fault, ...] = ()
    """Faults of the kit that kept a tool's calls from being counted."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One entry of a waivers file: what is accepted for now, why, and until which ISO day.

    `tool` is the raw name and `run` the id of a run; None stands for all. `line` begins at 1.
    """

    clause: str
    reason: Foreign
    line: int = 0
    tool: Foreign | None = None
    run: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class UsedWaiver:
    """A waiver, how many items it waived, and why it is stale (None where it is not)."""

    waiver: Waiver
    waived: int = 0
    stale: Said | None = None


@dataclass(frozen=True, slots=True)
class SessionResult:
    """One start of the kit. `started` is an ISO 8601 instant, `duration` in seconds."""

    kit: str
    started: str
    duration: float
    seed: int
    runs: tuple[RunResult, ...]
    interrupted: bool = False
    """Ended before all was done, by a user or by `--max-time`."""
    time_up: bool = False
    narrow: bool = False
    """Whether a server was too slow for as many parallel calls as were asked for."""
    selection: bool = False
    """Only some clauses, tools or cases were judged: no run has a level."""
    selected: Foreign = ""
    """The paths and options that asked for no more, as they are written on the command line."""
    kit_errors: tuple[Foreign, ...] = ()
    kit_traces: tuple[Foreign, ...] = ()
    """For each different one of these, where in the kit's code it happened."""
    waivers: tuple[UsedWaiver, ...] = ()
    waivers_file: Foreign = ""


def kit_errors(items: Iterable[Item], language: str) -> tuple[str, ...]:
    """What went wrong in the kit itself, in words."""
    failed = (item for item in items if item.verdict is Verdict.KIT_ERROR)
    return tuple(found.message.words(language) for item in failed for found in item.findings)


def kit_traces(items: Iterable[Item]) -> tuple[str, ...]:
    """Where it went wrong, for the developer who fixes the kit."""
    return tuple(dict.fromkeys(f.trace for item in items for f in item.findings if f.trace))
