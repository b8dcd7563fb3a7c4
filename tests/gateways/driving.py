"""A gateway in a thread of this process, and the kit at both of its ends."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from fixtures.gateways.reference.policy import Policy
from tests.root import ROOT
from tests.waiting import until

POLICY = ROOT / "fixtures" / "gateways" / "reference.policy.json"
PATHS = {"native": "/native/v1", "openai": "/v1"}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@contextmanager
def gateway(made):
    """Serve the app that `made` gives for a provider's URL; its URL, and the provider's port."""
    port = free_port()
    app = made(f"http://127.0.0.1:{port}", "canary-of-the-gateway", Policy.read(POLICY))
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", port
    finally:
        server.force_exit = server.should_exit = True
        thread.join()


def settings(url, port, profile="native", **more):
    import json

    target = f"{profile}+{url}{PATHS[profile]}"
    declared = json.loads(Path(POLICY).read_text("utf-8"))
    given = {"gateway_policy": declared, **more}
    return Settings(targets=(target,), provider=("127.0.0.1", port), **given)


def checked(given):
    """A session of the kit, and each item by its clause."""
    chapter = load("conformance.gateway")
    session = Session(given)
    session.discover(given.targets)
    session.scripts.extend(chapter.scripts)
    asked = session.questions(list(chapter.tests))
    session.drive()
    items = session.judge(asked)
    result = session.results(asked, items)
    assert not result.kit_errors, (result.kit_errors, result.kit_traces)
    return result, {item.clause: item for item in items.values()}


def failed(items):
    return [id for id, item in items.items() if item.verdict in {Verdict.FAIL, Verdict.FLAKY}]
