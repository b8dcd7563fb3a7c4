"""A provider that a gateway does not reach is named, with the reason."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.settings import Settings
from conformance.kit.report.reporter import Report
from conformance.kit.report.terminal import Terminal
from conformance.kit.session import Session
from fixtures.gateways.beside import gateway
from fixtures.gateways.reference.app import app
from fixtures.gateways.reference.families import Gemini
from fixtures.gateways.reference.gateway import Gateway
from fixtures.ports import free_port
from tests.gateways.driving import checked, settings


class Elsewhere(Gemini):
    def wanted(self, call, model, key, *, stream):
        wanted = super().wanted(call, model, key, stream=stream)
        return replace(wanted, path=wanted.path.replace("/v1beta", "/v1beta/v1beta"))


def mistaken(base, key, policy):
    made = Gateway(base, key, policy)
    made.families["gemini"] = Elsewhere()
    return app(made)


@pytest.mark.slow
def test_a_base_url_that_leads_past_every_api_is_named():
    with gateway(mistaken) as (url, port):
        result, items = checked(settings(url, port, "openai"))
    said = "".join(Terminal().parts(Report(result, "en")))
    assert "Providers that are not checked:\n    gemini: " in said
    assert "/gemini/v1beta/v1beta/models/" in said
    assert not [id for id, item in items.items() if item.verdict.value == "fail"]


def _error(status, words):
    return lambda asked: (status, {"error": {"message": words.format(asked["model"])}})


ALONE = {
    "answers from a cache": (
        lambda _: (200, {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}),
        "It has a cache, calls another provider, or writes the answers itself",
    ),
    "has no base URL": (_error(502, "connect ECONNREFUSED"), "Set its base URLs to http://"),
    "asks for a key": (_error(401, "No key."), "-H 'Authorization: Bearer KEY'"),
    "is a web page": (
        lambda _: (200, "<html>Welcome</html>"),
        "the URL that an application would use",
    ),
    "has no such path": (lambda _: (404, {"detail": "Not Found"}), "which often ends with `/v1`"),
    "refuses the model": (_error(404, "{} is not listed."), "Let it pass on any model name"),
}


@contextmanager
def answering(answer):
    """A gateway that answers by itself."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, said = answer(asked)
            body = said.encode() if isinstance(said, str) else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"openai+http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def _why_unusable(target, port=None, **given):
    own = Settings(targets=(target,), provider=("127.0.0.1", port or free_port()), **given)
    session = Session(own)
    with pytest.raises(TargetUnusable) as refused:
        session.discover(session.settings.targets)
    return refused.value.words.words("en")


@pytest.mark.parametrize("name", ALONE)
def test_a_gateway_that_never_calls_the_provider_is_told_what_to_set(name):
    answer, said = ALONE[name]
    with answering(answer) as target:
        assert said in _why_unusable(target)


def _asks(port, path, asked):
    url, body = f"http://127.0.0.1:{port}{path}", json.dumps(asked).encode()
    try:
        with urlopen(Request(url, body, {"content-type": "application/json"})) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refused:
        return refused.code, json.load(refused)


def test_a_base_url_that_leads_past_the_only_api_is_told_what_to_set():
    port = free_port()
    with answering(lambda asked: _asks(port, "/v1/chat/completions", asked)) as target:
        said = _why_unusable(target, port)
    assert "at /v1/chat/completions, where there is no API" in said
    assert f"Set its base URLs to http://127.0.0.1:{port}/openai/v1" in said


def test_a_cache_that_overlooks_what_differs_is_named():
    port, held = free_port(), []

    def answer(asked):
        held.extend([] if held else [_asks(port, "/openai/v1/chat/completions", asked)])
        return held[0]

    with answering(answer) as target:
        assert "Turn its cache off" in _why_unusable(target, port)


@contextmanager
def taking(serve):
    """What takes connections at a port, and does with each what `serve` does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        held = []

        def taken():
            with suppress(OSError):
                while True:
                    held.append(listener.accept()[0])
                    serve(held[-1], len(held))

        thread = threading.Thread(target=taken, daemon=True)
        thread.start()
        yield f"openai+http://127.0.0.1:{listener.getsockname()[1]}/v1"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        for each in held:
            each.close()


def _close(connection, number):
    connection.recv(65536)
    connection.close()


def test_a_gateway_that_takes_a_call_and_closes_is_not_called_unreachable():
    with taking(_close) as target:
        said = _why_unusable(target)
    assert "took the kit's calls and closed the connection without an answer: " in said
    assert "set its base URLs to http://127.0.0.1:" in said


def test_a_gateway_that_never_answers_is_not_called_unreachable():
    with taking(lambda connection, number: None) as target:
        said = _why_unusable(target, request_timeout=0.3)
    assert "answered none of them: nothing more came in time" in said


def test_a_gateway_that_is_only_just_starting_is_asked_once_more():
    def serve(connection, number):
        if number > 1:
            connection.recv(65536)
            connection.send(b"HTTP/1.1 401 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        connection.close()

    with taking(serve) as target:
        assert "-H 'Authorization: Bearer KEY'" in _why_unusable(target)


def test_a_gateway_that_does_not_listen_is_named():
    said = _why_unusable(f"openai+http://127.0.0.1:{free_port()}/v1")
    assert "cannot be reached" in said
    assert "Start the gateway, or correct its address in `--gateway`." in said
