"""What the peers' own reports say, read from small samples in their forms."""

import base64
import json

import pytest

from scripts.peers import official, ours, schemathesis
from scripts.peers.run import run

CHECK = "positive_data_acceptance"
CALL = "POST /tools/hotel_reservation/invoke"


def failed(name=CHECK, kind="RejectedPositiveData"):
    failure = {"type": kind, "operation": CALL, "title": "Rejected"}
    return {"name": name, "status": "failure", "failure_info": {"failure": failure}}


def answer(status, body):
    encoded = base64.b64encode(json.dumps(body).encode()).decode()
    return {"response": {"status_code": status, "content": {"$base64": encoded}}}


def scenario(checks, interactions):
    recorder = {"label": CALL, "cases": {}, "checks": checks, "interactions": interactions}
    return ("ScenarioFinished", {"timestamp": 3.0, "recorder": recorder})


def refusal(parameter, kind="validation-error"):
    return {"errors": [{"type": f"https://example.com/{kind}", "parameter_name": parameter}]}


def test_a_failed_check_is_named_by_its_operation_status_and_what_the_answer_names():
    passed = {"name": "not_a_server_error", "status": "success", "failure_info": None}
    events = [scenario({"a": [passed, failed()]}, {"a": answer(422, refusal("guests"))})]
    assert list(schemathesis.failures_of(events)) == [
        (CHECK, "RejectedPositiveData", CALL, "422", "validation-error", "guests")
    ]


def test_two_refusals_of_one_operation_differ_in_the_parameter_that_they_name():
    events = [
        scenario(
            {"a": [failed()], "b": [failed()]},
            {"a": answer(422, refusal("guests")), "b": answer(422, refusal("check_in"))},
        )
    ]
    assert len(set(schemathesis.failures_of(events))) == 2


def test_the_index_of_an_item_drawn_by_chance_is_no_place_of_its_own():
    events = [
        scenario(
            {"a": [failed()], "b": [failed()]},
            {"a": answer(422, refusal("items[3]")), "b": answer(422, refusal("items[7]"))},
        )
    ]
    assert len(set(schemathesis.failures_of(events))) == 1


@pytest.mark.parametrize("body", ["a page", [], {"errors": "none"}, {"detail": "no"}])
def test_an_answer_that_is_no_envelope_is_named_by_its_status_alone(body):
    events = [scenario({"a": [failed()]}, {"a": answer(500, body)})]
    assert list(schemathesis.failures_of(events)) == [
        (CHECK, "RejectedPositiveData", CALL, "500", "", "")
    ]


def test_a_call_without_an_answer_is_named_so():
    events = [scenario({"a": [failed()]}, {"a": {"response": None}})]
    assert list(schemathesis.failures_of(events)) == [
        (CHECK, "RejectedPositiveData", CALL, "no answer")
    ]


def test_what_it_calls_an_error_is_named_for_each_operation():
    report = {"errors": [{"type": "Network Error", "operations": [CALL, "GET /tools"]}]}
    assert list(schemathesis.errors_of(report)) == [
        ("error", "Network Error", CALL),
        ("error", "Network Error", "GET /tools"),
    ]


def test_requests_are_those_that_it_recorded_and_the_phase_is_timed_by_its_events():
    def phase(kind, name, at):
        return (kind, {"timestamp": at, "phase": {"name": name, "is_enabled": True}})

    events = [
        phase("PhaseStarted", "examples", 1.0),
        phase("PhaseFinished", "examples", 2.0),
        phase("PhaseStarted", "coverage", 2.0),
        scenario({}, {"a": {}, "b": {}}),
        scenario({}, {"c": {}}),
        phase("PhaseFinished", "coverage", 4.5),
    ]
    assert schemathesis.requests_of(events) == 3
    assert schemathesis.coverage_seconds(events) == 2.5
    assert schemathesis.coverage_seconds(events[:2]) == 0


def test_events_are_read_up_to_a_line_that_was_cut(tmp_path):
    file = tmp_path / "events.ndjson"
    file.write_text('{"Initialize": {"seed": 1}}\n{"EngineStarted": {"id"')
    assert list(schemathesis.read_events(file)) == [("Initialize", {"seed": 1})]
    assert list(schemathesis.read_events(tmp_path / "none")) == []


SUMMARY = """=== SUMMARY ===
✓ ping: 2 passed, 0 failed
✗ tools-list: 1 passed, 2 failed

Not scored for 2026-07-28: 1 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ tasks-lifecycle (extension)
"""
STATUSES = {"a": "SUCCESS", "b": "FAILURE", "c": "WARNING", "d": "INFO", "e": "SKIPPED"}


def test_a_check_of_the_official_kit_is_named_by_version_and_scenario(tmp_path):
    place = tmp_path / "server-tools-list-2026-11-21T20-31-58-916Z"
    place.mkdir()
    checks = [{"id": each, "status": status} for each, status in STATUSES.items()]
    (place / "checks.json").write_text(json.dumps(checks))
    assert list(official.failures_of("2026-07-28", tmp_path)) == [
        ("2026-07-28", "tools-list", "b"),
        ("2026-07-28", "tools-list", "c"),
    ]


def test_a_scenario_that_its_summary_calls_failed_is_named_though_it_broke_off():
    assert list(official.failed_of("2026-07-28", SUMMARY)) == [("2026-07-28", "tools-list")]


def test_what_the_official_kit_does_not_count_itself_is_marked(tmp_path):
    said = tmp_path / "kit.py"
    said.write_text(
        "import json, pathlib, sys\n"
        "for name in ('tools-list', 'tasks-lifecycle'):\n"
        "    place = pathlib.Path('checks', f'server-{name}-2026-11-21T20-31-58-916Z')\n"
        "    place.mkdir(parents=True)\n"
        "    checks = [{'id': 'x', 'status': 'FAILURE'}]\n"
        "    (place / 'checks.json').write_text(json.dumps(checks))\n"
        f"sys.stdout.buffer.write({SUMMARY.encode()!r})\n"
        "sys.exit(1)\n"
    )
    outcome = official.judge(["python3", str(said)], "http://127.0.0.1:1/mcp", tmp_path)
    assert outcome.finished
    assert {failure for failure in outcome.failures if failure[-1] != official.NOT_SCORED} == {
        (revision, *rest)
        for revision in official.REVISIONS
        for rest in (("tools-list",), ("tools-list", "x"))
    }
    assert ("2026-07-28", "tasks-lifecycle", "x", official.NOT_SCORED) in outcome.failures


def test_a_finding_of_this_kit_is_a_must_or_a_should_that_is_broken():
    verdicts = ("pass", "fail", "warn", "flaky", "not_verified", "not_applicable")
    items = [{"clause": f"X-{each}", "tool": None, "verdict": each} for each in verdicts]
    results = {"runs": [{"run": "http", "requests": 3, "items": items}]}
    assert list(ours.failures_of(results)) == [("X-fail", "http", ""), ("X-warn", "http", "")]


def test_a_kit_that_does_not_end_is_ended_and_has_no_exit_code(tmp_path):
    ran = run(["python3", "-c", "print('busy', flush=True); input_ = __import__('time').sleep(60)"],
              tmp_path, longest=1.0)  # fmt: skip
    assert ran.code is None
    assert ran.seconds < 30
