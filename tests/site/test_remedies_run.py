"""The Python of the remedies does what the pages say of it."""

from __future__ import annotations

import asyncio
import json
import runpy
import threading
from typing import Any

import pytest

from conformance.formats.provider.faces import FACES
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey, RuntimeErrorName, StandardParameter
from scripts.website.layout import ROOT
from scripts.website.pages.remedies import CODE, remedy_of


def load(name: str) -> dict[str, Any]:
    """What the Python of a remedy defines."""
    return runpy.run_path(str(CODE / f"{name}.py"))


def test_a_retry_waits_by_the_policy_and_as_long_as_it_was_asked():
    wait = load("retry")["wait_ms"]
    assert 50 <= wait("rate_limited", 0, 0, 0) <= 100
    assert wait("rate_limited", 0, 900, 0) == 900
    assert wait("rate_limited", 0, 9_000, 0) is None
    assert wait("rate_limited", 2, 0, 0) is None
    assert wait("not_found", 0, 0, 0) is None
    assert wait("timeout", 0, 0, 2_990) is None


@pytest.mark.parametrize("number", ["NaN", "-Infinity"])
def test_a_number_that_json_has_not_is_refused(number):
    own = load("checked-input")
    with pytest.raises(own["Refused"]) as refused:
        own["checked"]("application/json", f'{{"n": {number}}}'.encode(), lambda _: [])
    assert refused.value.status == 400
    sent = f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}'.encode()
    assert load("rpc-error")["answer"](sent, {})["error"]["code"] == -32700


@pytest.mark.parametrize(
    ("header", "expected"),
    [("2", 2000), (None, None), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)
def test_retry_after_is_read_in_both_forms(header, expected):
    assert load("retry-after")["retry_after_ms"](header) == expected


def test_a_fallback_names_each_provider_and_stops_where_it_has_to():
    made = load("fallback")

    def send(provider):
        raise made["Failed"]("rate_limited" if provider == "a" else "not_found", "no")

    with pytest.raises(made["Failed"], match=r"^a: no; b: no$"):
        made["ask"](["a", "b", "c"], send)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (("body", "guests"), "guests"),
        (("body", "passengers", 0, "name"), "passengers[0].name"),
        (("city",), "city"),
        ((), ""),
    ],
)
def test_the_name_of_an_input_is_without_its_source(location, expected):
    assert load("parameter-name")["parameter_name"](location) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("2", "2"), (" 3 ", "3"), ("9", "4"), (0, "1"), (2.5, "2"), ("many", "1"), (True, "1")],
)
def test_a_suggestion_is_the_number_that_was_meant_or_the_nearest_one(value, expected):
    schema = {"type": "integer", "minimum": 1, "maximum": 4, "default": 1}
    assert load("suggestion")["suggestion"](schema, value) == expected


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "boolean", "default": False}, "yes", "true"),
        ({"type": "boolean"}, 0, "false"),
        ({"enum": ["single", "deluxe"]}, "DELUXE ", "deluxe"),
        ({"enum": ["single", "deluxe"]}, "twin", "single"),
        ({"type": "string", "examples": ["a"]}, None, "a"),
        ({"type": "string"}, 7, None),
    ],
)
def test_a_suggestion_keeps_what_the_refused_value_means(schema, value, expected):
    assert load("suggestion")["suggestion"](schema, value) == expected


def test_a_stream_ends_once_whatever_ends_it():
    made = load("stream-end")
    end = {"event": "StreamEnd", "finish_reason": "end_turn"}
    usage = {"event": "Metadata", "usage": {"input_tokens": 1, "output_tokens": 1}}
    assert list(made["passed_on"](iter([end, usage]))) == [usage, end]
    (error,) = made["passed_on"](iter([]))
    assert error["event"] == "StreamError"
    assert validate({"events": [error]}, "event-stream") == []

    def failing():
        yield end
        raise made["ProviderFailed"]({"name": "overloaded"})

    assert list(made["passed_on"](failing())) == [
        {"event": "StreamError", "error": {"name": "overloaded"}}
    ]


def test_a_stream_ends_once_with_an_error_of_any_http_library():
    class Broken(Exception):
        """As in `httpx`, whose errors derive from `Exception` alone."""

    def failing():
        yield {"event": "PartialContentDelta", "content": "a"}
        raise Broken

    *_, last = load("stream-end")["passed_on"](failing())
    assert last["event"] == "StreamError"


