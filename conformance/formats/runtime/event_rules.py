"""Applies the rules of a provider manifest: makes events from a frame.

Serves RT-RULE-005. Rules have no state; `assembly` makes valid streams from their events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.formats.runtime.rule_language import (
    NOTHING,
    Frame,
    Path,
    Test,
    expression,
    path,
    reader,
    steps_taken,
    values,
)

MOST_RULES = 500
"""The most rules, and the most error patterns, that are read; a real manifest has dozens.
"""

_A_PAYLOAD = 25
"""Steps that one payload costs: it stays in memory, and a short frame may produce millions."""


@dataclass(frozen=True, slots=True)
class Made:
    """An event that a rule made from a frame: its name, and the payload as far as it is known."""

    event: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled rule."""

    event: str
    test: Test
    extract: Callable[[Frame], list[dict[str, Any]]]


def compiled(entry: Any) -> Rule:
    """Compile a rule of an `event_map`: `match`, `emit`, and `extract` or its other name `fields`.

    Raises `RuleError` for a faulty expression or path, and `TypeError` or `KeyError` if the entry
    does not have the form of a rule.
    """
    if not isinstance(entry, dict):
        raise TypeError("a rule is an object")
    listed = entry.get("extract", entry.get("fields", {}))
    event, match = entry["emit"], entry["match"]
    if not (isinstance(event, str) and isinstance(match, str) and isinstance(listed, dict)):
        raise TypeError("a rule has the texts `match` and `emit`, and maps fields to their sources")
    return Rule(event, expression(match), _extractor(listed))


def apply(rules: tuple[Rule, ...], frame: Frame) -> list[Made] | None:
    """Return what all matching rules make of a frame, in order; None if no rule matched."""
    made: list[Made] | None = None
    for rule in rules:
        if rule.test(frame):
            if made is None:
                made = []
            for payload in rule.extract(frame):
                made.append(Made(rule.event, payload))
    return made


def _extractor(entries: Mapping[str, Any]) -> Callable[[Frame], list[dict[str, Any]]]:
    """Return a function that extracts a rule's payloads from a frame.

    Paths with `[*]` run in parallel: the first `[*]` of each means the same item index.
    """
    fixed: list[tuple[tuple[str, ...], Any]] = []
    plain: list[tuple[tuple[str, ...], Callable[[Frame], Any]]] = []
    starred: list[tuple[tuple[str, ...], Path]] = []
    for name, source in entries.items():
        target = tuple(name.split("."))
        if not isinstance(source, str) or not source.startswith("$"):
            fixed.append((target, source))
        elif None in path(source):
            starred.append((target, path(source)))
        else:
            plain.append((target, reader(source)))

    def once(frame: Frame) -> dict[str, Any]:
        steps_taken(_A_PAYLOAD)
        made: dict[str, Any] = {}
        for target, value in fixed:
            _put(made, target, value)
        for target, read in plain:
            value = read(frame)
            if value is not NOTHING:
                _put(made, target, value)
        return made

    if not starred:
        return lambda frame: [once(frame)]
    return lambda frame: [
        _merged(once(frame), found) for found in _each(tuple(starred), frame) if found
    ]


def _each(
    starred: tuple[tuple[tuple[str, ...], Path], ...], frame: Frame
) -> Iterator[dict[str, Any]]:
    """Yield one payload per item, with what the starred paths find there."""
    lists: dict[Path, list[Any]] = {}
    for _, steps in starred:
        before = steps[: steps.index(None)]
        if before not in lists:
            held = next(values(before, frame), None)
            lists[before] = held if isinstance(held, list) else []
    longest = max(len(held) for held in lists.values())
    for number in range(longest):
        steps_taken()
        made: dict[str, Any] = {}
        inner: list[tuple[tuple[str, ...], Path]] = []
        item: Any = None
        for target, steps in starred:
            cut = steps.index(None)
            held = lists[steps[:cut]]
            if number >= len(held):
                continue
            item, rest = held[number], steps[cut + 1 :]
            if None in rest:
                inner.append((target, rest))
                continue
            value = next(values(rest, item), NOTHING)
            if value is not NOTHING:
                _put(made, target, value)
        if not inner:
            yield made
            continue
        for found in _each(tuple(inner), _item(lists, number)):
            yield _merged(dict(made), found)


def _item(lists: Mapping[Path, list[Any]], number: int) -> Any:
    """Return the item at `number` of the first list that has it: inner stars start there."""
    return next((held[number] for held in lists.values() if number < len(held)), None)


def _put(made: dict[str, Any], target: tuple[str, ...], value: Any) -> None:
    for step in target[:-1]:
        inner = made.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        made = inner
    made[target[-1]] = value


def _merged(made: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in more.items():
        held = made.get(name)
        if isinstance(held, dict) and isinstance(value, dict):
            made[name] = {**held, **value}
        else:
            made[name] = value
    return made
