"""The checks that need more than one file of the source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from referencing import Registry, Resource
from referencing.exceptions import Unresolvable

from scripts.generator.clauses import Clause
from scripts.generator.examples import Example
from scripts.generator.keywords import IN_PLACE, children, positions
from scripts.generator.load import Json, Path_
from scripts.generator.problems import Problem
from scripts.generator.project import PROJECT, Project
from scripts.generator.schemas import Schema
from scripts.generator.vocabularies import member


def dangling(schemas: Mapping[str, Json], sources: Iterable[Schema]) -> list[Problem]:
    """Return a problem for each `$ref` without a target.

    `schemas` has each generated schema by the path of its file.
    """
    registry: Registry[Json] = Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in schemas.values()
    )
    problems = []
    for schema in sources:
        made = schemas[schema.file]
        resolver = registry.resolver(made["$id"])
        for path, node in positions(made):
            if isinstance(node, dict) and "$ref" in node:
                try:
                    resolver.lookup(node["$ref"])
                except Unresolvable:
                    what = f"`{node['$ref']}` leads nowhere."
                    do = "Name a schema of the source, and a place that it has."
                    problems.append(schema.source.problem((*path, "$ref"), what, do))
    return problems


def undescribed(schemas: Iterable[Schema]) -> list[Problem]:
    """Return a problem for each property without a description.

    A `$ref` has its description at its target. A property that a branch repeats has its description
    where the same object first declares it. In `if` and `not` a property needs none.
    """
    problems = []
    for schema in schemas:
        for path in _undescribed(schema.source.data, (), frozenset()):
            what = f"The property `{path[-1]}` has no description."
            do = "Add `description` in three languages."
            problems.append(schema.source.problem(path, what, do))
        if "description" not in schema.source.data:
            what = "The document has no description."
            problems.append(schema.source.problem((), what, "Add it in three languages."))
    return problems


_DESCRIBED = {"description", "$ref"}


def _undescribed(node: Json, path: Path_, known: frozenset[str]) -> Iterable[Path_]:
    if not isinstance(node, dict):
        return
    own = node.get("properties") or {}
    for name, child in own.items():
        if name not in known and not (isinstance(child, dict) and child.keys() & _DESCRIBED):
            yield (*path, "properties", name)
    for steps, child in children(node):
        if steps[0] in ("if", "not"):
            continue
        same = steps[0] in IN_PLACE
        yield from _undescribed(
            child, (*path, *steps), (known | own.keys()) if same else frozenset()
        )


def unowned(schemas: Iterable[Schema], clauses: Iterable[Clause]) -> list[Problem]:
    """Return a problem for each document whose root no clause owns: a fault there has no clause."""
    owned = {(clause.spec, clause.document) for clause in clauses if "" in clause.at}
    return [
        schema.source.problem((), "No clause owns the document itself.", "Add `x-clauses` here.")
        for schema in schemas
        if (schema.spec, schema.name) not in owned
    ]


def lost_documents(schemas: Iterable[Schema], clauses: Iterable[Clause]) -> list[Problem]:
    """Return a problem for each clause about a document that its specification lacks."""
    known = {(schema.spec, schema.name) for schema in schemas}
    return [
        clause.problem(
            f"{clause.spec} has no document `{clause.document}`.",
            "Name one, or leave `document` out.",
        )
        for clause in clauses
        if clause.document is not None and (clause.spec, clause.document) not in known
    ]


def lost_examples(schemas: Iterable[Schema], examples: Iterable[Example]) -> list[Problem]:
    """Return a problem for each example of a document that its specification lacks."""
    known = {(schema.spec, schema.name) for schema in schemas}
    return [
        example.source.problem(
            ("document",), f"{example.spec} has no document `{example.document}`.", "Name one."
        )
        for example in examples
        if (example.spec, example.document) not in known
    ]


def lost_aliases(project: Project, schemas: Iterable[Schema]) -> list[Problem]:
    """Return a problem for each alias of a document that its specification lacks."""
    listed = list(schemas)
    specs = {schema.spec for schema in listed}
    known = {f"{schema.spec}/{schema.name}" for schema in listed}
    return [
        Problem(PROJECT, 0, f"/aliases/{alias}", f"There is no document `{target}`.", "Name one.")
        for alias, target in project.aliases.items()
        if target.partition("/")[0] in specs and target not in known
    ]


@dataclass(frozen=True, slots=True)
class Tested:
    """The names that the judges of the chapters use, each with its places: `file:line`.

    `clauses` are the ids in `@clause(…)`, `families` the words in `@family(…)`.
    """

    clauses: Mapping[str, list[str]]
    families: Mapping[str, list[str]]


def tested(root: Path) -> tuple[Tested, list[Problem]]:
    """Return the names in the chapters' test files; a file that is not Python is a problem."""
    found: dict[str, dict[str, list[str]]] = {"clause": {}, "family": {}}
    problems = []
    for file in sorted((root / "conformance").rglob("test_*.py")):
        try:
            tree = ast.parse(file.read_bytes())
        except SyntaxError as error:
            name = file.relative_to(root).as_posix()
            what = f"The file is not Python: {error.msg}."
            problems.append(Problem(name, error.lineno or 0, "", what, "Fix the syntax."))
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            for decorator in node.decorator_list:
                for kind, name in _named(decorator):
                    place = f"{file.relative_to(root).as_posix()}:{decorator.lineno}"
                    found[kind].setdefault(name, []).append(place)
    return Tested(found["clause"], found["family"]), problems


