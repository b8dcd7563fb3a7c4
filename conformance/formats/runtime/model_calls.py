"""The rules for a model call through a gateway: its request, usage and timeline.

Serves RT-USE-002, RT-REQ-004, RT-TML-002 and RT-TML-003.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from conformance.formats.problem import shown
from conformance.formats.runtime.kinds import Broken, Rule
from conformance.spec.messages import message
from conformance.spec.vocabulary import MessageRole, Seen

Members = Mapping[str, Any]

_PARTS = {
    "input_tokens": ("cache_read_input_tokens", "cache_creation_input_tokens"),
    "output_tokens": ("reasoning_output_tokens",),
}
"""The counts that are included in another count."""


def _wholes(usage: Members) -> Iterator[Broken]:
    """Yield counts that are less than the sum of their parts (RT-USE-002)."""
    for name, parts in _PARTS.items():
        whole = usage.get(name)
        held = [count for part in parts if type(count := usage.get(part)) is int]
        if type(whole) is int and sum(held) > whole:
            said = message("documents.usage.more", parts=sum(held), name=name, whole=whole)
            yield (name,), said


def _results(request: Members) -> Iterator[Broken]:
    """Yield tool messages about a call that the model did not make before (RT-REQ-004)."""
    made: set[str] = set()
    for index, each in enumerate(_objects(request.get("messages"))):
        made |= {str(call.get("tool_call_id")) for call in _objects(each.get("tool_calls"))}
        given = each.get("tool_call_id")
        if each.get("role") == MessageRole.TOOL and isinstance(given, str) and given not in made:
            said = message("documents.request.no_call", given=shown(given))
            yield ("messages", index, "tool_call_id"), said


def _in_order(record: Members) -> Iterator[Broken]:
    """Yield times that are earlier than the one before (RT-TML-002)."""
    times = [each.get("at") for each in _objects(record.get("timeline"))]
    for index, (before, after) in enumerate(pairwise(times), 1):
        if not (isinstance(before, int | float) and isinstance(after, int | float)):
            continue  # the schema reports it
        if after < before:
            said = message("documents.timeline.back", at=shown(after), before=shown(before))
            yield ("timeline", index, "at"), said


def _after_arrival(record: Members) -> Iterator[Broken]:
    """Yield moments of a request before its arrival (RT-TML-003)."""
    arrived: set[int] = set()
    for index, each in enumerate(_objects(record.get("timeline"))):
        number = each.get("arrival")
        if type(number) is not int:
            continue  # the entry is about the client, or the schema reports it
        if each.get("seen") == Seen.ARRIVED:
            arrived.add(number)
        elif number not in arrived:
            said = message("documents.timeline.not_arrived", number=shown(number))
            yield ("timeline", index, "arrival"), said


def _objects(value: Any) -> list[Members]:
    """Return the items of a list, with an empty object in place of each item of another type."""
    held = value if isinstance(value, list) else []
    return [each if isinstance(each, dict) else {} for each in held]


MODEL_CALL_RULES: Mapping[str, tuple[tuple[str, Rule], ...]] = {
    "usage": (("RT-USE-002", _wholes),),
    "model-request": (("RT-REQ-004", _results),),
    "timeline": (("RT-TML-002", _in_order), ("RT-TML-003", _after_arrival)),
}
"""The clauses of each document, with the rule that serves each clause."""
