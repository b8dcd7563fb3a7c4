"""A connection over HTTP. It limits size and time, and follows no redirect to another host."""

from __future__ import annotations

import asyncio
import codecs
import time
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import httpx2

from conformance.formats.schema.uri import urljoin
from conformance.formats.text.json_text import told_in
from conformance.formats.text.sse import SseReader, is_stream
from conformance.formats.tool import header_names
from conformance.kit.config.system_words import UNUSABLE_CERTIFICATES, UNUSABLE_PROXY
from conformance.kit.model.exchange import Answer, HttpRequest, Request, Trouble, weight
from conformance.kit.model.loopback import is_loopback, same_server
from conformance.kit.model.run import MODERN
from conformance.kit.transport.binding import (
    BODY_CAP,
    MESSAGES_CAP,
    VALUES_CAP,
    Barred,
    Process,
    Received,
    cap_of,
)
from conformance.kit.transport.cookies import cookies
from conformance.kit.transport.kept_connections import Lines, OnThisMachine, trusted
from conformance.kit.transport.trouble import GARBLED, trouble_of

_REDIRECTS = 3
_RESUMED: Final = 5
"""The most times that one answer is continued in another stream."""
_LONGEST_ID: Final = 4096
"""The most characters of an event's id that are sent back. Servers read headers of 8 KB."""
_NO_STREAM: Final = 2.0
"""The most seconds for the body of an answer that is not a stream, where a stream was asked for."""
_PAUSE, _LEAST_PAUSE = 0.5, 0.05
"""Seconds before a stream is asked for again: if the server names none, and at least."""
_OK: Final = 200
_KEEP_METHOD = frozenset({307, 308})
_REDIRECTING = frozenset({301, 302, 303, 307, 308})


