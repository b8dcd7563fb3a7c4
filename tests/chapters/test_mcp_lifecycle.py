"""The MCP chapter on handshakes and versions: what is right, wrong, and neither."""

from dataclasses import replace

import pytest

from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.step import Mark, Step
from conformance.mcp.seen import answered, asked_words
from conformance.spec.messages import LANGUAGES
from conformance.spec.vocabulary import Verdict
from tests.chapters.mcp_evidence import (
    LEGACY_RUN,
    LEGACY_STDIO,
    MODERN_RUN,
    MODERN_STDIO,
    answer,
    error,
    evidence,
    exchange,
    refused,
    result,
    said,
    speaker,
    tool,
    verdict,
    with_tool,
)

PASS, FAIL, WARN = Verdict.PASS, Verdict.FAIL, Verdict.WARN
NOT_VERIFIED, NOT_APPLICABLE = Verdict.NOT_VERIFIED, Verdict.NOT_APPLICABLE
OPENED = result(
    protocolVersion="2025-11-25", capabilities={}, serverInfo={"name": "s", "version": "1"}
)


def opening(reply, run=LEGACY_RUN, **more):
    return evidence(run, mcp_handshake=[exchange(run, "initialize", reply, **more)])


def asked(**answers):
    """`mcp_versions` with the version that each question was answered with."""
    steps = [
        exchange(
            LEGACY_RUN,
            Step("ask", version=version[1:].replace("_", "-")),
            result(protocolVersion=answer) if answer else error(-32602),
            method="initialize",
        )
        for version, answer in answers.items()
    ]
    return evidence(LEGACY_RUN, mcp_versions=steps)


FIRST = exchange(MODERN_STDIO, Step("list-first", number=1), bare=True, trouble=Trouble.TIMEOUT)
LATE_FIRST = evidence(
    MODERN_STDIO,
    mcp_alone=[
        FIRST,
        exchange(
            MODERN_STDIO,
            "list-later",
            result(tools=[]),
            others=[{"jsonrpc": "2.0", "id": FIRST.request.answer_to, "result": {}}],
        ),
    ],
)


def refusal(words, code=-32600):
    return {"error": {"code": code, "message": words}}


def calls_alone(*replies):
    """A modern server that lists its tools, and answers its calls so."""
    listed = [
        exchange(MODERN_STDIO, step, result(tools=[]))
        for step in (Step("list-first", number=1), "list-later")
    ]
    calls = [(CaseKind.BASELINE, reply) for reply in replies]
    scripts = {"mcp_alone": tuple(replace(one, script="mcp_alone") for one in listed)}
    return with_tool(MODERN_STDIO, tool(), *calls, scripts=scripts)


def telling(capabilities, method="notifications/message"):
    """A handshake that declares this, and a notification behind it."""
    opened = result(
        protocolVersion="2025-11-25",
        capabilities=capabilities,
        serverInfo={"name": "tells", "version": "1"},
    )
    told = exchange(LEGACY_STDIO, "tools-list", result(tools=[]), others=[{"method": method}])
    opening = exchange(LEGACY_STDIO, "initialize", opened, method="initialize")
    return evidence(LEGACY_STDIO, mcp_handshake=[opening, told])


