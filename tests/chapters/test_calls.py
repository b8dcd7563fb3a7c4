"""ATDF's judges of calls: without evidence no verdict is given, and leaks are found."""

import json
from dataclasses import replace

import pytest

from conformance.atdf.leaks import CREDENTIALS, credential_in
from conformance.atdf.traces import TRACES, is_of_sent_code, trace_in
from conformance.formats.tool.tool import Input, Invocation, Where
from conformance.kit.cases.baseline import GIVEN
from conformance.kit.cases.deviations import WHOLE_FLOAT
from conformance.kit.model.case import CaseKind, Strictness, Violation
from conformance.kit.model.exchange import Trouble
from conformance.kit.verdicts.rates import repairable
from conformance.spec.vocabulary import Verdict
from tests.kit.samples import (
    MCP,
    STDIO,
    TOOL,
    accepted,
    called,
    case,
    envelope,
    error,
    of_tool,
    refused,
    result,
    rpc,
    run_evidence,
    tool_evidence,
    web,
)
from tests.kit.samples import verdict as judged

VALID = CaseKind.VALID


def told(status, body):
    """A valid call that was answered so over HTTP."""
    return called(web(status, body, of=case(VALID)))


def said_over_mcp(text):
    """A valid call that was refused over MCP with these words."""
    return called(rpc(result(text, isError=True), of=case(VALID, run=MCP)))


def test_what_the_good_call_was_refused_with_is_said_where_nothing_was_accepted():
    gone = told(404, {"detail": "No part AA-1111"})
    baseline = called(web(404, {"detail": "No part AA-1111"}, of=case(CaseKind.BASELINE)))
    item = of_tool("ATDF-CALL-004", baseline, gone)
    assert item.verdict is Verdict.NOT_VERIFIED
    (finding,) = [f for f in item.findings if f.message.id == "kit.not_verified.good_call"]
    assert finding.message.words("en").startswith("its baseline call was refused with 404 ")
    assert "No part AA-1111" in finding.message.words("en")


def test_an_example_of_the_user_that_is_refused_is_quoted_as_theirs():
    own = case(CaseKind.BASELINE, scenario=GIVEN, arguments={"zone": "nowhere"})
    guess = case(CaseKind.BASELINE, arguments={"zone": "abc"})
    tried = [
        called(web(404, {"detail": f"zone {c.arguments['zone']}"}, of=c)) for c in (own, guess)
    ]
    (finding,) = of_tool("ATDF-CALL-004", *tried).findings
    said = finding.message.words("en")
    assert said.startswith('your example {"zone": "nowhere"} was refused with 404 ')
    assert "zone nowhere" in said


@pytest.mark.parametrize(
    ("was", "sent", "said"),
    [
        ("2035-06-15T10:00:00Z", "2035-06-15T10:00:00", True),
        (None, "2035-06-15T10:00:00", True),
        ("2035-06-15T10:00:00Z", "2036-02-30T10:00:00Z", False),
        ("2035-06-15T10:00:00Z", "2035-06-15", False),
        ("2035-06-15", "2036-02-30", False),
        ("a@example.com", "a.example.com", False),
    ],
)
def test_a_date_time_that_lacks_only_its_offset_is_said_to_lack_it(was, sent, said):
    wrong = Violation("/start", "start", ("format",), was=was, was_absent=was is None, sent=sent)
    accepted = case(violation=wrong, strictness=Strictness.FORMAT, arguments={"start": sent})
    (finding,) = of_tool("ATDF-CALL-003", called(web(200, {}, of=accepted))).findings
    assert ("(an offset such as `Z` is missing)" in finding.message.words("en")) is said


def test_one_cause_at_one_call_is_one_reason():
    baseline = called(web(500, {"detail": "fetch failed"}, of=case(CaseKind.BASELINE)))
    broken = [called(web(422, {"detail": "No."}, of=case())) for _ in range(2)]
    item = of_tool("ATDF-CALL-001", baseline, *broken)
    assert item.verdict is Verdict.NOT_VERIFIED
    assert [each.message.id for each in item.findings] == ["kit.not_verified.environment"]


