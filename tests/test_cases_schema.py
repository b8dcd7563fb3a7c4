"""The view on a schema: dialects, references, and what cannot be judged."""

from __future__ import annotations

import pytest

from conformance.kit.cases.problems import ProblemKind, SchemaProblem
from conformance.kit.cases.schema import view_of

BAD = [
    ({"type": "objekt"}, ProblemKind.INVALID_SCHEMA),
    ({"properties": {"a": {"minimum": "1"}}}, ProblemKind.INVALID_SCHEMA),
    ({"$schema": "https://example.com/mine"}, ProblemKind.UNKNOWN_DIALECT),
    ({"$schema": 7}, ProblemKind.UNKNOWN_DIALECT),
    ({"properties": {"a": {"$ref": "https://example.com/x"}}}, ProblemKind.REMOTE_REFERENCE),
    ({"properties": {"a": {"$ref": "x.json"}}}, ProblemKind.REMOTE_REFERENCE),
    ({"properties": {"a": {"$ref": "#/$defs/none"}}}, ProblemKind.BROKEN_REFERENCE),
    ({"patternProperties": {"(a+)+$": {}}}, ProblemKind.UNREADABLE_PATTERN),
    ({"patternProperties": {r"^\p{L}": {}}}, ProblemKind.UNREADABLE_PATTERN),
]


@pytest.mark.parametrize(("schema", "kind"), BAD)
def test_an_unusable_schema_is_named(schema, kind):
    with pytest.raises(SchemaProblem) as problem:
        view_of(schema)
    assert problem.value.kind is kind


def test_a_reference_to_itself_ends():
    with pytest.raises(SchemaProblem) as problem:
        view_of({"$ref": "#"}).accepts({})
    assert problem.value.kind is ProblemKind.TOO_COMPLEX


def test_a_bomb_of_references_ends():
    doubled = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"$defs": {**doubled, "d40": {}}, "properties": {"a": {"$ref": "#/$defs/d0"}}}
    with pytest.raises(SchemaProblem) as problem:
        view_of(schema).accepts({"a": 1})
    assert problem.value.kind is ProblemKind.TOO_COMPLEX


def test_a_schema_nested_too_deep_is_named():
    schema = {}
    for _ in range(5_000):
        schema = {"properties": {"a": schema}}
    with pytest.raises(SchemaProblem) as problem:
        view_of(schema)
    assert problem.value.kind is ProblemKind.TOO_COMPLEX


@pytest.mark.parametrize(
    "dialect",
    [
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
        "http://json-schema.org/schema#",
    ],
)
def test_a_dialect_is_known_however_it_is_written(dialect):
    view = view_of({"$schema": dialect, "properties": {"a": {"type": "integer"}}})
    assert not view.accepts({"a": "x"})


def test_each_dialect_means_its_own_by_items():
    schema = {"properties": {"a": {"items": [{"type": "integer"}]}}}
    old = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    assert not view_of(old).accepts({"a": ["x"]})
    with pytest.raises(SchemaProblem):
        view_of(schema)


@pytest.mark.parametrize(
    ("value", "valid"), [(2, True), (2.0, True), (True, False), (2.5, False), ("2", False)]
)
def test_an_integer_is_a_whole_number_and_nothing_else(value, valid):
    assert view_of({"properties": {"a": {"type": "integer"}}}).accepts({"a": value}) is valid


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_arguments_are_an_object_even_where_the_schema_does_not_say_so(value):
    assert not view_of({}).accepts(value)


def test_an_anchor_and_an_id_inside_the_document_resolve():
    schema = {
        "$defs": {
            "n": {"$anchor": "number", "type": "integer"},
            "m": {"$id": "https://example.com/m", "$defs": {"k": {"const": 1}},
                  "properties": {"k": {"$ref": "#/$defs/k"}}},
        },
        "properties": {"a": {"$ref": "#number"}, "b": {"$ref": "#/$defs/m"}},
    }  # fmt: skip
    view = view_of(schema)
    assert view.accepts({"a": 1, "b": {"k": 1}})
    assert not view.accepts({"a": "x"})
    assert not view.accepts({"b": {"k": 2}})


def test_a_reference_to_the_meta_schema_needs_no_network():
    schema = {"properties": {"s": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}
    assert view_of(schema).accepts({"s": {"type": "string"}})
    assert not view_of(schema).accepts({"s": {"type": "text"}})


def test_a_pattern_that_cannot_be_judged_refuses_nothing():
    view = view_of({"properties": {"a": {"type": "string", "pattern": r"^\p{Lu}+$"}}})
    assert view.accepts({"a": "abc"})
