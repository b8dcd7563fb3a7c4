"""The HTTP connection: whatever a server does, an answer or a named trouble comes back in time."""

import asyncio
import gzip
import json
import time
import tracemalloc
import warnings
import zlib
from contextlib import suppress
from random import Random
from types import MappingProxyType
from urllib.parse import urljoin

import httpx2
import pytest

from conformance.kit.model.exchange import HttpRequest, Trouble
from conformance.kit.model.loopback import same_server
from conformance.kit.transport import http_connection as http
from conformance.kit.transport.binding import BODY_CAP, CUT_KEPT, MESSAGES_CAP, WIDE_CAP
from conformance.kit.transport.cookies import cookies, learned_by
from conformance.kit.transport.http_connection import HttpConnection
from fixtures.servers.hostility.heads import HEADS
from fixtures.servers.hostility.kept import KEPT
from tests.kit.peers import always, close, hang, head, serving, whole
from tests.waiting import rounds, slow_to_answer

LONG = 30.0
"""A request timeout that no test waits for, however slow the machine."""
EVENTS = "Content-Type: text/event-stream"


def send(answer, *, method="POST", path="/mcp", timeout=LONG, headers=(), own=(), **request):
    """What one request to such a server gives, and the server's side of it.

    The request has its `own` headers, and those of the session.
    """
    request = {"body": b"{}", "headers": own, **request}

    async def main():
        async with serving(answer) as peer:
            connection = HttpConnection(peer.url, timeout=timeout, headers=headers, width=4)
            url = path if path.startswith("http") else peer.url + path
            asked = HttpRequest(method, url, **request)
            try:
                return await connection.send(asked), peer
            finally:
                await connection.close()

    return asyncio.run(main())


class Body(bytes):
    """A request's body that counts how many of its kind there are."""

    alive = 0

    def __new__(cls, content):
        cls.alive += 1
        return super().__new__(cls, content)

    def __del__(self):
        type(self).alive -= 1


def event(message):
    return f"data: {json.dumps(message)}\n\n".encode()


REPLY = {"jsonrpc": "2.0", "id": 7, "result": {}}
NOTE = {"jsonrpc": "2.0", "method": "notifications/message"}


def test_an_answer_comes_back_with_status_headers_and_body():
    received, _ = send(always(whole(b'{"a":1}', "Content-Type: application/json", status="201 X")))
    assert (received.answer.status, received.answer.body) == (201, b'{"a":1}')
    assert received.answer.header("CONTENT-TYPE") == "application/json"
    assert received.trouble is None


def test_no_request_stays_in_memory_when_it_was_answered():
    for _ in range(20):
        send(always(whole(b"{}", "Content-Type: application/json")), body=Body(b"{}"))
    assert Body.alive <= 1


def test_headers_of_the_session_go_with_every_request():
    _, peer = send(always(whole(b"")), headers=(("X-Own", "yes"),))
    assert "x-own: yes" in peer.requests[0][0].lower()


def test_no_password_of_a_netrc_file_is_sent(tmp_path, monkeypatch):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password hunter2\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    _, peer = send(always(whole(b"")))
    assert "authorization" not in peer.requests[0][0].lower()


def test_nothing_is_asked_to_be_packed():
    _, peer = send(always(whole(b"")))
    assert "accept-encoding: identity" in peer.requests[0][0].lower()


def test_no_header_is_sent_that_the_request_does_not_name():
    _, peer = send(always(whole(b"")))
    names = {line.split(":")[0].lower() for line in peer.requests[0][0].splitlines()[1:] if line}
    assert names == {"host", "accept-encoding", "content-length"}


def test_a_stream_is_read_up_to_the_response_with_our_id_and_no_further():
    stream = head(EVENTS) + event(NOTE) + event({**REPLY, "id": 6}) + event(REPLY)
    received, _ = send(always(stream, then=hang), answer_to=7)
    assert [m.get("id") for m in received.answer.messages] == [None, 6, 7]
    assert received.trouble is None


