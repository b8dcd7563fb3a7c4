"""Schemathesis: its command line as it recommends itself, and what its reports say."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scripts.peers.outcome import Failure, Outcome
from scripts.peers.run import run

NAME: Final = "schemathesis"
_COVERAGE: Final = "coverage"


@dataclass(frozen=True, slots=True)
class Asked:
    """What one run is to do. `document` is a file or a URL; no paths are all of its operations."""

    url: str
    document: str
    paths: Sequence[str] = ()
    seed: int = 1
    phases: str = ""
    workers: str = ""


def judge(program: Sequence[str], asked: Asked, folder: Path) -> tuple[Outcome, list[Any]]:
    """Run it with all its phases and checks; gives the outcome, and its events in order."""
    words = [*program, "run", asked.document, "--url", asked.url, "--no-color"]
    words += ["--continue-on-failure", "--seed", str(asked.seed), "--report", "json,ndjson"]
    words += ["--report-json-path", "report.json", "--report-ndjson-path", "events.ndjson"]
    words += ["--phases", asked.phases] if asked.phases else []
    words += ["--workers", asked.workers] if asked.workers else []
    for path in asked.paths:
        words += ["--include-path", path]
    ran = run(words, folder)
    events = list(read_events(folder / "events.ndjson"))
    report = folder / "report.json"
    held = json.loads(report.read_text("utf-8")) if report.is_file() else {}
    failures = frozenset([*failures_of(events), *errors_of(held)])
    finished = ran.code in (0, 1) and bool(held)
    outcome = Outcome(failures, ran.seconds, requests_of(events), finished, ran.processor)
    return outcome, events


def read_events(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the events of a run, each its kind and what it holds; a line that was cut ends them."""
    if not file.is_file():
        return
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                return
            yield from event.items()


def failures_of(events: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Failure]:
    """Name each failed check: its kind, the operation, the status, what the answer names."""
    for kind, held in events:
        recorder = held.get("recorder") if kind == "ScenarioFinished" else None
        if not isinstance(recorder, dict):
            continue
        for case, checks in recorder.get("checks", {}).items():
            exchange = recorder.get("interactions", {}).get(case, {})
            for check in checks:
                if check.get("status") == "failure":
                    yield from _named(check, exchange.get("response"))


def _named(check: Mapping[str, Any], response: Any) -> Iterator[Failure]:
    found = (check.get("failure_info") or {}).get("failure", {})
    own = (str(check["name"]), str(found.get("type", "")), str(found.get("operation", "")))
    if not isinstance(response, dict):
        yield (*own, "no answer")
        return
    status = str(response.get("status_code"))
    for error, parameter in _errors(response) or [("", "")]:
        yield (*own, status, error, parameter)


def _errors(response: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Give the error types and parameters that an envelope names, so that two refusals differ."""
    encoded = (response.get("content") or {}).get("$base64", "")
    try:
        errors = json.loads(base64.b64decode(encoded))["errors"]
        named = [(str(each["type"]), str(each["parameter_name"])) for each in errors]
    except (ValueError, KeyError, TypeError):
        return []
    # Inside arrays the index says which item was drawn at random: it is not a place of its own.
    return [
        (error.rpartition("/")[2], "".join(c for c in parameter if not c.isdigit()))
        for error, parameter in named
    ]


def errors_of(report: Mapping[str, Any]) -> Iterator[Failure]:
    """Name what it calls an error, such as a connection that was closed."""
    for error in report.get("errors", []):
        for operation in error.get("operations") or [error.get("operation", "")]:
            yield ("error", str(error.get("type") or error.get("title", "")), str(operation))


def requests_of(events: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
    """Count the requests that it recorded, in all phases."""
    recorders = (held.get("recorder") for kind, held in events if kind == "ScenarioFinished")
    return sum(len(each.get("interactions", {})) for each in recorders if isinstance(each, dict))


def coverage_seconds(events: Iterable[tuple[str, Mapping[str, Any]]]) -> float:
    """Give how long the coverage phase took; 0 where there was none."""
    began = ended = 0.0
    for kind, held in events:
        phase = held.get("phase")
        if isinstance(phase, dict) and phase.get("name") == _COVERAGE:
            if kind == "PhaseStarted":
                began = float(held["timestamp"])
            elif kind == "PhaseFinished":
                ended = float(held["timestamp"])
    return max(0.0, ended - began)
