"""The MCP chapter on headers, methods and sessions: what is right, wrong, and neither."""

from dataclasses import replace

import pytest

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.kit.evidence.script import Stage
from conformance.kit.model.exchange import HttpRequest
from conformance.kit.model.settings import Settings
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import binding_of
from conformance.mcp.scripts import mcp_headers, mcp_parameters
from conformance.spec.vocabulary import Verdict
from tests.chapters.mcp_evidence import (
    JSON,
    LEGACY_RUN,
    MODERN_RUN,
    answer,
    error,
    evidence,
    exchange,
    refused,
    result,
    said,
    tool,
    verdict,
)

PASS, FAIL, WARN = Verdict.PASS, Verdict.FAIL, Verdict.WARN
NOT_VERIFIED, NOT_APPLICABLE = Verdict.NOT_VERIFIED, Verdict.NOT_APPLICABLE
SSE = ("content-type", "text/event-stream")


def removed(*steps, legacy):
    first = result() if legacy else error(-32022, supported=["2026-07-28"])
    return evidence(
        MODERN_RUN,
        mcp_initialize=[exchange(MODERN_RUN, "initialize", first, method="initialize")],
        mcp_removed=[*steps],
    )


RULINGS = [
    # HTTP
    (
        "a missing header is refused with -32020",
        "MCP-HEAD-001",
        refused("no-method", -32020, script="mcp_headers", good="plain"),
        PASS,
    ),
    (
        "a missing header refused with another code fails",
        "MCP-HEAD-001",
        refused("no-method", -32602, script="mcp_headers", good="plain"),
        FAIL,
    ),
    (
        "a 405 for GET is due only of a server without a legacy version",
        "MCP-HTTP-004",
        removed(exchange(MODERN_RUN, "get", status=200), legacy=True),
        NOT_APPLICABLE,
    ),
    (
        "a removed method answered with 200 fails",
        "MCP-HTTP-005",
        removed(
            *(
                exchange(MODERN_RUN, name, error(-32601), method=name, status=status)
                for name, status in (
                    ("kit/no-such-method", 404),
                    ("ping", 200),
                    ("logging/setLevel", 404),
                    ("resources/subscribe", 404),
                )
            ),
            legacy=True,
        ),
        FAIL,
    ),
    (
        "an error page of a proxy is not judged by its media type",
        "MCP-HTTP-001",
        answer(b"<p>", status=502, headers=[("content-type", "text/html")]),
        NOT_APPLICABLE,
    ),
    (
        "a success as text fails",
        "MCP-HTTP-001",
        answer(b"ok", headers=[("content-type", "text/plain")]),
        FAIL,
    ),
    (
        "a media type may have parameters",
        "MCP-HTTP-001",
        answer(result(), headers=[("Content-Type", "application/json; charset=utf-8")]),
        PASS,
    ),
    (
        "a notification answered with 200 fails",
        "MCP-HTTP-002",
        evidence(LEGACY_RUN, mcp_handshake=[exchange(LEGACY_RUN, "initialized", status=200)]),
        FAIL,
    ),
    (
        "a GET that opens a stream passes",
        "MCP-HTTP-003",
        evidence(LEGACY_RUN, mcp_session=[exchange(LEGACY_RUN, "get", status=200, headers=[SSE])]),
        PASS,
    ),
    (
        "a GET that gives a page fails",
        "MCP-HTTP-003",
        evidence(LEGACY_RUN, mcp_session=[exchange(LEGACY_RUN, "get", status=200)]),
        FAIL,
    ),
    (
        "a session that is not required is no fault",
        "MCP-SESS-002",
        evidence(LEGACY_RUN, mcp_session=[exchange(LEGACY_RUN, "without-session", result())]),
        NOT_APPLICABLE,
    ),
    (
        "an ended session answered with 400 fails",
        "MCP-SESS-003",
        evidence(
            LEGACY_RUN,
            mcp_session=[
                exchange(LEGACY_RUN, "probe", result()),
                exchange(LEGACY_RUN, "delete", status=200),
                exchange(LEGACY_RUN, "after-delete", error(-32000), status=400),
            ],
        ),
        FAIL,
    ),
    (
        "a session that the client may not end is no fault",
        "MCP-SESS-003",
        evidence(
            LEGACY_RUN,
            mcp_session=[
                exchange(LEGACY_RUN, "probe", result()),
                exchange(LEGACY_RUN, "delete", status=405),
                exchange(LEGACY_RUN, "after-delete", result()),
            ],
        ),
        NOT_APPLICABLE,
    ),
]


@pytest.mark.parametrize(
    ("clause", "run", "expected"), [r[1:] for r in RULINGS], ids=[r[0] for r in RULINGS]
)
def test_a_judge_says(clause, run, expected):
    assert said(clause, run) == expected


