"""Whose fault it is that a process ended, of several calls that were under way on it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from conformance.kit.drive.endings import SharedCall
from conformance.kit.drive.sharing import SharedCalls, is_answered
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

    outlives = asked_for_a_list

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


class Dying:
    """Ends its process at what follows a call of `finish`, which is answered first."""

    def __init__(self):
        self.silent = False
        self.binding = SimpleNamespace(traits=SimpleNamespace(starts_process=True))
        self.kept = {}
        self._doomed = self._dead = False

    async def send_call(self, made):
        await asyncio.sleep(0)
        if self._doomed:
            self._dead = True
            return made(), CLOSED
        self._doomed = made() == "finish"
        return made(), ANSWERED

    async def send_alone(self, made, step):
        if self._dead:
            self._doomed = self._dead = False
        if self._doomed:
            self._dead = True
            return made(), CLOSED
        self._doomed = made() == "finish"
        return made(), ANSWERED

    async def outlives(self, step):
        ended, self._dead = self._doomed, self._doomed
        return asked(CLOSED if ended else ANSWERED)

    async def asked_for_a_list(self, step):
        return asked(ANSWERED)

    def recorded(self, number, case, request, received):
        self.kept[request] = received.trouble

    def recorded_beside(self, case, request, received):
        pass

    async def close(self):
        self._doomed = False


def asked(received):
    """The exchange of a list that got this."""
    return SimpleNamespace(
        answer=received.answer, trouble=received.trouble, trouble_detail=received.detail
    )


def a_call(name):
    """A call of the tool with this name."""
    own = replace(case(run=STDIO), id=replace(case(run=STDIO).id, tool=name))
    return SharedCall(lambda: name, own, 1, lambda: False)


def sent(*groups):
    """What was recorded of each tool, whose calls were made one group after the other."""

    async def shared():
        process = Dying()
        calls = SharedCalls(process)
        for group in groups:
            await asyncio.gather(*(calls.share(a_call(name)) for name in group))
        return process.kept

    return asyncio.run(shared())


def test_calls_that_met_a_process_that_was_dying_of_an_earlier_answer_are_not_blamed():
    assert sent(["finish"], ["double", "greet"]) == dict.fromkeys(["finish", "double", "greet"])


def test_one_call_that_met_a_dying_process_is_not_blamed():
    assert sent(["finish"], ["double"]) == {"finish": None, "double": None}


def test_a_tool_that_ended_its_process_behind_an_answer_is_blamed_at_its_next_call():
    found = sent(["finish"], ["double", "greet"], ["finish"], ["double"])
    assert found == {"finish": Trouble.CLOSED, "double": None, "greet": None}


def test_an_answer_with_a_wrong_id_shows_that_the_server_lives():
    def told(*messages):
        return asked(Received(Answer(messages=messages), Trouble.TIMEOUT, 0.0))

    assert is_answered(told({"jsonrpc": "2.0", "id": 7, "result": {}}))
    assert not is_answered(told({"jsonrpc": "2.0", "method": "notifications/message"}))
    assert not is_answered(asked(Received(None, Trouble.TIMEOUT, 0.0)))
