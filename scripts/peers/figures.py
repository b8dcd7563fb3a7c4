"""The figures of a comparison: this kit's, a peer's, and their ratio."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.peers import official, ours, schemathesis
from scripts.peers.document import Comparison, Pair, Sound, Speed
from scripts.peers.speed import GOAL


@dataclass(frozen=True, slots=True)
class Beside:
    """One figure of this kit next to a peer's; `goal` is a text."""

    what: str
    ours: float
    goal: str
    peer: str
    theirs: float

    @property
    def ratio(self) -> float | None:
        """The ratio of this kit's figure to the peer's; None if the peer's is 0."""
        return self.ours / self.theirs if self.theirs else None


def figures(comparison: Comparison) -> list[Beside]:
    """Return all figures, in the order of the table."""
    speed = [] if comparison.speed is None else [of_speed(comparison.speed)]
    return [*speed, *_found(comparison), *_sound(comparison)]


def of_speed(speed: Speed) -> Beside:
    """Return the medians of both kits."""
    own, theirs = (statistics.median(each) for each in (speed.ours, speed.theirs))
    what = "requests/s, drive phase beside coverage phase"
    return Beside(what, own, f"≥ {GOAL} times", schemathesis.NAME, theirs)


def _found(comparison: Comparison) -> Iterator[Beside]:
    for pair in comparison.pairs:
        own, theirs = (sum(getattr(each, who) for each in pair.tried) for who in ("ours", "theirs"))
        tried = f"faults found of {len(pair.tried)}, {pair.server}"
        yield Beside(tried, own, f"{len(pair.tried)}, and more", pair.peer, theirs)
        claimed = [each for each in pair.tried if each.claimed]
        if len(claimed) < len(pair.tried):
            own, theirs = (
                sum(getattr(each, who) for each in claimed) for who in ("ours", "theirs")
            )
            what = f"of those, of the {len(claimed)} that it claims"
            yield Beside(what, own, f"{len(claimed)}", pair.peer, theirs)


def _sound(comparison: Comparison) -> Iterator[Beside]:
    runs = {(each.kit, each.server): each for each in comparison.sound}
    for peer, server, where in (
        (schemathesis.NAME, "reference", "reference"),
        (official.NAME, "reference over MCP", "furnished"),
    ):
        own, theirs = runs.get((ours.NAME, server)), runs.get((peer, where))
        if own is None or theirs is None:
            continue
        yield Beside(f"false alarms, whole run, {server}", own.alarms, "0", peer, theirs.alarms)
        yield Beside(f"requests, whole run, {server}", own.requests, "-", peer, theirs.requests)
        yield Beside(f"seconds, whole run, {server}", own.seconds, "-", peer, theirs.seconds)
        yield Beside(f"requests/s, whole run, {server}", _rate(own), "-", peer, _rate(theirs))
        what = f"requests per second of the processor, {server}"
        yield Beside(what, _busy(own), "-", peer, _busy(theirs))


def _rate(run: Sound) -> float:
    return run.requests / run.seconds if run.seconds else 0.0


def _busy(run: Sound) -> float:
    return run.requests / run.processor if run.processor else 0.0


def head() -> str:
    """Return the head of the table: a figure with turns fills three columns, others one."""
    turns = f"{'lowest':>10}{'ours':>10}{'highest':>10}"
    return f"{'':<58}{turns}  {'goal':<19}{'peer':>16}{'theirs':>10}{'ratio':>8}"


def line(figure: Beside) -> str:
    """Return one figure as a line of the table, aligned with the other measurements."""
    ratio = "" if figure.ratio is None else f"{figure.ratio:,.1f}"
    return (
        f"{figure.what:<58}{'':>10}{figure.ours:>10,.2f}{'':>10}  goal {figure.goal:<14}"
        f"{figure.peer:>16}{figure.theirs:>10,.2f}{ratio:>8}"
    )


def missed(pair: Pair) -> list[str]:
    """Return the faults of a pair that this kit did not find."""
    return [each.fault for each in pair.tried if not each.ours]
