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

from scripts.peers.install import ROOT
from scripts.peers.sample import SEED

FILE: Final = ROOT / "fixtures" / "benchmarks" / "peers.json"
METHOD: Final = (
    "Each kit runs through its own command line, with the settings that it recommends, against the "
    "same servers on this machine: the reference, and the reference with one planted fault.",
    "A fault is found where a run on the faulty server names something broken that none of the "
    "kit's runs on the sound server named: an operation, check, status and parameter for "
    "Schemathesis, a scenario and check for the official kit, a clause for this kit. This kit's "
    "count is stricter: each clause that the fault was planted for has to accuse it.",
    "Schemathesis is given an OpenAPI document with every operation, schema, header, example and "
    "link of the server, and runs all its phases and checks; the official kit is given the tools, "
    "resources and prompts that it asks a server to hold, and runs all that two versions of MCP "
    "require.",
    "On a faulty server every kit but the official one, which cannot be told, looks at the tools "
    "that the fault touches, and at everything that is read. Requests are counted by the server.",
    "A fault is claimed by a peer where its documentation names a check for that kind of rule; the "
    "others are no reproach to it.",
)
"""How it was measured."""


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
    """One peer beside this kit. `visible` and `claimed` count all faults, `tried` is the sample."""

    peer: str
    server: str
    visible: int
    claimed: int
    tried: list[Tried] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sound:
    """A whole run of one kit on a sound server: whatever it says of it is a false alarm.

    `kind` says which server: `reference`, `furnished` (with what the official kit asks for), or
    `wardrobe` (a plain REST service).
    """

    kit: str
    server: str
    alarms: int
    requests: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Speed:
    """Requests a second of this kit's drive phase and of Schemathesis' coverage phase, by turn."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]


@dataclass(slots=True)
class Comparison:
    """All of it."""

    versions: dict[str, str]
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
        },
        "versions": comparison.versions,
        "seed": SEED,
        "method": list(METHOD),
        "speed": None if comparison.speed is None else asdict(comparison.speed),
        "sound": [asdict(each) for each in comparison.sound],
        "pairs": [
            {**asdict(pair), "tried": [asdict(each) for each in by_name(pair.tried)]}
            for pair in comparison.pairs
        ],
    }


def by_name(tried: Sequence[Tried]) -> list[Tried]:
    """Sort what was tried, so that two comparisons differ where they say different things."""
    return sorted(tried, key=lambda each: each.fault)


def save(comparison: Comparison, file: Path = FILE) -> None:
    """Write the file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    text = json.dumps(written(comparison), indent=1, ensure_ascii=False)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(file)
