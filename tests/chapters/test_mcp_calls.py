"""The MCP chapter on calls: what is right, wrong, and neither."""

import json
from dataclasses import replace

import pytest

from conformance.kit.model.case import Expectation, Strictness
from conformance.kit.model.step import Step
from conformance.spec.vocabulary import Verdict
from tests.chapters.mcp_evidence import (
    BASELINE,
    BROKEN,
    LEGACY_RUN,
    MODERN_RUN,
    OBJECT,
    SECOND,
    VALID,
    error,
    exchange,
    result,
    said,
    text,
    tool,
    with_tool,
)
from tests.kit.samples import verdict

PASS, FAIL, WARN = Verdict.PASS, Verdict.FAIL, Verdict.WARN
NOT_VERIFIED, NOT_APPLICABLE = Verdict.NOT_VERIFIED, Verdict.NOT_APPLICABLE
STRUCTURED = {"content": [text("{}")], "structuredContent": {"n": 1}}
TASKS = {"tasks": {"requests": {"tools": {"call": {}}}}}


def tasked(reply, capabilities):
    steps = {
        "mcp_handshake": (exchange(LEGACY_RUN, "initialize", result(capabilities=capabilities)),),
        "mcp_tasks": (exchange(LEGACY_RUN, Step("call", tool="count"), reply),),
    }
    declared = tool(execution={"taskSupport": "required"})
    return with_tool(LEGACY_RUN, declared, scripts=steps)


ARRAY = tool(
    inputSchema={
        "type": "object",
        "properties": {"a": {"type": "array", "x-mcp-header": "A"}},
    }
)


def as_declared(declared):
    """A run with a tool that could not be used: only its declaration is known."""
    run = with_tool(MODERN_RUN, tool())
    own = run.by_tool["count"]
    stub = replace(own, tool=replace(own.tool, raw=declared))
    return replace(run, by_tool={"count": stub})


