"""One session, from discovery to results. It does not use pytest, so it can be tested alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from conformance.kit.cases.database import Memory
from conformance.kit.config.waivers import waive
from conformance.kit.confirm.confirming import Confirming, doubtful
from conformance.kit.confirm.database import memorise
from conformance.kit.drive.budget import (
    confirming_ends,
    crowd,
    driving_ends,
    judging_alarm,
    run_until,
)
from conformance.kit.drive.channel import Context
from conformance.kit.drive.discovery.discover import discover
from conformance.kit.drive.progress import Progress
from conformance.kit.drive.session_driver import SessionDriver
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.catalog import offered
from conformance.kit.evidence.declarations import Declared, Discovered, bounded, declared
from conformance.kit.evidence.destructive import TooManyWarned, as_careful_everywhere, left_alone
from conformance.kit.evidence.evidence import RunEvidence, side_by_side
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.safety import called_names, in_sandbox, off_limits
from conformance.kit.evidence.script import LOOKED, Script, of_one_scenario, scenario_id
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.fault import Fault
from conformance.kit.model.results import Item, SessionResult, UsedWaiver, kit_errors, kit_traces
from conformance.kit.model.run import Role, Run
from conformance.kit.model.settings import Settings
from conformance.kit.record.exchanges import Recording
from conformance.kit.record.index import (
    MALFORMED,
    Recalled,
    Unreadable,
    as_asked,
    first_line,
    last_line,
    recalled,
)
from conformance.kit.record.recorded_verdicts import as_recorded, take_in
from conformance.kit.transport.bindings import traits_of
from conformance.kit.transport.sandbox import why_no_sandbox
from conformance.kit.verdicts.checks import ClauseTest
from conformance.kit.verdicts.judge import (
    Names,
    Question,
    belongs,
    is_late,
    judge_all,
    questions,
    unasked,
)
from conformance.kit.verdicts.run_result import claims_atdf, run_result
from conformance.spec.clauses import Clause, clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import Era, RunKind, Scope


@dataclass(slots=True)
class Runs:
    """All runs of a session, in the order in which they are driven."""

    found: list[Discovered] = field(default_factory=list)
    declared: dict[str, Declared] = field(default_factory=dict)
    _offers: Mapping[str, Names] | None = None

    async def discover(
        self, targets: tuple[str, ...], eras: tuple[Era, ...], context: Context
    ) -> None:
        """Find the runs of all targets, or only those of these eras. Raises `TargetUnusable`."""
        settings = context.settings
        self._offers = None
        context.off_limits.begin_at(targets)
        before: list[Discovered] = []
        for target in targets:
            before += await discover(target, context, before)
        looked = [each for each in context.recorder.by_id.held if each.script == LOOKED]
        free = {one.run.id for one in before if in_sandbox(one.run, settings)}
        answered = [(each.run in free, each.answer) for each in looked if each.answer is not None]
        others = context.recorder.warned.and_in(own for freely, own in answered if not freely)
        warned = others.and_in(own for freely, own in answered if freely)
        careful = as_careful_everywhere(before, warned)
        context.off_limits.add(*left_alone(others, settings, careful))
        for found in careful:
            if eras and found.run.era not in eras:
                continue
            if not _replays(settings.replay, found.run.id):
                continue
            context.off_limits.add(*off_limits(found.tools, found.run, settings))
            own = bounded(found, settings)
            self.found.append(own)
            self.declared[own.run.id] = declared(own)
        for found in careful:
            called = called_names(found.tools, found.run, settings)
            starts = traits_of(found.run).starts_process
            context.off_limits.allow(called, "" if starts else found.run.endpoint)
        if not self.found and settings.replay is not None:
            raise TargetUnusable(message("kit.option.replay", case=settings.replay))

    @property
    def by_id(self) -> Mapping[str, tuple[Run, tuple[str, ...]]]:
        """Each run, and the names of its tools, including the unusable ones, by the run's id."""
        return {one.run.id: (one.run, self._names(one)) for one in self.found}

    def offers(self, recorder: Recorder) -> Mapping[str, Names]:
        """Return what each run offers in addition to tools, by its id. Every clause needs it."""
        if self._offers is None:
            looked = [e for e in recorder.by_id.held if e.script == LOOKED]
            self._offers = {
                one.run.id: offered([e for e in looked if e.run == one.run.id], one.tools).names
                for one in self.found
            }
        return self._offers

    @property
    def pairs(self) -> int:
        """The number of pairs of clause and tool that may be judged."""
        about_tools = [clause for clause in clauses().values() if clause.scope is Scope.TOOL]
        return sum(
            len(self._names(found)) * sum(belongs(clause, found.run) for clause in about_tools)
            for found in self.found
            if found.run.kind is RunKind.FULL
        )

    def _names(self, found: Discovered) -> tuple[str, ...]:
        usable = tuple(tool.name for tool in found.tools)
        return (*usable, *(tool.name for tool in self.declared[found.run.id].unusable))


def _told(where: str, fault: Fault, language: str) -> str:
    """Return, in words, a fault of the kit that no verdict reports."""
    said = message("kit.fault", where=message(where), fault=fault.id, what=fault.what)
    return said.words(language)


