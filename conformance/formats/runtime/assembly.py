"""Turns the events that a manifest's rules make of single frames into a valid stream.

Rules have no state; an assembly has. It knows which calls are open, ends each call once, and keeps
the end back until the provider's stream is over. Serves RT-ASM-001 to RT-ASM-004, RT-TRM-002 and
RT-ORD-008.
"""

from __future__ import annotations

import heapq
import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.runtime.event_rules import MOST_RULES, Rule, apply, compiled
from conformance.formats.runtime.provider_errors import classify, envelope
from conformance.formats.runtime.rule_language import RuleError, steps_taken
from conformance.spec.vocabulary import RuntimeErrorName, StreamEventName, TerminationReason

Event = dict[str, Any]

CUT_OFF = frozenset({TerminationReason.MAX_TOKENS, TerminationReason.CONTENT_FILTER})
"""Termination reasons that allow a call to stay unfinished."""

_REASONS = tuple(TerminationReason)
_SHARED = ("usage", "model", "raw_finish_reason")


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a provider's streams: rules, termination reasons, error classification."""

    rules: tuple[Rule, ...]
    reasons: Mapping[str, Any] = field(default_factory=dict)
    classification: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Call:
    """A call. `index` is the provider's index, and `shown` is unique among the open calls."""

    id: str
    index: int | None
    shown: int
    fragments: list[str] = field(default_factory=list)
    size: int = 0