def _named(decorator: ast.expr) -> Iterable[tuple[str, str]]:
    """Yield the names in a decorator: `@clause("A-1")` or `@family(Family.TOOL)`."""
    if not isinstance(decorator, ast.Call):
        return
    function = decorator.func
    kind = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
    for argument in decorator.args:
        if kind == "clause" and isinstance(argument, ast.Constant):
            yield "clause", str(argument.value)
        elif kind == "family" and isinstance(argument, ast.Attribute):
            yield "family", argument.attr


def unproven(
    clauses: Iterable[Clause], examples: Iterable[Example], tested: Tested
) -> list[Problem]:
    """Return a problem for each clause without evidence, and for each test of an unknown clause.

    The evidence is a test of the kit, for the clause or its family, or an invalid example. A clause
    that is excluded with a reason needs none.
    """
    listed = list(clauses)
    shown = {example.breaks for example in examples} | tested.clauses.keys()
    shown |= {each.id for each in listed if each.family and member(each.family) in tested.families}
    problems = [
        clause.problem(
            f"Nothing shows that {clause.id} is checked.",
            "Add an invalid example, a test in the kit, or `excluded` with the reason.",
        )
        for clause in listed
        if clause.excluded is None and clause.id not in shown
    ]
    known = {clause.id for clause in listed}
    for name in sorted(tested.clauses.keys() - known):
        what = f"The test names {name}, which is no clause."
        problems += _at(tested.clauses[name], what, "Name one of the source.")
    return problems


def misdeclared(clauses: Iterable[Clause], tested: Tested) -> list[Problem]:
    """Return a problem for each family without exactly one judge.

    A declared clause with a separate test is a problem too.
    """
    problems: list[Problem] = []
    declared: dict[str, list[Clause]] = {}
    for clause in clauses:
        if clause.family is not None:
            declared.setdefault(member(clause.family), []).append(clause)
            what = f"{clause.id} is declared: the check of its family covers it."
            do = "Remove this test, or `family` from the clause."
            problems += _at(tested.clauses.get(clause.id, ()), what, do)
    for name in sorted(declared.keys() - tested.families.keys()):
        for clause in declared[name]:
            what = f"No chapter checks the family `{clause.family}` of {clause.id}."
            problems.append(clause.problem(what, "Write its check, with `@family(…)`."))
    for name, places in tested.families.items():
        if name not in declared:
            problems += _at(places, f"No clause is of the family {name}.", "Remove its check.")
        what = f"The family {name} has a check at {places[0]} too."
        problems += _at(places[1:], what, "Keep one.")
    return problems


def _at(places: Iterable[str], what: str, do: str) -> Iterable[Problem]:
    for place in places:
        file, _, line = place.rpartition(":")
        yield Problem(file, int(line), "", what, do)
