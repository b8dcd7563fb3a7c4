"""A channel: one open connection of one run, with the speaker that says its version."""

from __future__ import annotations

import asyncio
import os
import shlex
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.database import Memory
from conformance.kit.drive.crashes import CallsUnderWay, Group
from conformance.kit.drive.pacing import Width
from conformance.kit.drive.unusable_target import no_handshake, no_start
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.response import response_of
from conformance.kit.evidence.script import CONNECTION, LIVENESS
from conformance.kit.model.case import Case
from conformance.kit.model.exchange import Exchange, Request, Transport, Trouble
from conformance.kit.model.run import KNOWN_VERSIONS, Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.connection import Connection, Received
from conformance.kit.transport.http import HttpSpeaker
from conformance.kit.transport.http_connection import HttpConnection
from conformance.kit.transport.mcp import McpSpeaker
from conformance.kit.transport.stdio_connection import StdioConnection
from conformance.spec.messages import message
from conformance.spec.vocabulary import Binding, Era

SESSION = uuid.uuid4().hex
"""Tells this session's requests from others in a server's log."""

_GIVEN = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT")
_AGAIN = frozenset({429, 503})
_MOST_STARTS = 25
"""Starts of one process in a channel: a server that dies at each call must not go on for ever."""
_TRIES = 6
"""Times that one call is sent to a server that asks to come back later."""
_STDIO_WIDTH = 4
"""Calls at once over stdio: more would only queue in a server that reads one line at a time."""
_START_LIMIT = 30.0
"""Seconds for a handshake over stdio: an interpreter and its packages have to be loaded."""


