"""The body of an HTTP answer that was kept with its headers."""

import pytest

from conformance.formats.text.http_answer import body, split

HEAD = b"HTTP/1.1 422 Unprocessable Content\r\ncontent-type: application/json\r\n\r\n"
JSON = b'{"errors": []}\n'


@pytest.mark.parametrize(
    "head",
    [
        HEAD,
        HEAD.replace(b"\r", b""),
        b"HTTP/2 200 \nserver: x\n",
        b"HTTP/1.1 301 Moved\nlocation: /a\n\n" + HEAD,
        b"$ curl -i \\\n  http://127.0.0.1:8000/a\n" + HEAD,
        b"\n\n" + HEAD,
    ],
    ids=["crlf", "lf", "no blank line", "redirect", "command", "blank lines"],
)
def test_the_body_keeps_its_lines(head):
    assert split(head + JSON) == (head, JSON)
    assert body(head + JSON) == b"\n" * head.count(b"\n") + JSON


@pytest.mark.parametrize(
    "raw", [JSON, b"", b"a: HTTP/1.1\n", b"curl: 1\n", b"HTTP: 1\nerrors: []\n"]
)
def test_a_text_without_a_status_line_is_a_body(raw):
    assert body(raw) == raw


def test_a_long_text_is_split_in_time():
    raw = b"HTTP/1.1 200 OK\n" + b"a: b\n" * 100_000 + b"\\\n" * 100_000
    assert split(raw) == (b"", raw)
    assert split(b"curl " + b"\\\r" * 1_000_000)[0] == b""
