"""The command line of the generator."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from scripts.generator.build import outputs, read_source
from scripts.generator.problems import Problem, SourceError
from scripts.generator.write import left_over, stale, write

ROOT = Path(__file__).resolve().parents[2]
OK, BROKEN, USAGE = 0, 1, 4


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str]) -> int:
    """Run the generator; gives 0 if all is well, 1 if something is broken or stale, 4 for bad usage."""
    parser = _Parser(prog="generate", description="Make everything that is made of the source.")
    parser.add_argument("--check", action="store_true", help="write nothing, name what is stale")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to work on")
    options = parser.parse_args(arguments)
    if not (options.root / "schema" / "source").is_dir():
        parser.error(f"{options.root} has no schema/source")
    try:
        source, problems = read_source(options.root)
    except SourceError as error:
        return _say(error.problems)
    if problems:
        return _say(problems)
    made = outputs(source)
    if options.check:
        return _say(stale(options.root, made))
    for name in write(options.root, made, leftovers=left_over(options.root, made)):
        print(name)
    return OK


def _say(problems: Sequence[Problem]) -> int:
    for problem in sorted(set(problems)):
        print(problem, file=sys.stderr)
    return BROKEN if problems else OK
