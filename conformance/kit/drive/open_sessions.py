"""The MCP sessions that servers over HTTP opened for the kit. Each ends once.

MCP asks a client to end a session with a DELETE when it no longer needs it. Some servers open no
other session before that. A server may also end a session itself, at any time. What names the
session then gets 404, and the kit sends it again in another session.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Protocol

from conformance.formats.tool import header_names
from conformance.kit.drive.wire import Made, Sent, Wire
from conformance.kit.evidence.recorder import Recorder, Series
from conformance.kit.evidence.response import response_in
from conformance.kit.evidence.script import CONNECTION
from conformance.kit.model.exchange import Answer, HttpRequest, Request
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import Binding, Received
from conformance.kit.transport.mcp import LEGACY_VERSIONS
from conformance.kit.transport.mcp_http import McpHttpBinding

MOST_OPEN = 200
"""The most sessions of an endpoint that are remembered. A server may open one at each request."""
_LONGEST_ID = 1024
_SUCCESS, _NOT_FOUND, _NOT_ALLOWED = range(200, 300), 404, 405
_END, _ENDED = Step("end-session"), Step("session-ended")
_ONE_END, _ALL_ENDS = 2.0, 3.0
"""The most seconds for the end of one session, and of all sessions that a channel ends."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session that a server opened in a run, and the request that ends it."""

    run: str
    end: HttpRequest


@dataclass(slots=True)
class OpenSessions:
    """The open sessions by endpoint. All channels of the kit share them.

    A broken server may end all sessions together. So the sessions of an endpoint end when no
    channel uses any of them.
    """

    single: set[str] = field(default_factory=set)
    """The endpoints that open another session only when the first has ended."""
    deaf: set[str] = field(default_factory=set)
    """The endpoints that do not let a client end a session. They are not asked again."""
    _channels: Counter[str] = field(default_factory=Counter)
    """How many channels use a session, by endpoint."""
    _open: dict[str, dict[str, OpenSession]] = field(default_factory=dict)

    def note(self, binding: Binding, request: Request, answer: Answer | None) -> bool:
        """Note what a request did to a session. Return whether it opened one."""
        endpoint = binding.run.endpoint
        if not isinstance(binding, McpHttpBinding) or not isinstance(request, HttpRequest):
            return False
        known = self._open.setdefault(endpoint, {})
        if request.method == "DELETE":
            if answer is None or answer.status != _NOT_FOUND:
                known.pop(session_in(request) or "", None)
            return False
        if answer is None or not _opens(request, answer) or len(known) >= MOST_OPEN:
            return False
        opened = answer.header(header_names.SESSION_ID) or ""
        if not _is_usable(opened):
            return False
        result = (response_in(answer, request) or {}).get("result")
        settled = binding.after_handshake(result, answer) or replace(
            binding, version=LEGACY_VERSIONS[0], session_id=opened, shaken=False
        )
        known[opened] = OpenSession(binding.run.id, settled.without_body("DELETE"))
        return True

    def holds(self, endpoint: str, id: str) -> bool:
        """Return whether a server opened a session that has not ended, as far as is known."""
        return id in self._open.get(endpoint, {})

    def forget(self, endpoint: str, id: str) -> None:
        """Forget a session that the server ended."""
        self._open.get(endpoint, {}).pop(id, None)

    def use(self, endpoint: str) -> None:
        """Count a channel that uses a session of the endpoint."""
        self._channels[endpoint] += 1

    def leave(self, endpoint: str) -> list[OpenSession]:
        """Count a channel that needs no session any more; return the sessions to end."""
        self._channels[endpoint] -= 1
        if self._channels[endpoint] > 0:
            return []
        return [*self._open.pop(endpoint, {}).values()]


class Shaker(Protocol):
    """Shakes hands: a channel."""

    binding: Binding

    async def begins_anew(self) -> str | None:
        """Shake hands. Return the id of the session that this opens, if it opens one."""
        ...