def test_where_no_call_was_accepted_one_cause_has_one_advice():
    baseline = called(web(422, {"detail": "No."}, of=case(CaseKind.BASELINE)))
    valid = called(web(422, {"detail": "No."}, of=case(CaseKind.VALID)))
    found = of_tool("ATDF-CALL-004", baseline, valid).findings
    assert {each.message.id for each in found} == {"kit.not_verified.good_call"}


@pytest.mark.parametrize(
    ("trouble", "run", "said"),
    [
        (None, STDIO, "unsent"),
        (Trouble.CLOSED, STDIO, "ended"),
        (Trouble.CLOSED, MCP, "unsent"),
        (Trouble.TIMEOUT, STDIO, "slow"),
    ],
)
def test_cases_that_were_not_sent_are_told_with_what_happened(trouble, run, said):
    failed = called(rpc({}, of=case(VALID, run=run), run=run, trouble=trouble))
    tool = tool_evidence(accepted(), failed, run=run, unsent=(case(VALID, run=run),))
    item = judged("ATDF-CALL-004", run_evidence(tool, run=run, claims=True), TOOL.name)
    assert f"kit.not_verified.{said}" in {each.message.id for each in item.findings}


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Trouble.TIMEOUT, "got no answer"),
        (Trouble.TOO_LARGE, "got an answer larger than the kit reads"),
        (Trouble.CLOSED, "got a closed connection instead of an answer"),
    ],
)
def test_a_baseline_without_a_usable_answer_is_told_with_what_came(trouble, said):
    baseline = called(web(200, {}, of=case(CaseKind.BASELINE), trouble=trouble))
    (finding,) = of_tool("ATDF-CALL-004", baseline).findings
    assert said in finding.message.words()
    assert ("--request-timeout" in finding.message.words()) is (trouble is Trouble.TIMEOUT)


@pytest.mark.parametrize(
    ("status", "bearer", "named"),
    [(401, True, "needs_bearer"), (401, False, "needs_credentials"), (403, True, "good_call")],
)
def test_a_401_names_the_option_that_gives_credentials(status, bearer, named):
    asks = replace(TOOL, raw={**TOOL.raw, "bearer": bearer})
    baseline = called(web(status, {"detail": "no"}, of=case(CaseKind.BASELINE)), asks)
    (finding,) = of_tool("ATDF-CALL-004", baseline).findings
    assert finding.message.id == f"kit.not_verified.{named}"
    assert ("--bearer-env" in finding.message.words()) is (status == 401)
    assert f"{status} “" in finding.message.words()


@pytest.mark.parametrize("status", [401, 403])
def test_a_stopped_baseline_is_the_only_reason_why_refusals_show_nothing(status):
    stopped = called(web(status, {"detail": "no"}, of=case(CaseKind.BASELINE)))
    broken = called(web(status, {"detail": "no"}))
    (finding,) = of_tool("ATDF-CALL-001", stopped, broken).findings
    assert finding.message == of_tool("ATDF-CALL-004", stopped).findings[0].message
    (other,) = of_tool("ATDF-CALL-001", accepted(), broken).findings
    assert other.message.id == "kit.not_verified.refused_before_input"


@pytest.mark.parametrize("clause", ["ATDF-CALL-005", "ATDF-CALL-006", "ATDF-CALL-007"])
@pytest.mark.parametrize("status", [401, 403, 407, 429])
def test_calls_that_were_all_stopped_before_the_tool_show_nothing_about_it(clause, status):
    stopped = [
        called(web(status, {"detail": "no"}, of=case(kind)))
        for kind in (CaseKind.BASELINE, CaseKind.BROKEN)
    ]
    assert of_tool(clause, *stopped).verdict is Verdict.NOT_VERIFIED
    assert of_tool(clause, *stopped, refused()).verdict is Verdict.PASS
    assert of_tool(clause).verdict is not Verdict.PASS


def test_a_call_that_was_stopped_with_a_trace_breaks_its_clause_all_the_same():
    trace = b'Traceback (most recent call last):\n  File "a.py", line 1, in f\n'
    stopped = called(web(401, trace, of=case(CaseKind.BASELINE)))
    assert of_tool("ATDF-CALL-007", stopped).verdict is Verdict.WARN


