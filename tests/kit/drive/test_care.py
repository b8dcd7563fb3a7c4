"""Care: a tool that may reach beyond its server gets few calls, and slowly."""

from collections import Counter
from dataclasses import replace

import pytest

from conformance.formats.tool.tool import Annotations
from conformance.kit.drive import care
from conformance.kit.drive.care import MOST_CALLS, MOST_FAILURES, PER_SECOND, Care
from conformance.kit.model.case import CaseKind
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.spec.vocabulary import Verdict
from tests.kit.drive.test_driving import COUNT, calls, judged, right, sound
from tests.kit.samples import HTTP, STDIO, TOOL

OPEN = replace(TOOL, annotations=Annotations(read_only=True, open_world=True))
SEARCH = COUNT | {"annotations": {"readOnlyHint": True, "openWorldHint": True}}
WIDE = SEARCH | {
    "inputSchema": {
        "type": "object",
        "properties": {f"n{i}": {"type": "integer", "minimum": 1, "maximum": 9} for i in range(12)},
        "required": [f"n{i}" for i in range(12)],
    }
}


@pytest.fixture
def quick(monkeypatch):
    """Nobody waits for somebody else's service where there is none."""
    monkeypatch.setattr(care, "PER_SECOND", 100_000)


class Counting:
    """Counts what is sent to a server."""

    def __init__(self, answer):
        self.sent = Counter()
        self._answer = answer

    def __call__(self, name, arguments):
        self.sent[name] += 1
        return self._answer(name, arguments)


def test_so_many_calls_a_second_are_sent_to_a_server_by_all_its_tools():
    own = Care()
    other = replace(OPEN, name="other")
    waits = [own.wait(HTTP, tool, Settings(), 100.0) for tool in (OPEN, other) * PER_SECOND]
    assert waits == pytest.approx([n / PER_SECOND for n in range(2 * PER_SECOND)])
    assert own.wait(HTTP, OPEN, Settings(), 200.0) == 0


@pytest.mark.parametrize("asked", [Settings(allow_calls=AllowCalls.ALL), Settings(sandbox=True)])
def test_who_asks_for_more_waits_for_nothing(asked):
    own = Care()
    waits = [own.wait(STDIO, OPEN, asked, 1.0) for _ in range(2 * MOST_CALLS)]
    assert set(waits) == {0}
    assert own.may_confirm(STDIO, OPEN, asked, 2)


def test_the_runs_of_one_server_share_the_calls():
    own, modern = Care(), replace(STDIO, id="stdio-2026-07-28")
    own.shared_by([STDIO, modern, HTTP])
    shares = [own.left(run, OPEN) for run in (STDIO, modern, HTTP)]
    assert shares[0] == shares[1] == shares[2] // 2
    assert sum(shares[:2]) < MOST_CALLS


def test_some_calls_are_kept_for_confirming():
    own = Care()
    own.shared_by([HTTP])
    while own.left(HTTP, OPEN):
        own.wait(HTTP, OPEN, Settings(), 1.0)
    assert own.may_confirm(HTTP, OPEN, Settings(), 2)
    while own.may_confirm(HTTP, OPEN, Settings(), 1):
        own.wait(HTTP, OPEN, Settings(), 1.0)
    assert not own.may_confirm(HTTP, OPEN, Settings(), 1)


def test_after_so_many_failures_of_the_environment_no_call_is_made():
    own = Care()
    for _ in range(MOST_FAILURES):
        assert not own.has_failed(HTTP, OPEN)
        own.failed(HTTP, OPEN)
    assert own.has_failed(HTTP, OPEN)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("accepts", [True, False])
def test_a_tool_that_may_reach_beyond_gets_named_cases_and_few_calls(accepts):
    def answer(name, arguments):
        valid = isinstance(arguments, dict) and all(right({"n": v}) for v in arguments.values())
        return (200, {"ok": True}) if accepts or (valid and len(arguments) == 12) else (400, {})

    server = Counting(answer)
    _, session, result = judged(server, tools=(WIDE,))
    assert 20 < server.sent["count"] <= MOST_CALLS
    sent = [call.case for call in calls(session).calls]
    assert not any("random" in case.id.text for case in sent)
    assert CaseKind.AFTER in {case.kind for case in sent}
    places = {case.violation.pointer for case in sent if case.violation is not None}
    assert len(places) > 10
    assert result.runs[0].tools_spared == ("count",)


@pytest.mark.usefixtures("quick")
def test_what_is_sent_again_because_the_server_is_busy_counts_as_well():
    def answer(name, arguments):
        busy = server.sent["count"] % 3 and server.sent["count"] > 3
        return (429, {}, {"Retry-After": "0"}) if busy else (200, {"ok": True})

    server = Counting(answer)
    judged(server, tools=(WIDE,))
    assert 20 < server.sent["count"] <= MOST_CALLS


@pytest.mark.usefixtures("quick")
def test_a_tool_that_may_reach_beyond_gets_ids_of_others_if_it_changes_nothing():
    one = SEARCH | {
        "name": "get_item",
        "inputSchema": {
            "type": "object",
            "properties": {"sku": {"type": "string"}},
            "required": ["sku"],
            "additionalProperties": False,
        },
    }
    every = SEARCH | {"name": "find_items"}

    def answer(name, arguments):
        if name == "find_items":
            return sound(name, arguments)[0], {"items": [{"sku": "rice-1kg"}]}
        known = isinstance(arguments, dict) and arguments.get("sku") == "rice-1kg"
        return (200, {"sku": "rice-1kg"}) if known else (404, {})

    server = Counting(answer)
    _, _, result = judged(server, tools=(one, every))
    assert "get_item" in result.runs[0].baseline_accepted
    assert server.sent["get_item"] <= MOST_CALLS


@pytest.mark.usefixtures("quick")
def test_what_was_sent_is_judged_as_ever():
    items, _, _ = judged(sound, tools=(SEARCH,))
    assert items["ATDF-CALL-001", "count"].verdict is Verdict.PASS
    items, _, _ = judged(lambda *_: (200, {"ok": True}), tools=(SEARCH,))
    assert items["ATDF-CALL-001", "count"].verdict is Verdict.FAIL


def test_a_tool_that_stays_at_home_gets_all_its_cases():
    closed = WIDE | {"annotations": {"readOnlyHint": True, "openWorldHint": False}}
    server = Counting(lambda *_: (200, {"ok": True}))
    _, _, result = judged(server, tools=(closed,))
    assert server.sent["count"] > 2 * MOST_CALLS
    assert result.runs[0].tools_spared == ()
