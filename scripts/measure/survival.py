"""The results of the kit against each hostile server, as a file for the site.

A run of a few servers replaces their rows and leaves the others: all together take hours.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from scripts.measure.figures import ROOT, machine, write_whole

KEPT: Final = ROOT / "fixtures" / "benchmarks" / "survival.json"


@dataclass(frozen=True, slots=True)
class Survived:
    """The result for one server: total seconds, seconds of work, peak megabytes, the failure."""

    name: str
    binding: str
    seconds: float
    work: float
    megabytes: float
    code: int
    wrong: str


def save(
    outcomes: Iterable[Survived],
    every: Collection[tuple[str, str]],
    versions: Mapping[str, str],
    limits: Mapping[str, float],
    file: Path | None = None,
) -> None:
    """Write the outcomes with those of earlier runs; `every` names all servers that exist."""
    file = file or KEPT
    earlier = read(json.loads(file.read_text("utf-8"))) if file.exists() else []
    rows = {(one.name, one.binding): one for one in (*earlier, *outcomes)}
    held = {
        "kind": "survival",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": dict(versions),
        "limits": dict(limits),
        "sessions": [_short(rows[each]) for each in every if each in rows],
    }
    write_whole(file, held)


def kept(file: Path | None = None) -> frozenset[tuple[str, str]]:
    """Return the sessions that have figures, by server and binding."""
    file = file or KEPT
    held = read(json.loads(file.read_text("utf-8"))) if file.exists() else []
    return frozenset((one.name, one.binding) for one in held)


def read(held: Mapping[str, Any]) -> list[Survived]:
    """Return the outcomes from a file's value."""
    return [Survived(**each) for each in held["sessions"]]


def _short(one: Survived) -> dict[str, Any]:
    rounded = {"seconds": round(one.seconds, 1), "work": round(one.work, 1)}
    return {**asdict(one), **rounded, "megabytes": round(one.megabytes)}
