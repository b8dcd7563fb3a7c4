"""The two APIs of OpenAI: chat completions and responses."""

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
    Usage,
    declared,
    is_path_of,
    last_user,
    member,
    objects,
)
from conformance.spec.vocabulary import ApiFamily, RuntimeErrorName, TerminationReason

_REASONS: Final = {
    TerminationReason.END_TURN: "stop",
    TerminationReason.MAX_TOKENS: "length",
    TerminationReason.TOOL_USE: "tool_calls",
    TerminationReason.STOP_SEQUENCE: "stop",
    TerminationReason.CONTENT_FILTER: "content_filter",
}
_REFUSALS: Final[Mapping[RuntimeErrorName, tuple[int, str, str]]] = {
    RuntimeErrorName.INVALID_REQUEST: (400, "invalid_request_error", "unknown_parameter"),
    RuntimeErrorName.AUTHENTICATION: (401, "invalid_request_error", "invalid_api_key"),
    RuntimeErrorName.PERMISSION_DENIED: (
        403,
        "permission_error",
        "unsupported_country_region_territory",
    ),
    RuntimeErrorName.NOT_FOUND: (404, "invalid_request_error", "model_not_found"),
    RuntimeErrorName.REQUEST_TOO_LARGE: (400, "invalid_request_error", "context_length_exceeded"),
    RuntimeErrorName.RATE_LIMITED: (429, "requests", "rate_limit_exceeded"),
    RuntimeErrorName.QUOTA_EXHAUSTED: (429, "insufficient_quota", "insufficient_quota"),
    RuntimeErrorName.SERVER_ERROR: (500, "server_error", "server_error"),
    RuntimeErrorName.OVERLOADED: (503, "server_error", "server_is_overloaded"),
    RuntimeErrorName.TIMEOUT: (504, "server_error", "gateway_timeout"),
    RuntimeErrorName.CONFLICT: (409, "invalid_request_error", "conflict"),
    RuntimeErrorName.CANCELLED: (499, "invalid_request_error", "request_cancelled"),
    RuntimeErrorName.UNKNOWN: (418, "unknown_error", "unknown_error"),
}
_CREATED: Final = 1_700_000_000


class _OpenAI:
    """The common parts of both APIs: the key, and the form of errors."""

    family = ApiFamily.OPENAI
    base = "/openai/v1"
    line_end = "\n"

    def key(self, headers: Mapping[str, str], query: str) -> str:
        """Return the bearer token."""
        return headers.get("authorization", "").removeprefix("Bearer ")

    def refusal(self, error: RuntimeErrorName, request_id: str) -> Refusal:
        """Return the refusal, with `error.type` and `error.code`."""
        status, kind, code = _REFUSALS[error]
        body = {"error": {"message": MESSAGES[error], "type": kind, "param": None, "code": code}}
        return Refusal(status, body, code, MESSAGES[error], {"x-request-id": request_id})


