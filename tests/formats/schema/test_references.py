"""A reference without a target is reported with the keyword that holds it, in any place."""

import pytest

from conformance.formats.schema.instances import Unjudgeable, errors_of
from conformance.formats.schema.schemas import schema_faults
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import view_of

KEYWORDS = ["$ref", "$dynamicRef"]
LOST = ["#/$defs/none", "#none"]
OUTSIDE = "https://example.com/day"


def holding(keyword, reference):
    return {"type": "object", "properties": {"a": {keyword: reference}}}


def out_of_sight(keyword, reference):
    """A schema that leads to where nobody looks for one: that it is broken shows in use alone."""
    hidden = {"x-day": {"properties": {"a": {keyword: reference}}}}
    return {"type": "object", "x": {"$ref": "#ok"}, "properties": {"b": {"$ref": "#/x-day"}},
            "$defs": {"ok": {"$anchor": "ok"}}, **hidden}  # fmt: skip


@pytest.mark.parametrize("keyword", KEYWORDS)
@pytest.mark.parametrize(
    ("reference", "words"),
    [(OUTSIDE, "points to the network"), *((lost, f'points to "{lost}", which') for lost in LOST)],
)
def test_a_document_is_told_which_keyword_is_broken(keyword, reference, words):
    (fault,) = schema_faults(holding(keyword, reference))
    assert fault.place == ("properties", "a", keyword)
    assert fault.message.words("en").startswith(f"`{keyword}` {words}")


@pytest.mark.parametrize("keyword", KEYWORDS)
@pytest.mark.parametrize("lost", LOST)
def test_a_value_that_meets_a_broken_reference_is_told_which_one(keyword, lost):
    schema = out_of_sight(keyword, lost)
    assert schema_faults(schema) == ()
    with pytest.raises(Unjudgeable) as problem:
        errors_of(schema, {"b": {"a": 1}})
    assert problem.value.reason.words("en").startswith(f'`{keyword}` points to "{lost}"')


@pytest.mark.parametrize("keyword", KEYWORDS)
@pytest.mark.parametrize("lost", LOST)
def test_cases_are_not_made_for_a_broken_reference_that_is_named(keyword, lost):
    view = view_of(out_of_sight(keyword, lost))
    for broken in (
        lambda: view_of(holding(keyword, lost)),
        lambda: view.accepts({"b": {"a": 1}}),
    ):
        with pytest.raises(SchemaProblem) as problem:
            broken()
        assert problem.value.kind is ProblemKind.BROKEN_REFERENCE
        assert problem.value.detail == f"{keyword} {lost!r}: it resolves to nothing"


def test_of_two_references_in_one_place_the_second_is_looked_at_too():
    schema = {
        "properties": {"a": {"$ref": "#/$defs/b", "$dynamicRef": "#none"}},
        "$defs": {"b": {}},
    }
    with pytest.raises(SchemaProblem, match=r"\$dynamicRef '#none': it resolves to nothing"):
        view_of(schema)
