"""Suggested values: where they belong, what they mean, how they are applied."""

from __future__ import annotations

import pytest

from conformance.formats.tool.errors import envelope_of
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.model.case import Violation
from conformance.kit.repair import suggestions
from conformance.kit.repair.suggestions import (
    Naming,
    apply,
    check,
    locate,
    names_place,
    schemas_at,
)
from conformance.kit.schema.applies import applied
from conformance.kit.schema.view import view_of

SCHEMA = {
    "type": "object",
    "$defs": {"money": {"type": "object", "properties": {"cents": {"type": "integer"}}}},
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "flag": {"type": "boolean"},
        "code": {"type": ["string", "integer"]},
        "a.b": {"type": "integer"},
        "guests": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"age": {"type": "integer"}, "price": {"$ref": "#/$defs/money"}},
                "required": ["age"],
            },
        },
        "pay": {
            "oneOf": [
                {
                    "properties": {"kind": {"const": "card"}, "value": {"type": "string"}},
                    "required": ["kind", "value"],
                },
                {
                    "properties": {"kind": {"const": "cash"}, "value": {"type": "integer"}},
                    "required": ["kind", "value"],
                },
            ]
        },
    },
    "required": ["name"],
    "additionalProperties": False,
}
SENT = {"name": "n", "count": 0, "guests": [{"age": "x"}, {"age": 2}]}
TOOL = Tool("t", SCHEMA, ToolForm.CATALOG, {})


def errors(*pairs):
    listed = [{"type": "u:/validation-error", "parameter_name": n, "suggested_value": v}
              for n, v in pairs]  # fmt: skip
    return envelope_of({"errors": listed}).errors


@pytest.mark.parametrize(
    ("name", "pointer"),
    [
        ("count", "/count"),
        ("guests[0].age", "/guests/0/age"),
        ("guests.0.age", "/guests/0/age"),
        ("/guests/0/age", "/guests/0/age"),
        ("guests[0].price.cents", "/guests/0/price/cents"),
        ("guests", "/guests"),
        ("flag", "/flag"),
        ("a.b", "/a.b"),
        ("pay.value", "/pay/value"),
        ("arguments.count", "/count"),
        ("body.count", "/count"),
        ("unknown", None),
        ("guests[0].unknown.deeper", None),
        ("count.deeper", None),
        ("", None),
        (None, None),
        ("/", None),
        ("[", None),
        ("guests[" + "9" * 400 + "].age", None),
    ],
)
def test_a_name_is_located(name, pointer):
    found = locate(name, SENT, SCHEMA)
    assert found == pointer or (pointer is None and found and "99999" in found)


@pytest.mark.parametrize(
    ("name", "naming"),
    [
        ("guests[0].age", Naming.EXACT),
        ("guests.0.age", Naming.EXACT),
        ("/guests/0/age", Naming.EXACT),
        ("guests[0]", Naming.PARENT),
        ("guests", Naming.PARENT),
        ("guests[1].age", Naming.WRONG),
        ("age", Naming.WRONG),
        ("guests[0].age.x", Naming.WRONG),
        (None, Naming.WRONG),
        ("", Naming.WRONG),
    ],
)
def test_a_name_is_compared_with_the_broken_place(name, naming):
    assert names_place(Violation("/guests/0/age", "guests[0].age", ("type",)), name) is naming


def test_arguments_themselves_have_no_name():
    whole = Violation("", None, ("type",))
    assert names_place(whole, None) is Naming.EXACT
    assert names_place(whole, "count") is Naming.WRONG


def test_where_everything_is_missing_the_name_of_any_one_is_right():
    assert names_place(Violation("", None, ("required",)), "name") is Naming.EXACT


@pytest.mark.parametrize("name", ["pay", "pay.card", "/pay/iban"])
def test_of_a_union_that_is_broken_as_a_whole_any_member_is_the_right_name(name):
    assert names_place(Violation("/pay", "pay", ("oneOf",)), name) is Naming.EXACT
    assert names_place(Violation("", None, ("oneOf",)), name) is Naming.EXACT
    assert names_place(Violation("/other", "other", ("oneOf",)), name) is Naming.WRONG


