"""The judges of failures: in disguise, for want of the environment, and of valid values."""

import json
from dataclasses import replace
from unittest.mock import Mock

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.model.case import CaseKind, Violation
from conformance.kit.model.exchange import Trouble
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import SchemaView
from conformance.spec.vocabulary import Requirement, Verdict
from tests.kit.samples import (
    HTTP,
    MCP,
    TOOL,
    accepted,
    called,
    case,
    envelope,
    error,
    refused,
    result,
    rpc,
    run_evidence,
    tool_evidence,
    verdict,
    web,
)

BASELINE, VALID, BROKEN = CaseKind.BASELINE, CaseKind.VALID, CaseKind.BROKEN
DISGUISED = "Error: Missing arguments"


def over_mcp(text, kind, **more):
    """A call over MCP that was answered with this text."""
    return called(rpc(result(text, **more), of=case(kind, run=MCP)))


def judged(clause, *calls, run=HTTP, tool=TOOL, claims=False):
    """The item of a clause about one tool, by calls of it."""
    evidence = tool_evidence(*calls, tool=tool, run=run)
    return verdict(clause, run_evidence(evidence, run=run, claims=claims), tool.name)


def ids(item):
    return {finding.message.id for finding in item.findings}


def test_an_error_in_a_success_is_a_warning_with_the_words_of_the_server():
    item = judged("MCP-CALL-006", over_mcp(DISGUISED, BROKEN), run=MCP)
    assert item.verdict is Verdict.WARN
    assert DISGUISED in item.findings[0].message.words("en")


@pytest.mark.parametrize("language", ["en", "es", "pt"])
@pytest.mark.parametrize(
    "text",
    [
        DISGUISED,
        "ValueError: no such day",
        '{"error": "no such day"}',
        '{"success": false, "message": "no such day"}',
        '{"status": "error", "message": "no such day"}',
    ],
)
def test_an_error_in_a_success_is_told_with_the_form_by_which_it_is_known(text, language):
    item = judged("MCP-CALL-006", over_mcp(text, BROKEN), run=MCP)
    (finding,) = item.findings
    form = dict(finding.message.values)["form"]
    assert f"({form.words(language)})" in finding.message.words(language)


def test_a_failure_that_says_so_keeps_the_rule():
    assert judged("MCP-CALL-006", over_mcp("no", BROKEN, isError=True), run=MCP).verdict is (
        Verdict.PASS
    )
    assert judged("HTTP-ERR-010", called(web(422, {"error": "no"}, of=case()))).verdict is (
        Verdict.PASS
    )


def test_over_http_an_error_in_a_success_is_a_warning():
    item = judged("HTTP-ERR-010", called(web(200, {"error": "No room"}, of=case())))
    assert (item.verdict, ids(item)) == (Verdict.WARN, {"finding.http.disguised"})


@pytest.mark.parametrize(
    ("clause", "call"),
    [
        ("MCP-CALL-006", over_mcp('{"error": "Rate limit reached"}', BASELINE)),
        ("MCP-CALL-006", over_mcp('{"error": "Limit 50/day"}', BASELINE)),
        ("HTTP-ERR-010", called(web(200, {"error": "Rate limit reached"}, of=case(BASELINE)))),
    ],
)
def test_an_error_about_a_limit_of_calls_is_no_finding_since_nobody_can_see_it_again(clause, call):
    assert call.reading.disguise is not None
    run = MCP if call.exchange.request.is_rpc else HTTP
    assert judged(clause, call, run=run).verdict is Verdict.NOT_APPLICABLE


@pytest.mark.parametrize("clause", ["MCP-CALL-006", "HTTP-ERR-010", "ATDF-ERR-015"])
def test_no_value_may_be_the_right_answer_of_a_baseline_call(clause):
    item = judged(clause, over_mcp("NaN", BASELINE), run=MCP, claims=True)
    assert item.verdict is Verdict.NOT_APPLICABLE


@pytest.mark.parametrize("clause", ["ATDF-CALL-001", "ATDF-CALL-004"])
def test_a_baseline_call_that_was_answered_with_an_error_verifies_nothing(clause):
    calls = [over_mcp(DISGUISED, BASELINE), over_mcp("no", BROKEN, isError=True)]
    item = judged(clause, *calls, run=MCP)
    assert item.verdict is Verdict.NOT_VERIFIED
    words = next(f.message for f in item.findings if f.message.id == "kit.not_verified.disguised")
    assert DISGUISED in words.words("en")
    assert "--examples" in words.words("en")


def test_a_broken_call_that_was_answered_with_an_error_in_disguise_was_refused():
    calls = [over_mcp("Booked.", BASELINE), over_mcp(DISGUISED, BROKEN)]
    assert judged("ATDF-CALL-001", *calls, run=MCP).verdict is Verdict.PASS