@pytest.mark.parametrize("status", [200, 422, 500])
def test_an_answer_that_cannot_be_unpacked_is_no_answer_whatever_its_status(status):
    garbled = called(web(status, b"\x1f\x8b", trouble=Trouble.GARBLED))
    assert of_tool("ATDF-CALL-005", accepted(), garbled).verdict is Verdict.FAIL
    assert of_tool("ATDF-CALL-001", accepted(), garbled).verdict is Verdict.NOT_VERIFIED


def over_mcp(kind, status):
    """A call over MCP that its transport refused, or that was accepted."""
    gone = {"error": {"code": -32001, "message": "Session not found"}}
    reply = result("ok") if status == 200 else gone
    return called(rpc(reply, of=case(kind, run=MCP), status=status))


@pytest.mark.parametrize(
    ("broken", "after", "expected"),
    [
        (401, 401, Verdict.NOT_VERIFIED),
        (429, 429, Verdict.NOT_VERIFIED),
        (403, 200, Verdict.PASS),
        (407, 401, Verdict.PASS),
        (404, 404, Verdict.PASS),
        (409, 409, Verdict.PASS),
    ],
)
def test_a_call_shows_nothing_if_the_server_stops_all_calls_from_there_on(broken, after, expected):
    """A 404 or 409 of the tool may be about its state: the first call changed it."""
    stopped = called(web(broken, {"detail": "no"}))
    last = called(web(after, {"detail": "no"}, of=case(CaseKind.AFTER)))
    assert of_tool("ATDF-CALL-001", accepted(), refused(), stopped, last).verdict is expected


@pytest.mark.parametrize("status", [400, 404])
def test_a_call_in_a_session_that_is_over_shows_nothing(status):
    words = "a: is not an integer"
    refusal = called(rpc(result(words, isError=True), of=case(run=MCP)))
    good, lost = over_mcp(CaseKind.BASELINE, 200), over_mcp(CaseKind.BROKEN, status)
    for last, expected in ((status, Verdict.NOT_VERIFIED), (200, Verdict.PASS)):
        calls = good, refusal, lost, over_mcp(CaseKind.AFTER, last)
        run = run_evidence(tool_evidence(*calls, run=MCP), run=MCP)
        assert judged("ATDF-CALL-001", run, TOOL.name).verdict is expected


@pytest.mark.parametrize(
    "told", ["ab\\/cd+ef12", "ab/cd\\u002Bef12", "ab%2Fcd%2Bef12", "YWIvY2QrZWYxM"]
)
def test_a_credential_that_is_escaped_is_repeated_all_the_same(told):
    call = called(web(422, f'{{"detail": "no {told}"}}'.encode()))
    for secret, expected in (("ab/cd+ef12", Verdict.FAIL), ("zz/cd+ef12", Verdict.PASS)):
        run = run_evidence(tool_evidence(accepted(), call), credentials=(secret,))
        assert judged("ATDF-ERR-013", run).verdict is expected


def test_a_refusal_next_to_a_refused_good_call_says_what_the_good_call_was_refused_with():
    baseline = called(web(401, {"detail": "no"}, of=case(CaseKind.BASELINE)))
    (finding,) = of_tool("ATDF-CALL-001", baseline, refused()).findings
    assert finding.message.id == "kit.not_verified.needs_credentials"


@pytest.mark.parametrize(
    ("data", "told"),
    [({"requiredCapabilities": {"elicitation": {}}}, "capability"), ({"why": "x"}, "good_call")],
)
def test_a_tool_that_needs_a_capability_of_the_client_is_not_said_to_want_another_call(data, told):
    error = {"code": -32021, "message": "no elicitation", "data": data}
    baseline = called(rpc({"error": error}, of=case(CaseKind.BASELINE, run=MCP), status=400))
    (finding,) = of_tool("ATDF-CALL-004", baseline, run=MCP).findings
    assert finding.message.id == f"kit.not_verified.{told}"
    assert "no elicitation" in finding.message.words()


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        (CaseKind.BROKEN, "refuse invalid input with 400 or 422"),
        (VALID, "although the input is valid"),
        (CaseKind.BASELINE, "although the input is valid"),
        (CaseKind.REPAIR, "although the input is valid"),
    ],
)
def test_nobody_is_told_to_refuse_a_valid_call(kind, advice):
    failed = called(web(500, {}, of=case(kind)))
    (finding,) = of_tool("ATDF-CALL-005", failed).findings
    assert advice in finding.message.words("en")
    assert ("refuse" in finding.message.words("en")) is (kind is CaseKind.BROKEN)


