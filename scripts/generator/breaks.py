"""What is wrong with a document by its generated schema: where, by which keyword, by which clause.

A place of a schema belongs to the clause that stands there, or else at the nearest place around it.
A missing property belongs to the clause of that property. Branches (`allOf`, `then`, `else`) are
about the same value as the schema around them, and so are no places of their own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urljoin

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from scripts.generator.keywords import IN_PLACE, LISTS, MAPS
from scripts.generator.patch import steps

Json = Any

BAD_VALUES: Mapping[str, str] = {
    "date": "2024-02-30",
    "date-time": "x",
    "email": "not an address",
    "uri": "no scheme",
    "uri-reference": "a b",
}
"""A value that each format must refuse; a validator without its helpers accepts them all."""


@dataclass(frozen=True, slots=True, order=True)
class Break:
    """One thing wrong with a document; `at` is a JSON path, `clause` the id of the clause."""

    at: str
    keyword: str
    clause: str

    def __str__(self) -> str:
        return f"{self.clause} at {self.at} by `{self.keyword}`"


def deaf() -> list[str]:
    """Give the formats that are in use and refuse nothing here."""
    checker = Draft202012Validator.FORMAT_CHECKER
    return [name for name, value in BAD_VALUES.items() if checker.conforms(value, name)]


class Schemas:
    """The generated schemas and clauses of a tree, read once."""

    def __init__(self, folder: Path) -> None:
        self._by_name: dict[tuple[str, str], Json] = {}
        self._by_id: dict[str, tuple[str, str]] = {}
        self._owners: dict[tuple[str, str], dict[tuple[str, ...], str]] = {}
        for file in sorted(folder.glob("*/*/*.schema.json")):
            name = (file.parts[-3], file.name.removesuffix(".schema.json"))
            self._by_name[name] = json.loads(file.read_text(encoding="utf-8"))
            self._by_id[self._by_name[name]["$id"]] = name
        for file in sorted(folder.glob("*/*/clauses.json")):
            held = json.loads(file.read_text(encoding="utf-8"))
            for clause in held["clauses"]:
                owners = self._owners.setdefault((held["spec"], str(clause["document"])), {})
                if clause["at"] is not None:
                    for at in (clause["at"], *clause.get("also_at", ())):
                        owners[_place(tuple(steps(at)))] = clause["id"]
        self._registry: Registry[Json] = Registry().with_resources(
            (identifier, Resource.from_contents(self._by_name[name]))
            for identifier, name in self._by_id.items()
        )

    def breaks(self, spec: str, document: str, data: Json) -> list[Break]:
        """Give all that is wrong with `data` as a `document` of `spec`, in order of places."""
        name = (spec, document)
        validator = Draft202012Validator(
            self._by_name[name],
            registry=self._registry,
            format_checker=Draft202012Validator.FORMAT_CHECKER,
        )
        return sorted(
            Break(error.json_path, str(error.validator), self._clause(name, error))
            for error in validator.iter_errors(data)
        )

    def _clause(self, name: tuple[str, str], error: ValidationError) -> str:
        """Walk the steps that led to `error`, through every `$ref`, and give the last owner met."""
        way = [str(step) for step in error.absolute_schema_path][:-1]
        if error.validator == "required":
            way += ["properties", _missing(error)]
        here: tuple[str, ...] = ()
        owner = self._owner(name, here)
        for step in way:
            if step == "$ref":
                name, here = self._follow(name, here)
            else:
                here = (*here, step)
            owner = self._owner(name, here) or owner
        return owner

    def _owner(self, name: tuple[str, str], here: tuple[str, ...]) -> str:
        return self._owners.get(name, {}).get(_place(here), "")

    def _follow(
        self, name: tuple[str, str], here: tuple[str, ...]
    ) -> tuple[tuple[str, str], tuple[str, ...]]:
        """Give the schema and the place in it to which the `$ref` at `here` leads."""
        node = self._by_name[name]
        for step in _without_if(here):
            node = node[int(step)] if isinstance(node, list) else node[step]
        target, _, fragment = urljoin(self._by_name[name]["$id"], node["$ref"]).partition("#")
        return self._by_id[target], tuple(steps(fragment))


def _missing(error: ValidationError) -> str:
    """Give the property that a `required` misses; one error is raised for each."""
    required = cast("list[str]", error.validator_value)
    value = cast("dict[str, Json]", error.instance)
    return next(
        name for name in required if name not in value and error.message.startswith(repr(name))
    )


def _without_if(here: tuple[str, ...]) -> tuple[str, ...]:
    """Drop the `if` that the library reports before the `then` or `else` that really failed."""
    return tuple(
        step
        for step, after in zip(here, (*here, "")[1:], strict=True)
        if not (step == "if" and after in ("then", "else"))
    )


def _place(here: tuple[str, ...]) -> tuple[str, ...]:
    """Give the place in a schema that owns `here`: branches are no places of their own."""
    kept: list[str] = []
    rest = list(_without_if(here))
    while rest:
        keyword = rest.pop(0)
        taken = [keyword, *rest[: (keyword in MAPS or keyword in LISTS)]]
        del rest[: len(taken) - 1]
        if keyword not in IN_PLACE:
            kept += taken
    return tuple(kept)
