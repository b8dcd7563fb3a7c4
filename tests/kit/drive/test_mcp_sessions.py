"""Sessions of MCP over HTTP: each one that the kit opened ends, once, and only there."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from functools import cache
from itertools import count, repeat

import pytest

from conformance.kit.drive.channel import Context, open_channel
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.script import CONNECTION
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.run import Run
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.model.step import Step
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Binding, Verdict
from tests.kit.peers import answering, hang, serving, whole

SETTINGS = Settings(
    profiles=("mcp",), allow_calls=AllowCalls.ALL, request_timeout=10.0
)  # fmt: skip
TOOL = {
    "name": "double",
    "description": "Doubles a number.",
    "inputSchema": {
        "type": "object",
        "properties": {"number": {"type": "integer", "minimum": 1, "maximum": 9}},
        "required": ["number"],
        "additionalProperties": False,
    },
}
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")


class Server:
    """A server of the handshake era, with at most `most` sessions, each of `lasts` requests.

    `delete` answers a DELETE.
    """

    def __init__(self, most=10_000, lasts=10_000):
        self.most = most
        self.lasts = lasts
        self.asked = Counter()
        self.open: set[str] = set()
        self.opened = 0
        self.refused = 0
        self.ended: list[str] = []
        self.delete = self.ends_one
        self.stream = 405, None, {"Allow": "POST, DELETE"}
        self.ids = map("session-{}".format, count(1))
        self._lock = threading.Lock()

    def __call__(self, method, path, body, headers):
        with self._lock:
            return self._answer(method, path, body, headers)

    def _answer(self, method, path, body, headers):
        session = headers.get("Mcp-Session-Id")
        if path != "/mcp":
            return 404, {"error": "no such page"}
        if method == "DELETE":
            self.ended.append(session)
            return self.delete(session)
        if method != "POST":
            return self.stream
        if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
            return self._error(None, -32600 if body is not None else -32700, 400)
        called, id = body.get("method"), body.get("id")
        params = body.get("params") or {}
        if called == "initialize" and session is None:
            return self._initialize(id, params)
        if session is None:
            return self._error(id, -32000, 400)
        self.asked[session] += 1
        if self.asked[session] > self.lasts:
            self.open.discard(session)
        if session not in self.open:
            return self._error(id, -32001, 404)
        if id is None:
            return 202, None
        return self._called(id, called, params)

    def _initialize(self, id, params):
        if len(self.open) >= self.most:
            self.refused += 1
            return self._error(id, -32603, 500)
        self.opened += 1
        session = next(self.ids)
        self.open.add(session)
        asked = params.get("protocolVersion")
        result = {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "sessions", "version": "1"},
        }
        message = {"jsonrpc": "2.0", "id": id, "result": result}
        return 200, message, {"Content-Type": "application/json", "Mcp-Session-Id": session}

    def _called(self, id, called, params):
        if called == "ping":
            return 200, {"jsonrpc": "2.0", "id": id, "result": {}}
        if called == "tools/list":
            return 200, {"jsonrpc": "2.0", "id": id, "result": {"tools": [TOOL]}}
        if called != "tools/call":
            return self._error(id, -32601)
        if params.get("name") != TOOL["name"]:
            return self._error(id, -32602)
        given = params.get("arguments")
        number = given.get("number") if isinstance(given, dict) else None
        good = type(number) is int and 1 <= number <= 9 and set(given) == {"number"}
        words = str(2 * number) if good else "Validation failed: number must be from 1 to 9"
        result = {"content": [{"type": "text", "text": words}], "isError": not good}
        return 200, {"jsonrpc": "2.0", "id": id, "result": result}

    def ends_one(self, session):
        """End the session that the request names."""
        if session not in self.open:
            return 404, None
        self.open.discard(session)
        return 200, None

    def ends_all(self, _):
        """End every session, whatever the request names: a broken server."""
        self.open.clear()
        return 200, None

    @staticmethod
    def _error(id, code, status=200):
        message = "Refused"
        return status, {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


def checked(server):
    """The verdicts of a session of the kit that checked `server`, by run, clause and tool."""
    session = Session(SETTINGS)
    chapters = [load(f"conformance.{name}") for name in ("atdf", "mcp")]
    session.scripts = [script for chapter in chapters for script in chapter.scripts]
    with answering(server) as url:
        session.discover((f"{url}/mcp",))
        asked = session.questions([test for chapter in chapters for test in chapter.tests])
        session.drive()
        found = session.results(asked, session.judge(asked))
    return {(run.run.id, item.clause, item.tool): item.verdict
            for run in found.runs for item in run.items}  # fmt: skip


@cache
def usual():
    """An ordinary server after a session of the kit, and its verdicts."""
    server = Server()
    return server, checked(server)


def of_full_run(verdicts):
    return {key: verdict for key, verdict in verdicts.items() if key[0] == "mcp-2025-11-25"}


def test_each_session_that_the_kit_opened_ends_once():
    server, _ = usual()
    assert server.opened > 20
    assert server.open == set()
    assert sorted(server.ended) == sorted(set(server.ended))
    assert len(server.ended) == server.opened


def test_a_server_that_opens_one_session_at_a_time_is_checked_like_any_other():
    server = Server(most=1)
    assert checked(server) == usual()[1]
    assert server.refused == 1
    assert server.open == set()


def test_a_server_that_ends_all_sessions_at_once_is_checked_like_any_other():
    server = Server()
    server.delete = server.ends_all
    assert of_full_run(checked(server)) == of_full_run(usual()[1])


@pytest.mark.parametrize("lasts", [2, 3, 5, 8, 20])
def test_a_server_that_ends_a_session_after_a_few_requests_is_checked_like_any_other(lasts):
    server = Server(lasts=lasts)
    assert checked(server) == usual()[1]
    assert max(server.asked.values()) > server.lasts
    assert server.open == set()


def test_a_server_that_serves_nothing_in_any_session_fails_and_is_not_asked_for_many_sessions():
    server = Server(lasts=1)
    verdicts = of_full_run(checked(server))
    failed = {clause for (_, clause, _), verdict in verdicts.items() if verdict is Verdict.FAIL}
    assert {"MCP-PING-001", "MCP-LIST-001"} <= failed
    assert server.opened < 4 * usual()[0].opened


def test_one_short_session_at_a_time_is_enough():
    server = Server(most=1, lasts=5)
    assert checked(server) == usual()[1]
    assert server.open == set()


@pytest.mark.parametrize("most", [1, 10_000])
def test_a_404_about_a_request_leaves_no_session_open(most):
    server = Server(most=most)
    server.stream = (404, {"error": "no such page"})
    verdicts = of_full_run(checked(server))
    changed = {
        key[1] for key, verdict in of_full_run(usual()[1]).items() if verdicts[key] is not verdict
    }
    assert changed == {"MCP-HTTP-003"}  # a server without a stream answers 405
    assert server.open == set()


def test_a_server_whose_sessions_have_one_id_does_not_keep_the_kit_busy():
    server = Server(lasts=5)
    server.ids = repeat("always-the-same")
    verdicts = of_full_run(checked(server))
    assert set(verdicts) == set(of_full_run(usual()[1]))
    assert server.opened < 1000


def test_an_answer_to_the_end_of_a_session_is_no_finding():
    server = Server()
    server.delete = lambda _: (500, "Traceback (most recent call last)")
    verdicts = checked(server)
    changed = {key[1] for key, verdict in usual()[1].items() if verdicts[key] is not verdict}
    assert changed == {"MCP-SESS-003"}  # its script ends a session, too


def test_a_server_that_lets_no_client_end_a_session_is_not_asked_again():
    server = Server()
    server.delete = lambda _: (405, None)
    checked(server)
    by_scripts = 7
    assert len(server.ended) <= by_scripts + 1


async def opened(answer, work, *, deadline=60.0, **settings):
    """What `work(channel, context)` does on a channel with a session, and what the peer got."""
    async with serving(answer) as peer:
        endpoint = f"{peer.url}/mcp"
        run = Run("mcp", endpoint, Binding.MCP, endpoint, "2025-11-25")
        context = Context(Settings(**settings), Recorder(), time.monotonic() + deadline)
        channel = await open_channel(run, context)
        await work(channel, context)
        return peer.requests, context


def shaking(session="session-1", delete=None):
    """A server that answers a handshake, and a DELETE with `delete`."""

    async def answer(writer, peer):
        head, body = peer.requests[-1]
        if head.startswith("DELETE"):
            await (delete or _accepts)(writer, peer)
            return
        message = json.loads(body)
        if message["method"] != "initialize":
            writer.write(whole(b"", status="202 Accepted"))
            return
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}}
        sent = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        more = (f"Mcp-Session-Id: {session}",) if session else ()
        writer.write(whole(sent, "Content-Type: application/json", *more))

    return answer


async def _accepts(writer, peer):
    writer.write(whole(b""))


async def closed(channel, context):
    await channel.close()


def ends(requests):
    return [head for head, _ in requests if head.startswith("DELETE")]


def test_the_end_of_a_session_names_it_and_is_recorded():
    requests, context = asyncio.run(opened(shaking(), closed))
    (head,) = ends(requests)
    assert head.startswith("DELETE /mcp HTTP/1.1")
    assert "mcp-session-id: session-1" in head.lower()
    assert "mcp-protocol-version: 2025-11-25" in head.lower()
    (one,) = (e for e in context.recorder.by_id.held if e.step == Step("end-session"))
    assert (one.script, one.run, one.request.method) == (CONNECTION, "mcp", "DELETE")


@pytest.mark.parametrize("session", ["", " ", "x" * 3000, "caf\xe9"])
def test_nothing_ends_where_the_server_gave_no_usable_id(session):
    assert ends(asyncio.run(opened(shaking(session), closed))[0]) == []


def test_a_server_that_does_not_answer_the_end_delays_the_kit_once_and_briefly():
    async def twice(channel, context):
        await channel.close()
        await (await open_channel(channel.run, context)).close()

    began = time.monotonic()
    requests, context = asyncio.run(opened(shaking(delete=hang), twice))
    assert time.monotonic() - began < 30  # a request may take longer
    assert len(ends(requests)) == 1
    troubles = [e.trouble for e in context.recorder.by_id.held if e.step == Step("end-session")]
    assert troubles == [Trouble.TIMEOUT]


def test_nothing_is_sent_after_the_time_limit():
    assert ends(asyncio.run(opened(shaking(), closed, deadline=-1.0))[0]) == []


def test_an_interrupt_still_ends_the_session():
    async def interrupted(channel, context):
        async def work():
            try:
                await asyncio.Event().wait()
            finally:
                await channel.close()

        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert len(ends(asyncio.run(opened(shaking(), interrupted))[0])) == 1


def test_a_route_that_is_off_limits_stays_so():
    async def barred(channel, context):
        context.off_limits.add((), [("DELETE", channel.run.endpoint)], ())
        await channel.close()

    assert ends(asyncio.run(opened(shaking(), barred))[0]) == []


def test_a_session_stays_open_while_another_channel_uses_one():
    async def both(channel, context):
        other = await open_channel(channel.run, context)
        await other.close()
        assert not [e for e in context.recorder.by_id.held if e.step == Step("end-session")]
        await channel.close()

    numbers = count(1)

    async def answer(writer, peer):
        await shaking(f"session-{next(numbers)}")(writer, peer)

    assert len(ends(asyncio.run(opened(answer, both))[0])) == 2
