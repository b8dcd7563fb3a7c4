"""The result of a session, from which the report, `results.json` and the exit code are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from conformance.kit.model.fault import Fault, FaultLog
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
    """Return the message with its values redacted and shortened."""
    if not message.values:
        return message
    kept = (
        (name, _clean(value, writing) if isinstance(value, Message) else writing.text(value))
        for name, value in message.values
    )
    return Message(message.id, tuple(kept))


def cleaned(item: Item, redact: Redact) -> Item:
    """Return the item with redacted values in its findings.

    This happens before values become part of a sentence: a secret that was cut there could not be
    found.
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
"""A message, written in the language of the file."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a clause is broken, or one reason why it could not be judged.

    `exchange` is the id of the exchange that shows it, and `case` the id of its case. `path` is a
    JSON path into the document or answer concerned.
    """

    message: Said
    exchange: int | None = None
    case: Foreign | None = None
    scenario: str | None = None
    parameter: Foreign | None = None
    path: Foreign | None = None
    trace: str = ""
    """For a fault of the kit: the stack trace, for those who fix it."""
    then: tuple[int, ...] = field(default=(), compare=False)
    """The ids of exchanges that followed from this one, such as the steps of a repair."""

    def words(self, language: str) -> str:
        """Return the text. A text about a place in a document ("Expected …") begins with that
        place.
        """
        said = self.message.words(language)
        return said if self.place is None else f"{self.place}: {said}"

    def row(self, language: str) -> str:
        """Return the text for a row of its own, where a reason has a capital letter, too."""
        said = self.words(language)
        reason = self.place is None and self.message.begins_small(language)
        return f"{said[:1].upper()}{said[1:]}" if reason else said

    @property
    def place(self) -> str | None:
        """The path, if the text is about a place in a document."""
        return self.path if self.message.topic is Topic.DOCUMENT else None


@dataclass(frozen=True, slots=True)
class Item:
    """The verdict on one (clause, run, tool). `tool` is the raw name, or None for the target.

    `requirement` is the one that applies to this target: some clauses are stricter if it claims
    ATDF. `findings` is empty for a pass. `checked` counts what was looked at.
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
    """A share: `hits` of `of`. `rate` is None if there was nothing to count."""

    hits: int = 0
    of: int = 0

    @property
    def rate(self) -> float | None:
        """The share as a number; None for 0 of 0."""
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Advice:
    """A suggestion that a refusal lacked. `suggested` is the text for `suggested_value`.

    `sent` is the value that was sent for the parameter, as JSON; None if it was left out.
    """

    keyword: str
    tool: Foreign
    parameter: Foreign
    sent: Foreign | None
    suggested: Foreign


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of following suggestions. `rate` counts repaired cases of all repairable ones.

    `steps` counts repaired cases by the number of calls that they took. `advice` is for keywords
    for which some refusal had no suggestion.
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
    """A refusal that does not name the wrong parameter. `case` is the id of its case.

    `named` are the parameters that it names instead, and `said` is its text.
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

    `unnamed` are the first few refusals for each keyword that do not name it.
    """

    names_parameter: Rate = Rate()
    says_what_is_right: Rate = Rate()
    by_keyword: Mapping[str, tuple[Rate, Rate]] = field(default_factory=dict)
    unnamed: tuple[Unnamed, ...] = ()


@dataclass(frozen=True, slots=True)
class LevelState:
    """Whether a level was reached, and the clauses that block it."""

    reached: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tool that was not called, the reason, and the option that includes it."""

    tool: Foreign
    reason: Said


@dataclass(frozen=True, slots=True)
class Shortage:
    """Something that a server lacks: the first words that said so, and the tools that need it."""

    missing: Missing
    said: Foreign
    tools: tuple[Foreign, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A target's claim: a specification, its version, and conformance classes."""

    spec: Foreign
    version: Foreign
    classes: tuple[Foreign, ...] = ()


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run. `level` is None for a protocol run, and if not everything was judged."""

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
    """The number of ARDF resources of each known type."""
    tools_unmarked: tuple[Foreign, ...] = ()
    """Tools that were called although they do not say whether they destroy something."""
    shortages: tuple[Shortage, ...] = ()
    """What the server lacks in its environment, so that calls of its tools failed."""
    tools_spared: tuple[Foreign, ...] = ()
    """Tools that got few calls, slowly, because they may reach beyond their server."""
    overhead: float | None = None
    """Seconds that a gateway adds at least before the first content."""
    claims: tuple[Claim, ...] = ()
    """What the target claims."""
    declares_atdf: bool = True
    """False if only its errors, or `--profile atdf`, claim ATDF: a single call may not show it."""
    faults: tuple[Fault, ...] = ()
    """Faults of the kit because of which a tool's calls were not counted."""
    tools_path: Foreign = ""
    """The path or the address of the list of tools over HTTP; empty for the usual one."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One entry of a waivers file: what is accepted for now, why, and until which ISO date.

    `tool` is the raw name and `run` the id of a run. None stands for all of them. `line` begins at
    1.
    """

    clause: str
    reason: Foreign
    line: int = 0
    tool: Foreign | None = None
    run: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class UsedWaiver:
    """A waiver, the number of items that it waived, and why it is stale; None if it is not."""

    waiver: Waiver
    waived: int = 0
    stale: Said | None = None


@dataclass(frozen=True, slots=True)
class SessionResult:
    """One start of the kit. `started` is an ISO 8601 time, and `duration` is in seconds."""

    kit: str
    started: str
    duration: float
    seed: int
    runs: tuple[RunResult, ...]
    interrupted: bool = False
    """Whether a user or `--max-time` ended it early."""
    time_up: bool = False
    narrow: bool = False
    """Whether a server was too slow for the number of parallel calls that was asked for."""
    mute: int = 0
    """The number of tools that were called, and answered no call within --request-timeout."""
    selection: bool = False
    """Whether paths or options such as `-k` selected only a part. Then no run has a level."""
    selected: Foreign = ""
    """The paths and options that selected a part, as on the command line."""
    kit_errors: tuple[Foreign, ...] = ()
    kit_traces: tuple[Foreign, ...] = ()
    """For each different fault: its place in the kit's code."""
    waivers: tuple[UsedWaiver, ...] = ()
    waivers_file: Foreign = ""


def with_faults(result: SessionResult, faults: FaultLog, language: str) -> SessionResult:
    """Return a result that also tells these faults of the kit."""
    return replace(
        result,
        kit_errors=tuple(dict.fromkeys((*faults.words(language), *result.kit_errors))),
        kit_traces=tuple(dict.fromkeys((*faults.traces, *result.kit_traces))),
    )


def kit_errors(items: Iterable[Item], language: str) -> tuple[str, ...]:
    """The faults of the kit, in words."""
    failed = (item for item in items if item.verdict is Verdict.KIT_ERROR)
    told = (found.message for item in failed for found in item.findings)
    return tuple(said.words(language) for said in dict.fromkeys(told))


def kit_traces(items: Iterable[Item]) -> tuple[str, ...]:
    """The places of these faults, for the developer who fixes the kit."""
    return tuple(dict.fromkeys(f.trace for item in items for f in item.findings if f.trace))
