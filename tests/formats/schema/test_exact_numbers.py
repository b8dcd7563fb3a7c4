"""Numeric keywords mean decimal numbers, as JSON writes them."""

import json

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from conformance.formats.schema.exact_numbers import exact, exact_keywords
from conformance.formats.schema.instances import errors_of
from conformance.kit.schema.view import view_of


def is_valid(schema, text):
    """What both validators say of a JSON text; they agree."""
    value = json.loads(text)
    whole = {"type": "object", "properties": {"x": schema}}
    oracle = view_of(whole).accepts({"x": value})
    assert (not errors_of(schema, value)) is oracle
    return oracle


@pytest.mark.parametrize(
    ("step", "text", "valid"),
    [
        (0.01, "19.99", True),
        (0.01, "3.51", True),
        (0.01, "3.510", True),
        (0.01, "351e-2", True),
        (0.01, "3.5100000000000002", False),
        (0.01, "0.015", False),
        (0.1, "0.3", True),
        (0.1, "1e23", True),
        (0.1, "-0.0", True),
        (3, "9007199254740993", True),
        (2, "9007199254740993", False),
        (1e-300, "1e308", True),
        (1e307, "1.5e307", False),
        (0.01, "1e400", False),
        (5, "1" + "0" * 400, True),
        (float("inf"), "5", False),
        (float("inf"), "0", True),
    ],
)
def test_a_multiple_is_worked_out_in_decimals(step, text, valid):
    assert is_valid({"type": "number", "multipleOf": step}, text) is valid


@pytest.mark.parametrize(
    ("bound", "text", "valid"),
    [
        ({"maximum": 10**23}, "1e23", True),
        ({"exclusiveMaximum": 10**23}, "1e23", False),
        ({"minimum": 1e23}, "100000000000000000000000", True),
        ({"exclusiveMinimum": 2**53}, "9007199254740993", True),
        ({"minimum": 0}, "-0.0", True),
        ({"exclusiveMinimum": 0}, "-0.0", False),
        ({"maximum": 1e308}, "1e400", False),
        ({"minimum": 1e308}, "1" + "0" * 400, True),
        ({"maximum": float("inf")}, "5", True),
        ({"minimum": float("-inf")}, "-1e400", True),
        ({"maximum": float("-inf")}, "5", False),
    ],
)
def test_a_bound_is_a_decimal_number(bound, text, valid):
    assert is_valid({"type": "number", **bound}, text) is valid


def test_a_whole_float_is_an_integer():
    assert is_valid({"type": "integer"}, "2.0")
    assert not is_valid({"type": "integer"}, "2.5")


def test_other_types_are_not_looked_at():
    assert is_valid({"multipleOf": 0.01, "maximum": 1}, '"19.999"')
    assert is_valid({"multipleOf": 0.01, "maximum": 1}, "true")


def test_draft_4_keeps_its_flags():
    assert set(exact_keywords(Draft4Validator)) == {"multipleOf"}
    assert set(exact_keywords(Draft202012Validator)) > {"multipleOf", "exclusiveMaximum"}
    draft4 = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "maximum": 3,
        "exclusiveMaximum": True,
    }
    assert [error.validator for error in errors_of(draft4, 3)] == ["maximum"]


def test_a_number_that_json_cannot_write_is_refused():
    with pytest.raises(ValueError, match="nan"):
        exact(float("nan"))
