"""Serves the built site on a local port, below a path and compressed, as Pages serves a project."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

PREFIX = "/agent-formats/"
_TEXTS = (".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".md")


class _Handler(SimpleHTTPRequestHandler):
    """Serves only `site`, at `PREFIX`."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: object, site: Path) -> None:
        self._site = site
        super().__init__(*args, directory=str(site))  # type: ignore[arg-type]  # as it came

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        inside = path.removeprefix(PREFIX)
        file = (self._site / inside).resolve()
        if not path.startswith(PREFIX) or not file.is_relative_to(self._site.resolve()):
            self._answer(HTTPStatus.NOT_FOUND, self._site / "404.html")
        elif file.is_dir() and not path.endswith("/"):
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self.send_header("Location", f"{path}/")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            file = file / "index.html" if file.is_dir() else file
            found = file.is_file()
            status = HTTPStatus.OK if found else HTTPStatus.NOT_FOUND
            self._answer(status, file if found else self._site / "404.html")

    def _answer(self, status: HTTPStatus, file: Path) -> None:
        packed = file.suffix in _TEXTS and "gzip" in self.headers.get("Accept-Encoding", "")
        body = _packed(file) if packed else file.read_bytes()
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Cache-Control", "max-age=600")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@lru_cache(maxsize=512)
def _packed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), mtime=0)


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve `site`; yield its address, which ends in a slash."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, site=site))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
