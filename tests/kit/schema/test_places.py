"""Places in a document: written, read, looked at and changed; and named in a text."""

import pytest

from conformance.kit.model.case import Violation
from conformance.kit.schema.places import ABSENT, from_pointer, get, put, to_parameter
from conformance.kit.verdicts.explanations import names_parameter
from conformance.spec.pointer import to_pointer

DOCUMENT = {"a": [{"b/c": 1}, 2], "d": None, "e~f": {"0": "x"}}


@pytest.mark.parametrize(
    ("tokens", "pointer", "parameter", "value"),
    [
        ((), "", None, DOCUMENT),
        (("a", 0, "b/c"), "/a/0/b~1c", "a[0].b/c", 1),
        (("d",), "/d", "d", None),
        (("e~f", "0"), "/e~0f/0", "e~f.0", "x"),
        (("a", 2), "/a/2", "a[2]", ABSENT),
        (("d", "x"), "/d/x", "d.x", ABSENT),
        (("nowhere",), "/nowhere", "nowhere", ABSENT),
    ],
)
def test_a_place_is_written_and_read_as_it_stands_in_the_document(
    tokens, pointer, parameter, value
):
    assert to_pointer(tokens) == pointer
    assert from_pointer(pointer, DOCUMENT) == tokens
    assert to_parameter(tokens) == parameter
    assert get(DOCUMENT, tokens) == value


def test_a_pointer_begins_with_a_slash():
    with pytest.raises(ValueError, match="slash"):
        from_pointer("a", DOCUMENT)


@pytest.mark.parametrize(
    ("tokens", "value", "made"),
    [
        ((), 1, 1),
        (("a", 1), 3, {"a": [1, 3]}),
        (("a", 2), 3, {"a": [1, 2, 3]}),
        (("a", 0), ABSENT, {"a": [2]}),
        (("b",), 3, {"a": [1, 2], "b": 3}),
        (("a",), ABSENT, {}),
        (("b",), ABSENT, {"a": [1, 2]}),
    ],
)
def test_a_value_is_put_into_a_copy(tokens, value, made):
    document = {"a": [1, 2]}
    assert put(document, tokens, value) == made
    assert document == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("tokens", "value"),
    [(("a", 3), 1), (("a", 2), ABSENT), (("a", 2, "b"), 1), (("b", "c"), 1), (("a", "x"), 1)],
)
def test_nothing_is_put_where_no_way_leads(tokens, value):
    with pytest.raises(LookupError):
        put({"a": [1, 2]}, tokens, value)


def violation(pointer):
    return Violation(pointer, None, ("type",), None, False, None, False)


@pytest.mark.parametrize(
    ("pointer", "text", "named"),
    [
        ("", "the arguments are no object", True),
        ("", "something is wrong", False),
        ("/a", "a is wrong", True),
        ("/a", "banana is wrong", False),
        ("/0", "the first is wrong", False),
        ("/list/2", "list[2] is wrong", True),
        ("/list/2", "[2] is wrong", False),
    ],
)
def test_a_text_names_the_broken_place_by_a_word_of_its_own(pointer, text, named):
    assert names_parameter(violation(pointer), text) is named