@pytest.mark.parametrize(
    ("name", "suggested", "value", "valid"),
    [
        ("count", "3", 3, True),
        ("count", 3, 3, True),
        ("count", "0", 0, False),
        ("count", "three", "three", False),
        ("name", "3", "3", True),
        ("name", '"quoted"', '"quoted"', True),
        ("code", "7", "7", True),
        ("flag", "true", True, True),
        ("flag", "True", "True", False),
        ("guests", '[{"age": 1}]', [{"age": 1}], True),
        ("guests", "[1]", [1], False),
        ("guests[0].age", "4", 4, True),
        ("guests[0]", '{"age": 4}', {"age": 4}, True),
        ("guests[0].price", '{"cents": 1}', {"cents": 1}, True),
    ],
)
def test_a_suggestion_is_decoded_for_its_parameter(name, suggested, value, valid):
    (error,) = errors((name, suggested))
    judged = check(error, SENT, TOOL)
    assert (judged.value, judged.valid) == (value, valid)
    assert type(judged.value) is type(value)


def test_in_a_union_the_branch_that_suits_the_call_decides():
    sent = {"name": "n", "pay": {"kind": "cash", "value": "x"}}
    (error,) = errors(("pay.value", "5"))
    assert check(error, sent, TOOL).value == 5
    sent["pay"]["kind"] = "card"
    assert check(error, sent, TOOL).value == "5"


def test_the_value_that_was_refused_is_recognised():
    same, other = errors(("count", "0"), ("count", "1"))
    assert check(same, SENT, TOOL).refused
    assert not check(other, SENT, TOOL).refused


def test_a_suggestion_at_no_place_is_not_valid():
    (error,) = errors(("nowhere", "1"))
    assert check(error, SENT, TOOL).pointer is None
    assert not check(error, SENT, TOOL).valid


def test_a_suggestion_for_an_undeclared_member_of_a_closed_object_is_not_valid():
    sent = {**SENT, "extra": 1}
    (error,) = errors(("extra", "2"))
    assert not check(error, sent, TOOL).valid


def test_all_suggestions_of_an_answer_are_applied_together():
    found = errors(("count", "1"), ("guests[0].age", "5"), ("flag", "false"))
    assert apply(SENT, found, SCHEMA) == {
        "name": "n",
        "count": 1,
        "guests": [{"age": 5}, {"age": 2}],
        "flag": False,
    }


def test_the_arguments_that_were_sent_are_left_as_they_are():
    before = repr(SENT)
    apply(SENT, errors(("guests[0].age", "5")), SCHEMA)
    assert repr(SENT) == before


def test_deeper_suggestions_come_first_so_that_a_parent_has_the_last_word():
    found = errors(("guests[0].age", "5"), ("guests", '[{"age": 9}]'))
    assert apply(SENT, found, SCHEMA)["guests"] == [{"age": 9}]


def test_of_two_suggestions_for_one_place_the_first_counts():
    assert apply(SENT, errors(("count", "1"), ("count", "2")), SCHEMA)["count"] == 1


def test_what_is_missing_on_the_way_is_added():
    assert apply({"name": "n"}, errors(("pay.kind", "cash")), SCHEMA)["pay"] == {"kind": "cash"}


@pytest.mark.parametrize("sent", [None, [], "x"])
def test_a_suggestion_for_arguments_that_are_no_object_makes_them_one(sent):
    assert apply(sent, errors(("name", "n")), SCHEMA) == {"name": "n"}


@pytest.mark.parametrize("pair", [("nowhere", "1"), (None, "1"), ("count", None)])
def test_what_names_no_place_or_gives_no_value_changes_nothing(pair):
    assert apply(SENT, errors(pair), SCHEMA) == SENT


def test_an_unusable_schema_changes_nothing():
    assert apply(SENT, errors(("count", "1")), {"type": "objekt"}) == SENT
    unusable = Tool("t", {"type": "objekt"}, ToolForm.CATALOG, {})
    assert not check(errors(("count", "1"))[0], SENT, unusable).valid


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e999"])
def test_a_word_that_json_has_no_number_for_stays_a_text_and_is_not_valid(text):
    tool = Tool("t", {"properties": {"n": {"type": "number"}}}, ToolForm.CATALOG, {})
    found = check(errors(("n", text))[0], {"n": "x"}, tool)
    assert (found.value, found.valid) == (text, False)


