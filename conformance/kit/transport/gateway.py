"""The bindings of gateways: the kit is both the client of a model call and its provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn, Self

from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import ModelCall
from conformance.kit.model.performance import Act, Arrival, End, Head, Performance, Send
from conformance.kit.model.run import Role, Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Barred, Connection, Traits, to_bytes

CLIENT_KEY = "canary-of-the-client"
"""The key that the client sends if the user gave none. No provider may receive it."""
_JSON = ("Content-Type", "application/json")


def _refuses(_: Arrival, __: int) -> tuple[Act, ...]:
    """Refuse a request, for calls where the provider's answer does not matter."""
    body = b'{"error": {"message": "no such model", "code": "model_not_found"}}'
    headers = (("content-type", "application/json"), ("content-length", str(len(body))))
    return Head(404, headers), Send(body), End()


@dataclass(frozen=True, slots=True)
class GatewayBinding:
    """Makes the requests to a gateway. Each profile sets the path and the names of the members."""

    run: Run
    headers: tuple[tuple[str, str], ...] = ()

    traits: ClassVar[Traits]
    path: ClassVar[str]
    """The path after the endpoint."""
    counts: ClassVar[Mapping[str, Any]] = {}
    """The members that ask a stream for its usage, if it does not report the usage by default."""

    @classmethod
    def of(cls, run: Run, settings: Settings) -> Self:
        """Return the binding of a run."""
        return cls(run, settings.headers)

    def connect(self, settings: Settings, barred: Barred) -> Connection:
        """Return a connection with a client, and a provider at the address from the settings."""
        from conformance.kit.transport.gateway_connection import (  # noqa: PLC0415 - see http.py
            GatewayConnection,
        )

        return GatewayConnection(settings)

    def asks(
        self,
        body: Mapping[str, Any],
        performance: Performance,
        *,
        nonce: str,
        mark: str = "",
        leave: Literal["", "content", "request"] = "",
        settle: float = 0.0,
    ) -> ModelCall:
        """Return a call with these members, which have the names of the vocabulary."""
        own = {name.lower() for name, _ in self.headers}
        key = () if "authorization" in own else (("Authorization", f"Bearer {CLIENT_KEY}"),)
        return ModelCall(
            "POST",
            self.run.endpoint.rstrip("/") + self.path,
            (_JSON, *key, *self.headers),
            to_bytes(self.named(body)),
            settle=settle,
            nonce=nonce,
            mark=mark,
            leave=leave,
            performance=performance,
        )

    def named(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the members of a call under the names of the profile."""
        return body

    def list_tools(self, *, id: int | str = 1) -> ModelCall:
        """Return a call that any provider may refuse: the gateway's answer shows that it is
        running.
        """
        nonce = f"afn-alive-{id}"
        messages = [{"role": "user", "content": nonce}]
        return self.asks({"model": f"openai/{nonce}", "messages": messages}, _refuses, nonce=nonce)

    def nothing(self) -> ModelCall:
        """Return the request that represents the opening or closing of a connection."""
        return ModelCall()

    def call(self, tool: Tool, arguments: Any, *, id: int | str = 1) -> NoReturn:
        """Raise `TypeError`: a gateway has no tools of its own."""
        raise TypeError(f"{self.run.id} has no tool {tool.name}")

    def stays_at_target(self, tool: Tool) -> bool:
        """Return True: a gateway has no tools that could call another host."""
        return True


def _traits(prefix: str) -> Traits:
    return Traits(
        over_http=True,
        speaks_mcp=False,
        role=Role.GATEWAY,
        waits_when_busy=False,
        scripts_together=True,
        prefix=prefix,
    )


class NativeBinding(GatewayBinding):
    """The profile `native`: the names and events of the vocabulary."""

    traits: ClassVar[Traits] = _traits("native+")
    path: ClassVar[str] = "/calls"


class OpenAIBinding(GatewayBinding):
    """The profile `openai`: chat completions."""

    traits: ClassVar[Traits] = _traits("openai+")
    path: ClassVar[str] = "/chat/completions"
    counts: ClassVar[Mapping[str, Any]] = {"stream_options": {"include_usage": True}}

    def named(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the members with tools as functions; all other names are the same."""
        made = dict(body)
        if "tools" in made:
            made["tools"] = [{"type": "function", "function": each} for each in made["tools"]]
        made["messages"] = [_chat_message(each) for each in body["messages"]]
        return made


def _chat_message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message of chat completions, where tool calls are functions."""
    if "tool_calls" not in message:
        return message
    calls = [
        {
            "id": each["tool_call_id"],
            "type": "function",
            "function": {"name": each["tool_name"], "arguments": each["arguments"]},
        }
        for each in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}
