"""A request in each of its forms."""

from conformance.kit.model.exchange import HttpRequest, StdioRequest


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