def test_frames_are_the_same_wherever_the_bytes_are_cut():
    sent = '\ufeff: x\r\ndata: {"a":\r\ndata: "é"}\r\n\r\ndata: [DONE]\n\n'.encode()
    for cut in range(len(sent)):
        frames = load("sse")["Frames"]()
        assert [*frames.feed(sent[:cut]), *frames.feed(sent[cut:])] == [{"a": "é"}]
    with pytest.raises(ValueError, match="Expecting"):
        list(load("sse")["Frames"]().feed(b"data: {\n\n"))


def test_a_call_that_was_cut_is_not_complete():
    calls = load("tool-fragments")["ToolCalls"]()
    calls.part(0, "a", "f", '{"x"')
    calls.part(1, "b", "g", "")
    calls.part(2, "c", "h", '{"y":')
    calls.part(0, "", "", ":1}")
    assert [each["tool_call_id"] for each in calls.complete()] == ["a", "b"]


def test_a_finish_is_what_came():
    finish = load("finish")["finish"]
    assert finish("stop", 1)["finish_reason"] == "tool_use"
    assert "finish_reason" not in finish("tool_calls", 0)
    assert finish("tired", 0) == {"raw_finish_reason": "tired"}


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_a_finish_reason_of_each_provider_is_known(provider):
    finish = load("finish")["finish"]
    manifest = ROOT / "fixtures/examples/runtime/valid" / f"{provider}.json"
    for word, reason in json.loads(manifest.read_text("utf-8"))["termination"]["mapping"].items():
        assert finish(word, int(reason == "tool_use"))["finish_reason"] == reason


def test_a_failure_is_classified_by_code_then_message_then_status():
    classified = load("classify")["classified"]
    assert (
        classified(429, {"error": {"code": "insufficient_quota"}}, "r")["name"] == "quota_exhausted"
    )
    said = {"error": {"message": "This model's maximum context length is 8192 tokens."}}
    assert classified(400, said, "r")["name"] == "request_too_large"
    assert classified(200, {}, "r")["name"] == "server_error"
    assert classified(418, {}, "r")["name"] == "unknown"


@pytest.mark.parametrize("face", FACES, ids=lambda each: each.name)
@pytest.mark.parametrize("error", RuntimeErrorName)
def test_each_refusal_of_a_provider_is_handed_on_with_the_providers_own_code(face, error):
    refusal = face.refusal(error, "r")
    told = load("classify")["classified"](refusal.status, refusal.body, "r")
    said = {"status": refusal.status, "code": refusal.code, "message": refusal.message}
    assert (told["name"], told["provider_error"]) == (error.value, said)


def test_a_parameter_is_renamed_or_refused():
    parameters = load("parameters")["parameters"]
    assert parameters({"max_tokens": 5, "top_p": 1}, "openai") == {
        "max_completion_tokens": 5,
        "top_p": 1,
    }
    for name in StandardParameter:
        if name is not StandardParameter.TOOLS:
            assert list(parameters({name.value: 1}, "openai").values()) == [1]
    assert parameters({"stream": True}, "anthropic") == {"stream": True}
    for wrong in ({"top_p": 1.5}, {"temperature": True}, {"max_tokens": 0}, {"other": 1}):
        with pytest.raises(ValueError, match="`"):
            parameters(wrong, "openai")


def test_silence_ends_a_wait_and_closes_the_provider():
    closed = []

    async def provider():
        try:
            yield b"a"
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    async def read():
        return [each async for each in load("timeouts")["pieces"](provider(), 1, 0.01)]

    with pytest.raises(TimeoutError):
        asyncio.run(read())
    assert closed


def test_tool_results_hints_and_bounds_are_valid():
    result = load("tool-result")["tool_result"]
    error = ValueError(" ")
    error.__cause__ = KeyError("site")
    failed = result("plant.devices.list", {"tool_call_id": "c1"}, error=error)
    hint = load("hint")["retry_hint"]
    hinted = hint("plant.devices.list", {"required": ["site"]}, {}, {"site": "north"})
    assert validate({**failed, "retry_hint": hinted}, "tool-result") == []
    assert validate(result("a.b.c", None, value=1), "tool-result") == []
    for limit in (0, 1, 2, 3):
        told = load("bounds")["bounded"]([{}, {}], limit)
        assert validate(told["bounds"], "bounds") == []
    assert validate(load("bounds")["bounded"]([], 5)["bounds"], "bounds") == []