def test_of_an_envelope_its_detail_is_what_the_good_call_was_refused_with():
    gone = envelope(error("not-found", detail="There is no such order."))
    item = of_tool("ATDF-CALL-004", called(web(404, gone, of=case(CaseKind.BASELINE))))
    (finding,) = [f for f in item.findings if f.message.id == "kit.not_verified.good_call"]
    assert '404 "There is no such order."' in finding.message.words("en")


def test_a_server_that_failed_at_the_good_call_did_not_refuse_it():
    failed = called(web(500, {"detail": "boom"}, of=case(CaseKind.BASELINE)))
    item = of_tool("ATDF-CALL-004", failed)
    (finding,) = [f for f in item.findings if f.message.id.startswith("kit.not_verified.good_call")]
    assert finding.message.words("en").startswith("the server failed at its baseline call with 500")


def test_where_no_good_call_was_answered_nothing_is_quoted():
    silent = called(web(0, answered=False, of=case(CaseKind.BASELINE)))
    item = of_tool("ATDF-CALL-004", silent)
    assert {f.message.id for f in item.findings} == {"kit.not_verified.baseline"}


@pytest.mark.parametrize(
    "refusal",
    [
        told(400, {"detail": "no"}),
        told(422, b"no"),
        told(422, {"errors": []}),
        told(422, envelope(error(parameter=None))),
        told(422, envelope(error("out-of-stock"))),
    ],
)
def test_a_valid_call_that_is_refused_without_a_reason_proves_nothing(refusal):
    item = of_tool("ATDF-CALL-004", accepted(), refusal)
    assert item.verdict is Verdict.NOT_VERIFIED
    assert item.findings[0].message.id == "kit.not_verified.valid_refused"


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        ({"detail": "no"}, "kit.not_verified.whole_float_refused"),
        (envelope(error(parameter="count")), "finding.call.whole_float_refused"),
    ],
)
def test_of_a_refused_whole_float_it_is_said_that_json_schema_counts_it_as_an_integer(
    refusal, said
):
    sent = case(VALID, arguments={"count": 2.0}, scenario=WHOLE_FLOAT)
    item = of_tool("ATDF-CALL-004", accepted(), called(web(422, refusal, of=sent)))
    assert item.findings[0].message.id == said


@pytest.mark.parametrize(
    ("arguments", "proves_nothing"),
    [
        ({"count": 2, "day": "Āé"}, False),  # a text: it may be no day that the server knows
        ({"count": -7}, False),  # without a lower bound
        ({"count": 2}, True),
        ({"count": 2, "mood": True}, True),
    ],
)
def test_a_text_that_the_server_does_not_know_may_be_refused(arguments, proves_nothing):
    refusal = called(web(400, {"detail": "no"}, of=case(VALID, arguments=arguments)))
    item = of_tool("ATDF-CALL-004", accepted(), refusal)
    assert (item.verdict is Verdict.NOT_VERIFIED) is proves_nothing


def test_a_text_proves_nothing_where_no_call_was_accepted():
    refusal = called(web(400, {"detail": "no"}, of=case(VALID, arguments={"day": "x"})))
    assert of_tool("ATDF-CALL-004", refusal).verdict is Verdict.NOT_VERIFIED


def test_a_text_only_error_of_a_valid_call_is_no_finding():
    good = called(rpc(result("done"), of=case(CaseKind.BASELINE, run=MCP)))
    item = of_tool("ATDF-CALL-004", good, said_over_mcp("no such branch"), run=MCP)
    assert item.verdict is Verdict.NOT_VERIFIED


def test_a_refusal_for_state_leaves_the_valid_calls_that_were_accepted():
    item = of_tool("ATDF-CALL-004", accepted(), told(409, {"detail": "taken"}))
    assert item.verdict is Verdict.PASS


def test_a_validation_error_that_blames_a_valid_value_is_a_finding():
    assert of_tool("ATDF-CALL-004", accepted(), refused(kind=VALID)).verdict is Verdict.FAIL


