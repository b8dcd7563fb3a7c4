"""A connection over HTTP: no redirect to another host, a cap on size and on time."""

from __future__ import annotations

import asyncio
import codecs
import os
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urljoin

import httpx2

from conformance.formats.text.json_text import told_in
from conformance.formats.text.sse import SseReader, is_stream
from conformance.kit.config.given_secrets import LONGEST_COOKIE
from conformance.kit.config.system_words import UNUSABLE_PROXY
from conformance.kit.model.exchange import Answer, HttpRequest, Request, Trouble, weight
from conformance.kit.model.loopback import is_loopback, same_server
from conformance.kit.transport.binding import (
    BODY_CAP,
    MESSAGES_CAP,
    VALUES_CAP,
    Barred,
    Process,
    Received,
)
from conformance.kit.transport.kept_connections import Lines, OnThisMachine

_REDIRECTS = 3
_KEEP_METHOD = frozenset({307, 308})
_REDIRECTING = frozenset({301, 302, 303, 307, 308})


class HttpConnection:
    """Keep-alive connections to one server, that of `base`: nothing is ever sent to another.

    `timeout` is in seconds, for one whole request with its answer; `headers` go with every
    request. A proxy of the environment is used for hosts other than this machine only. Nothing is
    sent to what is `barred`, and no redirect is followed there.
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
        self._weight = 0
        """Of the values that are being read."""
        self._client: _Client | None = None
        with suppress(ImportError, ValueError, httpx2.InvalidURL):  # a proxy that cannot be
            self._client = self._new_client()

    def _new_client(self) -> _Client:
        base, most = self._base, self._width + 4
        local, encrypted = is_loopback(base), base.startswith("https:")
        lines = Lines() if local and not encrypted else None
        given: dict[str, Any] = {
            "verify": encrypted,  # loading certificates takes 60 ms a client
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
        # Headers of ours only: the client's own defaults would hide which server needs them.
        own = httpx2.Headers([("accept-encoding", "identity"), *self._headers])
        for name in [name for name in client.headers if name not in own]:
            del client.headers[name]
        client.headers.update(own)
        return _Client(client, lines)

    @property
    def is_open(self) -> bool:
        """Always: each request opens what it needs."""
        return True

    @property
    def process(self) -> Process:
        """Nothing: none was started."""
        return Process()

    async def start(self) -> None:
        """Do nothing: the first request connects."""

    async def send(self, request: Request) -> Received:
        """Send and read. A trouble names what was missing; nothing the target does raises.

        A kept connection may have been closed while it was idle (servers close after a 500): what
        got not one byte of an answer is sent once more, on a new connection. If none can be
        made, the first one was cut: the server may have ended at this request.
        """
        assert isinstance(request, HttpRequest)
        if self._client is None:
            return Received(None, Trouble.REFUSED, 0.0, UNUSABLE_PROXY)
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
            # A target's own words may name any address; our headers are meant for the target.
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
        except (OverflowError, ExceptionGroup):  # a port beyond 65535, of a proxy
            trouble, detail = Trouble.REFUSED, UNUSABLE_PROXY
        except (httpx2.HTTPError, httpx2.InvalidURL, zlib.error, ValueError) as error:
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
                    return await self._read(response, request, body, messages)
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

    async def _read(
        self,
        response: httpx2.Response,
        request: HttpRequest,
        body: bytearray,
        messages: list[object],
    ) -> Trouble | None:
        streaming = is_stream(response.headers.get("content-type"))
        events = _Messages() if streaming else None
        # A stream that a GET opened stays open for good: what comes immediately is its answer.
        limit = request.settle if streaming and request.method == "GET" else None
        own = 0
        try:
            async with asyncio.timeout(limit):
                async for chunk in decoded(response):
                    body += chunk[: BODY_CAP - len(body)]
                    own += (more := weight(chunk))
                    self._weight += more
                    if len(body) >= BODY_CAP or self._weight > VALUES_CAP:
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
    """What sends: the client, or where it has kept connections, these with its headers and cookies.

    A call follows no redirect and needs no login: what the client does for these takes as long as
    the sending.
    """

    client: httpx2.AsyncClient
    lines: Lines | None

    async def send(
        self, method: str, url: httpx2.URL, headers: list[tuple[str, str]], content: bytes | None
    ) -> httpx2.Response:
        """Send, and give the answer with its body still to be read."""
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


def cookies() -> CookieJar:
    """A place for cookies that can be sent back: of ASCII alone, as RFC 6265 has it."""
    return _Jar(_Ascii())


class _Jar(CookieJar):
    def make_cookies(self, response: Any, request: Any) -> Sequence[Cookie]:
        """Take the cookies of an answer; none, if one is longer than any that has to be kept.

        A year of thousands of digits would be a warning with a traceback.
        """
        said = response.info().get_all("Set-Cookie", ())
        if any(len(each) > LONGEST_COOKIE for each in said):
            return []
        return super().make_cookies(response, request)


class _Ascii(DefaultCookiePolicy):
    def set_ok(self, cookie: Cookie, request: Any) -> bool:
        return f"{cookie.name}{cookie.value}".isascii() and super().set_ok(cookie, request)


class _Messages:
    """The JSON values that an event stream carries. Other data is passed over, and so is none."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._reader = SseReader()

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """The values that `chunk` completes, in order."""
        for event in self._reader.feed(self._decode(chunk)):
            with suppress(UnicodeError, ValueError, RecursionError):
                event.data.encode("utf-8")  # raises for bytes that are not UTF-8
                yield told_in(event.data)


