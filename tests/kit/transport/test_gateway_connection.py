"""Connections through a gateway share one provider at an address."""

from __future__ import annotations

import asyncio
import socket

import pytest

from conformance.kit.model.exchange import ModelCall
from conformance.kit.model.settings import Settings
from conformance.kit.transport.gateway_connection import MOST_PARTS, GatewayConnection
from conformance.spec.vocabulary import Seen
from fixtures.ports import free_port
from fixtures.servers.hostility.heads import HEADS
from tests.kit.peers import always, head, serving, whole


async def opened(port):
    """What two connections that open at the same time come to: None, or an error."""
    both = [GatewayConnection(Settings(provider=("127.0.0.1", port))) for _ in range(2)]
    came = await asyncio.gather(*(each.start() for each in both), return_exceptions=True)
    for each in both:
        await each.close()
    return came


def test_two_connections_that_open_at_the_same_time_share_a_provider():
    assert asyncio.run(opened(free_port())) == [None, None]


def test_both_are_refused_where_another_program_listens():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        came = asyncio.run(opened(taken.getsockname()[1]))
    assert [type(each) for each in came] == [OSError, OSError]
    assert "address" not in str(came[0].strerror).replace("Address already in use", "")


def test_an_address_can_be_used_again():
    port = free_port()
    assert asyncio.run(opened(port)) == asyncio.run(opened(port)) == [None, None]


@pytest.mark.parametrize("times", [2, 3])
def test_a_provider_stays_until_the_last_connection_is_closed(times):
    port = free_port()

    async def in_turn():
        given = Settings(provider=("127.0.0.1", port))
        kept, *others = [GatewayConnection(given) for _ in range(times)]
        await kept.start()
        for each in others:
            await each.start()
            await each.close()
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        await kept.close()

    asyncio.run(in_turn())


async def received(port, gateway, **more):
    """What a call to a gateway gave, with the provider at a port."""
    connection = GatewayConnection(Settings(provider=("127.0.0.1", port)))
    await connection.start()
    try:
        async with serving(gateway) as peer:
            call = ModelCall("POST", peer.url, body=b"{}", nonce="afn-x", **more)
            return await connection.send(call)
    finally:
        await connection.close()


def test_of_requests_of_thousands_of_headers_only_a_megabyte_is_kept():
    port = free_port()
    asks = b"POST /afn-x HTTP/1.1\r\nHost: x\r\n" + b"a:b\r\n" * 2_000 + b"\r\n"

    async def asks_often(writer, _):
        for _ in range(20):
            reader, own = await asyncio.open_connection("127.0.0.1", port)
            own.write(asks)
            await reader.read(100)
            own.close()
        writer.write(whole(b"{}"))

    timeline = asyncio.run(received(port, asks_often)).timeline
    assert 0 < sum(moment.weight for moment in timeline) < 1_100_000


def test_a_fault_of_the_kit_in_the_providers_answer_is_one_of_the_call():
    port = free_port()

    def fails(*_):
        raise ZeroDivisionError

    async def asks(writer, _):
        reader, own = await asyncio.open_connection("127.0.0.1", port)
        own.write(b"GET /afn-x HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.read(100)
        own.close()
        writer.write(whole(b"{}"))

    with pytest.raises(ZeroDivisionError):
        asyncio.run(received(port, asks, performance=fails))


def test_of_an_answer_of_single_bytes_a_bounded_number_of_moments_is_kept():
    async def by_bytes(writer, _):
        writer.write(head("Transfer-Encoding: chunked") + b"1\r\n:\r\n" * 20_000)
        writer.write(b"4\r\nmark\r\n0\r\n\r\n")
        await writer.drain()

    async def asked():
        connection = GatewayConnection(Settings(provider=("127.0.0.1", free_port())))
        await connection.start()
        try:
            async with serving(by_bytes) as peer:
                call = ModelCall("POST", peer.url, body=b"{}", nonce="afn-x", mark="mark")
                return await connection.send(call)
        finally:
            await connection.close()

    received = asyncio.run(asked())
    seen = [moment.seen for moment in received.timeline]
    assert len(received.answer.body) == 20_004
    assert seen.count(Seen.CLIENT_GOT) == MOST_PARTS
    assert Seen.CLIENT_CONTENT in seen


HURTS = {
    "a redirect to no host": whole(b"", "Location: //:70000/", status="307 Temporary Redirect"),
    "a redirect that is too long": whole(b"", f"Location: /{'a' * 65_530}", status="302 Found"),
    "a redirect to half an address": whole(b"", "Location: http://[::1", status="303 See Other"),
    "a number of no kind": head("Content-Length: -1"),
    "packed as nobody asked": whole(b"x", "Content-Encoding: zstd, br, gzip"),
    "no HTTP": b"\x00\xff\r\n\r\n",
}


FRAMES = ("trailers-without-end", "chunk-extension-without-end", "hints-without-end",
          "header-of-a-megabyte", "compressed-fifty-times", "compression-bomb-of-zstd",
          "compression-with-a-tail-without-end", "events-that-ask-to-come-back-never",
          "events-of-half-line-ends", "cookies-that-are-headers")  # fmt: skip


@pytest.mark.parametrize("name", [*HURTS, *FRAMES])
def test_a_head_that_hurts_is_an_answer_or_a_trouble(name):
    answer = always(HURTS[name]) if name in HURTS else lambda to, _: HEADS[name](to, b"{}")

    async def asked():
        given = Settings(provider=("127.0.0.1", free_port()), request_timeout=0.5)
        connection = GatewayConnection(given)
        await connection.start()
        try:
            async with serving(answer) as peer:
                return await connection.send(ModelCall("POST", peer.url, body=b"{}", nonce="afn-x"))
        finally:
            await connection.close()

    received = asyncio.run(asked())
    assert received.answer is not None or received.trouble is not None


def test_each_call_has_a_connection_of_its_own():
    """A server may close a connection after an answer, as many do after an exception."""
    served = set()

    async def once(writer, _):
        if writer in served:
            writer.close()
        else:
            served.add(writer)
            writer.write(whole(b"{}"))

    async def twice():
        connection = GatewayConnection(Settings(provider=("127.0.0.1", free_port())))
        await connection.start()
        try:
            async with serving(once) as peer:
                call = ModelCall("POST", peer.url, body=b"{}", nonce="afn-x")
                return [(await connection.send(call)).trouble for _ in range(2)]
        finally:
            await connection.close()

    assert asyncio.run(twice()) == [None, None]