TRACE_OF = {
    "Python": 'Traceback (most recent call last):\n  File "/srv/app.py", line 3, in call\nKeyError',
    "Java": "java.lang.NullPointerException\n\tat org.example.Tools.call(Tools.java:17)",
    ".NET": "System.FormatException: Bad\n   at System.Number.Parse(String s)\n"
    "   at App.Tools.Call(String name) in /src/Tools.cs:line 12",
    "Node.js": "TypeError: x is undefined\n    at call (/srv/app.js:10:15)\n"
    "    at node:internal/process/task_queues:95:5",
    "Ruby": "/srv/app.rb:12:in `call': undefined method (NoMethodError)",
    "Rust": "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds",
    "Go": "panic: nil\n\ngoroutine 1 [running]:\nmain.call()\n\t/srv/main.go:9 +0x1d",
    "PHP": "PHP Fatal error: Uncaught TypeError in /srv/app.php:7\n"
    "Stack trace:\n#0 /srv/app.php(12): call()",
}


def test_each_runtime_has_a_trace_that_is_tried():
    assert TRACE_OF.keys() == TRACES.keys()


@pytest.mark.parametrize("runtime", TRACES)
def test_a_trace_is_found_by_the_pattern_of_its_runtime_alone(runtime):
    trace = TRACE_OF[runtime]
    assert [name for name, pattern in TRACES.items() if pattern.search(trace)] == [runtime]
    assert trace_in(trace) is not None


@pytest.mark.parametrize("runtime", TRACES)
def test_a_trace_within_json_is_found_too(runtime):
    refusal = web(500, {"error": {"stack": TRACE_OF[runtime]}}, of=case())
    assert of_tool("ATDF-CALL-007", called(refusal)).verdict is Verdict.WARN


LAWFUL = [
    "`start` must be at 10:30:00 (UTC) or later.",
    "The booking is at hotel.example.org (see the list).",
    "Look at https://example.com/docs/errors:42:1 for help.",
    "    at least one of (a, b) is needed",
    "At org.example.Hotel (Room 12) there is no room.",
    'File "notes.txt", line 3 is empty.',
    "The file main.go:12 is not in the repository.",
    "app.rb and app.php are not allowed; use report.java:12 instead.",
    "goroutine is no known word",
    "thread 'main' was not found",
    "#1 (2): twice",
    "Traceback is switched off.",
    "C:\\new\\table.rs:3 does not exist",
]


@pytest.mark.parametrize("text", LAWFUL)
def test_words_that_look_like_a_trace_are_none(text):
    assert trace_in(text) is None
    assert trace_in(json.dumps({"detail": text})) is None


@pytest.mark.parametrize("runtime", TRACES)
def test_a_trace_that_was_sent_may_be_repeated(runtime):
    sent = json.dumps({"log": TRACE_OF[runtime]})
    assert trace_in(f"No tool for {sent}", sent=sent.encode()) is None


@pytest.mark.parametrize(
    "answer",
    [
        "Command failed: node /tmp/tmp.js\n/tmp/tmp.js:1\nfoo + 1\n^\n\nReferenceError: foo is not "
        "defined\n    at Object.<anonymous> (/tmp/tmp.js:1:1)",
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nX',
        "[eval]:1\nfoo\n\nReferenceError: no foo\n    at [eval]:1:1\n    at x (node:vm:99:7)",
    ],
)
def test_a_trace_of_code_that_was_sent_is_no_inside_of_the_server(answer):
    assert trace_in(answer)
    assert is_of_sent_code(answer, ["foo + 1"])
    assert is_of_sent_code(json.dumps({"detail": answer}), ["foo + 1"])
    assert not is_of_sent_code(answer, ["12"])
    failing = f"Traceback (most recent call last):\n{TRACE_OF['Python']}"
    assert not is_of_sent_code(failing, ["foo + 1"])


def test_a_hostile_page_is_searched_at_once():
    for filler in ("\n", " ", "at ", "\n at", "a.", "a/", "\n#1 ", "thread '", ".rb:1", "File "):
        assert trace_in(filler * 100_000) is None


LEAK_OF = {
    "private key": "-----BEGIN RSA "
    + "PRIVATE KEY-----\n"
    + "MIIEpAIBAAKCAQEA7bq0Ck3p9QW2eRtYuIoP",
    "AWS access key": "AKIA" + "QYLPMN5HHHFPZAM2",
    "GitHub token": "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5",
    "Slack token": "xoxb" + "-17653285612-abcDEF456ghiJ",
}


