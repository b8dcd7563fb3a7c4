"""Of `--max-time`, enough is left to judge what was sent, and to confirm what failed."""

import asyncio
import gc
import math
import signal
import sys
import threading
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.kit.drive.budget import (
    Shares,
    confirming_ends,
    crowd,
    driving_ends,
    run_until,
    until,
)
from conformance.kit.drive.interrupts import interrupted_by_signals, run
from conformance.kit.drive.pacing import together
from conformance.kit.model.fault import Fault, fault_of
from conformance.kit.model.written import Writing, codec

A_TOOL = 150
"""Clauses about a tool, roughly."""


@pytest.mark.parametrize(
    ("tools", "requests", "ends"),
    [(10, 2_000, 480), (2_000, 0, 480), (2_000, 250_000, 370), (6_000, 600_000, 240)],
)
def test_driving_ends_the_sooner_the_more_there_is_to_be_judged(tools, requests, ends):
    assert driving_ends(600, tools * A_TOOL, requests) == pytest.approx(ends)


def test_driving_ends_sooner_where_other_programs_wait_for_the_processors(monkeypatch):
    assert driving_ends(600, 250 * A_TOOL, 200_000, crowd=1) == pytest.approx(434.375)
    assert driving_ends(600, 250 * A_TOOL, 200_000, crowd=2) == pytest.approx(328.75)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("os.getloadavg", lambda: (7.0, 0.0, 0.0))
    assert crowd() == 3.5
    monkeypatch.setattr("os.getloadavg", lambda: (0.3, 9.0, 9.0))
    assert crowd() == 1.0
    monkeypatch.delattr("os.getloadavg")
    assert crowd() == 1.0


@given(st.floats(1, 1e5), st.integers(0, 10**6), st.integers(0, 10**7))
def test_driving_always_gets_some_time_and_no_more_for_more_to_judge(seconds, pairs, sent):
    ends = driving_ends(seconds, pairs, sent)
    assert 0 < ends < 0.9 * seconds
    assert driving_ends(seconds, pairs + 1, sent) <= ends
    assert driving_ends(seconds, pairs, sent + 1) <= ends


@pytest.mark.parametrize(("judged_in", "ends"), [(0.1, 40), (1, 40), (4, 33), (20, -15)])
def test_confirming_ends_the_sooner_the_longer_judging_took(judged_in, ends):
    assert confirming_ends(40, judged_in, 2_000 * A_TOOL, 0) == pytest.approx(ends)


def test_many_requests_to_few_tools_leave_time_to_confirm_since_the_report_is_short():
    assert confirming_ends(200, 33, 11_000, 15_400) > 180
    assert confirming_ends(200, 33, 11_000, 0) < 120


@pytest.mark.parametrize(
    ("runs", "older", "ends"),
    [(1, False, [100]), (1, True, [90]), (2, True, [55, 90]), (3, False, [140 / 3, 73.333, 100])],
)
def test_a_run_leaves_time_for_those_after_it(runs, older, ends):
    shares, now, found = Shares(0.0, runs, older=older), 20.0, []
    for _ in range(runs):
        now = shares.next(now)(lambda: 100.0)
        found.append(now)
    assert found == pytest.approx(ends, abs=0.01)


def test_time_without_an_end_has_shares_without_an_end():
    assert Shares(0.0, 2, older=True).next(1.0)(lambda: math.inf) == math.inf


async def forever():
    await asyncio.Event().wait()


def test_an_end_that_comes_nearer_is_noticed_meanwhile():
    ends = iter([math.inf, math.inf, time.monotonic() - 1])
    with pytest.raises(TimeoutError):
        asyncio.run(until(forever(), lambda: next(ends), look=0))
    assert list(ends) == []


def test_what_is_done_in_time_is_given_and_nothing_looks_at_the_time_any_more():
    looks = []

    async def main():
        async def soon():
            await asyncio.sleep(0)
            return "done"

        given = await until(soon(), lambda: looks.append(1) or math.inf, look=0)
        before = len(looks)
        for _ in range(5):
            await asyncio.sleep(0)
        return given, before

    assert asyncio.run(main()) == ("done", len(looks))
    assert looks


def test_work_that_takes_its_time_to_end_is_not_ended_twice():
    ends = []

    async def cleans_up():
        try:
            await forever()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            ends.append("cleaned up")

    with pytest.raises(TimeoutError):
        asyncio.run(until(cleans_up(), lambda: time.monotonic() - 1, look=0))
    assert ends == ["cleaned up"]


