"""Small servers on this machine that say exactly what a test wants, byte by byte."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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
    await asyncio.Event().wait()


async def close(writer, peer):
    writer.close()


def unused_url():
    """An address at which nothing listens."""

    async def main():
        async with serving(hang) as peer:
            return peer.url

    return asyncio.run(main())


@contextmanager
def answering(answer):
    """A server over HTTP; gives its URL.

    `answer(method, path, body, headers)` gives a status, a JSON body and, if need be, headers. The
    body that it gets is None if it is not JSON.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 20  # one packet for an answer: two would wait for each other

        def log_message(self, *args):
            pass

        def parse_request(self):
            good = super().parse_request()
            self.command, self.meant = "ANY", self.command
            return good

        def do_ANY(self):
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                body = json.loads(sent)
            except (ValueError, RecursionError):
                body = None
            status, data, *more = answer(self.meant, self.path, body, self.headers)
            written = b"" if data is None else json.dumps(data).encode()
            headers = {"Content-Type": "application/json", **(more[0] if more else {})}
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(written)))
                self.end_headers()
                self.wfile.write(written)
            except ConnectionError:
                self.close_connection = True  # the client has given up

    with _listening(Handler) as url:
        yield url


@contextmanager
def offering(tools, call, *, manifest=False):
    """A server of the HTTP binding; gives its URL.

    `tools` is its catalog, `call(name, arguments)` gives status, JSON body and, if need be, headers
    of a call; None closes the connection. `arguments` that are not JSON come as bytes.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 20  # one packet for an answer: two would wait for each other

        def log_message(self, *args):
            pass

        def do_GET(self):
            if self.path.startswith("/tools"):
                self._send(200, {"tools": tools})
            elif manifest and self.path == "/manifest":
                self._send(200, {"resources": [{"type": "tool", "path": "/tools"}]})
            else:
                self._send(404, {"detail": "no such path"})

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            name = self.path.removeprefix("/tools/").removesuffix("/invoke")
            try:
                arguments = json.loads(body)
            except ValueError:
                arguments = body
            known = self.path == f"/tools/{name}/invoke"
            answer = call(name, arguments) if known else (404, {})
            if answer is None:
                self.close_connection = True
            else:
                self._send(*answer)

        def _send(self, status, body, headers=None):
            data = json.dumps(body).encode()
            try:
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except ConnectionError:
                self.close_connection = True  # the client has given up

    with _listening(Handler) as url:
        yield url


@contextmanager
def _listening(handler):
    """A server with this handler, in a thread of its own; gives its URL."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128  # the kit opens many connections at the same time

    with running(Server(("127.0.0.1", 0), handler)) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def running(server):
    """Run a server in a thread of its own; gives its port."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