@dataclass(slots=True)
class Assembly:
    """The state of one stream. Feed it frames in order, then finish it."""

    reading: Reading
    unmatched: list[Any] = field(default_factory=list)
    """Frames that no rule matched."""
    _open: OrderedDict[str, _Call] = field(default_factory=OrderedDict)
    _at: dict[int, OrderedDict[str, _Call]] = field(default_factory=dict)
    """The open calls by the provider's index."""
    _shown: set[int] = field(default_factory=set)
    _highest: list[int] = field(default_factory=list)
    """A heap of all values that `_shown` ever had, negated."""
    _unnamed: int = 0
    """The first number to try for the next generated id."""
    _seen: set[str] = field(default_factory=set)
    _raw: str | None = None
    _finished: bool = False
    _complete: bool = False
    _failed: bool = False

    def feed(self, frame: Any) -> list[Event]:
        """Return the events that one more frame makes, perhaps none."""
        made = apply(self.reading.rules, frame)
        if made is None:
            self.unmatched.append(frame)
            return []
        events: list[Event] = []
        for each in made:
            if self._failed:
                break
            _TAKE.get(each.event, Assembly._ignore)(self, each.payload, events)
        return events

    def finish(self) -> list[Event]:
        """Return the remaining events at the end of the provider's stream; the last is terminal."""
        if self._failed:
            return []
        if not self._finished:
            said = "The stream ended without a finish reason."
            return [self._error(RuntimeErrorName.SERVER_ERROR, said)]
        events: list[Event] = []
        reason = self._reason()
        left = [call for call in list(self._open.values()) if not self._end(call, events)]
        if left and reason not in CUT_OFF:
            said = "The arguments of a tool call are not the JSON text of an object."
            return [*events, self._error(RuntimeErrorName.SERVER_ERROR, said)]
        reason = self._of_calls(reason)
        if self._raw is not None and reason is None:
            events.append({"event": _METADATA, "raw_finish_reason": self._raw})
        events.append({"event": _END} | ({"finish_reason": reason} if reason else {}))
        self._failed = True  # nothing may follow
        return events

    def _content(self, payload: Mapping[str, Any], events: list[Event]) -> None:
        _fragment(StreamEventName.PARTIALCONTENTDELTA, "content", payload, events)

    def _thinking(self, payload: Mapping[str, Any], events: list[Event]) -> None:
        _fragment(StreamEventName.THINKINGDELTA, "thinking", payload, events)

    def _started(self, payload: Mapping[str, Any], events: list[Event]) -> None:
        self._start(payload, events)

    def _start(self, payload: Mapping[str, Any], events: list[Event]) -> _Call | None:
        name = payload.get("tool_name")
        if not isinstance(name, str) or not name:
            return None
        index = _index(payload)
        given = _text(payload.get("tool_call_id"))
        held = self._of_index(index)
        if held is not None:
            if given is None or given == held.id:
                return held
            self._try_end(held, events)
        if given is not None and given in self._seen:
            return self._open.get(given)
        call = _Call(given or self._made_id(), index, self._free(index))
        self._seen.add(call.id)
        self._open[call.id] = call
        self._shown.add(call.shown)
        heapq.heappush(self._highest, -call.shown)
        if index is not None:
            self._at.setdefault(index, OrderedDict())[call.id] = call
        started: Event = {
            "event": _STARTED,
            "tool_call_id": call.id,
            "tool_name": name,
            "index": call.shown,
        }
        events.append(started)
        return call

    def _free(self, index: int | None) -> int:
        """Return a new call's index: the provider's or the call's number; if taken, a free one."""
        wanted = len(self._seen) if index is None else index
        if wanted not in self._shown:
            return wanted
        while -self._highest[0] not in self._shown:
            heapq.heappop(self._highest)
        return 1 - self._highest[0]

    def _partial(self, payload: Mapping[str, Any], events: list[Event]) -> None:
        call = self._of(payload) or self._start(payload, events)
        if call is None:
            return  # a fragment of something else, such as a tool that the provider runs
        text = payload.get("arguments")
        if isinstance(text, dict | list):
            text = json.dumps(text, ensure_ascii=False, separators=(",", ":"))
        if not isinstance(text, str) or not text:
            return
        steps_taken(len(text) // 10)
        call.fragments.append(text)
        call.size += len(text)
        events.append(
            {"event": _PARTIAL, "tool_call_id": call.id, "arguments": text, "index": call.shown}
        )

    def _ended(self, payload: Mapping[str, Any], events: list[Event]) -> None:
        call = self._of(payload)
        if call is not None:
            self._try_end(call, events)

    def _try_end(self, call: _Call, events: list[Event]) -> None:
        """Do what `_end` does, and count steps: a stream may try this after each fragment."""
        steps_taken(call.size // 100)
        self._end(call, events)

    def _end(self, call: _Call, events: list[Event]) -> bool:
        """End a call if its arguments are complete; return whether they are."""
        if not _whole(call.fragments):
            return False
        del self._open[call.id]
        self._shown.discard(call.shown)
        if call.index is not None:
            del self._at[call.index][call.id]
        self._complete = True
        events.append({"event": _CALL_ENDED, "tool_call_id": call.id, "index": call.shown})
        return True

    def _metadata(self, payload: Mapping[str, Any], events: list[Event]) -> None:
        held = {name: payload[name] for name in _SHARED if payload.get(name) not in (None, "", {})}
        if held:
            events.append({"event": _METADATA, **held})

    def _finish(self, payload: Mapping[str, Any], _: list[Event]) -> None:
        self._finished = True
        raw = _text(payload.get("finish_reason"))
        # A provider gives its reason once; a later end only closes the stream.
        self._raw = self._raw or raw

    def _fail(self, payload: Mapping[str, Any], events: list[Event]) -> None:
        error = payload.get("error")
        told = error if isinstance(error, dict) else {"message": error}
        kinds = tuple(
            told[name] for name in ("code", "type", "status") if isinstance(told.get(name), str)
        )
        numbers = (told.get(name) for name in ("status", "code"))
        status = next((each for each in numbers if type(each) is int), None)
        said = told.get("message") if isinstance(told.get("message"), str) else None
        found = classify(self.reading.classification, codes=kinds, said=said, status=status)
        provider = {"status": status, "code": kinds[0] if kinds else None, "message": said}
        kept = {name: value for name, value in provider.items() if value is not None}
        words = said or "The provider reported an error."
        events.append(self._error(found.name, words, kept))

    def _ignore(self, payload: Mapping[str, Any], events: list[Event]) -> None:
        """Ignore a name that is not one of the eight events: RT-MAN-011 reports it."""

    def _error(
        self, name: RuntimeErrorName, said: str, provider: Mapping[str, Any] | None = None
    ) -> Event:
        self._failed = True
        return {"event": _ERROR, "error": envelope(name, said, provider)}

    def _reason(self) -> str | None:
        """Return the standard reason; None if the provider gave none, or one without a mapping."""
        found = self.reading.reasons.get(self._raw or "", self._raw)
        return TerminationReason(found).value if found in _REASONS else None

    def _of_calls(self, reason: str | None) -> str | None:
        """Return the reason that fits the calls: some providers use one reason for both cases."""
        if self._complete and reason == TerminationReason.END_TURN:
            return TerminationReason.TOOL_USE.value
        if not self._complete and reason == TerminationReason.TOOL_USE:
            return None
        return reason

    def _of(self, payload: Mapping[str, Any]) -> _Call | None:
        """Return the open call that a payload means: by its id, by its index, or the latest one."""
        given = _text(payload.get("tool_call_id"))
        if given is not None:
            return self._open.get(given)
        index = _index(payload)
        if index is not None:
            return self._of_index(index)
        if payload.get("tool_name"):
            return None
        return next(reversed(self._open.values()), None)

    def _of_index(self, index: int | None) -> _Call | None:
        if index is None:
            return None
        return next(iter(self._at.get(index, {}).values()), None)

    def _made_id(self) -> str:
        number = max(len(self._seen), self._unnamed)
        while f"call_{number}" in self._seen:
            number += 1
        self._unnamed = number + 1
        return f"call_{number}"


_STARTED = StreamEventName.TOOLCALLSTARTED.value
_PARTIAL = StreamEventName.PARTIALTOOLCALL.value
_CALL_ENDED = StreamEventName.TOOLCALLENDED.value
_END = StreamEventName.STREAMEND.value
_ERROR = StreamEventName.STREAMERROR.value
_METADATA = StreamEventName.METADATA.value

_TAKE = {
    StreamEventName.PARTIALCONTENTDELTA.value: Assembly._content,
    StreamEventName.THINKINGDELTA.value: Assembly._thinking,
    _STARTED: Assembly._started,
    _PARTIAL: Assembly._partial,
    _CALL_ENDED: Assembly._ended,
    _METADATA: Assembly._metadata,
    _END: Assembly._finish,
    _ERROR: Assembly._fail,
}


def reading_of(manifest: Mapping[str, Any]) -> Reading:
    """Return how a manifest reads streams, without invalid rules: RT-RULE-001 reports those."""
    streaming = _object(manifest.get("streaming"))
    listed = streaming.get("event_map")
    rules = []
    for entry in listed[:MOST_RULES] if isinstance(listed, list) else ():
        try:
            rules.append(compiled(entry))
        except (RuleError, KeyError, TypeError):
            continue
    return Reading(
        tuple(rules),
        _object(_object(manifest.get("termination")).get("mapping")),
        _object(manifest.get("error_classification")),
    )


def replay(reading: Reading, frames: Iterable[Any]) -> tuple[list[Event], list[Any]]:
    """Return the events of a whole stream, and the frames that no rule matched."""
    assembly = Assembly(reading)
    events = [event for frame in frames for event in assembly.feed(frame)]
    return events + assembly.finish(), assembly.unmatched


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _fragment(
    name: StreamEventName, member: str, payload: Mapping[str, Any], events: list[Event]
) -> None:
    text = payload.get(member)
    if isinstance(text, str) and text:
        events.append({"event": name.value, member: text})


def _whole(fragments: list[str]) -> bool:
    if not fragments:
        return True
    try:
        return isinstance(json.loads("".join(fragments)), dict)
    except (ValueError, RecursionError):
        return False


def _index(payload: Mapping[str, Any]) -> int | None:
    index = payload.get("index")
    return index if type(index) is int and index >= 0 else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
