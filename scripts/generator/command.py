"""The command line of the generator."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from scripts.generator import locks, policies
from scripts.generator.build import Source, load_source, outputs, read_source
from scripts.generator.problems import Problem, SourceError
from scripts.generator.reasons import unreasoned
from scripts.generator.texts import confused, untranslated
from scripts.generator.trial import try_out
from scripts.generator.write import left_over, stale, write

ROOT = Path(__file__).resolve().parents[2]
OK, BROKEN, USAGE = 0, 1, 4


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str]) -> int:
    """Run the generator.

    Returns 0 for success, and 1 if something is broken or stale; exits with 4 for bad usage.
    Problems go to standard error, the names of written files to standard output.
    """
    options = _options(arguments)
    root: Path = options.root.resolve()
    try:
        source, problems = read_source(load_source(root))
    except SourceError as error:
        return _say(error.problems)
    if problems:
        return _say(problems)
    made = outputs(source)
    accept = options.accept_translations
    try:
        frozen = locks.released(root, made)
        texts, late = locks.translations(root, source.texts, accept=accept)
        ids, reused = locks.ids(root, source.clauses, retire=options.retire)
    except SourceError as error:
        return _say(error.problems)
    if frozen:
        return _say(frozen)
    problems = _broken(root, source, made)
    problems += late + reused
    made |= {locks.TRANSLATIONS: texts, locks.IDS: ids}
    if options.check:
        tested, unread = policies.tested(root)
        problems += unread + stale(root, made)
        problems += policies.unproven(source.clauses, source.examples, tested)
        problems += policies.misdeclared(source.clauses, tested) + unreasoned(source.clauses)
        return _say(problems)
    if options.release and not problems:
        made[locks.RELEASED] = locks.release(root, made)
    for name in write(root, made, leftovers=left_over(root, made)):
        print(name)
    return _say(problems)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog="generate", description="Make everything that is made of the source.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="write nothing; say what is stale")
    mode.add_argument(
        "--accept-translations",
        action="store_true",
        help="take every translation for one of the English text as it is now",
    )
    mode.add_argument(
        "--release", action="store_true", help="freeze the schemas and clauses as they are made"
    )
    parser.add_argument(
        "--retire", action="append", default=[], metavar="ID", help="give up a clause id for good"
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to work on")
    options = parser.parse_args(arguments)
    if not (options.root / "schema" / "source").is_dir():
        parser.error(f"{options.root} has no schema/source")
    if options.check and options.retire:
        parser.error("--check writes nothing, so it cannot --retire an id")
    return options


def _broken(root: Path, source: Source, made: dict[str, bytes]) -> list[Problem]:
    """Apply every policy about the source as a whole; try the examples last."""
    schemas = {schema.file: json.loads(made[schema.file]) for schema in source.schemas}
    problems = [
        *policies.dangling(schemas, source.schemas),
        *policies.undescribed(source.schemas),
        *policies.unowned(source.schemas, source.clauses),
        *policies.lost_documents(source.schemas, source.clauses),
        *policies.lost_examples(source.schemas, source.examples),
        *policies.lost_aliases(source.project, source.schemas),
        *untranslated(source.texts),
        *confused(source.texts),
    ]
    if not problems:
        problems += try_out(root, made, source)
    return problems


def _say(problems: Sequence[Problem]) -> int:
    for problem in sorted(set(problems)):
        print(problem, file=sys.stderr)
    return BROKEN if problems else OK
