"""A document that is ten times as long takes about ten times as long, whatever it repeats."""

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from conformance.formats.resource.content import translated
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import ArdfContent

SECONDS = 8.0
"""With the processor alone. Where each thing is compared with each, these take minutes."""


def _open_calls(count: int) -> tuple[str, Any]:
    started = {"event": "ToolCallStarted", "tool_name": "x"}
    events = [{**started, "tool_call_id": f"c{n}", "index": n} for n in range(count)]
    return "event-stream", {"events": [*events, {"event": "StreamEnd"}]}


def _calls_that_start(count: int) -> tuple[str, Any]:
    start = {"event": "tool_start", "tool_name": "a.b.c"}
    events = [{**start, "tool_call_id": f"c{n}"} for n in range(count)]
    for before, each in pairwise(events):
        each["parent_tool_call_id"] = before["tool_call_id"]
    return "tool-events", {"tool_events": events}


def _hint_of_many_fields(count: int) -> tuple[str, Any]:
    names = [f"n{n}" for n in range(count)]
    tool = {"id": "a.b.c", "payload": {"schema": {"type": "object", "required": names}}}
    hint = {"reason": "missing_fields", "tool": "a.b.c", "missing_fields": names}
    result = {"name": "a.b.c", "tool_call_id": "1", "error": {"message": "x"}, "retry_hint": hint}
    return "call-record", {"tool": tool, "arguments": {}, "tool_result": result}


def _server_data(count: int) -> tuple[str, Any]:
    kinds = [{"kind": f"k{n}", "always_on": n % 2 == 0} for n in range(count)]
    sent = [{"kind": f"k{n}", "data": 1, "source_tool": "a.b.c"} for n in range(count)]
    tool = {"id": "a.b.c", "server_data": kinds}
    result = {"name": "a.b.c", "tool_call_id": "1", "result": 1, "server_data": sent}
    return "call-record", {"tool": tool, "arguments": {}, "tool_result": result}


def _data_of_a_large_kind(count: int) -> tuple[str, Any]:
    members = {f"m{n}": {"type": "string"} for n in range(count // 10)}
    kind = {"kind": "k", "schema": {"type": "object", "properties": members}}
    sent = [{"kind": "k", "data": {"x": n}, "source_tool": "a.b.c"} for n in range(count)]
    shown = [{"y": n} for n in range(count)]
    result = {"name": "a.b.c", "tool_call_id": "1", "result": shown, "server_data": sent}
    tool = {"id": "a.b.c", "server_data": [kind]}
    return "call-record", {"tool": tool, "arguments": {}, "tool_result": result}


def _defaults(count: int) -> tuple[str, Any]:
    node = {"type": "string", "description": "d", "default": "x"}
    schema = {"type": "object", "properties": {f"p{n}": node for n in range(count)}}
    return "tool", {"name": "a", "description": "Does a.", "inputSchema": schema}


def _providers(count: int) -> tuple[str, Any]:
    error = {"name": "RateLimitError"}
    attempts = [{"provider": f"p{n}", "error": error} for n in range(count)]
    return "retry-record", {"policy": {"strategy": "none"}, "attempts": attempts}


def _retryable(count: int) -> tuple[str, Any]:
    names = [*(f"e{n}" for n in range(count)), "RateLimitError"]
    policy = {"strategy": "none", "max_retries": count, "retryable_errors": names}
    attempts = [{"provider": "p", "error": {"name": "RateLimitError"}}] * count
    return "retry-record", {"policy": policy, "attempts": attempts}


def _template(count: int) -> tuple[str, Any]:
    names = [f"n{n}" for n in range(count)]
    content = {
        "template": "".join(f"{{{{{name}}}}}" for name in names),
        "variables": [{"name": name, "type": "string"} for name in names],
    }
    return "resource", {
        "schema_version": "1.0.0",
        "resource_id": "p",
        "resource_type": "prompt",
        "description": "d",
        "how_to_use": {"content": content},
    }


def _back_to_the_first(count: int) -> tuple[str, Any]:
    def composition(number: int) -> dict[str, Any]:
        steps = [
            {"order": n, "resource_ref": name}
            for n, name in enumerate([f"c{number + 1}", "c0", "c1", "c2"], 1)
        ]
        use = {"composition": {"control_flow": "sequential", "steps": steps}}
        known = {"schema_version": "1.0.0", "resource_type": "workflow", "description": "d"}
        return {**known, "resource_id": f"c{number}", "how_to_use": use}

    return "collection", {"resources": [composition(n) for n in range(count)]}


def _rules(count: int) -> tuple[str, Any]:
    rules = [
        {"match": " && ".join([f"$.a{n} != 'b'"] * 100), "emit": "StreamEnd"} for n in range(count)
    ]
    about = {"id": "p", "endpoint": "https://p.example", "protocol_version": "1"}
    return "provider-manifest", {**about, "streaming": {"event_map": rules}}


LONG: tuple[tuple[Callable[[int], tuple[str, Any]], int], ...] = (
    (_open_calls, 30_000),
    (_calls_that_start, 60_000),
    (_hint_of_many_fields, 80_000),
    (_server_data, 20_000),
    (_data_of_a_large_kind, 5_000),
    (_defaults, 8_000),
    (_providers, 20_000),
    (_retryable, 40_000),
    (_template, 8_000),
    (_back_to_the_first, 8_000),
    (_rules, 6_000),
)


@pytest.mark.parametrize(("made", "count"), LONG)
def test_a_long_document_is_judged_in_time(
    made: Callable[[int], tuple[str, Any]], count: int
) -> None:
    document, data = made(count)
    began = time.process_time()
    validate(data, document)
    assert time.process_time() - began < SECONDS


def test_rules_that_are_not_read_are_no_rules_that_are_right() -> None:
    found = validate(_rules(600)[1], "provider-manifest")
    told = [each.path for each in found if each.message.id == "documents.rule.too_many"]
    assert told == ["$.streaming.event_map[500]"]


def test_a_dialect_of_many_variables_is_read_in_time() -> None:
    names = [f"n{n}" for n in range(40_000)]
    data = {"template_text": "".join(f"{{{name}}}" for name in names), "input_variables": names}
    began = time.process_time()
    translated(ArdfContent.PROMPT_TEMPLATE, data)
    assert time.process_time() - began < SECONDS


def test_no_more_problems_are_listed_than_anybody_reads() -> None:
    needed = {"tools": [f"t{n}" for n in range(200_000)]}
    one = {"schema_version": "1.0.0", "resource_id": "a", "resource_type": "tool"}
    found = validate({"resources": [{**one, "prerequisites": needed}]}, "collection")
    assert len([each for each in found if each.clause == "ARDF-COL-003"]) == 10_000


def test_of_millions_of_problems_some_thousands_are_listed():
    """All of them would fill the memory."""
    schema = {
        "type": "object",
        "required": ["x"],
        "properties": {"y": {"default": 7, "type": "null"}},
    }
    tool = {"description": "d", "inputSchema": schema, "examples": [{"name": "e", "input": {}}]}
    tools = {"tools": [{**tool, "name": f"t{number}"} for number in range(12_000)]}
    resources = {"resources": [{"resource_type": "prompt"}] * 30_000}
    for document in (tools, resources):
        assert 10_000 < len(validate(document)) < 31_000
