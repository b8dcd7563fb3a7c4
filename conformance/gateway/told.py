"""Reads what a gateway sent to its client, in the same way for both profiles."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from math import nan
from typing import Any

from conformance.formats.provider.completion import objects
from conformance.formats.provider.faces import FACES
from conformance.formats.text.sse import is_stream, sse_events
from conformance.kit.model.exchange import Answer, Exchange
from conformance.spec.vocabulary import (
    RUNTIME_ERROR_NAME_CODE,
    RUNTIME_ERROR_NAME_STATUSES,
    RuntimeErrorName,
    StreamEventName,
)

_OK, _FAILURE = 200, 400
_OF_SERVERS = 5
"""The first digit of the statuses of server errors, which may also mean an unknown error."""
_STATUS = re.compile(r"[45]\d\d")
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
_GREATEST = 10**15
"""The greatest wait that is read, in any unit. A gateway may send `inf`, or thousands of digits."""
_LISTED = {status for held in RUNTIME_ERROR_NAME_STATUSES.values() for status in held}
_MOST_EVENTS = 5_000
"""The most events of a stream that are read. The provider's longest stream has 1% of them."""
_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "content_filter",
}


def _meant() -> dict[str, set[RuntimeErrorName]]:
    """Return the errors that each word may mean: vocabulary names and codes, and provider codes.

    If a gateway forwards a provider's code, applications that know the provider's API understand
    it.
    """
    meant: dict[str, set[RuntimeErrorName]] = {}
    for error in RuntimeErrorName:
        words = {face.refusal(error, "").code for face in FACES}
        for word in {*words, error.value, RUNTIME_ERROR_NAME_CODE[error].value}:
            meant.setdefault(word, set()).add(error)
    return meant


_MEANT = _meant()
_UMBRELLAS = {"invalid_request_error", "api_error", "server_error"}
"""Types that providers use for several errors. A status that names one error is more exact."""
_EVENTS = {each.value for each in StreamEventName}
END, ERROR = "StreamEnd", "StreamError"


