"""The fake provider answers byte by byte as its script says, and reports what it saw."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import httpx2
import pytest

from conformance.kit.model.performance import Barrier, End, Fin, Head, Rst, Send, Wait
from conformance.kit.transport.provider import BODY_CAP, MOST_HELD, Provider
from conformance.spec.vocabulary import Seen

OK = (Head(200), Send(b"hello"), End())
DEADLINE = 30


class Log(list):
    """What the provider saw."""

    def __init__(self):
        super().__init__()
        self._changed = asyncio.Event()

    def __call__(self, moment):
        self.append(moment)
        self._changed.set()

    @property
    def seen(self):
        return [each.seen for each in self]

    async def until(self, seen):
        while seen not in self.seen:
            self._changed.clear()
            await self._changed.wait()


def played(test):
    """Run a test that is a coroutine, no longer than the deadline."""
    asyncio.run(asyncio.wait_for(test, DEADLINE))


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://evil.example", 403),
        ("null", 403),
        ("http://rebound.example:9000", 403),
        ("http://localhost:3000", 200),
        ("http://127.0.0.1:5173", 200),
    ],
)
def test_a_page_of_another_site_is_refused_and_not_seen(origin, status):
    async def test():
        log = Log()
        async with (
            Provider(lambda _: OK, observe=log) as provider,
            httpx2.AsyncClient(base_url=provider.url) as client,
        ):
            answer = await client.post("/", content="{}", headers={"Origin": origin})
        assert answer.status_code == status
        assert bool(log) == (status == 200)

    played(test())


def test_requests_on_one_connection_are_answered_in_turn():
    async def test():
        arrivals, log = [], Log()

        def perform(arrival):
            arrivals.append(arrival)
            return OK

        async with (
            Provider(perform, observe=log) as provider,
            httpx2.AsyncClient(base_url=provider.url) as client,
        ):
            for number in (1, 2):
                answer = await client.post(f"/p?n={number}", content=b"body %d" % number)
                assert (answer.status_code, answer.text) == (200, "hello")
        assert [(each.number, each.path, each.query, each.body) for each in arrivals] == [
            (1, "/p", "n=1", b"body 1"),
            (2, "/p", "n=2", b"body 2"),
        ]
        assert log.seen == [Seen.ARRIVED, Seen.HEAD, Seen.SENT, Seen.ENDED] * 2

    played(test())


def test_bytes_are_cut_where_it_was_said():
    async def test():
        acts = (Head(200), Send(b"abcdef", cuts=(1, 4)), End())
        async with Provider(lambda _: acts) as provider:
            host, port = provider.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
            raw = await reader.readuntil(b"0\r\n\r\n")
            writer.close()
        body = raw.partition(b"\r\n\r\n")[2]
        assert body == b"1\r\na\r\n3\r\nbcd\r\n2\r\nef\r\n0\r\n\r\n"

    played(test())


@pytest.mark.parametrize(
    ("end", "error"), [(Fin(), httpx2.RemoteProtocolError), (Rst(), httpx2.ReadError)]
)
def test_a_connection_is_closed_or_reset_in_mid_answer(end, error):
    async def test():
        log = Log()
        acts = (Head(200), Send(b"half"), Barrier("content"), end)
        async with (
            Provider(lambda _: acts, observe=log) as provider,
            httpx2.AsyncClient() as client,
            client.stream("POST", provider.url) as answer,
        ):
            with pytest.raises(error):  # noqa: PT012 - the first part is what opens it
                async for part in answer.aiter_raw():
                    assert part == b"half"
                    provider.barriers.open("content")
        assert log[-1].seen is Seen.BROKEN

    played(test())


def test_nothing_follows_a_barrier_before_it_is_open():
    async def test():
        log = Log()
        acts = (Head(200), Send(b"one"), Barrier("seen"), Send(b"two"), End())
        async with (
            Provider(lambda _: acts, observe=log) as provider,
            httpx2.AsyncClient() as client,
            client.stream("POST", provider.url) as answer,
        ):
            parts = answer.aiter_raw()
            assert await anext(parts) == b"one"
            assert Seen.BARRIER not in log.seen
            provider.barriers.open("seen")
            assert await anext(parts) == b"two"
        assert [each.detail for each in log if each.seen is Seen.BARRIER] == ["seen"]

    played(test())


@pytest.mark.parametrize("stays", [Wait(), Wait(3600), Barrier("never")])
def test_it_is_seen_that_the_other_side_leaves(stays):
    async def test():
        log = Log()
        acts = (Head(200), stays, *OK[1:])
        async with (
            Provider(lambda _: acts, observe=log) as provider,
            httpx2.AsyncClient() as client,
        ):
            async with client.stream("POST", provider.url) as answer:
                assert answer.status_code == 200
            await log.until(Seen.LEFT)
        assert Seen.SENT not in log.seen

    played(test())


def test_closing_the_provider_ends_what_is_under_way():
    async def test():
        log = Log()
        provider = Provider(lambda _: (Head(200), Wait()), observe=log)
        async with httpx2.AsyncClient() as client:
            async with provider:
                request = client.build_request("POST", provider.url)
                answer = await client.send(request, stream=True)
            await answer.aclose()
        assert log.seen == [Seen.ARRIVED, Seen.HEAD, Seen.CUT]

    played(test())


def test_a_request_beyond_the_cap_is_refused():
    async def test():
        asked = []
        async with Provider(lambda each: asked.append(each) or OK) as provider:
            host, port = provider.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(
                b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % (BODY_CAP + 1)
            )
            writer.write(b"x" * (BODY_CAP + 1))
            head = await reader.readuntil(b"\r\n")
            writer.close()
        assert (head.split()[1], asked) == (b"413", [])

    played(test())


async def _begun(provider, length):
    """Send a request that lacks its last byte."""
    host, port = provider.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % length)
    writer.write(b"x" * (length - 1))
    await writer.drain()
    return reader, writer


def test_many_long_requests_are_not_held_at_the_same_time():
    async def test():
        async with Provider(lambda _: OK) as provider:
            links = [await _begun(provider, BODY_CAP) for _ in range(MOST_HELD // BODY_CAP + 1)]
            heads = [asyncio.ensure_future(reader.readuntil(b"\r\n")) for reader, _ in links]
            (refused, *_), _ = await asyncio.wait(heads, return_when=asyncio.FIRST_COMPLETED)
            assert (await refused).split()[1] == b"503"
            for (_, writer), head in zip(links, heads, strict=True):
                if not head.done():
                    writer.write(b"x")
            told = [(await head).split()[1] for head in heads]
            assert set(told) == {b"200", b"503"}
            for _, writer in links:
                writer.close()
            async with httpx2.AsyncClient() as client:  # what was held is let go
                answer = await client.post(provider.url, content=b"x" * BODY_CAP)
        assert answer.status_code == 200

    played(test())


def test_connections_without_end_are_closed_before_the_system_has_none_left():
    async def test():
        raised = []
        asyncio.get_running_loop().set_exception_handler(lambda _, told: raised.append(told))
        async with Provider(lambda _: (Head(200), Wait()), links=5) as provider:
            host, port = provider.url.removeprefix("http://").split(":")
            asked = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n"
            links = []
            for _ in range(5):
                reader, writer = await asyncio.open_connection(host, int(port))
                writer.write(asked)
                assert (await reader.readuntil(b"\r\n")).split()[1] == b"200"
                links.append(writer)
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(asked)
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readuntil(b"\r\n")
            for each in (*links, writer):
                each.close()
        assert raised == []

    played(test())


SLOW = {
    "says nothing": b"",
    "half a head": b"POST / HTTP/1.1\r\nx: ",
    "half a body": b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf",
    "has its answer": b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n",
}


FEW_FILES = """
import asyncio, resource, sys
from conformance.kit.transport.provider import Provider

resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))

async def main():
    async with Provider(lambda _: ()) as provider:
        print(provider.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_many_connections_take_no_more_files_than_a_process_may_have():
    pipe, command = subprocess.PIPE, [sys.executable, "-c", FEW_FILES]
    with (
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process,
        contextlib.ExitStack() as links,
    ):
        port = urlsplit(process.stdout.readline().decode().strip()).port
        for _ in range(400):
            links.enter_context(socket.create_connection(("127.0.0.1", port), timeout=DEADLINE))
        assert process.communicate(timeout=DEADLINE)[1] == b""
        assert process.returncode == 0


@pytest.mark.parametrize("said", SLOW.values(), ids=SLOW)
def test_connections_that_ask_nothing_make_room_for_those_that_ask(said):
    async def test():
        raised = []
        asyncio.get_running_loop().set_exception_handler(lambda _, told: raised.append(told))
        async with (
            Provider(lambda _: OK, links=4) as provider,
            httpx2.AsyncClient(base_url=provider.url) as client,
        ):
            host, port = provider.url.removeprefix("http://").split(":")
            idle = []
            for _ in range(20):
                reader, writer = await asyncio.open_connection(host, int(port))
                writer.write(said)
                idle.append(writer)
                if said == SLOW["has its answer"]:
                    await reader.readuntil(b"0\r\n\r\n")
            for _ in range(6):
                assert (await client.post("/p")).content == b"hello"
            for each in idle:
                each.close()
        assert raised == []

    played(test())


@pytest.mark.parametrize("drip", [b"POST / HTTP/1.1\r\n", b"GET /", SLOW["half a body"]])
def test_a_request_that_never_arrives_is_refused_in_time(drip):
    async def test():
        async with Provider(lambda _: OK, patience=0.2) as provider:
            host, port = provider.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(drip)
            assert (await reader.readuntil(b"\r\n")).split()[1] == b"408"
            assert await reader.read() == b"content-length: 0\r\nconnection: close\r\n\r\n"
            writer.close()

    played(test())


def test_a_connection_without_a_request_may_wait():
    async def test():
        async with Provider(lambda _: OK, patience=0.1) as provider:
            host, port = provider.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            for _ in range(2):
                slow_reader, slow_writer = await asyncio.open_connection(host, int(port))
                slow_writer.write(b"GET /")
                await slow_reader.read()  # it is refused when its time is over
                slow_writer.close()
                writer.write(SLOW["has its answer"])
                answer = await reader.readuntil(b"0\r\n\r\n")
                assert answer.split()[1] == b"200"
            writer.close()

    played(test())


@pytest.mark.parametrize("last", [End(), Fin()])
def test_an_answer_that_nobody_reads_is_ended_in_time(last):
    async def test():
        log = Log()
        endless = (Head(200), *[Send(b"x" * 2**20)] * 40, last)
        async with Provider(lambda _: endless, patience=0.3, observe=log) as provider:
            host, port = provider.url.removeprefix("http://").split(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(SLOW["has its answer"])
            await log.until(Seen.LEFT)
            writer.close()

    played(test())


def test_bytes_that_are_not_http_are_refused():
    async def test():
        async with Provider(lambda _: OK) as provider:
            host, port = provider.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"\x16\x03\x01 no request at all\r\n\r\n")
            head = await reader.readuntil(b"\r\n")
            writer.close()
        assert head.split()[1] == b"400"

    played(test())


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
def test_it_listens_on_this_machine_alone(host):
    with pytest.raises(ValueError, match="loopback"):
        Provider(lambda _: OK, host=host)


def test_a_request_for_the_head_alone_gets_no_body():
    async def test():
        acts = (Head(200, (("content-length", "5"),)), Send(b"hello"), End())
        async with (
            Provider(lambda _: acts) as provider,
            httpx2.AsyncClient(base_url=provider.url) as client,
        ):
            head = await client.head("/p")
            after = await client.post("/p")
        assert (head.status_code, head.content) == (200, b"")
        assert after.content == b"hello"

    played(test())


POST = b"POST /p HTTP/1.1\r\nhost: x\r\n"
HOSTILE = {
    "garbage": b"\x16\x03\x01\x00\r\n\r\n",
    "two lengths": POST + b"content-length: 1\r\ncontent-length: 2\r\n\r\nab",
    "a chunk of all the world": POST + b"transfer-encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\n",
    "a header without end": POST + b"x: " + b"y" * 200_000,
    "an address without end": b"GET /" + b"a" * 200_000,
    "another protocol": b"CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n\x00\xff",
    "half a body": POST + b"content-length: 100\r\n\r\nhalf",
    "half a request": b"POST /p HT",
    "many at the same time": (POST + b"content-length: 0\r\n\r\n") * 200,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_client_costs_its_own_connection_alone(kind):
    async def test():
        raised = []
        asyncio.get_running_loop().set_exception_handler(lambda _, told: raised.append(told))
        async with (
            Provider(lambda _: OK) as provider,
            httpx2.AsyncClient(base_url=provider.url) as client,
        ):
            host, port = provider.url.removeprefix("http://").split(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(HOSTILE[kind])
            answer = await client.post("/p")
            writer.close()
        assert answer.content == b"hello"
        gc.collect()  # then a task that raised says so
        assert raised == []

    played(test())


@pytest.mark.parametrize("bad", ["raises", "breaks-http"])
def test_a_fault_of_the_kit_costs_one_request_and_is_printed_by_nobody(bad, caplog):
    def perform(arrival):
        if arrival.path == "/good":
            return OK
        if bad == "raises":
            raise TypeError("##vso[task.complete]")
        return (Head(200, (("x", "\xe9\u2028##vso[task.complete]"),)), End())

    async def test():
        faults = []
        async with (
            Provider(perform, failed=lambda *fault: faults.append(fault)) as provider,
            httpx2.AsyncClient(base_url=provider.url) as client,
        ):
            with pytest.raises(httpx2.RemoteProtocolError):
                await client.post("/bad", content="{}")
            assert (await client.post("/good", content="{}")).text == "hello"
            assert [(number, isinstance(each, Exception)) for number, each in faults] == [(1, True)]

    played(test())
    gc.collect()
    assert caplog.text == ""
