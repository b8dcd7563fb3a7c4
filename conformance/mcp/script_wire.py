"""Malformed messages, each followed by a good one; unknown methods, notifications and tools."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from conformance.kit.evidence.script import Restart, Send, Stage, Steps, script
from conformance.kit.model.exchange import Request, Trouble
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.binding import to_bytes
from conformance.kit.transport.bindings import MCP_BINDINGS
from conformance.kit.transport.mcp import McpBinding
from conformance.mcp.steps import LEGACY, UNKNOWN_METHOD, ids

UNKNOWN_TOOL = "kit-no-such-tool-4f1c2a"
UNKNOWN_NOTIFICATION = "notifications/kit-no-such-notification"
BEFORE = "before"
FRACTION = 1.5
"""An id that is a JSON number, but not an integer."""
BATCHES = "2025-03-26"
"""The only version that has batches."""

_DEEP = 1000
_LONG = 1 << 20
_MOST_DEATHS = 3
"""After this many messages that the server did not survive, no more are sent."""

_SETTLE = 0.05
"""Seconds to wait over stdio for an optional answer; the next exchange records a late one."""

_SHORTEST_SILENCE = 0.5
_LONGEST_SILENCE = 2.0
"""Limits, in seconds, of the wait for the answer to a batch; the time of a ping decides."""
_PINGS = 100
"""A batch of two pings may take this many times as long as one ping."""


@script(*MCP_BINDINGS, fresh=True, shares=True, last=True)
def mcp_wire(stage: Stage) -> Steps:
    """Send each odd message, and a good one after it. Over stdio, restart the process after a
    death.

    The good one is the lightest request of the era. If the server does not answer that, the script
    asks for the tools instead.
    """
    own, speaker, traits = ids(30), stage.speaker(), stage.binding.traits
    method = "server/discover" if speaker.modern else "ping"
    good = yield Send(speaker.request(method, id=next(own)), Step(BEFORE))
    if good.trouble is Trouble.TIMEOUT:
        method = "tools/list"
        good = yield Send(speaker.request(method, {}, id=next(own)), Step(BEFORE, mark=Mark.AGAIN))
    if good.trouble is not None:
        return

    def alive(step: str, mark: Mark) -> Send:
        return Send(speaker.request(method, id=next(own)), Step(step, mark=mark))

    deaths = 0
    for step, request in odd_requests(speaker, own):
        yield Send(request, Step(step))
        lives = yield alive(step, Mark.ALIVE)
        if lives.trouble is Trouble.CLOSED and traits.over_http:
            # HTTP allows a server to close the connection after any answer.
            lives = yield alive(step, Mark.AGAIN)
        if lives.trouble is None:
            continue
        deaths += 1
        if deaths == _MOST_DEATHS:
            return
        if not traits.over_http:
            opened = yield Restart()
            if opened.trouble in {Trouble.REFUSED, Trouble.CLOSED}:
                return


def odd_requests(speaker: McpBinding[Request], own: Iterator[int]) -> Iterator[tuple[str, Request]]:
    """Yield the odd messages with the names of their steps; the well-formed ones come first."""
    yield "unknown-notification", speaker.notification(UNKNOWN_NOTIFICATION)
    yield "unknown-method", speaker.request(UNKNOWN_METHOD, {}, id=next(own))
    params = {"name": UNKNOWN_TOOL, "arguments": {}}
    yield "unknown-tool", speaker.request("tools/call", params, id=next(own))
    good = speaker.request("server/discover" if speaker.modern else "ping", id=next(own))
    headers = dict(good.headers)
    for step, body in malformed_bodies(good.body).items():
        yield step, speaker.raw(body, headers=headers, any_answer=True, settle=_SETTLE)
    if headers:
        text = {**headers, "Content-Type": "text/plain"}
        yield "wrong-type", speaker.raw(good.body, headers=text, any_answer=True)
        yield "empty-body", speaker.raw(b"", headers=headers, any_answer=True)


def malformed_bodies(good: bytes) -> dict[str, bytes]:
    """Return copies of a good message, each of them wrong in one way."""
    inside = good[1:]
    without = good.replace(b'"jsonrpc":"2.0",', b"").replace(b'"jsonrpc": "2.0", ', b"")
    return {
        "not-json": b"this is no JSON",
        "cut-json": good[:-2],
        "empty-array": b"[]",
        "batch": b"[" + good + b"]",
        "a-number": b"42",
        "no-jsonrpc": without,
        "id-null": _with_id(good, b"null"),
        "id-fraction": _with_id(good, str(FRACTION).encode()),
        "id-object": _with_id(good, b"{}"),
        "method-number": b'{"jsonrpc":"2.0","id":899999999,"method":7}',
        "duplicate-keys": b'{"jsonrpc":"1.0",' + inside,
        "not-a-number": b'{"kit":NaN,' + inside,
        "huge-number": b'{"kit":1' + b"0" * 5000 + b"," + inside,
        "beyond-float": b'{"kit":1e400,' + inside,
        "deep": b'{"kit":' + b"[" * _DEEP + b"]" * _DEEP + b"," + inside,
        "lone-surrogate": b'{"kit":"\\ud800",' + inside,
        "long-text": b'{"kit":"' + b"a" * _LONG + b'",' + inside,
        "not-utf8": b'{"kit":"\xff\xfe",' + inside,
        "utf-16": good.decode().encode("utf-16"),
    }


def _with_id(good: bytes, id: bytes) -> bytes:
    start = good.index(b'"id":') + len(b'"id":')
    end = good.index(b",", start)
    return good[:start] + id + good[end:]


def _silence(ping: float) -> float:
    """Return how long to wait for the answer to a batch, given the time of a ping before it.

    An answer to the ping after the batch does not show that the batch was skipped, because a server
    may answer the later request first.
    """
    return min(max(_SHORTEST_SILENCE, _PINGS * ping), _LONGEST_SILENCE)


@script(*MCP_BINDINGS, eras=LEGACY, protocol=True)
def mcp_batch(stage: Stage) -> Steps:
    """Send two requests in one message, in the version that has batches."""
    if stage.run.version != BATCHES:
        return
    own, speaker = ids(31), stage.speaker()
    before = yield Send(speaker.request("ping", id=next(own)), Step(BEFORE))
    batch = [{"jsonrpc": "2.0", "id": next(own), "method": "ping"} for _ in range(2)]
    body = to_bytes(batch)
    # Over HTTP the answers may come one by one, so the whole stream is read.
    first = not stage.binding.traits.over_http
    silence = _silence(before.elapsed if before.trouble is None else inf)
    yield Send(speaker.raw(body, any_answer=first, settle=silence), Step("batch"))
    yield Send(speaker.request("ping", id=next(own)), Step("batch", mark=Mark.ALIVE))
