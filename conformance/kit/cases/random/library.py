"""What only the library can draw: patterns, and schemas whose parts hold together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema

from conformance.kit.cases.random.chance import ONE_AT_A_TIME, Chance, Maker, NotDrawable, drawn
from conformance.kit.cases.random.drawable import ECMA, Schema
from conformance.kit.cases.random.effort import Counter, Effort, TooMuch, calls_of, choices_of
from conformance.kit.cases.random.texts import formats_in

Strategy = st.SearchStrategy[Any]
_SEEDS: Final = st.integers(0, 2**32 - 1)
_KEPT: Final = 512
"""Schemas whose generators are kept: tools of one server ask for the same again."""
_KEPT_VALUES: Final = 128
"""The same of their values: those of one with a pattern may take hundreds of kilobytes."""


@dataclass(frozen=True, slots=True)
class _Worked:
    """What the library worked out, or why it did not, and what that took."""

    found: Any
    reason: str
    cost: int


def library_maker(schema: Schema, seed: int, count: int, effort: Effort) -> Maker | None:
    """Give how to pick from `count` values that the library draws of a normalised schema, once.

    None if there are none; some may be invalid: each is to be judged. Raises NotDrawable, now or
    when a value is picked, where the library fails, or would take more than is left.
    """
    text = json.dumps(schema)
    if _of(effort, text, lambda: _strategy(text)).is_empty:
        return None

    def made(chance: Chance) -> Any:
        values = _of(effort, f"values of {text}", lambda: _values(text, seed, count))
        return json.loads(chance.choice(values))

    return made


def _of(effort: Effort, what: str, work: Callable[[], _Worked]) -> Any:
    """What was worked out. Raises NotDrawable if there is nothing, or the effort is used up."""
    if effort.is_new(what) and effort.left <= 0:
        raise NotDrawable("too many steps to draw")
    with ONE_AT_A_TIME:
        worked = work()
    effort.spend(what, worked.cost)
    if worked.reason:
        raise NotDrawable(worked.reason)
    return worked.found


@lru_cache(maxsize=_KEPT_VALUES)
def _values(text: str, seed: int, count: int) -> _Worked:
    """Give values as JSON texts, so that no two calls share one."""
    strategy = _strategy(text).found
    counter = Counter()
    try:
        with choices_of(counter):
            found = drawn(strategy, count, seed, calls_of(counter, json.loads(text)))
    except NotDrawable as reason:
        return _Worked((), str(reason), counter.done)
    return _Worked(tuple(json.dumps(value) for value in found), "", counter.done)


@lru_cache(maxsize=_KEPT)
def _strategy(text: str) -> _Worked:
    schema = json.loads(text)
    formats = {name: _SEEDS.map(_seeded(make)) for name, make in formats_in(schema).items()}
    counter = Counter()
    try:
        with choices_of(counter), calls_of(counter, schema):
            found = from_schema(schema, custom_formats=formats)
            found.validate()
            found.is_empty  # noqa: B018 - worked out here, where it is counted
    except TooMuch as reason:
        return _Worked(None, str(reason), counter.done)
    except Exception as error:  # whatever a strange schema does to the library is said, not fatal
        return _Worked(None, f"{type(error).__name__}: {error}", counter.done)
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    if pattern is not None:
        found = found.filter(_is_found_by_others(pattern))
    return _Worked(found, "", counter.done)


def _seeded(make: Maker) -> Callable[[int], Any]:
    return lambda seed: make(Chance(seed))


def _is_found_by_others(pattern: str) -> Callable[[Any], bool]:
    r"""Tell texts in which other dialects find the pattern too: for most, `\s` and `\w` are more
    characters than for ECMA, and so `\S` and `\W` are fewer.
    """
    loose = re.compile(pattern.removeprefix(ECMA))

    def found(value: Any) -> bool:
        return not isinstance(value, str) or loose.search(value) is not None

    return found
