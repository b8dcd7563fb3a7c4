"""The results of a comparison, as the project's file."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from scripts.generator.build import load_source, read_source
from scripts.peers.install import ROOT
from scripts.peers.sample import SEED

FILE: Final = ROOT / "fixtures" / "benchmarks" / "peers.json"


@dataclass(frozen=True, slots=True)
class Tried:
    """One fault, and whether each of the two kits found it; `by` has the peer's failures."""

    fault: str
    claimed: bool
    ours: bool
    theirs: bool
    by: tuple[str, ...] = ()


@dataclass(slots=True)
class Pair:
    """A peer next to this kit; `visible` and `claimed` count all faults, `tried` is a sample."""

    peer: str
    server: str
    visible: int
    claimed: int
    tried: list[Tried] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sound:
    """A complete run of one kit on a server without faults: each failure is a false alarm.

    `server` is `reference`, `furnished` (with what the official kit needs), or `wardrobe` (a plain
    REST service). `lacking` counts failures because the server lacks what the kit needs.
    """

    kit: str
    server: str
    alarms: int
    requests: int
    seconds: float
    processor: float
    lacking: int = 0


@dataclass(frozen=True, slots=True)
class Speed:
    """Requests a second by turn: this kit's drive phase, and Schemathesis' coverage phase."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]


@dataclass(slots=True)
class Comparison:
    """A complete comparison."""

    versions: dict[str, str]
    load: float = 0.0
    """The load average while the speed was measured: processes that wait for a processor."""
    sound: list[Sound] = field(default_factory=list)
    speed: Speed | None = None
    pairs: list[Pair] = field(default_factory=list)


def written(comparison: Comparison, today: datetime | None = None) -> dict[str, Any]:
    """Return a comparison as the value of its file."""
    day = today or datetime.now(UTC)
    return {
        "kind": "peers",
        "date": day.date().isoformat(),
        "machine": {
            "processors": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "load": comparison.load,
        },
        "versions": comparison.versions,
        "processes": 1,
        "seed": SEED,
        "method": method(),
        "speed": None if comparison.speed is None else asdict(comparison.speed),
        "sound": [asdict(each) for each in comparison.sound],
        "pairs": [
            {**asdict(pair), "tried": [asdict(each) for each in by_name(pair.tried)]}
            for pair in comparison.pairs
        ],
    }


def method() -> list[str]:
    """Return the description of the method, from the site's messages."""
    source, _ = read_source(load_source(ROOT))
    names = (f"site.peers_method_{each}" for each in ("servers", "found", "chance", "claimed"))
    return [source.messages[name].in_language("en") for name in names]


def by_name(tried: Sequence[Tried]) -> list[Tried]:
    """Sort the faults by name, so that a diff of two comparisons shows only real differences."""
    return sorted(tried, key=lambda each: each.fault)


def save(comparison: Comparison, file: Path = FILE) -> None:
    """Write the file; a reader never sees a part of it."""
    _write(written(comparison), file)


def renew_speed(speed: Speed, load: float, file: Path = FILE) -> None:
    """Write a speed that was measured later than the rest, with its date and load."""
    held = json.loads(file.read_text("utf-8"))
    today = datetime.now(UTC).date().isoformat()
    _write({**held, "speed": {**asdict(speed), "date": today, "load": load}}, file)


def _write(held: dict[str, Any], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    text = json.dumps(held, indent=1, ensure_ascii=False)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(file)
