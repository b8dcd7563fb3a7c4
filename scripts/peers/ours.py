"""Runs this kit through its command line, like the others, and reads its results."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scripts.peers.install import ROOT
from scripts.peers.outcome import Failure, Outcome
from scripts.peers.run import run

NAME: Final = "agent-formats"
_BROKEN: Final = frozenset({"fail", "warn"})


@dataclass(frozen=True, slots=True)
class Asked:
    """The task of one run. No tools means all tools; no profiles means all that apply."""

    target: str
    profiles: Sequence[str] = ()
    tools: Sequence[str] = ()


def judge(asked: Asked, folder: Path) -> Outcome:
    """Run the kit with its default budget. It calls every tool, because the servers are local."""
    words = [sys.executable, "-m", "pytest", str(ROOT / "conformance"), "--rootdir", str(ROOT)]
    words += ["-c", str(ROOT / "pyproject.toml"), "-q", "-p", "no:cacheprovider"]
    words += ["--target", asked.target, "--allow-calls", "all", "--report", str(folder / "report")]
    for profile in asked.profiles:
        words += ["--profile", profile]
    for tool in asked.tools:
        words += ["--include-tool", tool]
    ran = run(words, folder)
    file = folder / "report" / "results.json"
    held = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"runs": []}
    requests = sum(each["requests"] for each in held["runs"])
    failures = frozenset(failures_of(held))
    finished = ran.code in (0, 1) and file.is_file()
    return Outcome(failures, ran.seconds, requests, finished, ran.processor)


def failures_of(results: Mapping[str, Any]) -> Iterator[Failure]:
    """Yield each finding: the clause, the run, the tool."""
    for each in results["runs"]:
        for item in each["items"]:
            if item["verdict"] in _BROKEN:
                yield (item["clause"], each["run"], item["tool"] or "")
