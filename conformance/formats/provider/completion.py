"""What a model provider has to say, before it takes the form of one provider."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from conformance.spec.vocabulary import ApiFamily, RuntimeErrorName, TerminationReason


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model wants made; the fragments of its arguments join to JSON."""

    id: str
    name: str
    fragments: tuple[str, ...]

    @property
    def arguments(self) -> str:
        """The arguments as one text."""
        return "".join(self.fragments)

    @property
    def input(self) -> Any:
        """The arguments as JSON; an empty object where they were cut."""
        try:
            return json.loads(self.arguments)
        except ValueError:
            return {}


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call. `cached` are among the input, `reasoning` among the output."""

    input: int = 12
    output: int = 7
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model, piece by piece. `raw_reason` replaces a known reason."""

    pieces: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    reason: TerminationReason = TerminationReason.END_TURN
    raw_reason: str = ""
    usage: Usage = Usage()
    id: str = "1"
    model: str = "model"
    counted: bool = True
    """Whether a stream tells the usage."""

    @property
    def text(self) -> str:
        """The content as one text."""
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Frame:
    """One event of a server-sent stream: its data, and its name where the provider names it."""

    data: str
    name: str = ""

    def encoded(self, line_end: str = "\n") -> bytes:
        """The event as it is sent, with the empty line that ends it."""
        lines = [f"event: {self.name}"] if self.name else []
        lines += [f"data: {line}" for line in self.data.split("\n")]
        return "".join(f"{line}{line_end}" for line in (*lines, "")).encode()


@dataclass(frozen=True, slots=True)
class Refusal:
    """How a provider refuses a call: status, headers and the JSON of the body."""

    status: int
    body: Any
    code: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks for: the model, whether as a stream, and the last user message."""

    model: str
    stream: bool
    user: str
    counts: bool = True
    """Whether a stream tells its usage: chat completions do so only where they are asked."""


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool as a request declares it to the model: `schema` is that of its parameters."""

    name: str
    description: str
    schema: Any


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave, in a request: the name of the tool that was called, and the answer."""

    name: str
    content: Any


def is_path_of(own: str, path: str) -> bool:
    """Whether a request's path is an API's own: some clients leave its version out."""
    return path.endswith((own, own.replace("/v1", "")))


class Face(Protocol):
    """One API of one provider: where calls arrive, and the form of every answer."""

    name: str
    family: ApiFamily
    base: str
    """Where the API begins, as an application's base URL names it."""
    line_end: str
    """What ends a line of its streams."""
    path: str
    """Where calls arrive, for people."""

    def asked(self, path: str, query: str, body: Any) -> Asked | None:
        """What a POST to `path` asks for; None where the path is not one of this face."""
        ...

    def key(self, headers: Mapping[str, str], query: str) -> str:
        """The API key that a request brings; empty without one."""
        ...

    def tools(self, body: Any) -> list[DeclaredTool]:
        """The tools that a request declares, in order."""
        ...

    def results(self, body: Any) -> list[ToolResult]:
        """The results of tools in a request, in order; one of no known call has no name."""
        ...

    def whole(self, said: Completion) -> Any:
        """The JSON of an answer that is not streamed."""
        ...

    def frames(self, said: Completion) -> list[Frame]:
        """The events of a streamed answer, the last one included."""
        ...

    def refusal(self, error: RuntimeErrorName, request_id: str) -> Refusal:
        """How this provider refuses a call with one of the thirteen errors."""
        ...

    def broken_off(self, error: RuntimeErrorName) -> Frame:
        """The event with which this provider reports an error inside a stream."""
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
"""What a provider says of each error, in words of this project."""


def member(value: Any, name: str) -> Any:
    """A member of a JSON object; None of anything else."""
    return value.get(name) if isinstance(value, dict) else None


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON array; none of anything else."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def declared(held: Any, schema: str) -> DeclaredTool:
    """A tool whose schema is the member `schema`."""
    name, about = member(held, "name"), member(held, "description")
    return DeclaredTool(str(name), about if isinstance(about, str) else "", member(held, schema))


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or parts that have one."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (member(part, "text") for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def last_user(messages: Any) -> str:
    """The text of the last message of the user."""
    held = messages if isinstance(messages, list) else []
    for message in reversed(held):
        if member(message, "role") == "user":
            return text_of(member(message, "content"))
    return ""
