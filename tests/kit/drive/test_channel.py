"""A channel: what it sends over a connection, when it sends again, and when it begins anew."""

import asyncio
import os
import shlex
import sys
import time
from dataclasses import replace

import pytest

from conformance.kit.drive import channel as channels
from conformance.kit.drive.channel import (
    ConnectFailed,
    Context,
    open_channel,
)
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.run import Run
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.model.step import Step
from conformance.kit.transport.http import SESSION
from conformance.kit.transport.stdio import environment_for_server
from conformance.spec.vocabulary import Binding
from tests.kit.peers import serving, unused_url, whole
from tests.kit.samples import TOOL, accepted, case

FAKE = """
import json, sys, os
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}}
    elif "arguments" in asked.get("params", {}) and asked["params"]["arguments"].get("count") == 10:
        os._exit(3)
    else:
        result = {"content": [], "environment": dict(os.environ), "pid": os.getpid()}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def settings(**more):
    return Settings(**{"request_timeout": 60.0, "allow_calls": AllowCalls.ALL, **more})


def context(deadline=600.0, **more):
    return Context(settings(**more), Recorder(), time.monotonic() + deadline)


def over_http(answer, work, **more):
    """What `work(channel)` gives over HTTP, and the server's side."""

    async def main():
        async with serving(answer) as peer:
            run = Run("http", peer.url, Binding.HTTP, peer.url)
            channel = await open_channel(run, context(**more))
            try:
                return await work(channel), peer
            finally:
                await channel.close()

    return asyncio.run(main())


def over_stdio(work, code=FAKE, **more):
    """What `work(channel)` gives with a process that runs `code`."""

    async def main():
        command = shlex.join([sys.executable, "-c", code])
        run = Run("stdio", "stdio:", Binding.STDIO, command, "2025-11-25")
        channel = await open_channel(run, context(**more))
        try:
            return await work(channel)
        finally:
            await channel.close()

    return asyncio.run(main())


LISTS_NOTHING = f"import time{FAKE}time.sleep(0.5)\n".replace(
    'if "id" in asked:', 'if "id" in asked and asked["method"] != "tools/list":'
)


@pytest.mark.parametrize("answers", [False, True])
def test_only_a_server_that_does_not_answer_any_more_gets_no_time_to_end(answers):
    async def work(channel):
        await channel.asked_for_a_list(Step("started"))
        if answers:
            await channel.call(TOOL, case(CaseKind.VALID))
        return await channel.close()

    ended = over_stdio(work, LISTS_NOTHING, request_timeout=2.0)
    assert ended.trouble is (None if answers else Trouble.TIMEOUT)


def busy(times, *lines, status="429 X"):
    """A server that says so many times that it is too busy, then accepts."""

    async def answer(writer, peer):
        again = len(peer.requests) <= times
        writer.write(whole(b"", *lines, status=status) if again else whole(b'{"ok":1}'))

    return answer


def call(channel):
    return channel.call(TOOL, case())


@pytest.mark.parametrize("status", ["429 X", "503 X"])
def test_a_server_that_asks_to_come_back_later_is_asked_again_then(status):
    began = time.monotonic()
    exchange, peer = over_http(busy(1, "Retry-After: 1", status=status), call)
    assert exchange.answer.status == 200
    assert len(peer.requests) == 2
    assert time.monotonic() - began >= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("when", ["Wed, 21 Oct 2099 07:28:00 GMT", "soon", "-1"])
def test_a_server_that_says_no_number_of_seconds_is_asked_again_soon(when):
    exchange, _ = over_http(busy(1, f"Retry-After: {when}"), call)
    assert exchange.answer.status == 200


def test_a_server_that_only_says_that_it_is_busy_is_left_as_it_is():
    exchange, peer = over_http(busy(1), call)
    assert (exchange.answer.status, len(peer.requests)) == (429, 1)


@pytest.mark.parametrize("seconds", ["100000", "9" * 400])
def test_a_wait_beyond_the_session_s_time_is_not_waited_for(seconds):
    exchange, peer = over_http(busy(9, f"Retry-After: {seconds}"), call)
    assert (exchange.answer.status, len(peer.requests)) == (429, 1)


def test_a_server_that_is_always_busy_is_not_asked_for_ever():
    exchange, peer = over_http(busy(99, "Retry-After: 0"), call)
    assert exchange.answer.status == 429
    assert len(peer.requests) < 10


