"""A request in each of its forms."""

import json
import tracemalloc

import pytest

from conformance.kit.model.exchange import Answer, HttpRequest, StdioRequest, weight
from conformance.kit.transport.binding import Received


def test_a_header_takes_the_place_of_those_of_its_name():
    request = HttpRequest("GET", "/", (("authorization", "old"), ("Accept", "*/*")))
    sent = request.with_headers((("Authorization", "new"), ("Cookie", "a=1"), ("Cookie", "b=2")))
    assert sent.headers == (
        ("Accept", "*/*"), ("Authorization", "new"), ("Cookie", "a=1"), ("Cookie", "b=2"),
    )  # fmt: skip


def test_a_line_has_no_headers():
    line = StdioRequest(b"{}", answer_to=7)
    assert line.with_headers((("Authorization", "new"),)) is line
    assert line.headers == ()


def test_many_short_headers_weigh_what_they_take_in_memory():
    tracemalloc.start()
    own = tuple((f"{number:x}", f"{number:x}a") for number in range(9_000))
    takes = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert takes <= Answer(200, own).beside <= 2 * takes
    assert Received(Answer(200, own), None, 0.0).cut().answer.headers == ()


@pytest.mark.parametrize("first", ["x", "é", "的", "😀"])
@pytest.mark.parametrize("is_escaped", [False, True])
def test_a_text_weighs_what_its_bytes_and_its_value_take_in_memory(first, is_escaped):
    body = json.dumps([first + "x" * 1_000_000], ensure_ascii=is_escaped).encode()
    tracemalloc.start()
    value = json.loads(body.decode())
    takes = len(body) + tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert value
    assert takes <= 1.02 * weight(body)