class ConnectFailed(Exception):
    """A connection could not be opened. `exchange` is what was tried, None if nothing was sent."""

    def __init__(self, reason: str, exchange: Exchange | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.exchange = exchange


@dataclass(frozen=True, slots=True)
class Context:
    """What all channels of a session share. `deadline` is a reading of time.monotonic()."""

    settings: Settings
    recorder: Recorder
    deadline: float
    memory: Memory | None = None


def environment_for_server(extra: Mapping[str, str]) -> dict[str, str]:
    """What a started server gets: a few plain variables and those that were asked for."""
    kept = {name: os.environ[name] for name in _GIVEN if name in os.environ}
    return {**kept, **extra}


class Channel:
    """Sends what a run has to say, and records it.

    Made by `open_channel`. A stdio channel whose process ended starts another at the next call.
    """

    def __init__(self, run: Run, context: Context, *, handshake: bool) -> None:
        self.run = run
        self.context = context
        self.mcp: McpSpeaker | None = None
        self.http: HttpSpeaker | None = None
        self.opened: Exchange | None = None
        if run.binding is Binding.HTTP:
            self.http = HttpSpeaker(run, context.settings.invoke)
        else:
            self.mcp = McpSpeaker(run, run.version)
        settings = context.settings
        most = _STDIO_WIDTH if run.binding is Binding.STDIO else settings.concurrency
        self.width = Width(min(most, settings.concurrency), settings.request_timeout)
        """Says when another call may be under way."""
        self._handshake = handshake
        self._connection: Connection | None = None
        self._next_id = 1000
        self._starts = 0
        self._heard = False
        self._opening = asyncio.Lock()
        self._doubt = asyncio.Lock()
        self.fellows = CallsUnderWay()
        """Which calls shared a process."""
        self._revivals = _MOST_STARTS
        self.silent = False
        """Whether nothing more is sent: neither a call nor a list after it was answered, or a
        process that had ended could not be started again.
        """
        self._pace = asyncio.Lock()
        self._numbers = context.recorder.series()
        self._last_sent = 0.0

    async def open(self) -> None:
        """Connect and shake hands; raises ConnectFailed with the reason in words."""
        settings = self.context.settings
        self._starts += 1
        self._heard = False
        if self.run.binding is Binding.STDIO:
            command = shlex.split(self.run.endpoint)
            connection = StdioConnection(
                command,
                timeout=settings.request_timeout,
                environment=environment_for_server(settings.environment),
            )
            try:
                await connection.start()
            except (OSError, ValueError) as error:
                reason = no_start(command[0], error, settings.language)
                raise ConnectFailed(reason) from None
            self._connection = connection
        else:
            agent = ("User-Agent", f"agent-formats-conformance/1.0 session/{SESSION}")
            self._connection = HttpConnection(
                self.run.endpoint,
                timeout=settings.request_timeout,
                headers=(agent, ("X-Agent-Formats-Session", SESSION), *settings.headers),
                width=settings.concurrency,
            )
        if self.mcp is not None and self._handshake and self.run.era is Era.LEGACY:
            await self._shake_hands()

    async def call(
        self, tool: Tool, case: Case, *, number: int | None = None, confirms: int | None = None
    ) -> Exchange:
        """Call a tool; waits and sends again where the server says that it is too busy.

        `number` is the exchange's; without one it is the channel's next.
        """
        number = number or self._numbers.next()
        if self.run.binding is Binding.STDIO:
            request, received = await self._on_shared_process(tool, case, number)
        else:
            await self._ensure_open()
            request, received = await self._unless_busy(lambda: self._call_request(tool, case))
        return self.context.recorder.record(
            number, self.run.id, request, received, case=case, confirms=confirms
        )

    async def _on_shared_process(
        self, tool: Tool, case: Case, number: int
    ) -> tuple[Request, Received]:
        """Call; if the process ends, and it may have been another call, again alone."""
        fellows = self.fellows

        def made() -> Request:
            return self._call_request(tool, case)

        async with fellows.among():
            await self._ensure_open()
            lives = self._is_open()
            group = fellows.joins(number, self._connection)
            try:
                request, received = await self._unless_busy(made)
            finally:
                group.under_way.discard(number)
            if received.trouble is not Trouble.CLOSED:
                return request, received
            if lives and number not in group.together:
                fellows.ended(tool.name, number, group)
                return request, received
            group.guilty = group.guilty or not lives
            if fellows.is_known(tool.name) or self._revivals <= 0:
                group.guilty = True
                return request, received
            group.waiting += 1
        again = None
        async with fellows.judged(group):
            again = await self._alone(tool, made, number, group)
        return again if again is not None and group.guilty else (request, received)

    async def _alone(
        self, tool: Tool, made: Callable[[], Request], number: int, group: Group
    ) -> tuple[Request, Received] | None:
        """Send while nothing else is under way; None if there is no process to send it to, or if
        meanwhile enough is known of the tool.
        """
        async with self.fellows.alone():
            if self.fellows.is_known(tool.name):
                group.guilty = True
                return None
            if self.silent:
                return None
            self._revivals -= not self._is_open()
            try:
                await self.revive()
            except ConnectFailed:
                return None
            request, received = await self._unless_busy(made)
            if received.trouble is Trouble.CLOSED:
                self.fellows.ended(tool.name, number, group)
            return request, received

    async def send(
        self, request: Request, *, script: str, step: str, confirms: int | None = None
    ) -> Exchange:
        """Send anything, as a step of a script; waits where the server says that it is busy."""
        number = self._numbers.next()
        if self._connection is None:
            await self._ensure_open()
        _, received = await self._unless_busy(lambda: request)
        return self.context.recorder.record(
            number, self.run.id, request, received, script=script, step=step, confirms=confirms
        )

    async def _unless_busy(self, made: Callable[[], Request]) -> tuple[Request, Received]:
        """Send what is made, again as often as the server asks to come back later."""
        for _ in range(_TRIES - 1):
            request = made()
            received = await self._send(request)
            pause = _pause_asked(received)
            if pause is None or time.monotonic() + pause > self.context.deadline:
                return request, received
            await asyncio.sleep(pause)
        request = made()
        return request, await self._send(request)

    async def has_fallen_silent(self, after: str) -> bool:
        """Whether a call that got no answer is to blame that the server answers nothing at all.

        A list is asked for, and nothing else is sent meanwhile (`settled`). Of the calls that were
        under way together the first is blamed: those behind it may only have waited.
        """
        async with self._doubt:
            if self.silent:
                return False
            self.silent = not await self.answers_a_list(after)
            return self.silent

    async def settled(self) -> None:
        """Wait while it is doubtful whether the server still answers."""
        async with self._doubt:
            pass

    async def renew(self) -> None:
        """Close, and open anew: over stdio another process. Raises ConnectFailed."""
        async with self._opening:
            await self._open_anew()
        self.silent = False

    async def _open_anew(self) -> None:
        """The same for whoever holds `_opening`. What cannot be opened again is silent."""
        await self.close()
        try:
            await self.open()
            await self.started()
        except ConnectFailed:
            self.silent = True
            raise

    async def revive(self) -> None:
        """Begin anew if nothing is open, however often that was: what comes next is no call.

        Raises ConnectFailed.
        """
        if not self._is_open():
            await self.renew()

    async def started(self) -> None:
        """Wait until a process that was just started answers: its start is no call's delay.

        In the handshake era the handshake was waited for; elsewhere there is nothing to wait for.
        """
        if self.run.binding is Binding.STDIO and self.run.era is not Era.LEGACY:
            await self.send(self._list(), script=LIVENESS, step="started")

    async def answers_a_list(self, after: str) -> bool:
        """Whether the server still answers its simplest request; recorded under `liveness`."""
        exchange = await self.send(self._list(), script=LIVENESS, step=after)
        return exchange.answer is not None and exchange.trouble is None

    async def _first(self, request: Request) -> Received:
        """Send the first request of all; over stdio the start of the process is waited for."""
        assert self._connection is not None
        received = await self._connection.send(request)
        waited = received.elapsed
        while received.trouble is Trouble.TIMEOUT and waited < _START_LIMIT:
            if not isinstance(self._connection, StdioConnection):
                break
            received = await self._connection.wait_for(request)
            waited += received.elapsed
        self._heard = True
        return replace(received, elapsed=waited)

    async def close(self, *, script: str = CONNECTION, step: str = "close") -> Exchange | None:
        """End the connection; over stdio the exchange tells how the process ended."""
        if self._connection is None:
            return None
        connection, self._connection = self._connection, None
        received = await connection.close()
        if self.run.binding is not Binding.STDIO:
            return None
        return self.nothing_sent(received, script=script, step=step)

    def nothing_sent(self, received: Received, *, script: str, step: str) -> Exchange:
        """Record a step in which nothing was sent: how a connection was opened or closed."""
        number, request = self._numbers.next(), Request(_transport(self.run))
        return self.context.recorder.record(
            number, self.run.id, request, received, script=script, step=step
        )

    @property
    def said_on_stderr(self) -> str:
        """What a started server wrote on its standard error, at the end."""
        connection = self._connection
        return connection.said_on_stderr if isinstance(connection, StdioConnection) else ""

    def fresh_id(self) -> int:
        """A JSON-RPC id that this channel has not used."""
        self._next_id += 1
        return self._next_id

    def _list(self) -> Request:
        if self.http is not None:
            return self.http.get("/tools")
        assert self.mcp is not None
        return self.mcp.request("tools/list", {}, id=self.fresh_id())

    def _call_request(self, tool: Tool, case: Case) -> Request:
        if self.http is not None:
            return self.http.call(tool, case.arguments)
        assert self.mcp is not None
        return self.mcp.call(tool, case.arguments, id=self.fresh_id())

    async def _send(self, request: Request) -> Received:
        assert self._connection is not None
        await self._keep_pace()
        if not self._heard and request.answer_to is not None:
            return await self._first(request)
        return await self._connection.send(request)

    async def _keep_pace(self) -> None:
        rate = self.context.settings.rate
        if rate <= 0:
            return
        async with self._pace:
            wait = self._last_sent + 1 / rate - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            self._last_sent = time.monotonic()

    async def _ensure_open(self) -> None:
        """Open again what has ended; raises ConnectFailed, so that there is a connection after it.

        Nobody sends while the handshake of a new one is under way.
        """
        if self._is_open() and not self._opening.locked():
            return
        async with self._opening:
            if self._is_open():
                return
            if self._starts < _MOST_STARTS:
                await self._open_anew()
            elif self._connection is None:
                self.silent = True
                language = self.context.settings.language
                raise ConnectFailed(message("kit.reason.restarts").words(language))

    def _is_open(self) -> bool:
        connection = self._connection
        if isinstance(connection, StdioConnection):
            return connection.exit_code is None and not connection.has_ended
        return connection is not None

    async def _shake_hands(self) -> None:
        assert self.mcp is not None and self._connection is not None
        request = self.mcp.initialize(id=self.fresh_id())
        exchange = await self.send(request, script=CONNECTION, step="initialize")
        if not self.adopt(exchange):
            connection = self._connection
            code = connection.exit_code if isinstance(connection, StdioConnection) else None
            reason = no_handshake(
                exchange,
                code=code,
                stderr=self.said_on_stderr,
                language=self.context.settings.language,
            )
            await self.close()
            raise ConnectFailed(reason, exchange)
        await self.send(
            self.mcp.notification("notifications/initialized"),
            script=CONNECTION,
            step="initialized",
        )

    def adopt(self, exchange: Exchange) -> bool:
        """Go on as a handshake settled it: False if its answer settles on no known version."""
        result = (response_of(exchange) or {}).get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if not isinstance(version, str) or version not in KNOWN_VERSIONS:
            return False
        session = exchange.answer.header("mcp-session-id") if exchange.answer else None
        self.mcp = McpSpeaker(self.run, self.run.version).after_handshake(version, session)
        self.opened = exchange
        return True


async def open_channel(run: Run, context: Context, *, handshake: bool = True) -> Channel:
    """An open channel; raises ConnectFailed."""
    channel = Channel(run, context, handshake=handshake)
    try:
        await channel.open()
    except asyncio.CancelledError:  # nobody else knows of the process that was just started
        await channel.close()
        raise
    return channel


def _pause_asked(received: Received) -> float | None:
    """Seconds to wait before sending again: 429 and 503 with or without Retry-After."""
    if received.answer is None or received.answer.status not in _AGAIN:
        return None
    asked = received.answer.header("retry-after")
    if asked is None:
        return None
    return max(float(asked), 0.1) if asked.isdecimal() else 1.0


def _transport(run: Run) -> Transport:
    return Transport.STDIO if run.binding is Binding.STDIO else Transport.HTTP