RULINGS = [
    # Lifecycle
    ("a whole handshake passes", "MCP-LIFE-001", opening(OPENED), PASS),
    (
        "a handshake without a name fails",
        "MCP-LIFE-001",
        opening(result(protocolVersion="2025-11-25", capabilities={})),
        FAIL,
    ),
    (
        "a process that is slow to start is not laid to the handshake",
        "MCP-LIFE-001",
        opening(None, LEGACY_STDIO, bare=True, trouble=Trouble.TIMEOUT),
        NOT_VERIFIED,
    ),
    (
        "a ping's result may hold _meta",
        "MCP-PING-001",
        evidence(
            LEGACY_RUN, mcp_handshake=[exchange(LEGACY_RUN, "p", result(_meta={}), method="ping")]
        ),
        PASS,
    ),
    (
        "a ping's result with more fails",
        "MCP-PING-001",
        evidence(
            LEGACY_RUN, mcp_handshake=[exchange(LEGACY_RUN, "p", result(ok=True), method="ping")]
        ),
        FAIL,
    ),
    (
        "a refusal of initialize that repeats only what was asked names no version",
        "MCP-LIFE-007",
        evidence(
            MODERN_RUN,
            mcp_initialize=[
                exchange(
                    MODERN_RUN,
                    "initialize",
                    error(-32601, requested="2025-11-25"),
                    request=speaker(LEGACY_RUN).initialize(),
                )
            ],
        ),
        WARN,
    ),
    (
        "a request of the server is found in a legacy run only if it asks for a feature",
        "MCP-LIFE-004",
        answer(result(tools=[]), LEGACY_STDIO, others=[{"method": "ping", "id": 1}]),
        PASS,
    ),
    (
        "roots that were not offered must not be asked for",
        "MCP-LIFE-004",
        answer(result(tools=[]), LEGACY_STDIO, others=[{"method": "roots/list", "id": 1}]),
        FAIL,
    ),
    (
        "a log message without the capability is found",
        "MCP-LIFE-010",
        telling({}),
        FAIL,
    ),
    (
        "a log message may be sent where logging is declared",
        "MCP-LIFE-010",
        telling({"logging": {}}),
        PASS,
    ),
    (
        "a notice of a change needs its own switch",
        "MCP-LIFE-010",
        telling({"tools": {"listChanged": False}}, "notifications/tools/list_changed"),
        FAIL,
    ),
    (
        "progress needs no capability",
        "MCP-LIFE-010",
        telling({}, "notifications/progress"),
        NOT_APPLICABLE,
    ),
    (
        "a modern server asks for nothing at all",
        "MCP-LIFE-005",
        answer(result(), MODERN_STDIO, others=[{"method": "ping", "id": 1}]),
        FAIL,
    ),
    (
        "a first answer that comes late has come",
        "MCP-LIFE-006",
        LATE_FIRST,
        PASS,
    ),
    (
        "calls that wait for a handshake of another era fail",
        "MCP-LIFE-006",
        calls_alone(refusal("initialize is required")),
        FAIL,
    ),
    (
        "so does one that says that the server is not initialized",
        "MCP-LIFE-006",
        calls_alone(refusal("Received request before initialization was complete", -32602)),
        FAIL,
    ),
    (
        "nor one whose browser is not initialized",
        "MCP-LIFE-006",
        calls_alone(refusal("The browser is not initialized. Set BROWSER_PATH.", -32000)),
        PASS,
    ),
    (
        "a program that cannot initialize its database is no such server",
        "MCP-LIFE-006",
        calls_alone(refusal("Failed to initialize the database", -32603)),
        PASS,
    ),
    (
        "nor is one that accepts other calls",
        "MCP-LIFE-006",
        calls_alone(result(content=[]), refusal("The store is not initialized")),
        PASS,
    ),
    # Versions
    (
        "each supported version is agreed to",
        "MCP-VER-001",
        asked(v1999_01_01="2025-11-25", v2024_11_05=None, v2025_11_25="2025-11-25"),
        PASS,
    ),
    (
        "a version that was offered elsewhere must be agreed to",
        "MCP-VER-001",
        asked(v1999_01_01="2025-06-18", v2025_06_18="2025-11-25", v2025_11_25="2025-11-25"),
        FAIL,
    ),
    ("an error does not agree", "MCP-VER-002", asked(v1999_01_01=None), PASS),
    ("an unknown version repeated agrees", "MCP-VER-002", asked(v1999_01_01="1999-01-01"), FAIL),
    (
        "an older version offered is a warning",
        "MCP-VER-003",
        asked(v1999_01_01="2024-11-05", v2025_11_25="2025-11-25"),
        WARN,
    ),
    (
        "a server that agreed to an unknown version offered no other one",
        "MCP-VER-003",
        asked(v1999_01_01="1999-01-01", v2025_11_25="2025-11-25"),
        NOT_APPLICABLE,
    ),
    (
        "supported versions may leave out the legacy ones",
        "MCP-VER-004",
        refused("unknown-version", -32022, supported=["2026-07-28"], requested="1999-01-01"),
        PASS,
    ),
    (
        "a refusal of a version with another status fails",
        "MCP-VER-004",
        refused("unknown-version", -32022, status=200, supported=["2026-07-28"]),
        FAIL,
    ),
    (
        "the same over stdio has no status",
        "MCP-VER-004",
        refused("unknown-version", -32022, MODERN_STDIO, supported=["2026-07-28"]),
        PASS,
    ),
    (
        "a limit of rate proves nothing about versions",
        "MCP-VER-004",
        refused("unknown-version", -32000, status=429),
        NOT_VERIFIED,
    ),
    (
        "a missing key is refused with -32602",
        "MCP-META-001",
        refused("without-clientCapabilities", -32602),
        PASS,
    ),
    (
        "a missing key refused with another code fails",
        "MCP-META-001",
        refused("without-clientCapabilities", -32600),
        FAIL,
    ),
]


@pytest.mark.parametrize(
    ("clause", "run", "expected"), [r[1:] for r in RULINGS], ids=[r[0] for r in RULINGS]
)
def test_a_judge_says(clause, run, expected):
    assert said(clause, run) == expected


def test_a_notification_of_an_undeclared_capability_is_told_with_what_was_asked_for():
    (found,) = verdict("MCP-LIFE-010", telling({})).findings
    assert found.message.words().startswith(
        "While it handled the request `tools/list`, the server sent `"
    )


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Step("no-jsonrpc"), "a request without `jsonrpc`"),
        (Step("no-jsonrpc", mark=Mark.ALIVE), "the request `ping`"),
    ],
)
def test_a_malformed_request_is_named_by_what_is_wrong_with_it(step, words):
    sent = exchange(LEGACY_STDIO, step, result(), method="ping", script="mcp_wire")
    assert asked_words(sent).words() == words


def test_a_notification_is_not_called_a_request():
    notice = speaker(LEGACY_STDIO).notification("notifications/initialized")
    sent = exchange(LEGACY_STDIO, "initialized", result(), request=notice)
    assert asked_words(sent).words() == "the notification `notifications/initialized`"


def test_a_connection_that_was_closed_is_told_as_one():
    gone = exchange(LEGACY_STDIO, "p", bare=True, trouble=Trouble.CLOSED, method="ping")
    (found,) = verdict("MCP-PING-001", evidence(LEGACY_STDIO, mcp_handshake=[gone])).findings
    assert "got a closed connection instead of an answer" in found.message.words()


def test_only_what_a_ping_may_not_have_is_named():
    full = exchange(LEGACY_RUN, "p", result(_meta={}, ok=True), method="ping")
    (found,) = verdict("MCP-PING-001", evidence(LEGACY_RUN, mcp_handshake=[full])).findings
    assert found.message.words() == "The result of `ping` contains `ok`. Leave it empty."


@pytest.mark.parametrize("trouble", Trouble)
@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_came_in_the_place_of_an_answer_has_words(trouble, language):
    gone = exchange(LEGACY_STDIO, "p", bare=True, trouble=trouble)
    assert answered(gone).words(language)