def _replays(wanted: str | None, run: str) -> bool:
    """Return whether `--replay` includes a run: it names a case of the run, or is not given."""
    return wanted is None or CaseId(run).is_above(wanted)


@dataclass(slots=True)
class Session:
    """The state of one session, from step to step."""

    settings: Settings
    recorder: Recorder = field(default_factory=Recorder)
    runs: Runs = field(default_factory=Runs)
    scripts: list[Script] = field(default_factory=list)
    progress: Progress = field(default_factory=Progress)
    interrupted: bool = False
    time_up: bool = False
    driver: SessionDriver | None = None
    waivers: tuple[UsedWaiver, ...] = ()
    confirming: Confirming = field(default_factory=Confirming)
    memory: Memory | None = None
    """The memory of failed random calls, if they are remembered."""
    _past: Recalled | None = None
    began_at: float = field(default_factory=time.monotonic)
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))
    shared: Context = field(init=False)
    """What all channels share. Each of them gets it with the present settings and deadline."""

    def __post_init__(self) -> None:
        self.shared = Context(self.settings, self.recorder, self.began_at)

    @property
    def kit(self) -> str:
        """The kit's version."""
        return version("agent-formats")

    @property
    def began(self) -> datetime:
        """When the session began."""
        return self._started

    @property
    def started(self) -> str:
        """When the session began, as an ISO 8601 instant."""
        return self._started.isoformat(timespec="seconds")

    def discover(self, targets: tuple[str, ...], eras: tuple[Era, ...] = ()) -> None:
        """Find the runs of all targets, or only those of these eras. Raises `TargetUnusable`."""
        if self.settings.sandbox and (reason := why_no_sandbox()) is not None:
            raise TargetUnusable(reason)
        try:
            context = self._context()
            run_until(self.runs.discover(targets, eras, context), lambda: context.deadline)
        except TimeoutError:
            seconds = f"{self.settings.max_time:g}"
            raise TargetUnusable(message("kit.target.time_up", seconds=seconds)) from None
        except TooManyWarned:
            raise TargetUnusable(message("kit.target.too_many_destructive")) from None

    @property
    def found(self) -> list[Discovered]:
        """The runs that were found."""
        return self.runs.found

    @property
    def declared(self) -> dict[str, Declared]:
        """What is declared in each run, by its id."""
        return self.runs.declared

    def questions(self, tests: list[tuple[ClauseTest, Clause]]) -> list[Question]:
        """Return what has to be judged for the targets that were found."""
        return questions(tests, self.runs.by_id, self.runs.offers(self.recorder))

    def recall(self, recording: Recording) -> None:
        """Load a recorded session in place of a target. Raises `Unreadable`."""
        take_in(recording, self.recorder)
        past = self._past = recalled(recording.first, recording.last, self.recorder)
        try:
            self.settings = as_asked(self.settings, past.asked)
            self._started = datetime.fromisoformat(recording.started)
        except MALFORMED as error:
            raise Unreadable(str(error)[:200]) from error
        self.runs = Runs(list(past.found), dict(past.declared))
        self.interrupted, self.time_up = past.interrupted and not past.time_up, past.time_up
        self.driver = SessionDriver(self._context(), [], self.found, self.declared)
        self.driver.evidence = dict(past.evidence)

    def first_line(self) -> dict[str, Any]:
        """Return the first line of the session's record, with which it can be judged again."""
        return first_line(self.found, self.settings)

    def last_line(self) -> dict[str, Any]:
        """Return the last line of the session's record."""
        return last_line(
            self.driver.evidence if self.driver is not None else {},
            self.confirming.repeats,
            (script.name for script in self.scripts),
            interrupted=self.interrupted or self.time_up,
            time_up=self.time_up,
        )

    def drive(self) -> None:
        """Call the tools and play the scripts. An interrupt or the time limit ends it early."""
        ends = self._driving_ends(self.runs.pairs)
        self.driver = SessionDriver(
            self._context(), self._to_play, self.found, self.declared, ends, progress=self.progress
        )
        self.shared.care.shared_by(one.run for one in self.found if one.run.kind is RunKind.FULL)
        try:
            run_until(self.driver.drive(), ends)
        except KeyboardInterrupt:
            self.interrupted = True
        except TimeoutError:
            self.time_up = True
        self.time_up = self.time_up or self.driver.cut

    def _driving_ends(self, pairs: int) -> Callable[[], float]:
        """Return a function that says when driving has to end: sooner if there is more to judge."""
        limit, sent = self.settings.max_time, self.recorder.requests

        def ends() -> float:
            return self.began_at + driving_ends(limit, pairs, sum(sent.values()), crowd=crowd())

        return ends

    @property
    def _to_play(self) -> list[Script]:
        """The scripts to play; in a replay, only the gateway scenario that it names."""
        wanted = self.settings.replay
        if wanted is None:
            return self.scripts
        own = (script for script in self.scripts if script.role is Role.GATEWAY)
        return [of_one_scenario(script, wanted) for script in own]

    @property
    def replayed(self) -> bool:
        """Whether the case or scenario to replay was sent; True if nothing is replayed."""
        wanted = self.settings.replay
        if wanted is None or self.driver is None:
            return True
        driven = self.driver.evidence.values()
        sent = [call.case.id for one in driven for call in one.calls]
        sent += [
            scenario_id(one.run.id, each.step)
            for one in driven
            if one.run.role is Role.GATEWAY
            for each in one.exchanges
            if each.step is not None and each.script != LOOKED
        ]
        return any(id.names(wanted) for id in sent)

    def judge(self, asked: list[Question]) -> dict[int, Item]:
        """Return each question's item by its place in `asked`.

        Failures are confirmed, and waivers applied.
        """
        confirmed = self._confirmed(asked)
        self._memorise(asked, confirmed)
        waived, self.waivers = waive(
            confirmed.values(), self.settings.waivers, self.runs.by_id, datetime.now(UTC).date()
        )
        return dict(zip(confirmed, waived, strict=True))

    def _confirmed(self, asked: list[Question]) -> dict[int, Item]:
        evidence, began = self.evidence(), time.monotonic()
        if self._past is not None:
            return as_recorded(asked, judge_all(asked, evidence), evidence, self._past)
        alarm = judging_alarm(self.began_at, self.settings.max_time)
        items = judge_all(asked, evidence, alarm)
        took = time.monotonic() - began
        self.time_up |= any(map(is_late, items.values()))
        numbers = doubtful(asked, items)
        sent = sum(self.recorder.requests.values())
        ends = confirming_ends(self.settings.max_time, took, self.runs.pairs, sent)
        context = self._context(ends)

        def failed() -> list[tuple[Question, Item]]:
            return [(asked[n], items[n]) for n in numbers]

        if numbers and not self.interrupted:
            self.progress.confirms(len({asked[n].clause.id for n in numbers}))
            self.confirming.repeat(failed(), evidence, self._to_play, context)
        stood = self.confirming.stand(failed(), evidence, alarm)
        items.update(zip(numbers, stood, strict=True))
        if numbers and not (self.interrupted or self.confirming.interrupted):
            shown = self.confirming.shrink(failed(), evidence, context, alarm)
            items.update(zip(numbers, shown, strict=True))
        self.interrupted |= self.confirming.interrupted
        self.time_up |= self.confirming.time_up
        return items

    def _memorise(self, asked: list[Question], items: dict[int, Item]) -> None:
        """Remember for the next session which random calls failed in this one."""
        whole = not (self.interrupted or self.time_up or self._past is not None)
        if self.memory is not None and self.settings.max_examples and whole:
            with self.confirming.noting():
                memorise(self.memory, asked, items, self.evidence(), self.recorder.by_id)

    def evidence(self) -> dict[str, RunEvidence]:
        """Return each run's evidence, with what the run claims."""
        assert self.driver is not None
        return {
            name: replace(one, claims_atdf=claims_atdf(one, self.settings))
            for name, one in side_by_side(self.driver.evidence).items()
        }

    def results(
        self, asked: list[Question], items: dict[int, Item], *, selected: bool = False
    ) -> SessionResult:
        """Return all results of the session.

        A level needs every clause of every tool. So no run gets one with `selected`, in a replay,
        if clauses that apply to a run are missing, or after an interrupt.
        """
        evidence = self.evidence()
        by_run: dict[str, list[Item]] = {name: [] for name in evidence}
        for n, question in enumerate(asked):
            by_run[question.run].append(items[n])
        about = {question.clause.id for question in asked}
        lacking = any(unasked(about, one) for one in evidence.values())
        selected = selected or lacking or self.settings.replay is not None
        sent = self.recorder.requests
        runs = tuple(
            run_result(evidence[name], own, self.declared[name], self.settings, sent[name])
            for name, own in by_run.items()
        )
        faults = [("kit.confirm_failed", fault) for fault in self.confirming.faults]
        faults += [("kit.count_failed", fault) for run in runs for fault in run.faults]
        if selected or self.interrupted or self.time_up:
            runs = tuple(replace(run, level=None) for run in runs)
        return SessionResult(
            kit=self.kit,
            started=self.started,
            duration=round(time.monotonic() - self.began_at, 3),
            seed=self.settings.seed,
            runs=runs,
            interrupted=self.interrupted or self.time_up,
            time_up=self.time_up,
            narrow=self.driver is not None and bool(self.driver.narrow),
            mute=0 if self.driver is None else len(self.driver.mute),
            selection=selected,
            waivers=self.waivers,
            waivers_file=self.settings.waivers_file,
            kit_errors=(
                *(_told(where, fault, self.settings.language) for where, fault in faults),
                *kit_errors(items.values(), self.settings.language),
            ),
            kit_traces=(*(fault.trace for _, fault in faults), *kit_traces(items.values())),
        )

    def _context(self, ends: float | None = None) -> Context:
        """Return what calls are sent with, until the second `ends` of the session or its limit."""
        deadline = self.began_at + (self.settings.max_time if ends is None else ends)
        return replace(self.shared, settings=self.settings, memory=self.memory, deadline=deadline)
