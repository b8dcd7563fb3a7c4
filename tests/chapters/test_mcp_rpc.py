"""The MCP chapter on JSON-RPC and stdio: what is right, wrong, and neither."""

from dataclasses import replace

import pytest

from conformance.kit.model.exchange import Trouble
from conformance.kit.model.run import Run
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.mcp import META
from conformance.spec.vocabulary import Binding, Verdict
from tests.chapters.mcp_evidence import (
    LEGACY_RUN,
    LEGACY_STDIO,
    MODERN_RUN,
    MODERN_STDIO,
    answer,
    error,
    evidence,
    exchange,
    result,
    said,
    speaker,
)

PASS, FAIL, WARN = Verdict.PASS, Verdict.FAIL, Verdict.WARN
LIMITED = {"error": {"code": -32000, "message": "Rate limit exceeded: 100 requests per minute"}}
NOT_VERIFIED, NOT_APPLICABLE = Verdict.NOT_VERIFIED, Verdict.NOT_APPLICABLE
OPENED = result(
    protocolVersion="2025-11-25", capabilities={}, serverInfo={"name": "s", "version": "1"}
)
LATE = evidence(
    LEGACY_STDIO,
    mcp_wire=[
        exchange(LEGACY_STDIO, "not-json", request=speaker(LEGACY_STDIO).raw(b'{"id":77,"x":1')),
        exchange(
            LEGACY_STDIO,
            Step("not-json", mark=Mark.ALIVE),
            result(),
            others=[
                {"jsonrpc": "2.0", "id": 77, "error": {"code": -32600, "message": "no"}},
                {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no"}},
            ],
        ),
    ],
)

ABSENT = NOT_APPLICABLE
ASKS = {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
LOGS = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}


def of_no_version(run):
    """Requests that do not name the version of their run, answered as the old era answers."""
    own = speaker(run)
    params = {"others": [ASKS, LOGS], "run": run}
    unknown = {**own.meta(), META + "protocolVersion": "1999-01-01"}
    requests = {
        "no version at all": own.request("tools/list", {}, id=1, meta={}),
        "an unknown version": own.request("tools/list", {}, id=1, meta=unknown),
        "text that is not JSON": own.raw(b"{not JSON", answer_to=1),
    }
    if run is MODERN_RUN:
        without = {"MCP-Protocol-Version": None}
        requests["no header"] = own.request("tools/list", {}, id=1, headers=without)
    for name, request in requests.items():
        for reply in (result(tools=[]), error(-32002)):
            yield name, exchange(step="s", reply=reply, request=request, **params)


def noticed(reply, *others):
    """A notification that nobody knows, and the ping behind it."""
    notice = speaker(LEGACY_STDIO).notification("notifications/kit")
    return evidence(
        LEGACY_STDIO,
        mcp_wire=[
            exchange(LEGACY_STDIO, "unknown-notification", request=notice, bare=True),
            exchange(
                LEGACY_STDIO, Step("unknown-notification", mark=Mark.ALIVE), reply, others=others
            ),
        ],
    )


NO_METHOD = {"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "no"}}
RULINGS = [
    # JSON-RPC
    ("a notification that nobody answers passes", "MCP-RPC-006", noticed(result()), PASS),
    ("so it does where ping is not known", "MCP-RPC-006", noticed(error(-32601)), PASS),
    ("an error for it fails", "MCP-RPC-006", noticed(result(), NO_METHOD), FAIL),
    (
        "an error for it fails where ping is not known",
        "MCP-RPC-006",
        noticed(error(-32601), NO_METHOD),
        FAIL,
    ),
    ("a gone server shows nothing", "MCP-RPC-006", noticed(None), NOT_VERIFIED),
    ("an id of another type fails", "MCP-RPC-001", answer({"id": "1", "result": {}}), FAIL),
    (
        "a null id in a 400 is tolerated",
        "MCP-RPC-001",
        answer({"id": None, **error(-32600)}, status=400),
        PASS,
    ),
    (
        "a null id in a success fails",
        "MCP-RPC-001",
        answer({"id": None, "result": {}}),
        FAIL,
    ),
    ("late answers to malformed messages have ids of ours", "MCP-RPC-001", LATE, PASS),
    (
        "a result with an error fails",
        "MCP-RPC-002",
        answer({"result": {}, **error(-32600)}),
        FAIL,
    ),
    (
        "a 500 that is no JSON-RPC is not judged as such",
        "MCP-RPC-002",
        answer(b'{"error": "down"}', status=500),
        NOT_APPLICABLE,
    ),
    (
        "a code as text fails",
        "MCP-RPC-003",
        answer({"error": {"code": "-32600", "message": "no"}}),
        FAIL,
    ),
    (
        "a code as text is still read as the code that it means",
        "MCP-META-001",
        evidence(
            MODERN_RUN,
            mcp_requests=[
                exchange(MODERN_RUN, "good", result()),
                exchange(
                    MODERN_RUN,
                    "without-clientCapabilities",
                    {"error": {"code": "-32602", "message": "no"}},
                    status=400,
                ),
            ],
        ),
        PASS,
    ),
    (
        "a body that is not UTF-8 fails",
        "MCP-RPC-007",
        answer('{"result": "á"}'.encode("latin-1")),
        FAIL,
    ),
    (
        "an undefined code of the reserved range fails",
        "MCP-RPC-009",
        answer(error(-32050)),
        FAIL,
    ),
    ("a retired code fails", "MCP-RPC-009", answer(error(-32002)), FAIL),
    ("a code outside the range is the server's own", "MCP-RPC-009", answer(error(-32000)), PASS),
    ("a result without its type fails", "MCP-RPC-010", answer(result(tools=[])), FAIL),
    (
        "another type may be an extension's",
        "MCP-RPC-010",
        replace(answer(result(resultType="task")), capabilities={"extensions": {"x": {}}}),
        NOT_VERIFIED,
    ),
    (
        "the answer to initialize in a modern run is of another era",
        "MCP-RPC-010",
        evidence(
            MODERN_RUN,
            mcp_initialize=[exchange(MODERN_RUN, "initialize", OPENED, method="initialize")],
        ),
        NOT_APPLICABLE,
    ),
    *(
        (f"{clause} asks nothing of an answer to {name}", clause, evidence(run, s=[sent]), ABSENT)
        for run in (MODERN_RUN, MODERN_STDIO)
        for name, sent in of_no_version(run)
        for clause in ("MCP-RPC-009", "MCP-RPC-010", "MCP-LIFE-005", "MCP-LOG-001")
    ),
    (
        "a missing capability without its name fails",
        "MCP-ERR-001",
        answer(error(-32021), status=400),
        FAIL,
    ),
    (
        "a log message that nobody asked for fails",
        "MCP-LOG-001",
        answer(result(), others=[{"jsonrpc": "2.0", "method": "notifications/message"}]),
        FAIL,
    ),
    # stdio
    (
        "a line that is no message fails",
        "MCP-STDIO-001",
        answer(result(), MODERN_STDIO, noise=["INFO"]),
        FAIL,
    ),
    ("nothing but messages passes", "MCP-STDIO-001", answer(result(), MODERN_STDIO), PASS),
    (
        "a process that outlives its input is a warning",
        "MCP-STDIO-002",
        evidence(MODERN_STDIO, mcp_alone=[exchange(MODERN_STDIO, "end", trouble=Trouble.TIMEOUT)]),
        WARN,
    ),
    (
        "silence after a malformed message fails",
        "MCP-WIRE-001",
        evidence(
            MODERN_STDIO,
            mcp_wire=[
                exchange(MODERN_STDIO, "before", result()),
                exchange(MODERN_STDIO, "not-json"),
                exchange(
                    MODERN_STDIO,
                    Step("not-json", mark=Mark.ALIVE),
                    bare=True,
                    trouble=Trouble.TIMEOUT,
                ),
            ],
        ),
        FAIL,
    ),
    (
        "an error for a malformed message is as good as silence",
        "MCP-WIRE-001",
        evidence(
            MODERN_STDIO,
            mcp_wire=[
                exchange(MODERN_STDIO, "before", result()),
                exchange(MODERN_STDIO, "not-json", error(-32700)),
                exchange(MODERN_STDIO, Step("not-json", mark=Mark.ALIVE), result()),
            ],
        ),
        PASS,
    ),
    (
        "an unknown method may be refused with any error",
        "MCP-RPC-004",
        evidence(LEGACY_RUN, mcp_wire=[exchange(LEGACY_RUN, "unknown-method", error(-32000))]),
        PASS,
    ),
    (
        "an unknown method is refused with its own code",
        "MCP-RPC-005",
        evidence(LEGACY_RUN, mcp_wire=[exchange(LEGACY_RUN, "unknown-method", error(-32000))]),
        WARN,
    ),
    (
        "an error that is about load says nothing of the method",
        "MCP-RPC-005",
        evidence(LEGACY_RUN, mcp_wire=[exchange(LEGACY_RUN, "unknown-method", LIMITED)]),
        NOT_VERIFIED,
    ),
    (
        "a call of no tool that succeeds fails",
        "MCP-CALL-002",
        evidence(LEGACY_RUN, mcp_wire=[exchange(LEGACY_RUN, "unknown-tool", result(content=[]))]),
        FAIL,
    ),
    (
        "a call of no tool may be refused in a result",
        "MCP-CALL-002",
        evidence(
            LEGACY_RUN,
            mcp_wire=[exchange(LEGACY_RUN, "unknown-tool", result(content=[], isError=True))],
        ),
        PASS,
    ),
]


@pytest.mark.parametrize(
    ("clause", "run", "expected"), [r[1:] for r in RULINGS], ids=[r[0] for r in RULINGS]
)
def test_a_judge_says(clause, run, expected):
    assert said(clause, run) == expected


@pytest.mark.parametrize(
    ("odd", "again", "expected"),
    [
        ({"reply": error(-32022)}, {"reply": result()}, PASS),
        ({"reply": result()}, {"reply": result()}, FAIL),
        ({"reply": error(-32022)}, {"reply": error(-32022)}, FAIL),
        ({"bare": True, "trouble": Trouble.CLOSED}, {"reply": result()}, NOT_VERIFIED),
        ({"reply": error(-32022)}, {"reply": LIMITED}, NOT_VERIFIED),
    ],
    ids=["both right", "accepted", "remembered", "process ended", "limited"],
)
def test_a_version_holds_for_its_own_request(odd, again, expected):
    steps = [
        exchange(MODERN_STDIO, "good", result()),
        exchange(MODERN_STDIO, "unknown-version", **odd),
        exchange(MODERN_STDIO, "good-again", **again),
    ]
    assert said("MCP-VER-005", evidence(MODERN_STDIO, mcp_requests=steps)) == expected


BATCHES = Run("mcp-2025-03-26", "t", Binding.MCP, "http://127.0.0.1:1/mcp", "2025-03-26")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]', PASS),
        (b'[{"jsonrpc":"2.0","id":1,"result":{}}]', FAIL),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}', FAIL),
    ],
    ids=["both answered", "one answered", "refused"],
)
def test_each_request_of_a_batch_is_looked_for(body, expected):
    asked = speaker(BATCHES).raw([{"id": 1, "method": "ping"}, {"id": 2, "method": "ping"}])
    steps = [
        exchange(BATCHES, "batch", body, request=asked),
        exchange(BATCHES, Step("batch", mark=Mark.ALIVE), result(), method="ping"),
    ]
    assert said("MCP-RPC-008", evidence(BATCHES, mcp_batch=steps)) == expected
