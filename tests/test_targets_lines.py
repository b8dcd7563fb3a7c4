"""The kept connections: used again, closed when broken, and nothing that was said is lost."""

import asyncio
import socket
import struct
from contextlib import asynccontextmanager

from conformance.kit.exchange import Request, Transport
from conformance.kit.targets.http import HttpConnection

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Seen:
    """What came to the server: the pieces of each connection, as they were read."""

    def __init__(self):
        self.url = ""
        self.connections = []


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
    """What `talk`, given a way to send a body, gives back, and the server's side of it."""

    async def main():
        async with reading(answer) as seen:
            connection = HttpConnection(seen.url, timeout=30.0, headers=(), width=4)

            async def send(body=b"{}"):
                return await connection.send(Request(Transport.HTTP, body, "POST", seen.url + "/x"))

            try:
                return await talk(send), seen
            finally:
                await connection.close()

    return asyncio.run(main())


async def one_by_one(send):
    return [await send() for _ in range(5)]


def test_calls_one_after_the_other_share_a_connection():
    received, seen = sent(say, one_by_one)
    assert [each.answer.body for each in received] == [b"{}"] * 5
    assert len(seen.connections) == 1


def test_a_request_leaves_in_one_piece():
    _, seen = sent(say, one_by_one)
    assert all(piece.endswith(b"\r\n\r\n{}") for piece in seen.connections[0])
    assert len(seen.connections[0]) == 5


def test_calls_at_once_have_a_connection_each():
    async def at_once(send):
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


def test_a_connection_that_the_server_closed_is_not_used_again():
    async def once(reader, writer):
        await say(reader, writer)
        return False

    async def with_pauses(send):
        first = await send()
        await asyncio.sleep(0.2)
        return [first, await send()]

    received, seen = sent(once, with_pauses)
    assert [each.answer.status for each in received] == [200, 200]
    assert [len(pieces) for pieces in seen.connections] == [1, 1]  # nothing was sent twice


def test_what_was_said_before_the_connection_broke_is_read():
    async def refuse(reader, writer):
        """Answer while the body is still coming, and break the connection off."""
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        await asyncio.sleep(0.3)
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
        return False

    async def too_much(send):
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


def test_a_name_of_this_machine_is_connected_to():
    async def main():
        async with reading(say) as seen:
            url = seen.url.replace("127.0.0.1", "localhost")
            connection = HttpConnection(url, timeout=30.0, headers=(), width=4)
            received = await connection.send(Request(Transport.HTTP, b"{}", "POST", url + "/x"))
            await connection.close()
            return received

    assert asyncio.run(main()).answer.status == 200