class HttpConnection:
    """Keep-alive connections to the server of `base`; nothing is ever sent to another server.

    `timeout` is the limit for one whole request with its answer, in seconds. `headers` go with
    every request. A proxy from the environment is used only for hosts other than this machine. A
    request that is `barred` is not sent, and no redirect leads to one.
    """

    def __init__(
        self,
        base: str,
        *,
        timeout: float,
        headers: tuple[tuple[str, str], ...],
        width: int,
        barred: Barred = lambda _: False,
    ) -> None:
        self._timeout = timeout
        self._base = base
        self._headers = headers
        self._width = width
        self._barred = barred
        self._weight = 0  # the bytes of memory for all values that are being read
        self._client: _Client | None = None
        try:
            self._client = self._new_client()
        except (OSError, ImportError, ValueError, httpx2.InvalidURL) as error:
            of_tls = isinstance(error, OSError)
            self._unusable = UNUSABLE_CERTIFICATES if of_tls else UNUSABLE_PROXY

    def _new_client(self) -> _Client:
        base, most = self._base, self._width + 4
        local, encrypted = is_loopback(base), base.startswith("https:")
        lines = Lines() if local and not encrypted else None
        given: dict[str, Any] = {
            "verify": encrypted and trusted(),  # it takes 60 ms per client
            "trust_env": not local,
            "limits": httpx2.Limits(max_connections=most, max_keepalive_connections=most),
        }
        held = OnThisMachine(httpx2.AsyncHTTPTransport(**given)) if local and encrypted else None
        client = httpx2.AsyncClient(
            transport=lines or held,
            follow_redirects=False,
            cookies=cookies(),
            timeout=httpx2.Timeout(None, connect=self._timeout),
            **given,
        )
        # Only our own headers: the client's defaults would hide which server needs them.
        own = httpx2.Headers([("accept-encoding", "identity"), *self._headers])
        for name in [name for name in client.headers if name not in own]:
            del client.headers[name]
        client.headers.update(own)
        return _Client(client, lines)

    @property
    def is_open(self) -> bool:
        """Always true: each request opens the connection that it needs."""
        return True

    @property
    def process(self) -> Process:
        """Empty, because no process is started."""
        return Process()

    async def start(self) -> None:
        """Do nothing: the first request connects."""

    async def send(self, request: Request) -> Received:
        """Send a request and read its answer. What the target does wrong becomes a trouble, not an
        error.

        A server may close an idle connection, as many do after a 500. So a request that got no byte
        of an answer is sent once more, on a new connection. If no new connection can be made, the
        result is that of the first try, because this request may have ended the server.
        """
        assert isinstance(request, HttpRequest)
        if self._client is None:
            return Received(None, Trouble.REFUSED, 0.0, self._unusable)
        received = await self._send(request, self._client)
        if received.trouble is Trouble.CLOSED and received.answer is None:
            alone = self._new_client()
            try:
                again = await self._send(request, alone)
            finally:
                await alone.close()
            return received if again.trouble is Trouble.REFUSED else again
        return received

    async def _send(self, request: HttpRequest, client: _Client) -> Received:
        if not same_server(request.url, self._base):
            # A target may name any address, but our headers are meant only for the target.
            return Received(None, Trouble.REDIRECTED, 0.0, f"{request.url} is another server")
        if self._barred(request):
            return Received(None, Trouble.REDIRECTED, 0.0, f"{request.url} is off limits")
        clock = time.perf_counter()
        body = bytearray()
        head: list[httpx2.Response] = []
        messages: list[object] = []
        trouble: Trouble | None = None
        detail = ""
        try:
            async with asyncio.timeout(self._timeout):
                trouble = await self._exchange(client, request, head, body, messages)
        except TimeoutError:
            trouble = Trouble.TIMEOUT
        except httpx2.TransportError as error:
            trouble, detail = trouble_of(error)
        except (OverflowError, ExceptionGroup):  # a proxy with a port above 65535
            trouble, detail = Trouble.REFUSED, UNUSABLE_PROXY
        except (*GARBLED, zlib.error) as error:
            trouble, detail = Trouble.GARBLED, str(error)
        elapsed = time.perf_counter() - clock
        if not head:
            return Received(None, trouble, elapsed, detail)
        answer = Answer(
            status=head[-1].status_code,
            headers=tuple(_header(name, value) for name, value in head[-1].headers.raw),
            body=bytes(body),
            messages=tuple(messages),
        )
        received = Received(answer, trouble, elapsed, detail)
        return received.cut() if trouble is Trouble.TOO_LARGE else received

    async def close(self, *, hangs: bool = False) -> Received:
        """Close the idle connections."""
        if self._client is not None:
            await self._client.close()
        return Received(None, None, 0.0)

    async def _exchange(
        self,
        client: _Client,
        request: HttpRequest,
        head: list[httpx2.Response],
        body: bytearray,
        messages: list[object],
    ) -> Trouble | None:
        method, url = request.method, request.url
        for _ in range(_REDIRECTS + 1):
            content = request.body if request.body or method not in {"GET", "HEAD"} else None
            response = await client.send(method, _parsed(url), list(request.headers), content)
            try:
                head.append(response)
                target = _redirect(response, url)
                if target is None:
                    return await self._read_whole(client, response, request, body, messages)
                if not same_server(target, url):
                    return Trouble.REDIRECTED
                if response.status_code not in _KEEP_METHOD and method != "GET":
                    return await self._read(response, request, body, messages)
                if self._barred(replace(request, url=target)):
                    return await self._read(response, request, body, messages)
                url = target
            finally:
                await response.aclose()
        return Trouble.REDIRECTED

    async def _read_whole(
        self,
        client: _Client,
        response: httpx2.Response,
        request: HttpRequest,
        body: bytearray,
        messages: list[object],
    ) -> Trouble | None:
        """Read an answer. If a stream ends before the response, go on behind its last event.

        A server may close such a stream, and continue in another (MCP 2025-11-25).
        """
        events = _Messages()
        trouble = await self._read(response, request, body, messages, events)
        for _ in range(_RESUMED):
            again = None if trouble or any(map(_is_response, messages)) else events.after(request)
            if again is None or self._barred(again):
                break
            await asyncio.sleep(events.pause)
            more = await client.send(again.method, _parsed(again.url), list(again.headers), None)
            try:
                if more.status_code != _OK or not is_stream(more.headers.get("content-type")):
                    break
                trouble = await self._read(more, request, body, messages, events)
            finally:
                await more.aclose()
        return trouble

    async def _read(
        self,
        response: httpx2.Response,
        request: HttpRequest,
        body: bytearray,
        messages: list[object],
        events: _Messages | None = None,
    ) -> Trouble | None:
        streaming = is_stream(response.headers.get("content-type"))
        events = (events or _Messages()) if streaming else None
        # A stream that a GET opened never ends, so its answer is what comes within `settle`
        # seconds. Some servers open one under another media type.
        limit = request.settle if streaming and request.method == "GET" else None
        if not streaming and request.method == "GET" and _asks_for_a_stream(request.headers):
            limit = max(request.settle, _NO_STREAM)
        own, cap = 0, BODY_CAP
        try:
            async with asyncio.timeout(limit):
                async for chunk in decoded(response):
                    body += chunk[: BODY_CAP - len(body)]
                    cap = cap_of(chunk, cap)
                    own += (more := weight(chunk))
                    self._weight += more
                    if len(body) >= cap or self._weight > VALUES_CAP:
                        return Trouble.TOO_LARGE
                    if events is None:
                        continue
                    for message in events.feed(chunk):
                        messages.append(message)
                        if _answers(message, request):
                            return None
                    if len(messages) > MESSAGES_CAP:
                        return Trouble.TOO_LARGE
        except TimeoutError:
            if limit is None:
                raise
        finally:
            self._weight -= own
        return None


