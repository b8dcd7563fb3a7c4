"""Sharing: which calls are under way on one connection, so that the right call is blamed.

From outside, nobody can tell which of several calls ended or silenced a process. So a call without
an answer among others is sent again alone, and only that counts. After the first end or silence of
a process, its channel makes one call at a time.

A call may also be answered, and end its process a moment later: see `endings`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from conformance.kit.drive.endings import Endings, SharedCall
from conformance.kit.drive.wire import Made, Sent
from conformance.kit.model.case import Case
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Exchange, Request, Trouble
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import Binding, Received

_LEFT = frozenset({Trouble.TIMEOUT, Trouble.CLOSED, Trouble.REFUSED})
"""Troubles that mean that no answer came, perhaps because of another call."""


@dataclass(slots=True, eq=False)
class UnderWay:
    """A call that is under way."""

    beside: bool = False
    """Whether another call was under way at the same time."""


@dataclass(slots=True)
class Suspects:
    """The calls that were under way together when their process ended.

    If one of them, sent alone, ends a process again, the others are innocent. If none does, all
    keep their first result: the cause may be that they came together.
    """

    tools: set[str] = field(default_factory=set)
    waiting: int = 0
    found: bool = False
    settled: asyncio.Event = field(default_factory=asyncio.Event)

    def joins(self, tool: str) -> None:
        """Add a call that will be sent again."""
        self.tools.add(tool)
        self.waiting += 1

    def leaves(self, *, ended: bool) -> None:
        """Note that a call was sent again, and whether it ended its process."""
        self.found = self.found or ended
        self.waiting -= 1
        if not self.waiting:
            self.settled.set()


class Sharing:
    """Knows which calls are under way together on one channel."""

    def __init__(self) -> None:
        self.one_at_a_time = False
        self.has_ended = False
        self.suspects = Suspects()
        self._alone = asyncio.Lock()
        self._under_way: set[UnderWay] = set()
        self._nobody = asyncio.Event()
        self._nobody.set()

    @asynccontextmanager
    async def among(self) -> AsyncIterator[UnderWay]:
        """Be under way with other calls, or alone if only one call is allowed at a time."""
        async with self._alone:
            shared = not self.one_at_a_time
            if not shared:
                await self._nobody.wait()
                yield UnderWay()
                return
            own = self._enter()
        try:
            yield own
        finally:
            self._under_way.discard(own)
            if not self._under_way:
                self._nobody.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Be under way while no other call is."""
        async with self._alone:
            await self._nobody.wait()
            yield

    def _enter(self) -> UnderWay:
        own = UnderWay(beside=bool(self._under_way))
        for other in self._under_way:
            other.beside = True
        self._under_way.add(own)
        self._nobody.clear()
        return own


def after(case: CaseId) -> Step:
    """Return the step for what is asked after a call."""
    return Step("after", place=case.text)


def is_answered(asked: Exchange) -> bool:
    """Return whether a request got an answer; one with a wrong id shows that the server lives."""
    if asked.answer is None:
        return False
    answers = (m for m in asked.answer.messages if isinstance(m, dict) and "method" not in m)
    return asked.trouble is None or any("result" in m or "error" in m for m in answers)


def ended_by(received: Received, asked: Exchange) -> Received:
    """Return the result of a call, changed if `asked` shows that it ended its process."""
    if asked.trouble is not Trouble.CLOSED:
        return received
    return replace(received, trouble=Trouble.CLOSED, detail=asked.trouble_detail)


class Sender(Protocol):
    """Sends the calls: a channel."""

    silent: bool
    binding: Binding

    async def send_call(self, made: Made) -> Sent:
        """Send a call. Raises `ConnectFailed`."""
        ...

    async def send_alone(self, made: Made, step: Step) -> Sent:
        """Send a call while nothing else is under way. Raises `ConnectFailed`."""
        ...

    def recorded(self, number: int, case: Case, request: Request, received: Received) -> Exchange:
        """Record the result of a call."""
        ...

    def recorded_beside(self, case: Case, request: Request, received: Received) -> None:
        """Record the first result of a call that was sent again."""
        ...

    async def asked_for_a_list(self, step: Step) -> Exchange:
        """Send the simplest request."""
        ...

    async def outlives(self, step: Step) -> Exchange:
        """Send the simplest request a moment later."""
        ...

    async def close(self) -> Exchange | None:
        """End the connection; the next call opens another."""
        ...


