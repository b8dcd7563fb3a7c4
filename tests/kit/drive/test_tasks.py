"""Work side by side: one part that fails or is cut leaves nothing of the others behind."""

import asyncio
import os
import signal
import sys

import pytest

from conformance.kit.drive.pacing import together
from conformance.kit.transport.stdio_connection import StdioConnection
from tests.waiting import rounds

BOUND = pytest.mark.timeout(60, method="thread")
"""What is proved here is that something ends: should it not, the tests must."""


async def gives(value):
    await asyncio.sleep(0)
    return value


async def fails():
    await asyncio.sleep(0)
    raise ValueError("of all things")


def test_each_gives_what_it_gave_in_order():
    assert asyncio.run(together(gives(n) for n in range(3))) == [0, 1, 2]


@BOUND
def test_when_one_fails_the_others_have_ended_before_that_is_raised():
    ended = []

    async def slow():
        try:
            await asyncio.Event().wait()
        finally:
            await rounds(9)
            ended.append("slow")

    async def main():
        with pytest.raises(ValueError, match="of all things"):
            await together((slow(), fails(), slow()))
        return list(ended), len(asyncio.all_tasks())

    assert asyncio.run(main()) == (["slow", "slow"], 1)


@BOUND
def test_when_it_is_cut_all_have_ended_before_it_has():
    ended = []

    async def slow():
        try:
            await asyncio.Event().wait()
        finally:
            await rounds(9 * (len(ended) + 1))
            ended.append("slow")

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await together((slow(), slow()))
        return list(ended), len(asyncio.all_tasks())

    assert asyncio.run(main()) == (["slow", "slow"], 1)


@BOUND
@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 6, 9])
def test_a_process_that_is_being_started_beside_what_fails_holds_nothing_up(rounds):
    """The failure comes after so many rounds of the loop: at each moment of a start."""
    code = "import sys; sys.stdin.read()"
    connection = StdioConnection([sys.executable, "-c", code], timeout=60.0, environment={})
    begun = []

    async def starts():
        spawn = asyncio.create_subprocess_exec

        async def seen(*command, **how):
            process = await spawn(*command, **how)
            begun.append(process.pid)
            return process

        asyncio.create_subprocess_exec = seen
        try:
            await connection.start()
            await asyncio.Event().wait()
        finally:
            asyncio.create_subprocess_exec = spawn
            await connection.close()

    async def breaks():
        for _ in range(rounds):
            await asyncio.sleep(0)
        raise ValueError("of all things")

    with pytest.raises(ValueError, match="of all things"):
        asyncio.run(together((starts(), breaks())))
    for pid in begun:
        with pytest.raises(ProcessLookupError):
            os.killpg(pid, signal.SIG_DFL)
