"""An interrupt is heard while something is sent, and noted at any other time."""

import asyncio
import os
import signal
import socket
import threading

import pytest

from conformance.kit.drive.interrupts import interrupted_by_signals, is_interrupted, run
from tests.waiting import until

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


def test_one_that_comes_while_the_loop_is_made_is_not_lost(monkeypatch):
    runs = asyncio.run

    def interrupted(work):
        signal.raise_signal(signal.SIGINT)
        return runs(work)

    monkeypatch.setattr(asyncio, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(asyncio.Event().wait())


def test_nobody_waits_for_the_lookup_of_a_name_that_never_ends(monkeypatch, capfd):
    answers, ended, before = threading.Event(), [], set(threading.enumerate())
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: ended.append(answers.wait(60)))

    async def work():
        looked = asyncio.get_running_loop().getaddrinfo("a.example", 80)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(looked, 0.1)

    run(work())
    assert not ended
    answers.set()
    assert until(lambda: not set(threading.enumerate()) - before, within=10)
    assert capfd.readouterr().err == ""


def test_the_lookup_of_a_name_gives_its_error():
    async def work():
        await asyncio.get_running_loop().getaddrinfo("", "no such service")

    with pytest.raises(socket.gaierror):
        run(work())
