"""Errors inside successes: known by their form, and what only looks like one stays a result."""

import json
from dataclasses import replace

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.evidence.disguise import blames
from conformance.kit.model.case import CaseKind, Violation
from conformance.spec.vocabulary import Disguise, Outcome
from tests.kit.samples import MCP, TOOL, called, case, result, rpc, web

BASELINE, VALID, BROKEN = CaseKind.BASELINE, CaseKind.VALID, CaseKind.BROKEN


def tool(name, description=None, **raw):
    """A plain MCP tool with this name and description."""
    return Tool(name, TOOL.input_schema, ToolForm.MCP, {"name": name, **raw}, description)


def answered(*texts, kind=BROKEN, of=TOOL, arguments=None, **more):
    """A call of a tool that was answered with a success of these texts."""
    sent = case(kind, run=MCP, tool=of)
    sent = sent if arguments is None else replace(sent, arguments=arguments)
    return called(rpc(result(*texts, **more), of=sent), of).reading


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Error: Missing arguments", Disguise.LEADING_WORD),
        ("ERROR: no such table: stars\nLINE 1: select", Disguise.LEADING_WORD),
        ("❌ Error: the file is not there", Disguise.LEADING_WORD),
        ("**Error**: the file is not there", Disguise.LEADING_WORD),
        ("Error 404: no page", Disguise.LEADING_WORD),
        ("Error (E42): no page", Disguise.LEADING_WORD),
        ("Error executing tool book: 1 validation error", Disguise.LEADING_WORD),
        ('Database error: near "query": syntax error', Disguise.LEADING_WORD),
        ("错误：身高和体重必须为正数", Disguise.LEADING_WORD),
        ("ValueError: invalid literal for int()", Disguise.ERROR_CLASS),
        ("sqlite3.OperationalError: no such table", Disguise.ERROR_CLASS),
        ("IllegalArgumentException: guests", Disguise.ERROR_CLASS),
        ("[Errno 2] No such file or directory: 'notes.txt'", Disguise.LIBRARY_ERROR),
        ("ENOENT: no such file or directory, open 'notes.txt'", Disguise.LIBRARY_ERROR),
        ("Request failed with status code 404", Disguise.LIBRARY_ERROR),
        ("Server error '502 Bad Gateway' for url 'http://a.b/c'", Disguise.LIBRARY_ERROR),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", Disguise.LIBRARY_ERROR),
        ("Error reading the file: [Errno 13] Permission denied: 'x'", Disguise.LIBRARY_ERROR),
        ('{"error": "File not found"}', Disguise.ERROR_MEMBER),
        ('{"error": {"code": "E1", "message": "No."}}', Disguise.ERROR_MEMBER),
        ('{"error": true, "message": "No such folder"}', Disguise.ERROR_MEMBER),
        ('{"status": "not_found", "error": "No such section"}', Disguise.ERROR_MEMBER),
        ('{"error": "no path", "example": {"usage": "f(p)"}}', Disguise.ERROR_MEMBER),
        ('{"success": false, "error": "No data", "data": null}', Disguise.SUCCESS_MEMBER),
        ('{"success": false, "message": "No.", "count": 10}', Disguise.SUCCESS_MEMBER),
        ('{"ok": false}', Disguise.SUCCESS_MEMBER),
        (
            '{"success": false, "error_type": "VALIDATION", "retryable": false, "message": "No."}',
            Disguise.SUCCESS_MEMBER,
        ),
        ('{"success": false, "message": "No.", "field": "guests"}', Disguise.SUCCESS_MEMBER),
        ('{"success": false, "platform": "p", "error": {"code": "E"}}', Disguise.SUCCESS_MEMBER),
        ('{"error": "No.", "retry_after": 30, "trace_id": "a1"}', Disguise.ERROR_MEMBER),
        ('{"status": "error"}', Disguise.STATUS_MEMBER),
        ('{"status": "error", "message": "No such file"}', Disguise.STATUS_MEMBER),
        ('{"result": {"status": "failed", "error": "No."}}', Disguise.STATUS_MEMBER),
        (
            '{"content": [{"type": "text", "text": "No."}], "isError": true, "meta": {}}',
            Disguise.NESTED_RESULT,
        ),
    ],
)
def test_a_success_that_holds_an_error_alone_is_a_refusal_in_disguise(text, form):
    reading = answered(text)
    assert reading.disguise is form
    assert reading.outcome is Outcome.INPUT_REFUSED
    assert reading.text == text


@pytest.mark.parametrize(
    "text",
    [
        "Error while loading: fetch failed.",
        "Cannot connect to host a.b:443 ssl:default [None]",
    ],
)
def test_the_error_of_a_library_without_a_network_is_no_success(text):
    reading = answered(text)
    assert reading.disguise is Disguise.LIBRARY_ERROR
    assert reading.outcome is Outcome.ENVIRONMENT


