"""Driving and confirming, against small servers with one oddity each."""

import asyncio
import functools
import json
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.kit.cases.drawn import is_by_chance
from conformance.kit.cases.phases import Plans
from conformance.kit.drive import tool_driver as toolrun
from conformance.kit.drive.alarm import Alarm
from conformance.kit.drive.budget import judging_alarm
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence import recorder as recording
from conformance.kit.evidence.safety import turn_of
from conformance.kit.model.case import CaseKind
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.report.data import results_document
from conformance.kit.report.exit import exit_of
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.kit.verdicts.judge import is_late, judge_all
from conformance.spec.vocabulary import Level, Outcome, Verdict
from tests.kit.peers import offering
from tests.kit.samples import envelope, error
from tests.waiting import DEADLINE, slow_by

COUNT = {
    "name": "count",
    "description": "Counts.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."}
        },
        "required": ["n"],
    },
}
FAILED = {Verdict.FAIL, Verdict.WARN, Verdict.FLAKY}
WHERE = {"name": "where", "description": "Says where.", "inputSchema": {"type": "object"}}


def right(arguments):
    """Whether a call of `count` is valid."""
    n = arguments.get("n") if isinstance(arguments, dict) else None
    whole = type(n) in (int, float) and n == int(n)
    return whole and 1 <= n <= 9 and len(arguments) == 1


def sound(name, arguments):
    """A server without a fault."""
    return (200, {"ok": True}) if name != "count" or right(arguments) else (400, {"n": "1 to 9"})


def judged(
    call, *, tools=(COUNT,), manifest=False, before_driving=None, before_judging=None, **settings
):
    """The items by clause, and the session, of a session with such a server."""
    chapter = load("conformance.atdf")
    with offering(list(tools), call, manifest=manifest) as url:
        session = Session(Settings(targets=(url,), profiles=("http",), **settings))
        session.scripts.extend(chapter.scripts)
        session.discover((url,))
        asked = session.questions(list(chapter.tests))
        if before_driving:
            before_driving(session)
        session.drive()
        if before_judging:
            before_judging(session)
        items = session.judge(asked)
    by_clause = {(q.clause.id, q.tool): items[n] for n, q in enumerate(asked)}
    return by_clause, session, session.results(asked, items)


def verdict(call, clause, **more):
    return judged(call, **more)[0][clause, "count"].verdict


def calls(session, tool="count"):
    (evidence,) = session.evidence().values()
    return evidence.by_tool[tool]


def test_a_server_without_a_fault_gets_no_finding():
    items, _, _ = judged(sound)
    bad = {key: i.verdict for key, i in items.items() if i.verdict in {Verdict.FAIL, Verdict.FLAKY}}
    assert bad == {}


def test_the_baseline_comes_first_and_once_more_after_everything():
    _, session, _ = judged(sound)
    kinds = [call.case.kind for call in calls(session).calls]
    assert (kinds[0], kinds[-1]) == (CaseKind.BASELINE, CaseKind.AFTER)


def test_every_case_is_sent_once():
    _, session, _ = judged(sound)
    ids = Counter(call.case.id for call in calls(session).calls)
    assert set(ids.values()) == {1}


def test_the_cases_are_the_same_each_time():
    first, second = ([c.case.id.text for c in calls(judged(sound)[1]).calls] for _ in range(2))
    assert sorted(first) == sorted(second)


class Flaky:
    """Accepts each broken call the first time that it comes."""

    def __init__(self, later):
        self._seen = Counter()
        self._later = later
        self._lock = threading.Lock()

    def __call__(self, name, arguments):
        with self._lock:
            self._seen[repr(arguments)] += 1
            first = self._seen[repr(arguments)] == 1
        if right(arguments) or first:
            return 200, {"ok": True}
        return self._later


def test_what_is_not_found_again_is_flaky_and_no_failure():
    assert verdict(Flaky((400, {"n": "1 to 9"})), "ATDF-CALL-001") is Verdict.FLAKY


def test_a_flaky_finding_does_not_break_the_session():
    _, _, result = judged(Flaky((400, {"n": "1 to 9"})))
    assert Verdict.FAIL not in {item.verdict for item in result.runs[0].items}