def test_each_kind_of_credential_has_one_that_is_tried():
    assert LEAK_OF.keys() == CREDENTIALS.keys()


@pytest.mark.parametrize("kind", CREDENTIALS)
def test_a_credential_of_the_server_is_known_by_its_form(kind):
    assert credential_in(f"connecting with {LEAK_OF[kind]} failed") == kind
    assert credential_in(json.dumps({"detail": LEAK_OF[kind]})) == kind


@pytest.mark.parametrize("kind", CREDENTIALS)
def test_a_credential_that_was_an_argument_is_not_the_server_s_own(kind):
    assert credential_in(LEAK_OF[kind], sent=LEAK_OF[kind].encode()) is None


@pytest.mark.parametrize(
    "text",
    [
        "Give a key such as AKIAIOSFODNN7EXAMPLE.",
        "The text must begin with -----BEGIN PRIVATE KEY-----.",
        "ghp_" + "x" * 36 + " is not a token.",
        "The digest is AKIAabcdefghijklmnop.",
    ],
)
def test_words_about_credentials_are_none(text):
    assert credential_in(text) is None


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "`count` = (left out) breaks `required`"),
        ("es", "`count` = (omitido) incumple `required`"),
    ],
)
def test_an_argument_that_was_left_out_is_named_in_words(language, said):
    gap = Violation("/count", "count", ("required",), was=2, sent_absent=True)
    item = of_tool("ATDF-CALL-001", accepted(), accepted(CaseKind.BROKEN, violation=gap))
    assert item.findings[0].message.words(language).startswith(said)


@pytest.mark.parametrize(("claims", "verdict"), [(False, Verdict.WARN), (True, Verdict.FAIL)])
def test_a_number_for_a_string_is_a_warning_unless_atdf_is_claimed(claims, verdict):
    near = replace(case(CaseKind.BROKEN), strictness=Strictness.NEAR_MISS)
    taken = called(web(200, {"ok": True}, of=near))
    run = run_evidence(tool_evidence(accepted(), taken), claims=claims)
    assert judged("ATDF-CALL-002", run, TOOL.name).verdict is verdict


def test_one_answer_that_tells_why_is_enough():
    good, gone = accepted(), called(web(404, {}, of=case()))
    assert of_tool("ATDF-CALL-001", good, gone, gone).verdict is Verdict.NOT_VERIFIED
    assert of_tool("ATDF-CALL-001", good, gone, refused()).verdict is Verdict.PASS


@pytest.mark.parametrize("status", [429, 503])
def test_a_call_that_a_limit_stopped_is_not_taken_for_a_refused_one(status):
    item = of_tool("ATDF-CALL-001", accepted(), refused(), called(web(status, {}, of=case())))
    assert item.verdict is Verdict.NOT_VERIFIED
    assert [each.message.id for each in item.findings] == ["kit.not_verified.limited"]


OF_NAME = Violation("/name", "name", ("maxLength",), was="Ann", sent="A" * 90)


@pytest.mark.parametrize("status", [403, 404, 409])
def test_a_parameter_of_which_no_answer_shows_a_check_is_not_verified(status):
    gone = called(web(status, {"detail": "no"}, of=case(violation=OF_NAME)))
    assert of_tool("ATDF-CALL-001", accepted(), refused(), gone).verdict is Verdict.NOT_VERIFIED
    shown = refused(violation=OF_NAME)
    assert of_tool("ATDF-CALL-001", accepted(), refused(), gone, shown).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"message": "Rate limit exceeded. Please try again later."}),
        (500, {"detail": "connect ECONNREFUSED 10.0.0.1:5432"}),
        (400, {"detail": "HOTEL_API_KEY is not set"}),
        (400, envelope(error("rate-limited"))),
        (500, envelope(error("timeout"))),
    ],
)
def test_a_lack_that_the_call_without_the_mistake_does_not_meet_is_no_refusal(status, body):
    lacks = called(web(status, body))
    item = of_tool("ATDF-CALL-001", accepted(), refused(), lacks)
    assert item.verdict is Verdict.NOT_VERIFIED


LIMITED = {"detail": "Rate limit exceeded. Please try again later."}
OFFLINE = {"detail": "getaddrinfo ENOTFOUND host.example"}


