"""While it is in doubt whether a server still answers, one asks and the others wait for it."""

from __future__ import annotations

import asyncio
import time

import pytest

from conformance.kit.drive.channel import Channel, Context
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.spec.vocabulary import Binding
from tests.waiting import rounds

RUN = Run("http", "http://127.0.0.1:1", Binding.HTTP, "http://127.0.0.1:1")


class Doubtful(Channel):
    """A channel whose server answers a list, or does not; `asked` counts the lists."""

    def __init__(self, *, answers: bool) -> None:
        super().__init__(RUN, Context(Settings(), Recorder(), time.monotonic()), handshake=False)
        self.answers = answers
        self.asked = 0
        self.heard = 0

    async def answers_a_list(self, after: str) -> bool:
        self.asked += 1
        await rounds(5)
        self.heard += 1
        return self.answers


async def blamed(channel, *cases):
    return await asyncio.gather(*(channel.has_fallen_silent(case) for case in cases))


def test_a_slow_call_is_not_blamed_while_a_list_is_answered():
    channel = Doubtful(answers=True)
    assert asyncio.run(blamed(channel, "one", "two")) == [False, False]
    assert not channel.silent


def test_only_the_first_of_the_unanswered_calls_is_blamed():
    channel = Doubtful(answers=False)
    assert asyncio.run(blamed(channel, "one", "two", "three")) == [True, False, False]
    assert channel.silent


def test_a_silent_server_is_asked_for_one_list():
    channel = Doubtful(answers=False)
    asyncio.run(blamed(channel, "one", "two", "three"))
    assert channel.asked == 1


@pytest.mark.parametrize("answers", [True, False])
def test_nothing_is_sent_until_the_doubt_is_settled(answers):
    channel = Doubtful(answers=answers)

    async def meanwhile():
        doubting = asyncio.create_task(channel.has_fallen_silent("one"))
        await asyncio.sleep(0)
        await channel.settled()
        heard = channel.heard
        await doubting
        return heard

    assert asyncio.run(meanwhile()) == channel.asked == 1
