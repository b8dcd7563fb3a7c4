"""Measures whether the tests would notice faults in the code that generates and checks cases.

    python -m scripts.mutants [--module PATH]... [--share TENTHS] [--keep FILE]

Mutmut makes small changes in a copy of the project (`build/mutation`), one at a time, and runs the
tests that reach the changed function. `[tool.mutmut]` in pyproject.toml names the modules and
tests. A change that no test notices survives: the tests have a gap, or the change has no effect.
The score of a module is the share that was noticed (`make mutants` saves it with the benchmarks).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ROOT: Final = Path(__file__).resolve().parents[1]
COPY: Final = ROOT / "build" / "mutation"
KEPT: Final = ROOT / "fixtures" / "benchmarks" / "mutation.json"
GOAL: Final = 85
_COPIED: Final = ("conformance", "fixtures", "schema", "scripts", "tests")
_DIGITS: Final = "1470258369"
"""Last digits of the numbers of mutants, in the order in which `--share` adds them."""
_SAID: Final = {
    **dict.fromkeys((1, 3), "killed"),
    **dict.fromkeys((24, -24, 36, 152, 255), "timeout"),
    **dict.fromkeys((5, 33), "untested"),
    0: "survived",
}
"""The meanings of mutmut's exit codes for mutants."""
_NOTICED: Final = ("killed", "timeout")


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return 0 if every module's score reaches the goal, else 1."""
    parser = argparse.ArgumentParser(prog="mutants", description="Would the tests notice?")
    parser.add_argument("--module", action="append", metavar="PATH", help="only this one")
    parser.add_argument(
        "--share",
        type=int,
        default=10,
        choices=range(1, 11),
        metavar="TENTHS",
        help="how many tenths of the mutants (default 10: all)",
    )
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FILE")
    asked = parser.parse_args(arguments)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    modules = asked.module or settings["only_mutate"]
    unknown = [path for path in modules if path not in settings["only_mutate"]]
    if unknown:
        sys.stderr.write(f"{unknown[0]} is not named in [tool.mutmut] of pyproject.toml.\n")
        return 2
    _copy(modules)
    _run(patterns(modules, asked.share))
    codes = {path: _codes(path) for path in modules}
    keep(asked.keep, codes, asked.share)
    found = {path: counted(each) for path, each in codes.items()}
    for path, counts in found.items():
        tried = f"{sum(counts.values())} of {len(codes[path])}"
        sys.stdout.write(f"{path:42} {score(counts):5.1f} % of {tried:12} {dict(counts)}\n")
    for path in modules:
        sys.stdout.writelines(f"  {name}\n" for name in _unnoticed(codes[path]))
    sys.stdout.write(f"See one: cd {COPY.relative_to(ROOT)} && mutmut show NAME\n")
    return 0 if all(score(counts) >= GOAL for counts in found.values()) else 1


def patterns(modules: Iterable[str], share: int) -> list[str]:
    """Return shell patterns for the names of the mutants to check."""
    digits = _DIGITS[:share]
    dotted = (path.removesuffix(".py").replace("/", ".") for path in modules)
    return [f"{name}.x*__mutmut_*[{digits}]" for name in dotted]


def counted(codes: Mapping[str, int | None]) -> Counter[str]:
    """Count the mutants that were killed, survived and so on, without unchecked ones."""
    return Counter(_SAID.get(code, "odd") for code in codes.values() if code is not None)


def score(counts: Mapping[str, int]) -> float:
    """Return the percentage of mutants that the tests noticed; 100 if there are none."""
    noticed, checked = sum(counts.get(each, 0) for each in _NOTICED), sum(counts.values())
    return 100 * noticed / checked if checked else 100.0


def keep(file: Path, codes: Mapping[str, Mapping[str, int | None]], share: int) -> None:
    """Write the figures of these modules from the exit codes; the figures of others stay."""
    held: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    made = {
        "date": datetime.now(UTC).date().isoformat(),
        "mutmut": version("mutmut"),
        "python": platform.python_version(),
        "tenths": share,
    }
    found = {path: counted(each) for path, each in codes.items()}
    modules = held.get("modules", {}) | {
        path: {
            **made,
            "mutants": len(codes[path]),
            "checked": sum(counts.values()),
            "noticed": sum(counts.get(each, 0) for each in _NOTICED),
            **counts,
        }
        for path, counts in found.items()
    }
    held = {**held, "kind": "mutants", "goal": GOAL, "modules": dict(sorted(modules.items()))}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(held, indent=2) + "\n", encoding="utf-8")


def only(settings: str, modules: Sequence[str]) -> str:
    """Return the text of pyproject.toml with only these modules to mutate.

    Other modules stay fast: every call of a mutated function goes through a switch.
    """
    listed = "".join(f'    "{path}",\n' for path in modules)
    return re.sub(
        r"^only_mutate = \[\n.*?^\]", f"only_mutate = [\n{listed}]", settings, flags=re.M | re.S
    )


def _copy(modules: Sequence[str]) -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for name in _COPIED:
        leave = shutil.ignore_patterns("node_modules", "__pycache__", ".venv")
        shutil.copytree(ROOT / name, COPY / name, ignore=leave)
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    (COPY / "pyproject.toml").write_text(only(settings, modules), encoding="utf-8")


def _run(names: Sequence[str]) -> None:
    """Run one mutant at a time, with a low priority."""
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", "1", *names]
    os.nice(10)
    subprocess.run(command, cwd=COPY, check=False, stdout=subprocess.DEVNULL)


def _codes(path: str) -> dict[str, int | None]:
    """Return the exit code of each mutant of a module; None if it was not checked."""
    meta = COPY / "mutants" / f"{path}.meta"
    codes: dict[str, int | None] = json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
    return codes


def _unnoticed(codes: Mapping[str, int | None]) -> list[str]:
    said = {name: _SAID.get(code, "odd") for name, code in codes.items() if code is not None}
    return [name for name, what in said.items() if what not in _NOTICED]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
