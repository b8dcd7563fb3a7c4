"""Small servers on this machine that say exactly what a test wants, byte by byte."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager


class Peer:
    """What the test's server was sent, and what it says of where it is."""

    def __init__(self):
        self.url = ""
        self.requests = []


@asynccontextmanager
async def serving(answer):
    """A server that reads each request's head and body, and leaves the rest to `answer`."""
    peer = Peer()

    async def handle(reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                     if line.startswith(b"content-length:")),
                    0,
                )  # fmt: skip
                body = await reader.readexactly(length)
                peer.requests.append((head.decode("latin-1"), body))
                await answer(writer, peer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the test is over, or the client has gone
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    peer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield peer
    finally:
        server.close()


def head(*lines, status="200 OK"):
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


def whole(body, *lines, status="200 OK"):
    return head(f"Content-Length: {len(body)}", *lines, status=status) + body


def always(data, *, then=None):
    """A server that answers everything with `data`, and then does `then`."""

    async def answer(writer, peer):
        writer.write(data)
        await writer.drain()
        if then is not None:
            await then(writer, peer)

    return answer


async def hang(writer, peer):
    await asyncio.sleep(60)


async def close(writer, peer):
    writer.close()


def unused_url():
    """An address at which nothing listens."""

    async def main():
        async with serving(hang) as peer:
            return peer.url

    return asyncio.run(main())
