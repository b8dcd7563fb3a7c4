"""One session, from discovery to results. It does not use pytest, so it can be tested alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from conformance.kit.cases.database import Memory
from conformance.kit.config.waivers import waive
from conformance.kit.confirm.confirm import is_unconfirmed
from conformance.kit.confirm.confirming import Confirming, doubtful, unconfirmed
from conformance.kit.confirm.database import memorise
from conformance.kit.drive.alarm import Alarm
from conformance.kit.drive.budget import (
    confirming_ends,
    crowd,
    driving_ends,
    judging_alarm,
    run_until,
)
from conformance.kit.drive.channel import Context
from conformance.kit.drive.progress import Progress
from conformance.kit.drive.runs import Runs
from conformance.kit.drive.session_driver import SessionDriver
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.declarations import Declared, Discovered
from conformance.kit.evidence.destructive import TooManyWarned
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.script import Script, of_one_scenario
from conformance.kit.model.fault import FaultLog, catching
from conformance.kit.model.results import (
    Item,
    SessionResult,
    UsedWaiver,
    kit_errors,
    kit_traces,
    with_faults,
)
from conformance.kit.model.run import Role
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
from conformance.kit.transport.sandbox import why_no_sandbox
from conformance.kit.verdicts.checks import ClauseTest
from conformance.kit.verdicts.judge import (
    Question,
    is_late,
    judge_all,
    judge_failed,
    pairs,
    questions,
    unasked,
)
from conformance.kit.verdicts.run_result import claimed, result_of
from conformance.spec.clauses import Clause
from conformance.spec.messages import message
from conformance.spec.vocabulary import Era, RunKind


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
    faults: FaultLog = field(default_factory=FaultLog)
    """The faults of the kit that belong to no verdict."""
    confirming: Confirming = field(init=False)
    memory: Memory | None = None
    """The memory of failed random calls, if they are remembered."""
    _past: Recalled | None = None
    began_at: float = field(default_factory=time.monotonic)
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))
    shared: Context = field(init=False)
    """What all channels share. Each of them gets it with the present settings and deadline."""

    def __post_init__(self) -> None:
        self.shared = Context(self.settings, self.recorder, self.began_at)
        self.confirming = Confirming(faults=self.faults)

    @property
    def pairs(self) -> int:
        """The number of pairs of clause and tool that may be judged."""
        return pairs(self.runs.by_id.values())

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
        """Find the runs of all targets, or only those of these eras. Raises `TargetUnusable`.

        After a fault of the kit there are no runs: it is not known which tools may be called.
        """
        try:
            self._discover(targets, eras)
        except (TargetUnusable, MemoryError):
            raise
        except Exception as error:
            self.faults.note("kit.discover_failed", error)
            self.runs = Runs()

    def _discover(self, targets: tuple[str, ...], eras: tuple[Era, ...]) -> None:
        if self.settings.sandbox and (reason := why_no_sandbox()) is not None:
            raise TargetUnusable(reason)
        try:
            context = self._context()
            work = self.runs.discover(targets, eras, context)
            run_until(work, lambda: context.deadline, tell=self._tell)
        except TimeoutError:
            if self.faults.noted:  # it may have waited for what a fault of the kit ended
                self.runs = Runs()
                return
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
        with self.faults.noting("kit.session_failed") as caught:
            self._drive()
        if caught.fault is not None:
            if self.driver is None:
                self.driver = SessionDriver(self.shared, [], self.found, self.declared)
            self.driver.spoil_rest(caught.fault)

    def _drive(self) -> None:
        ends = self._driving_ends(self.pairs)
        self.driver = SessionDriver(
            self._context(),
            self._to_play,
            self.found,
            self.declared,
            ends,
            progress=self.progress,
            faults=self.faults,
        )
        self.shared.care.shared_by(one.run for one in self.found if one.run.kind is RunKind.FULL)
        try:
            run_until(self.driver.drive(), ends, tell=self._tell)
        except KeyboardInterrupt:
            self.interrupted = True
        except TimeoutError:
            self.time_up = True
        self.time_up = self.time_up or self.driver.cut

    def _tell(self, error: Exception) -> None:
        self.faults.note("kit.session_failed", error)

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
        return wanted is None or self.driver is None or self.driver.has_sent(wanted)

    def judge(self, asked: list[Question]) -> dict[int, Item]:
        """Return each question's item by its place in `asked`.

        Failures are confirmed, and waivers applied.
        """
        items: dict[int, Item] = {}
        with catching(MemoryError) as caught:
            items = self._judged(asked)
        if caught.fault is not None:
            return {n: judge_failed(question, caught.fault) for n, question in enumerate(asked)}
        with self.faults.noting("kit.session_failed"):
            self._memorise(asked, items)
        with self.faults.noting("kit.session_failed"):
            waived, self.waivers = waive(
                items.values(), self.settings.waivers, self.runs.by_id, datetime.now(UTC).date()
            )
            return dict(zip(items, waived, strict=True))
        return items

    def _judged(self, asked: list[Question]) -> dict[int, Item]:
        evidence, began = self.evidence(), time.monotonic()
        if self._past is not None:
            return as_recorded(asked, judge_all(asked, evidence), evidence, self._past)
        alarm = judging_alarm(self.began_at, self.settings.max_time)
        items = judge_all(asked, evidence, alarm)
        took = time.monotonic() - began
        self.time_up |= any(map(is_late, items.values()))
        with catching() as caught:
            self._confirm(asked, items, evidence, alarm, took)
        if caught.fault is not None:
            self.faults.add("kit.confirm_failed", caught.fault)
            failed = {n: item for n, item in items.items() if is_unconfirmed(asked[n], item)}
            items |= {n: unconfirmed(item, caught.fault) for n, item in failed.items()}
        return items

    def _confirm(
        self,
        asked: list[Question],
        items: dict[int, Item],
        evidence: dict[str, RunEvidence],
        alarm: Alarm,
        took: float,
    ) -> None:
        """Send again what failed, and put what stands of it into `items`.

        `took` is how many seconds judging took.
        """
        numbers = doubtful(asked, items)
        sent = sum(self.recorder.requests.values())
        ends = confirming_ends(self.settings.max_time, took, self.pairs, sent)
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

    def _memorise(self, asked: list[Question], items: dict[int, Item]) -> None:
        """Remember for the next session which random calls failed in this one."""
        whole = not (self.interrupted or self.time_up or self._past is not None)
        if self.memory is not None and self.settings.max_examples and whole:
            memorise(self.memory, asked, items, self.evidence(), self.recorder.by_id)

    def evidence(self) -> dict[str, RunEvidence]:
        """Return each run's evidence, with what the run claims."""
        assert self.driver is not None
        return claimed(self.driver.evidence, self.settings)

    def results(
        self, asked: list[Question], items: dict[int, Item], *, selected: bool = False
    ) -> SessionResult:
        """Return all results of the session.

        A level needs every clause of every tool. So no run gets one with `selected`, in a replay,
        if clauses that apply to a run are missing, or after an interrupt or a fault of the kit that
        belongs to no verdict.
        """
        with self.faults.noting("kit.session_failed"):
            return self.with_faults(self._results(asked, items, selected=selected))
        return self.with_faults(self.nothing())

    def nothing(self) -> SessionResult:
        """Return the result of a session that a fault of the kit left nothing of."""
        took = round(time.monotonic() - self.began_at, 3)
        return SessionResult(self.kit, self.started, took, self.settings.seed, ())

    def with_faults(self, result: SessionResult) -> SessionResult:
        """Return a result with the faults of the kit so far. With some, no run has a level."""
        if self.faults.noted:
            result = replace(result, runs=tuple(replace(run, level=None) for run in result.runs))
        return with_faults(result, self.faults, self.settings.language)

    def _results(
        self, asked: list[Question], items: dict[int, Item], *, selected: bool
    ) -> SessionResult:
        evidence = self.evidence()
        by_run: dict[str, list[Item]] = {name: [] for name in evidence}
        for n, question in enumerate(asked):
            by_run[question.run].append(items[n])
        about, lacking = {question.clause.id for question in asked}, True
        with self.faults.noting("kit.session_failed"):
            lacking = any(unasked(about, one) for one in evidence.values())
        selected = selected or lacking or self.settings.replay is not None
        sent = self.recorder.requests
        runs = tuple(
            result_of(
                evidence[name], own, self.declared[name], self.settings, sent[name], self.faults
            )
            for name, own in by_run.items()
        )
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
            kit_errors=kit_errors(items.values(), self.settings.language),
            kit_traces=kit_traces(items.values()),
        )

    def _context(self, ends: float | None = None) -> Context:
        """Return what calls are sent with, until the second `ends` of the session or its limit."""
        deadline = self.began_at + (self.settings.max_time if ends is None else ends)
        return replace(self.shared, settings=self.settings, memory=self.memory, deadline=deadline)