@pytest.mark.parametrize("clause", ["ATDF-CALL-001", "ATDF-CALL-002", "ATDF-CALL-004"])
def test_what_failed_for_want_of_the_network_verifies_nothing_and_says_what_is_missing(clause):
    offline = "request failed: getaddrinfo EAI_AGAIN example.com"
    calls = [over_mcp(offline, BASELINE, isError=True), over_mcp(offline, BROKEN, isError=True)]
    item = judged(clause, *calls, run=MCP)
    assert item.verdict is Verdict.NOT_VERIFIED
    (words,) = {f.message.words("en") for f in item.findings}
    assert "the network is missing" in words
    assert "EAI_AGAIN" in words or "getaddrinfo" in words


def test_a_500_for_want_of_a_database_is_no_crash_and_its_route_exists():
    down = called(web(500, {"detail": "could not connect to server"}, of=case(BASELINE)))
    assert judged("ATDF-CALL-005", down).verdict is Verdict.NOT_APPLICABLE
    assert judged("HTTP-CALL-001", down).verdict is Verdict.PASS
    crashed = called(web(500, {"detail": "Internal Server Error"}, of=case(BASELINE)))
    assert judged("ATDF-CALL-005", crashed).verdict is Verdict.FAIL


def test_a_second_reading_that_fails_for_the_environment_is_not_verified():
    reads = replace(case().id, name="second")
    second = case(CaseKind.SECOND, id=reads, run=MCP)
    offline = called(rpc(result("fetch failed", isError=True), of=second))
    item = judged("ATDF-CALL-009", offline, run=MCP)
    assert (item.verdict, ids(item)) == (Verdict.NOT_VERIFIED, {"kit.not_verified.environment"})


def second_call(answer, status=200, form=ToolForm.OPENAPI):
    """The item of ATDF-CALL-009 about a tool that promises to change nothing."""
    again = case(CaseKind.SECOND, id=replace(case().id, name="second"))
    tool = replace(TOOL, form=form, safe=True)
    return judged("ATDF-CALL-009", called(web(status, answer, of=again), tool), tool=tool)


def test_a_failure_of_the_server_is_no_refusal_of_the_second_call():
    item = second_call({"detail": "Internal Server Error"}, 500)
    assert (item.verdict, ids(item)) == (Verdict.NOT_VERIFIED, {"kit.not_verified.second_failed"})


@pytest.mark.parametrize(
    ("form", "said"), [(ToolForm.OPENAPI, "(GET)"), (ToolForm.CATALOG, "(`safe: true`)")]
)
def test_a_refused_second_call_names_what_the_tool_promised_itself(form, said):
    item = second_call(envelope(error()), 409, form)
    assert item.verdict is Verdict.FAIL
    assert said in item.findings[0].message.words("en")


TRACE = """Error: Command failed: node tmp.js
ReferenceError: code is not defined
    at Object.<anonymous> (/tmp/tmp.js:1:1)
    at Module._compile (node:internal/modules/cjs/loader:1105:14)"""


def test_a_trace_is_of_the_server_only_where_the_answer_says_that_it_is_an_error():
    assert judged("ATDF-CALL-007", over_mcp(TRACE, BASELINE), run=MCP).verdict is not Verdict.WARN
    item = judged("ATDF-CALL-007", over_mcp(TRACE, BASELINE, isError=True), run=MCP)
    assert (item.verdict, ids(item)) == (Verdict.WARN, {"finding.call.trace"})


SCHEMA = {
    "type": "object",
    "properties": {
        "guests": {"type": "integer", "minimum": 1, "maximum": 4},
        "room": {"enum": ["single", "suite"]},
        "city": {"type": "string", "maxLength": 40},
        "breakfast": {"type": "boolean"},
        "number": {"type": "integer", "minimum": 1},
        "code": {"type": "string", "enum": ["A-1", "B-2"], "pattern": "^[A-Z]-"},
    },
    "required": ["guests"],
}
HOTEL = Tool("book", SCHEMA, ToolForm.OPENAPI, {"name": "book"})
KNOWN = {"guests": 1, "room": "single", "city": "Rome", "breakfast": False, "number": 7}
TOO_MANY = {"detail": [{"loc": ["body", "guests"], "msg": "Too many."}]}


def blamed(body, *, status=422, claims=False, known=KNOWN, **sent):
    """The verdict on a valid call that was refused so; what it leaves out is ABSENT."""
    arguments = {name: value for name, value in {**KNOWN, **sent}.items() if value is not None}
    good = called(web(200, {"id": 1}, of=case(BASELINE, arguments=known), tool=HOTEL), HOTEL)
    call = called(web(status, body, of=case(VALID, arguments=arguments), tool=HOTEL), HOTEL)
    return judged("ATDF-CALL-010", good, call, tool=HOTEL, claims=claims)


