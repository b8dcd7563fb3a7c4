"""The generateContent API of Google Gemini."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qs, unquote

from conformance.formats.provider.completion import (
    MESSAGES,
    Asked,
    Completion,
    DeclaredTool,
    Frame,
    Refusal,
    ToolResult,
    declared,
    member,
    objects,
    text_of,
)
from conformance.spec.vocabulary import ApiFamily, RuntimeErrorName, TerminationReason

_CALL = re.compile(r"/gemini(?:/v1\w*)?/models/(?P<model>.+):(?P<method>\w+)$")
_CAPITAL = re.compile("[A-Z]")
_REASONS: Final = {
    TerminationReason.END_TURN: "STOP",
    TerminationReason.MAX_TOKENS: "MAX_TOKENS",
    TerminationReason.TOOL_USE: "STOP",
    TerminationReason.STOP_SEQUENCE: "STOP",
    TerminationReason.CONTENT_FILTER: "SAFETY",
}
_REFUSALS: Final[Mapping[RuntimeErrorName, tuple[int, str]]] = {
    RuntimeErrorName.INVALID_REQUEST: (400, "INVALID_ARGUMENT"),
    RuntimeErrorName.AUTHENTICATION: (401, "UNAUTHENTICATED"),
    RuntimeErrorName.PERMISSION_DENIED: (403, "PERMISSION_DENIED"),
    RuntimeErrorName.NOT_FOUND: (404, "NOT_FOUND"),
    RuntimeErrorName.REQUEST_TOO_LARGE: (413, "INVALID_ARGUMENT"),
    RuntimeErrorName.RATE_LIMITED: (429, "RESOURCE_EXHAUSTED"),
    RuntimeErrorName.QUOTA_EXHAUSTED: (402, "FAILED_PRECONDITION"),
    RuntimeErrorName.SERVER_ERROR: (500, "INTERNAL"),
    RuntimeErrorName.OVERLOADED: (503, "UNAVAILABLE"),
    RuntimeErrorName.TIMEOUT: (504, "DEADLINE_EXCEEDED"),
    RuntimeErrorName.CONFLICT: (409, "ABORTED"),
    RuntimeErrorName.CANCELLED: (499, "CANCELLED"),
    RuntimeErrorName.UNKNOWN: (418, "UNKNOWN"),
}


class GeminiContent:
    """The generateContent API."""

    name = "gemini"
    family = ApiFamily.GEMINI
    base = "/gemini"
    line_end = "\r\n"
    path = "/gemini/v1beta/models/{model}:generateContent"

    def asked(self, path: str, query: str, body: Any) -> Asked | None:
        """Read the request; the model and the method are in the path."""
        found = _CALL.search(path)
        if found is None or found["method"] not in {"generateContent", "streamGenerateContent"}:
            return None
        stream = found["method"] == "streamGenerateContent"
        return Asked(unquote(found["model"]), stream, _last_user(body))

    def key(self, headers: Mapping[str, str], query: str) -> str:
        """Return `x-goog-api-key`, or `?key=`."""
        return headers.get("x-goog-api-key", "") or parse_qs(query).get("key", [""])[0]

    def tools(self, body: Any) -> list[DeclaredTool]:
        """Return the function declarations; the member with the schema has one of two names."""
        found = []
        for each in objects(member(body, "tools")):
            for held in objects(_either(each, "functionDeclarations")):
                plain = _either(held, "parametersJsonSchema")
                found.append(declared({"parameters": plain, **held}, "parameters"))
        return found

    def results(self, body: Any) -> list[ToolResult]:
        """Return the results, from the parts that name the function."""
        found = []
        for content in objects(member(body, "contents")):
            for part in objects(member(content, "parts")):
                held = _either(part, "functionResponse")
                if held is not None:
                    found.append(ToolResult(str(member(held, "name")), member(held, "response")))
        return found

    def whole(self, said: Completion) -> Any:
        """Return one candidate with all parts."""
        return self._part(said, _parts(said), _reason(said))

    def frames(self, said: Completion) -> list[Frame]:
        """Return a candidate for each piece; the last has the reason. No event marks the end."""
        chunks = [self._part(said, [part]) for part in _pieces(said)]
        chunks.append(self._part(said, [{"text": ""}], _reason(said)))
        return [Frame(json.dumps(each)) for each in chunks]

    def refusal(self, error: RuntimeErrorName, request_id: str) -> Refusal:
        """Return the refusal: its code is `error.status`."""
        status, code = _REFUSALS[error]
        body = {"error": {"code": status, "message": MESSAGES[error], "status": code}}
        return Refusal(status, body, code, MESSAGES[error], {"x-request-id": request_id})

    def broken_off(self, error: RuntimeErrorName) -> Frame:
        """Return an error in place of a candidate."""
        return Frame(json.dumps(self.refusal(error, "").body))

    def _part(self, said: Completion, parts: list[Any], reason: str = "") -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if reason:
            candidate["finishReason"] = reason
        usage = said.usage
        counted = {
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output - usage.reasoning,
            "thoughtsTokenCount": usage.reasoning,
            "cachedContentTokenCount": usage.cached,
            "totalTokenCount": usage.input + usage.output,
        }
        head = {"candidates": [candidate], "usageMetadata": counted}
        return {**head, "modelVersion": said.model, "responseId": said.id}


def _either(value: Any, name: str) -> Any:
    """Return a member in either spelling: Gemini reads JSON as protocol buffers do."""
    return next((held for held in map(partial(member, value), spellings(name)) if held), None)


def spellings(name: str) -> tuple[str, str]:
    """Return both spellings of a name in Gemini's API: camel case and snake case."""
    return name, _CAPITAL.sub(lambda found: f"_{found[0].lower()}", name)


def _pieces(said: Completion) -> list[dict[str, Any]]:
    thoughts = [{"text": each, "thought": True} for each in said.thinking]
    return [*thoughts, *({"text": each} for each in said.pieces), *_calls(said)]


def _parts(said: Completion) -> list[dict[str, Any]]:
    thoughts = [{"text": "".join(said.thinking), "thought": True}] if said.thinking else []
    text = [{"text": said.text}] if said.pieces else []
    return [*thoughts, *text, *_calls(said)]


def _calls(said: Completion) -> list[dict[str, Any]]:
    return [{"functionCall": {"id": c.id, "name": c.name, "args": c.input}} for c in said.calls]


def _reason(said: Completion) -> str:
    return said.raw_reason or _REASONS[said.reason]


def _last_user(body: Any) -> str:
    contents = member(body, "contents")
    for content in reversed(contents if isinstance(contents, list) else []):
        if member(content, "role") in ("user", None):
            return text_of(member(content, "parts"))
    return ""