def test_a_re_send_that_is_refused_for_state_confirms():
    assert verdict(Flaky((409, {"taken": True})), "ATDF-CALL-001") is Verdict.FAIL


def test_what_is_found_again_each_time_stays_a_failure():
    assert verdict(lambda *_: (200, {"ok": True}), "ATDF-CALL-001") is Verdict.FAIL


def test_at_most_three_cases_of_a_clause_and_tool_are_confirmed_twice_each():
    items, session, _ = judged(lambda *_: (200, {"ok": True}))
    found = [i for i in items.values() if i.verdict in {Verdict.FAIL, Verdict.WARN}]
    again = [e for e in session.recorder.by_id.values() if e.confirms is not None and e.case]
    sent = Counter(exchange.case.id for exchange in again)
    assert len(items["ATDF-CALL-001", "count"].findings) > 3
    assert 0 < len(sent) <= 3 * len(found)
    assert set(sent.values()) == {2}


def test_a_confirming_exchange_names_the_one_that_it_repeats():
    _, session, _ = judged(lambda *_: (200, {"ok": True}))
    recorded = session.recorder.by_id
    for exchange in recorded.values():
        if exchange.confirms is not None and exchange.case is not None:
            assert recorded[exchange.confirms].case.id == exchange.case.id


def test_a_server_that_refuses_everything_is_not_verified_with_a_hint():
    items, _, _ = judged(lambda *_: (400, {"no": "no"}))
    item = items["ATDF-CALL-001", "count"]
    assert item.verdict is Verdict.NOT_VERIFIED
    assert "--examples" in item.findings[0].message.words()


def test_a_broken_call_that_is_accepted_is_a_finding_although_the_baseline_was_refused():
    def upside_down(name, arguments):
        return (400, {"no": "no"}) if right(arguments) else (200, {"ok": True})

    assert verdict(upside_down, "ATDF-CALL-001") is Verdict.FAIL


@pytest.mark.parametrize("accepts", [False, True])
def test_a_tool_that_accepts_nothing_gets_few_random_valid_calls(accepts):
    def strict(name, arguments):
        return sound(name, arguments) if accepts else (400, {"no": "no"})

    tool = {**COUNT, "inputSchema": {**COUNT["inputSchema"], "properties": {
        "n": {"type": "integer", "minimum": 1, "maximum": 999, "description": "How many."}
    }}}  # fmt: skip
    _, session, _ = judged(strict, tools=(tool,))
    random = [c for c in calls(session).of(CaseKind.VALID) if is_by_chance(c.case)]
    assert random
    assert accepts == (len(random) > 10)


def test_a_tool_that_lacks_something_gets_few_valid_calls_and_all_broken_ones():
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in "abcd"}}
    tool = {**COUNT, "inputSchema": schema}
    found = {}
    for status, said in ((500, "getaddrinfo EAI_AGAIN db"), (400, "no")):
        _, session, _ = judged(lambda *_, own=(status, {"error": said}): own, tools=(tool,))
        found[status] = {kind: len(list(calls(session).of(kind))) for kind in CaseKind}
    assert found[500][CaseKind.VALID] < found[400][CaseKind.VALID]
    assert found[500][CaseKind.BROKEN] == found[400][CaseKind.BROKEN]


def test_known_good_calls_are_tried_first():
    def particular(name, arguments):
        if arguments == {"n": 7}:
            return 200, {"ok": True}
        return 400, {"n": "wrong"}

    _, session, _ = judged(particular, examples={"count": ({"n": 7},)})
    assert calls(session).baseline.reading.accepted


def test_a_refused_example_of_the_user_is_the_call_that_is_quoted():
    _, session, _ = judged(lambda *_: (404, {"no": "no"}), examples={"count": ({"n": 7},)})
    assert calls(session).baseline.case.arguments == {"n": 7}


def test_a_baseline_that_is_refused_is_mended_by_the_suggestion_it_gets():
    def guides(name, arguments):
        if arguments == {"n": 7}:
            return 200, {"ok": True}
        return 422, envelope(error(parameter="n", tool_name="count", suggested_value="7"))

    _, session, _ = judged(guides)
    assert calls(session).baseline.case.arguments == {"n": 7}