@pytest.mark.parametrize("text", ["[" * 100_000, "1e999", "\ud800", "9" * 5_000])
def test_a_hostile_suggestion_hurts_nothing(text):
    assert not check(errors(("count", text))[0], SENT, TOOL).valid or text.isdecimal()


def test_an_invalid_suggestion_is_shown_as_it_came_and_as_not_refused():
    (nowhere,) = errors(("nowhere", "1"))
    found = check(nowhere, SENT, TOOL)
    assert (found.pointer, found.value, found.valid, found.refused) == (None, "1", False, False)
    unusable = Tool("t", {"type": "objekt"}, ToolForm.CATALOG, {})
    found = check(errors(("count", "1"))[0], SENT, unusable)
    assert (found.pointer, found.value, found.valid, found.refused) == (None, "1", False, False)


def test_a_suggestion_is_told_with_its_place():
    (error,) = errors(("guests[1].age", "5"))
    found = check(error, SENT, TOOL)
    assert (found.pointer, found.valid, found.refused) == ("/guests/1/age", True, False)


def test_suggestions_of_one_depth_are_all_applied_and_deeper_ones_before_them():
    found = errors(("pay", '{"kind": "cash"}'), ("guests[1].age", "7"), ("guests[0].age", "6"),
                   ("name", "m"))  # fmt: skip
    assert apply(SENT, found, SCHEMA) == {
        "name": "m",
        "count": 0,
        "guests": [{"age": 6}, {"age": 7}],
        "pay": {"kind": "cash"},
    }


def test_a_parent_has_the_last_word_also_where_its_name_sorts_behind():
    schema = {
        "type": "object",
        "properties": {
            "z": {"type": "object"},
            "a": {"type": "object", "properties": {"b": {"type": "integer"}}},
        },
    }
    found = errors(("a", '{"b": 1}'), ("a.b", "2"), ("z", '{"c": 3}'))
    assert apply({}, found, schema) == {"a": {"b": 1}, "z": {"c": 3}}


def test_what_stands_in_the_way_of_a_suggestion_becomes_an_object_and_a_list_stays_one():
    pay = errors(("pay.kind", "cash"))
    assert apply({"name": "n", "pay": "card"}, pay, SCHEMA)["pay"] == {"kind": "cash"}
    assert apply({"name": "n", "pay": None}, pay, SCHEMA)["pay"] == {"kind": "cash"}
    kept = {"name": "n", "pay": {"value": 1}}
    assert apply(kept, pay, SCHEMA)["pay"] == {"value": 1, "kind": "cash"}
    far = {"name": "n", "guests": []}
    assert apply(far, errors(("guests[4].age", "5")), SCHEMA) == far


def test_a_name_may_be_a_pointer_in_which_slashes_and_tildes_are_escaped():
    schema = {
        "type": "object",
        "properties": {"a/b": {"type": "integer"}, "c~d": {"type": "string"}},
    }
    assert locate("/a~1b", {}, schema) == "/a~1b"
    assert locate("/c~0d", {}, schema) == "/c~0d"
    assert locate("/a~0b", {}, schema) is None
    slash = Violation("/a~1b", "a/b", ("type",))
    assert names_place(slash, "/a~1b") is Naming.EXACT
    assert names_place(slash, "a/b") is Naming.EXACT
    tilde = Violation("/c~0d", "c~d", ("type",))
    assert names_place(tilde, "/c~0d") is names_place(tilde, "c~d") is Naming.EXACT
    assert names_place(tilde, "/c~1d") is Naming.WRONG


def test_a_place_in_the_arguments_that_nothing_declares_is_located_too():
    open_schema = {"type": "object"}
    assert locate("/extra/0", {"extra": [1]}, open_schema) == "/extra/0"
    assert locate("extra[0].more", {"extra": [{"more": 1}]}, open_schema) == "/extra/0/more"
    assert locate("other", {"extra": [1]}, open_schema) is None


