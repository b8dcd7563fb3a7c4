"""What only the library can draw: patterns, and schemas whose parts hold together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema

from conformance.kit.cases.random.chance import ONE_AT_A_TIME, Chance, Maker, NotDrawable, drawn
from conformance.kit.cases.random.drawable import ECMA, Schema
from conformance.kit.cases.random.texts import formats_in

Strategy = st.SearchStrategy[Any]
_SEEDS: Final = st.integers(0, 2**32 - 1)
_KEPT: Final = 512
"""Schemas whose values are kept: tools of one server ask for the same again."""


def library_maker(schema: Schema, seed: int, count: int) -> Maker | None:
    """Give how to pick from `count` values that the library draws of a normalised schema, once.

    None if there are none; some may be invalid: each is to be judged. Raises NotDrawable, now or
    when a value is picked, where the library fails.
    """
    text = json.dumps(schema)
    with ONE_AT_A_TIME:
        if _strategy(text).is_empty:
            return None

    def made(chance: Chance) -> Any:
        with ONE_AT_A_TIME:
            values = _values(text, seed, count)
        if isinstance(values, str):
            raise NotDrawable(values)
        return json.loads(chance.choice(values))

    return made


@lru_cache(maxsize=_KEPT)
def _values(text: str, seed: int, count: int) -> tuple[str, ...] | str:
    """Give values as JSON texts, so that no two calls share one; or why there are none."""
    try:
        found = drawn(_strategy(text), count, seed)
    except NotDrawable as reason:
        return str(reason)
    return tuple(json.dumps(value) for value in found)


@lru_cache(maxsize=_KEPT)
def _strategy(text: str) -> Strategy:
    """Raises NotDrawable if the library cannot read a schema."""
    schema = json.loads(text)
    formats = {name: _SEEDS.map(_seeded(make)) for name, make in formats_in(schema).items()}
    try:
        found = from_schema(schema, custom_formats=formats)
        found.validate()
    except Exception as error:  # whatever a strange schema does to the library is said, not fatal
        raise NotDrawable(f"{type(error).__name__}: {error}") from error
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    return found if pattern is None else found.filter(_is_found_by_others(pattern))


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
