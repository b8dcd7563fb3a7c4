"""Measures the work on documents: validation, recognition, replay, conversion, generation.

Rates are per second of processor time, so that other programs on the machine matter little.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain, cycle, islice
from pathlib import Path

from conformance.formats.runtime.assembly import reading_of, replay
from conformance.formats.validate.recognize import recognize
from conformance.formats.validate.validate import examine, validate

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "fixtures" / "examples"
TURNS = 3
DOCUMENTS = 10_000
FRAMES = 20_000
VALID_FOR_ONE_INVALID = 3

Measured = tuple[str, float, str]
"""What was measured, its value, and the goal as a text."""


def figures() -> list[Measured]:
    """Return all figures of this module, in order."""
    return [*_validation(), *_recognition(), *_replay(), *_generation()]


def documents() -> Iterator[bytes]:
    """Yield documents of every kind endlessly, as bytes: one invalid for every three valid ones."""
    valid, invalid = (
        cycle([each.read_bytes() for each in sorted(EXAMPLES.glob(f"*/{kind}/*.json"))])
        for kind in ("valid", "invalid")
    )
    while True:
        yield from islice(valid, VALID_FOR_ONE_INVALID)
        yield next(invalid)


def _validation() -> list[Measured]:
    for raw in islice(documents(), 1_000):  # schemas are compiled once, at their first use
        examine(raw)
    before = _peak()
    rates = [_rate(_examine_all, DOCUMENTS) for _ in range(TURNS)]
    return [
        ("documents validated, mixed, per second of one core", statistics.median(rates), "≥ 3,000"),
        ("more memory after 30,000 documents than after 1,000, MB", _peak() - before, "< 10"),
    ]


def _examine_all() -> None:
    for raw in islice(documents(), DOCUMENTS):
        examine(raw)


def _recognition() -> list[Measured]:
    values = [json.loads(raw) for raw in islice(documents(), DOCUMENTS // 4)]
    shares = []
    for _ in range(TURNS):
        alone = _seconds(lambda: [recognize(each) for each in values])
        whole = _seconds(lambda: [validate(each) for each in values])
        shares.append(100 * alone / (whole - alone))
    return [("what recognition adds to validation, %", statistics.median(shares), "< 5")]


def _replay() -> list[Measured]:
    """Measure a replay: an example's recorded answer, repeated, with all rules of a manifest."""
    manifest = json.loads((EXAMPLES / "runtime/valid/openai.json").read_text("utf-8"))
    reading = reading_of(manifest)
    frames = list(islice(chain.from_iterable(map(_answer, range(FRAMES))), FRAMES))
    rates = [_rate(lambda: replay(reading, frames), FRAMES) for _ in range(TURNS)]
    return [
        ("frames read by rules and assembled, per second", statistics.median(rates), "≥ 20,000")
    ]


def _answer(number: int) -> Iterator[dict[str, object]]:
    """Yield a piece of a chat answer as its provider sends it: text, and a call in fragments."""

    def frame(**delta: object) -> dict[str, object]:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}

    yield from (frame(content=f"word {each} ") for each in range(12))
    named = {"name": "search", "arguments": ""}
    yield frame(tool_calls=[{"index": number, "id": f"call_{number}", "function": named}])
    for part in ('{"query": ', '"x"', "}"):
        yield frame(tool_calls=[{"index": number, "function": {"arguments": part}}])


def _generation() -> list[Measured]:
    command = [sys.executable, "-m", "scripts.generate", "--check"]
    seconds = []
    for _ in range(TURNS):
        began = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    return [("generation of everything, s", min(seconds), "< 5")]


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _rate(work: Callable[[], object], count: int) -> float:
    return count / _seconds(work)


def _peak() -> float:
    """Return the peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    argparse.ArgumentParser(description="Measure what is done with documents.").parse_args()
    for what, value, goal in figures():
        sys.stdout.write(f"{what:<60}  {value:>10,.2f}  goal {goal}\n")
