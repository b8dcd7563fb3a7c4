"""The runs of a session: what discovery found, and which tools may be called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.kit.drive.channel import Context
from conformance.kit.drive.discovery.discover import discover
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.catalog import offered
from conformance.kit.evidence.declarations import Declared, Discovered, bounded, declared
from conformance.kit.evidence.destructive import as_careful_everywhere, left_alone
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.safety import called_names, in_sandbox, off_limits
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.fault import catching
from conformance.kit.model.run import Run
from conformance.kit.transport.bindings import traits_of
from conformance.spec.messages import message
from conformance.spec.vocabulary import Era, Offer

Offers = Mapping[Offer, tuple[str, ...]]
"""What a run offers in addition to tools, with the tools that each offer is about."""


@dataclass(slots=True)
class Runs:
    """All runs of a session, in the order in which they are driven."""

    found: list[Discovered] = field(default_factory=list)
    declared: dict[str, Declared] = field(default_factory=dict)
    _offers: Mapping[str, Offers] | None = None

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
            self.declared[own.run.id] = _declared(own)
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

    def offers(self, recorder: Recorder) -> Mapping[str, Offers]:
        """Return what each run offers in addition to tools, by its id. Every clause needs it."""
        if self._offers is None:
            looked = [e for e in recorder.by_id.held if e.script == LOOKED]
            self._offers = {
                one.run.id: offered([e for e in looked if e.run == one.run.id], one.tools).names
                for one in self.found
            }
        return self._offers

    def _names(self, found: Discovered) -> tuple[str, ...]:
        usable = tuple(tool.name for tool in found.tools)
        return (*usable, *(tool.name for tool in self.declared[found.run.id].unusable))


def _declared(found: Discovered) -> Declared:
    """Return what is declared in a run. A fault of the kit costs that run alone."""
    with catching() as caught:
        return declared(found)
    return Declared({}, (), (), fault=caught.fault)


def _replays(wanted: str | None, run: str) -> bool:
    """Return whether `--replay` includes a run: it names a case of the run, or is not given."""
    return wanted is None or CaseId(run).is_above(wanted)
