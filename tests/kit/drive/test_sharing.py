"""Whose fault it is that a process ended, of several calls that were under way on it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from conformance.kit.drive.sharing import SharedCall, SharedCalls
from conformance.kit.model.exchange import Answer, Trouble
from conformance.kit.transport.binding import Received
from tests.kit.samples import STDIO, case

ANSWERED = Received(Answer(body=b"{}"), None, 0.1)
CLOSED = Received(None, Trouble.CLOSED, 0.1, "Error: spawn /bin/sh ENOENT")


class Process:
    """Ends while calls are under way together, and alone behind the answer to one of them.

    `guilty` is the call that ends it. Guards what was recorded of each.
    """

    def __init__(self, guilty, together):
        self.silent = False
        self.binding = SimpleNamespace(traits=SimpleNamespace(starts_process=True))
        self.kept = {}
        self._guilty, self._doomed = guilty, False
        self._all_are_there = asyncio.Barrier(together)

    async def send_call(self, made):
        await self._all_are_there.wait()
        return made(), CLOSED

    async def send_alone(self, made, step):
        if self._doomed:
            self._doomed = False
            return made(), CLOSED
        self._doomed = made() == self._guilty
        return made(), ANSWERED

    async def asked_for_a_list(self, step):
        ended, self._doomed = self._doomed, False
        trouble = Trouble.CLOSED if ended else None
        answer = None if ended else Answer(body=b"{}")
        return SimpleNamespace(answer=answer, trouble=trouble, trouble_detail=CLOSED.detail)

    def recorded(self, number, case, request, received):
        self.kept[request] = received.trouble

    def recorded_beside(self, case, request, received):
        pass

    async def close(self):
        self._doomed = False


@pytest.mark.parametrize("guilty", ["first", "second", "third"])
def test_a_call_that_is_answered_and_ends_its_process_then_is_blamed_and_none_behind_it(guilty):
    names = ["first", "second", "third"]

    async def shared():
        process = Process(guilty, len(names))
        calls = SharedCalls(process)
        made = [
            SharedCall(lambda name=name: name, case(run=STDIO), number, lambda: False)
            for number, name in enumerate(names)
        ]
        await asyncio.gather(*map(calls.share, made))
        return process.kept

    kept = asyncio.run(shared())
    assert kept == {name: Trouble.CLOSED if name == guilty else None for name in names}
