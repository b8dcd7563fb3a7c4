"""The runs of a session's targets: how they are found, and what is declared in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from conformance.formats.clauses import clauses
from conformance.formats.messages import message
from conformance.formats.vocabulary import Era, RunKind, Scope
from conformance.kit.documents import Declared, declared
from conformance.kit.drive.channel import Context
from conformance.kit.drive.discover import discover
from conformance.kit.drive.discovered import Discovered, bounded
from conformance.kit.drive.recorder import Recorder
from conformance.kit.drive.unusable import TargetUnusable
from conformance.kit.drive.versions import protocol_runs
from conformance.kit.judging import Names, belongs
from conformance.kit.offers import offered
from conformance.kit.run import Run
from conformance.kit.script import LOOKED


@dataclass(slots=True)
class Runs:
    """All runs of a session, in the order in which they are driven."""

    found: list[Discovered] = field(default_factory=list)
    declared: dict[str, Declared] = field(default_factory=dict)
    _offers: Mapping[str, Names] | None = None

    async def discover(
        self, targets: tuple[str, ...], eras: tuple[Era, ...], context: Context
    ) -> None:
        """Find every target's runs, of these eras only if any are named; raises TargetUnusable."""
        settings = context.settings
        self._offers = None
        for target in targets:
            found_here = await discover(target, context)
            for found in [*found_here, *protocol_runs(found_here, settings)]:
                if eras and found.run.era not in eras:
                    continue
                if not _replays(settings.replay, found.run.id):
                    continue
                own = bounded(self._unique(found), settings)
                self.found.append(own)
                self.declared[own.run.id] = declared(own)
        if not self.found and settings.replay is not None:
            raise TargetUnusable(message("kit.option.replay", case=settings.replay))

    def _unique(self, found: Discovered) -> Discovered:
        """A run of a second target with the same id gets a number behind it."""
        taken = {other.run.id for other in self.found}
        name, number = found.run.id, 2
        while name in taken:
            name, number = f"{found.run.id}-{number}", number + 1
        return replace(found, run=replace(found.run, id=name))

    @property
    def by_id(self) -> Mapping[str, tuple[Run, tuple[str, ...]]]:
        """Each run, and the names of its tools, those included that cannot be used."""
        return {one.run.id: (one.run, self._names(one)) for one in self.found}

    def offers(self, recorder: Recorder) -> Mapping[str, Names]:
        """What each run offers beside tools, by its id: asked for with every clause."""
        if self._offers is None:
            looked = [e for e in recorder.by_id.held if e.script == LOOKED]
            self._offers = {
                one.run.id: offered([e for e in looked if e.run == one.run.id], one.tools).names
                for one in self.found
            }
        return self._offers

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
        usable = tuple(tool.name for tool in found.tools)
        return (*usable, *(tool.name for tool in self.declared[found.run.id].unusable))


def _replays(wanted: str | None, run: str) -> bool:
    """Whether `--replay` leaves a run in: it names one of its cases, or none at all."""
    return wanted is None or wanted.startswith(f"{run}/")
