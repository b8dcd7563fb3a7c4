"""The gateways that others wrote: what is pinned of each can be shown without the kit."""

from __future__ import annotations

import json
import threading
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from conformance.formats.validate.validate import validate
from conformance.spec.clauses import clauses
from fixtures.gateways.strangers.outcome import read
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


def test_each_finding_of_a_library_says_what_the_library_gives():
    for each in strangers():
        is_behind_adapter = any("/adapters/" in word for word in each.command)
        assert all(bool(one.gives) is is_behind_adapter for one in each.findings)


def test_what_is_promised_is_a_valid_policy_with_its_source():
    for each in strangers():
        if each.promises is not None:
            assert not validate(each.promises.policy, "gateway-policy")
            assert each.promises.source


def test_the_outcome_of_each_is_kept():
    kept = read()
    assert set(kept) == {each.name for each in strangers()}
    assert all(kept[each.name].broken == len(each.pinned) for each in strangers())


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

    with _served(Handler) as url:
        yield url, port


@contextmanager
def _served(handler):
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
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
        (Seen(unsent='"temperature"'), ""),
        (Seen(unsent='"model"'), "request"),
        (Seen(key_away=False), ""),
        (Seen(key_away=True), "key away False"),
    ],
)
def test_what_is_not_seen_is_said(passes_on, wanted, lacking):
    url, port = passes_on
    answer = Provider(body=json.dumps({"reason": "tired"}))
    said = shown(answer, {"model": "m"}, wanted, url, {}, port)
    assert said.startswith(lacking)
    assert bool(said) is bool(lacking)


@pytest.mark.parametrize("takes_key", [True, False])
def test_a_key_that_follows_a_redirect_is_seen(takes_key):
    port = free_port()

    class Follows(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            place, key = f"http://127.0.0.1:{port}/x", {"x-api-key": "canary-of-the-gateway"}
            sent_away = httpx2.post(place, content=body, headers=key)
            more = key if takes_key else {}
            answer = httpx2.post(sent_away.headers["location"], content=body, headers=more)
            self.send_response(answer.status_code)
            self.end_headers()

    with _served(Follows) as url:
        wanted = Seen(status=404, key_away=takes_key, arrived=2)
        answer = Provider(status=307, away=True)
        assert shown(answer, {"model": "m"}, wanted, url, {}, port) == ""
