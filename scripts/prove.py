"""Proves that the kit is right: it finds every planted fault, and reports nothing else.

    python -m scripts.prove [--fault NAME]... [--full] [--jobs N]

Each fault of `fixtures/servers/faults/` is a server with one defect. All clauses check it on the
binding and the tools that it affects (--full: on every binding and era). They also check the
reference without a fault, on every binding. Exit code 0 means that each fault was caught by its
clauses, by the checks that it was planted for (`checks.yaml` next to the faults), and that no other
clause failed. Otherwise it is 1, and 2 for an unusable command line.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx2

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.run import MODERN, Run
from conformance.kit.model.settings import MAX_EXAMPLES, AllowCalls, Settings
from conformance.kit.report.words import verdict_name
from conformance.kit.session import Session
from conformance.kit.transport.mcp import LEGACY_VERSIONS
from conformance.kit.transport.mcp_http import McpHttpBinding
from conformance.kit.verdicts.checks import load, packages
from conformance.spec.vocabulary import Binding, Era, Verdict
from fixtures.servers.faults import FAULTS
from fixtures.servers.faults.checks import CHECKS
from fixtures.servers.faults.fault import Fault
from fixtures.servers.start import (
    FAULTY,
    REFERENCE,
    NotStarted,
    command,
    forked_by,
    is_forked,
    listening,
    nursery,
)
from fixtures.servers.tools import TOOLS

_CAUGHT = frozenset({Verdict.FAIL, Verdict.WARN})
_NEWEST = (LEGACY_VERSIONS[-1], MODERN)
"""The versions of a fault that is not about versions: the newest of each era."""
_FEW = 3
"""The most checks that are listed for a caught fault."""
_FEW_TOOLS = ("get_booking", "search_database")
"""The tools to call if a fault is not about a tool."""


_REQUEST_TIMEOUT = 3.0
"""The request timeout in seconds: for some faults, the answer never comes."""
_PATIENT_TIMEOUT = 30.0

_SOUND = Fault("", (), lambda behaviour: behaviour, tools=tuple(tool.name for tool in TOOLS))
"""The unchanged reference: any finding about it is a false alarm."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One fault on one binding; without a name it is the reference without a fault."""

    fault: str
    binding: str
    era: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The kit's result: the clauses that it found broken, each with its first reason."""

    trial: Trial
    found: tuple[tuple[str, str], ...]
    faults_of_the_kit: tuple[str, ...]
    seconds: float
    timeouts: int = 0
    """Requests that timed out: on a busy machine they say nothing about the server."""
    again: bool = False
    """Whether it was checked a second time, because the first result said nothing."""
    ended: tuple[tuple[str, str], ...] = ()
    """Each clause of the fault that was checked and did not fail, with its verdict."""
    checks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each broken clause, the checks that found it: message ids, for a call with `/` and
    scenario.
    """

    def verdict(self) -> str:
        """Return what was wrong; empty if exactly the fault's clauses caught it."""
        ended = dict.fromkeys(self.missed(), "not asked") | dict(self.ended)
        said = [f"not caught by {clause} ({how})" for clause, how in ended.items()]
        said += [f"caught by accident: {told}" for told in self.by_accident()]
        said += [f"also accused: {clause}: {why}" for clause, why in self.others()]
        return "; ".join([*said, *self.faults_of_the_kit])

    def missed(self) -> list[str]:
        """Return the fault's clauses that did not fail."""
        own = {clause for clause, _ in self.found}
        return [clause for clause in planted(self.trial).clauses if clause not in own]

    def by_accident(self) -> Iterator[str]:
        """Yield the fault's clauses that failed only by checks that it was not planted for."""
        for clause in planted(self.trial).clauses:
            found = self.checks.get(clause, ())
            meant = CHECKS.get(self.trial.fault, {}).get(clause, ())
            if found and not any(is_meant(check, one) for check in found for one in meant):
                yield f"{clause} by {few(found)}, and not by {' or '.join(meant) or 'any'}"

    def caught(self) -> str:
        """Return the fault's clauses, each with the checks that found it broken."""
        own = [clause for clause in planted(self.trial).clauses if clause in self.checks]
        return "; ".join(f"{clause}: {few(self.checks[clause])}" for clause in own)

    def others(self) -> list[tuple[str, str]]:
        """Return the other clauses that failed, with reasons, without the fault's collaterals."""
        fault = planted(self.trial)
        known = {*fault.clauses, *fault.collateral}
        return [(clause, why) for clause, why in self.found if clause not in known]


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="prove", description="Prove that the kit is right.")
    parser.add_argument(
        "--fault", action="append", default=[], metavar="NAME", help="just this one"
    )
    parser.add_argument("--full", action="store_true", help="on every binding and era")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="trials at once")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.fault if name not in FAULTS]
    if unknown:
        sys.stderr.write(f"There is no fault {unknown[0]!r}: see `faulty --list`.\n")
        return 2
    named = [trial for name in chosen.fault for trial in trials_of(FAULTS[name], full=chosen.full)]
    trials = named or every_trial(full=chosen.full)
    began = time.monotonic()
    outcomes = run(trials, max(1, chosen.jobs))
    sys.stdout.write(f"{tally(outcomes)}, in {time.monotonic() - began:.0f} s\n")
    idle = idle_collaterals(outcomes) if chosen.full else []
    sys.stdout.writelines(f"{name}: {clause} never accuses it\n" for name, clause in idle)
    return 1 if idle or any(outcome.verdict() for outcome in outcomes) else 0