def test_a_5xx_on_a_broken_call_fails_and_names_the_exchange_that_shows_it():
    def fragile(name, arguments):
        return sound(name, arguments) if isinstance(arguments, dict) else (500, {})

    items, session, _ = judged(fragile)
    item = items["ATDF-CALL-005", "count"]
    assert item.verdict is Verdict.FAIL
    shown = session.recorder.by_id[item.findings[0].exchange]
    assert shown.answer.status == 500


def test_a_connection_that_is_closed_on_a_call_fails():
    def crashes(name, arguments):
        return sound(name, arguments) if isinstance(arguments, dict) else None

    assert verdict(crashes, "ATDF-CALL-005") is Verdict.FAIL


def test_a_tool_that_is_too_slow_is_given_up_after_two_calls_and_fails_nothing():
    seen = []

    def hangs(name, arguments):
        seen.append(name)
        over.wait(DEADLINE)
        return 200, {"ok": True}

    over = threading.Event()
    items, _, _ = judged(hangs, request_timeout=0.3, concurrency=1)
    over.set()
    assert len(seen) == 2
    assert items["ATDF-CALL-001", "count"].verdict is Verdict.NOT_VERIFIED
    assert items["ATDF-CALL-006", "count"].verdict is not Verdict.FAIL


def test_no_more_of_a_tool_is_sent_after_answers_that_fill_the_memory(monkeypatch):
    monkeypatch.setattr(toolrun, "MOST_ANSWERED", 70_000)

    def much(name, arguments):
        status, document = sound(name, arguments)
        return status, {**document, "much": "x" * 9_000}

    items, session, _ = judged(much, concurrency=1, max_examples=0)
    assert len(calls(session).calls) == 3
    item = items["ATDF-CALL-001", "count"]
    said = [finding.message.id for finding in item.findings]
    assert (item.verdict, set(said)) == (Verdict.NOT_VERIFIED, {"kit.not_verified.heavy"})


def test_no_tool_is_called_after_calls_that_fill_the_disk(monkeypatch):
    monkeypatch.setattr(recording, "MOST_SENT", 300_000)
    long = {**COUNT["inputSchema"]["properties"], "note": {"const": "x" * 9_000}}
    big = {**COUNT, "inputSchema": {"type": "object", "properties": long, "required": [*long]}}
    tools = [{**big, "name": f"count{n}"} for n in range(9)]
    items, session, _ = judged(sound, tools=tools, concurrency=1, max_examples=0)
    assert session.recorder.sent < 600_000
    item = items["ATDF-CALL-001", "count8"]
    said = [finding.message.id for finding in item.findings]
    assert (item.verdict, set(said)) == (Verdict.NOT_VERIFIED, {"kit.not_verified.heavy"})


@pytest.mark.parametrize(
    ("status", "detail", "reason"),
    [
        (400, "Rate limit exceeded: 50 requests/day", "rate_limited"),
        (429, "Rate limit exceeded: 50 requests/day", "limited"),
        *((n, "No.", "refused_before_input") for n in (302, 401, 403, 404, 409, 410, 418)),
        (500, "No.", "failed_instead"),
    ],
)
def test_a_server_that_never_says_why_is_not_said_to_refuse_input(status, detail, reason):
    def evasive(name, arguments):
        return sound(name, arguments) if right(arguments) else (status, {"detail": detail})

    items, _, results = judged(evasive, max_examples=0)
    item = items["ATDF-CALL-001", "count"]
    said = {finding.message.id for finding in item.findings}
    assert (item.verdict, said) == (Verdict.NOT_VERIFIED, {f"kit.not_verified.{reason}"})
    assert "ATDF-CALL-001" in results.runs[0].levels[Level.GUARDED].missing


@pytest.mark.parametrize("status", [404, 409])
def test_a_server_that_says_why_of_a_list_alone_is_not_said_to_refuse_input(status):
    def evasive(name, arguments):
        if isinstance(arguments, dict) and not right(arguments):
            return status, {"detail": "No."}
        return sound(name, arguments)

    item = judged(evasive, max_examples=0)[0]["ATDF-CALL-001", "count"]
    said = {finding.message.id for finding in item.findings}
    assert item.verdict is Verdict.NOT_VERIFIED
    assert said == {"kit.not_verified.refused_before_input"}


