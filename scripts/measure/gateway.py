"""Measures a session with the reference gateway; most of it is waiting time of scenarios."""

from __future__ import annotations

import json
import time

from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from scripts.gateway import POLICY, serving
from scripts.measure.figures import Figure


def figures(turns: int) -> list[Figure]:
    """Return the seconds of a session with both profiles, and their ratio to sequential calls."""
    whole, beside = [], []
    with serving() as (targets, port):
        for _ in range(turns):
            seconds, in_turn = _session(targets, port)
            whole.append(seconds)
            beside.append(seconds / in_turn)
    return [Figure("gateway", tuple(whole)), Figure("gateway_in_turn", tuple(beside))]


def _session(targets: list[str], port: int) -> tuple[float, float]:
    """Return the seconds of a session, and the total seconds of its calls."""
    chapter, began = load("conformance.gateway"), time.perf_counter()
    declared = json.loads(POLICY.read_text(encoding="utf-8"))
    given = Settings(targets=(*targets,), provider=("127.0.0.1", port), gateway_policy=declared)
    engine = Session(given)
    engine.scripts.extend(chapter.scripts)
    engine.discover(given.targets)
    asked = engine.questions(list(chapter.tests))
    engine.drive()
    engine.judge(asked)
    seconds = time.perf_counter() - began
    calls = engine.recorder.by_id.held
    return seconds, sum(each.elapsed + each.request.settle for each in calls)