def blocks(seconds=30.0):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        pass


OFTEN = 0.05
"""Seconds between two rings of the alarm."""


async def in_the_work_itself():
    blocks()


async def in_one_of_several_works():
    await together(work() for work in (forever, in_the_work_itself))


async def in_a_work_that_nobody_waits_for():
    task = asyncio.create_task(in_the_work_itself())
    await forever()
    await task


async def in_a_turn_of_the_loop():
    asyncio.get_running_loop().call_soon(blocks)
    await forever()


async def behind_a_guard():
    with suppress(Exception):  # as around one tool
        blocks()
    pytest.fail("the guard kept it")


async def in_what_a_library_calls():
    codec(Fault).dump_python(Fault("a", "b", "c"), context=Writing(redact=lambda _: blocks()))


async def in_what_a_library_calls_behind_a_guard():
    try:
        await in_what_a_library_calls()
    except Exception as error:  # as around one tool
        fault_of(error)
    pytest.fail("the cut was taken for a fault")


async def in_what_an_end_waits_for():
    try:
        await forever()
    finally:
        blocks()


BLOCKING = [
    in_the_work_itself,
    in_one_of_several_works,
    in_a_work_that_nobody_waits_for,
    in_a_turn_of_the_loop,
    behind_a_guard,
    in_what_a_library_calls,
    in_what_a_library_calls_behind_a_guard,
    in_what_an_end_waits_for,
]


@pytest.mark.parametrize("work", BLOCKING)
def test_work_that_blocks_the_loop_is_cut_wherever_it_is(work, caplog):
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        run_until(work(), lambda: began + 0.1, OFTEN)
    assert time.monotonic() - began < 10
    gc.collect()
    assert not caplog.text


@pytest.mark.parametrize("work", BLOCKING)
def test_an_interrupt_also_ends_work_that_blocks_the_loop(work):
    took_back, began = interrupted_by_signals(), time.monotonic()
    heard = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    heard.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_until(work(), lambda: math.inf, OFTEN)
    finally:
        heard.join()
        took_back()
    assert time.monotonic() - began < 10


def test_what_cleans_up_is_not_cut_however_long_it_takes():
    ended, began = [], time.monotonic()

    async def cleans_up():
        try:
            await forever()
        finally:
            while time.monotonic() < began + 20 * OFTEN:
                await asyncio.sleep(0)
            ended.append("cleaned up")

    with pytest.raises(TimeoutError):
        run_until(cleans_up(), lambda: time.monotonic() - 1, OFTEN)
    assert ended == ["cleaned up"]


def test_work_that_is_in_time_may_block_the_loop():
    async def reads_long():
        blocks(0.6)
        return "read"

    assert run_until(reads_long(), lambda: math.inf, OFTEN) == "read"


def test_after_an_interrupt_no_work_starts():
    took_back = interrupted_by_signals()
    try:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            run_until(forever(), lambda: math.inf)
    finally:
        took_back()


class Breaks:
    def __del__(self):
        raise ValueError("broken")


class Blocks:
    def __del__(self):
        blocks(1.0)


def test_an_alarm_that_python_ignores_prints_nothing_and_rings_again(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: told.append(each.exc_value))

    async def deletes():
        Blocks()
        Breaks()
        blocks()

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        run_until(deletes(), lambda: began, OFTEN)
    assert time.monotonic() - began < 10
    Breaks()
    assert {str(each) for each in told} == {"broken"}


def test_an_alarm_that_was_set_before_is_set_again():
    async def nothing():
        pass

    heard = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        run_until(nothing(), lambda: math.inf)
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
        assert 900 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, heard)


@pytest.mark.parametrize(("ended_by", "printed"), [(KeyboardInterrupt, False), (ValueError, True)])
def test_only_an_interrupt_of_a_task_is_not_printed(ended_by, printed, caplog):
    async def ended():
        raise ended_by

    async def work():
        task = asyncio.create_task(ended())
        await asyncio.sleep(0)
        del task
        await asyncio.sleep(0)

    with suppress(KeyboardInterrupt):
        run(work())
    gc.collect()
    assert ("never retrieved" in caplog.text) is printed


def test_a_clock_that_raises_ends_the_work_with_what_it_raised():
    def ends():
        raise ZeroDivisionError("of the kit")

    with pytest.raises(ZeroDivisionError):
        asyncio.run(until(asyncio.Event().wait(), ends))