@dataclass(slots=True)
class Told:
    """A whole answer, a stream or an error. `order` names its parts in the order of arrival."""

    status: int = 0
    streamed: bool = False
    content: str = ""
    thinking: str = ""
    reason: str | None = None
    written_reason: str | None = None
    """The reason in the word of the profile: `stop` may stand for `end_turn`."""
    raw_reason: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    calls: dict[Any, list[str]] = field(default_factory=dict)
    """The name and the arguments of each call, by its index or id."""
    order: list[str] = field(default_factory=list)
    unreadable: bool = False

    @property
    def terminals(self) -> list[str]:
        """The terminal events, in order."""
        return [each for each in self.order if each in {END, ERROR}]

    @property
    def succeeded(self) -> bool:
        """Whether it is a complete answer without an error."""
        if self.error is not None or self.status != _OK or self.unreadable:
            return False
        return not self.streamed or END in self.order

    def is_class(self, wanted: RuntimeErrorName) -> bool:
        """Return whether the error is of a class.

        The first of these with a known meaning decides: its name, its code (perhaps the provider's
        own), its type, the HTTP status. But a listed status comes before a type that means several
        errors.
        """
        told = self.error or {}
        status, kind = self._status, str(told.get("type"))
        for word in (told.get("name"), told.get("code"), kind):
            meant = _MEANT.get(str(word))
            vague = word == kind and word in _UMBRELLAS and status in _LISTED
            if meant is not None and not vague:
                return wanted in meant
        if wanted is RuntimeErrorName.UNKNOWN:
            return status >= _FAILURE and (status not in _LISTED or status // 100 == _OF_SERVERS)
        return status in RUNTIME_ERROR_NAME_STATUSES[wanted]

    @property
    def _status(self) -> int:
        """The status of the error. In a stream, the code of the error may be its status."""
        code = str((self.error or {}).get("code"))
        return int(code) if self.status == _OK and _STATUS.fullmatch(code) else self.status

    @property
    def shown(self) -> str:
        """What the client received, in a few words for a finding."""
        if self.error is not None:
            kind = self.error.get("name") or self.error.get("code") or self.error.get("type")
            return f"{kind} ({self.status})" if str(kind) != str(self.status) else str(kind)
        return f"success ({self.status})" if self.succeeded else f"status {self.status}"


def told(exchange: Exchange | None) -> Told | None:
    """Read an exchange; None if no answer came."""
    if exchange is None or exchange.answer is None:
        return None
    answer = exchange.answer
    text = answer.body.decode("utf-8", "replace")
    found = Told(answer.status)
    if is_stream(answer.header("content-type")):
        found.streamed = True
        for number, event in enumerate(sse_events(text)):
            if number == _MOST_EVENTS:
                found.unreadable = True
                break
            _event(found, event.name, event.data)
        return found
    body = _json(text)
    if not isinstance(body, dict):
        found.unreadable = True
    elif isinstance(body.get("error"), dict):
        found.error = body["error"]
    elif "choices" in body:
        _choices(found, body, "message")
    else:
        _native(found, body)
    return found


def waits_told(answer: Answer, told: Told) -> Iterator[float]:
    """Yield the seconds that an answer asks a client to wait, in a header or in the error.

    NaN for a date if the answer itself has no date, because then the wait is not known.
    """
    asked = answer.header("retry-after")
    now = _date(answer.header("date"))
    for text, scale in ((asked, 1), (answer.header("retry-after-ms"), 1000)):
        if _NUMBER.fullmatch(text or ""):
            yield float(text or "") / scale
    if (until := _date(asked)) is not None:
        yield nan if now is None else until - now
    told_ms = (told.error or {}).get("retry_after_ms")
    if not isinstance(told_ms, int | float) or isinstance(told_ms, bool):
        return
    if 0 <= told_ms <= _GREATEST:
        yield told_ms / 1000


def _date(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text or "").timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _event(found: Told, name: str, data: str) -> None:
    if data == "[DONE]" or not data:
        return
    body = _json(data)
    if not isinstance(body, dict):
        found.unreadable = True
    elif name in _EVENTS:
        _vocabulary(found, name, body)
    elif isinstance(body.get("error"), dict):
        found.error = body["error"]
        found.order.append(ERROR)
    else:
        _choices(found, body, "delta")


def _vocabulary(found: Told, name: str, body: Mapping[str, Any]) -> None:
    found.order.append(name)
    id = _key(body.get("tool_call_id"))
    match name:
        case "PartialContentDelta":
            found.content += _text(body.get("content"))
        case "ThinkingDelta":
            found.thinking += _text(body.get("thinking"))
        case "ToolCallStarted":
            found.calls[id] = [_text(body.get("tool_name")), ""]
        case "PartialToolCall" if id in found.calls:
            found.calls[id][1] += _text(body.get("arguments"))
        case "Metadata":
            found.usage = _object(body.get("usage")) or found.usage
            found.raw_reason = body.get("raw_finish_reason") or found.raw_reason
        case "StreamEnd":
            found.reason = found.written_reason = body.get("finish_reason")
        case "StreamError":
            error = body.get("error")
            found.error = error if isinstance(error, dict) else {}


def _native(found: Told, body: Mapping[str, Any]) -> None:
    found.content = _text(body.get("content"))
    found.thinking = _text(body.get("thinking"))
    found.reason = found.written_reason = body.get("finish_reason")
    found.raw_reason = body.get("raw_finish_reason")
    found.usage = _object(body.get("usage"))
    for call in objects(body.get("tool_calls")):
        name, arguments = _text(call.get("tool_name")), _text(call.get("arguments"))
        found.calls[_key(call.get("tool_call_id"))] = [name, arguments]
    if "content" not in body:
        found.unreadable = True


def _choices(found: Told, body: Mapping[str, Any], member: str) -> None:
    """Read a whole answer or a chunk. Each chunk may have a part of the usage."""
    usage = body.get("usage")
    if isinstance(usage, dict):
        counted = {
            "input_tokens": usage.get("prompt_tokens"),
            "output_tokens": usage.get("completion_tokens"),
        }
        found.usage = {**found.usage, **{n: v for n, v in counted.items() if v is not None}}
    choices = list(objects(body.get("choices")))
    if not choices and member == "message":
        found.unreadable = True
    for choice in choices:
        said = choice.get(member)
        said = said if isinstance(said, dict) else {}
        content = _text(said.get("content"))
        found.content += content
        found.thinking += _text(said.get("reasoning_content"))
        if content:
            found.order.append("PartialContentDelta")
        if said.get("reasoning_content"):
            found.order.append("ThinkingDelta")
        if said.get("tool_calls"):
            found.order.append("PartialToolCall")
        for place, call in enumerate(objects(said.get("tool_calls"))):
            _call(found, call, _key(call.get("index", place)))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            found.raw_reason = found.written_reason = reason
            found.reason = _REASONS.get(reason)
            found.order.append(END)


def _call(found: Told, call: Mapping[str, Any], place: Any) -> None:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    held = found.calls.setdefault(place, ["", ""])
    held[0] += _text(function.get("name"))
    held[1] += _text(function.get("arguments"))


def _key(value: Any) -> Any:
    """Return the key that identifies a call; None for a list or an object."""
    return value if isinstance(value, str | int) else None


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