class OpenAIChat(_OpenAI):
    """The chat completions API."""

    name = "openai-chat"
    path = "/openai/v1/chat/completions"

    def asked(self, path: str, query: str, body: Any) -> Asked | None:
        """Read the request; the model is a member of the body."""
        if not is_path_of(self.path, path):
            return None
        user = last_user(member(body, "messages"))
        counts = member(member(body, "stream_options"), "include_usage") is True
        return Asked(str(member(body, "model")), member(body, "stream") is True, user, counts)

    def tools(self, body: Any) -> list[DeclaredTool]:
        """Return the tools; each is a `function`."""
        held = (member(each, "function") for each in objects(member(body, "tools")))
        return [declared(each, "parameters") for each in held]

    def results(self, body: Any) -> list[ToolResult]:
        """Return the results, from messages with the role `tool`, which name the id of the call."""
        messages = list(objects(member(body, "messages")))
        names = {
            str(call.get("id")): str(member(call.get("function"), "name"))
            for message in messages
            for call in objects(message.get("tool_calls"))
        }
        return [
            ToolResult(names.get(str(each.get("tool_call_id")), ""), each.get("content"))
            for each in messages
            if each.get("role") == "tool"
        ]

    def whole(self, said: Completion) -> Any:
        """Return one choice, with the usage next to it."""
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
        if said.thinking:
            message["reasoning_content"] = "".join(said.thinking)
        if said.calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in said.calls
            ]
        choice = {"index": 0, "message": message, "finish_reason": _reason(said)}
        head = {"id": f"chatcmpl-{said.id}", "object": "chat.completion", "created": _CREATED}
        return {**head, "model": said.model, "choices": [choice], "usage": _chat_usage(said.usage)}

    def frames(self, said: Completion) -> list[Frame]:
        """Return a chunk for each piece; the usage follows the finish reason, if it is sent."""
        first: dict[str, Any] = {"role": "assistant", "content": ""}
        chunks = [self._chunk(said, first)]
        chunks += [self._chunk(said, {"reasoning_content": each}) for each in said.thinking]
        chunks += [self._chunk(said, {"content": each}) for each in said.pieces]
        for index, call in enumerate(said.calls):
            function: dict[str, Any] = {"name": call.name, "arguments": ""}
            begun = {"index": index, "id": call.id, "type": "function", "function": function}
            chunks.append(self._chunk(said, {"tool_calls": [begun]}))
        for index, fragment in _in_turns(said):
            part = {"index": index, "function": {"arguments": fragment}}
            chunks.append(self._chunk(said, {"tool_calls": [part]}))
        chunks.append(self._chunk(said, {}, _reason(said)))
        if said.counted:
            chunks = [{**each, "usage": None} for each in chunks]
            usage = {"choices": [], "usage": _chat_usage(said.usage)}
            chunks.append({**self._chunk(said, {}), **usage})
        return [*(Frame(json.dumps(each)) for each in chunks), Frame("[DONE]")]

    def broken_off(self, error: RuntimeErrorName) -> Frame:
        """Return an error in place of a chunk."""
        return Frame(json.dumps(self.refusal(error, "").body))

    def _chunk(self, said: Completion, delta: Any, reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        head = {"id": f"chatcmpl-{said.id}", "object": "chat.completion.chunk"}
        return {**head, "created": _CREATED, "model": said.model, "choices": [choice]}


class OpenAIResponses(_OpenAI):
    """The responses API."""

    name = "openai-responses"
    path = "/openai/v1/responses"

    def asked(self, path: str, query: str, body: Any) -> Asked | None:
        """Read the request; the input is a string or a list of messages."""
        if not is_path_of(self.path, path):
            return None
        given = member(body, "input")
        user = given if isinstance(given, str) else last_user(given)
        return Asked(str(member(body, "model")), member(body, "stream") is True, user)

    def tools(self, body: Any) -> list[DeclaredTool]:
        """Return the tools; each is a function."""
        return [declared(each, "parameters") for each in objects(member(body, "tools"))]

    def results(self, body: Any) -> list[ToolResult]:
        """Return the results, from the items of the input that name the id of a call."""
        items = list(objects(member(body, "input")))
        calls = (each for each in items if each.get("type") == "function_call")
        names = {str(each.get("call_id")): str(each.get("name")) for each in calls}
        return [
            ToolResult(names.get(str(each.get("call_id")), ""), each.get("output"))
            for each in items
            if each.get("type") == "function_call_output"
        ]

    def whole(self, said: Completion) -> Any:
        """Return the answer as a list of output items."""
        output: list[dict[str, Any]] = []
        if said.thinking:
            parts = [{"type": "summary_text", "text": "".join(said.thinking)}]
            output.append({"id": f"rs_{said.id}", "type": "reasoning", "summary": parts})
        if said.pieces:
            output.append(_message(said, "completed", [_text(said.text)]))
        output += [_call(call, call.arguments) for call in said.calls]
        return self._response(said, _status(said), output)

    def frames(self, said: Completion) -> list[Frame]:
        """Return the events of one item for the thinking, one for the text, and one per call."""
        events: list[dict[str, Any]] = []

        def add(type: str, **members: Any) -> None:
            events.append({"type": type, "sequence_number": len(events), **members})

        add("response.created", response=self._response(said, "in_progress", []))
        output = self.whole(said)["output"]
        for index, item in enumerate(output):
            self._item(add, said, index, item)
        final = "incomplete" if _status(said) == "incomplete" else "completed"
        add(f"response.{final}", response=self.whole(said))
        return [Frame(json.dumps(each), each["type"]) for each in events]

    def _item(self, add: Any, said: Completion, index: int, item: dict[str, Any]) -> None:
        at = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "function_call":
            begun = {**item, "arguments": "", "status": "in_progress"}
            add("response.output_item.added", output_index=index, item=begun)
            call = next(each for each in said.calls if each.id == item["call_id"])
            for fragment in call.fragments:
                add("response.function_call_arguments.delta", **at, delta=fragment)
            add("response.function_call_arguments.done", **at, arguments=call.arguments)
        elif item["type"] == "reasoning":
            add("response.output_item.added", output_index=index, item={**item, "summary": []})
            for piece in said.thinking:
                kind = "response.reasoning_summary_text.delta"
                add(kind, **at, summary_index=0, delta=piece)
        else:
            begun = _message(said, "in_progress", [])
            add("response.output_item.added", output_index=index, item=begun)
            add("response.content_part.added", **at, content_index=0, part=_text(""))
            for piece in said.pieces:
                add("response.output_text.delta", **at, content_index=0, delta=piece)
            add("response.output_text.done", **at, content_index=0, text=said.text)
        add("response.output_item.done", output_index=index, item=item)

    def broken_off(self, error: RuntimeErrorName) -> Frame:
        """Return the event `error`."""
        held = self.refusal(error, "")
        data = {"type": "error", "code": held.code, "message": held.message, "param": None}
        return Frame(json.dumps(data), "error")

    def _response(self, said: Completion, status: str, output: list[Any]) -> dict[str, Any]:
        usage = said.usage
        made: dict[str, Any] = {
            "id": f"resp_{said.id}",
            "object": "response",
            "created_at": _CREATED,
            "status": status,
            "model": said.model,
            "output": output,
            "error": None,
            "incomplete_details": None,
        }
        if status == "in_progress":
            return {**made, "usage": None}
        if status == "incomplete":
            filtered = said.reason is TerminationReason.CONTENT_FILTER
            reason = said.raw_reason or ("content_filter" if filtered else "max_output_tokens")
            made["incomplete_details"] = {"reason": reason}
        made["usage"] = {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.input + usage.output,
        }
        return made


def _reason(said: Completion) -> str:
    return said.raw_reason or _REASONS[said.reason]


def _chat_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def _in_turns(said: Completion) -> list[tuple[int, str]]:
    """Return the fragments of all calls with the index of the call, one of each call in turn."""
    most = max((len(call.fragments) for call in said.calls), default=0)
    return [
        (index, call.fragments[turn])
        for turn in range(most)
        for index, call in enumerate(said.calls)
        if turn < len(call.fragments)
    ]


def _status(said: Completion) -> str:
    cut = {TerminationReason.MAX_TOKENS, TerminationReason.CONTENT_FILTER}
    return "incomplete" if said.raw_reason or said.reason in cut else "completed"


def _text(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def _message(said: Completion, status: str, content: list[Any]) -> dict[str, Any]:
    head = {"id": f"msg_{said.id}", "type": "message", "role": "assistant"}
    return {**head, "status": status, "content": content}


def _call(call: Any, arguments: str) -> dict[str, Any]:
    head = {"id": f"fc_{call.id}", "type": "function_call", "status": "completed"}
    return {**head, "call_id": call.id, "name": call.name, "arguments": arguments}
