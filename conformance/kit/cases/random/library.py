"""What only the library can draw: patterns, and schemas whose parts apply together."""

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
"""The most schemas whose generators are cached: the tools of one server often share schemas."""
_KEPT_VALUES: Final = 128
"""The most schemas whose values are cached. With a pattern, they may take hundreds of kilobytes."""


@dataclass(frozen=True, slots=True)
class _Worked:
    """The result of the library, or the reason why there is none, and the steps that it took."""

    found: Any
    reason: str
    cost: int


def library_maker(schema: Schema, seed: int, count: int, effort: Effort) -> Maker | None:
    """Return a maker that picks from `count` values. The library draws them once for a schema.

    Return None if there are none. Each must be validated. Raises `NotDrawable`, now or when a value
    is picked, if the library fails or would need more steps than are left.
    """
    text = json.dumps(schema)
    if _of(effort, text, lambda: _strategy(text)).is_empty:
        return None

    def made(chance: Chance) -> Any:
        values = _of(effort, f"values of {text}", lambda: _values(text, seed, count))
        return json.loads(chance.choice(values))

    return made


def _of(effort: Effort, what: str, work: Callable[[], _Worked]) -> Any:
    """Return the result. Raises `NotDrawable` if there is none, or if no steps are left for it."""
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
    """Return values as JSON texts, so that no two calls share one."""
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
            found.is_empty  # noqa: B018 - computed here, where it is counted
    except TooMuch as reason:
        return _Worked(None, str(reason), counter.done)
    except Exception as error:  # a strange schema may cause any error: report it and go on
        return _Worked(None, f"{type(error).__name__}: {error}", counter.done)
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    if pattern is not None:
        found = found.filter(_is_found_by_others(pattern))
    return _Worked(found, "", counter.done)


def _seeded(make: Maker) -> Callable[[int], Any]:
    return lambda seed: make(Chance(seed))


def _is_found_by_others(pattern: str) -> Callable[[Any], bool]:
    r"""Return a test for texts in which other dialects find the pattern too.

    For most of them, `\s` and `\w` match more characters than in ECMA, and `\S` and `\W` fewer.
    """
    loose = re.compile(pattern.removeprefix(ECMA))

    def found(value: Any) -> bool:
        return not isinstance(value, str) or loose.search(value) is not None

    return found
