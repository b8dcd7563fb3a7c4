"""Tries one fault against two kits, each on a server of its own and on one without faults."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from conformance.kit.cases.baseline import candidates
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from fixtures.servers import openapi
from fixtures.servers.faults.fault import Fault
from fixtures.servers.rest import FAULTS as WARDROBE_FAULTS
from scripts.peers import claims, official, ours, schemathesis
from scripts.peers.document import Tried
from scripts.peers.install import Installed
from scripts.peers.outcome import Failure, Outcome, added
from scripts.peers.server import PEER, WARDROBE, Served, serving

FEW_TOOLS: Final = ("get_booking", "search_database")
"""The tools to call if a fault is not about a tool."""
SOUND_SEEDS: Final = (1,)
"""Seeds for Schemathesis on a server without faults, which include the seed for the faulty one.

Its complete run on the reference server counts as well.
"""
_SHOWN: Final = 3


@contextmanager
def folder() -> Iterator[Path]:
    """Make a temporary directory for one run."""
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        yield Path(name)


@dataclass(slots=True)
class Trials:
    """The peers, and their failures on the servers without faults, cached in `sound`.

    `document` is the file with the OpenAPI document of the reference server.
    """

    installed: Installed
    document: Path
    sound: dict[tuple[str, ...], list[Outcome]] = field(default_factory=dict)

    def over_http(self, fault: Fault) -> Tried:
        """Try a fault of the HTTP binding with this kit and Schemathesis."""
        tools = fault.tools or FEW_TOOLS
        theirs = added(self._schemathesis(tools, fault.name), self._sound_over_http(tools))
        asked = ("atdf",) if fault.together else ("http", "atdf")
        own = self._ours(fault, "", asked, tools)
        return self._tried(schemathesis.NAME, fault, own, theirs)

    def over_mcp(self, fault: Fault) -> Tried:
        """Try a fault of MCP over HTTP with this kit and the official kit."""
        theirs = added(self.official(fault.name), self._sound_over_mcp())
        own = self._ours(fault, "/mcp", ("mcp", "atdf"), fault.tools or FEW_TOOLS)
        return self._tried(official.NAME, fault, own, theirs)

    def of_wardrobe(self, fault: str) -> Tried:
        """Try a fault of the plain REST service, which serves its own OpenAPI document."""
        sound, own_sound = self._sound_of_wardrobe()
        with serving(WARDROBE, "--fault", fault) as served, folder() as place:
            theirs = added(self._of_service(served, place, 1), sound)
        with serving(WARDROBE, "--fault", fault) as served, folder() as place:
            own = added(ours.judge(ours.Asked(served.url), place), own_sound)
        known = fault not in claims.WARDROBE_UNCLAIMED
        return Tried(fault, known, bool(own), bool(theirs), _shown(theirs))

    def schemathesis(self, tools: Sequence[str], fault: str = "", seed: int = 1) -> Outcome:
        """Run Schemathesis on a server; no tools means all operations."""
        return self._schemathesis(tools, fault, seed)

    def official(self, fault: str = "", *, furnished: bool = True) -> Outcome:
        """Run the official kit on a server, with or without the tools that it needs."""
        more = ("--official-tools",) if furnished else ()
        with folder() as place:
            with serving(PEER, *_named(fault), *more) as served:
                outcome = official.judge(self.installed.official, f"{served.url}/mcp", place)
            return replace(outcome, requests=served.answered)

    def _schemathesis(self, tools: Sequence[str], fault: str = "", seed: int = 1) -> Outcome:
        paths = _paths(tools)
        with folder() as place:
            with serving(PEER, *_named(fault)) as served:
                asked = schemathesis.Asked(served.url, str(self.document), paths, seed)
                outcome, _ = schemathesis.judge(self.installed.schemathesis, asked, place)
            if served.answered is None:
                return outcome
            return replace(outcome, requests=served.answered)

    def _of_service(self, served: Served, place: Path, seed: int) -> Outcome:
        asked = schemathesis.Asked(f"{served.url}/v1", f"{served.url}/openapi.json", (), seed)
        outcome, _ = schemathesis.judge(self.installed.schemathesis, asked, place)
        return outcome

    def _ours(
        self, fault: Fault, path: str, profiles: Sequence[str], tools: Sequence[str]
    ) -> Outcome:
        with serving(PEER, *_named(fault.name)) as served, folder() as place:
            return ours.judge(ours.Asked(served.url + path, profiles, tools), place)

    def _tried(self, peer: str, fault: Fault, own: Outcome, theirs: frozenset[Failure]) -> Tried:
        accused = {failure[0] for failure in own.failures}
        found = accused.issuperset(fault.clauses)
        known = claims.claimed(peer, fault)
        return Tried(fault.name, known, found, bool(theirs), _shown(theirs))

    def _sound_over_http(self, tools: Sequence[str]) -> list[Outcome]:
        key = (schemathesis.NAME, *tools)
        if key not in self.sound:
            self.sound[key] = [self._schemathesis(tools, "", seed) for seed in SOUND_SEEDS]
        return [*self.sound[key], *self.sound.get((schemathesis.NAME,), [])]

    def _sound_over_mcp(self) -> list[Outcome]:
        if (official.NAME,) not in self.sound:
            self.sound[official.NAME,] = [self.official(), self.official()]
        return self.sound[official.NAME,]

    def _sound_of_wardrobe(self) -> tuple[list[Outcome], list[Outcome]]:
        if (WARDROBE,) not in self.sound:
            with serving(WARDROBE) as served, folder() as place:
                self.sound[WARDROBE, ours.NAME] = [ours.judge(ours.Asked(served.url), place)]
            self.sound[WARDROBE,] = []
            for seed in SOUND_SEEDS:
                with serving(WARDROBE) as served, folder() as place:
                    self.sound[WARDROBE,].append(self._of_service(served, place, seed))
        return self.sound[WARDROBE,], self.sound[WARDROBE, ours.NAME]


def wardrobe_faults() -> list[str]:
    """Return the faults of the plain REST service."""
    return sorted(WARDROBE_FAULTS)


def _named(fault: str) -> tuple[str, ...]:
    return ("--fault", fault) if fault else ()


def _paths(tools: Sequence[str]) -> list[str]:
    """Return the paths for a run: the calls of these tools, and all paths with GET."""
    if not tools:
        return []
    read = [path for path, operations in openapi.document()["paths"].items() if "get" in operations]
    return [*read, *(f"/tools/{tool}/invoke" for tool in tools)]


def _shown(failures: frozenset[Failure]) -> tuple[str, ...]:
    """Return the first few failures by which a peer found a fault, as texts."""
    return tuple(" ".join(filter(None, each)) for each in sorted(failures)[:_SHOWN])


def write_openapi(file: Path) -> None:
    """Write the OpenAPI document, with calls that are valid today as its examples."""
    with serving(PEER) as served:
        session = Session(Settings(profiles=("http",)))
        session.discover((served.url,))
    now = session.began
    good = {tool.name: candidates(tool, (), now)[0] for tool in session.found[0].tools}
    file.write_text(json.dumps(openapi.document(good)), encoding="utf-8")
