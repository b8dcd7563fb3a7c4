"""The rule language of provider manifests."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.formats.runtime.event_rules import apply, compiled
from conformance.formats.runtime.rule_language import (
    RuleError,
    TooMuchWork,
    expression,
    limited,
    path,
)

FRAME = {
    "type": "delta",
    "text": "",
    "none": None,
    "zero": 0,
    "yes": True,
    "items": [{"kind": "a", "n": 1}, {"kind": "b"}, "c"],
    "deep": {"er": {"odd-name": [["x"]]}},
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("$.type", True),
        ("$.text", True),
        ("$.zero", True),
        ("$.none", False),
        ("$.absent", False),
        ("$", True),
        ("exists($.type)", True),
        ("exists($.none)", False),
        ("exists( $.items[*].n )", True),
        ("$.type == 'delta'", True),
        ("$.type=='delta'", True),
        ("$.type == 'Delta'", False),
        ("$.type != 'stop'", True),
        ("$.absent != 'stop'", False),
        ("$.none == null", True),
        ("$.absent == null", False),
        ("$.type != null", True),
        ("$.yes == true", True),
        ("$.yes == 1", False),
        ("$.zero == 0", True),
        ("$.zero == false", False),
        ("$.zero == -0.0", True),
        ("$.items[0].n == 1e0", True),
        ("$.type in ['start', 'delta']", True),
        ("$.type in ['start']", False),
        ("$.zero in ['0']", False),
        ("$.items[*].kind == 'b'", True),
        ("$.items[*].kind == 'z'", False),
        ("$.items[*].kind != 'a'", True),
        ("$.items[1].n", False),
        ("$.items[9]", False),
        ("$.deep.er.odd-name[*][*] == 'x'", True),
        ("!$.absent", True),
        ("!exists($.type)", False),
        ("!$.type == 'stop'", True),
        ("$.absent || $.type", True),
        ("$.absent && $.type", False),
        ("$.absent && $.type || $.yes", True),
        ("$.yes || $.absent && $.absent", True),
        ("$.yes && !$.absent && $.type == 'delta'", True),
        ("  $.yes\n&&\t$.type ", True),
    ],
)
def test_an_expression_holds_for_a_frame_or_does_not(text, holds):
    assert expression(text)(FRAME) is holds


@pytest.mark.parametrize("frame", [None, 5, "text", [], [1], {}])
def test_an_expression_is_false_for_a_frame_of_another_kind(frame):
    assert expression("$.type == 'delta'")(frame) is False


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("$.type ==", 10),
        ("$.type = 'a'", 8),
        ("$.type == 'a", 11),
        ('$.type == "a"', 11),
        ("$.type == 'a' &&", 17),
        ("$.type in []", 12),
        ("$.type in [1]", 12),
        ("($.type)", 1),
        ("$.type == 'a' $.b", 15),
        ("$..type", 2),
        ("$.a[-1]", 4),
        ("$.a[?@.b]", 4),
        ("exists $.type", 8),
        ("!!$.type", 2),
        ("type == 'a'", 1),
        ("$.zero == 01", 12),
    ],
)
def test_what_is_no_expression_is_refused_at_the_character_where_it_ends(text, column):
    with pytest.raises(RuleError) as raised:
        expression(text)
    assert raised.value.column == column


@given(st.text(alphabet="$.[]*!=&|()'ab01 intruefalsenullexists", max_size=40))
def test_any_text_is_an_expression_or_refused(text):
    with suppress(RuleError):
        assert expression(text)(FRAME) in (True, False)


def test_an_expression_of_a_book_is_refused():
    with pytest.raises(RuleError):
        expression(" || ".join(["$.a"] * 5000))


def test_an_index_of_thousands_of_digits_leads_nowhere():
    assert expression("$[" + "9" * 6000 + "]")([1, 2]) is False
    assert expression("$[" + "0" * 6000 + "1]")([1, 2]) is True


def test_a_literal_of_thousands_of_digits_is_refused():
    with pytest.raises(RuleError):
        expression("$.a == " + "1" * 6000)


def test_a_path_of_a_book_is_refused():
    with pytest.raises(RuleError):
        path("$" + ".a" * 10_000)


def test_the_steps_of_expressions_are_counted_where_they_are_limited():
    test = expression("$.a[*] == 'b'")
    assert test({"a": ["c"] * 100}) is False
    with pytest.raises(TooMuchWork), limited(50):
        test({"a": ["c"] * 100})
    assert test({"a": ["c"] * 100}) is False


def test_a_path_gives_its_steps():
    assert path("$.a.b-c[0][*]") == ("a", "b-c", 0, None)


def _made(extract, frame=None, match="$"):
    rule = compiled({"match": match, "emit": "Metadata", "extract": extract})
    return [each.payload for each in apply((rule,), FRAME if frame is None else frame) or ()]


def test_fields_is_another_name_of_extract():
    rule = compiled({"match": "$", "emit": "Metadata", "fields": {"model": "$.type"}})
    assert apply((rule,), FRAME)[0].payload == {"model": "delta"}


def test_what_does_not_begin_with_a_dollar_is_a_value():
    assert _made({"finish_reason": "end_turn", "index": 3}) == [
        {"finish_reason": "end_turn", "index": 3}
    ]


def test_a_path_to_nothing_leaves_its_field_out():
    assert _made({"a": "$.absent", "b": "$.none"}) == [{"b": None}]


def test_a_name_with_dots_makes_an_object():
    assert _made({"error.code": "$.type", "error.message": "x"}) == [
        {"error": {"code": "delta", "message": "x"}}
    ]


def test_a_star_makes_an_event_for_each_item_that_has_something():
    assert _made({"tool_name": "$.items[*].kind", "index": "$.items[*].n"}) == [
        {"tool_name": "a", "index": 1},
        {"tool_name": "b"},
    ]


def test_stars_in_one_another_go_through_all():
    frame = {"c": [{"t": [{"n": 1}, {"n": 2}]}, {"t": [{"n": 3}]}]}
    assert _made({"index": "$.c[*].t[*].n"}, frame) == [{"index": 1}, {"index": 2}, {"index": 3}]


def test_inner_stars_share_their_item():
    frame = {"c": [{"k": "x", "t": [{"n": 1, "a": "p"}]}, {"k": "y", "t": [{"n": 2, "a": "q"}]}]}
    extract = {"tool_name": "$.c[*].k", "index": "$.c[*].t[*].n", "arguments": "$.c[*].t[*].a"}
    assert _made(extract, frame) == [
        {"tool_name": "x", "index": 1, "arguments": "p"},
        {"tool_name": "y", "index": 2, "arguments": "q"},
    ]


def test_a_star_over_what_is_no_list_makes_nothing():
    assert _made({"a": "$.type[*].x"}) == []


def test_all_rules_that_match_apply_in_their_order():
    rules = tuple(
        compiled({"match": match, "emit": emit, "extract": {}})
        for match, emit in (("$.yes", "Metadata"), ("$.absent", "StreamEnd"), ("$", "StreamEnd"))
    )
    assert [each.event for each in apply(rules, FRAME)] == ["Metadata", "StreamEnd"]


def test_a_frame_that_no_rule_matches_gives_nothing_at_all():
    rule = compiled({"match": "$.absent", "emit": "Metadata", "extract": {}})
    assert apply((rule,), FRAME) is None
