"""The sentence about a value names what is wrong with it, and nothing else."""

import pytest

from conformance.formats.schema.instances import errors_of
from conformance.formats.schema.keyword_words import words

NAMED = {"properties": {"a": {}}}
CLOSED = {"additionalProperties": False}


@pytest.mark.parametrize(
    "schema",
    [
        NAMED | CLOSED,
        {"allOf": [NAMED], "unevaluatedProperties": False},
        {"patternProperties": {"^a": {}}} | CLOSED,
    ],
)
def test_only_members_that_no_schema_knows_are_named(schema):
    (error,) = errors_of(schema, {"a": 1, "b": 2})
    said = words(error).words("en")
    assert said.endswith('a member that it does not allow: "b". Remove or rename it.')


def test_members_that_are_not_allowed_are_counted_and_the_first_five_are_named():
    (error,) = errors_of(CLOSED, dict.fromkeys("abcdef", 1))
    said = words(error).words("en")
    assert 'members that it does not allow: "a", "b", "c", "d", "e", …. Remove' in said


def test_too_few_members_are_counted():
    (error,) = errors_of({"minProperties": 2}, {"a": 1})
    assert words(error).words("en") == '{"a": 1} has too few members. Give at least 2.'


@pytest.mark.parametrize(
    ("schema", "value", "is_name"),
    [
        ({"propertyNames": {"pattern": "^b"}}, {"a": 1}, True),
        ({"properties": {"propertyNames": {"pattern": "^b"}}}, {"propertyNames": "a"}, False),
        ({"properties": {"n": {"pattern": "^b"}}}, {"n": "a"}, False),
        ({"pattern": "^b"}, "a", False),
    ],
)
def test_a_name_that_breaks_a_pattern_is_called_a_name(schema, value, is_name):
    (error,) = errors_of(schema, value)
    assert words(error).words("en").startswith('The name "a" ' if is_name else '"a" ')


@pytest.mark.parametrize(
    ("kind", "value", "quotes"),
    [
        ("string", 1.0, True),
        (["string", "null"], True, True),
        ("string", None, False),
        ("string", [1], False),
        (["string", "object"], 7, False),
        ("object", 7, False),
    ],
)
def test_a_number_in_place_of_a_string_is_to_be_put_in_quotes(kind, value, quotes):
    (error,) = errors_of({"type": kind}, value)
    assert words(error).id == f"documents.keyword.type{'.quotes' if quotes else ''}"
    said = {words(error).words(language) for language in ("en", "es", "pt")}
    assert len(said) == 3
    assert ("Put it in quotes." in words(error).words("en")) is quotes


@pytest.mark.parametrize(
    ("value", "lacks"),
    [
        ("2030-01-02T10:00:00", True),
        ("2030-01-02T10:00:00.5", True),
        ("2030-02-30T10:00:00", False),
        ("2030-01-02", False),
        ("10:00:00", False),
        ("", False),
    ],
)
def test_a_moment_that_lacks_only_its_offset_is_told_so(value, lacks):
    (error,) = errors_of({"format": "date-time"}, value)
    assert ("an offset such as `Z` is missing" in words(error).words("en")) is lacks