def test_only_the_last_of_the_answers_is_recorded():
    async def work(channel):
        await call(channel)
        return list(channel.context.recorder.by_id.values())

    recorded, _ = over_http(busy(2, "Retry-After: 0"), work)
    assert [exchange.answer.status for exchange in recorded] == [200]


def test_every_request_says_who_sends_it():
    _, peer = over_http(busy(0), call, headers=(("Authorization", "Bearer x"),))
    head = peer.requests[0][0].lower()
    assert "agent-formats-conformance" in head
    assert f"x-agent-formats-session: {SESSION}" in head
    assert "authorization: bearer x" in head


def test_no_more_requests_go_out_in_a_second_than_were_asked_for():
    async def work(channel):
        began = time.monotonic()
        await asyncio.gather(*(call(channel) for _ in range(5)))
        return time.monotonic() - began

    took, _ = over_http(busy(0), work, rate=10.0)
    assert took >= 0.39  # four pauses between five requests


def test_the_connections_of_a_session_share_their_requests_per_second():
    async def main():
        async with serving(busy(0)) as peer:
            run = Run("http", peer.url, Binding.HTTP, peer.url)
            shared = context(rate=10.0)
            opened = [await open_channel(run, shared) for _ in range(5)]
            began = time.monotonic()
            try:
                await asyncio.gather(*(call(channel) for channel in opened))
                return time.monotonic() - began
            finally:
                for channel in opened:
                    await channel.close()

    assert asyncio.run(main()) >= 0.39  # four pauses between five requests


def test_a_server_that_is_not_there_is_a_trouble_of_each_call_and_no_exception():
    async def main():
        run = Run("http", "t", Binding.HTTP, unreachable)
        channel = await open_channel(run, context())
        try:
            return await call(channel)
        finally:
            await channel.close()

    unreachable = unused_url()
    assert asyncio.run(main()).trouble is Trouble.REFUSED


def test_a_started_server_gets_five_plain_variables_and_those_asked_for(monkeypatch):
    for name in ("SECRET_KEY", "PYTHONPATH", "USER", "LC_ALL", "HTTP_PROXY"):
        monkeypatch.setenv(name, "x")
    for name in ("PATH", "HOME", "LANG", "TMPDIR"):
        monkeypatch.setenv(name, os.environ.get(name, "/tmp"))
    given = environment_for_server({"ASKED_FOR": "1"})
    assert set(given) == {"PATH", "HOME", "LANG", "TMPDIR", "ASKED_FOR"}


def test_a_variable_that_is_not_set_is_not_given(monkeypatch):
    monkeypatch.delenv("TMPDIR", raising=False)
    assert "TMPDIR" not in environment_for_server({})