def every_trial(*, full: bool) -> list[Trial]:
    """Return all trials: the reference first, because it takes longest, then all faults."""
    faults = [trial for fault in FAULTS.values() for trial in trials_of(fault, full=full)]
    return [*trials_of(_SOUND, full=True), *faults]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many faults were caught, how many there were, and the number of false alarms."""

    caught: int = 0
    faults: int = 0
    alarms: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Return the sum of both."""
        caught, faults = self.caught + other.caught, self.faults + other.faults
        return Tally(caught, faults, self.alarms + other.alarms)

    def __str__(self) -> str:
        """Return the last line of a proof."""
        return f"{self.caught} of {self.faults} faults caught, {self.alarms} false alarms"


def tally(outcomes: Sequence[Outcome]) -> Tally:
    """Add up: a fault is caught if each of its clauses failed in every trial.

    A check that the fault was planted for must have found it.
    """
    faults = {outcome.trial.fault for outcome in outcomes} - {_SOUND.name}
    missed = {
        outcome.trial.fault
        for outcome in outcomes
        if outcome.missed() or outcome.faults_of_the_kit or any(outcome.by_accident())
    }
    alarms = sum(len(outcome.others()) for outcome in outcomes)
    return Tally(len(faults - missed), len(faults), alarms)


def planted(trial: Trial) -> Fault:
    """Return the fault of a trial; the reference's fault breaks nothing."""
    return FAULTS[trial.fault] if trial.fault else _SOUND


def trials_of(fault: Fault, *, full: bool) -> list[Trial]:
    """Return the trials of a fault: its first binding in its newest era, or all of them."""
    every = [
        Trial(fault.name, binding, era)
        for binding in fault.bindings
        for era in (("",) if binding == "http" else tuple(reversed(fault.eras)))
    ]
    return every if full else every[:1]


def idle_collaterals(outcomes: Sequence[Outcome]) -> list[tuple[str, str]]:
    """Return the collaterals that no trial needed, as pairs of fault and clause."""
    seen = {(outcome.trial.fault, clause) for outcome in outcomes for clause, _ in outcome.found}
    tried = dict.fromkeys(outcome.trial for outcome in outcomes)
    named = {(each.fault, clause): None for each in tried for clause in planted(each).collateral}
    return [each for each in named if each not in seen]


def run(trials: Sequence[Trial], jobs: int) -> list[Outcome]:
    """Check these servers, and print a line for each result."""
    outcomes = []
    with nursery() as at, ProcessPoolExecutor(jobs, None, forked_by, (at,)) as pool:
        for outcome in pool.map(attempt, trials):
            outcomes.append(outcome)
            where = f"{outcome.trial.binding} {outcome.trial.era}".strip()
            name = outcome.trial.fault or "the reference, without a fault"
            caught = f"caught by {outcome.caught()}" if outcome.trial.fault else "nothing found"
            head = f"{len(outcomes):3}/{len(trials)}  {name:44}{where:14}{outcome.seconds:5.1f} s  "
            again = ", judged again with more time" if outcome.again else ""
            sys.stdout.write(f"{head}{outcome.verdict() or caught}{again}\n")
            sys.stdout.flush()
    return outcomes


def attempt(trial: Trial) -> Outcome:
    """Check one faulty server, and once more with longer timeouts if requests timed out.

    The second time is only for unexpected results: a busy machine may have caused them.
    """
    outcome = attempt_once(trial, _REQUEST_TIMEOUT)
    if not outcome.verdict() or not outcome.timeouts:
        return outcome
    again = attempt_once(trial, _PATIENT_TIMEOUT)
    return replace(again, seconds=outcome.seconds + again.seconds, again=True)


