"""Lines of a process and event streams of which bytes are changed: each is read to its end."""

import asyncio
import json
import os
import random
import sys

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from conformance.kit.evidence.evidence import call_of
from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import Exchange, HttpRequest, StdioRequest, Trouble
from conformance.kit.model.results import kit_traces
from conformance.kit.transport.binding import Received
from conformance.kit.transport.http_connection import HttpConnection
from conformance.kit.transport.stdio_connection import StdioConnection
from conformance.kit.verdicts.judge import Question, judge
from conformance.spec.vocabulary import Scope
from tests.changed import changed_bytes
from tests.kit.peers import head, serving
from tests.kit.samples import (
    MCP,
    STDIO,
    TOOL,
    case,
    envelope,
    error,
    judges,
    result,
    run_evidence,
    tool_evidence,
)
from tests.thorough import up_to

LONG = 60.0
"""A request timeout that no test waits for, however slow the machine."""
PARROT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    for piece in asked.get("pieces", ()):
        sys.stdout.buffer.write(bytes.fromhex(piece))
        sys.stdout.buffer.flush()
    if "pieces" in asked:
        end = {"jsonrpc": "2.0", "id": asked["id"], "result": {"content": []}}
        print("\\n" + json.dumps(end), flush=True)
"""
"""Writes what it is sent, and then an answer."""


def messages(id):
    """What a good server writes for one call: notes, requests, and each kind of answer."""
    refusal = result(json.dumps(envelope(error(suggested_value=3))), isError=True)
    kinds = (result("done"), refusal, {"error": {"code": -32602, "message": "no", "data": {}}})
    notes = (
        {"method": "notifications/progress", "params": {"progress": 1, "progressToken": id}},
        {"method": "ping", "id": "s-1"},
    )
    return [{"jsonrpc": "2.0", **note} for note in notes] + [
        {"jsonrpc": "2.0", "id": id, **kind} for kind in kinds
    ]


DEEP = b"[" * 700 + b"]" * 700
"""A value that can be read, and is too deep to be written."""


def _bytes(text):
    return text.encode() if isinstance(text, str) else text


def pieces_of(draw, data):
    """The bytes in parts, as they may arrive."""
    cuts = sorted(draw.randrange(len(data) + 1) for _ in range(draw.randrange(4)))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def is_judged(run, request, received):
    """Whether what came back is read, and has a verdict by each clause about a tool's calls."""
    assert isinstance(received, Received)
    assert received.answer is not None or isinstance(received.trouble, Trouble)
    made = case(CaseKind.BROKEN, run=run)
    exchange = Exchange(1, run.id, request, received.answer, received.trouble, 0.0, 0.1, made)
    evidence = run_evidence(tool_evidence(call_of(exchange, TOOL), run=run), run=run, claims=True)
    items = [
        judge(Question(test, clause, run.id, TOOL.name), evidence)
        for test, clause in judges().values()
        if clause.scope is Scope.TOOL
    ]
    return kit_traces(items) == ()


@pytest.fixture(scope="module")
def loop():
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def parrot(loop):
    command = [sys.executable, "-c", PARROT]
    connection = StdioConnection(command, timeout=LONG, environment={"PATH": os.environ["PATH"]})
    loop.run(connection.start())
    yield connection
    loop.run(connection.close())


@hypothesis(max_examples=up_to(60, 2000), deadline=None)
@given(st.integers(0, 2**32))
@example(0)
def test_changed_lines_of_a_process_are_read_and_the_next_call_is_answered(loop, parrot, seed):
    draw = random.Random(seed)
    lines = [json.dumps(each).encode() for each in messages(draw.choice((7, 8)))]
    line = b"\n".join([*lines, *([DEEP] if draw.random() < 0.3 else [])])
    written = [piece.hex() for piece in pieces_of(draw, changed_bytes(draw, line))]

    async def asked(id, pieces):
        body = json.dumps({"id": id, "pieces": pieces}).encode()
        request = StdioRequest(body, answer_to=id)
        return request, await parrot.send(request)

    request, received = loop.run(asked(7, written))
    assert received.trouble is None
    assert is_judged(STDIO, request, received)
    _, after = loop.run(asked(9, []))
    assert after.answer.messages[-1]["id"] == 9


@hypothesis(max_examples=up_to(60, 2000), deadline=None)
@given(st.integers(0, 2**32))
@example(0)
def test_a_changed_event_stream_is_read_to_its_end(loop, seed):
    draw = random.Random(seed)
    end = draw.choice((b"\n", b"\r\n", b"\r"))
    told = [*([DEEP] if draw.random() < 0.3 else []), *map(json.dumps, messages(7))]
    events = [b"data: " + _bytes(each) + end + end for each in told]
    events.insert(
        draw.randrange(len(events)), draw.choice((b": note\n\n", b"retry: 9\n\n", b"\xef\xbb\xbf"))
    )
    body = changed_bytes(draw, b"".join(events))
    lines = ["Content-Type: text/event-stream"]
    if draw.random() < 0.5:
        lines.append(f"Content-Length: {len(body)}")
    data = head(*lines) + body
    if draw.random() < 0.3:
        data = changed_bytes(draw, data)

    async def answer(writer, peer):
        for piece in pieces_of(draw, data):
            writer.write(piece)
            await writer.drain()
        writer.close()

    async def asked():
        async with serving(answer) as peer:
            connection = HttpConnection(peer.url, timeout=LONG, headers=(), width=1)
            request = HttpRequest("POST", peer.url, (), b"{}", answer_to=7)
            try:
                return request, await connection.send(request)
            finally:
                await connection.close()

    request, received = loop.run(asked())
    assert received.trouble is not Trouble.TIMEOUT
    assert is_judged(MCP, request, received)