@pytest.mark.parametrize(
    "body",
    [
        TOO_MANY,
        {"errors": [{"path": "guests", "message": "Too many."}]},
        {"errors": [{"instancePath": "/guests", "message": "Too many."}]},
        {"issues": [{"path": ["guests"], "message": "Too many."}]},
        {"guests": ["Ensure this value is less than 4."]},
        {"errors": {"guests": ["Too many."]}},
        {"message": "`guests` must be less than 4"},
        {"detail": "Invalid parameter guests: too many"},
        b"guests: too many",
    ],
)
def test_a_documented_maximum_that_is_refused_by_name_is_a_finding(body):
    item = blamed(body, guests=4)
    assert (item.verdict, ids(item)) == (Verdict.WARN, {"finding.call.valid_blamed"})
    assert "guests" in item.findings[0].message.words("en")


def test_an_integer_written_as_a_fraction_of_zero_is_another_value_to_a_server():
    item = blamed(TOO_MANY, guests=1.0)
    assert (item.verdict, ids(item)) == (Verdict.WARN, {"finding.call.valid_blamed"})


def test_where_atdf_is_claimed_it_is_a_failure():
    item = blamed(TOO_MANY, guests=4, claims=True)
    assert (item.verdict, item.requirement) == (Verdict.FAIL, Requirement.MUST)


@pytest.mark.parametrize(
    ("name", "value"), [("room", "suite"), ("breakfast", True), ("room", None), ("city", None)]
)
def test_a_listed_value_a_truth_value_and_what_may_be_left_out_are_the_schema_s_to_judge(
    name, value
):
    assert blamed({"errors": [{"field": name}]}, **{name: value}).verdict is Verdict.WARN


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ({"errors": [{"field": "city"}]}, {"city": "Nowhere"}),
        ({"errors": [{"field": "number"}]}, {"number": 8}),
        ({"errors": [{"field": "code"}]}, {"code": "B-2"}),
        ({"errors": [{"field": "guests"}, {"field": "room"}]}, {"guests": 4}),
        ({"message": "`guests` are too many for `room`"}, {"guests": 4}),
        (
            {"message": "city 'Nowhere' is not known here; pass 'room'"},
            {"city": "Nowhere", "room": None},
        ),
        ({"message": "Too many guests for that room."}, {"guests": 4}),
        ({"message": "No."}, {"guests": 4}),
        ({"detail": [{"msg": "No.", "input": {"guests": 4}}]}, {"guests": 4}),
        ({"errors": [{"field": "guests"}]}, {"room": "suite"}),
        ({"errors": [{"field": "nights"}]}, {"guests": 4}),
        (
            b"1 validation error for book\n  Assertion failed, too many for one bed "
            b"[type=assertion_error, input_value={'guests': 4, 'num...r': 7}, input_type=dict]",
            {"guests": 4},
        ),
        ({"message": 'No bed left. Received: {"guests": 4}'}, {"guests": 4}),
    ],
)
def test_a_refusal_that_may_be_about_meaning_is_no_finding(body, sent):
    assert blamed(body, **sent).verdict is not Verdict.WARN


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (
            "No hotel found here (looked in .). Pass `city` with its town.",
            Verdict.PASS,
        ),
        ("Nothing is near.\nUse 'city' to look elsewhere.", Verdict.PASS),
        ("No hotel. Pass `city`. The parameter 'city' is required.", Verdict.WARN),
        ("Pass `city`.", Verdict.WARN),
        ("Bad request. Parameter 'city' is required.", Verdict.WARN),
    ],
)
def test_advice_after_the_reason_of_a_refusal_does_not_blame_what_is_left_out(said, verdict):
    assert blamed({"detail": said}, city=None).verdict is verdict


def test_other_statuses_and_refused_baseline_calls_prove_nothing():
    assert blamed(TOO_MANY, status=409, guests=4).verdict is Verdict.PASS
    lone = called(web(422, TOO_MANY, of=case(VALID, arguments={"guests": 4}), tool=HOTEL), HOTEL)
    assert judged("ATDF-CALL-010", lone, tool=HOTEL).verdict is Verdict.NOT_APPLICABLE


def test_an_envelope_that_blames_a_valid_value_is_another_clause_s():
    wrong = refused(error(), kind=VALID)
    assert judged("ATDF-CALL-004", accepted(), wrong).verdict is Verdict.FAIL
    assert judged("ATDF-CALL-010", accepted(), wrong).verdict is Verdict.PASS