def test_nothing_more_is_planned_once_driving_has_ended(monkeypatch):
    ended = []

    def close(plans):
        ended.append(plans)

    monkeypatch.setattr(Plans, "close", close)
    judged(sound, max_examples=0)
    assert len(ended) == 1


class OneAtATime:
    """A server that works off one call at a time, and takes so long for each."""

    def __init__(self, seconds):
        self._seconds = seconds
        self._lock = threading.Lock()

    def __call__(self, name, arguments):
        with self._lock:
            slow_by(self._seconds)
        return sound(name, arguments)


@pytest.mark.slow
def test_calls_do_not_time_out_behind_each_other_where_they_are_worked_off_one_at_a_time():
    items, session, _ = judged(OneAtATime(0.3), request_timeout=3.0, max_examples=0)
    assert len(calls(session).calls) > 16
    assert calls(session).unsent == ()
    bad = {Verdict.FAIL, Verdict.FLAKY, Verdict.NOT_VERIFIED}
    assert {key: i.verdict for key, i in items.items() if key[1] and i.verdict in bad} == {}


ALARM = Alarm(lambda: True, 0.05)
"""It ends what takes longer than a moment."""


def began_earlier(session, seconds):
    session.began_at -= seconds


def test_driving_ends_while_there_is_time_for_confirming():
    early = functools.partial(began_earlier, seconds=850)
    _, session, _ = judged(sound, max_time=1000.0, before_driving=early)
    assert session.time_up


@pytest.mark.parametrize(("pairs", "up"), [(10_000, False), (4_000_000, True)])
def test_driving_ends_sooner_where_there_is_much_to_be_judged(monkeypatch, pairs, up):
    monkeypatch.setattr(Session, "pairs", pairs)
    half = functools.partial(began_earlier, seconds=500)
    _, session, _ = judged(sound, max_time=1000.0, before_driving=half)
    assert session.time_up is up


def test_nothing_is_confirmed_when_the_time_of_the_session_is_up():
    late = functools.partial(began_earlier, seconds=1000)
    items, session, _ = judged(lambda *_: (200, {}), max_time=1000.0, before_judging=late)
    accused = items["ATDF-CALL-001", "count"]
    assert accused.verdict is Verdict.NOT_VERIFIED
    assert [f.message.id for f in accused.findings] == ["kit.not_verified.seen_once"]
    assert session.time_up
    assert [e for e in session.recorder.by_id.values() if e.confirms is not None] == []


def test_nothing_is_confirmed_in_the_time_that_the_report_needs(monkeypatch):
    monkeypatch.setattr("conformance.kit.session.confirming_ends", lambda *_: 0.0)
    items, session, _ = judged(lambda *_: (200, {}))
    accused = items["ATDF-CALL-001", "count"]
    assert [f.message.id for f in accused.findings] == ["kit.not_verified.seen_once"]
    assert session.time_up


def busy(*_, seconds=20.0):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        pass


def test_a_check_that_takes_too_long_ends_judging_and_costs_no_verdict_before_it(monkeypatch):
    monkeypatch.setattr("conformance.kit.session.judging_alarm", lambda *_: ALARM)
    monkeypatch.setattr("conformance.kit.verdicts.judge.ends_in_recursion_error", busy)
    began = time.monotonic()
    items, session, result = judged(sound)
    assert time.monotonic() - began < 15
    assert {item.verdict for item in items.values()} == {Verdict.NOT_VERIFIED}
    assert all(map(is_late, items.values()))
    assert session.time_up
    assert [run.level for run in result.runs] == [None]


@pytest.mark.parametrize(
    ("name", "verdict"), [("confirmed", "NOT_VERIFIED"), ("in_smallest_form", "FAIL")]
)
def test_what_confirms_a_finding_ends_too_if_it_takes_too_long(monkeypatch, name, verdict):
    monkeypatch.setattr("conformance.kit.session.judging_alarm", lambda *_: ALARM)
    real = judge_all
    monkeypatch.setattr("conformance.kit.session.judge_all", lambda asked, all, _: real(asked, all))
    monkeypatch.setattr(f"conformance.kit.confirm.confirming.{name}", busy)
    began = time.monotonic()
    items, _, _ = judged(lambda *_: (200, {}))
    assert time.monotonic() - began < 15
    assert items["ATDF-CALL-001", "count"].verdict is Verdict[verdict]


