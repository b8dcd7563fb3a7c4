"""What is sent again, how often and in whose name: on connections that are kept in memory."""

import asyncio
import json
import time
from dataclasses import replace

import pytest

from conformance.kit.confirm.confirm import Repeats, repeat
from conformance.kit.confirm.confirmed import confirmed
from conformance.kit.drive.channel import Context
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.script import Send, script
from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import Answer, HttpRequest, Trouble
from conformance.kit.model.settings import Settings
from conformance.kit.model.step import Step
from conformance.kit.transport import http_connection, stdio
from conformance.kit.transport.binding import Process, Received
from conformance.kit.verdicts.checks import broken
from conformance.kit.verdicts.judge import judge
from conformance.spec.vocabulary import Binding, Verdict
from tests.kit.confirm.test_confirm import CRASHES, asked
from tests.kit.samples import (
    JSON,
    STDIO,
    accepted,
    called,
    case,
    rpc,
    run_evidence,
    tool_evidence,
    web,
)

BAD, GOOD = (500, {}), (400, {})
LIST = None
"""What a server is asked when its tools are asked for."""


class Server:
    """What is asked on all connections, in order, and what `says(arguments)` answers."""

    def __init__(self, says):
        self.says = says
        self.opened = 0
        self.asked = []

    @property
    def calls(self):
        """The connection and the arguments of each call."""
        return [each for each in self.asked if each[1] is not LIST]


class Wire:
    """One connection to `server`."""

    server, is_open, process = None, True, Process()

    def __init__(self, *_, **__):
        self.server.opened += 1
        self.number = self.server.opened

    async def start(self):
        if self.server.says is None:
            raise OSError("no such program")

    async def send(self, request):
        sent = json.loads(request.body or b"null")
        if isinstance(request, HttpRequest):
            return self.received(sent, lambda said: Answer(said[0], JSON, _bytes(said[1])))
        if sent["method"] != "tools/call":  # the handshake
            return _reply(request, {"protocolVersion": "2025-11-25", "capabilities": {}})
        return self.received(sent["params"]["arguments"], lambda said: _reply(request, said).answer)

    def received(self, arguments, made):
        self.server.asked.append((self.number, arguments))
        said = self.server.says(arguments)
        if isinstance(said, Trouble):
            return Received(None, said, 0.01)
        return Received(made(said), None, 0.01)

    async def close(self, *, hangs=False):
        return Received(Answer(0), None, 0.0)


def _bytes(value):
    return json.dumps(value).encode()


def _reply(request, result):
    reply = {"jsonrpc": "2.0", "id": request.answer_to, "result": result}
    return Received(Answer(0, (), _bytes(reply), (reply,)), None, 0.01)


@pytest.fixture
def serving(monkeypatch):
    """Start the server of every connection of the kit."""

    def start(says):
        server = Server(says)
        for module, name in ((http_connection, "HttpConnection"), (stdio, "StdioConnection")):
            monkeypatch.setattr(module, name, type(name, (Wire,), {"server": server}))
        return server

    return start


def context_of(evidence):
    """A session in which this was sent."""
    context = Context(Settings(), Recorder(), time.monotonic() + 600)
    for exchange in evidence.exchanges:
        context.recorder.take(exchange)
    return context


def repeated(evidence, *questions, scripts=(), context=None):
    """What comes of confirming the items of these questions."""
    context, repeats = context or context_of(evidence), Repeats()
    failed = [(question, judge(question, evidence)) for question in questions]
    asyncio.run(repeat(failed, {evidence.run.id: evidence}, [*scripts], context, repeats))
    return repeats


def sent(answer, **changes):
    return called(web(*answer, of=case(**changes)))


def http_evidence(*calls, **more):
    return run_evidence(tool_evidence(accepted(), *calls), **more)


