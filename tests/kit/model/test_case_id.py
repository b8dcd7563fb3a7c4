from dataclasses import replace

import pytest

from conformance.kit.model.case_id import CaseId

PLAIN = CaseId("http", "book", "fraction", "n")


@pytest.mark.parametrize(
    ("id", "text"),
    [
        (PLAIN, "http/book/fraction/n"),
        (replace(PLAIN, branch="branch-2-pay"), "http/book/fraction/n/branch-2-pay"),
        (replace(PLAIN, count=2), "http/book/fraction/n~2"),
        (replace(PLAIN, smallest="0a1b"), "http/book/fraction/n/smallest-0a1b"),
        (replace(PLAIN, repair=1), "http/book/fraction/n/repair-1"),
        (replace(PLAIN, count=2, repair=3), "http/book/fraction/n~2/repair-3"),
        (replace(PLAIN, smallest="f", repair=3), "http/book/fraction/n/smallest-f/repair-3"),
        (CaseId("http", "a <b>", "second"), "http/a-b-5e7342/second"),
        (CaseId("http", "book"), "http/book"),
        (CaseId("http"), "http"),
    ],
)
def test_an_id_is_read_as_its_parts_in_order(id, text):
    assert (str(id), id.text) == (text, text)
    assert CaseId(**id.parts) == id


def test_an_id_is_known_by_its_text():
    assert {PLAIN: 1}[CaseId(**PLAIN.parts)] == 1
    assert PLAIN.text != PLAIN
    assert PLAIN.in_run("mcp").text == "mcp/book/fraction/n"


@pytest.mark.parametrize(
    ("id", "wanted", "named"),
    [
        (PLAIN, "http/book/fraction/n", True),
        (PLAIN, "http/book/fraction/n/repair-1", True),
        (PLAIN, "http/book/fraction/n~2", False),
        (PLAIN, "http/book/fraction", False),
        (CaseId("http"), "http/book/fraction/n", True),
        (CaseId("http"), "http-2/book/fraction/n", False),
        (CaseId("http", "boo"), "http/book/fraction/n", False),
    ],
)
def test_what_a_user_typed_names_a_case_or_one_below_it(id, wanted, named):
    assert id.names(wanted) is named


def test_a_run_or_a_tool_is_above_its_cases_and_not_above_itself():
    tool = CaseId("http", "book")
    assert tool.is_above("http/book/missing/name")
    assert not tool.is_above("http/book")
    assert not tool.is_above("http/bookings/missing/name")
