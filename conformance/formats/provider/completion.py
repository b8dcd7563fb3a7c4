"""The answers of a model provider, before they take the form of one provider's API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from conformance.spec.vocabulary import ApiFamily, RuntimeErrorName, TerminationReason


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that the model requests. Its fragments together are the JSON of the arguments."""

    id: str
    name: str
    fragments: tuple[str, ...]

    @property
    def arguments(self) -> str:
        """The arguments as one text."""
        return "".join(self.fragments)

    @property
    def input(self) -> Any:
        """The arguments as JSON; an empty object if they were cut off."""
        try:
            return json.loads(self.arguments)
        except ValueError:
            return {}


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call. `input` includes `cached`, and `output` includes `reasoning`."""

    input: int = 12
    output: int = 7
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model, in pieces. If `raw_reason` is set, it is sent instead of `reason`."""

    pieces: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    reason: TerminationReason = TerminationReason.END_TURN
    raw_reason: str = ""
    usage: Usage = Usage()
    id: str = "1"
    model: str = "model"
    counted: bool = True
    """Whether a stream includes the usage."""

    @property
    def text(self) -> str:
        """The content as one text."""
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event: its data, and its name if the provider sends names."""

    data: str
    name: str = ""

    def encoded(self, line_end: str = "\n") -> bytes:
        """Return the event as it is sent, with the empty line at its end."""
        lines = [f"event: {self.name}"] if self.name else []
        lines += [f"data: {line}" for line in self.data.split("\n")]
        return "".join(f"{line}{line_end}" for line in (*lines, "")).encode()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal of a call: its status, its headers and the JSON of its body."""

    status: int
    body: Any
    code: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks for: the model, whether to stream, and the last user message."""

    model: str
    stream: bool
    user: str
    counts: bool = True
    """Whether a stream includes the usage: chat completions do so only on request."""


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool that a request declares to the model; `schema` describes its parameters."""

    name: str
    description: str
    schema: Any


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool in a request: the name of the called tool, and its answer."""

    name: str
    content: Any


def is_path_of(own: str, path: str) -> bool:
    """Return whether a path belongs to an API; some clients omit the version from the path."""
    return path.endswith((own, own.replace("/v1", "")))


class Face(Protocol):
    """One API of one provider: the path for calls, and the form of every answer."""

    name: str
    family: ApiFamily
    base: str
    """The path of the base URL that an application configures."""
    line_end: str
    """The end of each line in a stream."""
    path: str
    """The path for calls, to show to people."""

    def asked(self, path: str, query: str, body: Any) -> Asked | None:
        """Return what a POST to `path` asks for; None if the path does not belong to this API."""
        ...

    def key(self, headers: Mapping[str, str], query: str) -> str:
        """Return the API key of a request; empty if it has none."""
        ...

    def tools(self, body: Any) -> list[DeclaredTool]:
        """Return the tools that a request declares, in order."""
        ...

    def results(self, body: Any) -> list[ToolResult]:
        """Return the tool results of a request, in order; an unknown call has an empty name."""
        ...

    def whole(self, said: Completion) -> Any:
        """Return the JSON of an answer without streaming."""
        ...

    def frames(self, said: Completion) -> list[Frame]:
        """Return all events of a streamed answer, with the last one."""
        ...

    def refusal(self, error: RuntimeErrorName, request_id: str) -> Refusal:
        """Return how this provider refuses a call with one of the thirteen errors."""
        ...

    def broken_off(self, error: RuntimeErrorName) -> Frame:
        """Return the event that reports an error inside a stream."""
        ...


MESSAGES: Final[Mapping[RuntimeErrorName, str]] = {
    RuntimeErrorName.INVALID_REQUEST: "Unknown parameter: 'colour'.",
    RuntimeErrorName.AUTHENTICATION: "Incorrect API key provided.",
    RuntimeErrorName.PERMISSION_DENIED: "This key may not use the model.",
    RuntimeErrorName.NOT_FOUND: "The model does not exist.",
    RuntimeErrorName.REQUEST_TOO_LARGE: "The input exceeds the maximum context length.",
    RuntimeErrorName.RATE_LIMITED: "Rate limit reached. Try again later.",
    RuntimeErrorName.QUOTA_EXHAUSTED: "You exceeded your current quota. Check your plan.",
    RuntimeErrorName.SERVER_ERROR: "The server had an error.",
    RuntimeErrorName.OVERLOADED: "The engine is currently overloaded.",
    RuntimeErrorName.TIMEOUT: "The request timed out.",
    RuntimeErrorName.CONFLICT: "Another request changed the same resource.",
    RuntimeErrorName.CANCELLED: "The request was cancelled.",
    RuntimeErrorName.UNKNOWN: "Something that no table lists.",
}
"""The provider's message for each error, written for this project."""


def member(value: Any, name: str) -> Any:
    """Return a member of a JSON object; None if the value is not an object."""
    return value.get(name) if isinstance(value, dict) else None


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a JSON array; none if the value is not an array."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def declared(held: Any, schema: str) -> DeclaredTool:
    """Return a tool from its declaration, in which the member `schema` is its schema."""
    name, about = member(held, "name"), member(held, "description")
    return DeclaredTool(str(name), about if isinstance(about, str) else "", member(held, schema))


def text_of(content: Any) -> str:
    """Return the text of a message's content: a string, or parts that have a text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (member(part, "text") for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def last_user(messages: Any) -> str:
    """Return the text of the user's last message."""
    held = messages if isinstance(messages, list) else []
    for message in reversed(held):
        if member(message, "role") == "user":
            return text_of(member(message, "content"))
    return ""