@pytest.mark.parametrize(
    ("before", "body", "after", "said"),
    [
        (accepted(), OFFLINE, accepted(CaseKind.AFTER), "refused_before_input"),
        (accepted(), OFFLINE, called(web(500, OFFLINE, of=case(CaseKind.AFTER))), "environment"),
        (refused(kind=CaseKind.BASELINE), OFFLINE, refused(kind=CaseKind.AFTER), "environment"),
        (accepted(), LIMITED, accepted(CaseKind.AFTER), "rate_limited"),
    ],
)
def test_what_only_a_broken_call_lacks_is_not_said_to_be_missing(before, body, after, said):
    item = of_tool("ATDF-CALL-001", before, called(web(500, body)), after)
    assert {each.message.id for each in item.findings} == {f"kit.not_verified.{said}"}


@pytest.mark.parametrize("status", [404, 405, 414])
def test_the_answer_of_a_router_to_a_wrong_value_in_the_path_is_a_refusal(status):
    inputs = (Input("name", Where.PATH), Input("count", Where.QUERY))
    tool = replace(TOOL, invocation=Invocation("/book/{name}", "GET", inputs))
    wrong = case(violation=OF_NAME, arguments={"name": OF_NAME.sent, "count": 2})
    lost = called(web(status, b"<h1>no</h1>", of=wrong, headers=()), tool)
    item = of_tool("ATDF-CALL-001", accepted(), refused(), lost, tool=tool)
    assert item.verdict is Verdict.PASS
    assert of_tool("HTTP-ERR-003", accepted(), lost, tool=tool).verdict is not Verdict.FAIL
    assert repairable(tool_evidence(accepted(), lost, accepted(CaseKind.AFTER), tool=tool)) == []


UNKNOWN = {"detail": "No such day is known."}
TOO_BIG = {"detail": "count must be at most 9"}


@pytest.mark.parametrize(
    ("good", "bad", "verdict"),
    [
        (UNKNOWN, TOO_BIG, Verdict.PASS),
        (UNKNOWN, UNKNOWN, Verdict.NOT_VERIFIED),
        (UNKNOWN, {"detail": "count: no"}, Verdict.NOT_VERIFIED),  # what would be right?
        (TOO_BIG, TOO_BIG, Verdict.NOT_VERIFIED),
    ],
)
def test_a_refusal_beside_a_refused_call_counts_if_it_alone_explains_the_mistake(
    good, bad, verdict
):
    baseline = called(web(422, good, of=case(CaseKind.BASELINE)))
    item = of_tool("ATDF-CALL-001", baseline, called(web(422, bad)))
    assert item.verdict is verdict


def test_a_refused_neighbor_is_named_with_what_it_was_refused_with():
    filled = case(CaseKind.BASELINE, arguments={"count": 2, "day": "x"})
    filled = replace(filled, neighbour=filled.id)
    beside = called(web(422, UNKNOWN, of=filled))
    item = of_tool(
        "ATDF-CALL-001", accepted(), beside, called(web(422, UNKNOWN, of=case(neighbour=filled.id)))
    )
    (finding,) = item.findings
    assert finding.message.words("en").startswith(
        'the valid call with {"count": 2, "day": "x"} was refused too, with '
    )
    assert "No such day is known." in finding.message.words("en")


def test_of_two_server_errors_the_one_at_a_valid_call_is_told_first():
    at_invalid = called(web(500, {}, of=case(CaseKind.BROKEN)))
    at_valid = called(web(500, {}, of=case(VALID)))
    told_of = [each.message.id for each in of_tool("ATDF-CALL-005", at_invalid, at_valid).findings]
    assert told_of == ["finding.call.status_of_valid", "finding.call.status"]


def test_a_broken_format_is_named():
    wrong = Violation("/start", "start", ("format",), was="2035-06-15", sent="today")
    accepted = case(violation=wrong, strictness=Strictness.FORMAT, arguments={"start": "today"})
    dated = {"type": "object", "properties": {"start": {"type": "string", "format": "date"}}}
    tool = replace(TOOL, input_schema=dated)
    call = called(web(200, {}, of=accepted))
    (finding,) = of_tool("ATDF-CALL-003", call, tool=tool).findings
    assert finding.message.words("en").startswith('`start` = "today" breaks `format` (`date`) in')
