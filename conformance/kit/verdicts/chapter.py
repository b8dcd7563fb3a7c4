"""Finds the clause tests and scripts of a chapter, named by its package: the kit imports none."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from dataclasses import dataclass
from importlib import resources

from conformance.kit.evidence.script import Script
from conformance.kit.verdicts.checks import ClauseTest, clause_tests
from conformance.spec.clauses import Clause, clauses


@dataclass(frozen=True, slots=True)
class Chapter:
    """What a chapter judges by, and the scripts that it has played."""

    tests: tuple[tuple[ClauseTest, Clause], ...]
    scripts: tuple[Script, ...]


def packages() -> tuple[str, ...]:
    """The names of all chapters: the packages beside the kit that have clause tests."""
    house = resources.files("conformance")
    beside = (each for each in house.iterdir() if each.is_dir())
    return tuple(
        sorted(
            f"conformance.{each.name}"
            for each in beside
            if any(file.name.startswith("test_") for file in each.iterdir())
        )
    )


def scripts_of(package: str) -> tuple[Script, ...]:
    """The scripts in the `scripts` module of a package; none if it has no such module."""
    name = f"{package}.scripts"
    if importlib.util.find_spec(name) is None:
        return ()
    members = vars(importlib.import_module(name)).values()
    found = [getattr(one, "__script__", None) for one in members]
    return tuple(one for one in found if isinstance(one, Script))


def load(package: str) -> Chapter:
    """A whole chapter. Raises KeyError for a test of a clause that does not exist."""
    path = importlib.import_module(package).__path__
    tests: list[tuple[ClauseTest, Clause]] = []
    for module in pkgutil.iter_modules(path):
        if not module.name.startswith("test_"):
            continue
        members = vars(importlib.import_module(f"{package}.{module.name}"))
        for name, one in members.items():
            if name.startswith("test_"):
                tests += [(test, clauses()[test.clause]) for test in clause_tests(one)]
    return Chapter(tuple(tests), scripts_of(package))
