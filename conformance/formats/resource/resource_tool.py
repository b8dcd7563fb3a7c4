"""An ARDF resource of type `tool` as the descriptor of that tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.resource.resource import plain, resource
from conformance.spec.vocabulary import ArdfBlock

_CALL = ("endpoint", "method")
_ONLY_THERE = ("resource_id", "resource_type", "schema_version", "how_to_use", "content")


def resource_as_descriptor(item: Mapping[str, Any]) -> dict[str, Any]:
    """The descriptor that says the same; what it has no field for keeps its name in it."""
    block = resource(item).block(ArdfBlock.INVOCATION)
    called = dict(block.data) if block is not None else {}
    made: dict[str, Any] = {"tool_id": item.get("resource_id")}
    made |= {name: value for name, value in plain(item).items() if name not in _ONLY_THERE}
    if block is not None:
        made["how_to_use"] = {name: each for name, each in called.items() if name not in _CALL}
        where = {name: called[name] for name in _CALL if name in called}
        made |= {"invocation": where} if where else {}
    return made
