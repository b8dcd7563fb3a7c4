"""How many calls a server gets in parallel, against servers of a clock that no test waits for."""

import asyncio
import heapq
import random
from collections import deque

import pytest

from conformance.kit.drive.pacing import Load, Width

LIMIT = 10.0
MOST = 16


class Server:
    """Works at `lanes` calls in parallel, in the order in which they come."""

    def __init__(self, lanes):
        self.free = [0.0] * lanes

    def ends(self, now, takes):
        begins = max(now, heapq.heappop(self.free))
        heapq.heappush(self.free, begins + takes)
        return begins + takes


class Sharing:
    """Works at all calls in parallel, each the slower the more there are."""

    def __init__(self):
        self.left = {}
        self.now = 0.0

    def until(self, now):
        for one in self.left:
            self.left[one] -= (now - self.now) / len(self.left)
        self.now = now

    def next(self):
        return min((self.now + left * len(self.left), one) for one, left in self.left.items())


class Sent:
    """How long each answer took, how many calls were under way, and when all had ended."""

    def __init__(self):
        self.took = []
        self.widths = []
        self.late = []
        self.ended = 0.0


def drive(server, jobs, *, most=MOST, limit=LIMIT):
    """Send all jobs, (work, seconds), one behind the other, as the width allows."""
    load, sent, now = Load(most, limit), Sent(), 0.0
    waiting, ends, when = deque(jobs), [], {}
    while waiting or when:
        pause = load.wait(waiting[0][0], now) if waiting else float("inf")
        if pause == 0:
            work, takes = waiting.popleft()
            number = load.sent(work, now)
            when[number] = now
            sent.widths.append(len(when))
            if isinstance(server, Sharing):
                server.until(now)
                server.left[number] = takes
            else:
                heapq.heappush(ends, (server.ends(now, takes), number))
            continue
        if isinstance(server, Sharing):
            at, number = server.next()
        else:
            at, number = ends[0]
        if now + pause < at:
            now += pause
            continue
        now = at
        if isinstance(server, Sharing):
            server.until(now)
            del server.left[number]
        else:
            heapq.heappop(ends)
        took = now - when.pop(number)
        sent.took.append(took)
        if took > limit:
            sent.late.append(load.timed_out(number, now))
        else:
            load.answered(number, now, took)
    sent.ended = now
    return sent


def calls(count, seconds, tool="t"):
    return [((tool, True), seconds)] * count


@pytest.mark.parametrize("seconds", [0.05, 0.3, 1.0, 2.0, 4.0, 6.0, 9.0])
def test_calls_that_are_worked_off_one_at_a_time_do_not_time_out_behind_each_other(seconds):
    sent = drive(Server(1), calls(60, seconds))
    assert max(sent.took) <= LIMIT
    assert sent.ended == pytest.approx(60 * seconds)


@pytest.mark.parametrize("seconds", [0.3, 1.0, 2.0, 4.0])
def test_calls_that_share_one_processor_do_not_time_out_together(seconds):
    sent = drive(Sharing(), calls(60, seconds))
    assert max(sent.took) <= LIMIT


@pytest.mark.parametrize("seconds", [0.001, 0.02])
def test_a_fast_server_gets_all_that_was_asked_for_after_a_few_answers(seconds):
    for server in (Server(1), Server(MOST), Sharing()):
        assert max(drive(server, calls(60, seconds)).widths[:40]) == MOST


@pytest.mark.parametrize("seconds", [0.5, 1.0, 2.0, 3.0, 5.0, 6.0])
def test_a_tool_that_is_slow_but_served_side_by_side_reaches_the_whole_width(seconds):
    sent = drive(Server(MOST), calls(200, seconds))
    assert max(sent.widths) == MOST
    assert max(sent.took) == pytest.approx(seconds)
    assert sent.ended < 200 * seconds / 5


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_a_server_with_some_workers_is_kept_busy_and_not_flooded(lanes):
    sent = drive(Server(lanes), calls(200, 2.0))
    assert max(sent.took) <= LIMIT
    assert sent.ended < 1.5 * 200 * 2.0 / lanes


@pytest.mark.parametrize("seed", range(8))
def test_calls_of_uneven_length_do_not_time_out_behind_each_other(seed):
    draw = random.Random(seed)
    jobs = [(("t", True), draw.uniform(0.5, 2.0)) for _ in range(120)]
    assert max(drive(Server(1), jobs).took) <= LIMIT