def test_the_process_really_sees_no_other_variable(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x")

    async def work(channel):
        return (await channel.call(TOOL, accepted().case)).answer.messages[-1]

    seen = over_stdio(work, environment={"ASKED_FOR": "1"})["result"]["environment"]
    assert "SECRET_KEY" not in seen
    assert seen["ASKED_FOR"] == "1"


def test_a_server_that_crashed_is_started_again_at_the_next_call():
    good = accepted().case

    async def work(channel):
        return [await channel.call(TOOL, each) for each in (good, case(), good)]

    first, crash, after = over_stdio(work)
    assert crash.trouble is Trouble.CLOSED
    pids = [e.answer.messages[-1]["result"]["pid"] for e in (first, after)]
    assert pids[0] != pids[1]


def at_once(channel, *cases):
    """What calls got that were under way together."""

    async def work():
        numbers = channel.context.recorder.series()
        sent = (channel.share(TOOL, each, number=numbers.next()) for each in cases)
        return [exchange and exchange.trouble for exchange in await asyncio.gather(*sent)]

    return work()


def test_a_call_beside_one_that_ended_the_process_is_sent_again_alone():
    good = [accepted().case for _ in range(3)]
    found = over_stdio(lambda channel: at_once(channel, good[0], case(), *good[1:]))
    assert found == [None, Trouble.CLOSED, None, None]


def test_where_nobody_ends_the_process_again_it_stays_as_it_was_seen(tmp_path):
    flag = tmp_path / "flag"
    once = f"not os.path.exists({str(flag)!r}) and not open({str(flag)!r}, 'w').close()"
    code = FAKE.replace("os._exit(3)", f"{once} and os._exit(3); result = {{}}")
    found = over_stdio(lambda channel: at_once(channel, case(), case(), case()), code)
    assert found == [Trouble.CLOSED] * 3


def test_after_the_first_end_of_a_process_there_is_one_call_at_a_time(tmp_path):
    seen = tmp_path / "seen"
    note = f"asked.get('method') == 'tools/call' and open({str(seen)!r}, 'a').write('call\\n')"
    code = FAKE.replace("    else:", f"    else:\n        {note}")
    good = [accepted().case for _ in range(4)]

    async def work(channel):
        first = await at_once(channel, *good, case())
        seen.unlink()
        return first, await at_once(channel, *good, case(), *good)

    first, second = over_stdio(work, code)
    assert first == [None] * 4 + [Trouble.CLOSED]
    assert second == [None] * 4 + [Trouble.CLOSED] + [None] * 4
    assert len(seen.read_text().splitlines()) == 8  # none was sent again


def test_a_server_that_crashes_at_each_call_is_not_started_for_ever(monkeypatch):
    monkeypatch.setattr(channels, "MOST_STARTS", 3)

    async def work(channel):
        found = [(await channel.call(TOOL, case())).trouble for _ in range(3)]
        with pytest.raises(ConnectFailed, match="again and again"):
            await channel.call(TOOL, case())
        return found

    assert over_stdio(work) == [Trouble.CLOSED] * 3


def test_of_calls_that_cannot_be_sent_again_nobody_knows_what_they_would_give(monkeypatch):
    monkeypatch.setattr(channels, "MOST_STARTS", 1)

    async def work(channel):
        numbers = channel.context.recorder.series()
        sent = [
            channel.share(TOOL, each, number=numbers.next()) for each in (accepted().case, case())
        ]
        return await asyncio.gather(*sent, return_exceptions=True)

    slow = FAKE.replace("    else:", "    else:\n        import time; time.sleep(0.2)")
    first, second = over_stdio(work, slow)
    assert first.trouble is None
    assert isinstance(second, ConnectFailed)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('out of paper')", ("exit code 1", "out of paper")),
        ("print('hello'); import sys; sys.stdin.readline()", ("exit code 0", "hello")),
        pytest.param(
            "while True: print('y')", ("more than the kit reads", "“y”"), marks=pytest.mark.slow
        ),
        (
            "import json; a = json.loads(input()); print(json.dumps({'jsonrpc': '2.0', 'id': "
            "a['id'], 'error': {'code': 1, 'message': 'no such thing'}}))",
            ("no such thing",),
        ),
    ],
)
def test_why_a_handshake_failed_is_told_in_words(code, words):
    with pytest.raises(ConnectFailed) as failed:
        over_stdio(call, code)
    assert all(word in str(failed.value) for word in words)


@pytest.mark.slow
def test_a_silent_server_is_told_in_words_with_the_option_that_gives_it_more_time():
    with pytest.raises(ConnectFailed, match=r"did not answer within 0 s .*--start-timeout"):
        over_stdio(call, "import time; time.sleep(600)", request_timeout=0.3, start_timeout=0.4)


def test_of_a_server_that_listens_elsewhere_it_is_known_where():
    code = (
        "import sys, time; sys.stderr.write('Running on http://127.0.0.1:8000\\n'); time.sleep(600)"
    )
    with pytest.raises(ConnectFailed) as failed:
        over_stdio(call, code, request_timeout=0.3, start_timeout=60.0)
    assert failed.value.why.listens == "http://127.0.0.1:8000"


def test_why_a_handshake_failed_is_told_in_the_session_s_language():
    with pytest.raises(ConnectFailed) as failed:
        over_stdio(call, "import os; os._exit(3)", language="es")
    assert "terminó con código de salida 3" in failed.value.why.words("es")


def test_a_command_that_does_not_exist_is_named():
    run = Run("stdio", "stdio:", Binding.STDIO, "no-such-command --x", "2025-11-25")
    with pytest.raises(ConnectFailed, match=r"no-such-command$"):
        asyncio.run(open_channel(run, context()))


def test_ids_are_never_used_twice():
    async def work(channel):
        return {channel.fresh_id() for _ in range(50)}

    assert len(over_stdio(work)) == 50


@pytest.mark.slow
def test_a_slow_start_is_no_slow_call():
    slow = f"import time; time.sleep(1.5)\n{FAKE}"

    async def work(channel):
        return channel.opened.trouble

    assert over_stdio(work, slow, request_timeout=1.0) is None


def test_what_is_sent_is_the_case_s_arguments_whatever_they_are():
    _, peer = over_http(busy(0), lambda c: c.call(TOOL, replace(case(), arguments=[1, "\ud800"])))
    assert peer.requests[0][1] == rb'[1,"\ud800"]'