ALLOWS = (
    "access-control-allow-headers",
    "content-type, mcp-method, mcp-protocol-version, Mcp-Name",
)
ANYONE = ("access-control-allow-origin", "*")


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (204, (ANYONE, ALLOWS), "any web page can use this server"),
        (200, (ANYONE, ("access-control-allow-headers", "*")), "any web page can use this server"),
        (405, (ANYONE, ALLOWS), "A browser keeps other pages out"),
        (204, (ALLOWS,), "A browser keeps other pages out"),
        (204, (ANYONE,), "A browser keeps other pages out"),
        (
            204,
            (("access-control-allow-origin", "http://localhost:3000"), ALLOWS),
            "keeps other pages",
        ),
    ],
)
def test_any_page_can_use_a_server_only_if_a_browser_would_let_it(status, headers, expected):
    preflight = HttpRequest("OPTIONS", MODERN_RUN.endpoint)
    run = evidence(
        MODERN_RUN,
        mcp_origin=[
            exchange(MODERN_RUN, "none", result()),
            exchange(MODERN_RUN, "foreign", result()),
            exchange(MODERN_RUN, "preflight", request=preflight, status=status, headers=headers),
        ],
    )
    (finding,) = verdict("MCP-ORIG-001", run).findings
    assert expected in finding.message.words("en")


@pytest.mark.parametrize(
    ("status", "body"), [(400, None), (500, error(-32603)), (200, error(-32000))]
)
def test_a_refusal_with_another_status_lets_no_page_in(status, body):
    preflight = HttpRequest("OPTIONS", MODERN_RUN.endpoint)
    run = evidence(
        MODERN_RUN,
        mcp_origin=[
            exchange(MODERN_RUN, "none", result()),
            exchange(MODERN_RUN, "foreign", body, status=status),
            exchange(
                MODERN_RUN, "preflight", request=preflight, status=204, headers=(ANYONE, ALLOWS)
            ),
        ],
    )
    (finding,) = verdict("MCP-ORIG-001", run).findings
    assert finding.message.words("en").endswith("the expected answer is HTTP 403.")


@pytest.mark.parametrize(
    ("run", "expected"),
    [(replace(LEGACY_RUN, version="2025-06-18"), PASS), (LEGACY_RUN, FAIL), (MODERN_RUN, FAIL)],
)
def test_a_foreign_origin_may_be_refused_with_any_status_before_2025_11_25(run, expected):
    asked = [exchange(run, "none", result()), exchange(run, "foreign", error(-32603), status=500)]
    assert said("MCP-ORIG-001", evidence(run, mcp_origin=asked)) == expected


SESSION = ("Mcp-Session-Id", "a1")
NO_SESSION = {"error": {"code": -32600, "message": "Bad Request: Missing session ID"}}


@pytest.mark.parametrize(
    ("given", "refusal", "headers", "blamed"),
    [
        ((JSON,), NO_SESSION, (JSON,), True),
        ((JSON,), error(-32600), (JSON, SESSION), True),
        ((JSON,), error(-32600), (JSON,), False),
        ((JSON, SESSION), NO_SESSION, (JSON,), False),
    ],
)
def test_a_session_that_is_asked_for_and_was_not_given_is_one_finding(
    given, refusal, headers, blamed
):
    def sent(step, method="tools/list"):
        answered = {"status": 400, "headers": headers, "script": "discovery"}
        return exchange(LEGACY_RUN, step, refusal, method=method, **answered)

    shaken = exchange(LEGACY_RUN, "initialize", result(), headers=given)
    pinged = sent("ping", method="ping")
    run = evidence(
        LEGACY_RUN,
        discovery=[sent(Step("tools-list", number=1))],
        mcp_handshake=[shaken, pinged],
        mcp_session=[sent("get")],
    )
    run = replace(run, capabilities={"tools": {}})
    (found,) = verdict("MCP-LIST-001", run).findings
    assert (found.message.id == "finding.mcp.session_not_given") is blamed
    consequences = [said(clause, run) for clause in ("MCP-PING-001", "MCP-HTTP-003")]
    assert consequences == [NOT_VERIFIED if blamed else FAIL] * 2


@pytest.mark.parametrize("value", ["--5", "9" * 5_000, "5", "-5", "²", "true"])
def test_a_parameter_header_is_replaced_by_another_whatever_its_text_is(value):
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"}}}
    (declared,) = tools_of({"tools": [tool(inputSchema=schema)]}, Source.MCP).tools
    binding = binding_of(MODERN_RUN, Settings())
    stage = Stage(binding, (declared,), {declared.name: {"a": value}})
    sent = {each.step.name: dict(each.request.headers) for each in mcp_parameters(stage)}
    assert sent["plain"]["Mcp-Param-A"] != sent["other"]["Mcp-Param-A"]


def test_no_header_names_a_tool_that_is_left_out():
    listed = {"tools": [tool(name="wipe"), tool(name="look")]}
    declared = tools_of(listed, Source.MCP).tools
    stage = Stage(binding_of(MODERN_RUN, Settings()), declared, {"look": {}})
    sent = {each.step.name: dict(each.request.headers) for each in mcp_headers(stage)}
    assert sent["call-other-name"]["Mcp-Name"] == "look-other"


def in_other_letters(reply, **more):
    """The same request twice: headers as usual, then with their names in other letters."""
    good = result(resultType="complete")
    other = exchange(MODERN_RUN, "other-case", reply, **more)
    return evidence(MODERN_RUN, mcp_headers=[exchange(MODERN_RUN, "plain", good), other])


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        pytest.param(in_other_letters(result(resultType="complete")), PASS, id="answered alike"),
        pytest.param(in_other_letters(error(-32020), status=400), FAIL, id="refused"),
        pytest.param(in_other_letters(error(0), status=429), NOT_VERIFIED, id="refused for load"),
    ],
)
def test_the_case_of_a_header_must_not_matter(run, expected):
    assert said("MCP-HEAD-004", run) is expected