@pytest.mark.parametrize(
    "priming", [b"data:\n\n", b"id: 1\ndata: \n\n", b": comment\n\n", b"retry: 10\n\n", b"\r\n\r\n"]
)
def test_priming_events_and_comments_are_passed_over(priming):
    stream = head(EVENTS) + priming + event(REPLY)
    received, _ = send(always(stream, then=hang), answer_to=7)
    assert received.answer.messages == (REPLY,)


def in_parts(*streams, status="200 OK"):
    """A server that closes each of these streams, and answers all later requests with 404."""

    async def answer(writer, peer):
        number = len(peer.requests)
        known = number <= len(streams)
        writer.write(head(EVENTS, status=status) + streams[number - 1] if known else NO_MORE)
        writer.close()

    return answer


NO_MORE = whole(b"", status="404 X")
BEGUN = b"id: a-1\nretry: 60\ndata:\n\n"
VERSION = "MCP-Protocol-Version"


@pytest.mark.parametrize("headers", [(), ((VERSION, "2025-11-25"), ("Mcp-Session-Id", "s"))])
def test_a_stream_that_ends_before_the_response_goes_on_behind_its_last_event(headers):
    middle = b"id: a-2\n" + event(NOTE)
    asked = (("Content-Type", "application/json"), *headers)
    began = time.monotonic()
    received, peer = send(in_parts(BEGUN, middle, event(REPLY)), answer_to=7, own=asked)
    assert received.trouble is None
    assert received.answer.messages == (NOTE, REPLY)
    assert time.monotonic() - began >= 0.12
    first, *others = (each.lower() for each, _ in peer.requests)
    assert first.startswith("post /mcp ")
    assert all(each.startswith("get /mcp ") for each in others)
    assert ["last-event-id: a-1" in each for each in others] == [True, False]
    assert "last-event-id: a-2" in others[1]
    assert not any("content-type" in each for each in others)
    for name, value in headers:
        assert all(f"{name}: {value}".lower() in each for each in others)


@pytest.mark.parametrize(
    ("stream", "more"),
    [
        (b"data:\n\n", {"answer_to": 7}),
        (BEGUN, {}),
        (BEGUN, {"answer_to": 7, "own": ((VERSION, "2026-07-28"),)}),
        (BEGUN + event({**REPLY, "id": 6}), {"answer_to": 7}),
        (b"id: \xc3\xa9\ndata:\n\n", {"answer_to": 7}),
        (b"id: " + b"x" * 5000 + b"\ndata:\n\n", {"answer_to": 7}),
    ],
)
def test_a_stream_does_not_go_on_without_an_id_or_in_another_version(stream, more):
    received, peer = send(in_parts(stream), **more)
    assert (received.trouble, len(peer.requests)) == (None, 1)


def test_a_stream_that_the_server_does_not_continue_ends_without_a_response():
    received, peer = send(in_parts(BEGUN), answer_to=7)
    assert (received.trouble, received.answer.status, received.answer.messages) == (None, 200, ())
    assert len(peer.requests) == 2


def test_a_stream_that_goes_on_for_ever_is_asked_for_a_few_times_only():
    _, peer = send(in_parts(*[b"id: 1\nretry: 0\ndata:\n\n"] * 99), answer_to=7)
    assert len(peer.requests) < 20


def test_an_event_that_is_no_json_is_passed_over():
    stream = head(EVENTS) + b"data: {nonsense\n\n" + event(REPLY)
    received, _ = send(always(stream, then=hang), answer_to=7)
    assert received.answer.messages == (REPLY,)


