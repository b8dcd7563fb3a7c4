"""All that a server started ends with it, and with the kit: also what left its session."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.kit.model.exchange import StdioRequest, Trouble
from conformance.kit.transport import stdio_connection as stdio
from conformance.kit.transport.stdio_connection import StdioConnection
from tests.waiting import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kit's program is for Linux")

ASK = StdioRequest(b'{"jsonrpc":"2.0","id":1}', answer_to=1)
LEAVES = """
import json, os, signal, subprocess, sys, time
left = 'import subprocess, sys, time; time.sleep(600)'
nested = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {left!r}, sys.argv[1]])"
nested += "; time = __import__('time'); time.sleep(600)"
nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
words = [sys.executable, "-c", nested, sys.argv[1]]
subprocess.Popen(words, start_new_session=True, **nowhere)
if os.fork() == 0:  # its parent ends, so it is nobody's child
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", left, sys.argv[1]])
    os._exit(0)
os.wait()
sys.stdin.readline()
print(json.dumps({"jsonrpc": "2.0", "id": 1, "result": 1}), flush=True)
"""
STAYS = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n"


def alive(word):
    """The processes that have this word on their command line."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in each.read_bytes():
                found.append(int(each.parent.name))
        except OSError:
            continue  # it ended meanwhile
    return found


def connection(code, word):
    return StdioConnection(
        [sys.executable, "-c", code, word], timeout=60, environment={"PATH": os.environ["PATH"]}
    )


@pytest.fixture
def word(tmp_path):
    return f"left-by-{tmp_path.parent.name}-{tmp_path.name}"


@pytest.mark.parametrize("then", ["sys.stdin.read()", "os._exit(9)", "os.kill(os.getpid(), 11)"])
def test_what_left_the_session_of_a_server_ends_with_it(word, then):
    async def main():
        server = connection(LEAVES + then, word)
        await server.start()
        sent = await server.send(ASK)
        return sent, await server.close()

    sent, ended = asyncio.run(main())
    assert sent.answer.messages
    assert ended.answer.status == {"s": 0, "o": 9}[then[0]] if "kill" not in then else -11
    assert alive(word) == []


def test_a_deaf_server_ends_with_all_that_it_started(word, monkeypatch):
    monkeypatch.setattr(stdio, "EXIT_GRACE", 0.1)

    async def main():
        server = connection(LEAVES + STAYS, word)
        await server.start()
        await server.send(ASK)
        assert len(alive(word)) >= 4
        return await server.close()

    asyncio.run(main())
    assert alive(word) == []


def test_a_server_that_is_not_waited_for_ends_with_all_that_it_started(word):
    async def main():
        server = connection(LEAVES + STAYS, word)
        await server.start()
        await server.send(ASK)
        closing = asyncio.create_task(server.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)

    asyncio.run(main())
    assert alive(word) == []


def test_when_the_kit_itself_is_killed_all_servers_end(word, tmp_path):
    code = f"""
import asyncio, sys
from tests.kit.transport.test_launcher import ASK, LEAVES, STAYS, connection
async def main():
    server = connection(LEAVES + STAYS, {word!r})
    await server.start()
    await server.send(ASK)
    print("started", flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""
    kit = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert kit.stdout.readline() == "started\n"
    assert len(alive(word)) >= 4
    kit.kill()
    kit.wait()
    kit.stdout.close()
    assert until(lambda: not alive(word))


def test_a_server_has_its_streams_for_itself():
    code = "import os, sys, time\nos.close(1)\nos.close(2)\nsys.stdin.read()"

    async def main():
        server = StdioConnection(
            [sys.executable, "-c", code], timeout=60, environment={"PATH": os.environ["PATH"]}
        )
        await server.start()
        sent = await server.send(ASK)
        assert (sent.trouble, server.process.exit_code) == (Trouble.CLOSED, None)
        return await server.close()

    assert asyncio.run(main()).answer.status == 0


@pytest.mark.parametrize(
    "then",
    [
        "os.kill(os.getppid(), signal.SIGKILL)",
        "os.kill(os.getppid(), signal.SIGSTOP)",
        "os.killpg(0, signal.SIGKILL)",
        "os.killpg(0, signal.SIGSTOP)",
    ],
)
def test_a_server_that_ends_or_stops_its_parent_or_its_group_leaves_nothing(
    word, monkeypatch, then
):
    monkeypatch.setattr(stdio, "EXIT_GRACE", 0.1)

    async def main():
        server = connection(LEAVES + then + "\ntime.sleep(600)", word)
        await server.start()
        await server.send(ASK)
        await server.close()

    asyncio.run(main())
    assert alive(word) == []
