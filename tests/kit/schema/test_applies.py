"""Which schemas apply to a value where it stands, and the ways to satisfy them."""

import pytest

from conformance.kit.schema import applies
from conformance.kit.schema.applies import alternatives, applied, item, member
from conformance.kit.schema.places import ABSENT
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import view_of

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def marked(mark, **more):
    """A schema that is known by its title."""
    return {"title": mark, **more}


def marks(nodes):
    return [n.schema["title"] for n in nodes if isinstance(n.schema, dict) and "title" in n.schema]


def flat_of(value, **schema):
    view = view_of(schema)
    return marks(applied(view, (view.root,), value).flat)


def test_references_and_combinators_are_followed_where_they_stand():
    schema = {
        "$defs": {"b": marked("b", allOf=[marked("c")])},
        "allOf": [{"$ref": "#/$defs/b"}, True, marked("d")],
    }
    assert flat_of({}, title="a", **schema) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("value", "used", "flat"),
    [({"n": 1}, 0, ["one"]), ({"n": "x"}, 1, ["two"]), ({"n": None}, None, []), (ABSENT, None, [])],
)
def test_of_a_union_the_branch_that_the_value_meets_applies(value, used, flat):
    def branch(mark, kind):
        return marked(mark, properties={"n": {"type": kind}})

    view = view_of({"oneOf": [branch("one", "integer"), branch("two", "string")]})
    found = applied(view, (view.root,), value)
    assert marks(found.flat) == flat
    (union,) = found.unions
    assert (union.keyword, marks(union.branches), union.used) == ("oneOf", ["one", "two"], used)


CONDITION = {"if": {"required": ["a"]}, "then": marked("then"), "else": marked("else")}


@pytest.mark.parametrize(
    ("value", "schema", "flat"),
    [
        ({"a": 1}, CONDITION, ["then"]),
        ({"b": 1}, CONDITION, ["else"]),
        (ABSENT, CONDITION, []),
        ({"b": 1}, {"if": CONDITION["if"], "then": marked("then")}, []),
        ({"a": 1}, {"dependentSchemas": {"a": marked("a"), "b": marked("b")}}, ["a"]),
        (
            {"a": 1, "b": 1},
            {"$schema": DRAFT_7, "dependencies": {"a": ["b"], "b": marked("b"), "c": marked("c")}},
            ["b"],
        ),
    ],
)
def test_a_condition_applies_what_it_leads_to(value, schema, flat):
    assert flat_of(value, **schema) == flat


@pytest.mark.parametrize(
    ("schema", "plain"),
    [
        ({"properties": {"a": {"anyOf": [{}]}}, "required": ["a"]}, True),
        ({"allOf": [{"additionalProperties": False}]}, True),
        ({"anyOf": [{}]}, False),
        ({"allOf": [{"not": {"required": ["a"]}}]}, False),
        ({"dependentRequired": {"a": ["b"]}}, False),
        ({"minProperties": 1}, False),
        ({"enum": [{"a": 1}]}, False),
        ({"const": {"a": 1}}, False),
    ],
)
def test_members_are_judged_alone_where_nothing_around_them_looks_at_them(schema, plain):
    view = view_of(schema)
    assert applied(view, (view.root,), {}).plain is plain


@pytest.mark.parametrize("ask", [applied, alternatives])
def test_references_in_a_circle_are_named(ask):
    view = view_of({"$ref": "#"})
    with pytest.raises(SchemaProblem, match="in a circle") as problem:
        list(
            ask(view, (view.root,), 1) if ask is alternatives else ask(view, (view.root,), {}).flat
        )
    assert problem.value.kind is ProblemKind.TOO_COMPLEX


def ways(most=99, **schema):
    view = view_of(schema)
    return ["".join(marks(each)) for each in alternatives(view, (view.root,), most)]


def test_each_choice_of_branches_is_a_way_in_their_order():
    unions = {
        "anyOf": [marked("a"), marked("b")],
        "oneOf": [marked("c"), marked("d")],
        "if": marked("e"),
        "then": marked("f"),
        "else": marked("g"),
    }
    found = [f"{one}{two}{rest}" for one in "ab" for two in "cd" for rest in ("ef", "g")]
    assert ways(**unions) == found
    assert ways(3, **unions) == found[:3]
    assert ways(allOf=[True, unions]) == found


def test_a_branch_may_hold_a_union_of_its_own():
    inner = marked("a", anyOf=[marked("b"), marked("c")])
    assert ways(anyOf=[inner, marked("d")], allOf=[marked("z")]) == ["zab", "zac", "zd"]


def test_more_schemas_in_a_row_than_may_apply_are_given_up(monkeypatch):
    monkeypatch.setattr(applies, "MOST_SCHEMAS", 5)
    assert ways(allOf=[True] * 3) == [""]
    assert ways(allOf=[marked("a")] * 4) == ["aaaa"]
    with pytest.raises(SchemaProblem):
        ways(allOf=[{}] * 5)


def nodes(*schemas):
    root = view_of({}).root
    return [root.sub(each) for each in schemas]


def test_a_member_is_governed_by_its_name_its_pattern_or_what_is_left_over():
    own = {"properties": {"a": marked("own")}, "additionalProperties": marked("rest")}
    flat = nodes(True, own, {"patternProperties": {"^a": marked("pattern")}}, {"title": "none"})
    assert marks(member(flat, "a")) == ["own", "pattern"]
    assert marks(member(flat, "ab")) == ["rest", "pattern"]
    assert marks(member(flat, "b")) == ["rest"]
    assert member(nodes({"title": "none"}), "a") == ()


def test_an_item_is_governed_by_its_place_or_what_is_left_over():
    flat = nodes(
        False,
        {"prefixItems": [marked("first")], "items": marked("rest")},
        {"items": [marked("old")], "additionalItems": marked("more")},
        {"prefixItems": [marked("alone")]},
    )
    assert marks(item(flat, 0)) == ["first", "old", "alone"]
    assert marks(item(flat, 1)) == ["rest", "more"]
