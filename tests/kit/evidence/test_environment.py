"""What is missing around a server is known by its words; a refusal of the input is not taken for
it.
"""

import json
from dataclasses import replace

import pytest

from conformance.kit.model.case import CaseKind, Violation
from conformance.spec.vocabulary import MISSING_SIGNS, Missing, Outcome
from tests.kit.samples import (
    MCP,
    TOOL,
    called,
    case,
    envelope,
    error,
    result,
    rpc,
    tool_evidence,
    web,
)

BASELINE = CaseKind.BASELINE


def failed(text, kind=BASELINE, **changes):
    """A call over MCP that failed with these words."""
    return called(rpc(result(text, isError=True), of=case(kind, run=MCP, **changes))).reading


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("request to https://example.com failed, reason: getaddrinfo EAI_AGAIN", Missing.NETWORK),
        ("TypeError: fetch failed", Missing.NETWORK),
        ("[Errno -3] Temporary failure in name resolution", Missing.NETWORK),
        ("Failed to fetch robots.txt due to a connection issue", Missing.NETWORK),
        ("dial tcp: lookup example.com: no such host", Missing.NETWORK),
        ("browserType.launch: Executable doesn't exist. Run: npx playwright install",
         Missing.BROWSER),
        ("Could not find Chrome (ver. 131)", Missing.BROWSER),
        ("connection to server at \"127.0.0.1\", port 5432 failed: Connection refused",
         Missing.DATABASE),
        ("Error 111 connecting to localhost:6379. Connection refused.", Missing.DATABASE),
        ("connect ECONNREFUSED 127.0.0.1:9200", Missing.SERVICE),
        ("Cannot connect to the Docker daemon at unix:///var/run/docker.sock", Missing.SERVICE),
        ("[code:4] The client is not currently connected.", Missing.SERVICE),
        ("OPENAI_API_KEY is not set", Missing.CREDENTIALS),
        ("Please set the BRAVE_API_KEY environment variable", Missing.CREDENTIALS),
        ("Request failed with status code 401", Missing.CREDENTIALS),
        ("search error (401): API key must be provided as an argument", Missing.CREDENTIALS),
        ("Client error '401 Unauthorized' for url 'https://example.com'", Missing.CREDENTIALS),
        ("NOTES_ROOT is empty or unset. Refusing to read any file.", Missing.SETTING),
        ("Set the NOTES_ROOT environment variable first", Missing.SETTING),
        ("Missing required environment variables: DB_HOST, DB_USER", Missing.SETTING),
        ("Could not find Google Chrome executable for channel 'stable' at:", Missing.BROWSER),
        ("Environment variable NOTES_ROOT is not set", Missing.SETTING),
        ("Failed to execute command: spawn ast-grep ENOENT", Missing.PROGRAM),
        ("EROFS: read-only file system, open '/opt/server/memory.jsonl'", Missing.FILES),
        ("OSError: [Errno 30] Read-only file system: '/opt/notes.db'", Missing.FILES),
        ("sqlite3.OperationalError: attempt to write a readonly database", Missing.FILES),
        ("unable to open database file", Missing.FILES),
        ("SqliteError: SQLITE_CANTOPEN: unable to open database", Missing.FILES),
        ("sh: 1: pandoc: command not found", Missing.PROGRAM),
        ("Error: cannot open display: :0", Missing.DISPLAY),
        ("Rate limit exceeded: 100 requests per 1 minutes for client: global", Missing.QUOTA),
        ("Upstream said 429: Too Many Requests", Missing.QUOTA),
    ],
)  # fmt: skip
def test_a_call_that_failed_for_what_is_missing_is_an_outcome_of_its_own(text, missing):
    reading = failed(text)
    assert reading.outcome is Outcome.ENVIRONMENT
    assert reading.missing is not None
    assert reading.missing[0] is missing
    assert reading.missing[1] in text
    assert not reading.refused


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("HTTPConnectionPool(host='127.0.0.1', port=9): Max retries exceeded with url: /pets "
         "(Caused by NewConnectionError('Connection refused'))", Missing.NETWORK),
        ("Error loading the pets: fetch failed", Missing.NETWORK),
        ("connect ECONNREFUSED 127.0.0.1:9", Missing.SERVICE),
    ],
)  # fmt: skip
def test_an_error_of_a_library_in_a_success_tells_what_is_missing_too(text, missing):
    reading = called(rpc(result(text), of=case(BASELINE, run=MCP)), TOOL).reading
    assert reading.outcome is Outcome.ENVIRONMENT
    assert reading.missing is not None
    assert reading.missing[0] is missing


