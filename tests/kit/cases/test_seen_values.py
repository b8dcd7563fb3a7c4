"""Values that a tool returned are put into calls of another tool that asks for them."""

from dataclasses import replace

import pytest

from conformance.kit.cases.seen_values import SeenValues, items_in
from tests.kit.samples import TOOL


def asking(name="GET /orders/{id}", **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return replace(TOOL, name=name, input_schema=schema)


def put(returned, tool, arguments, *, by="GET /orders"):
    seen = SeenValues()
    seen.note(by, returned)
    return list(seen.put_into(tool, arguments))


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("parameter", "member"),
    [
        ("id", "id"),
        ("order_id", "orderId"),
        ("orderId", "id"),
        ("id", "order_id"),
        ("sku", "SKU"),
    ],
)
def test_a_parameter_takes_the_values_of_a_member_with_its_name_or_of_an_id(parameter, member):
    returned = {"items": [{member: "A-1", "other": "x"}, {member: "B-2"}]}
    found = put(returned, asking(**{parameter: TEXT}), {parameter: "a"})
    assert found == [{parameter: "A-1"}, {parameter: "B-2"}]


@pytest.mark.parametrize(
    ("parameter", "returned"),
    [
        ("sku", [{"id": "A-1"}]),
        ("id", [{"paid": "A-1"}]),
        ("id", ["A-1"]),
        ("id", [{"id": True}, {"id": None}, {"id": 1.5}, {"id": "x" * 201}, {"id": ""}]),
        ("api_key", [{"api_key": "A-1"}]),
    ],
    ids=["another name", "no id", "no member", "no id's value", "a secret's name"],
)
def test_other_values_are_left_where_they_are(parameter, returned):
    assert put(returned, asking(**{parameter: TEXT}), {parameter: "a"}) == []


def test_only_valid_arguments_are_made():
    returned = [{"id": 7}, {"id": "seven"}, {"id": 8}]
    assert put(returned, asking(id=NUMBER), {"id": 1}) == [{"id": 7}, {"id": 8}]


def test_values_of_a_tool_with_more_words_in_common_come_first():
    seen = SeenValues()
    seen.note("GET /customers", [{"id": "c-1"}])
    seen.note("GET /orders", [{"id": "o-1"}])
    (first, second) = seen.put_into(asking("GET /orders/{id}", id=TEXT), {"id": "a"})
    assert (first, second) == ({"id": "o-1"}, {"id": "c-1"})


def test_several_parameters_take_values_of_the_same_place_in_the_list():
    returned = [{"shop_id": "s-1", "id": "o-1"}, {"shop_id": "s-2", "id": "o-2"}]
    tool = asking("order", shop_id=TEXT, order_id=TEXT)
    assert put(returned, tool, {"shop_id": "a", "order_id": "a"})[:2] == [
        {"shop_id": "s-1", "order_id": "o-1"},
        {"shop_id": "s-2", "order_id": "o-2"},
    ]


def test_an_answer_without_end_is_read_only_so_far():
    seen = SeenValues()
    seen.note("list", {f"m{n}": "x" for n in range(10_000)} | {"id": "A-1"})
    assert list(seen.put_into(asking(id=TEXT), {"id": "a"})) == []
    for n in range(1000):
        seen.note(f"tool{n}", {"id": "A-1"})
    assert list(seen.put_into(asking(id=TEXT), {"id": "a"})) == [{"id": "A-1"}]


def test_thousands_of_parameters_and_of_names_cost_no_time():
    seen = SeenValues()
    for n in range(200):
        seen.note(f"tool{n}", {f"m{n}_{number}_id": number for number in range(100)})
    names = [f"{'_' * n}id" for n in range(3000)] + ["x" * 1_000_000 + "_id"]
    (first, *_) = seen.put_into(asking(**dict.fromkeys(names, NUMBER)), dict.fromkeys(names, 7))
    assert first["id"] == 0
    assert first[names[-1]] == 7  # too long for the name of an id


@pytest.mark.parametrize(
    ("parameter", "returned", "by"),
    [
        ("plugin", {"plugins": ["cpu", "disk"]}, "about"),
        ("plugin", ["cpu", "disk"], "listPlugins"),
        ("plugin_name", {"result": ["cpu", "disk"]}, "list_plugins"),
        ("plugin", [{"name": "cpu"}, {"name": "disk"}], "get_all_plugins"),
    ],
)
def test_a_parameter_takes_the_items_of_a_list_that_is_named_like_it(parameter, returned, by):
    found = put(returned, asking("show", **{parameter: TEXT}), {parameter: "a"}, by=by)
    assert found == [{parameter: "cpu"}, {parameter: "disk"}]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- cpu\n- disk (2)", ["cpu", "disk"]),
        ("# All\n* [The CPU](web/cpu.txt): it computes\n* [x](y)", ["web/cpu.txt", "y"]),
        ("1. `cpu` - it computes\n2. **the disk**", ["cpu", "the disk"]),
        ("a.txt\nb.txt", ["a.txt", "b.txt"]),
        ("cpu", []),
        ("The list:\n- what a day it was\nThe end", []),
    ],
)
def test_a_text_with_an_item_on_each_line_is_a_list(text, items):
    assert items_in(text) == items
