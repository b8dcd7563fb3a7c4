"""The gateways that others wrote: what is pinned of each can be shown without the kit."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from conformance.spec.clauses import clauses
from fixtures.gateways.strangers.raw import Provider, Seen, shown
from fixtures.gateways.strangers.strangers import strangers
from fixtures.ports import free_port


def test_each_is_pinned_by_exact_versions_and_a_lock():
    for each in strangers():
        name, version = each.package
        assert name
        assert version[0].isdigit()
        assert each.environment.lock.is_file()


def test_each_finding_names_a_clause_and_what_is_seen():
    for each in strangers():
        assert each.pinned <= set(clauses())
        assert all(one.seen != Seen() for one in each.findings)


@pytest.fixture
def passes_on():
    """A gateway that hands each call to a provider, and its answer back; gives URL and port."""
    port = free_port()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            asked = urllib.request.Request(f"http://127.0.0.1:{port}/x", body, method="POST")
            with urllib.request.urlopen(asked) as answer:
                said = answer.read()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(said)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("wanted", "lacking"),
    [
        (Seen(status=200, matches="tired", arrived=1), ""),
        (Seen(status=500), "status 200"),
        (Seen(matches="awake"), "body"),
        (Seen(lacks="tired"), "body"),
        (Seen(arrived=2), "1 requests"),
    ],
)
def test_what_is_not_seen_is_said(passes_on, wanted, lacking):
    url, port = passes_on
    answer = Provider(body=json.dumps({"reason": "tired"}))
    said = shown(answer, {"model": "m"}, wanted, url, {}, port)
    assert said.startswith(lacking)
    assert bool(said) is bool(lacking)
