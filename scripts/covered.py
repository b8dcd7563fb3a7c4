"""Measures which lines and branches of the kit and of the formats the tests reach.

    python -m scripts.covered [--add] [--keep FILE] [-- ARGUMENT…]

It runs the tests under coverage.py (`[tool.coverage]` in pyproject.toml), with the sessions of the
kit that run in separate processes, and saves the figures with the benchmarks. `--add` adds the
results of the named tests to those of an earlier run. Arguments after `--` are pytest's.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ROOT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = ROOT / "fixtures" / "benchmarks" / "coverage.json"
GOAL: Final = 95
AREAS: Final = ("conformance/kit", "conformance/formats")
_ALL: Final = ("tests", "-n", "2", "--dist", "loadfile")
_COUNTS: Final = {
    "branches": "num_branches",
    "branches_reached": "covered_branches",
    "lines": "num_statements",
    "lines_reached": "covered_lines",
}
"""Our names for coverage.py's counts."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return 0 if the tests pass and every area reaches the goal, else 1."""
    parser = argparse.ArgumentParser(prog="covered", description="What do the tests reach?")
    parser.add_argument("--add", action="store_true", help="to what an earlier run reached")
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FILE")
    parser.add_argument("tests", nargs="*", metavar="ARGUMENT", help="of pytest (default: all)")
    asked = parser.parse_args(arguments)
    os.nice(10)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]
    folder = (ROOT / settings["run"]["data_file"]).parent
    folder.mkdir(parents=True, exist_ok=True)
    if not asked.add:
        _coverage("erase")
    passed = _coverage("run", "-m", "pytest", "-q", *(asked.tests or _ALL)) == 0
    _coverage("combine", "--quiet", *(["--append"] if asked.add else []))
    report = folder / "report.json"
    _coverage("json", "--quiet", "-o", str(report))
    areas = counted(json.loads(report.read_text("utf-8"))["files"])
    keep(asked.keep, areas, whole=not asked.tests)
    for area, of in areas.items():
        sys.stdout.write(f"{area:22} {share(of):5.1f} % of {of['branches']} branches\n")
    if not passed:
        sys.stderr.write("Not all tests passed: the figures are those of what they reached.\n")
    sys.stdout.write("See which: coverage report --show-missing\n")
    return 0 if passed and all(share(of) >= GOAL for of in areas.values()) else 1


def counted(files: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Add up coverage.py's figures by area; files outside all areas are omitted."""
    return {area: _sum(files[path]["summary"] for path in files if _within(path, area))
            for area in AREAS}  # fmt: skip


def share(of: Mapping[str, int]) -> float:
    """Return the percentage of branches that were reached; 100 if there are none."""
    return 100 * of["branches_reached"] / of["branches"] if of["branches"] else 100.0


def keep(file: Path, areas: Mapping[str, Mapping[str, int]], *, whole: bool = True) -> None:
    """Write the figures and the versions of the tools; `whole` means that all tests ran."""
    held = {
        "kind": "coverage",
        "goal": GOAL,
        "whole": whole,
        "date": datetime.now(UTC).date().isoformat(),
        "coverage": version("coverage"),
        "python": platform.python_version(),
        "areas": areas,
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(held, indent=2) + "\n", encoding="utf-8")


def _coverage(*arguments: str) -> int:
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _within(path: str, area: str) -> bool:
    return Path(path).is_relative_to(area)


def _sum(summaries: Iterable[Mapping[str, int]]) -> dict[str, int]:
    held = list(summaries)
    sums = {ours: sum(each[theirs] for each in held) for ours, theirs in _COUNTS.items()}
    return {"files": len(held), **sums}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