def test_an_event_over_several_lines_and_several_packets_is_one_message():
    text = json.dumps(REPLY, indent=1).replace("\n", "\r\ndata: ")
    data = f"data: {text}\r\n\r\n".encode()

    async def drip(writer, peer):
        for part in (data[:9], data[9:25], data[25:]):
            writer.write(part)
            await writer.drain()
            await rounds(50)  # the client has read it
        await hang(writer, peer)

    received, _ = send(always(head(EVENTS), then=drip), answer_to=7)
    assert received.answer.messages == (REPLY,)


def test_a_stream_that_a_get_opened_is_read_for_a_moment_only():
    stream = head(EVENTS) + event(NOTE)
    received, _ = send(always(stream, then=hang), method="GET", settle=0.3)
    assert received.answer.messages == (NOTE,)
    assert received.trouble is None


def test_an_answer_of_another_type_is_not_read_for_ever_where_a_stream_was_asked_for():
    stream = (("Accept", "text/event-stream"),)
    begun = head("Content-Type: application/json") + b"{"
    received, _ = send(always(begun, then=hang), method="GET", own=stream, timeout=8)
    assert (received.trouble, received.answer.status) == (None, 200)
    received, _ = send(always(begun, then=hang), method="GET", timeout=1)
    assert received.trouble is Trouble.TIMEOUT


def test_a_body_without_end_is_capped():
    async def pour(writer, peer):
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    received, _ = send(always(head("Content-Length: 99999999999"), then=pour))
    assert received.trouble is Trouble.TOO_LARGE
    assert len(received.answer.body) == CUT_KEPT


def test_a_stream_of_very_many_messages_is_capped_and_none_is_kept():
    stream = head(EVENTS) + event(NOTE) * (MESSAGES_CAP + 1)
    received, _ = send(always(stream, then=hang), answer_to=7)
    assert received.trouble is Trouble.TOO_LARGE
    assert received.answer.messages == ()


def test_a_stream_without_end_is_capped():
    async def pour(writer, peer):
        while True:
            writer.write(event({**NOTE, "params": "x" * 65536}))
            await writer.drain()

    received, _ = send(always(head(EVENTS), then=pour), answer_to=7)
    assert received.trouble is Trouble.TOO_LARGE


def test_an_answer_of_more_values_than_fit_into_memory_is_cut():
    lists = b"[" + b"[]," * 1_000_000 + b"[]]"
    received, _ = send(always(whole(lists)))
    assert received.trouble is Trouble.TOO_LARGE
    assert received.answer.body == lists[:CUT_KEPT]


def test_a_text_that_is_wide_in_memory_may_be_half_as_long():
    received, _ = send(always(whole(b'"' + "😀".encode() + b"x" * WIDE_CAP + b'"')))
    assert received.trouble is Trouble.TOO_LARGE
    received, _ = send(always(whole(b'"' + "é".encode() + b"x" * WIDE_CAP + b'"')))
    assert received.trouble is None


@pytest.mark.parametrize("kind", ["gzip", "deflate"])
def test_a_small_answer_that_unpacks_to_a_large_one_is_capped(kind):
    pack = gzip.compress if kind == "gzip" else zlib.compress
    bomb = pack(b"\0" * (BODY_CAP * 4))
    received, _ = send(always(whole(bomb, f"Content-Encoding: {kind}")))
    assert received.trouble is Trouble.TOO_LARGE
    assert len(received.answer.body) == CUT_KEPT


def test_what_comes_behind_the_end_of_what_was_packed_is_not_kept():
    class Packed:
        headers = MappingProxyType({"content-encoding": "deflate"})

        async def aiter_raw(self):
            yield zlib.compress(b"{}")
            for _ in range(2000):
                yield b"x" * 65536

    async def main():
        tracemalloc.start()
        pieces = [piece async for piece in http.decoded(Packed())]
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return b"".join(pieces), most

    body, most = asyncio.run(main())
    assert body == b"{}"
    assert most < 10_000_000


