"""Scripts: what they yield is done in order, and they are handed what came."""

import asyncio
import shlex
import sys
import time
from dataclasses import replace

import pytest

from conformance.kit.drive.channel import Context, open_channel
from conformance.kit.drive.play import play
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.script import INITIALIZE, Close, Open, Restart, Send, Together, script
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.run import Run
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.model.step import Step
from conformance.mcp import script_wire
from conformance.spec.vocabulary import Binding, Era, Verdict
from tests.kit.peers import offering, unused_url
from tests.kit.samples import HTTP, LEGACY, MCP, STDIO, TOOL, run_evidence, verdict

FAKE = """
import json, sys, os
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {},
              "pid": os.getpid(), "method": asked.get("method")}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def over_http(steps, *, shared=False, tools=(), good=None, url=None, **more):
    """The exchanges of a script over HTTP; `more` are settings."""
    own = script(Binding.HTTP)(steps).__script__

    async def main(address):
        run = Run("http", address, Binding.HTTP, address)
        context = Context(Settings(**more), Recorder(), time.monotonic() + 600)
        channel = await open_channel(run, context) if shared else None
        try:
            return await play(own, run, context, tools, good or {}, shared=channel)
        finally:
            if channel is not None:
                await channel.close()

    if url is not None:
        return asyncio.run(main(url))
    with offering([], lambda *_: (200, {})) as address:
        return asyncio.run(main(address))


def over_stdio(steps, code=FAKE, **marks):
    """The exchanges of a script with a process that runs `code`."""
    own = script(Binding.STDIO, **marks)(steps).__script__

    async def main():
        command = shlex.join([sys.executable, "-c", code])
        run = replace(STDIO, endpoint=command)
        context = Context(Settings(request_timeout=60), Recorder(), time.monotonic() + 600)
        return await play(own, run, context, (), {})

    return asyncio.run(main())


def pids(exchanges):
    return [e.answer.messages[-1]["result"]["pid"] for e in exchanges if e.answer.messages]


def test_a_script_is_handed_the_answer_to_what_it_sent():
    seen = []

    def steps(stage):
        seen.append((yield Send(stage.web().get("/tools"), Step("list"))))
        seen.append((yield Send(stage.web().get("/nothing"), Step("unknown"))))

    exchanges = over_http(steps)
    assert tuple(seen) == exchanges
    assert [(e.step, e.answer.status) for e in exchanges] == [
        (Step("list"), 200),
        (Step("unknown"), 404),
    ]


def test_a_script_that_sends_several_together_is_handed_the_last_one():
    seen = []

    def steps(stage):
        paths = ("/tools", "/nothing", "/tools")
        asked = (stage.web().get(path) for path in paths)
        sends = tuple(Send(each, Step("one", number=n)) for n, each in enumerate(asked, 1))
        seen.append((yield Together(sends)))

    exchanges = over_http(steps)
    assert [(e.step.number, e.answer.status) for e in exchanges] == [(1, 200), (2, 404), (3, 200)]
    assert seen == [exchanges[-1]]


def test_an_exchange_is_recorded_under_its_script_and_step():
    def look_around(stage):
        yield Send(stage.web().get("/tools"), Step("list"))

    (only,) = over_http(look_around)
    assert (only.script, only.step) == ("look_around", Step("list"))


def test_a_process_that_a_script_leaves_silent_is_ended_before_the_next_script():
    falls_silent = FAKE.replace("in sys.stdin:", "in sys.stdin:\n    if 'odd' in line: break")
    falls_silent += "import time; time.sleep(60)"

    def steps(stage):
        yield Send(stage.speaker().request("ping", id=1), Step("before"))
        yield Send(stage.speaker().request("odd", id=2), Step("odd"))

    own = script(Binding.STDIO, fresh=True, shares=True)(steps).__script__

    async def main():
        run = replace(STDIO, endpoint=shlex.join([sys.executable, "-c", falls_silent]))
        context = Context(Settings(request_timeout=3), Recorder(), time.monotonic() + 600)
        channel = await open_channel(run, context)
        try:
            return [await play(own, run, context, (), {}, shared=channel) for _ in range(2)]
        finally:
            await channel.close()

    answered, silent = None, Trouble.TIMEOUT
    for playing in asyncio.run(main()):
        assert [each.trouble for each in playing] == [answered, silent]


def test_a_script_that_sends_nothing_has_no_exchanges():
    def steps(stage):
        return
        yield

    assert over_http(steps) == ()


@pytest.mark.slow
def test_a_script_without_end_is_ended():
    def steps(stage):
        while True:
            yield Send(stage.web().get("/tools"), Step("again"))

    assert len(over_http(steps)) == 5_000


def test_a_script_may_clean_up_when_it_is_ended():
    cleaned = []

    def steps(stage):
        try:
            while True:
                yield Send(stage.web().get("/tools"), Step("again"))
        finally:
            cleaned.append(True)

    over_http(steps)
    assert cleaned == [True]


def test_a_script_knows_the_good_calls_and_the_tools_that_may_be_called():
    known = []

    def steps(stage):
        known.append((stage.good_calls, stage.may_call))
        yield Send(stage.web().get("/tools"), Step("list"))

    task = replace(TOOL, name="later", task_required=True)
    over_http(steps, tools=(TOOL, task), good={"book": {"count": 1}}, exclude_tools=("x",))
    assert known == [({"book": {"count": 1}}, frozenset({"book", "later"}))]


def test_with_calls_switched_off_no_tool_may_be_called():
    known = []

    def steps(stage):
        known.append(stage.may_call)
        yield Send(stage.web().get("/tools"), Step("list"))

    over_http(steps, tools=(TOOL,), allow_calls=AllowCalls.NONE)
    assert known == [frozenset()]


def test_a_step_that_meets_no_server_is_an_exchange_with_its_trouble():
    def steps(stage):
        yield Send(stage.web().get("/tools"), Step("list"))

    (only,) = over_http(steps, url=unused_url())
    assert only.trouble is Trouble.REFUSED


def test_a_shared_channel_stays_open_for_the_next_script():
    def steps(stage):
        yield Send(stage.web().get("/tools"), Step("list"))

    assert over_http(steps, shared=True)[0].answer.status == 200


def test_close_tells_how_the_process_ended():
    def steps(stage):
        yield Send(stage.speaker().request("ping", id=5), Step("ping"))
        yield Close(Step("end"))

    _, end = over_stdio(steps)
    assert (end.step, end.answer.status, end.trouble) == (Step("end"), 0, None)


@pytest.mark.parametrize("again", [Restart(), Open()])
def test_restart_and_open_give_another_process(again):
    def steps(stage):
        yield Send(stage.speaker().request("ping", id=5), Step("before"))
        yield again
        yield Send(stage.speaker().request("ping", id=6), Step("after"))

    before, _, after = over_stdio(steps)
    assert pids([before]) != pids([after])


def test_open_without_a_handshake_leaves_it_to_the_script():
    def steps(stage):
        yield Send(stage.speaker().initialize(id=3), Step("own"))

    (own,) = over_stdio(steps, handshake=False)
    assert own.answer.messages[-1]["result"]["method"] == "initialize"


def test_the_handshake_is_handed_to_a_script_that_opens_again():
    handed = []

    def steps(stage):
        handed.append((yield Restart()))

    over_stdio(steps)
    assert handed[0].answer.messages[-1]["result"]["method"] == "initialize"


def test_a_server_that_does_not_come_back_is_a_trouble_of_the_step():
    once = "import os\nif os.path.exists(FLAG): os._exit(4)\nopen(FLAG, 'w').close()\n" + FAKE

    def steps(stage):
        handed.append((yield Restart()))

    handed = []
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        over_stdio(steps, once.replace("FLAG", repr(f"{folder}/flag")))
    assert handed[0].trouble is Trouble.CLOSED


def test_a_handshake_that_fails_at_once_leaves_its_exchange():
    def steps(stage):
        yield Send(stage.speaker().request("ping", id=5), Step("ping"))

    (only,) = over_stdio(steps, "import os; os._exit(4)")
    assert only.step == INITIALIZE


def test_a_script_of_another_binding_cannot_be_said():
    def steps(stage):
        yield Send(stage.speaker().request("ping"), Step("ping"))

    with pytest.raises(TypeError, match="does not speak the McpBinding"):
        over_http(steps)


@pytest.mark.parametrize(
    ("bindings", "eras", "runs"),
    [
        ((Binding.HTTP,), tuple(Era), {HTTP.id}),
        ((Binding.MCP,), tuple(Era), {MCP.id, LEGACY.id}),
        ((Binding.MCP, Binding.STDIO), (Era.LEGACY,), {LEGACY.id, STDIO.id}),
        ((Binding.HTTP,), (Era.LEGACY,), {HTTP.id}),
    ],
)
def test_a_script_runs_in_the_runs_of_its_bindings_and_eras(bindings, eras, runs):
    own = script(*bindings, eras=eras)(lambda stage: None).__script__
    assert {run.id for run in (HTTP, MCP, LEGACY, STDIO) if own.runs_in(run)} == runs


SPEAKS = """
import json, sys, threading, time
delay, pause = float(sys.argv[1]), float(sys.argv[2])
def reply(asked):
    return {"jsonrpc": "2.0", "id": asked["id"], "result": {
        "protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {}}}
def say(message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if isinstance(asked, list):
        if delay:
            threading.Timer(delay, say, ([reply(one) for one in asked],)).start()
    elif "id" in asked:
        time.sleep(pause)
        say(reply(asked))
"""
"""Answers a batch so many seconds later, and meanwhile whatever else is asked."""


def batch(delay, pause=0.0):
    """What MCP-RPC-008 says of a process, and how long it was waited for."""
    command = shlex.join([sys.executable, "-c", SPEAKS, str(delay), str(pause)])
    run = replace(STDIO, id="stdio-2025-03-26", endpoint=command, version="2025-03-26")

    async def main():
        context = Context(Settings(request_timeout=60), Recorder(), time.monotonic() + 600)
        return await play(script_wire.mcp_batch.__script__, run, context, (), {})

    played = asyncio.run(main())
    waited = next(one.elapsed for one in played if one.step == Step("batch"))
    said = verdict("MCP-RPC-008", run_evidence(run=run, scripts={"mcp_batch": played}))
    return said.verdict, waited


def test_a_batch_that_is_passed_over_is_found():
    assert batch(delay=0)[0] is Verdict.FAIL


def test_a_batch_may_be_answered_after_what_was_asked_behind_it():
    assert batch(delay=0.2)[0] is Verdict.PASS


def test_a_slow_server_has_longer_for_a_batch():
    assert batch(delay=1.2, pause=0.02)[0] is Verdict.PASS
    assert batch(delay=0, pause=0.02)[1] > 1.9