@pytest.mark.parametrize("words", ["NOTES_ROOT is empty or unset", "OPENAI_API_KEY is not set"])
def test_what_is_missing_is_told_with_the_name_of_its_variable(words):
    missing = failed(f"cannot start: {words} here").missing
    assert missing is not None
    assert missing[1] == words


@pytest.mark.parametrize(
    "text",
    [
        "ENOENT: no such file or directory, open '/srv/path'",
        "1 validation error\ntoken\n  Field required",
        "Booking 401 does not exist",
        "The network name must be at most nine letters",
        "No user with the login `anna`",
        "The browser field must be one of chrome, firefox",
        "Not a database file",
        "The rate must be at most 5",
        "spawn /bin/sh ENOENT",  # Node says so of a working directory that does not exist
    ],
)
def test_a_refusal_of_the_input_is_none_of_the_environment(text):
    assert failed(text).outcome is Outcome.INPUT_REFUSED


def test_what_was_sent_and_comes_back_tells_nothing():
    text = "No booking is called `fetch failed`"
    assert failed(text, arguments={"count": "fetch failed"}).outcome is Outcome.INPUT_REFUSED


def test_a_refusal_that_names_the_broken_place_is_about_the_input():
    broken = Violation("/api_key", "api_key", ("required",), was="x", sent_absent=True)
    text = "api_key: an API key is required"
    assert failed(text, CaseKind.BROKEN, violation=broken).outcome is Outcome.INPUT_REFUSED
    assert failed(text, BASELINE).outcome is Outcome.ENVIRONMENT


def test_a_name_in_the_query_of_an_address_is_no_reason():
    wrong = Violation("/limit", "limit", ("type",), was=1, sent=1.5)
    text = "Max retries exceeded with url: /pets?limit=1.5"
    assert failed(text, CaseKind.BROKEN, violation=wrong).outcome is Outcome.ENVIRONMENT
    assert failed(f"{text} (limit)", CaseKind.BROKEN, violation=wrong).refused


def test_a_refusal_that_asks_for_an_argument_of_the_tool_is_about_the_input():
    schema = {"type": "object", "properties": {"client_secret": {"type": "string"}}}
    told = rpc(result("client_secret is required for direct mode", isError=True),
               of=case(BASELINE, run=MCP))  # fmt: skip
    of_an_argument = called(told, replace(TOOL, input_schema=schema)).reading
    assert of_an_argument.outcome is Outcome.INPUT_REFUSED
    assert called(told).reading.outcome is Outcome.ENVIRONMENT


def test_words_of_a_success_are_never_read():
    told = rpc(result("How to handle ECONNREFUSED and EAI_AGAIN"), of=case(BASELINE, run=MCP))
    assert called(told).reading.accepted


def test_a_disguised_failure_may_be_the_environment_s_too():
    told = rpc(result('{"error": "fetch failed"}'), of=case(BASELINE, run=MCP))
    reading = called(told).reading
    assert reading.outcome is Outcome.ENVIRONMENT
    assert reading.disguise is not None


LIMITED = "Rate limit reached (10/day on the free tier). Upgrade at https://example.com/pro"