class OwnSessions:
    """The sessions that were opened on one channel. Its wire sends what is sent in them.

    While `opening` is held, nothing else is sent.
    """

    def __init__(
        self,
        shaker: Shaker,
        shared: OpenSessions,
        wire: Wire,
        recorder: Recorder,
        numbers: Series,
        opening: asyncio.Lock,
    ) -> None:
        self._shaker = shaker
        self._endpoint = shaker.binding.run.endpoint
        self._shared = shared
        self._wire = wire
        self._recorder = recorder
        self._numbers = numbers
        self._opening = opening
        self._later: dict[str, str] = {}
        """The present session, by each one in whose place it began."""
        self._replaced: str | None = None
        """The session that the kit is replacing, of which more requests may get 404."""
        self._vain = 0
        self._was_vain = False
        """Whether another session did not help, and nothing was served since."""
        self.are_open = False

    @property
    def is_single(self) -> bool:
        """Whether the server opens another session only when the first has ended."""
        return self._endpoint in self._shared.single

    async def deliver(self, made: Made) -> Sent:
        """Send a request. If the server has ended its session, send it again in another one.

        Only a session that the server has ended is replaced. After the kit has ended one, 404 is
        the right answer.
        """
        sent = await self.send(made)
        ended = self._ended_at(*sent)
        if ended is None:
            return sent
        async with self._opening:
            if ended in self._later:
                sent = await self.send(made)
                ended = self._ended_at(*sent)
            if ended is None or not await self._begins_anew(ended, *sent):
                return sent
            sent = await self.send(made)
            if self._ended_at(*sent) is not None:
                self._in_vain()
            elif ended in self._later:
                self._shared.forget(self._endpoint, ended)
            return sent

    async def send(self, made: Made) -> Sent:
        """Send a request in the present session, and note what it did to a session."""
        here = replace(made, make=lambda: self._readdressed(made()))
        request, received = await self._wire.send(here)
        answer = received.answer
        if self._shared.note(self._shaker.binding, request, answer) and not self.are_open:
            self._shared.use(self._endpoint)
            self.are_open = True
        if answer is not None and answer.status != _NOT_FOUND:
            self._was_vain = False
        return request, received

    def _readdressed(self, request: Request) -> Request:
        """Return the request for the present session, if it names one that the server ended."""
        present = self._later.get(session_in(request) or "")
        if present is None or not isinstance(request, HttpRequest):
            return request
        wanted = header_names.SESSION_ID.lower()
        headers = tuple((n, present if n.lower() == wanted else v) for n, v in request.headers)
        return replace(request, headers=headers)

    def _ended_at(self, request: Request, received: Received) -> str | None:
        """Return the session that a request names, if 404 says that the server has ended it."""
        named, answer = session_in(request), received.answer
        if named is None or answer is None or answer.status != _NOT_FOUND:
            return None
        is_replaced = named in self._later or named == self._replaced
        return named if is_replaced or self._shared.holds(self._endpoint, named) else None

    async def _begins_anew(self, ended: str, request: Request, received: Received) -> bool:
        """Begin another session in the place of one that the server ended."""
        if self._was_vain or self._vain >= MOST_OPEN:
            return False
        number, record, run = self._numbers.next(), self._recorder.record, self._shaker.binding.run
        record(number, run.id, request, received, script=CONNECTION, step=_ENDED)
        self._replaced = ended
        try:
            id = await self._shaker.begins_anew()
        finally:
            self._replaced = None
        if id is None:
            self._in_vain()
            return False
        earlier = [own for own, present in self._later.items() if present == ended]
        self._later |= dict.fromkeys((*earlier, ended), id)
        self._later.pop(id, None)  # a broken server may give an id twice
        return True

    def _in_vain(self) -> None:
        """Note that there is no other session, or that it did not serve the request either.

        Then the server is broken, or its 404 is about the request. The session may still be open.
        """
        self._was_vain = True
        self._vain += 1

    async def make_room(self, request: Request) -> None:
        """End the sessions before another is asked for, if the server opens one at a time."""
        if self.is_single and asks_for_a_session(request):
            await self.end()

    async def end(self) -> None:
        """End the sessions of the endpoint, unless another channel uses one of them.

        Nothing depends on the answers. A server that does not let clients end a session, or that
        does not answer, is not asked again.
        """
        if not self.are_open:
            return
        self.are_open = False
        latest, deaf = time.monotonic() + _ALL_ENDS, self._shared.deaf
        for each in self._shared.leave(self._endpoint):
            received = None
            if self._endpoint not in deaf:
                received = await self._wire.send_once(each.end, _ONE_END, latest)
            if received is None:
                return
            number, record = self._numbers.next(), self._recorder.record
            record(number, each.run, each.end, received, script=CONNECTION, step=_END)
            if received.answer is None or received.answer.status == _NOT_ALLOWED:
                deaf.add(self._endpoint)


def asks_for_a_session(request: Request) -> bool:
    """Return whether a request is a handshake outside any session."""
    names = (name.lower() for name, _ in request.headers)
    return b'"initialize"' in request.body and header_names.SESSION_ID.lower() not in names


def _opens(request: HttpRequest, answer: Answer) -> bool:
    """Return whether the server took a request that asks for a session."""
    return answer.status in _SUCCESS and asks_for_a_session(request)


def _is_usable(id: str) -> bool:
    """Return whether a header can hold an id. A client must be able to send it back."""
    return 0 < len(id) <= _LONGEST_ID and id.isascii() and id.isprintable()


def session_in(request: Request) -> str | None:
    """Return the id of the session that a request names."""
    wanted = header_names.SESSION_ID.lower()
    return next((value for name, value in request.headers if name.lower() == wanted), None)
