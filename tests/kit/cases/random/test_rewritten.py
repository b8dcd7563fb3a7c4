"""What a schema of numbers, texts and arrays becomes before values are drawn of it."""

from __future__ import annotations

import pytest

from conformance.kit.cases.random.drawable import Normalised
from tests.kit.cases.random.rewriting import (
    ANY_TEXT,
    ANY_WHOLE,
    ANYTHING,
    TEXT,
    WHOLE,
    becomes,
    rewritten,
)

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DIGIT = r"^(?<y>\d)$"


@becomes(
    ({"type": "null"}, {"type": "null"}),
    ({"enum": [1, 2]}, {"enum": [1, 2]}),
    ({"const": 3}, {"const": 3}),
    (WHOLE, ANY_WHOLE),
    ({"type": "integer", "enum": [1], "const": 1}, {"type": "integer", "enum": [1], "const": 1}),
    ({"type": "integer", "const": 1}, {"type": "integer", "const": 1}),
    ({"minimum": 500}, {"type": ["number"], "minimum": 500, "maximum": 600}),
    ({"type": "number", "minimum": 5}, {"type": "number", "minimum": 5, "maximum": 105}),
    ({"type": "number", "minimum": -5}, {"type": "number", "minimum": -5, "maximum": 100}),
    ({"type": "integer", "maximum": 5}, {**ANY_WHOLE, "maximum": 5}),
    ({"type": "integer", "maximum": -500}, {"type": "integer", "maximum": -500, "minimum": -600}),
    ({"type": "integer", "minimum": 1, "maximum": 2}, {**WHOLE, "minimum": 1, "maximum": 2}),
    ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 9},
     {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 9}),
    ({"type": "integer", "multipleOf": 5}, {**ANY_WHOLE, "multipleOf": 5}),
    ({"type": "integer", "multipleOf": 50, "minimum": 100},
     {"type": "integer", "multipleOf": 50, "minimum": 100, "maximum": 600}),
    ({"type": ["integer", "null"]}, {**ANY_WHOLE, "type": ["integer", "null"]}),
)  # fmt: skip
def test_numbers_get_the_ends_that_they_lack(schema, expected):
    assert rewritten(schema) == Normalised(expected, ())


@becomes(
    (TEXT, ANY_TEXT),
    ({"type": "string", "minLength": 2.0}, {**TEXT, "minLength": 2, "format": "kit-text-2-34"}),
    ({"type": "string", "maxLength": 5.0}, {**TEXT, "maxLength": 5, "format": "kit-text-0-5"}),
    ({"type": "string", "maxLength": 500}, {**TEXT, "maxLength": 500, "format": "kit-text-0-500"}),
    ({"type": "string", "minLength": 9, "maxLength": 5},
     {"type": "string", "minLength": 9, "maxLength": 5, "format": "kit-text-9-9"}),
    ({"minLength": 1}, {"type": ["string"], "minLength": 1, "format": "kit-text-1-33"}),
    ({"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "(?a)^a"}),
    ({"type": "string", "pattern": DIGIT}, {**TEXT, "enum": ["1", "0", "2", "3", "4", "5"]}),
    ({"type": "string", "format": "date", "minLength": 1},
     {"type": "string", "minLength": 1, "format": "kit-date"}),
    ({"type": "string", "enum": ["a"], "pattern": "a"}, {"type": "string", "enum": ["a"]}),
    ({"type": "string", "const": "a", "format": "date"}, {"type": "string", "const": "a"}),
    ({"allOf": [TEXT, {"maxLength": 3}]}, {"allOf": [TEXT, {"maxLength": 3}]}),
    ({"allOf": [{"format": "date"}, {"pattern": "a"}]},
     {"allOf": [{"format": "kit-date"}, {"pattern": "a"}]}),
    ({"allOf": [WHOLE, {"items": TEXT}]}, {"allOf": [WHOLE, {"items": ANY_TEXT}]}),
)  # fmt: skip
def test_texts_get_a_length_a_format_of_ours_or_a_pattern_in_the_sense_of_ecma(schema, expected):
    assert rewritten(schema) == Normalised(expected, ())


@pytest.mark.parametrize(("least", "most"), [(0, 1), (4, None), (None, 3)])
def test_of_a_pattern_that_python_does_not_read_some_texts_of_an_allowed_length_stand(least, most):
    ends = {"minLength": least, "maxLength": most}
    schema = {**TEXT, "pattern": r"^(?<y>[ab]{1,6})$",
              **{name: end for name, end in ends.items() if end is not None}}  # fmt: skip
    found = rewritten(schema)
    lengths = {len(each) for each in found.schema["enum"]}
    assert found.skipped == () and lengths
    assert min(lengths) >= (least or 0) and max(lengths) <= (most or 6)


@becomes(
    ({"type": "array"}, {"type": "array", "maxItems": 3, "items": ANYTHING}),
    ({"type": "array", "items": True}, {"type": "array", "maxItems": 3, "items": ANYTHING}),
    ({"type": "array", "items": {}}, {"type": "array", "maxItems": 3, "items": ANYTHING}),
    ({"type": "array", "items": False}, {"type": "array", "maxItems": 0}),
    ({"type": "array", "items": WHOLE, "minItems": 5.0},
     {"type": "array", "items": ANY_WHOLE, "minItems": 5, "maxItems": 5}),
    ({"type": "array", "items": WHOLE, "maxItems": 100.0},
     {"type": "array", "items": ANY_WHOLE, "maxItems": 12}),
    ({"type": "array", "items": WHOLE, "minItems": 20, "maxItems": 100},
     {"type": "array", "items": ANY_WHOLE, "minItems": 20, "maxItems": 20}),
    ({"type": "array", "items": WHOLE, "maxItems": 2, "uniqueItems": True},
     {"type": "array", "items": ANY_WHOLE, "maxItems": 2, "uniqueItems": True}),
    ({"type": "array", "prefixItems": [WHOLE, TEXT]},
     {"type": "array", "items": [ANY_WHOLE, ANY_TEXT], "additionalItems": ANYTHING,
      "maxItems": 3}),
    ({"type": "array", "prefixItems": [WHOLE], "items": False},
     {"type": "array", "items": [ANY_WHOLE], "additionalItems": False, "maxItems": 3}),
    ({"type": "array", "prefixItems": [WHOLE] * 5, "items": {"type": "null"}},
     {"type": "array", "items": [ANY_WHOLE] * 5, "additionalItems": {"type": "null"},
      "maxItems": 5}),
    ({"type": "array", "items": WHOLE, "contains": {"minimum": 5}},
     {"type": "array", "items": ANY_WHOLE, "maxItems": 3,
      "contains": {"type": ["number"], "minimum": 5, "maximum": 105}}),
    ({"allOf": [{"type": "array", "items": WHOLE}, {"type": "array"}]},
     {"allOf": [{"type": "array", "items": ANY_WHOLE}, {"type": "array"}]}),
    ({"allOf": [{"type": "array", "maxItems": 90, "minItems": 1}]},
     {"allOf": [{"type": "array", "maxItems": 12, "minItems": 1}]}),
)  # fmt: skip
def test_arrays_get_few_items_of_what_is_said_of_them(schema, expected):
    assert rewritten(schema) == Normalised(expected, ())


def test_the_first_items_of_an_older_dialect_are_read_too():
    schema = {"type": "array", "items": [WHOLE], "additionalItems": TEXT}
    assert rewritten(schema, **{"$schema": DRAFT_7}).schema == {
        "type": "array", "items": [ANY_WHOLE], "additionalItems": ANY_TEXT, "maxItems": 3,
    }  # fmt: skip