@pytest.mark.parametrize(
    ("name", "text", "outcome"),
    [
        ("list_orders", '{"status": "failed", "error": "fetch failed"}', Outcome.ENVIRONMENT),
        ("list_orders", '{"status": "failed", "error": "out of stock"}', Outcome.ACCEPTED),
        ("check_order", '{"status": "failed", "error": "fetch failed"}', Outcome.ACCEPTED),
    ],
)
def test_a_failed_record_that_names_a_missing_network_proves_nothing(name, text, outcome):
    assert answered(text, of=tool(name)).outcome is outcome


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("get_item", '{"isError": true, "content": [{"type": "text", "text": "No."}], "id": "m1"}'),
        ("get_item", '{"result": {"isError": true, "content": "x"}}'),
        ("get_trace", '{"isError": true, "content": [{"type": "text", "text": "No."}]}'),
    ],
)
def test_a_record_of_a_failed_call_is_no_failed_call(name, text):
    assert answered(text, of=tool(name)).accepted


@pytest.mark.parametrize(
    "text",
    [
        "Error handling guide: how to raise and catch",
        "Errors and exceptions: a tutorial",
        "An error occurred in the third act",
        "Standard error: 0.034",
        "Mean squared error: 1.2",
        "No error: all is well",
        "2026-11-22 ERROR: disk full",
        "ERROR: disk full\nINFO: retrying\nERROR: disk full",
        "error: one\n2026-11-22T10:00:00 warn: two",
        "read.txt: Error - ENOENT: no such file",
        "read.txt: [Errno 2] No such file or directory: 'read.txt'",
        "Failed to read a.txt: [Errno 2] No such file or directory: 'a.txt'\nb.txt: hello",
        "The page says: Request failed with status code 404",
        "Request failed with status code of conduct",
        "Cannot connect to host after the upgrade",
        "fetch failed payments and retry them",
        "EACCES: permission denied when I run npm install",
        "[SSL: how to configure",
        "All connection attempts failed since Monday",
        "Server error '500' on checkout",
        "KeyError is raised where a key is missing.",
        "Error: " + "a long page about errors. " * 100,
        '{"job": 7, "status": "error", "message": "disk full"}',
        '{"status": "error", "rows": [1, 2]}',
        '{"success": false, "failed_tests": 3}',
        '{"valid": false, "error": "Unexpected token"}',
        '{"error": "disk full", "host": "node-7"}',
        '{"error": null, "rows": []}',
        '{"error": "", "data": {}}',
        '{"errors": [], "status": "ok"}',
        '[{"error": "one of many"}]',
        '{"result": "Error handling guide"}',
        "NaN",
        "undefined",
    ],
)
def test_what_only_speaks_of_errors_is_a_result(text):
    reading = answered(text)
    assert reading.disguise is None
    assert reading.accepted


@pytest.mark.parametrize(
    ("name", "description", "text"),
    [
        ("tail_log", "Show the newest line.", "ERROR: disk full"),
        ("tail", "Read the log of a host.", "Error: disk full"),
        ("getLastException", "What went wrong last.", "ValueError: no number"),
        ("get_job", "Look a job up.", '{"status": "error", "message": "disk full"}'),
        ("order", "Tell the state of an order.", '{"status": "failed"}'),
        ("run_tests", "Run them.", '{"success": false, "message": "3 failed"}'),
        ("check_link", "Look at a link.", '{"ok": false}'),
        ("last_error", "Tell it.", '{"error": "disk full"}'),
        ("check_file", "Look at a file.", "[Errno 2] No such file or directory: 'a'"),
    ],
)
def test_an_error_may_be_the_result_of_a_tool_that_is_about_errors(name, description, text):
    assert answered(text, of=tool(name, description)).accepted
    assert answered(text, of=tool("book", "Book a room. Gives an error if none is left.")).refused


@pytest.mark.parametrize(
    ("text", "blamed"),
    [
        ('{"success": false, "message": "room_id: Required"}', True),
        ('{"success": false, "errorCode": "E1", "message": "No."}', True),
        ('{"success": false, "message": "The room is taken"}', False),
        ("Error: room_id must be a text", True),
        ('{"success": false, "error": "Invalid arguments for tool \'check_logs\'"}', True),
        ('{"success": false, "tool": "check_logs", "error": "3 are wrong"}', False),
        ("Error: invalid arguments for `check_logs`", True),
    ],
)
def test_an_error_that_blames_what_was_broken_is_no_result_of_any_tool(text, blamed):
    """It may be of a tool that checks something, and fails to say so in `isError`."""
    lacks = Violation("/room_id", "room_id", ("required",), sent_absent=True)
    assert is_refused(text, {}, lacks) is blamed