def attempt_once(trial: Trial, request_timeout: float) -> Outcome:
    """Check one planted fault with this request timeout, in seconds."""
    began = time.monotonic()
    try:
        with serving(trial) as target:
            session, items = judged(trial, target, request_timeout=request_timeout)
    except TargetUnusable as unusable:
        said = (unusable.words.words(),)
        return Outcome(trial, (), said, time.monotonic() - began, timeouts=1)
    except NotStarted as reason:
        return Outcome(trial, (), (str(reason),), time.monotonic() - began)
    found: dict[str, str] = {}
    checks: dict[str, dict[str, None]] = {}
    broken: list[str] = []
    for item in items:
        if item.verdict in _CAUGHT:
            found.setdefault(item.clause, item.findings[0].message.words())
            checks.setdefault(item.clause, {}).update(dict.fromkeys(map(check_of, item.findings)))
        elif item.verdict is Verdict.KIT_ERROR:
            broken.append(item.findings[0].message.words())
    timeouts = sum(one.trouble is Trouble.TIMEOUT for one in session.recorder.by_id.values())
    took = time.monotonic() - began
    missed = {item.clause for item in items}.intersection(planted(trial).clauses) - {*found}
    called = [each for each in items if each.tool is None or session.settings.selects(each.tool)]
    ended = tuple((each, how_ended(each, called) or how_ended(each, items)) for each in missed)
    by = {clause: tuple(ids) for clause, ids in checks.items()}
    seen = tuple(found.items())
    return Outcome(trial, seen, tuple(broken[:2]), took, timeouts, ended=ended, checks=by)


def check_of(finding: Finding) -> str:
    """Return the name of the check that made a finding: its message and a call's scenario."""
    id = finding.message.id
    return f"{id}/{finding.scenario}" if finding.scenario else id


def is_meant(check: str, meant: str) -> bool:
    """Return whether a check is the `meant` one, which may omit the scenario."""
    return check == meant or check.partition("/")[0] == meant


def few(checks: Sequence[str]) -> str:
    """Return the names of the first checks, and how many more there are."""
    more = f" and {len(checks) - _FEW} more" if len(checks) > _FEW else ""
    return ", ".join(checks[:_FEW]) + more


def how_ended(clause: str, items: Sequence[Item]) -> str:
    """Return the verdicts of a clause that did not fail, each with its count and first reason."""
    own = [item for item in items if item.clause == clause]
    said = []
    for verdict in dict.fromkeys(item.verdict for item in own):
        alike = [item for item in own if item.verdict is verdict]
        reason = next((item.findings[0].message.words() for item in alike if item.findings), "")
        name = f"{verdict_name(verdict, 'en')} {len(alike)}"
        said.append(f"{name}: {reason}" if reason else name)
    return ", ".join(said)


def judged(
    trial: Trial,
    target: str,
    *,
    request_timeout: float = _REQUEST_TIMEOUT,
    max_examples: int = MAX_EXAMPLES,
    like: Fault | None = None,
) -> tuple[Session, list[Item]]:
    """Check the server of a trial, as the command line would; return the session and all items.

    The settings are those of the fault `like`, if there is one.
    """
    profile = "http" if trial.binding == "http" else "mcp"
    fault = like or planted(trial)
    settings = Settings(
        profiles=("atdf",) if fault.together else (profile, "atdf"),
        include_tools=fault.tools or _FEW_TOOLS,
        allow_calls=AllowCalls.ALL,
        request_timeout=request_timeout,
        spec_versions=() if fault.versions else _NEWEST,
        max_examples=max_examples,
    )
    session = Session(settings)
    chapters = [load(package) for package in packages()]
    session.scripts = [script for chapter in chapters for script in chapter.scripts]
    session.discover((target,), (Era(trial.era),) if trial.era else ())
    asked = session.questions([test for chapter in chapters for test in chapter.tests])
    session.drive()
    return session, list(session.judge(asked).values())


@contextmanager
def serving(trial: Trial, *more: str) -> Iterator[str]:
    """Run the server of a trial, with more options; yield its target."""
    module = FAULTY if trial.fault else REFERENCE
    fault = (*(("--fault", trial.fault) if trial.fault else ()), *more)
    if trial.binding == "stdio":
        yield "stdio:" + shlex.join(command(module, "--stdio", *fault))
        return
    with listening(module, *fault) as url:
        if not is_forked() and (trial.binding == "mcp" or planted(trial).together):
            _load_sdk(f"{url}/mcp")
        yield url if trial.binding == "http" else f"{url}/mcp"


def _load_sdk(endpoint: str) -> None:
    """Send one request, so that a server that was not forked has loaded its MCP SDK.

    On a busy machine, that takes longer than the kit's short timeout.
    """
    speaker = McpHttpBinding(Run("mcp", endpoint, Binding.MCP, endpoint), LEGACY_VERSIONS[-1])
    asked = speaker.initialize(id=0)
    with suppress(httpx2.HTTPError):  # the answer does not matter here: the kit checks it later
        httpx2.post(endpoint, content=asked.body, headers=dict(asked.headers), timeout=60)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
