"""All bindings of the kit, by their names in data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.kit.model.run import Role, Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Binding, Traits
from conformance.kit.transport.gateway import NativeBinding, OpenAIBinding
from conformance.kit.transport.http import HttpBinding
from conformance.kit.transport.mcp_http import McpHttpBinding
from conformance.kit.transport.stdio import StdioBinding
from conformance.spec import vocabulary

BINDINGS: Final[Mapping[vocabulary.Binding, type[Binding]]] = {
    vocabulary.Binding.HTTP: HttpBinding,
    vocabulary.Binding.MCP: McpHttpBinding,
    vocabulary.Binding.STDIO: StdioBinding,
    vocabulary.Binding.NATIVE: NativeBinding,
    vocabulary.Binding.OPENAI: OpenAIBinding,
}

MCP_BINDINGS: Final = tuple(name for name, each in BINDINGS.items() if each.traits.speaks_mcp)
"""The bindings that speak MCP."""

OVER_HTTP: Final = tuple(name for name, each in BINDINGS.items() if each.traits.over_http)
"""The bindings that send HTTP requests."""

GATEWAYS: Final = tuple(n for n, each in BINDINGS.items() if each.traits.role is Role.GATEWAY)
"""The bindings of gateways, through which models are called."""


def binding_of(run: Run, settings: Settings) -> Binding:
    """Return the binding of a run, as it is before the first request."""
    return BINDINGS[run.binding].of(run, settings)


def traits_of(run: Run) -> Traits:
    """Return the traits of a run's binding."""
    return BINDINGS[run.binding].traits


def own_target(target: str) -> tuple[vocabulary.Binding, str] | None:
    """Return the only binding that reaches a target, and its endpoint; None for a URL."""
    for name, each in BINDINGS.items():
        prefix = each.traits.prefix
        if prefix is not None and target.startswith(prefix):
            return name, target.removeprefix(prefix).strip()
    return None
