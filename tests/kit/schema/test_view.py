"""The view on a schema: dialects, references, and what cannot be judged."""

from __future__ import annotations

import pytest

from conformance.formats.schema.instances import errors_of
from conformance.kit.cases.valid_values import generate
from conformance.kit.schema import view as schemas
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import view_of


@pytest.fixture(autouse=True)
def _compiled_anew():
    """What is asserted here is seen, and not remembered."""
    schemas.compiled_view.cache_clear()


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


def test_what_nothing_satisfies_is_refused_at_its_own_place():
    schema = {"properties": {"a": {"prefixItems": [True, False]}}}
    (error,) = errors_of(schema, {"a": [1, 2]})
    assert list(error.absolute_path) == ["a", 1]
    assert list(error.absolute_schema_path) == ["properties", "a", "prefixItems", 1]


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


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_each_branch_of_a_union_costs_a_step(keyword, monkeypatch):
    view = view_of({"properties": {"a": {keyword: [{"const": 1}, {"const": 2}]}}})
    assert view.accepts({"a": 1})
    monkeypatch.setattr(schemas, "MOST_STEPS", 1)
    with pytest.raises(SchemaProblem, match="more than 1 steps"):
        view.accepts({"a": 1})


def test_a_part_with_an_identity_of_its_own_is_what_its_references_begin_at():
    part = {"$id": "https://example.com/t", "$defs": {"n": {"type": "integer"}}}
    view = view_of({"$defs": {"t": part, "n": {"type": "string"}}})
    inner = view.root.sub(part).sub({"$ref": "#/$defs/n"})
    assert view.is_valid((inner,), 1)
    assert not view.is_valid((inner,), "x")


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


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"$ref": "https://example.com/x"}, "'https://example.com/x': it is never fetched; put it"),
        ({"$ref": "#/$defs/none"}, "'#/$defs/none': it resolves to nothing"),
        ({"$schema": "https://example.com/mine"}, "use https://json-schema.org/draft/2020-12/sch"),
        ({"properties": {"a": {"minimum": "1"}}}, "at $.properties.a.minimum: '1' is not of type"),
    ],
)
def test_what_is_unusable_is_told_with_what_to_do(schema, words):
    with pytest.raises(SchemaProblem) as problem:
        view_of(schema)
    assert words in problem.value.detail


def costs(steps, **root):
    """A view whose judging of a call costs so many steps."""
    return view_of({"properties": {"a": {"anyOf": [True] * steps}}, **root})


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(schemas, "MOST_STEPS", 10)
    monkeypatch.setattr(schemas, "MOST_IN_ALL", 25)


def test_one_call_may_cost_only_so_much(small):
    assert costs(10).accepts({"a": 1})
    with pytest.raises(SchemaProblem, match="one call takes more than 10 steps"):
        costs(11).accepts({"a": 1})


def test_all_calls_of_a_plan_may_cost_only_so_much_together(small):
    view = costs(5)
    for _ in range(2):
        assert [view.accepts({"a": 1}) for _ in range(5)] == [True] * 5
        with pytest.raises(SchemaProblem, match="its cases take more than 25 steps"):
            view.accepts({"a": 1})
        view.refill()


def test_what_was_valid_is_judged_once_while_it_is_remembered(monkeypatch):
    monkeypatch.setattr(schemas, "MOST_STEPS", 10)
    view = view_of(
        {
            "properties": {
                name: {"anyOf": [{"type": "string"}, {"type": "array"}]} for name in "abcd"
            }
        }
    )
    call = {"a": "x", "b": "x", "c": [1], "d": [1]}
    cost = _cost(view, call)
    with view.remembering():
        assert _cost(view, call) == cost
        assert _cost(view, call) == 0
        assert _cost(view, {**call, "c": [1]}) == cost / 4  # another list, which may change alone
        assert not view.accepts({**call, "b": 1})
        assert not view.accepts({**call, "b": 1})
    assert _cost(view, call) == cost


def test_a_truth_and_a_number_are_not_remembered_as_the_same():
    view = view_of({"properties": {"a": {"type": "integer"}, "b": {"const": True}}})
    with view.remembering():
        assert view.accepts({"a": 1, "b": True})
        assert not view.accepts({"a": True, "b": True})
        assert not view.accepts({"a": 1, "b": 1})


def test_what_a_way_decides_is_not_remembered():
    """The same part of a schema asks for a text in one place and takes any value in the other."""
    one = {"$defs": {"own": {"$dynamicAnchor": "kind"}}, "$ref": "pair"}
    other = {"$defs": {"own": {"$dynamicAnchor": "kind", "type": "string"}}, "$ref": "pair"}
    pair = {
        "$id": "https://example.com/pair",
        "$defs": {"default": {"$dynamicAnchor": "kind"}},
        "properties": {"v": {"$dynamicRef": "#kind"}},
    }
    view = view_of(
        {
            "$defs": {"pair": pair},
            "properties": {
                "one": {"$id": "https://example.com/one", **one},
                "other": {"$id": "https://example.com/other", **other},
            },
        }
    )
    with view.remembering():
        assert view.accepts({"one": {"v": 1}})
        assert not view.accepts({"other": {"v": 1}})


def _cost(view, call):
    view.refill()
    assert view.accepts(call)
    return schemas.MOST_IN_ALL - view.left


@pytest.mark.parametrize(
    ("dialect", "reference"),
    [
        ("https://json-schema.org/draft/2020-12/schema", "$ref"),
        ("https://json-schema.org/draft/2020-12/schema", "$dynamicRef"),
        ("https://json-schema.org/draft/2019-09/schema", "$recursiveRef"),
    ],
)
def test_following_a_reference_costs_a_step_in_each_dialect(small, dialect, reference):
    view = view_of({"$schema": dialect, "properties": {"a": {reference: "#"}}})
    call = {}
    for _ in range(10):
        call = {"a": call}
    assert view.accepts(call)
    with pytest.raises(SchemaProblem, match="more than 10 steps"):
        view.accepts({"a": call})


@pytest.mark.parametrize(
    "schema",
    [
        {"$dynamicRef": "#n"},
        {"$id": "https://example.com/a", "$ref": "#/$defs/m", "$defs": {"m": {"const": 4}}},
    ],
)
def test_a_value_is_made_of_what_a_reference_means_where_it_stands(schema):
    whole = {"properties": {"a": schema}, "required": ["a"],
             "$defs": {"x": {"$dynamicAnchor": "n", "const": 4}, "m": {"const": 5}}}  # fmt: skip
    assert generate(whole) == {"a": 4}


DIALECTS = ["https://json-schema.org/draft/2020-12/schema",
            "http://json-schema.org/draft-07/schema#"]  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("pattern", "value", "matches"),
    [
        (r"^\d$", "٣", False),
        (r"^a$", "a\n", False),
        (r"^\cA[^]$", "\x01a", True),
        (r"^[^]$", "", False),
    ],
)
def test_a_pattern_is_ecma_s_also_where_the_schema_names_its_dialect(
    dialect, pattern, value, matches
):
    text = {"type": "string", "pattern": pattern}
    back = {"$schema": dialect, "properties": {"a": text, "below": {"$ref": "#"}}}
    for schema, call in (
        (back, {"a": value}),
        (back, {"below": {"a": value}}),
        ({"properties": {"a": {"$schema": dialect, **text}}}, {"a": value}),
    ):
        assert view_of(schema).accepts(call) is matches
        assert (errors_of(schema, call) == []) is matches