def test_an_answer_that_is_packed_unasked_is_unpacked():
    received, _ = send(always(whole(gzip.compress(b"{}"), "Content-Encoding: gzip")))
    assert received.answer.body == b"{}"
    nothing, _ = send(always(whole(b"", "Content-Encoding: gzip")))
    assert (nothing.trouble, nothing.answer.body) == (None, b"")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("gzip", b"not packed at all"),
        ("br", b"xx"),
        ("gzip", gzip.compress(b"{}", mtime=0)[:-8]),
        ("deflate", zlib.compress(b"{}")[:-1]),
    ],
    ids=["no gzip", "never asked for", "gzip that is cut", "deflate that is cut"],
)
def test_an_answer_that_cannot_be_unpacked_to_its_end_is_garbled(kind, body):
    received, _ = send(always(whole(body, f"Content-Encoding: {kind}")))
    assert received.trouble is Trouble.GARBLED
    assert received.answer.status == 200


@pytest.mark.parametrize(
    "to",
    ["http://127.0.0.2:9/x", "https://example.org/x", "//example.org", "/\t/127.0.0.2:9/x",
     "http://127.0.0.1:1@127.0.0.2:9/", "HTTP://127.0.0.2:9/", "http://[::ffff:127.0.0.1]:9/",
     "http://[::1%25lo]:9/", "http://localhost:9/", "file:///etc/passwd", "data:,{}"],
)  # fmt: skip
def test_a_redirect_to_another_server_is_not_followed(to):
    received, peer = send(always(whole(b"", f"Location: {to}", status="302 Found")))
    assert received.trouble is Trouble.REDIRECTED
    assert received.answer.header("location") == to
    assert len(peer.requests) == 1


