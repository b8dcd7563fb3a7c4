"""What a case is about, in words: a case's scenario is a code, and readers want to know what it is.

The code stays part of the case's id, by which the case is replayed.
"""

from __future__ import annotations

import re
from typing import Final

from conformance.spec.messages import Message, is_message, message

_BY_CHANCE: Final = "random-"

_ALIKE: Final = {
    "enum-neighbour": "not-allowed",
    "const-neighbour": "not-allowed",
    "random-enum": "not-allowed",
    "enum-case": "other-case",
    "const-case": "other-case",
    "enum-space": "with-space",
    "const-space": "with-space",
    "enum-empty": "nothing-allowed",
    "const-empty": "nothing-allowed",
    "near-miss-json-text": "json-text",
    "near-miss-date-for-date-time": "date-for-date-time",
    "near-miss-date-time-for-date": "date-time-for-date",
    "random-pattern": "pattern-broken",
    "random-too-few": "too-few-items",
    "random-too-many": "too-many-items",
    "random-duplicate": "duplicate-items",
}
"""Scenarios that the words of another one fit."""

_FAMILIES: Final = (
    (re.compile(r"(?:random-)?format-(?P<format>.+)"), "format"),
    (re.compile(r"near-miss-number-for-(?P<format>.+)"), "number-for"),
    (re.compile(r"near-miss-(?P<value>true|false)"), "for-a-number"),
    (re.compile(r"near-miss-(?P<value>0|1|yes)"), "for-a-boolean"),
    (re.compile(r"wrong-type-(?P<type>.+)"), "wrong-type"),
    (re.compile(r"branch-(?P<number>\d+)"), "branch"),
)
"""Scenarios that carry a value in their name."""


def scenario_words(scenario: str) -> Message | None:
    """The words for a scenario, which may stand within a sentence; None for one without any."""
    plain = scenario.removeprefix(_BY_CHANCE)
    found = _words(scenario) or _words(plain)
    if found is None or plain == scenario:
        return found
    return message("scenario.by-chance", what=found)


def _words(scenario: str) -> Message | None:
    if scenario == "baseline":
        return message("call.good")
    if scenario == "random-type":
        return message("scenario.other-type")
    for pattern, id in _FAMILIES:
        values = pattern.fullmatch(scenario)
        if values is not None:
            return message(f"scenario.{id}", **values.groupdict())
    id = f"scenario.{_ALIKE.get(scenario, scenario)}"
    return message(id) if is_message(id) else None
