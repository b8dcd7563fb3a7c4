"""A channel: sends the requests of one run, and reopens its connection when that has ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.database import Memory
from conformance.kit.cases.textual import keeps_route
from conformance.kit.drive.care import Care
from conformance.kit.drive.endings import SharedCall
from conformance.kit.drive.open_sessions import OpenSessions, OwnSessions
from conformance.kit.drive.pacing import Width
from conformance.kit.drive.sharing import (
    SharedCalls,
    after,
    ended_by,
    is_answered,
)
from conformance.kit.drive.unusable_target import Unopened, no_handshake, no_start
from conformance.kit.drive.wire import Made, Rate, Sent, Wire
from conformance.kit.evidence.off_limits import OffLimits
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.response import response_of
from conformance.kit.evidence.script import CLOSE, CONNECTION, INITIALIZE, LIVENESS
from conformance.kit.model.case import Case
from conformance.kit.model.exchange import Exchange, Request, Trouble
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import Binding, Process, Received, has_sendable_head, spoken
from conformance.kit.transport.bindings import binding_of
from conformance.kit.transport.mcp import McpBinding
from conformance.spec.messages import message
from conformance.spec.vocabulary import Era

WITHHELD = -1
"""The id of an exchange that was not sent."""
MOST_STARTS = 25
"""The most starts of a process in one channel, because a server may die at each call."""
_SILENCE = 1 / 5
"""The share of an answer's time limit after which a silent process is asked for a list."""

_BEHIND = 0.3
"""Seconds after an answer in which its call may still end the process."""


class ConnectFailed(Exception):
    """A connection could not be opened. `exchange` is the attempt, or None if nothing was sent."""

    def __init__(self, why: Unopened, exchange: Exchange | None = None) -> None:
        super().__init__(why.words("en"))
        self.why = why
        self.exchange = exchange


@dataclass(frozen=True, slots=True)
class Context:
    """What all channels of a session share. `deadline` is a reading of time.monotonic()."""

    settings: Settings
    recorder: Recorder
    deadline: float
    memory: Memory | None = None
    care: Care = field(default_factory=Care)
    off_limits: OffLimits = field(default_factory=OffLimits)
    rate: Rate = field(default_factory=Rate)
    sessions: OpenSessions = field(default_factory=OpenSessions)