@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
@pytest.mark.parametrize(
    "value",
    ["[::1", "http://[", "::1/128", "127.0.0.1:99999", "http://x:80:80", "*.*", "%", "//x", "all://*",
     ".,.,", "x" * 100_000],
    ids=lambda value: value[:20],
)  # fmt: skip
def test_odd_words_about_proxies_cost_no_connection(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    connection = HttpConnection("http://vm.invalid:9", timeout=LONG, headers=(), width=1)
    asyncio.run(connection.close())


def test_a_redirect_to_no_address_at_all_is_garbled():
    received, _ = send(always(whole(b"", "Location: http://[", status="302 Found")))
    assert received.trouble is Trouble.GARBLED


def test_a_redirect_on_the_same_server_that_keeps_the_method_is_followed_with_the_body():
    async def answer(writer, peer):
        first = len(peer.requests) == 1
        moved = whole(b"", "Location: /mcp/", status="307 Temporary Redirect")
        writer.write(moved if first else whole(b"there"))

    received, peer = send(answer, body=b'{"x":1}')
    assert received.answer.body == b"there"
    assert [body for _, body in peer.requests] == [b'{"x":1}'] * 2


def test_a_redirect_that_would_turn_a_post_into_a_get_is_not_followed():
    received, peer = send(always(whole(b"", "Location: /else", status="303 See Other")))
    assert received.answer.status == 303
    assert len(peer.requests) == 1


def test_a_redirect_in_a_circle_ends():
    received, peer = send(always(whole(b"", "Location: /mcp", status="308 X")))
    assert received.trouble is Trouble.REDIRECTED
    assert len(peer.requests) == 4


@pytest.mark.parametrize("url", ["http://127.0.0.2:9/x", "https://example.org/", "http://["])
def test_nothing_is_sent_to_an_address_that_is_not_the_target_s(url):
    received, peer = send(always(whole(b"")), path=url)
    assert received.trouble is Trouble.REDIRECTED
    assert peer.requests == []


def test_a_slow_drip_ends_at_the_timeout_although_something_always_comes():
    async def drip(writer, peer):
        while True:
            writer.write(b"x")
            await writer.drain()
            await slow_to_answer(0.05)

    received, _ = send(always(head("Content-Length: 1000000"), then=drip), timeout=1.0)
    assert received.trouble is Trouble.TIMEOUT
    assert received.answer.status == 200


def test_no_answer_at_all_ends_at_the_timeout():
    received, _ = send(hang, timeout=0.5)
    assert (received.answer, received.trouble) == (None, Trouble.TIMEOUT)


def test_a_connection_that_closes_before_the_answer_is_closed():
    received, _ = send(close)
    assert (received.answer, received.trouble) == (None, Trouble.CLOSED)


@pytest.mark.parametrize(
    ("framing", "cut"),
    [
        (["Content-Length: 100"], slice(3, 7)),
        (["Transfer-Encoding: chunked"], slice(None)),
    ],
)
def test_a_connection_that_closes_in_the_body_is_closed_and_keeps_what_came(framing, cut):
    received, _ = send(always(head(*framing) + b"4\r\nhalf\r\n"[cut], then=close))
    assert received.trouble is Trouble.CLOSED
    assert received.answer.body == b"half"


@pytest.mark.parametrize("words", [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"\x00\xff\x00\r\n\r\n"])
def test_what_is_no_http_is_garbled(words):
    received, _ = send(always(words, then=close))
    assert (received.answer, received.trouble) == (None, Trouble.GARBLED)


def test_a_server_that_is_not_there_is_refused_in_the_system_s_words():
    async def main():
        async with serving(hang) as peer:
            url = peer.url
        connection = HttpConnection(url, timeout=LONG, headers=(), width=1)
        try:
            return await connection.send(HttpRequest("GET", url))
        finally:
            await connection.close()

    received = asyncio.run(main())
    assert (received.trouble, received.detail) == (Trouble.REFUSED, "Connection refused")


def test_time_is_measured_around_the_whole_answer():
    async def late(writer, peer):
        await slow_to_answer(0.3)
        writer.write(whole(b""))

    began = time.perf_counter()
    received, _ = send(late)
    assert 0.3 <= received.elapsed <= time.perf_counter() - began


def test_what_is_unpacked_comes_in_small_pieces_so_that_none_fills_the_memory():
    class Packed:
        headers = MappingProxyType({"content-encoding": "gzip"})

        async def aiter_raw(self):
            yield gzip.compress(b"\0" * BODY_CAP)

    async def main():
        return [len(piece) async for piece in http.decoded(Packed())]

    sizes = asyncio.run(main())
    assert sum(sizes) == BODY_CAP
    assert max(sizes) <= 65536


def test_no_proxy_of_the_environment_comes_between_the_kit_and_this_machine(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nobody listens
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    received, peer = send(always(whole(b"{}")))
    assert received.trouble is None
    assert len(peer.requests) == 1


def test_a_cookie_of_ascii_alone_is_sent_back():
    async def main():
        own = ("Set-Cookie: who=Jos\xe9", "Set-Cookie: \xe9=1", "Set-Cookie: session=abc")
        async with serving(always(whole(b"{}", *own))) as peer:
            connection = HttpConnection(peer.url, timeout=LONG, headers=(), width=4)
            asked = HttpRequest("POST", peer.url + "/mcp", body=b"{}")
            received = [await connection.send(asked) for _ in range(2)]
            await connection.close()
            return received, peer

    received, peer = asyncio.run(main())
    assert [each.trouble for each in received] == [None, None]
    assert "cookie: session=abc\r\n" in peer.requests[1][0].lower()


@pytest.mark.parametrize("leads", [True, False])
def test_the_secrets_among_the_cookies_of_each_answer_are_told(leads):
    cookie = "Set-Cookie: session=c00kie-of-each-answer; Path=/"

    async def answer(writer, peer):
        moved = leads and len(peer.requests) == 1
        where = (
            (b"", "Location: /there", cookie) if moved else (b"{}", *([] if leads else [cookie]))
        )
        writer.write(whole(*where, status="307 Moved" if moved else "200 OK"))

    told = []
    learned_by(lambda secrets, host: told.extend((*each, host) for each in secrets))
    try:
        _, peer = send(answer)
    finally:
        learned_by(lambda *_: None)
    assert told == [("session", "c00kie-of-each-answer", peer.url.removeprefix("http://"))]


def test_a_cookie_that_is_too_long_to_be_kept_is_not_even_read():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the library's has a traceback
        received, _ = send(always(whole(b"{}", f"Set-Cookie: a=b; Expires=1 1 {'9' * 5000}")))
    assert received.trouble is None


@pytest.mark.parametrize(("each", "kept"), [(1, 30), (40, 50), (60, 0)])
def test_no_more_cookies_are_kept_than_a_client_must_accept(each, kept):
    jar = cookies()
    for answer in range(30):
        own = [("set-cookie", f"c{answer * each + n}=1") for n in range(each)]
        asked = httpx2.Request("GET", "http://127.0.0.1/")
        httpx2.Cookies(jar).extract_cookies(httpx2.Response(200, headers=own, request=asked))
    assert len(jar) == min(kept, 30 * each)
    assert not kept or f"c{30 * each - 1}" in {one.name for one in jar}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({**HEADS, **KEPT}))
def test_what_hurts_is_survived_on_the_connections_of_the_client_as_well(name, monkeypatch):
    """Of a server on another machine, here a proxy: the kit keeps those to this one itself."""

    async def main():
        async with serving(lambda writer, _: {**HEADS, **KEPT}[name](writer, b"{}")) as peer:
            monkeypatch.setenv("HTTP_PROXY", peer.url)
            connection = HttpConnection("http://a.example", timeout=1.0, headers=(), width=4)
            asked = HttpRequest("POST", "http://a.example/x", body=b"{}")
            received = [await connection.send(asked) for _ in range(2)]
            await connection.close()
            return received

    for name_of_proxy in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name_of_proxy, raising=False)
    for received in asyncio.run(main()):
        assert received.answer is not None or received.trouble is not None
        assert received.elapsed < LONG