def test_server_data_and_injected_fields_stay_apart():
    tool = {"id": "a.b.c", "server_data": [{"kind": "k"}, {"kind": "always", "always_on": True}]}
    give = load("server-data")["server_data"]
    data = {"k": {}, "always": {}}
    assert [each["kind"] for each in give(tool, "off", data)] == ["always"]
    assert [each["kind"] for each in give(tool, "on", data)] == ["k", "always"]
    made = load("injected")
    schema = {"properties": {"a": {}, "s": {}, "server_data": {}}, "required": ["a", "s"]}
    assert made["shown"](schema, ["s"]) == {"properties": {"a": {}}, "required": ["a"]}
    assert made["received"]({"a": 1, "s": 2, "server_data": "on"}, {"s": 3}) == {"a": 1, "s": 3}


def test_a_later_result_is_final_once():
    calls = load("later")["Calls"]()
    status, headers = calls.start(
        "c1", lambda: {"name": "a.b.c", "tool_call_id": "c1", "result": 1}
    )
    assert (status, headers) == (202, {"Location": "/calls/c1"})
    while calls.held["c1"]["status"] == "running":
        pass
    assert validate(calls.held["c1"], "call-status") == []


def test_catalogs_and_declarations_are_valid():
    made = load("toolset")
    schema = {"schema": {"type": "object"}}
    entry = made["entry"]("a", "b", "c", description="List.", payload=schema, result=schema)
    assert validate(made["catalog"]([entry]), "toolset-catalog") == []
    with pytest.raises(ValueError, match="twice"):
        made["catalog"]([entry, entry])
    with pytest.raises(ValueError, match="twice"):
        made["catalog"]([{**entry, "server_data": [{"kind": "a.b"}] * 2}])
    with pytest.raises(ValueError, match="unknown"):
        made["catalog"]([{**entry, "kind": "robot"}])
    declare = load("declare")
    for routes in (set(), {"/manifest", "/mcp"}, {*declare["SERVER_V1"], "/tool_schemas.json"}):
        assert validate(declare["declaration"](routes), "discovery") == []


def test_pages_end_and_give_each_tool_once():
    page = load("pages")["page"]
    tools = [{"name": f"t{n:03}"} for n in range(120)]
    seen, cursor = [], None
    while True:
        held = page(tools, cursor)
        seen += held["tools"]
        cursor = held.get("nextCursor")
        if cursor is None:
            break
    assert seen == tools
    with pytest.raises(ValueError, match="cursor"):
        page(tools, "120")


def test_a_call_of_an_unknown_tool_runs_nothing():
    made = load("unknown-tool")
    made["TOOLS"]["add"] = lambda a, b: {"sum": a + b}
    right = {"name": "add", "arguments": {"a": 1, "b": 2}}
    assert made["call"](right) == {"result": {"sum": 3}}
    assert made["call"]({"name": "ad"})["error"]["code"] == -32602


def test_the_keys_of_meta_are_those_of_the_vocabulary():
    made = load("meta-keys")
    assert list(made["tool_meta"]({})) == [META_KEY_NAME[MetaKey.ATDF]]
    assert list(made["error_meta"]({})) == [META_KEY_NAME[MetaKey.ERROR]]


def test_headers_of_mcp_are_compared_with_the_body():
    mismatch = load("mcp-headers")["mismatch"]
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params = {"name": "get", "arguments": {"c": 1}, "_meta": meta}
    message = {"method": "tools/call", "params": params}
    properties = {"c": {"x-mcp-header": "Collection"}}
    right = {"MCP-METHOD": "tools/call", "mcp-name": "=?base64?Z2V0?=", "Mcp-Param-Collection": "1"}
    assert mismatch(right, message, properties) == "mcp-protocol-version"
    right |= {"MCP-Protocol-Version": "2026-07-28"}
    assert mismatch(right, message, properties) is None
    assert mismatch({**right, "mcp-name": "=?base64?Z?="}, message, properties) == "mcp-name"
    assert (
        mismatch({**right, "Mcp-Param-Collection": "2"}, message, properties)
        == "mcp-param-collection"
    )
    del right["mcp-name"]
    assert mismatch(right, message, properties) == "mcp-name"


def test_the_mark_of_an_encoded_header_counts_in_lower_case_only():
    decoded = load("mcp-headers")["decoded"]
    assert decoded("=?base64?Z2V0?=") == "get"
    assert decoded("=?BASE64?Z2V0?=") == "=?BASE64?Z2V0?="


def test_optional_server_data_is_sent_if_nobody_says_anything():
    give, tool = load("server-data")["server_data"], {"id": "a.b.c", "server_data": [{"kind": "k"}]}
    asked = [give({**tool, **more}, wanted, {"k": {}}) for more, wanted in (
        ({}, None), ({}, "off"), ({"server_data_default": "off"}, None),
    )]  # fmt: skip
    assert [len(each) for each in asked] == [1, 0, 0]


