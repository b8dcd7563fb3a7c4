"""Describes what was sent, as a part of a sentence in the reader's language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from conformance.formats.problem import shown
from conformance.kit.cases.baseline import GIVEN
from conformance.kit.model.case import Case, CaseKind
from conformance.kit.schema.places import ABSENT, Tokens, to_parameter
from conformance.spec.messages import Message, as_code, is_message, message

_BY_KIND = {
    CaseKind.BASELINE: "call.good",
    CaseKind.AFTER: "call.again",
    CaseKind.SECOND: "call.again",
    CaseKind.REPAIR: "call.repair",
}

_WITH = {"call.good": "call.good_with", "call.again": "call.again_with"}

NO_WORDS = "sent.step"
"""The message that names a step by its id."""

_CUT = "…"
_PLACES = 3
"""The most places that are listed where a call differs from the baseline call."""


def call_words(case: Case, good: Case | None = None) -> Message:
    """Describe a call by the value at its broken place, or by its arguments.

    If a valid call has too many arguments to show, only the differences from `good` are shown.
    `good` is the accepted call next to it.
    """
    violation = case.violation
    of_branch = case.kind is CaseKind.BASELINE and case.neighbour is not None and violation is None
    if case.kind in _BY_KIND and not of_branch:  # the reader knows it
        return message(_BY_KIND[case.kind])
    if violation is None:
        return _valid(case, good)
    if violation.parameter is None:
        return message("call.arguments", sent=shown(case.arguments))
    if violation.sent_absent:
        return message("call.without", parameter=violation.parameter)
    return message("call.with", parameter=violation.parameter, sent=shown(violation.sent))


def call_shown(case: Case, good: Case | None = None) -> Message:
    """Describe a call for a finding, which has no context: also the baseline call's arguments."""
    words = call_words(case, good)
    if words.id not in _WITH:
        return words
    return message(_WITH[words.id], arguments=shown(case.arguments))


def _valid(case: Case, good: Case | None) -> Message:
    text = shown(case.arguments)
    if text.endswith(_CUT) and good is not None:
        found = list(unlike(case.arguments, good.arguments))
        sent = [f"{_place(at)} = {shown(v)}" for at, v in found if at and v is not ABSENT]
        left_out = [_place(at) for at, v in found if v is ABSENT]
        if sent and left_out:
            return message("call.valid_but", arguments=_few(sent), parameters=_few(left_out))
        if left_out:
            return message("call.valid_without", parameters=_few(left_out))
        text = _few(sent) or text
    return message("call.valid", arguments=text)


def _place(at: Tokens) -> str:
    return as_code(str(to_parameter(at)))


def _few(told: list[str]) -> str:
    return ", ".join((*told[:_PLACES], *([_CUT] if len(told) > _PLACES else [])))


def step_words(name: str) -> Message:
    """Describe a step of a script. A step without words of its own is named by its id."""
    return message(f"step.{name}") if has_words(name) else message(NO_WORDS, step=name)


def has_words(name: str) -> bool:
    """Return whether a step has words of its own."""
    return is_message(f"step.{name}")


_DEEPEST = 20
"""The deepest level of the arguments that is compared. A deeper difference is shown as a whole."""


def unlike(sent: Any, good: Any, at: Tokens = ()) -> Iterator[tuple[Tokens, Any]]:
    """Yield each place where `sent` differs from `good`, with the value that was sent there.

    `ABSENT` means that the place was left out. Lists of different lengths differ as a whole. 1.0
    differs from 1, because it is written differently.
    """
    if len(at) < _DEEPEST and isinstance(sent, Mapping) and isinstance(good, Mapping):
        for name, value in sent.items():
            yield from unlike(value, good.get(name, ABSENT), (*at, name))
        yield from (((*at, name), ABSENT) for name in good if name not in sent)
    elif len(at) < _DEEPEST and _alike_lists(sent, good):
        for n, (value, other) in enumerate(zip(sent, good, strict=True)):
            yield from unlike(value, other, (*at, n))
    elif type(sent) is not type(good) or sent != good:
        yield at, sent


def _alike_lists(sent: Any, good: Any) -> bool:
    return isinstance(sent, list) and isinstance(good, list) and len(sent) == len(good)


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
    "near-miss-number": "number-for-a-string",
    "near-miss-date-for-date-time": "date-for-date-time",
    "near-miss-date-time-for-date": "date-time-for-date",
    "random-pattern": "pattern-broken",
    "random-too-few": "too-few-items",
    "random-too-many": "too-many-items",
    "random-duplicate": "duplicate-items",
}
"""Scenarios that share the words of another one."""

_FAMILIES: Final = (
    (re.compile(r"(?:random-)?format-(?P<format>.+)"), "format"),
    (re.compile(r"near-miss-number-for-(?P<format>.+)"), "number-for"),
    (re.compile(r"near-miss-(?P<value>true|false)"), "for-a-number"),
    (re.compile(r"near-miss-(?P<value>0|1|yes)"), "for-a-boolean"),
    (re.compile(r"wrong-type-(?P<type>.+)"), "wrong-type"),
    (re.compile(r"branch-(?P<number>\d+)"), "branch"),
)
"""Scenarios with a value in their name."""


def scenario_words(scenario: str) -> Message | None:
    """Return the words for a scenario, to be used in a sentence; None if it has none."""
    plain = scenario.removeprefix(_BY_CHANCE)
    found = _words(scenario) or _words(plain)
    if found is None or plain == scenario:
        return found
    return message("scenario.by-chance", what=found)


def _words(scenario: str) -> Message | None:
    if scenario == "baseline":
        return message("call.good")
    if scenario == GIVEN:
        return message("call.example")
    if scenario == "random-type":
        return message("scenario.other-type")
    for pattern, id in _FAMILIES:
        values = pattern.fullmatch(scenario)
        if values is not None:
            return message(f"scenario.{id}", **values.groupdict())
    id = f"scenario.{_ALIKE.get(scenario, scenario)}"
    return message(id) if is_message(id) else None