def test_a_case_that_failed_is_sent_twice_more_in_its_own_name_on_one_connection(serving):
    first, second, fine = sent(BAD), sent(BAD, arguments={"count": 11}), sent(GOOD)
    server = serving(lambda arguments: (200, {}) if arguments is LIST else BAD)
    evidence = http_evidence(first, second, fine)
    repeats = repeated(evidence, asked())
    assert [arguments["count"] for _, arguments in server.calls] == [10, 10, 11, 11]
    assert len({connection for connection, _ in server.calls}) == 1
    assert set(repeats.cases) == {("http", first.case.id.text), ("http", second.case.id.text)}
    for call in (first, second):
        again = repeats.cases["http", call.case.id.text]
        assert [(each.case, each.confirms) for each in again] == [(call.case, call.exchange.id)] * 2
    item = judge(asked(), evidence)
    assert confirmed(asked(), item, evidence, repeats).verdict is Verdict.FAIL


def test_a_server_that_does_right_the_next_time_is_flaky(serving):
    serving(lambda arguments: (200, {}) if arguments is LIST else GOOD)
    evidence = http_evidence(sent(BAD))
    repeats = repeated(evidence, asked())
    item = confirmed(asked(), judge(asked(), evidence), evidence, repeats)
    assert item.verdict is Verdict.FLAKY


def test_of_what_is_not_in_the_recording_nothing_is_sent(serving):
    server = serving(lambda _: BAD)
    evidence = http_evidence(sent(BAD))
    repeats = repeated(evidence, asked(), context=context_of(run_evidence()))
    assert (server.opened, repeats) == (0, Repeats())


@pytest.mark.parametrize("trouble", [Trouble.REFUSED, Trouble.CLOSED, Trouble.TIMEOUT])
def test_of_a_server_that_is_gone_nothing_is_asked_and_what_was_found_stands(serving, trouble):
    server = serving(lambda _: trouble)
    evidence = http_evidence(sent(BAD))
    repeats = repeated(evidence, asked())
    assert (server.calls, repeats) == ([], Repeats(gone={"http"}))
    item = judge(asked(), evidence)
    assert confirmed(asked(), item, evidence, repeats) == item


def test_a_server_that_fell_silent_is_not_even_asked_for_its_list(serving):
    server = serving(lambda _: BAD)
    assert repeated(http_evidence(sent(BAD), silenced=True), asked()) == Repeats(gone={"http"})
    assert server.asked == []


SILENT = replace(asked("ATDF-CALL-006"), run=STDIO.id)


def hanging(count=1):
    """The evidence of a process that answered nothing any more after some calls."""
    good = called(rpc({"result": {"content": []}}, of=case(CaseKind.BASELINE, run=STDIO)))
    hung = [called(replace(rpc(b"", of=case(run=STDIO), run=STDIO, trouble=Trouble.TIMEOUT),
                           answer=None)) for _ in range(count)]  # fmt: skip
    after = frozenset(call.case.id.text for call in hung)
    return run_evidence(tool_evidence(good, *hung, run=STDIO, silent_after=after), run=STDIO)


def test_over_stdio_a_call_that_hangs_again_costs_one_fresh_process(serving):
    server = serving(lambda _: Trouble.TIMEOUT)
    evidence = hanging(2)
    repeats = repeated(evidence, SILENT)
    assert [connection for connection, _ in server.calls] == [1, 2]
    assert [len(again) for again in repeats.cases.values()] == [1, 1]
    item = judge(SILENT, evidence)
    assert confirmed(SILENT, item, evidence, repeats).verdict is Verdict.FAIL


def test_over_stdio_one_that_is_answered_again_is_asked_twice_like_any_other(serving):
    server = serving(lambda _: {"content": []})
    evidence = hanging()
    repeats = repeated(evidence, SILENT)
    assert [connection for connection, _ in server.calls] == [1, 1]
    assert [len(again) for again in repeats.cases.values()] == [2]


def test_a_process_that_cannot_be_started_again_leaves_what_was_found(serving):
    serving(None)
    assert repeated(hanging(), SILENT) == Repeats(gone={STDIO.id})


@script(Binding.HTTP)
def probe(stage):
    yield Send(stage.web().call(stage.tools[0], stage.good_calls["book"]), Step("good"))
    yield Send(stage.web().call(stage.tools[0], {"count": 50}), Step("bad"))


@script(Binding.HTTP)
def other(stage):
    yield Send(stage.web().get("/tools"), Step("list"))


def look(run):
    for exchange in run.steps("probe").values():
        if exchange.answer.status == 500:
            yield broken(exchange, "finding.call.status", status=500, case="x")


