"""What a comparison found, as the file that the project keeps of it."""

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
    """One fault, and whether each of the two kits found it; `by` is what the peer said, if so."""

    fault: str
    claimed: bool
    ours: bool
    theirs: bool
    by: tuple[str, ...] = ()


@dataclass(slots=True)
class Pair:
    """One peer compared with this kit. `visible` and `claimed` count all faults, `tried` is the
    sample.
    """

    peer: str
    server: str
    visible: int
    claimed: int
    tried: list[Tried] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sound:
    """A whole run of one kit on a sound server: whatever it says of it is a false alarm.

    `server` says which: `reference`, `furnished` (with what the official kit asks for), or
    `wardrobe` (a plain REST service). `lacking` counts what a kit says of a server that was not
    made to have what the kit asks for.
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
    """Requests a second of this kit's drive phase and of Schemathesis' coverage phase, by turn."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]


@dataclass(slots=True)
class Comparison:
    """All of it."""

    versions: dict[str, str]
    load: float = 0.0
    """How many processes wanted a processor while the speed was measured, on the average."""
    sound: list[Sound] = field(default_factory=list)
    speed: Speed | None = None
    pairs: list[Pair] = field(default_factory=list)


def written(comparison: Comparison, today: datetime | None = None) -> dict[str, Any]:
    """Write a comparison as the value of its file."""
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
    """Say how it is measured, in the words that the site has for it."""
    source, _ = read_source(load_source(ROOT))
    names = (f"site.peers_method_{each}" for each in ("servers", "found", "chance", "claimed"))
    return [source.messages[name].in_language("en") for name in names]


def by_name(tried: Sequence[Tried]) -> list[Tried]:
    """Sort what was tried, so that two comparisons differ where they say different things."""
    return sorted(tried, key=lambda each: each.fault)


def save(comparison: Comparison, file: Path = FILE) -> None:
    """Write the file, whole or not at all."""
    _write(written(comparison), file)


def renew_speed(speed: Speed, load: float, file: Path = FILE) -> None:
    """Write a speed that was measured later than the rest, with its own day and load."""
    held = json.loads(file.read_text("utf-8"))
    today = datetime.now(UTC).date().isoformat()
    _write({**held, "speed": {**asdict(speed), "date": today, "load": load}}, file)


def _write(held: dict[str, Any], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    text = json.dumps(held, indent=1, ensure_ascii=False)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(file)
