"""Finds the documents of the runtime vocabulary inside other documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place

TOOL = "catalog tool"
"""One tool of a toolset catalog: not a separate document, but it has rules."""

_ENDED = (
    ("error", "tool-error"),
    ("retry_hint", "retry-hint"),
    ("bounds", "bounds"),
)
_INSIDE: Mapping[str, tuple[tuple[str, str], ...]] = {
    "tool-result": _ENDED,
    "tool-event": _ENDED,
    "tool-events": (("tool_events", "tool-event"),),
    "toolset-catalog": (("tools", TOOL),),
    "call-record": (
        ("tool", TOOL),
        ("meta", "tool-call-meta"),
        ("tool_result", "tool-result"),
        ("tool_events", "tool-event"),
    ),
    "call-status": (("tool_result", "tool-result"),),
    "provider-manifest": (),
    "retry-record": (("policy", "retry-policy"),),
    "stream-event": (("error", "error"), ("usage", "usage")),
    "model-response": (("usage", "usage"),),
    "event-stream": (("events", "stream-event"),),
    "runtime-error": (("error", "error"),),
}
_LISTS = frozenset({"events", "tool_events", "tools"})
"""The members that are lists: an object there is not one of their documents."""


def parts(
    document: str, data: Mapping[str, Any], place: Place = ()
) -> Iterator[tuple[str, Place, Mapping[str, Any]]]:
    """Yield a document and every document inside it: its name, its place, its members.

    It skips values of another type, which the schema reports.
    """
    yield document, place, data
    for member, kind in _INSIDE.get(document, ()):
        held = data.get(member)
        if isinstance(held, list):
            for index, each in enumerate(held):
                if isinstance(each, dict):
                    yield from parts(kind, each, (*place, member, index))
        elif isinstance(held, dict) and member not in _LISTS:
            yield from parts(kind, held, (*place, member))