OF_A_TOOL = [
    (
        "structured content that is valid passes",
        "MCP-OUT-001",
        with_tool(LEGACY_RUN, tool(outputSchema=OBJECT), (VALID, result(**STRUCTURED))),
        PASS,
    ),
    (
        "structured content of another type fails",
        "MCP-OUT-001",
        with_tool(
            LEGACY_RUN,
            tool(outputSchema=OBJECT),
            (VALID, result(content=[], structuredContent={"n": "1"})),
        ),
        FAIL,
    ),
    (
        "structured content of a refused call is not judged",
        "MCP-OUT-001",
        with_tool(
            LEGACY_RUN, tool(outputSchema=OBJECT), (VALID, result(content=[], isError=True))
        ),
        NOT_APPLICABLE,
    ),
    (
        "a format only says what a text means",
        "MCP-OUT-001",
        with_tool(
            LEGACY_RUN,
            tool(outputSchema={"type": "object", "properties": {"d": {"format": "date"}}}),
            (VALID, result(content=[], structuredContent={"d": "soon"})),
        ),
        PASS,
    ),
    (
        "a text that says something else is not judged",
        "MCP-OUT-002",
        with_tool(LEGACY_RUN, tool(), (VALID, result(**STRUCTURED))),
        NOT_VERIFIED,
    ),
    (
        "no text at all is a warning",
        "MCP-OUT-002",
        with_tool(LEGACY_RUN, tool(), (VALID, result(content=[], structuredContent={"n": 1}))),
        WARN,
    ),
    (
        "the same as text passes",
        "MCP-OUT-002",
        with_tool(
            LEGACY_RUN,
            tool(),
            (VALID, result(content=[text(' {"n":1}')], structuredContent={"n": 1})),
        ),
        PASS,
    ),
    (
        "a value in a member of its own is told by its text",
        "MCP-OUT-002",
        with_tool(
            LEGACY_RUN,
            tool(),
            (VALID, result(content=[text('9:00')], structuredContent={"result": "9:00"})),
        ),
        PASS,
    ),
    (
        "so is a number",
        "MCP-OUT-002",
        with_tool(
            LEGACY_RUN,
            tool(),
            (VALID, result(content=[text('7')], structuredContent={"result": 7})),
        ),
        PASS,
    ),
    (
        "a list in such a member is told by a text for each item",
        "MCP-OUT-002",
        with_tool(
            LEGACY_RUN,
            tool(),
            (VALID, result(content=[text('a'), text('7')], structuredContent={"result": ["a", 7]})),
        ),
        PASS,
    ),
    (
        "a list of other items is not judged",
        "MCP-OUT-002",
        with_tool(
            LEGACY_RUN,
            tool(),
            (VALID, result(content=[text("a")], structuredContent={"result": ["a", "b"]})),
        ),
        NOT_VERIFIED,
    ),
    (
        "true as text is not the number 1",
        "MCP-OUT-002",
        with_tool(
            LEGACY_RUN,
            tool(),
            (VALID, result(content=[text('{"n":true}')], structuredContent={"n": 1})),
        ),
        NOT_VERIFIED,
    ),
    (
        "an input refused by a protocol error is a warning",
        "MCP-CALL-003",
        with_tool(
            LEGACY_RUN,
            tool(),
            (BASELINE, result(content=[])),
            (BROKEN, error(-32602), {"strictness": Strictness.STRICT}),
        ),
        WARN,
    ),
    (
        "a protocol error for the good call too proves nothing",
        "MCP-CALL-003",
        with_tool(
            LEGACY_RUN,
            tool(),
            (BASELINE, error(-32602)),
            (BROKEN, error(-32602), {"strictness": Strictness.STRICT}),
        ),
        NOT_VERIFIED,
    ),
    (
        "arguments that are no object may be refused by one",
        "MCP-CALL-003",
        with_tool(
            LEGACY_RUN,
            tool(),
            (BROKEN, error(-32602), {"arguments": [], "strictness": Strictness.MALFORMED}),
            (BROKEN, error(-32602), {"arguments": None, "strictness": Strictness.NEAR_MISS}),
        ),
        NOT_APPLICABLE,
    ),
    (
        "an input refused as an internal error is a warning",
        "MCP-CALL-005",
        with_tool(
            LEGACY_RUN,
            tool(),
            (BASELINE, result(content=[])),
            (BROKEN, error(-32603), {"strictness": Strictness.STRICT}),
        ),
        WARN,
    ),
    (
        "an internal error for the good call too proves nothing",
        "MCP-CALL-005",
        with_tool(
            LEGACY_RUN,
            tool(),
            (BASELINE, error(-32603)),
            (BROKEN, error(-32603), {"strictness": Strictness.STRICT}),
        ),
        NOT_VERIFIED,
    ),
    (
        "arguments that are no object refused as an internal error are a warning",
        "MCP-CALL-005",
        with_tool(
            LEGACY_RUN,
            tool(),
            (BASELINE, result(content=[])),
            (BROKEN, error(-32603), {"arguments": [], "strictness": Strictness.MALFORMED}),
        ),
        WARN,
    ),
    (
        "isError as text has not the form",
        "MCP-CALL-001",
        with_tool(LEGACY_RUN, tool(), (VALID, result(content=[], isError="true"))),
        FAIL,
    ),
    (
        "a content block of a kind that nobody knows has not the form",
        "MCP-CALL-001",
        with_tool(LEGACY_RUN, tool(), (VALID, result(content=[{"type": "hologram"}]))),
        FAIL,
    ),
    (
        "an input schema without a type fails",
        "MCP-LIST-002",
        with_tool(LEGACY_RUN, {"name": "count", "inputSchema": {}}),
        FAIL,
    ),
    ("a name with a space is a warning", "MCP-LIST-004", as_declared(tool("a b")), WARN),
    (
        "a header on an array fails",
        "MCP-HEAD-005",
        as_declared(ARRAY),
        FAIL,
    ),
    (
        "a read-only call that is refused the second time is a warning",
        "MCP-ANN-001",
        with_tool(
            LEGACY_RUN,
            tool(annotations={"readOnlyHint": True}),
            (SECOND, result(content=[], isError=True)),
        ),
        WARN,
    ),
    (
        "a task that is called plainly and answers fails",
        "MCP-TASK-001",
        tasked(result(content=[], isError=True), TASKS),
        FAIL,
    ),
    ("a task refused with -32601 passes", "MCP-TASK-001", tasked(error(-32601), TASKS), PASS),
    (
        "without the capability nothing is a task",
        "MCP-TASK-001",
        tasked(result(content=[]), {}),
        NOT_APPLICABLE,
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("clause", "run", "expected"), [r[1:] for r in OF_A_TOOL], ids=[r[0] for r in OF_A_TOOL]
)
def test_a_judge_says_of_a_tool(clause, run, expected):
    assert said(clause, run, "count") == expected


def envelope(**more):
    return {"errors": [{"type": "urn:x", "tool_name": "count", **more}]}


@pytest.mark.parametrize(
    ("carried", "expected"),
    [(envelope(), PASS), (envelope(title="other"), FAIL), (None, FAIL)],
    ids=["the same error", "another error", "no error"],
)
def test_the_error_as_data_is_compared_with_the_text(carried, expected):
    members = {"_meta": {"io.github.agent-formats/error": carried}} if carried else {}
    refusal = result(isError=True, content=[text(json.dumps(envelope()))], **members)
    run = with_tool(LEGACY_RUN, tool(), (BROKEN, refusal), claims_atdf=True)
    assert said("MCP-ATDF-002", run, "count") == expected


def test_a_wrong_result_of_a_valid_call_is_reported_before_those_of_invalid_calls():
    wrong, other = (
        result(content=[], structuredContent={"n": each}) for each in ("right call", "wrong call")
    )
    invalid = {"expects": Expectation.REJECT}
    calls = (BROKEN, other, invalid), (BROKEN, wrong, invalid), (VALID, wrong)
    run = with_tool(LEGACY_RUN, tool(outputSchema=OBJECT), *calls)
    made = {call.exchange.id: call.case.kind for call in run.by_tool["count"].calls}
    found = verdict("MCP-OUT-001", run, "count").findings
    assert [made[each.exchange] for each in found] == [VALID, BROKEN]