def test_a_slow_tool_beside_quick_ones_is_met_without_a_time_out():
    jobs = calls(40, 0.01, "quick") + calls(20, 4.0, "slow") + calls(20, 8.0, "slower")
    random.Random(1).shuffle(jobs)
    assert max(drive(Server(1), jobs).took) <= LIMIT


def test_tools_that_were_never_called_are_not_met_together():
    sent = drive(Server(1), [((name, True), 8.0) for name in "abcd"])
    assert sent.widths == [1, 1, 1, 1]


def test_broken_calls_go_at_their_own_pace():
    jobs = calls(3, 5.0) + [(("t", False), 0.01)] * 100
    assert max(drive(Server(1), jobs).widths[20:]) == MOST


def test_a_server_that_grows_slower_gets_fewer_calls():
    jobs = calls(50, 0.01) + calls(60, 2.0)
    sent = drive(Server(1), jobs)
    assert max(sent.widths[50 + MOST :]) <= 3


def test_a_server_that_recovers_gets_more_again():
    jobs = calls(20, 2.0) + calls(80, 0.01)
    assert max(drive(Server(1), jobs).widths[-20:]) == MOST


@pytest.mark.parametrize("most", [1, 3])
def test_there_are_never_more_than_was_asked_for(most):
    assert max(drive(Server(MOST), calls(60, 0.01), most=most).widths) == most


def test_a_call_that_times_out_alone_waited_for_no_other():
    load = Load(MOST, LIMIT)
    assert load.timed_out(load.sent(("t", True), 0.0), LIMIT) is False


def test_a_call_that_times_out_behind_another_may_only_have_waited_and_the_next_goes_alone():
    load = Load(MOST, LIMIT)
    work = ("t", True)
    for _ in range(4):
        load.answered(load.sent(work, 0.0), 0.01, 0.01)
    first, second = load.sent(work, 1.0), load.sent(work, 1.0)
    assert load.timed_out(first, 11.0) is False
    assert load.timed_out(second, 11.0) is True
    load.sent(work, 11.0)
    assert load.wait(work, 11.0) > 0


def test_a_call_that_was_soon_the_oldest_and_times_out_waited_for_no_other():
    load = Load(MOST, LIMIT)
    work = ("t", True)
    load.answered(load.sent(work, 0.0), 0.01, 0.01)
    first, second = load.sent(work, 1.0), load.sent(work, 1.0)
    load.answered(first, 2.0, 1.0)
    assert load.timed_out(second, 11.0) is False


async def _in_turn(width, work, log, answer=None):
    """Take a turn, and end it when the event `answer` is set."""
    async with width.turn(work) as turn:
        log.append("in")
        if answer is not None:
            await answer.wait()
        turn.answered(0.0)
        log.append("out")


def test_turns_are_given_in_the_order_in_which_they_are_asked_for():
    async def work():
        width, log = Width(1, LIMIT), []
        await asyncio.gather(*(_in_turn(width, ("t", True), log) for _ in range(5)))
        return log

    log = asyncio.run(work())
    assert log == ["in", "out"] * 5


def test_who_is_interrupted_while_waiting_keeps_nobody_from_a_turn():
    async def work():
        width, log, answer = Width(1, LIMIT), [], asyncio.Event()
        tasks = [asyncio.create_task(_in_turn(width, ("t", True), log, answer)) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        answer.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return log

    assert asyncio.run(work()) == ["in", "out"] * 2


def test_who_is_interrupted_in_a_turn_gives_it_back():
    async def work():
        width, log = Width(1, LIMIT), []
        held = asyncio.create_task(_in_turn(width, ("t", True), log, asyncio.Event()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        other = asyncio.create_task(_in_turn(width, ("t", True), log))
        held.cancel()
        await asyncio.gather(held, other, return_exceptions=True)
        return log

    assert asyncio.run(work()) == ["in", "in", "out"]


def test_who_is_interrupted_between_the_leave_and_the_turn_gives_it_back():
    async def work():
        width, log, tasks = Width(1, LIMIT), [], []
        async with width.turn(("t", True)) as turn:
            tasks += [asyncio.create_task(_in_turn(width, ("t", True), log)) for _ in range(3)]
            await asyncio.sleep(0)
            turn.answered(0.0)
        tasks[0].cancel()  # it has leave, and has not run since
        for _ in range(20):  # rounds of the loop: there is no time to wait for
            await asyncio.sleep(0)
        return log, [task.done() for task in tasks]

    assert asyncio.run(work()) == (["in", "out"] * 2, [True] * 3)
