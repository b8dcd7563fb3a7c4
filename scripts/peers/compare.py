"""The whole comparison, within a time limit: servers without faults, speed, then each fault."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fixtures.servers.faults.fault import Fault
from fixtures.servers.start import NotStarted
from scripts.peers import claims, official, ours, schemathesis, speed
from scripts.peers.document import FILE, Comparison, Pair, Sound, Speed, Tried, renew_speed, save
from scripts.peers.install import install
from scripts.peers.outcome import Failure, Outcome
from scripts.peers.sample import ordered
from scripts.peers.server import PEER, serving
from scripts.peers.trials import Trials, folder, wardrobe_faults, write_openapi

FAULTS: Final = 24
"""The default number of faults to try for each binding: about half an hour."""
MINUTES: Final = 60.0


@dataclass(frozen=True, slots=True)
class Budget:
    """How many faults of each binding to try (None: all), and after how many minutes to stop."""

    faults: int | None = FAULTS
    minutes: float = MINUTES


def compare(budget: Budget, file: Path = FILE) -> Comparison:
    """Compare, print progress, and save the results in `file` after every step.

    Raises `PeerUnusable` if a peer cannot be installed.
    """
    began = time.monotonic()
    _say("Installing the peers …")
    installed = install()
    comparison = Comparison(installed.versions)
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        document = Path(name) / "openapi.json"
        write_openapi(document)
        trials = Trials(installed, document)
        _say("Whole runs on sound servers …")
        comparison.sound = list(_sound(trials))
        _say("Requests a second …")
        comparison.speed = speed.compare(trials)
        comparison.load = round(os.getloadavg()[1], 1)
        end = began + 60 * budget.minutes
        comparison.pairs = [
            _pair(schemathesis.NAME, "reference"),
            _pair(official.NAME, "furnished"),
            _of_service(),
        ]
        for pair, attempt in _steps(trials, comparison.pairs, budget.faults):
            if time.monotonic() > end:
                _say(f"Stopped after {budget.minutes:g} minutes; what was tried is kept.")
                break
            _try(pair, attempt)
            save(comparison, file)
    return comparison


def compare_speed(file: Path = FILE) -> Speed:
    """Measure only the speed, and replace the speed in `file`, with its date.

    Raises `PeerUnusable` if a peer cannot be installed.
    """
    _say("Installing the peers …")
    installed = install()
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        document = Path(name) / "openapi.json"
        write_openapi(document)
        _say("Requests a second …")
        measured = speed.compare(Trials(installed, document))
    renew_speed(measured, round(os.getloadavg()[1], 1), file)
    return measured


def _pair(peer: str, server: str) -> Pair:
    seen = claims.visible(peer)
    return Pair(peer, server, len(seen), sum(claims.claimed(peer, fault) for fault in seen))


def _of_service() -> Pair:
    faults = wardrobe_faults()
    known = len(claims.WARDROBE_UNCLAIMED.symmetric_difference(faults))
    return Pair(schemathesis.NAME, "wardrobe", len(faults), known)


Attempt = Callable[[], Tried]


def _steps(
    trials: Trials, pairs: Sequence[Pair], most: int | None
) -> Iterator[tuple[Pair, Attempt]]:
    """Yield the attempts of all pairs in turn, so that any first part of them is a fair sample."""
    http, mcp, wardrobe = pairs
    over_http = ordered(claims.visible(schemathesis.NAME))[:most]
    over_mcp = ordered(claims.visible(official.NAME))[:most]
    for fault in wardrobe_faults():
        yield wardrobe, _of_wardrobe(trials, fault)
    for place in range(max(len(over_http), len(over_mcp))):
        if place < len(over_http):
            yield http, _of(trials.over_http, over_http[place])
        if place < len(over_mcp):
            yield mcp, _of(trials.over_mcp, over_mcp[place])


def _of(attempt: Callable[[Fault], Tried], fault: Fault) -> Attempt:
    return lambda: attempt(fault)


def _of_wardrobe(trials: Trials, fault: str) -> Attempt:
    return lambda: trials.of_wardrobe(fault)


def _try(pair: Pair, attempt: Attempt) -> None:
    """Try one fault, and print a line with the result."""
    began = time.monotonic()
    try:
        tried = attempt()
    except NotStarted as reason:
        _say(f"  {reason}")
        return
    pair.tried.append(tried)
    found = [name for name, has in ((ours.NAME, tried.ours), (pair.peer, tried.theirs)) if has]
    claimed = "" if tried.claimed else f" (not claimed by {pair.peer})"
    took = time.monotonic() - began
    _say(
        f"  {len(pair.tried):3} {pair.peer:16}{tried.fault:44}{took:6.1f} s  "
        f"found by {' and '.join(found) or 'none'}{claimed}"
    )


def _sound(trials: Trials) -> Iterator[Sound]:
    """Run every kit completely on the servers without faults."""
    for path, profiles, server in (
        ("", ("http", "atdf"), "reference"),
        ("/mcp", ("mcp", "atdf"), "reference over MCP"),
    ):
        with folder() as place:
            with serving(PEER) as served:
                asked = ours.Asked(served.url + path, profiles)
                outcome = ours.judge(asked, place)
            yield _alarms(ours.NAME, server, outcome, served.answered)
    whole = trials.schemathesis(())
    trials.sound[schemathesis.NAME,] = [whole]
    yield _alarms(schemathesis.NAME, "reference", whole, whole.requests)
    furnished = [trials.official() for _ in range(2)]
    trials.sound[official.NAME,] = furnished
    yield _alarms(official.NAME, "furnished", furnished[0], furnished[0].requests)
    bare = trials.official(furnished=False)
    yield _alarms(official.NAME, "reference over MCP", bare, bare.requests, furnished[0])


def _alarms(
    kit: str,
    server: str,
    outcome: Outcome,
    requests: int | None,
    furnished: Outcome | None = None,
) -> Sound:
    """Count the failures on a server without faults, one for each check and place.

    `furnished` is a run on a server with what the kit needs. Failures that it does not have count
    as lacking, not as false alarms.
    """
    said = _places(outcome)
    places = said if furnished is None else said & _places(furnished)
    seconds, alarms, lacking = round(outcome.seconds, 1), len(places), len(said - places)
    _say(
        f"  {kit:16}{server:20}{seconds:8.1f} s  {alarms} false alarms, {lacking} missing fixtures"
    )
    processor = round(outcome.processor, 1)
    return Sound(kit, server, alarms, requests or 0, seconds, processor, lacking)


def _places(outcome: Outcome) -> set[Failure]:
    return {
        failure[:3]
        for failure in outcome.failures
        if len(failure) > 2 and failure[-1] != official.NOT_SCORED
    }


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()
