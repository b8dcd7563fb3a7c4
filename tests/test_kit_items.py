"""Items: names that no tool can misuse, and pytest's outcome for each verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.formats.clauses import clauses
from conformance.kit.clause import ClauseTest
from conformance.kit.item import item_name
from conformance.kit.judging import Question
from conformance.kit.slug import LONGEST, slug

HOSTILE = [
    "</script><script>alert(1)</script>",
    "\x1b[31mred\x1b[0m",
    "a]b[c",
    "a::b",
    "../../etc/passwd",
    "naïve tool",
    "道具",
    "\u202eevil",
    "\ud800",
    "",
    " ",
    "a\nb",
    "x" * 10_000,
    "-" * 50,
]


def name(tool):
    question = Question(
        ClauseTest("ATDF-ERR-004", lambda _: iter(())), clauses()["ATDF-ERR-004"], "http", tool
    )
    return item_name("test_x", question)


@pytest.mark.parametrize("tool", HOSTILE, ids=range(len(HOSTILE)))
def test_an_item_s_name_is_short_plain_ascii_whatever_the_tool_is_called(tool):
    made = name(tool)
    inside = made.removeprefix("test_x[ATDF-ERR-004-http").removesuffix("]")
    assert made.isascii()
    assert made.isprintable()
    assert len(inside) <= LONGEST + 8
    assert not set("<>&\"'[]:/\\ ") & set(inside)


def test_a_plain_name_is_kept_as_it_is():
    assert name("hotel_reservation") == "test_x[ATDF-ERR-004-http-hotel_reservation]"


def test_a_clause_about_the_target_has_no_tool_in_its_name():
    assert name(None) == "test_x[ATDF-ERR-004-http]"


@given(st.text(max_size=80), st.text(max_size=80))
def test_two_tools_never_share_a_slug(one, other):
    assert (slug(one) == slug(other)) is (one == other)


def test_long_names_that_begin_alike_stay_apart():
    assert slug("x" * 500 + "a") != slug("x" * 500 + "b")