def succeeded(text, of=TOOL, **more):
    """A baseline call over MCP that was answered with a success of these words."""
    return called(rpc(result(text, **more), of=case(BASELINE, run=MCP, tool=of)), of).reading


@pytest.mark.parametrize(
    "text",
    [
        LIMITED,
        "You have reached your daily limit of 10 calls. Come back tomorrow.",
        json.dumps({"error": LIMITED, "upgrade_url": "https://example.com"}),
        json.dumps({"message": "Limit 50/day", "remaining": 0}),
        json.dumps({"message": LIMITED, "limit": 10, "remaining": 0, "resetsAt": "2026-11-24"}),
    ],
)
def test_a_success_that_only_says_that_a_limit_of_calls_is_reached_proves_nothing(text):
    for reading in (succeeded(text), succeeded(text, structuredContent={"result": text})):
        assert reading.outcome is Outcome.ENVIRONMENT
        assert reading.missing is not None
        assert reading.missing[0] is Missing.QUOTA
        assert reading.disguise is None


@pytest.mark.parametrize(
    "text",
    [
        "Ticket 7: the mail server said that the rate limit was reached. " + "More of it. " * 40,
        json.dumps({"id": 7, "title": LIMITED}),
        json.dumps({"jobs": [{"id": 7, "error": LIMITED}]}),
        "The rate reached its daily high",
    ],
)
def test_a_success_that_holds_more_than_a_limit_is_a_result(text):
    assert succeeded(text).accepted


def test_a_limit_may_be_the_result_of_a_tool_that_is_about_limits():
    about = replace(TOOL, description="Show the limits of an account.")
    assert succeeded(LIMITED, of=about).accepted


@pytest.mark.parametrize("status", [400, 500, 502, 503])
def test_over_http_a_failure_s_body_tells_it(status):
    told = web(status, {"detail": "connect ECONNREFUSED 127.0.0.1:5432"}, of=case(BASELINE))
    assert called(told).reading.missing is not None


@pytest.mark.parametrize("status", [401, 403, 429])
def test_rights_and_limits_of_the_server_itself_stay_what_they_are(status):
    told = web(status, {"detail": "API key is required"}, of=case(BASELINE))
    assert called(told).reading.outcome is Outcome.OTHER_REFUSED


def test_an_error_that_a_machine_can_read_is_believed():
    said = envelope(error("validation-error", detail="fetch failed"))
    assert called(web(422, said, of=case(BASELINE))).reading.outcome is Outcome.INPUT_REFUSED
    said = envelope(error("internal-error", detail="fetch failed"))
    assert called(web(500, said, of=case(BASELINE))).reading.outcome is Outcome.ENVIRONMENT


def test_an_error_of_the_protocol_about_parameters_is_believed():
    def answered(code):
        reply = {"error": {"code": code, "message": "fetch failed"}}
        return called(rpc(reply, of=case(BASELINE, run=MCP))).reading.outcome

    assert answered(-32602) is Outcome.INPUT_REFUSED
    assert answered(-32603) is Outcome.ENVIRONMENT
    assert answered(-32000) is Outcome.ENVIRONMENT


@pytest.mark.parametrize(
    ("missing", "sign"), [(m, sign) for m, signs in MISSING_SIGNS.items() for sign in signs]
)
def test_each_sign_of_the_vocabulary_is_found_in_a_sentence(missing, sign):
    text = f"It failed: THE_{sign}." if sign.startswith("_") else f"It failed: {sign}."
    reading = failed(text.replace("*", "x"))
    assert reading.outcome is Outcome.ENVIRONMENT


def test_a_call_that_lacked_something_speaks_for_a_tool_that_accepted_none():
    """It got further than a later one that was refused."""
    texts = ("fetch failed", "Invalid URL")
    made = [rpc(result(text, isError=True), of=case(BASELINE, run=MCP)) for text in texts]
    first, second = map(called, made)
    assert tool_evidence(first, second, run=MCP).baseline == first
