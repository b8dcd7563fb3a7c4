"""What no single file of the source can see."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
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


def dangling(schemas: Mapping[str, Json], sources: Iterable[Schema]) -> list[Problem]:
    """Find each `$ref` that leads nowhere.

    `schemas` holds each generated schema by the path of its file.
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
    """Find each property without a description.

    One that is a `$ref` is described where it leads. A property that is named again, in a branch,
    has its description where the same object names it first; in `if` and `not` it needs none.
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
    """Find each document whose root no clause owns: what breaks there would break no clause."""
    owned = {(clause.spec, clause.document) for clause in clauses if "" in clause.at}
    return [
        schema.source.problem((), "No clause owns the document itself.", "Add `x-clauses` here.")
        for schema in schemas
        if (schema.spec, schema.name) not in owned
    ]


def lost_documents(schemas: Iterable[Schema], clauses: Iterable[Clause]) -> list[Problem]:
    """Find each clause about a document that its specification has not."""
    known = {(schema.spec, schema.name) for schema in schemas}
    return [
        Problem(
            clause.home.file,
            clause.home.line,
            clause.home.path,
            f"{clause.spec} has no document `{clause.document}`.",
            "Name one, or leave `document` out.",
        )
        for clause in clauses
        if clause.document is not None and (clause.spec, clause.document) not in known
    ]


def lost_examples(schemas: Iterable[Schema], examples: Iterable[Example]) -> list[Problem]:
    """Find each example of a document that its specification has not."""
    known = {(schema.spec, schema.name) for schema in schemas}
    return [
        example.source.problem(
            ("document",), f"{example.spec} has no document `{example.document}`.", "Name one."
        )
        for example in examples
        if (example.spec, example.document) not in known
    ]


def lost_aliases(project: Project, schemas: Iterable[Schema]) -> list[Problem]:
    """Find each alias of a document that its specification has not."""
    listed = list(schemas)
    specs = {schema.spec for schema in listed}
    known = {f"{schema.spec}/{schema.name}" for schema in listed}
    return [
        Problem(PROJECT, 0, f"/aliases/{alias}", f"There is no document `{target}`.", "Name one.")
        for alias, target in project.aliases.items()
        if target.partition("/")[0] in specs and target not in known
    ]


def tested_clauses(root: Path) -> tuple[dict[str, list[str]], list[Problem]]:
    """Give each clause id that a test of the kit names in `@clause(…)`, with the places.

    A test file that is not Python names nothing, and is a problem.
    """
    found: dict[str, list[str]] = {}
    problems = []
    for file in sorted((root / "conformance").rglob("test_*.py")):
        try:
            tree = ast.parse(file.read_bytes())
        except SyntaxError as error:
            name = file.relative_to(root).as_posix()
            what = f"The file is not Python: {error.msg}."
            problems.append(Problem(name, error.lineno or 0, "", what, "Mend the syntax."))
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            for decorator in node.decorator_list:
                for name in _named(decorator):
                    place = f"{file.relative_to(root).as_posix()}:{decorator.lineno}"
                    found.setdefault(name, []).append(place)
    return found, problems


def _named(decorator: ast.expr) -> list[str]:
    if not isinstance(decorator, ast.Call):
        return []
    function = decorator.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
    if name != "clause":
        return []
    return [
        argument.value
        for argument in decorator.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def unproven(
    clauses: Iterable[Clause], examples: Iterable[Example], tested: Mapping[str, list[str]]
) -> list[Problem]:
    """Find each clause that nothing judges, and each test of a clause that does not exist.

    A clause is judged by a test of the kit, shown by an invalid example, or excluded with a reason.
    """
    listed = list(clauses)
    shown = {example.breaks for example in examples} | tested.keys()
    problems = [
        Problem(
            clause.home.file,
            clause.home.line,
            clause.home.path,
            f"Nothing shows that {clause.id} is judged.",
            "Add an invalid example, a test in the kit, or `excluded` with the reason.",
        )
        for clause in listed
        if clause.excluded is None and clause.id not in shown
    ]
    known = {clause.id for clause in listed}
    for name in sorted(tested.keys() - known):
        for place in tested[name]:
            file, _, line = place.rpartition(":")
            what = f"The test names {name}, which is no clause."
            problems.append(Problem(file, int(line), "", what, "Name one of the source."))
    return problems
