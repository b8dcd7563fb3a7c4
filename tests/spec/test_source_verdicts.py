"""Every schema gives the same verdict in three validators, on every fixture and on near misses."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from scripts.generator.keywords import positions
from scripts.generator.run_examples import BAD_VALUES, deaf
from tests.needs import need_packages
from tests.root import ROOT
from tests.thorough import every

AJV = ROOT / "tests" / "ajv"
SCHEMAS = {
    schema["$id"]: schema
    for file in sorted((ROOT / "schema").glob("*/*/*.schema.json"))
    for schema in [json.loads(file.read_text(encoding="utf-8"))]
}
Case = tuple[str, str, Any]
"""What it is called, the `$id` of the schema, and the data."""


def _fixtures() -> list[tuple[Case, bool]]:
    found = []
    for file in sorted((ROOT / "fixtures" / "examples").glob("*/index.json")):
        index = json.loads(file.read_text(encoding="utf-8"))
        for entry in (*index["valid"], *index["invalid"]):
            identifier = next(
                each
                for each in SCHEMAS
                if f"/{index['spec']}/" in each and f"/{entry['document']}.schema.json" in each
            )
            data = json.loads((file.parent / entry["file"]).read_text(encoding="utf-8"))
            by_schema = entry.get("keyword") != entry.get("breaks") or "breaks" not in entry
            valid = "breaks" not in entry or not by_schema
            found.append(((entry["id"], identifier, data), valid))
    return found


FIXTURES = _fixtures()


def _near_misses() -> list[Case]:
    """Put odd values into every place of every valid fixture, one at a time.

    The sample leaves out values rather than places: its step shares no factor with the number
    of values, so that each place gets some, and over the places each value comes.
    """
    return [
        (f"{name} {path} {value!r}", identifier, _put(data, path, value))
        for name, identifier, data, path, value in every(23, list(_oddities()))
    ]


def _oddities() -> Iterator[tuple[str, str, Any, tuple[Any, ...], Any]]:
    odd: list[Any] = [None, True, 0, 1.5, "", " ", "x\n", "a b", "é", [], {}, [None]]
    for (name, identifier, data), valid in FIXTURES:
        for path in list(_paths(data)) if valid else ():
            here = _get(data, path)
            for value in [*odd, f"{here}\n"] if isinstance(here, str) else odd:
                yield name, identifier, data, path, value


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    for key, item in enumerate(value) if isinstance(value, list) else inner:
        yield from _paths(item, (*path, key))


def _get(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = _put(value[path[0]], path[1:], new)
    return changed


def python_verdicts(cases: list[Case]) -> list[bool]:
    registry: Any = Registry().with_resources(
        (identifier, Resource.from_contents(schema)) for identifier, schema in SCHEMAS.items()
    )
    checker = Draft202012Validator.FORMAT_CHECKER
    made = {
        identifier: Draft202012Validator(schema, registry=registry, format_checker=checker)
        for identifier, schema in SCHEMAS.items()
    }
    return [made[identifier].is_valid(data) for _, identifier, data in cases]


def rust_verdicts(cases: list[Case]) -> list[bool]:
    registry = jsonschema_rs.Registry(list(SCHEMAS.items()))
    made = {
        identifier: jsonschema_rs.Draft202012Validator(
            schema, registry=registry, validate_formats=True
        )
        for identifier, schema in SCHEMAS.items()
    }
    return [made[identifier].is_valid(data) for _, identifier, data in cases]


def ajv(cases: list[Case], formats: list[tuple[str, str]]) -> dict[str, list[bool]]:
    need_packages(AJV)
    asked = {
        "schemas": list(SCHEMAS.values()),
        "cases": [{"schema": identifier, "data": data} for _, identifier, data in cases],
        "formats": formats,
    }
    done = subprocess.run(
        ["node", "run.js"],
        cwd=AJV,
        input=json.dumps(asked),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, list[bool]] = json.loads(done.stdout)
    return said


@cache
def _all_cases() -> tuple[list[Case], list[bool]]:
    cases = [case for case, _ in FIXTURES] + _near_misses()
    return cases, python_verdicts(cases)


def _differing(others: list[bool]) -> list[str]:
    cases, verdicts = _all_cases()
    return [
        case[0] for case, one, other in zip(cases, verdicts, others, strict=True) if one != other
    ]


def _formats_in_use() -> set[str]:
    return {
        node["format"]
        for schema in SCHEMAS.values()
        for _, node in positions(schema)
        if isinstance(node, dict) and "format" in node
    }


def test_there_are_fixtures_that_pass_and_that_fail():
    assert {valid for _, valid in FIXTURES} == {True, False}


def test_each_fixture_has_the_verdict_of_its_index():
    verdicts = python_verdicts([case for case, _ in FIXTURES])
    wrong = [
        case[0] for (case, valid), said in zip(FIXTURES, verdicts, strict=True) if valid != said
    ]
    assert wrong == []


@pytest.mark.slow
def test_rust_gives_the_same_verdict():
    assert _differing(rust_verdicts(_all_cases()[0])) == []


@pytest.mark.slow
@pytest.mark.needs
def test_ajv_gives_the_same_verdict():
    assert _differing(ajv(_all_cases()[0], [])["valid"]) == []


def test_each_format_in_use_has_a_bad_value():
    assert _formats_in_use() <= BAD_VALUES.keys()


def test_each_format_refuses_its_bad_value_in_python():
    assert deaf() == []


def test_each_format_refuses_its_bad_value_in_rust():
    for name, value in BAD_VALUES.items():
        schema = {"type": "string", "format": name}
        judge = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        assert not judge.is_valid(value), name


@pytest.mark.needs
def test_each_format_refuses_its_bad_value_in_ajv():
    formats = list(BAD_VALUES.items())
    assert ajv([], formats)["refused"] == [True] * len(formats)
