"""A request in each of its forms."""

import tracemalloc

from conformance.kit.model.exchange import Answer, HttpRequest, StdioRequest
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
