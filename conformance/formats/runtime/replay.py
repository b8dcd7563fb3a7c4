"""Compares the events of a replay with those that a manifest makes of the frames.

Serves RT-RULE-004, RT-RULE-005, RT-ASM-001 to RT-ASM-004 and RT-TRM-002. The first different event
breaks the one of these clauses that defines what it should be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.formats.problem import Place, shown
from conformance.formats.runtime.assembly import Event, reading_of, replay
from conformance.formats.runtime.kinds import Broken
from conformance.formats.runtime.rule_language import MOST_STEPS, TooMuchWork, limited
from conformance.spec.messages import message
from conformance.spec.vocabulary import StreamEventName as Name

_OF_CALLS = frozenset(
    {Name.TOOLCALLSTARTED.value, Name.PARTIALTOOLCALL.value, Name.TOOLCALLENDED.value}
)
_FRAGMENTS = ("content", "thinking", "arguments")


def as_replayed(record: Mapping[str, Any]) -> Iterator[tuple[str, Broken]]:
    """Yield the clause that the first wrong event of a replay breaks, and its place."""
    frames, events, manifest = (record.get(name) for name in ("frames", "events", "manifest"))
    if not (isinstance(frames, list) and isinstance(events, list) and isinstance(manifest, dict)):
        return
    try:
        with limited():
            made, _ = replay(reading_of(manifest), frames)
    except TooMuchWork:
        yield "RT-RULE-004", (("manifest",), message("documents.rule.costly", limit=MOST_STEPS))
        return
    if made == events:
        return
    index = next(
        (n for n, (one, other) in enumerate(zip(made, events, strict=False)) if one != other),
        min(len(made), len(events)),
    )
    wanted: Event = made[index] if index < len(made) else {}
    found = events[index] if index < len(events) else {}
    found = found if isinstance(found, dict) else {}
    said = message(
        "documents.rule.other",
        expected=shown(wanted or None),
        found=shown(found or None),
    )
    place: Place = ("events", index) if index < len(events) else ("events",)
    yield _blamed(made, events, wanted, found), (place, said)


def _blamed(
    made: Sequence[Event], events: Sequence[Any], wanted: Event, found: Mapping[str, Any]
) -> str:
    names = (str(wanted.get("event")), str(found.get("event")))
    if wanted.get("event") == Name.STREAMERROR:
        return "RT-ASM-004" if "provider_error" in wanted["error"] else "RT-ASM-003"
    if any("raw_finish_reason" in each for each in (wanted, found)):
        return "RT-TRM-002"
    if names == (Name.STREAMEND, Name.STREAMEND):
        return "RT-TRM-002"
    if found.get("event") == Name.STREAMEND:
        return "RT-ASM-002"
    if not _OF_CALLS.isdisjoint(names) or any(found.get(each) == "" for each in _FRAGMENTS):
        return "RT-ASM-001"
    return "RT-RULE-005" if wanted in events or found in made else "RT-RULE-004"