def test_a_root_before_a_name_is_passed_over_unless_it_is_the_whole_name():
    schema = {
        "type": "object",
        "properties": {"input": {"type": "string"}, "n": {"type": "integer"}},
    }
    assert locate("input", {}, schema) == "/input"
    assert locate("arguments.n", {}, schema) == "/n"
    assert locate("arguments", {}, schema) is None


def test_an_index_is_read_where_an_array_is_declared_although_none_was_sent():
    assert locate("guests.0.age", {"name": "n"}, SCHEMA) == "/guests/0/age"
    assert locate("guests.0.age", {"name": "n", "guests": "none"}, SCHEMA) == "/guests/0/age"


def test_in_a_union_a_suggestion_is_read_by_any_branch_where_none_suits():
    sent = {"name": "n", "pay": {}}
    assert check(errors(("pay.value", "5"))[0], sent, TOOL).valid
    assert check(errors(("pay.kind", "cash"))[0], sent, TOOL).valid
    assert not check(errors(("pay.kind", "gold"))[0], sent, TOOL).valid


def test_a_member_that_is_named_by_digits_is_no_item():
    sent = {"a": {"0": {"b": 1}}}
    assert locate("a.0.b", sent, {"type": "object"}) == "/a/0/b"
    (error,) = errors(("a.0.b", "2"))
    assert apply(sent, [error], {"type": "object"}) == {"a": {"0": {"b": "2"}}}


@pytest.mark.parametrize("name", ["guests[{}]", "guests.{}", "/guests/{}", "/guests/{}/age"])
def test_an_index_of_thousands_of_digits_names_no_place(name):
    assert locate(name.format("9" * 5_000), {"guests": [{"age": 1}]}, SCHEMA) is None


def branch(number):
    row = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    members = {
        "kind": {"const": f"k{number}"},
        "rows": {"type": "array", "items": row},
        "limit": {"type": "integer", "maximum": 5},
        "to": {"type": "integer", "maximum": 5},
    }
    return {"type": "object", "properties": members, "required": ["kind", "rows", "limit", "to"]}


WIDE = Tool("t", {"type": "object", "oneOf": [branch(n) for n in range(12)]}, ToolForm.CATALOG, {})


@pytest.mark.parametrize("name", ["limit", "to"])
def test_a_suggestion_counts_as_valid_once_the_schema_has_taken_too_many_steps(name):
    sent = {"kind": "k11", "rows": [{"n": 1}] * 80, "limit": 6}
    (given,) = errors((name, "5"))
    found = []
    view_of(WIDE.input_schema).refill()
    for count in range(100):
        arguments = {**sent, "limit": 6 + count}
        found.append(check(given, arguments, WIDE))
        assert apply(arguments, (given,), WIDE.input_schema) in (
            {**arguments, name: 5},
            arguments,
        )
    assert all(each.valid for each in found)
    assert {each.unknown for each in found} == {False, True}


@pytest.mark.parametrize(("length", "is_kept"), [(10, True), (100_000, False)])
def test_the_places_of_a_long_call_are_not_kept(length, is_kept, monkeypatch):
    walks = []
    monkeypatch.setattr(suggestions, "applied", lambda *g: walks.append(g) or applied(*g))
    view = view_of(SCHEMA)
    for _ in range(2):
        schemas_at(view, {"name": "x" * length}, "/count")
    assert len(walks) == (1 if is_kept else 2)


def test_a_place_behind_references_that_double_has_no_reading():
    """Each level names the one below twice: thirty levels are a billion schemas."""
    levels = {"l0": {"properties": {"a": {"type": "integer"}}}}
    for n in range(30):
        levels[f"l{n + 1}"] = {"allOf": [{"$ref": f"#/$defs/l{n}"}] * 2}
    schema = {"type": "object", "$defs": levels, "properties": {"x": {"$ref": "#/$defs/l30"}}}
    (given,) = errors(("x.a", "3"))
    found = check(given, {"n": 1}, Tool("t", schema, ToolForm.CATALOG, {}))
    assert (found.valid, found.unknown) == (True, True)
    assert apply({"n": 1}, (given,), schema) == {"n": 1}
