"""The closed list of near misses, question by question (ATDF-CALL-002)."""

import pytest

from conformance.kit.cases.near_misses import Taken, is_near_miss
from conformance.kit.schema.places import ABSENT


@pytest.mark.parametrize(
    ("kinds", "formats", "sent"),
    [
        (("integer",), (), True),
        (("number",), (), False),
        (("integer",), (), "3"),
        (("integer",), (), "-12"),
        (("number",), (), "2.5"),
        (("number",), (), "2"),
        (("boolean",), (), 0),
        (("boolean",), (), 1),
        (("boolean",), (), "true"),
        (("boolean",), (), "false"),
        (("boolean",), (), " Yes "),
        (("boolean",), (), "OFF"),
        (("null",), (), "null"),
        (("array",), (), "[1]"),
        (("object",), (), "{}"),
        (("string",), ("date",), 20270101),
        (("string",), ("date-time",), 1.5),
        (("string",), ("time",), 5),
        (("string",), ("duration",), 5),
        (("string",), ("duration",), True),
        (("string", "integer"), (), "3"),
        (("string", "boolean"), (), "yes"),
    ],
)
def test_what_a_lossless_reading_makes_right_is_a_near_miss(kinds, formats, sent):
    assert is_near_miss(Taken(kinds, formats), sent, ABSENT)


@pytest.mark.parametrize(
    ("kinds", "formats", "sent"),
    [
        (("string",), (), True),
        (("array",), (), False),
        (("integer",), (), "three"),
        (("integer",), (), "2.5"),
        (("integer",), (), ""),
        (("boolean",), (), 2),
        (("integer",), (), 1),
        (("boolean",), (), "maybe"),
        (("boolean",), (), "0"),
        (("boolean",), (), "1"),
        (("boolean",), (), "3"),
        (("number",), (), "[1]"),
        (("integer",), (), "yes"),
        (("string",), (), "true"),
        (("string",), (), '"abc"'),
        (("string",), (), 20270101),
        (("string",), ("date",), [1]),
        (("object",), (), "[1]"),
        (("array",), (), None),
    ],
)
def test_nothing_else_is_one(kinds, formats, sent):
    assert not is_near_miss(Taken(kinds, formats), sent, ABSENT)


def test_the_text_of_the_value_that_was_accepted_is_one_whatever_is_asked():
    assert is_near_miss(Taken(("array",), ()), '{"a": 1}', {"a": 1})
    assert not is_near_miss(Taken(("array",), ()), '{"a": 1}', {"a": 2})