def test_over_mcp_a_result_and_minus_32602_blame_alike():
    good = called(rpc(result("Booked."), of=case(BASELINE, run=MCP, arguments=KNOWN)), HOTEL)
    sent = case(VALID, run=MCP, arguments={**KNOWN, "guests": 4})
    words = "1 validation error for book\nguests\n  Input should be less than 4"
    in_result = called(rpc(result(words, isError=True), of=sent), HOTEL)
    by_protocol = called(rpc({"error": {"code": -32602, "message": words}}, of=sent), HOTEL)
    for call in (in_result, by_protocol):
        assert judged("ATDF-CALL-010", good, call, tool=HOTEL, run=MCP).verdict is Verdict.WARN


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": -32603, "message": "Invalid parameter guests: too many"}},
        result("Error: invalid parameter guests"),
    ],
)
def test_over_mcp_a_failure_of_the_server_and_an_error_inside_a_success_blame_nothing(answer):
    good = called(rpc(result("Booked."), of=case(BASELINE, run=MCP, arguments=KNOWN)), HOTEL)
    sent = case(VALID, run=MCP, arguments={**KNOWN, "guests": 4})
    call = called(rpc(answer, of=sent), HOTEL)
    assert judged("ATDF-CALL-010", good, call, tool=HOTEL, run=MCP).verdict is Verdict.PASS


@pytest.mark.parametrize("prefix", ["body.", "arguments.", "params.", "$."])
def test_a_name_with_a_prefix_is_not_the_parameter_s_name(prefix):
    named = refused(error(parameter=f"{prefix}count"))
    item = judged("ATDF-ERR-007", accepted(), named, claims=True)
    assert (item.verdict, ids(item)) == (Verdict.FAIL, {"finding.error.parameter_name"})
    assert f"{prefix}count" in item.findings[0].message.words("en")


def test_a_suggestion_behind_a_prefix_is_followed_all_the_same():
    named = refused(error(parameter="body.count", suggested_value="9"))
    assert judged("ATDF-ERR-009", accepted(), named, claims=True).verdict is Verdict.PASS


def test_a_suggestion_is_not_verified_if_the_schema_takes_too_many_steps(monkeypatch):
    costly = SchemaProblem(ProblemKind.TOO_COMPLEX, "60000 steps")
    monkeypatch.setattr(SchemaView, "is_valid", Mock(side_effect=costly))
    suggested = refused(error(suggested_value="9"))
    found = judged("ATDF-ERR-009", accepted(), suggested, claims=True)
    assert found.verdict is Verdict.NOT_VERIFIED
    assert judged("ATDF-ERR-012", accepted(), suggested, claims=True).verdict is found.verdict


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        (("maximum",), "finding.suggestion.none"),
        (("maxLength",), "finding.suggestion.none_cut"),
        (("maxLength", "format"), "finding.suggestion.none"),
    ],
)
def test_a_missing_suggestion_is_said_to_follow_from_the_schema_only_if_it_does(keywords, said):
    long = Violation("/count", "count", keywords, was="a", sent="abc")
    unaided = refused(error(suggested_value=None), violation=long)
    assert ids(judged("ATDF-ERR-012", accepted(), unaided, claims=True)) == {said}


def test_repairs_that_all_end_in_a_refusal_for_state_are_not_verified():
    broken = refused(error(suggested_value="9"))
    again = case(CaseKind.REPAIR, neighbour=broken.case.id, step=1)
    end = called(web(409, envelope(error("conflict")), of=again))
    item = judged("ATDF-ERR-012", accepted(), broken, end, claims=True)
    assert (item.verdict, ids(item)) == (Verdict.NOT_VERIFIED, {"kit.not_verified.repair_state"})


def test_the_words_of_a_disguise_are_quoted_as_data_where_there_is_no_text():
    data = {"success": False, "error": "No data"}
    item = judged(
        "MCP-CALL-006",
        called(rpc(result(structuredContent=data), of=case(BROKEN, run=MCP))),
        run=MCP,
    )
    assert json.dumps(data) in item.findings[0].message.words("en").replace("\\", "")


@pytest.mark.parametrize("sent", [None, [], "x", {"count": 2, "b": 1}])
def test_who_names_a_parameter_where_the_arguments_as_a_whole_are_wrong_is_told_to_write_null(sent):
    whole = Violation("", None, ("type",), was={"count": 2}, sent=sent)
    item = judged("ATDF-ERR-007", accepted(), refused(violation=whole), claims=True)
    assert (item.verdict, ids(item)) == (Verdict.FAIL, {"finding.error.named_part"})


@pytest.mark.parametrize(
    ("run", "how", "other"), [(HTTP, "with 400 or 422", "isError"), (MCP, "with `isError`", "400")]
)
@pytest.mark.parametrize("closed", [True, False])
def test_how_to_refuse_is_said_for_the_protocol_of_the_run(run, how, other, closed):
    trouble = Trouble.CLOSED if closed else None
    failed = called(web(500, of=case(BROKEN), trouble=trouble, answered=not closed))
    told = judged("ATDF-CALL-005", failed, run=run).findings[0].message.words()
    assert how in told
    assert other not in told