class SharedCalls:
    """Makes the calls that share a connection, and repeats them if it is unclear which to blame."""

    def __init__(self, sender: Sender) -> None:
        self.silent_after: set[str] = set()
        self._sender = sender
        self._sharing = Sharing()
        self._endings = Endings()
        self._before: list[SharedCall] = []
        """The calls that were answered just before the process ended during several calls."""
        self._crashing: set[str] = set()
        """Tools that ended a fresh process, too."""

    def has_ended(self) -> None:
        """Note that a process ended while nothing was under way: an answered call ended it."""
        self._sharing.one_at_a_time = self._sharing.has_ended = True
        self._endings.forget()

    @property
    def one_at_a_time(self) -> bool:
        """Whether only one call may be under way."""
        return self._sharing.one_at_a_time

    @one_at_a_time.setter
    def one_at_a_time(self, alone: bool) -> None:
        self._sharing.one_at_a_time = alone

    async def alone(self, call: SharedCall) -> Exchange:
        """Make a call while no other is under way."""
        async with self._sharing.alone():
            sent = await self._again(call)
            return self._sender.recorded(call.number, call.case, *sent)

    async def share(self, call: SharedCall) -> Exchange | None:
        """Make a call; None if it got no answer and could not be sent again."""
        sharing, sender = self._sharing, self._sender
        async with sharing.among() as own:
            if sharing.one_at_a_time and not own.beside:
                return sender.recorded(call.number, call.case, *await self._again(call))
            sent = await sender.send_call(call.made)
            trouble = sent[1].trouble
            if trouble not in _LEFT:
                self._endings.answered(call)
                return sender.recorded(call.number, call.case, *sent)
            sharing.one_at_a_time = sharing.one_at_a_time or self._in_process
            sharing.has_ended = sharing.has_ended or trouble is Trouble.CLOSED
            suspect = trouble is Trouble.CLOSED and own.beside
            if suspect:
                self._before = self._before or self._endings.suspects()
                self._endings.forget()
                sharing.suspects.joins(call.case.tool)
        if trouble is Trouble.REFUSED:
            return await self._unreached(call)
        if trouble is Trouble.CLOSED and not self._in_process:
            return await self._cut_off(call, sent, beside=own.beside)
        if suspect:
            return await self._suspected(call, sent)
        if trouble is Trouble.CLOSED:
            async with self._sharing.alone():
                return sender.recorded(call.number, call.case, *await self._fairly(call, sent))
        return await self._late(call, sent, beside=own.beside)

    async def _late(self, call: SharedCall, first: Sent, *, beside: bool) -> Exchange | None:
        """After a timeout, check that the server lives, and repeat the call alone.

        The list request comes first, on the same connection. If a server over HTTP answers nothing
        more, nothing more is sent to it. The first call without an answer is then blamed: later
        ones may only have waited.
        """
        sender = self._sender
        async with self._sharing.alone():
            if sender.silent:
                return None
            first = await self._lives_after(call, first)
            if not beside or sender.silent:
                return sender.recorded(call.number, call.case, *first)
            self.silent_after.discard(call.case.id.text)
            if call.given_up():
                return None
            sent = await self._again(call)
        sender.recorded_beside(call.case, *first)
        return sender.recorded(call.number, call.case, *sent)

    async def _suspected(self, call: SharedCall, first: Sent) -> Exchange | None:
        """Repeat a call that was under way when its process ended: alone, in another process."""
        sender, suspects, ended = self._sender, self._sharing.suspects, False
        try:
            async with self._sharing.alone():
                if call.given_up() or sender.silent:
                    return None
                sent = await self._again(call)
                ended = sent[1].trouble is Trouble.CLOSED
                if suspects.waiting == 1 and not (ended or suspects.found):
                    suspects.found = await self._was_dying(self._before)
        finally:
            suspects.leaves(ended=ended)
        await suspects.settled.wait()
        if not suspects.found:
            return sender.recorded(call.number, call.case, *first)
        sender.recorded_beside(call.case, *first)
        return sender.recorded(call.number, call.case, *sent)

    async def _cut_off(self, call: SharedCall, first: Sent, *, beside: bool) -> Exchange | None:
        """Record a call whose connection was cut; the server may have gone for good.

        Then nobody can find out which of several calls ended it. If all were calls of one tool, at
        least the tool is known.
        """
        sender, tools = self._sender, self._sharing.suspects.tools
        async with self._sharing.alone():
            if not sender.silent:
                sender.silent = not is_answered(await sender.asked_for_a_list(after(call.case.id)))
            if not sender.silent:
                tools.clear()
            elif beside and len(tools) > 1:
                return None
        return sender.recorded(call.number, call.case, *first)

    async def _unreached(self, call: SharedCall) -> Exchange | None:
        """Repeat a call that got no connection: the server never saw it."""
        sender = self._sender
        async with self._sharing.alone():
            if sender.silent:
                return None
            if not is_answered(await sender.asked_for_a_list(after(call.case.id))):
                sender.silent = True
                return None
            sent = await self._again(call)
        return sender.recorded(call.number, call.case, *sent)

    async def _again(self, call: SharedCall) -> Sent:
        """Make a call while nothing else is under way, and check its process.

        If a process of the server ended before, the present one is asked for a list after each
        call.
        """
        sent = await self._sender.send_alone(call.made, after(call.case.id))
        if sent[1].trouble is Trouble.TIMEOUT:
            return await self._lives_after(call, sent)
        if sent[1].trouble is Trouble.CLOSED:
            return await self._fairly(call, sent)
        if sent[1].trouble is None and self._in_process and self._sharing.has_ended:
            return sent[0], await self._behind(call, sent[1])
        return sent

    async def _behind(self, call: SharedCall, received: Received) -> Received:
        """Return the result of an answered call, changed if it then ended its process."""
        if not self._endings.is_watched(call):
            self._endings.answered(call)
            return ended_by(received, await self._sender.asked_for_a_list(after(call.case.id)))
        received = ended_by(received, await self._sender.outlives(after(call.case.id)))
        self._endings.forget()
        if received.trouble is Trouble.CLOSED:
            self._endings.tools.add(call.case.tool)
        return received

    async def _fairly(self, call: SharedCall, sent: Sent) -> Sent:
        """Return what a call gives in a process that was not dying of an earlier call.

        Nothing else may be under way.
        """
        earlier = self._endings.suspects() if self._in_process else []
        self._endings.forget()
        known = call.case.tool in self._crashing
        if not earlier or known or call.given_up() or self._sender.silent:
            return sent
        again = await self._sender.send_alone(call.made, after(call.case.id))
        if again[1].trouble is None:
            again = again[0], await self._behind(call, again[1])
        if again[1].trouble is Trouble.CLOSED:
            self._crashing.add(call.case.tool)
        if again[1].trouble is not None or not await self._was_dying(earlier):
            return sent
        self._sender.recorded_beside(call.case, *sent)
        return again

    async def _was_dying(self, earlier: list[SharedCall]) -> bool:
        """Return whether an earlier, answered call ends its process when it is sent alone."""
        for call in earlier:
            sent = await self._sender.send_alone(call.made, after(call.case.id))
            self._sender.recorded_beside(call.case, *sent)
            asked = await self._sender.outlives(after(call.case.id))
            if Trouble.CLOSED in (sent[1].trouble, asked.trouble):
                self._endings.tools.add(call.case.tool)
                return True
        return False

    async def _lives_after(self, call: SharedCall, sent: Sent) -> Sent:
        """Ask for a list on the connection where a call got no answer, before any other request.

        A process that does not answer is ended, and the next call starts another. If the process
        has ended, the call ended it. Any other server gets no more requests.
        """
        asked = await self._sender.asked_for_a_list(after(call.case.id))
        if is_answered(asked):
            return sent
        if not self._in_process:
            self._sender.silent = True
        elif asked.trouble is Trouble.CLOSED:
            return sent[0], ended_by(sent[1], asked)
        else:
            await self._sender.close()
        self.silent_after.add(call.case.id.text)
        return sent

    @property
    def _in_process(self) -> bool:
        return self._sender.binding.traits.starts_process