def test_judging_has_time_after_the_session_but_not_without_end():
    now = time.monotonic()
    in_time, late = judging_alarm(now - 1200, 600.0), judging_alarm(now - 1270, 600.0)
    for _ in range(20):
        in_time.ring()
    rings = 0
    with suppress(asyncio.CancelledError):
        while rings < 20:
            rings += 1
            late.ring()
    assert rings == 6


def test_a_target_that_is_not_known_when_the_time_is_up_cannot_be_judged():
    with pytest.raises(TargetUnusable) as told:
        judged(sound, max_time=0.0)
    assert told.value.words.id == "kit.target.time_up"


def test_a_fault_of_the_kit_that_used_up_the_time_is_told_instead():
    session = Session(Settings(max_time=0.0))
    session.faults.note("kit.session_failed", RuntimeError("a callback of the event loop"))
    with offering([COUNT], sound) as url:
        session.discover((url,))
    assert session.found == []


def test_what_cannot_be_done_in_time_by_a_slow_server_is_laid_to_its_slowness():
    _, session, result = judged(OneAtATime(0.3), max_time=1.5, request_timeout=1.0)
    assert session.time_up
    _, why = exit_of(result, session.settings, called_matters=True)
    assert why.id == "kit.exit.time_up_narrow"


def test_time_that_is_up_on_a_fast_server_is_not_laid_to_it():
    _, session, result = judged(sound)
    late = replace(result, interrupted=True, time_up=True)
    _, why = exit_of(late, session.settings, called_matters=True)
    assert why.id == "kit.exit.time_up"


def test_a_slow_tool_does_not_keep_another_from_being_judged():
    def one_hangs(name, arguments):
        if name == "where":
            over.wait(DEADLINE)
        return sound(name, arguments)

    over = threading.Event()
    items, _, _ = judged(one_hangs, tools=(COUNT, WHERE), request_timeout=0.4)
    over.set()
    assert items["ATDF-CALL-001", "count"].verdict is Verdict.PASS


def test_time_that_is_up_ends_the_driving_and_keeps_what_was_gathered():
    def slow(name, arguments):
        slow_by(0.2)
        return sound(name, arguments)

    items, session, result = judged(slow, max_time=2.0, concurrency=1)
    assert session.time_up
    assert result.interrupted
    assert [run.level for run in result.runs] == [None]
    assert calls(session).calls
    assert items["ATDF-CALL-001", "count"].verdict is Verdict.NOT_VERIFIED


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_calls_are_made_at_once_than_was_asked(most):
    here, highest, moved = [0], [0], threading.Condition()

    def counts(name, arguments):
        with moved:
            here[0] += 1
            highest[0] = max(highest[0], here[0])
            moved.notify_all()
            moved.wait_for(lambda: highest[0] >= most, 0.05)  # the first calls come one by one
        slow_by(0.01)  # a server that lets one more come, where the kit sends one more
        with moved:
            here[0] -= 1
        return sound(name, arguments)

    judged(counts, tools=(COUNT, WHERE), concurrency=most, max_examples=0)
    assert highest[0] == most


def test_with_calls_switched_off_nothing_is_called():
    seen = []

    def call(name, arguments):
        seen.append(name)
        return 200, {}

    judged(call, allow_calls=AllowCalls.NONE)
    assert seen == []


def test_a_tool_that_was_excluded_is_not_called():
    seen = set()

    def call(name, arguments):
        seen.add(name)
        return sound(name, arguments)

    judged(call, tools=(COUNT, WHERE), exclude_tools=("count",))
    assert seen == {"where"}


def test_a_manifest_claims_atdf_and_then_a_missing_envelope_fails():
    items, _, result = judged(sound, manifest=True)
    assert result.runs[0].claims_atdf
    assert items["ATDF-ERR-015", "count"].verdict is Verdict.FAIL


