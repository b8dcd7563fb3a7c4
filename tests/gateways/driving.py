"""The kit at both ends of a gateway."""

from __future__ import annotations

import json

from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from fixtures.gateways.beside import PATHS
from fixtures.gateways.faults.fault import POLICY


def settings(url, port, profile="native", policy=POLICY, **more):
    target = f"{profile}+{url}{PATHS[profile]}"
    declared = json.loads(policy.read_text("utf-8"))
    given = {"gateway_policy": declared, **more}
    return Settings(targets=(target,), provider=("127.0.0.1", port), **given)


def session_of(given):
    """A session of the kit, its result, and each item by its clause."""
    chapter = load("conformance.gateway")
    session = Session(given)
    session.discover(given.targets)
    session.scripts.extend(chapter.scripts)
    asked = session.questions(list(chapter.tests))
    session.drive()
    items = session.judge(asked)
    result = session.results(asked, items)
    assert not result.kit_errors, (result.kit_errors, result.kit_traces)
    return session, result, {item.clause: item for item in items.values()}


def checked(given):
    """The result of a session of the kit, and each item by its clause."""
    return session_of(given)[1:]


def failed(items):
    found = {Verdict.FAIL, Verdict.FLAKY, Verdict.WARN}
    return [id for id, item in items.items() if item.verdict in found]