@pytest.mark.parametrize(
    ("text", "blamed"),
    [
        ("Error: container 'log' restarted", False),
        ("Error: invalid arguments for tool 'log'", True),
    ],
)
def test_a_name_of_one_word_has_to_be_named_as_a_tool(text, blamed):
    lacks = Violation("/room_id", "room_id", ("required",), sent_absent=True)
    assert is_refused(text, {}, lacks, "log") is blamed


def test_what_an_error_repeats_ends_before_its_reason():
    said = 'Received {"limit": 0, "of": {"a": 1}}: "limit" must be positive, such as {"limit": 5}'
    assert blames("limit", said)
    assert not blames("of", said)


def is_refused(text, arguments, violation, name="check_logs"):
    """Whether the answer to a broken call of a tool about logs counts as a refusal."""
    checks = tool(name, "Check the logs of a room.")
    broken = case(BROKEN, run=MCP, tool=checks)
    broken = replace(broken, arguments=arguments, violation=violation)
    return called(rpc(result(text), of=broken), checks).reading.refused


@pytest.mark.parametrize(
    ("text", "blamed"),
    [
        ("Error: room must be a text", True),
        ("Error: the `room` is missing", True),
        ("Error: missing argument room", True),
        ("Error: rooms are all taken", False),
        ("Error: the disk of this room is full", False),
        ('{"success": false, "message": "room: Required"}', True),
        ('{"success": false, "message": "The room is taken"}', False),
        ('{"success": false, "room": ""}', False),
    ],
)
def test_a_name_of_one_word_is_blamed_where_the_error_begins_with_it_or_marks_it(text, blamed):
    empty = Violation("/room", "room", ("minLength",), sent="")
    assert is_refused(text, {"room": ""}, empty) is blamed


def test_an_error_may_be_the_result_of_a_call_that_asks_for_one():
    asked = {"kind": "error"}
    assert answered("Error: Operation failed", kind=VALID, arguments=asked).accepted
    assert answered("Error: Operation failed", kind=VALID, arguments={"kind": "debug"}).refused
    assert answered('{"ok": false}', kind=VALID, arguments={"test": "test"}).refused


def test_a_tool_s_title_says_what_it_is_about():
    titled = tool("tail", annotations={"title": "Log viewer"})
    assert answered("Error: disk full", of=titled).accepted


def test_what_was_sent_and_comes_back_is_an_echo():
    text = "Oops: fehler"
    assert answered(text, arguments={"text": text}).accepted
    assert answered("Fehler: x", arguments={"text": "Fehler: x"}).accepted


def test_a_status_that_the_output_schema_lists_is_a_result():
    status = {"type": "string", "enum": ["booked", "error"]}
    listing = replace(TOOL, output_schema={"properties": {"status": status}})
    assert answered('{"status": "error"}', of=listing).accepted
    assert answered('{"status": "failed"}', of=listing).refused


def test_data_that_is_structured_is_read_without_a_text():
    data = {"success": False, "error": "No data"}
    reading = answered(structuredContent=data)
    assert reading.disguise is Disguise.SUCCESS_MEMBER
    assert json.loads(reading.text) == data


@pytest.mark.parametrize("text", ["NaN", "The sum is: NaN", "undefined", "[object Object]"])
def test_no_value_is_no_baseline_and_no_refusal(text):
    reading = answered(text, kind=BASELINE)
    assert reading.disguise is Disguise.NOT_A_VALUE
    assert reading.outcome is Outcome.OTHER_REFUSED
    assert answered(text, kind=VALID).accepted
    assert answered(text, kind=BROKEN).accepted


def test_a_2xx_body_is_read_by_the_same_forms():
    failed = called(web(200, {"error": "No such room"}, of=case(VALID))).reading
    assert (failed.disguise, failed.outcome) == (Disguise.ERROR_MEMBER, Outcome.INPUT_REFUSED)
    assert called(web(200, {"error": "full", "host": "a"}, of=case(VALID))).reading.accepted


def test_a_refusal_that_says_that_it_is_one_is_not_in_disguise():
    assert answered("Error: no", isError=True).disguise is None
    assert called(web(422, {"error": "no"}, of=case())).reading.disguise is None


def test_a_finding_quotes_what_an_object_says_and_not_its_empty_members():
    text = json.dumps({"value": None, "values": [], "ok": False, "error": "no such name"})
    assert answered(text).said == '{"ok": false, "error": "no such name"}'


@pytest.mark.parametrize("text", ['{"error": "no such name"}', "{", "no such name", '{"a": null}'])
def test_a_finding_quotes_any_other_text_as_it_is(text):
    assert replace(answered("Error: no"), text=text).said == text


def test_a_failure_that_blames_what_was_broken_is_one_whatever_else_it_has():
    text = '{"success": false, "error": "count: at most 9", "took": 3, "rows": [1]}'
    assert answered(text).disguise is Disguise.SUCCESS_MEMBER
    assert answered(text, kind=VALID).disguise is None
    assert answered(text.replace("count", "rows")).disguise is None
