"""The kept connections: used again, closed when broken, and nothing that was said is lost."""

import asyncio
import socket
import struct
from contextlib import asynccontextmanager

import httpx2
import pytest

from conformance.kit.model.exchange import HttpRequest
from conformance.kit.transport.http_connection import HttpConnection
from conformance.kit.transport.kept_connections import Lines, near
from tests.waiting import rounds

STUCK = 10
"""Seconds after which what should have come immediately counts as lost."""

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Seen:
    """What came to the server: the pieces of each connection, as they were read.

    `over` has a token for each connection that the server has seen the end of.
    """

    def __init__(self):
        self.url = ""
        self.connections = []
        self.over = asyncio.Semaphore(0)


@asynccontextmanager
async def reading(answer):
    """A server that reads a piece, leaves the rest to `answer`, and goes on while that is true."""
    seen = Seen()

    async def handle(reader, writer):
        pieces = []
        seen.connections.append(pieces)
        try:
            while piece := await reader.read(1 << 20):
                pieces.append(piece)
                if not await answer(reader, writer):
                    break
        except ConnectionError:
            pass  # the client has gone
        finally:
            writer.close()
            seen.over.release()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    seen.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield seen
    finally:
        server.close()


async def say(reader, writer):
    writer.write(ANSWER)
    await writer.drain()
    return True


def sent(answer, talk):
    """What `talk`, given a way to send and the server's side of it, gives back, and that side."""

    async def main():
        async with reading(answer) as seen:
            connection = HttpConnection(seen.url, timeout=30.0, headers=(), width=4)

            async def send(body=b"{}"):
                return await connection.send(HttpRequest("POST", seen.url + "/x", body=body))

            try:
                return await talk(send, seen), seen
            finally:
                await connection.close()

    return asyncio.run(main())


async def one_by_one(send, seen):
    return [await send() for _ in range(5)]


def test_calls_one_after_the_other_share_a_connection():
    received, seen = sent(say, one_by_one)
    assert [each.answer.body for each in received] == [b"{}"] * 5
    assert len(seen.connections) == 1


def test_a_request_leaves_in_one_piece(monkeypatch):
    handed_over = []

    class Counting(socket.socket):
        """What is sent one piece after the other may be read as one: count where it leaves."""

        def send(self, data, *flags):
            if self.family == socket.AF_INET:  # the loop wakes itself over another kind
                handed_over.append(bytes(data))
            return super().send(data, *flags)

    monkeypatch.setattr(socket, "socket", Counting)
    sent(say, one_by_one)
    requests = [piece for piece in handed_over if piece != ANSWER]
    assert len(requests) == 5
    assert all(piece.startswith(b"POST /x ") for piece in requests)
    assert all(piece.endswith(b"\r\n\r\n{}") for piece in requests)


def test_what_comes_behind_an_answer_is_not_taken_for_the_next():
    more = ANSWER.replace(b"{}", b"[]")

    async def twice(reader, writer):
        writer.write(ANSWER + more)
        await writer.drain()
        return True

    received, seen = sent(twice, one_by_one)
    assert [each.answer.body for each in received] == [b"{}"] * 5
    assert len(seen.connections) == 5


HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n"


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (HEAD + b"Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}" + ANSWER, None),
        (HEAD + b"Content-Length : 2\r\n\r\n{}" + ANSWER, None),
        (CHUNKED + b"\r\n2;" + b"x" * 200_000 + b"\r\n{}\r\n0\r\n\r\n", b""),
        (CHUNKED + b"Content-Length: 90\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"{}"),
        (CHUNKED + b'\r\n2;x="y\r\n{}\r\n0\r\nContent-Length: 3\r\n\r\n' + ANSWER, b"{}"),
        (b"HTTP/1.1 103 Early\r\nContent-Length: 99\r\n\r\n" + ANSWER, b"{}"),
        (HEAD + b"X: y\r\n Content-Length: 9\r\nContent-Length: 2\r\n\r\n{}", b"{}"),
    ],
)
def test_two_readers_that_differ_about_an_answer_never_make_two_of_it(answer, body):
    async def odd(reader, writer):
        writer.write(answer)
        await writer.drain()
        return True

    received, _ = sent(odd, one_by_one)
    assert {each.answer and each.answer.body for each in received} == {body}