@dataclass(frozen=True, slots=True)
class _Client:
    """Sends requests, over `lines` if there are any and otherwise through the client.

    `lines` skip the client's handling of redirects and logins, which takes as long as the sending.
    Calls need neither.
    """

    client: httpx2.AsyncClient
    lines: Lines | None

    async def send(
        self, method: str, url: httpx2.URL, headers: list[tuple[str, str]], content: bytes | None
    ) -> httpx2.Response:
        """Send a request, and return the answer with its body still unread."""
        request = self.client.build_request(method, url, headers=headers, content=content)
        if self.lines is None:
            return await self.client.send(request, stream=True)
        response = await self.lines.handle_async_request(request)
        response.request = request
        if "set-cookie" in response.headers:
            self.client.cookies.extract_cookies(response)
        return response

    async def close(self) -> None:
        """Close the idle connections."""
        await self.client.aclose()


class _Messages:
    """Reads the JSON values of an event stream, and skips all other events."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._reader = SseReader()

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Yield the values that `chunk` completes, in order."""
        for event in self._reader.feed(self._decode(chunk)):
            with suppress(UnicodeError, ValueError, RecursionError):
                event.data.encode("utf-8")  # raises for bytes that are not UTF-8
                yield told_in(event.data)

    @property
    def pause(self) -> float:
        """Seconds to wait before the stream is asked for again."""
        retry = self._reader.retry
        return max(_PAUSE if retry is None else retry / 1000, _LEAST_PAUSE)

    def after(self, request: HttpRequest) -> HttpRequest | None:
        """Return the request for what follows the last event; None if no event has a usable id.

        The modern era has no such request.
        """
        last, own = self._reader.last_id, {name.lower(): value for name, value in request.headers}
        usable = last.isascii() and last.isprintable() and 0 < len(last) <= _LONGEST_ID
        modern = own.get(header_names.PROTOCOL_VERSION.lower(), "") >= MODERN
        if modern or not request.is_rpc or not usable:
            return None
        kept = tuple(each for each in request.headers if each[0].lower() != "content-type")
        resuming = ("Accept", "text/event-stream"), ("Last-Event-ID", last)
        return replace(request, method="GET", headers=kept, body=b"").with_headers(resuming)


def _is_response(message: object) -> bool:
    """Return whether a message is the response to some request."""
    return isinstance(message, dict) and not message.keys().isdisjoint(("result", "error"))


def _answers(message: object, request: HttpRequest) -> bool:
    """Return whether this message is the last one of a stream to wait for."""
    if not isinstance(message, dict) or "method" in message:
        return False
    return request.any_answer or (
        request.answer_to is not None and message.get("id") == request.answer_to
    )


@lru_cache(maxsize=256)
def _parsed(url: str) -> httpx2.URL:
    """Return a parsed address. The cache helps because thousands of calls go to the same few.

    Raises `httpx2.InvalidURL`.
    """
    return httpx2.URL(url)


def _asks_for_a_stream(headers: Iterable[tuple[str, str]]) -> bool:
    return [value for name, value in headers if name.lower() == "accept"] == ["text/event-stream"]


def _header(name: bytes, value: bytes) -> tuple[str, str]:
    """Return a header as text."""
    return name.decode("latin-1").lower(), value.decode("latin-1")


def _redirect(response: httpx2.Response, url: str) -> str | None:
    location = response.headers.get("location")
    if response.status_code not in _REDIRECTING or not location:
        return None
    return urljoin(url, location)


async def decoded(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the body's bytes, unpacked in bounded steps, so that a small answer cannot fill the
    memory.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding in {"", "identity"}:
        async for chunk in response.aiter_raw():
            yield chunk
        return
    if encoding not in {"gzip", "deflate"}:
        raise zlib.error(f"content-encoding {encoding} was not asked for")
    unpack, came = zlib.decompressobj(zlib.MAX_WBITS | 32), False
    async for chunk in response.aiter_raw():
        pending, came = chunk, came or bool(chunk)
        while pending and not unpack.eof:  # after its end, `unpack` would keep whatever comes
            yield unpack.decompress(pending, 65536)
            pending = unpack.unconsumed_tail
    if came and not unpack.eof:
        raise zlib.error("the compressed body is cut")
