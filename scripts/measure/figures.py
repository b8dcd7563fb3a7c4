"""The measurements of the kit's speed benchmark, with their goals and their file."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from scripts.generator.build import load_source, read_source
from scripts.generator.texts import Text

ROOT: Final = Path(__file__).resolve().parents[2]
KEPT: Final = ROOT / "fixtures" / "benchmarks" / "speed.json"
BARE: Final = "bare"
"""The figure for the speed of the machine."""
BARE_OF_THE_GOALS: Final = 1750
"""This figure on the machine for which the goals were set, in requests a second."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A limit for a figure: the most, or with `least` the least that it may be.

    With `hangs_on_machine`, a faster machine has a better figure.
    """

    value: float
    least: bool = False
    hangs_on_machine: bool = False

    def met_by(self, value: float) -> bool:
        """Return whether a figure meets the goal."""
        return value >= self.value if self.least else value <= self.value

    @property
    def words(self) -> str:
        """The goal as a formula, such as "≥ 0.7"."""
        return f"{self.sign} {self.value:,g}"

    @property
    def sign(self) -> str:
        """The sign for at least, or for at most."""
        return "≥" if self.least else "≤"


GOALS: Final[Mapping[str, Goal]] = {
    "ratio": Goal(0.7, least=True),
    "cases": Goal(5000, least=True, hangs_on_machine=True),
    "help": Goal(1, hangs_on_machine=True),
    "first": Goal(3, hangs_on_machine=True),
    "whole": Goal(20, hangs_on_machine=True),
    "memory": Goal(400),
    "small_starts": Goal(8),
    "small_own": Goal(4, hangs_on_machine=True),
    "small_clock": Goal(1),
    "gateway": Goal(60),
    "gateway_in_turn": Goal(0.5),
    "report_opens": Goal(1000, hangs_on_machine=True),
    "report_row": Goal(100, hangs_on_machine=True),
    "tools_memory": Goal(400),
    "linear": Goal(1.2),
}
"""The goals, by the name of the figure."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement: the values of its turns.

    The site's message `site.speed_NAME` describes it, with its unit; `open` has the values of the
    message's placeholders.
    """

    name: str
    turns: tuple[float, ...]
    open: Mapping[str, int] = field(default_factory=dict)

    @property
    def middle(self) -> float:
        """The median of the turns."""
        return statistics.median(self.turns)

    @property
    def goal(self) -> Goal | None:
        """The goal; None if the figure only explains others."""
        return GOALS.get(self.name)


def unmeasured(figures: Sequence[Figure]) -> list[str]:
    """Return the names of the figures that have a goal and were not measured."""
    return sorted(GOALS.keys() - {each.name for each in figures})


def save(figures: Sequence[Figure], versions: Mapping[str, str], file: Path = KEPT) -> None:
    """Write the figures to a file."""
    held: dict[str, Any] = {
        "kind": "speed",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": dict(versions),
        "figures": [
            {
                "name": each.name,
                "open": dict(each.open),
                "turns": sorted(round(value, 3) for value in each.turns),
            }
            for each in figures
        ],
    }
    write_whole(file, held)


def machine() -> dict[str, Any]:
    """Return the machine of a benchmark, with its load average over 15 minutes."""
    return {
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[2], 1),
    }


def write_whole(file: Path, held: Mapping[str, Any]) -> None:
    """Write a value as JSON; a reader never sees a part of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
    part.replace(file)


def told(figure: Figure) -> str:
    """Return a line for the terminal: description, least, median and highest turn, goal."""
    what = _messages()[f"site.speed_{figure.name}"].in_language("en").format(**figure.open)
    low, high = min(figure.turns), max(figure.turns)
    goal = figure.goal.words if figure.goal else "-"
    return f"{what:<58}{low:>10,.2f}{figure.middle:>10,.2f}{high:>10,.2f}  goal {goal}"


@cache
def _messages() -> Mapping[str, Text]:
    return read_source(load_source(ROOT))[0].messages


def read(held: Mapping[str, Any]) -> list[Figure]:
    """Return the figures from a file's value."""
    return [Figure(each["name"], tuple(each["turns"]), each["open"]) for each in held["figures"]]


def slower(figures: Sequence[Figure]) -> float | None:
    """Return how many times slower this machine is than that of the goals, or None."""
    bare = next((each.middle for each in figures if each.name == BARE), None)
    return BARE_OF_THE_GOALS / bare if bare else None