class Channel:
    """Sends and records the requests of a run. If a process has ended, a call starts another."""

    def __init__(self, run: Run, context: Context, *, handshake: bool) -> None:
        settings = context.settings
        self.context = context
        self.binding: Binding = binding_of(run, settings)
        """The binding of the run; after a handshake, in the version that both sides agreed on."""
        self.opened: Exchange | None = None
        most = self.binding.traits.most_calls or settings.concurrency
        self.width = Width(min(most, settings.concurrency), settings.request_timeout)
        """Decides when another call may be sent."""
        self.shared = SharedCalls(self)
        self.silent = False
        """Whether nothing more is sent.

        Either a call and the list request after it got no answer, or a process that had ended could
        not be started again.
        """
        self._wire = Wire(settings, context.deadline, context.off_limits.holds, context.rate)
        self.handshake = handshake
        """Whether a connection begins with a handshake, if the version has one."""
        self._next_id = 1000
        self._starts = 0
        self._opening = asyncio.Lock()
        self._numbers = context.recorder.series()
        self.sessions = OwnSessions(
            self, context.sessions, self._wire, context.recorder, self._numbers, self._opening
        )

    @property
    def silent_after(self) -> set[str]:
        """The ids of the cases after which the server did not even answer a list request."""
        return self.shared.silent_after

    @property
    def run(self) -> Run:
        """The run for which the channel sends."""
        return self.binding.run

    @property
    def is_open(self) -> bool:
        """Whether a request may get an answer."""
        return self._wire.is_open

    def may_call(self, tool: Tool, arguments: Any) -> bool:
        """Return whether a call stays on the tool's route, reaches nothing off limits, and has
        headers that can be sent.
        """
        if not keeps_route(tool, self.run, arguments):
            return False
        if not self.binding.traits.over_http:
            return True
        request = self.binding.call(tool, arguments)
        if not has_sendable_head(request):
            return False
        return self.binding.traits.speaks_mcp or not self.context.off_limits.holds(request)

    def speaks_for(self, run: Run) -> None:
        """Send for another run from now on, on the same connection."""
        self.binding, self.opened = binding_of(run, self.context.settings), None

    async def open(self) -> None:
        """Connect and shake hands. Raises `ConnectFailed` with the reason in words."""
        self._starts += 1
        self.opened = None
        try:
            await self._wire.open(self.binding)
        except (OSError, ValueError) as error:
            raise ConnectFailed(no_start(error)) from None
        if self.handshake and self.run.era is Era.LEGACY:
            await self.shake_hands()

    async def call(
        self, tool: Tool, case: Case, *, confirms: int | None = None, ended: bool = False
    ) -> Exchange:
        """Call a tool while nothing else is under way; `ended` says that it may end its process.

        After such a call, and after a timeout, a process is asked for a list: it may end after its
        answer.
        """
        await self._take_care(tool)
        request, received = await self.send_alone(self._made(tool, case), after(case.id))
        asks = received.trouble is Trouble.TIMEOUT or (ended and received.trouble is None)
        if asks and self._is_process:
            asked = self.outlives if received.trouble is None else self.asked_for_a_list
            received = ended_by(received, await asked(after(case.id)))
        return self.recorded(self._numbers.next(), case, request, received, confirms)

    async def share(
        self,
        tool: Tool,
        case: Case,
        *,
        number: int,
        given_up: Callable[[], bool] = lambda: False,
        alone: bool = False,
    ) -> Exchange | None:
        """Call a tool while other calls may be under way, or `alone`; `number` is the exchange's.

        A call without an answer among others is sent again alone. Returns None if that is
        impossible, or if the tool is `given_up` meanwhile: the result of the call is then unknown.
        """
        await self._take_care(tool)
        made = self._made(tool, case)
        call = SharedCall(made, case, number, given_up)
        return await (self.shared.alone(call) if alone else self.shared.share(call))

    async def send_call(self, made: Made) -> Sent:
        """Send a call that is recorded later. Raises `ConnectFailed`."""
        await self._ensure_open()
        return await self.sessions.deliver(made)

    async def send_alone(self, made: Made, step: Step) -> Sent:
        """Send a call like `send_call`, while nothing else is under way.

        A silent process is asked for a list: some broken processes end only when they read the next
        line.
        """
        await self._ensure_open()
        if not self._is_process:
            return await self.sessions.deliver(made)
        sending = asyncio.create_task(self._wire.send(made))
        try:
            await asyncio.wait({sending}, timeout=self.context.settings.request_timeout * _SILENCE)
            if not sending.done() and self.is_open:
                await self.asked_for_a_list(step)
            return await sending
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    def recorded(
        self,
        number: int,
        case: Case,
        request: Request,
        received: Received,
        confirms: int | None = None,
    ) -> Exchange:
        """Record the result of a call."""
        record = self.context.recorder.record
        return record(number, self.run.id, request, received, case=case, confirms=confirms)

    def recorded_beside(self, case: Case, request: Request, received: Received) -> None:
        """Record the first result of a call that was sent again: no judge sees it."""
        number, step = self._numbers.next(), Step("beside-others", place=case.id.text)
        record = self.context.recorder.record
        record(number, self.run.id, request, received, script=LIVENESS, step=step)

    @property
    def process(self) -> Process:
        """What is known about the process behind the connection; empty if there is none."""
        return self._wire.process

    @property
    def _is_process(self) -> bool:
        return self.binding.traits.starts_process

    def _made(self, tool: Tool, case: Case) -> Made:
        def make() -> Request:
            return self.binding.call(tool, case.arguments, id=self.fresh_id())

        return self.context.care.counted(make, self.run, tool, self.context.settings)

    async def _take_care(self, tool: Tool) -> None:
        """Wait until a tool that may reach beyond its server may be called."""
        context = self.context
        wait = context.care.wait(self.run, tool, context.settings, time.monotonic())
        if wait:
            await asyncio.sleep(wait)

    async def send(
        self, request: Request, *, script: str, step: Step, confirms: int | None = None
    ) -> Exchange:
        """Send any request, as a step of a script. Waits if the server says that it is busy.

        A request that is off limits is neither sent nor recorded: the id of its exchange is
        `WITHHELD`.
        """
        if self.context.off_limits.holds(request):
            return Exchange(WITHHELD, "", request, None, None, 0.0, 0.0, step=step)
        await self.sessions.make_room(request)
        number = self._numbers.next()
        if self._wire.connection is None:
            await self._ensure_open()
        sent = await self.sessions.deliver(Made(lambda: request))
        record = self.context.recorder.record
        return record(number, self.run.id, *sent, script=script, step=step, confirms=confirms)

    async def _send_of_handshake(self, request: Request, step: Step) -> Exchange:
        """Send a message of a handshake. It begins a session, so it is sent in no other one."""
        await self.sessions.make_room(request)
        number, record = self._numbers.next(), self.context.recorder.record
        sent = await self.sessions.send(Made(lambda: request))
        return record(number, self.run.id, *sent, script=CONNECTION, step=step)

    async def renew(self) -> None:
        """Reopen the connection: over stdio, in another process. Raises `ConnectFailed`."""
        async with self._opening:
            await self._open_anew()
        self.silent = False

    async def _open_anew(self) -> None:
        """Reopen the connection while `_opening` is held. If that fails, the channel is silent."""
        await self.close()
        try:
            await self.open()
            await self.started()
        except ConnectFailed:
            self.silent = True
            raise

    async def revive(self) -> None:
        """Reopen the connection if it is closed, without a limit. Raises `ConnectFailed`."""
        if not self._wire.is_open:
            await self.renew()

    async def started(self) -> None:
        """Wait until a new process answers, so that its start does not delay a call.

        In the handshake era, the handshake has already waited. Other connections need no waiting.
        """
        if self.binding.traits.starts_process and self.run.era is not Era.LEGACY:
            await self.asked_for_a_list(Step("started"))

    async def answers_a_list(self, step: Step) -> bool:
        """Return whether the server still answers its simplest request."""
        return is_answered(await self.asked_for_a_list(step))

    async def asked_for_a_list(self, step: Step) -> Exchange:
        """Send the simplest request, recorded under `liveness`."""
        request = self.binding.list_tools(id=self.fresh_id())
        exchange = await self.send(request, script=LIVENESS, step=step)
        self._wire.hangs = exchange.trouble is Trouble.TIMEOUT
        return exchange

    async def outlives(self, step: Step) -> Exchange:
        """Send the simplest request a moment later: a process may end after an answer."""
        await asyncio.sleep(_BEHIND)
        return await self.asked_for_a_list(step)

    async def close(self, *, script: str = CONNECTION, step: Step = CLOSE) -> Exchange | None:
        """End the connection. For a process, return the exchange that shows how it ended."""
        try:
            await self.sessions.end()
        finally:
            received = await self._wire.close()
        if received is None or not self.binding.traits.starts_process:
            return None
        return self.nothing_sent(received, script=script, step=step)

    def nothing_sent(self, received: Received, *, script: str, step: Step) -> Exchange:
        """Record a step in which nothing was sent: how a connection was opened or closed."""
        record = self.context.recorder.record
        number, request = self._numbers.next(), self.binding.nothing()
        return record(number, self.run.id, request, received, script=script, step=step)

    def fresh_id(self) -> int:
        """Return a JSON-RPC id that this channel has not used."""
        self._next_id += 1
        return self._next_id

    async def _ensure_open(self) -> None:
        """Reopen the connection if it has ended. Raises `ConnectFailed`.

        Nothing is sent while the handshake of a new connection is under way.
        """
        if self._wire.is_open and not self._opening.locked():
            return
        async with self._opening:
            if self._wire.is_open:
                return
            if self._starts >= MOST_STARTS:
                self.silent = True
                raise ConnectFailed(Unopened(message("kit.reason.restarts")))
            if self._is_process and self._wire.connection is not None:
                self.shared.has_ended()
            await self._open_anew()

    async def shake_hands(self) -> None:
        """Begin with the handshake. If it fails, close the connection and raise `ConnectFailed`."""
        exchange = await self.tried_handshake()
        if self.opened is None:
            option = "--start-timeout" if self._is_process else "--request-timeout"
            why = no_handshake(exchange, self.process, option)
            await self.close()
            raise ConnectFailed(why, exchange)

    async def tried_handshake(self) -> Exchange:
        """Begin with the handshake. `opened` is then its exchange, or None if it was refused."""
        request = spoken(self.binding, McpBinding).initialize(id=self.fresh_id())
        exchange = await self._send_of_handshake(request, INITIALIZE)
        if self.adopt(exchange):
            await self.say_initialized()
        return exchange

    async def begins_anew(self) -> str | None:
        """Shake hands once more. Return the id of the session that this opens, if it opens one."""
        opened = await self.tried_handshake()
        return spoken(self.binding, McpBinding).session_id if opened is self.opened else None

    async def say_initialized(self) -> None:
        """Send the last message of the handshake."""
        done = spoken(self.binding, McpBinding).notification("notifications/initialized")
        await self._send_of_handshake(done, Step("initialized"))

    def adopt(self, exchange: Exchange) -> bool:
        """Use the version that a handshake agreed on; return False if there is no known one."""
        result = (response_of(exchange) or {}).get("result")
        settled = spoken(self.binding, McpBinding).after_handshake(result, exchange.answer)
        if settled is None:
            return False
        self.binding, self.opened = settled, exchange
        return True


async def open_channel(run: Run, context: Context, *, handshake: bool = True) -> Channel:
    """Return an open channel. Raises `ConnectFailed`."""
    channel = Channel(run, context, handshake=handshake)
    try:
        await channel.open()
    except asyncio.CancelledError:  # no other code knows the process that was just started
        await channel.close()
        raise
    return channel