PIECES = ("http:", "//", "/", "\\", "@", "127.0.0.1", "127.0.0.1:8000", ":8000", ":", "a.example",
          "a.example:8000", "#", "?", "%40", "%2f", "%5c", "[", "]", "[::1]", "0x7f.1", "\t", "\n",
          "\x00", "\u3002", "\uff0f", "\xad", "..", ";", "u:p", "%00", "localhost", " ",
          "８０００")  # fmt: skip


def test_an_address_that_counts_as_the_target_leads_to_it():
    draw = Random(0)
    base, judged = "http://127.0.0.1:8000/", 0
    for _ in range(4_000):
        said = "http://" + "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 7)))
        for address in (said, said.removeprefix("http:")):
            with suppress(ValueError, httpx2.InvalidURL):
                whole = urljoin(base, address)
                if same_server(whole, base):
                    judged += 1
                    asked = httpx2.URL(whole)
                    assert (asked.scheme, asked.host, asked.port) == ("http", "127.0.0.1", 8000)
    assert judged > 20


@pytest.mark.parametrize(
    "header",
    [
        ("Transfer-Encoding", "gzip, chunked"),
        ("Content-Length", "1"),
        ("q", "a\r\nX-Own: 1"),
        ("q\r\nX-Own", "1"),
        ("q", "\ud800"),
        ("Accept", "application/json; x=\r\nX-Own: 1"),
        ("", "x"),
    ],
    ids=repr,
)
def test_a_header_that_would_make_two_requests_of_one_is_not_sent(header):
    async def main():
        async with serving(always(whole(b"{}"))) as peer:
            connection = HttpConnection(peer.url, timeout=LONG, headers=(), width=4)
            try:
                asked = HttpRequest("POST", peer.url + "/a", (header,), b"{}")
                return await connection.send(asked), peer
            finally:
                await connection.close()

    received, peer = asyncio.run(main())
    assert received.trouble is Trouble.GARBLED
    assert peer.requests == []