def trouble_of(error: httpx2.TransportError) -> tuple[Trouble, str]:
    """What became of a request without a whole answer, and what was said of it."""
    if isinstance(error, httpx2.ConnectError):
        return Trouble.REFUSED, _why_refused(error)
    if isinstance(error, httpx2.TimeoutException):
        return Trouble.TIMEOUT, str(error)
    broken = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
    closed = isinstance(error, broken) and _closed(error)
    return (Trouble.CLOSED if closed else Trouble.GARBLED), str(error)


def _why_refused(error: BaseException) -> str:
    """What the system said: the client's own words are only that all attempts failed."""
    cause: BaseException | None = error
    while cause is not None:
        inner = cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else cause
        if isinstance(inner, OSError) and inner.strerror and not isinstance(inner, ssl.SSLError):
            number = inner.errno or 0  # negative for a name that could not be looked up
            return os.strerror(number) if number > 0 else inner.strerror
        cause = inner.__cause__ or inner.__context__
    return str(error)


def _closed(error: Exception) -> bool:
    """Whether a connection ended too early, before the answer or within; else it was no HTTP."""
    early = ("disconnect", "peer closed connection")
    return not isinstance(error, httpx2.ProtocolError) or any(w in str(error) for w in early)


def _answers(message: object, request: HttpRequest) -> bool:
    """Whether this message of a stream is the last one to wait for."""
    if not isinstance(message, dict) or "method" in message:
        return False
    return request.any_answer or (
        request.answer_to is not None and message.get("id") == request.answer_to
    )


@lru_cache(maxsize=256)
def _parsed(url: str) -> httpx2.URL:
    """An address, read once: thousands of calls go to the same few. Raises httpx2.InvalidURL."""
    return httpx2.URL(url)


@lru_cache(maxsize=256)
def _header(name: bytes, value: bytes) -> tuple[str, str]:
    """A header as text; most answers have the same ones, of which one is kept."""
    return name.decode("latin-1").lower(), value.decode("latin-1")


def _redirect(response: httpx2.Response, url: str) -> str | None:
    location = response.headers.get("location")
    if response.status_code not in _REDIRECTING or not location:
        return None
    return urljoin(url, location)


async def decoded(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body's bytes, unpacked in bounded steps: a small answer must not fill the memory."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding in {"", "identity"}:
        async for chunk in response.aiter_raw():
            yield chunk
        return
    if encoding not in {"gzip", "deflate"}:
        raise zlib.error(f"content-encoding {encoding} was not asked for")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for chunk in response.aiter_raw():
        pending = chunk
        while pending and not unpack.eof:  # behind the end, it would keep whatever comes
            yield unpack.decompress(pending, 65536)
            pending = unpack.unconsumed_tail