def test_a_script_that_shows_it_is_played_twice_more_each_time_on_a_fresh_connection(serving):
    played = tuple(
        replace(web(*answer), case=None, script="probe", step=Step(step))
        for answer, step in ((GOOD, "good"), (BAD, "bad"))
    )
    evidence = http_evidence(scripts={"probe": played, "other": ()})
    question = replace(asked(), test=replace(asked().test, judge=look), tool=None,
                       clause=replace(asked().clause, scope="target"))  # fmt: skip
    server = serving(lambda arguments: BAD if arguments == {"count": 50} else (200, {}))
    scripts = [each.__script__ for each in (other, probe)]
    repeats = repeated(evidence, question, scripts=scripts)
    assert [arguments for _, arguments in server.calls] == [{"count": 2}, {"count": 50}] * 2
    assert len({connection for connection, _ in server.calls}) == 2
    assert set(repeats.scripts) == {("http", "probe")}
    for playing in repeats.scripts["http", "probe"]:
        assert [(each.step, each.confirms) for each in playing] == [
            (each.step, each.id) for each in played
        ]
    item = judge(question, evidence)
    assert confirmed(question, item, evidence, repeats).verdict is Verdict.FAIL


@pytest.mark.parametrize(("says", "times"), [(Trouble.TIMEOUT, 1), ({"content": []}, 2)])
def test_a_script_that_leaves_its_process_silent_again_is_not_played_a_second_time(
    serving, says, times
):
    @script(Binding.STDIO)
    def probe(stage):
        yield Send(stage.binding.call(stage.tools[0], {"count": 1}, id=1), Step("bad"))

    def look(run):
        for exchange in run.steps("probe").values():
            yield broken(exchange, "finding.call.status", status=500, case="x")

    of = rpc(b"", of=case(run=STDIO), run=STDIO, trouble=Trouble.TIMEOUT)
    played = (replace(of, answer=None, case=None, script="probe", step=Step("bad")),)
    evidence = run_evidence(tool_evidence(run=STDIO), run=STDIO, scripts={"probe": played})
    question = replace(asked(), test=replace(asked().test, judge=look), tool=None, run=STDIO.id,
                       clause=replace(asked().clause, scope="target"))  # fmt: skip
    serving(lambda _: says)
    repeats = repeated(evidence, question, scripts=[probe.__script__])
    assert [len(again) for again in repeats.scripts.values()] == [times]


def test_the_smallest_forms_of_a_case_are_known_whatever_clause_they_were_found_for():
    one, two, elsewhere = (web(*BAD),), (web(*BAD),), (web(*BAD),)
    repeats = Repeats(smallest={
        ("http", CRASHES, "a"): one, ("http", "ATDF-CALL-001", "a"): two,
        ("http", CRASHES, "b"): elsewhere, ("mcp", CRASHES, "a"): elsewhere,
    })  # fmt: skip
    assert repeats.of_case("http", "a") == [one, two]


@pytest.mark.parametrize(
    ("now", "verdict"), [(GOOD, Verdict.FAIL), ((200, {}), Verdict.FLAKY)], ids=["state", "flaky"]
)
def test_what_was_accepted_stands_where_the_baseline_call_lacks_its_state_too(
    serving, now, verdict
):
    baseline = accepted()
    question = asked("ATDF-CALL-001")
    evidence = run_evidence(tool_evidence(baseline, sent((200, {}))))
    item = judge(question, evidence)
    assert item.verdict is Verdict.FAIL

    def says(arguments):
        if arguments is LIST:
            return (200, {})
        return now if arguments == baseline.case.arguments else GOOD

    serving(says)
    assert confirmed(question, item, evidence, repeated(evidence, question)).verdict is verdict


def test_what_was_accepted_is_not_confirmed_by_a_limit_that_stops_every_call(serving):
    question = asked("ATDF-CALL-001")
    evidence = run_evidence(tool_evidence(accepted(), sent((200, {}))))
    item = judge(question, evidence)
    serving(lambda arguments: (200, {}) if arguments is LIST else (429, {}))
    repeats = repeated(evidence, question)
    assert not repeats.stateless
    assert confirmed(question, item, evidence, repeats).verdict is Verdict.NOT_VERIFIED
