"""The messages API of Anthropic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from conformance.formats.provider.completion import (
    MESSAGES,
    Asked,
    Completion,
    DeclaredTool,
    Frame,
    Refusal,
    ToolResult,
    declared,
    is_path_of,
    last_user,
    member,
    objects,
)
from conformance.spec.vocabulary import ApiFamily, RuntimeErrorName, TerminationReason

_REASONS: Final = {
    TerminationReason.END_TURN: "end_turn",
    TerminationReason.MAX_TOKENS: "max_tokens",
    TerminationReason.TOOL_USE: "tool_use",
    TerminationReason.STOP_SEQUENCE: "stop_sequence",
    TerminationReason.CONTENT_FILTER: "refusal",
}
_REFUSALS: Final[Mapping[RuntimeErrorName, tuple[int, str]]] = {
    RuntimeErrorName.INVALID_REQUEST: (400, "invalid_request_error"),
    RuntimeErrorName.AUTHENTICATION: (401, "authentication_error"),
    RuntimeErrorName.PERMISSION_DENIED: (403, "permission_error"),
    RuntimeErrorName.NOT_FOUND: (404, "not_found_error"),
    RuntimeErrorName.REQUEST_TOO_LARGE: (413, "request_too_large"),
    RuntimeErrorName.RATE_LIMITED: (429, "rate_limit_error"),
    RuntimeErrorName.QUOTA_EXHAUSTED: (402, "billing_error"),
    RuntimeErrorName.SERVER_ERROR: (500, "api_error"),
    RuntimeErrorName.OVERLOADED: (529, "overloaded_error"),
    RuntimeErrorName.TIMEOUT: (504, "timeout_error"),
    RuntimeErrorName.CONFLICT: (409, "conflict_error"),
    RuntimeErrorName.CANCELLED: (499, "cancelled_error"),
    RuntimeErrorName.UNKNOWN: (418, "unknown_error"),
}


class AnthropicMessages:
    """The messages API."""

    name = "anthropic"
    family = ApiFamily.ANTHROPIC
    base = "/anthropic"
    line_end = "\n"
    path = "/anthropic/v1/messages"

    def asked(self, path: str, query: str, body: Any) -> Asked | None:
        """Read the request; the model is a member of the body."""
        if not is_path_of(self.path, path):
            return None
        user = last_user(member(body, "messages"))
        return Asked(str(member(body, "model")), member(body, "stream") is True, user)

    def key(self, headers: Mapping[str, str], query: str) -> str:
        """Return `x-api-key`, or the bearer token."""
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        return headers.get("x-api-key", "") or bearer

    def tools(self, body: Any) -> list[DeclaredTool]:
        """Return the tools; each has an `input_schema`."""
        return [declared(each, "input_schema") for each in objects(member(body, "tools"))]

    def results(self, body: Any) -> list[ToolResult]:
        """Return the results, from the blocks of messages that name the id of a call."""
        names: dict[Any, str] = {}
        found = []
        for message in objects(member(body, "messages")):
            for block in objects(member(message, "content")):
                if block.get("type") == "tool_use":
                    names[str(block.get("id"))] = str(block.get("name"))
                elif block.get("type") == "tool_result":
                    name = names.get(str(block.get("tool_use_id")), "")
                    found.append(ToolResult(name, block.get("content")))
        return found

    def whole(self, said: Completion) -> Any:
        """Return a message with one block for each part."""
        message = self._message(said)
        message["content"] = [whole for _, whole, _ in _blocks(said)]
        message["stop_reason"] = _reason(said)
        message["usage"]["output_tokens"] = said.usage.output
        return message

    def frames(self, said: Completion) -> list[Frame]:
        """Return the events: blocks that start, grow and stop, then the reason and the usage."""
        events: list[dict[str, Any]] = [{"type": "message_start", "message": self._message(said)}]
        for index, (begun, _, deltas) in enumerate(_blocks(said)):
            start = {"type": "content_block_start", "index": index, "content_block": begun}
            events.append(start)
            for delta in deltas:
                events.append({"type": "content_block_delta", "index": index, "delta": delta})
            events.append({"type": "content_block_stop", "index": index})
        delta = {"stop_reason": _reason(said), "stop_sequence": None}
        usage = {"output_tokens": said.usage.output}
        events.append({"type": "message_delta", "delta": delta, "usage": usage})
        events.append({"type": "message_stop"})
        return [Frame(json.dumps(each), each["type"]) for each in events]

    def refusal(self, error: RuntimeErrorName, request_id: str) -> Refusal:
        """Return the refusal: its code is `error.type`."""
        status, code = _REFUSALS[error]
        held = {"type": code, "message": MESSAGES[error]}
        body = {"type": "error", "error": held, "request_id": request_id}
        return Refusal(status, body, code, MESSAGES[error], {"request-id": request_id})

    def broken_off(self, error: RuntimeErrorName) -> Frame:
        """Return the event `error`."""
        held = {"type": _REFUSALS[error][1], "message": MESSAGES[error]}
        return Frame(json.dumps({"type": "error", "error": held}), "error")

    def _message(self, said: Completion) -> dict[str, Any]:
        usage = {"input_tokens": said.usage.input, "output_tokens": 1}
        return {
            "id": f"msg_{said.id}",
            "type": "message",
            "role": "assistant",
            "model": said.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**usage, "cache_read_input_tokens": said.usage.cached},
        }


_Block = tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]


def _blocks(said: Completion) -> list[_Block]:
    """Return each block: as it starts, when it is complete, and its deltas."""
    blocks: list[_Block] = []
    if said.thinking:
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        whole = {**empty, "thinking": "".join(said.thinking)}
        deltas = [{"type": "thinking_delta", "thinking": each} for each in said.thinking]
        blocks.append((empty, whole, deltas))
    if said.pieces:
        deltas = [{"type": "text_delta", "text": each} for each in said.pieces]
        blocks.append(({"type": "text", "text": ""}, {"type": "text", "text": said.text}, deltas))
    for call in said.calls:
        begun: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        whole = {**begun, "input": call.input}
        deltas = [{"type": "input_json_delta", "partial_json": each} for each in call.fragments]
        blocks.append((begun, whole, deltas))
    return blocks


def _reason(said: Completion) -> str:
    return said.raw_reason or _REASONS[said.reason]
