"""One session from discovery to results; pytest-free, so that it can be tested alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from typing import Any, TypeVar

from conformance.formats.clauses import Clause, clauses
from conformance.formats.messages import message
from conformance.formats.vocabulary import Era, RunKind, Scope, Verdict
from conformance.kit.clause import ClauseTest
from conformance.kit.documents import Declared, declared
from conformance.kit.drive.channel import Context
from conformance.kit.drive.confirm import (
    Repeats,
    confirmed,
    repeat,
    to_confirm,
)
from conformance.kit.drive.discover import discover
from conformance.kit.drive.discovered import Discovered, bounded
from conformance.kit.drive.memorise import memorise
from conformance.kit.drive.recorder import Recorder
from conformance.kit.drive.session import Session
from conformance.kit.drive.smallest import in_smallest_form, shrink
from conformance.kit.drive.toolrun import Progress
from conformance.kit.drive.unusable import TargetUnusable
from conformance.kit.drive.versions import protocol_runs
from conformance.kit.evidence import RunEvidence
from conformance.kit.judging import (
    Question,
    belongs,
    judge_all,
    questions,
    unasked,
)
from conformance.kit.offers import Offered, offered
from conformance.kit.parity import side_by_side
from conformance.kit.recorded_verdicts import as_recorded
from conformance.kit.remembered import Memory
from conformance.kit.report.exchanges import Recording
from conformance.kit.report.index import Recalled, first_line, last_line, recalled
from conformance.kit.report.recorded import Recorded
from conformance.kit.results import Item, SessionResult, UsedWaiver
from conformance.kit.run_result import claims_atdf, run_result
from conformance.kit.script import LOOKED, Script
from conformance.kit.settings import AllowCalls, Settings
from conformance.kit.waivers import waive

_T = TypeVar("_T")

_BATCH = 256
"""Exchanges of a recorded session that are read at once."""

_DRIVE_SHARE = 0.8
"""Of --max-time, when driving ends. The rest is for judging, which is never cut short, and for
confirming, with the search for smaller calls: that ends when all of the time is up.
"""


@dataclass(slots=True)
class Engine:
    """Holds one session's state from step to step."""

    settings: Settings
    recorder: Recorder = field(default_factory=Recorder)
    found: list[Discovered] = field(default_factory=list)
    declared: dict[str, Declared] = field(default_factory=dict)
    scripts: list[Script] = field(default_factory=list)
    progress: Progress = field(default_factory=Progress)
    interrupted: bool = False
    time_up: bool = False
    session: Session | None = None
    waivers: tuple[UsedWaiver, ...] = ()
    repeats: Repeats = field(default_factory=Repeats)
    memory: Memory | None = None
    """Where failed calls that were drawn by chance are remembered, if they are."""
    _past: Recalled | None = None
    _cut: frozenset[int] = frozenset()
    _began: float = field(default_factory=time.monotonic)
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))

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
        """Find every target's runs, of these eras only if any are named; raises TargetUnusable."""
        try:
            asyncio.run(self._limited(self._discover(targets, eras)))
        except TimeoutError:
            seconds = f"{self.settings.max_time:g}"
            raise TargetUnusable(message("kit.target.time_up", seconds=seconds)) from None

    async def _discover(self, targets: tuple[str, ...], eras: tuple[Era, ...]) -> None:
        await self._discover_all(targets, eras)
        if not self.found and self.settings.replay is not None:
            raise TargetUnusable(message("kit.option.replay", case=self.settings.replay))

    async def _discover_all(self, targets: tuple[str, ...], eras: tuple[Era, ...]) -> None:
        for target in targets:
            found_here = await discover(target, self._context())
            for found in [*found_here, *protocol_runs(found_here, self.settings)]:
                if eras and found.run.era not in eras:
                    continue
                if not self._replays(found.run.id):
                    continue
                own = bounded(self._unique(found), self.settings)
                self.found.append(own)
                self.declared[own.run.id] = declared(own)

    def _replays(self, run: str) -> bool:
        """Whether `--replay` leaves this run in: it names one of its cases, or none at all."""
        wanted = self.settings.replay
        return wanted is None or wanted.startswith(f"{run}/")

    def _unique(self, found: Discovered) -> Discovered:
        """A run of a second target with the same id gets a number behind it."""
        taken = {other.run.id for other in self.found}
        name, number = found.run.id, 2
        while name in taken:
            name, number = f"{found.run.id}-{number}", number + 1
        return replace(found, run=replace(found.run, id=name))

    def questions(self, tests: list[tuple[ClauseTest, Clause]]) -> list[Question]:
        """What is to be judged on the targets that were found."""
        runs = {f.run.id: (f.run, self._names(f)) for f in self.found}
        offers = {f.run.id: self._offered(f).names for f in self.found}
        return questions(tests, runs, offers)

    def _offered(self, found: Discovered) -> Offered:
        """What a run offers beside tools."""
        recorded = self.recorder.by_id.held
        looked = [e for e in recorded if e.run == found.run.id and e.script == LOOKED]
        return offered(looked, found.tools)

    @property
    def pairs(self) -> int:
        """How many pairs of clause and tool the targets could be asked about."""
        about_tools = [clause for clause in clauses().values() if clause.scope is Scope.TOOL]
        return sum(
            len(self._names(found)) * sum(belongs(clause, found.run) for clause in about_tools)
            for found in self.found
            if found.run.kind is RunKind.FULL
        )

    def _names(self, found: Discovered) -> tuple[str, ...]:
        """The names of a run's tools, those included that cannot be used."""
        usable = tuple(tool.name for tool in found.tools)
        return (*usable, *(tool.name for tool in self.declared[found.run.id].unusable))

    def recall(self, recording: Recording) -> None:
        """Take a recorded session in place of a target; raises Unreadable."""
        cut = set()
        for some in _batches(recording.exchanges, _BATCH):
            for one in some:
                self.recorder.take(one.judged)
                if any(place.startswith("answer") for place in one.cut):
                    cut.add(one.exchange.id)
            calls = [one.judged for one in some if one.exchange.case is not None]
            self.recorder.put_away(calls)
        self._cut = frozenset(cut)
        past = self._past = recalled(recording.first, recording.last, self.recorder)
        asked = past.asked
        self.settings = replace(
            self.settings,
            profiles=self.settings.profiles or tuple(asked["profiles"]),
            allow_calls=AllowCalls(asked["allow_calls"]),
            replay=asked["replay"],
            seed=asked["seed"],
        )
        self.found, self.declared = list(past.found), dict(past.declared)
        self.interrupted, self.time_up = past.interrupted and not past.time_up, past.time_up
        self.session = Session(self.found, self.declared, [], self._context(), self.progress)
        self.session.evidence = dict(past.evidence)
        self._started = datetime.fromisoformat(recording.started)

    def first_line(self) -> dict[str, Any]:
        """What the record of the session begins with, so that it can be judged again."""
        asked = self.settings
        return first_line(
            self.found,
            {
                "profiles": asked.profiles,
                "allow_calls": asked.allow_calls,
                "replay": asked.replay,
                "seed": asked.seed,
                "credentials": asked.credentials,
            },
        )

    def last_line(self) -> dict[str, Any]:
        """What it ends with."""
        return last_line(
            self.session.evidence if self.session is not None else {},
            self.repeats,
            (script.name for script in self.scripts),
            interrupted=self.interrupted or self.time_up,
            time_up=self.time_up,
        )

    def drive(self) -> None:
        """Call the tools and play the scripts. An interrupt or the time limit ends it early."""
        self.session = Session(
            self.found, self.declared, self.scripts, self._context(), self.progress
        )
        if self.settings.replay is not None:
            self.session.scripts = []
        try:
            asyncio.run(self._limited(self.session.drive(), _DRIVE_SHARE))
        except KeyboardInterrupt:
            self.interrupted = True
        except TimeoutError:
            self.time_up = True

    async def _limited(self, work: Coroutine[Any, Any, _T], share: float = 1.0) -> _T:
        """Do this until so much of --max-time is over; raises TimeoutError then.

        All that is sent in a session shares the one limit, which counts from its beginning.
        """
        ends = self._began + share * self.settings.max_time
        async with asyncio.timeout(ends - time.monotonic()):
            return await work

    @property
    def replayed(self) -> bool:
        """Whether the case that was to be replayed was sent; True where none was."""
        wanted = self.settings.replay
        if wanted is None or self.session is None:
            return True
        sent = [call.case.id for one in self.session.evidence.values() for call in one.calls]
        return any(wanted == id or wanted.startswith(f"{id}/") for id in sent)

    def judge(self, asked: list[Question]) -> dict[int, Item]:
        """Each question's item, by its place in `asked`: failures confirmed, the waived marked."""
        confirmed = self._confirmed(asked)
        self._memorise(asked, confirmed)
        runs = {f.run.id: (f.run, self._names(f)) for f in self.found}
        today = datetime.now(UTC).date()
        waived, self.waivers = waive(confirmed.values(), self.settings.waivers, runs, today)
        return dict(zip(confirmed, waived, strict=True))

    def _confirmed(self, asked: list[Question]) -> dict[int, Item]:
        evidence = self.evidence()
        items = judge_all(asked, evidence)
        if self._past is not None:
            return as_recorded(asked, items, evidence, self._past, self._cut)
        numbers = [n for n, question in enumerate(asked) if to_confirm(question, items[n])]
        numbers.sort(key=lambda n: (asked[n].run, asked[n].tool or ""))  # a tool's calls together
        doubtful = {n: asked[n] for n in numbers}
        if not doubtful or self.interrupted:
            return items
        work = repeat(
            [(q, items[n]) for n, q in doubtful.items()], evidence, self.scripts, self._context()
        )
        try:
            repeats = asyncio.run(self._limited(work))
        except KeyboardInterrupt:
            self.interrupted = True
            return items
        except TimeoutError:
            self.time_up = True
            return items
        self.repeats = repeats
        for n, question in doubtful.items():
            items[n] = confirmed(question, items[n], evidence[question.run], repeats)
        self._shrink(doubtful, items, evidence)
        return items

    def _shrink(
        self,
        doubtful: dict[int, Question],
        items: dict[int, Item],
        evidence: dict[str, RunEvidence],
    ) -> None:
        """Show what failed by chance in its smallest form; what is not found in time stays."""
        failed = [(question, items[n]) for n, question in doubtful.items()]
        work = shrink(failed, evidence, self._context(), self.repeats)
        try:
            with suppress(TimeoutError):
                asyncio.run(self._limited(work))
        except KeyboardInterrupt:
            self.interrupted = True
        for n, question in doubtful.items():
            items[n] = in_smallest_form(question, items[n], evidence[question.run], self.repeats)

    def _memorise(self, asked: list[Question], items: dict[int, Item]) -> None:
        """Remember for the next session what failed by chance in this one."""
        whole = not (self.interrupted or self.time_up or self._past is not None)
        if self.memory is not None and self.settings.max_examples and whole:
            memorise(self.memory, asked, items, self.evidence(), self.recorder.by_id)

    def evidence(self) -> dict[str, RunEvidence]:
        """Each run's evidence, with what it claims."""
        assert self.session is not None
        return {
            name: replace(one, claims_atdf=claims_atdf(one, self.settings))
            for name, one in side_by_side(self.session.evidence).items()
        }

    def results(
        self, asked: list[Question], items: dict[int, Item], *, selected: bool = False
    ) -> SessionResult:
        """All that the session gave.

        A level needs every clause of every tool: with `selected`, where one case is replayed, or
        where clauses are missing that hold for a run, no run gets one.
        """
        evidence = self.evidence()
        by_run: dict[str, list[Item]] = {name: [] for name in evidence}
        for n, question in enumerate(asked):
            by_run[question.run].append(items[n])
        about = {question.clause.id for question in asked}
        selected = (
            selected
            or self.settings.replay is not None
            or any(unasked(about, one) for one in evidence.values())
        )
        sent = self.recorder.requests
        runs = tuple(
            run_result(evidence[name], own, self.declared[name], self.settings, sent[name])
            for name, own in by_run.items()
        )
        if selected:
            runs = tuple(replace(run, level=None) for run in runs)
        return SessionResult(
            kit=self.kit,
            started=self.started,
            duration=round(time.monotonic() - self._began, 3),
            seed=self.settings.seed,
            runs=runs,
            interrupted=self.interrupted or self.time_up,
            time_up=self.time_up,
            narrow=self.session is not None and bool(self.session.narrow),
            selection=selected,
            waivers=self.waivers,
            waivers_file=self.settings.waivers_file,
            kit_errors=tuple(
                f.message.words(self.settings.language)
                for n in items
                if items[n].verdict is Verdict.KIT_ERROR
                for f in items[n].findings
            ),
            kit_traces=tuple(
                dict.fromkeys(f.trace for n in items for f in items[n].findings if f.trace)
            ),
        )

    def _context(self) -> Context:
        deadline = self._began + self.settings.max_time
        return Context(self.settings, self.recorder, deadline, self.memory)


def _batches(exchanges: Iterable[Recorded], size: int) -> Iterator[list[Recorded]]:
    waiting = iter(exchanges)
    while some := list(islice(waiting, size)):
        yield some
