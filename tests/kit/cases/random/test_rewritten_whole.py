"""What a schema of objects, or of parts, becomes before values are drawn of it."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.kit.cases.random.drawable import Normalised
from conformance.kit.schema.unusable_schema import SchemaProblem
from tests.ids import in_order
from tests.kit.cases.random.rewriting import (
    ANY_TEXT,
    ANY_WHOLE,
    ANYTHING,
    NAME,
    PAIR,
    TEXT,
    WHOLE,
    becomes,
    rewritten,
)

TWO = {"a": WHOLE, "b": WHOLE}
ANY_TWO = {"a": ANY_WHOLE, "b": ANY_WHOLE}
OPEN = {"type": "object", "additionalProperties": ANYTHING, "propertyNames": NAME}
SHORT = {"type": ["string"], "maxLength": 3, "format": "kit-text-0-3"}


@becomes(
    ({"type": "object"}, {**OPEN, "maxProperties": 3}),
    ({"type": "object", "additionalProperties": True}, {**OPEN, "maxProperties": 3}),
    ({"type": "object", "minProperties": 5}, {**OPEN, "minProperties": 5, "maxProperties": 5}),
    ({"type": "object", "minProperties": 5, "maxProperties": 6},
     {**OPEN, "minProperties": 5, "maxProperties": 6}),
    ({"type": "object", "properties": {"a": WHOLE, "b": False}, "required": ["a"]},
     {"type": "object", "properties": {"a": ANY_WHOLE}, "required": ["a"],
      "additionalProperties": False}),
    ({"type": "object", "properties": {"a": WHOLE}, "additionalProperties": True},
     {"type": "object", "properties": {"a": ANY_WHOLE}, "additionalProperties": False}),
    ({"type": "object", "additionalProperties": WHOLE},
     {"type": "object", "additionalProperties": ANY_WHOLE, "propertyNames": NAME,
      "maxProperties": 3}),
    ({"type": "object", "properties": TWO, "additionalProperties": WHOLE},
     {"type": "object", "properties": ANY_TWO, "additionalProperties": ANY_WHOLE,
      "propertyNames": NAME, "maxProperties": 5}),
    ({"type": "object", "additionalProperties": WHOLE, "required": list("abcdefg")},
     {"type": "object", "additionalProperties": ANY_WHOLE, "required": list("abcdefg"),
      "propertyNames": NAME, "maxProperties": 7}),
    ({"type": "object", "additionalProperties": WHOLE, "minProperties": 9},
     {"type": "object", "additionalProperties": ANY_WHOLE, "minProperties": 9,
      "propertyNames": NAME, "maxProperties": 9}),
    ({"type": "object", "patternProperties": {"^a": WHOLE, "^b": TEXT}},
     {"type": "object", "patternProperties": {"^a": ANY_WHOLE, "^b": ANY_TEXT}}),
    ({"type": "object", "propertyNames": {"maxLength": 3}},
     {"type": "object", "propertyNames": SHORT}),
    ({"type": "object", "propertyNames": {"maxLength": 3}, "additionalProperties": WHOLE},
     {"type": "object", "propertyNames": SHORT, "additionalProperties": ANY_WHOLE,
      "maxProperties": 3}),
    ({"type": "object", "properties": TWO, "dependentRequired": {"a": ["b"], "b": ["a"]}},
     {"type": "object", "properties": ANY_TWO, "dependencies": {"a": ["b"], "b": ["a"]},
      "additionalProperties": False}),
    ({"type": "object", "properties": TWO, "dependentSchemas": {"a": {"required": ["b"]}}},
     {"type": "object", "properties": ANY_TWO, "dependencies": {"a": {"required": ["b"]}},
      "additionalProperties": False}),
    ({"type": "object", "properties": TWO, "dependentSchemas": {"a": {"properties": {"q": TEXT}}},
      "additionalProperties": WHOLE},
     {"type": "object", "properties": ANY_TWO,
      "dependencies": {"a": {"properties": {"q": ANY_TEXT}}}, "additionalProperties": ANY_WHOLE,
      "propertyNames": NAME, "maxProperties": 6}),
    ({"type": "object", "properties": TWO, "dependentRequired": {"a": ["b"], "b": ["a"]},
      "patternProperties": {"^x": WHOLE}},
     {"type": "object", "properties": ANY_TWO, "patternProperties": {"^x": ANY_WHOLE}}),
    ({"type": "object", "properties": TWO, "dependentRequired": {"a": ["b"]},
      "patternProperties": {"^x": WHOLE}},
     {"type": "object", "properties": ANY_TWO, "patternProperties": {"^x": ANY_WHOLE},
      "dependencies": {"a": ["b"]}}),
)  # fmt: skip
def test_objects_are_closed_where_anything_is_said_of_their_members(schema, expected):
    assert rewritten(schema) == Normalised(expected, ())


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": ["object"], "properties": properties, "additionalProperties": False}


NOT_NARROWED = {
    "type": "object", "properties": {"a": False, "b": True, "c": {"type": ["array", "string"]}},
    "additionalProperties": True,
}  # fmt: skip
IN_FULL = {"type": "string", "pattern": "a", "format": "x"}


@becomes(
    ({"anyOf": [TEXT, WHOLE, False]}, {"anyOf": [ANY_TEXT, ANY_WHOLE]}),
    ({"oneOf": [{"minimum": 1}, TEXT]},
     {"oneOf": [{"type": ["number"], "minimum": 1, "maximum": 101}, ANY_TEXT]}),
    ({"anyOf": [PAIR], "properties": {"b": WHOLE}},
     {"anyOf": [{"type": "object", "properties": {"a": ANY_WHOLE}}],
      "properties": {"b": ANY_WHOLE}, "propertyNames": {"enum": ["b", "a"]}}),
    ({"type": "object", "oneOf": [{"properties": {"a": WHOLE}}, {"properties": {"b": WHOLE}}]},
     {"type": "object", "oneOf": [closed(a=ANY_WHOLE), closed(b=ANY_WHOLE)],
      "propertyNames": {"enum": ["a", "b"]}}),
    ({"type": "object", "allOf": [{"properties": {"a": WHOLE}}, {"required": ["b"]}]},
     {"type": "object", "allOf": [{"properties": {"a": ANY_WHOLE}}, {"required": ["b"]}],
      "propertyNames": {"enum": ["a"]}}),
    ({"allOf": [{"anyOf": [PAIR]}]},
     {"allOf": [{"anyOf": [{"type": "object", "properties": {"a": ANY_WHOLE}}]}]}),
    ({"type": "integer", "not": {"multipleOf": 3}}, {**ANY_WHOLE, "not": {"multipleOf": 3}}),
    ({"type": "null", "not": True}, {"type": "null", "not": True}),
    ({"type": "null", "not": NOT_NARROWED}, {"type": "null", "not": NOT_NARROWED}),
    ({"type": "null", "not": IN_FULL}, {"type": "null", "not": IN_FULL}),
    ({**PAIR, "if": {"properties": {"a": WHOLE}}, "then": {"required": ["m"]},
      "else": {"properties": {"n": WHOLE}}},
     {"type": "object", "properties": {"a": ANY_WHOLE}, "if": {"properties": {"a": WHOLE}},
      "then": {"required": ["m"]}, "else": {"properties": {"n": ANY_WHOLE}},
      "propertyNames": {"enum": ["a", "n"]}}),
    ({"$ref": "#/$defs/text"}, {"allOf": [ANY_TEXT]}),
    ({"$ref": "#/$defs/text", "maxLength": 4},
     {"allOf": [TEXT], "maxLength": 4, "format": "kit-text-0-4"}),
    ({"allOf": [{"$ref": "#/$defs/pair"}]},
     {"allOf": [{"allOf": [{"type": "object", "properties": {"a": ANY_WHOLE}}]}]}),
)  # fmt: skip
def test_parts_that_hold_together_are_not_narrowed_alone_nor_what_is_negated(schema, expected):
    assert rewritten(schema) == Normalised(expected, ())


@becomes(
    (False, ()),
    ({"anyOf": [False]}, ()),
    ({"oneOf": [False, False]}, ()),
    ({"allOf": [TEXT, False]}, ()),
    ({**PAIR, "required": ["b"]}, ()),
    (True, ("a schema without a type at /",)),
    ({"description": "d"}, ("a schema without a type at /",)),
    ({"type": "string", "format": "odd"}, ("format odd at /",)),
    ({"type": "string", "pattern": r"^\p{Lu}+$"}, ("pattern at /",)),
)
def test_of_what_is_impossible_or_not_said_nothing_is_drawn(schema, expected):
    assert rewritten(schema) == Normalised(False, expected)


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"anyOf": [TEXT, True]}, "/anyOf/1"),
        ({"oneOf": [TEXT, True]}, "/oneOf/1"),
        ({"allOf": [TEXT, {"anyOf": [TEXT, True]}]}, "/allOf/1/anyOf/1"),
        ({"type": "array", "prefixItems": [True]}, "/prefixItems/0"),
        ({"type": "array", "items": {"anyOf": [TEXT, {}]}}, "/items/anyOf/1"),
        ({"type": "array", "items": TEXT, "contains": {}}, "/contains"),
        ({"type": "object", "properties": {"a": {}}}, "/properties/a"),
        ({"type": "object", "patternProperties": {"^a/b": {}}}, "/patternProperties/^a~1b"),
        ({"type": "object", "propertyNames": True}, "/propertyNames"),
        ({"type": "object", "additionalProperties": {}}, "/additionalProperties"),
    ],
    ids=in_order,
)
def test_where_nothing_is_said_is_named_by_its_place(schema, place):
    assert rewritten(schema).skipped == (f"a schema without a type at {place}",)


def test_each_keyword_that_cannot_be_rewritten_is_named_once():
    names = ("unevaluatedProperties", "unevaluatedItems", "contentSchema")
    inner = {**TEXT, **dict.fromkeys(names, False)}
    assert rewritten({"$ref": "#/$defs/twice"}, **{"$defs": {"twice": inner}}).skipped == tuple(
        f"{name} at /" for name in names)  # fmt: skip
    counted = {"type": "array", "items": WHOLE, "contains": TEXT, "minContains": 2,
               "maxContains": 3}  # fmt: skip
    assert rewritten(counted).skipped == ("minContains at /", "maxContains at /")
    assert rewritten({"type": "null", "not": {"format": "odd", **inner}}).skipped == tuple(
        f"{name} at /not" for name in names)  # fmt: skip


def test_a_schema_stands_three_times_inside_itself():
    level: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    for _ in range(2):
        level = {**level, "properties": {"n": {"allOf": [level]}}}
    assert rewritten({"$ref": "#/$defs/tree"}).schema == {"allOf": [level]}


def test_a_schema_that_fans_out_is_refused():
    wide = {f"level{n}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/level{n + 1}"}] * 9}
            for n in range(4)}  # fmt: skip
    with pytest.raises(SchemaProblem, match="unrolled it holds more than 2000 schemas"):
        rewritten({"$ref": "#/$defs/level0"}, **{"$defs": {**wide, "level4": TEXT}})


def test_as_many_schemas_as_may_be_held_are_rewritten():
    def many(count: int) -> dict[str, Any]:
        return {"type": "object", "properties": {f"p{n}": {"type": "null"} for n in range(count)}}

    assert len(rewritten(many(1999)).schema["properties"]) == 1999
    with pytest.raises(SchemaProblem):
        rewritten(many(2000))


def test_of_many_choices_some_stand_from_the_first_to_the_last():
    assert rewritten({"enum": [*range(200)]}).schema == {"enum": [*range(200)]}
    assert rewritten({"enum": [*range(201)]}).schema == {"enum": [*range(0, 201, 2)]}


def declared(schema: dict[str, Any]) -> list[str]:
    """Which members may be drawn of a schema that has parts."""
    drawn = rewritten(schema).schema
    assert isinstance(drawn, dict)
    names: list[str] = drawn["propertyNames"]["enum"]
    return names


def test_members_are_declared_by_references_conditions_and_parts_of_parts():
    own = {"type": "object", "properties": {"b": WHOLE}}
    assert declared({**own, "$ref": "#/$defs/pair"}) == ["b", "a"]
    chosen = {"if": {"required": ["a"]}, "then": PAIR, "else": {"properties": {"e": WHOLE}}}
    assert declared({**own, **chosen}) == ["b", "a", "e"]
    assert declared({**own, "anyOf": [True, {"required": ["b"]}]}) == ["b"]
    held = {"dependentSchemas": {"b": {"properties": {"d": WHOLE}}}}
    assert declared({**own, **held, "oneOf": [{"required": ["b"]}]}) == ["b", "d"]


def test_parts_are_looked_through_eight_levels_deep_and_a_hundred_at_each():
    def nested(level: int) -> dict[str, Any]:
        here: dict[str, Any] = {"properties": {f"p{level}": WHOLE}}
        return {**here, "allOf": [nested(level + 1)]} if level < 12 else here

    assert declared({"type": "object", **nested(0)}) == [f"p{level}" for level in range(9)]
    many = [{"properties": {f"p{n}": {"type": "null"}}} for n in range(101)]
    assert declared({"type": "object", "anyOf": many}) == [f"p{n}" for n in range(100)]


@becomes(
    ({"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}},
     {"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}),
    ({**PAIR, "additionalProperties": False, "allOf": [{"required": ["a"]}]},
     {"type": "object", "properties": {"a": ANY_WHOLE}, "additionalProperties": False,
      "allOf": [{"required": ["a"]}]}),
    ({**PAIR, "propertyNames": {"maxLength": 3}, "anyOf": [{"required": ["a"]}]},
     {"type": "object", "properties": {"a": ANY_WHOLE}, "propertyNames": SHORT,
      "anyOf": [{"required": ["a"]}]}),
)  # fmt: skip
def test_what_is_closed_or_has_rules_for_names_is_not_closed_again(schema, expected):
    assert rewritten(schema) == Normalised(expected, ())
