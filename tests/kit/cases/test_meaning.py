"""Which valid values a server may refuse for what they mean."""

import pytest

from conformance.kit.cases.expectations import rests_on_meaning

KNOWN = {"zone": "Europe/Madrid"}


@pytest.mark.parametrize(
    ("member", "value", "open_"),
    [
        ({"type": "string"}, "somewhere", True),
        ({"type": "string", "format": "date"}, "2031-01-01", True),
        ({"type": "string", "enum": ["a", "b"]}, "b", False),
        ({"const": "a"}, "a", False),
        ({"type": "string", "default": "a"}, "a", False),
        ({"type": "string", "examples": ["a"]}, "a", False),
        ({"type": "string", "example": "a"}, "a", False),
        ({"type": "string", "example": "a"}, "b", True),
        ({"type": "integer", "minimum": 0, "maximum": 9}, 9, False),
        ({"type": "integer", "minimum": 0}, 9, True),
        ({"type": "boolean"}, True, False),
        ({"type": ["string", "null"]}, None, False),
        ({"type": "array", "items": {"type": "string"}}, ["x"], True),
        ({"type": "array", "items": {"enum": ["x"]}}, ["x"], False),
        ({"type": "object", "properties": {"name": {"type": "string"}}}, {"name": "x"}, True),
    ],
)
def test_a_value_is_open_where_no_schema_governs_it(member, value, open_):
    schema = {"type": "object", "properties": {"zone": {"type": "string"}, "more": member}}
    assert rests_on_meaning(schema, {**KNOWN, "more": value}, KNOWN) is open_


def test_a_schema_that_never_ends_says_nothing_of_meaning():
    assert not rests_on_meaning({"$ref": "#"}, {"zone": "somewhere"}, KNOWN)


def test_what_is_left_out_means_nothing():
    schema = {"type": "object", "properties": {"zone": {"type": "string"}}}
    assert not rests_on_meaning(schema, {}, KNOWN)