def test_an_answer_to_a_body_that_is_never_read_is_heard_and_its_connection_left():
    async def at_once(reader, writer):
        await say(reader, writer)
        await asyncio.Event().wait()  # it reads no more, and closes nothing

    async def twice(send, seen):
        async with asyncio.timeout(STUCK):
            return [await send(b"x" * (16 << 20)) for _ in range(2)]

    received, seen = sent(at_once, twice)
    assert [each.answer.body for each in received] == [b"{}"] * 2
    assert len(seen.connections) == 2


def test_calls_at_once_have_a_connection_each():
    async def at_once(send, seen):
        return await asyncio.gather(*(send() for _ in range(3)))

    waiting = []

    async def together(reader, writer):
        """Answer only once all three are here."""
        waiting.append(writer)
        if len(waiting) == 3:
            for each in waiting:
                each.write(ANSWER)
        return True

    received, seen = sent(together, at_once)
    assert [each.answer.status for each in received] == [200] * 3
    assert len(seen.connections) == 3


def test_a_connection_that_the_server_closed_fails_no_call():
    async def once(reader, writer):
        await say(reader, writer)
        return False

    async def with_pauses(send, seen):
        first = await send()
        async with asyncio.timeout(STUCK):
            await seen.over.acquire()
        await rounds(3)  # the server's end is closed
        return [first, await send()]

    received, seen = sent(once, with_pauses)
    assert [each.answer.status for each in received] == [200, 200]
    assert [len(pieces) for pieces in seen.connections] == [1, 1]  # nothing was sent twice


def test_a_connection_that_the_server_closed_is_not_used_again():
    """Of the lines themselves: the sending above them would try once more, and hide it."""

    async def once(reader, writer):
        await say(reader, writer)
        return False

    async def main():
        async with reading(once) as seen, httpx2.AsyncClient(transport=Lines()) as client:
            statuses = []
            for _ in range(3):
                statuses.append((await client.post(seen.url, content=b"{}")).status_code)
                async with asyncio.timeout(STUCK):
                    await seen.over.acquire()
                await asyncio.sleep(0)  # the server's end is closed in the loop's next round
            return statuses, seen.connections

    statuses, connections = asyncio.run(main())
    assert statuses == [200] * 3
    assert [len(pieces) for pieces in connections] == [1] * 3


def test_idle_connections_are_closed_with_the_client():
    waiting = []

    async def together(reader, writer):
        """Answer only once all three are here, so that there are three connections."""
        waiting.append(writer)
        if len(waiting) == 3:
            for each in waiting:
                each.write(ANSWER)
        return True

    async def main():
        async with reading(together) as seen:
            connection = HttpConnection(seen.url, timeout=30.0, headers=(), width=4)
            request = HttpRequest("POST", seen.url + "/x", body=b"{}")
            await asyncio.gather(*(connection.send(request) for _ in range(3)))
            still_open = seen.over.locked()
            await connection.close()
            async with asyncio.timeout(STUCK):
                for _ in range(3):
                    await seen.over.acquire()
            return still_open, len(seen.connections), connection  # kept: nothing else closes them

    still_open, connections, _ = asyncio.run(main())
    assert still_open
    assert connections == 3


def test_a_server_waits_for_a_slow_reader_and_all_of_it_comes():
    part, most = b"x" * (64 << 10), 64 << 20

    async def main():
        with socket.create_server(("127.0.0.1", 0)) as server:
            stream = await near(*server.getsockname())
            peer, _ = server.accept()
        with peer:
            peer.setblocking(False)
            said = refused = 0
            while said < most and refused < 100:  # refused: what was said is not taken any more
                try:
                    said += peer.send(part)
                    refused = 0
                except BlockingIOError:
                    refused += 1
                await asyncio.sleep(0)
        heard = 0
        async with asyncio.timeout(STUCK):
            while data := await stream.read(1 << 16):
                heard += len(data)
        stream.close()
        return said, heard

    said, heard = asyncio.run(main())
    assert 256 << 10 < said < most
    assert heard == said


def test_what_was_said_before_the_connection_broke_is_read():
    async def refuse(reader, writer):
        """Answer while the body is still coming, and break the connection off."""
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        await rounds(50)  # the client goes on writing, and then waits
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
        return False

    async def too_much(send, seen):
        return await send(b"x" * (16 << 20))

    received, _ = sent(refuse, too_much)
    assert (received.answer.status, received.answer.body) == (413, b"{}")


def test_a_long_answer_is_whole():
    body = bytes(range(256)) * 8192

    async def long(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        return True

    received, seen = sent(long, one_by_one)
    assert all(each.answer.body == body for each in received)
    assert len(seen.connections) == 1
