"""Runs Schemathesis' command line as its documentation recommends, and reads its reports."""

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
    """The task of one run. `document` is a file or a URL; no paths means all operations."""

    url: str
    document: str
    paths: Sequence[str] = ()
    seed: int = 1
    phases: str = ""
    workers: str = ""


def judge(program: Sequence[str], asked: Asked, folder: Path) -> tuple[Outcome, list[Any]]:
    """Run it with all phases and checks; return the outcome and the events in order."""
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
    """Yield the events of a run as pairs of kind and content; stop at a line that is cut off."""
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
    """Yield each failed check: its kind, the operation, the status, the names in the answer."""
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
    """Return the error types and parameters in an envelope, which distinguish refusals."""
    encoded = (response.get("content") or {}).get("$base64", "")
    try:
        errors = json.loads(base64.b64decode(encoded))["errors"]
        named = [(str(each["type"]), str(each["parameter_name"])) for each in errors]
    except (ValueError, KeyError, TypeError):
        return []
    # An index in an array is random: it does not make a different place.
    return [
        (error.rpartition("/")[2], "".join(c for c in parameter if not c.isdigit()))
        for error, parameter in named
    ]


def errors_of(report: Mapping[str, Any]) -> Iterator[Failure]:
    """Yield the report's errors, such as a closed connection."""
    for error in report.get("errors", []):
        for operation in error.get("operations") or [error.get("operation", "")]:
            yield ("error", str(error.get("type") or error.get("title", "")), str(operation))


def requests_of(events: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
    """Return the number of recorded requests, in all phases."""
    recorders = (held.get("recorder") for kind, held in events if kind == "ScenarioFinished")
    return sum(len(each.get("interactions", {})) for each in recorders if isinstance(each, dict))


def coverage_seconds(events: Iterable[tuple[str, Mapping[str, Any]]]) -> float:
    """Return the seconds of the coverage phase; 0 if there was none."""
    began = ended = 0.0
    for kind, held in events:
        phase = held.get("phase")
        if isinstance(phase, dict) and phase.get("name") == _COVERAGE:
            if kind == "PhaseStarted":
                began = float(held["timestamp"])
            elif kind == "PhaseFinished":
                ended = float(held["timestamp"])
    return max(0.0, ended - began)