def test_without_a_claim_the_level_tops_out_at_guarded():
    _, _, result = judged(sound)
    assert not result.runs[0].levels[Level.EXPLAINED].reached


def test_one_answer_with_an_envelope_claims_atdf_for_the_run():
    def envelopes(name, arguments):
        if right(arguments):
            return 200, {"ok": True}
        return 422, envelope(error(parameter="n", tool_name="count"))

    _, _, result = judged(envelopes)
    assert result.runs[0].claims_atdf


@pytest.mark.parametrize("suggested", ["9", "1"])
def test_suggestions_are_followed_and_counted(suggested):
    def guides(name, arguments):
        if right(arguments):
            return 200, {"ok": True}
        return 422, envelope(error(parameter="n", tool_name="count", suggested_value=suggested))

    _, session, result = judged(guides)
    assert any(call.case.kind is CaseKind.REPAIR for call in calls(session).calls)
    assert result.runs[0].repair.rate.hits > 0


def test_following_suggestions_that_lead_in_a_circle_ends():
    def circles(name, arguments):
        if arguments == {"n": 5}:
            return 200, {"ok": True}
        n = arguments.get("n") if isinstance(arguments, dict) else None
        other = "1" if n == 9 else "9"
        return 422, envelope(error(parameter="n", tool_name="count", suggested_value=other))

    _, session, _ = judged(circles, examples={"count": ({"n": 5},)})
    steps = Counter(c.case.neighbour for c in calls(session).of(CaseKind.REPAIR))
    assert max(steps.values()) <= 5


def test_a_repair_that_leads_nowhere_shows_its_steps():
    def circles(name, arguments):
        if right(arguments) and arguments["n"] == 5:
            return 200, {"ok": True}
        return 422, envelope(error(parameter="n", tool_name="count", suggested_value="9"))

    items, session, _ = judged(circles, examples={"count": ({"n": 5},)}, max_examples=0)
    stuck = [
        finding
        for finding in items["ATDF-ERR-012", "count"].findings
        if finding.message.id == "finding.suggestion.stuck"
    ]
    shown = [session.recorder.by_id[id].case for finding in stuck for id in finding.then]
    assert shown
    assert {case.kind for case in shown} == {CaseKind.REPAIR}
    assert {case.arguments["n"] for case in shown} == {9}


def test_a_tool_that_changes_nothing_is_called_twice():
    read = {**WHERE, "annotations": {"readOnlyHint": True}}
    _, session, _ = judged(sound, tools=(read,))
    (second,) = calls(session, "where").of(CaseKind.SECOND)
    assert second.reading.outcome is Outcome.ACCEPTED


def test_a_tool_that_cannot_be_used_keeps_a_plain_server_from_the_first_level():
    odd = {"name": "odd", "description": "Odd.", "inputSchema": {"type": "objekt"}}
    missing = []
    for tools in ((COUNT,), (COUNT, odd)):
        (run,) = judged(sound, tools=tools)[2].runs
        assert not run.claims_atdf
        missing.append("ATDF-TOOL-003" in run.levels[Level.DESCRIBED].missing)
    assert missing == [False, True]


@pytest.mark.slow
def test_two_sessions_with_one_server_give_the_same_results_apart_from_times():
    """Any call may be answered first: answers come after pauses that differ from call to call."""

    def hasty(name, arguments):
        slow_by(random.random() / 50)
        if not isinstance(arguments, dict) or "n" not in arguments:
            return 422, envelope(error(parameter="n", tool_name=name, suggested_value="12"))
        return (422, envelope(error(parameter="m", tool_name=name))) if arguments["n"] == 9 else (
            200, {"ok": True})  # fmt: skip

    tools = [{**COUNT, "name": f"count_{number}"} for number in range(6)]
    told = [results_document(judged(hasty, tools=tools)[2], "en") for _ in range(2)]
    for data in told:
        del data["started"], data["duration_s"]
        for run in data["runs"]:
            run["target"] = run["endpoint"] = ""
    text = [re.sub(r"127\.0\.0\.1:\d+|/errors/\d+", "", json.dumps(data)) for data in told]
    assert '"fail"' in text[0]
    assert text[0] == text[1]


