"""The bindings of gateways: the kit is the client of a model call, and its provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn, Self

from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import ModelCall
from conformance.kit.model.performance import Act, Arrival, End, Head, Performance, Send
from conformance.kit.model.run import Role, Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Barred, Connection, OwnTargets, Traits, to_bytes

CLIENT_KEY = "canary-of-the-client"
"""The key that the client brings where the user gave none: it belongs at no provider."""
_JSON = ("Content-Type", "application/json")


def _refuses(_: Arrival, __: int) -> tuple[Act, ...]:
    """What a provider does whose answer does not matter."""
    body = b'{"error": {"message": "no such model", "code": "model_not_found"}}'
    headers = (("content-type", "application/json"), ("content-length", str(len(body))))
    return Head(404, headers), Send(body), End()


@dataclass(frozen=True, slots=True)
class GatewayBinding:
    """Says what all gateways are asked; the names and the path are each profile's own."""

    run: Run
    headers: tuple[tuple[str, str], ...] = ()

    traits: ClassVar[Traits]
    path: ClassVar[str]
    """What follows the endpoint."""
    counts: ClassVar[Mapping[str, Any]] = {}
    """The members that ask a stream for its usage, where it is not told unasked."""

    @classmethod
    def of(cls, run: Run, settings: Settings) -> Self:
        """The binding of a run."""
        return cls(run, settings.headers)

    def connect(self, settings: Settings, barred: Barred) -> Connection:
        """A client, and the provider at the address that the settings name."""
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
        """A call with these members, named as the vocabulary names them."""
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
        """The members of a call under the names of the profile."""
        return body

    def list_tools(self, *, id: int | str = 1) -> ModelCall:
        """A call that any provider may refuse: the gateway's answer shows that it lives."""
        nonce = f"afn-alive-{id}"
        messages = [{"role": "user", "content": nonce}]
        return self.asks({"model": f"openai/{nonce}", "messages": messages}, _refuses, nonce=nonce)

    def nothing(self) -> ModelCall:
        """What stands for the request where a connection was only opened or closed."""
        return ModelCall()

    def call(self, tool: Tool, arguments: Any, *, id: int | str = 1) -> NoReturn:
        """Raises TypeError: a gateway has no tools of its own."""
        raise TypeError(f"{self.run.id} has no tool {tool.name}")

    def stays_at_target(self, tool: Tool) -> bool:
        """Whether a call of the tool goes to the target: there is none."""
        return True


def _traits(prefix: str) -> Traits:
    return Traits(
        over_http=True,
        speaks_mcp=False,
        role=Role.GATEWAY,
        waits_when_busy=False,
        scripts_together=True,
        targets=OwnTargets(prefix, "kit.gateway.unreachable"),
    )


class NativeBinding(GatewayBinding):
    """The profile `native`: names and events of the vocabulary."""

    traits: ClassVar[Traits] = _traits("native+")
    path: ClassVar[str] = "/calls"


class OpenAIBinding(GatewayBinding):
    """The profile `openai`: chat completions."""

    traits: ClassVar[Traits] = _traits("openai+")
    path: ClassVar[str] = "/chat/completions"
    counts: ClassVar[Mapping[str, Any]] = {"stream_options": {"include_usage": True}}

    def named(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Tools are functions, and the rest has the same names."""
        made = dict(body)
        if "tools" in made:
            made["tools"] = [{"type": "function", "function": each} for each in made["tools"]]
        made["messages"] = [_chat_message(each) for each in body["messages"]]
        return made


def _chat_message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of chat completions: its tool calls are functions."""
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