def test_only_what_was_declared_is_sent_unasked():
    may_send = load("mcp-declared")["may_send"]
    for method in ("tasks/get", "sampling/createMessage"):
        assert not may_send(method, {}, {}, False)
    assert may_send("tasks/get", {"tasks": {}}, {}, False)
    updated = "notifications/resources/updated"
    assert not may_send(updated, {}, {"resources": {}}, False)
    assert may_send(updated, {}, {"resources": {"subscribe": True}}, False)
    assert may_send("notifications/progress", {}, {}, False)


def test_a_handshake_agrees_to_a_version_and_later_requests_keep_to_the_versions():
    code = load("mcp-handshake")
    offered = [
        code["initialize"]({"protocolVersion": each}) for each in ("2025-06-18", "1999-01-01")
    ]
    assert [each["protocolVersion"] for each in offered] == ["2025-06-18", "2025-11-25"]
    asked = [code["refusal"](each) for each in ("2025-06-18", None, "1999-01-01")]
    assert asked == [None, None, 400]
    assert remedy_of("MCP-VER-006") == "mcp_handshake"


def test_a_stateless_server_refuses_by_what_a_request_says():
    answer = load("mcp-stateless")["answer"]
    methods = {"tools/list": lambda params: {"tools": []}}
    own = "io.modelcontextprotocol/"
    meta = {f"{own}protocolVersion": "2026-07-28", f"{own}clientCapabilities": {}}
    good = {"method": "tools/list", "params": {"_meta": meta}}
    assert answer(good, "2026-07-28", methods)[1]["result"]["cacheScope"] == "public"
    assert answer({"method": "tools/list"}, "2026-07-28", methods)[1]["error"]["code"] == -32602
    old = {"method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    refused = answer(old, None, methods)[1]["error"]
    assert (refused["code"], refused["data"]["supported"]) == (-32022, ["2026-07-28"])
    assert answer(good, "1999-01-01", methods)[0] == 400


@pytest.mark.parametrize(
    ("media", "body", "status"),
    [
        ("text/plain", b"{}", 415),
        ("application/json", b"{", 400),
        ("application/json", b"\xff", 400),
        ("application/json", b"[" * 100_000, 400),
        ("application/json; charset=utf-8", b"[]", 422),
    ],
)
def test_broken_input_is_refused_before_any_code_fails_at_it(media, body, status):
    made = load("checked-input")
    with pytest.raises(made["Refused"]) as refused:
        made["checked"](media, body, lambda given: [] if isinstance(given, dict) else ["object"])
    assert refused.value.status == status
    assert made["checked"]("application/json", b'{"a": 1}', lambda _: []) == {"a": 1}


def test_another_method_is_refused_with_the_methods_of_the_path():
    answer = load("routes")["answer"]
    status, headers, body = answer("PATCH", "/books")
    assert (status, headers["allow"]) == (405, "GET, POST")
    assert validate(body, "error") == []
    status, headers, body = answer("GET", "/other")
    assert (status, "allow" in headers) == (404, False)
    assert validate(body, "error") == []
    assert answer("GET", "/books")[0] == 200


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"3", -32600),
        (b'{"id": 1}', -32600),
        (b'{"id": 1, "method": "no"}', -32601),
        (b'{"id": 1, "method": "say", "params": [1]}', -32602),
        (b'{"id": 1, "method": "say", "params": {"no": 1}}', -32602),
    ],
)
def test_a_malformed_message_gets_the_code_that_says_what_is_wrong(sent, code):
    assert load("rpc-error")["answer"](sent, {"say": lambda: {}})["error"]["code"] == code


def test_a_request_gets_its_id_and_a_notification_nothing():
    answer = load("rpc-error")["answer"]
    good = b'{"jsonrpc": "2.0", "id": 7, "method": "say"}'
    assert answer(good, {"say": lambda: {}}) == {"jsonrpc": "2.0", "id": 7, "result": {}}
    assert answer(b'{"method": "say"}', {}) is None
    assert answer(b'{"id": 7}', {})["id"] == 7


def test_a_call_is_answered_in_time():
    in_time = load("time-limit")["in_time"]
    in_time.__globals__["LIMIT_S"] = 0.05
    assert asyncio.run(in_time("wait", lambda: 3)) == (200, 3)
    status, body = asyncio.run(in_time("wait", lambda: threading.Event().wait(0.3)))
    assert (status, body["errors"][0]["tool_name"]) == (504, "wait")
    assert validate(body, "error") == []