def test_a_destructive_tool_waits_until_no_other_needs_what_it_takes_away():
    """Here nothing can be counted any more once something was emptied."""
    gone = threading.Event()

    def call(name, arguments):
        if name == "empty":
            gone.set()
        return (
            (404, {"detail": "gone"})
            if gone.is_set() and name == "count"
            else sound(name, arguments)
        )

    empty = WHERE | {"name": "empty", "annotations": {"destructiveHint": True}}
    items, session, _ = judged(call, tools=(empty, COUNT, WHERE), allow_calls=AllowCalls.ALL)
    assert 404 not in {call.reading.status for call in calls(session).calls}
    assert items["ATDF-CALL-001", "count"].verdict is Verdict.PASS
    assert calls(session, "empty").calls


@pytest.mark.parametrize(
    ("method", "hints", "turn"),
    [
        ("POST", {}, 0),
        ("POST", {"destructiveHint": False}, 0),
        ("PATCH", {"destructiveHint": True}, 1),
        ("DELETE", {}, 2),
        ("delete", {"destructiveHint": True}, 2),
    ],
)
def test_what_deletes_comes_after_what_changes(method, hints, turn):
    item = {**WHERE, "annotations": hints, "invocation": {"endpoint": "/x", "method": method}}
    (tool,) = tools_of({"tools": [item]}, Source.ATDF).tools
    assert turn_of(tool) == turn


@pytest.mark.parametrize(
    ("name", "hints", "turn"),
    [
        ("note_add", {}, 0),
        ("note_delete", {}, 1),
        ("removeNote", {}, 1),
        ("note_delete", {"destructiveHint": False}, 0),
        ("deleted_notes", {}, 0),
        ("reset_preview", {"readOnlyHint": True}, 0),
    ],
)
def test_over_mcp_a_tool_whose_name_says_that_it_removes_comes_later(name, hints, turn):
    item = {"name": name, "inputSchema": {"type": "object"}, "annotations": hints}
    (tool,) = tools_of({"tools": [item]}, Source.MCP).tools
    assert turn_of(tool) == turn


DIES = """
import json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        listed = {"tools": json.loads(sys.argv[1])} if self.path.startswith("/tools") else None
        self.answer(200 if listed else 404, listed or {})

    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        n = given.get("n") if isinstance(given, dict) else None
        if n == 10 and sys.argv[2] in self.path:
            time.sleep(0.1)  # until the others are under way
            os._exit(1)
        good = type(n) is int and 1 <= n <= 9 and len(given) == 1
        time.sleep(0.02)
        self.answer(200 if good else 400, {"ok": good})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_server_that_is_gone_for_good_after_a_crash_fails_no_innocent_tool(concurrency):
    other = {**COUNT, "name": "other"}
    words = [sys.executable, "-c", DIES, json.dumps([COUNT, other]), "/count/"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}"
        chapter = load("conformance.atdf")
        session = Session(Settings(targets=(url,), profiles=("http",), concurrency=concurrency))
        session.discover((url,))
        asked = session.questions(list(chapter.tests))
        session.drive()
        items = session.judge(asked)
        assert process.wait(DEADLINE) == 1
    failed = {(q.clause.id, q.tool) for n, q in enumerate(asked) if items[n].verdict in FAILED}
    assert failed <= {("ATDF-CALL-005", "count")}
    if concurrency == 1:
        assert failed
    (evidence,) = session.evidence().values()
    assert any(tool.silenced for tool in evidence.by_tool.values())
    assert {c.exchange.trouble for c in evidence.by_tool["other"].calls} == {None}


@pytest.mark.slow
def test_a_tool_that_never_answers_is_named_as_what_took_the_time():
    def stuck(name, arguments):
        slow_by(1.0)
        return sound(name, arguments)

    _, session, result = judged(stuck, max_examples=0, request_timeout=0.4)
    late = replace(result, interrupted=True, time_up=True)
    _, why = exit_of(late, session.settings, called_matters=True)
    assert (why.id, dict(why.values)["tools"]) == ("kit.exit.time_up_mute", "1")
