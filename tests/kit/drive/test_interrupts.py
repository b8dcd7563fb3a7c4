"""An interrupt is heard while something is sent, and noted at any other time."""

import asyncio
import os
import signal

import pytest

from conformance.kit.drive.interrupts import interrupted_by_signals, is_interrupted, run

SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture(autouse=True)
def listening():
    take_back = interrupted_by_signals()
    yield
    take_back()


@pytest.mark.parametrize("number", SIGNALS)
def test_while_something_is_sent_it_ends_that(number):
    began = []

    async def work():
        began.append(True)
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
        await asyncio.Event().wait()

    with pytest.raises(KeyboardInterrupt):
        run(work())
    assert began
    assert is_interrupted()


@pytest.mark.parametrize("number", SIGNALS)
def test_at_any_other_time_nothing_is_broken_off_and_nothing_more_is_sent(number):
    began = []

    async def work():
        began.append(True)

    run(work())
    for _ in range(3):
        os.kill(os.getpid(), number)
    with pytest.raises(KeyboardInterrupt):
        run(work())
    assert began == [True]
