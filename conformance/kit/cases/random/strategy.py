"""How to draw values of a normalised schema.

Objects, arrays and unions that are nothing but that are put together here: the library works out
what is in them anew at each draw, which is fifty times as slow. All else is the library's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema

from conformance.kit.cases.random.normalise import ECMA, Schema
from conformance.kit.cases.random.texts import strategies_for

Strategy = st.SearchStrategy[Any]
Draw = Callable[[Strategy], Any]

_MORE: Final = 3
"""Members or items that are drawn beside those that a schema names."""
_WHETHER: Final = st.booleans()
_OBJECT: Final = frozenset({"type", "properties", "required", "additionalProperties",
                            "propertyNames", "maxProperties", "dependencies"})  # fmt: skip
_ARRAY: Final = frozenset({"type", "items", "additionalItems", "minItems", "maxItems",
                           "uniqueItems"})  # fmt: skip

# The first text in a clone costs a second: the library tries each of a million characters and keeps
# the outcome. Threads wait for a module that is imported; later, each would try them all.
from_schema({"type": "string"})


def strategy_of(schema: Schema) -> Strategy:
    """Give how to draw values of a normalised schema. Some may be invalid: each is to be judged."""
    if schema is False:
        return st.nothing()
    if isinstance(schema, dict):
        for keyword in ("anyOf", "oneOf", "allOf"):
            if schema.keys() == {keyword} and (keyword != "allOf" or len(schema[keyword]) == 1):
                return st.one_of([strategy_of(each) for each in schema[keyword]])
        if schema.get("type") == "object" and schema.keys() <= _OBJECT and _by_name(schema):
            return _object(schema)
        if schema.get("type") == "array" and schema.keys() <= _ARRAY and "items" in schema:
            return _array(schema)
    library = from_schema(schema, custom_formats=strategies_for(schema))
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    return library if pattern is None else library.filter(_is_found_by_others(pattern))


def _is_found_by_others(pattern: str) -> Callable[[Any], bool]:
    r"""Tell texts in which other dialects find the pattern too: for most, `\s` and `\w` are more
    characters than for ECMA, and so `\S` and `\W` are fewer.
    """
    loose = re.compile(pattern.removeprefix(ECMA))

    def found(value: Any) -> bool:
        return not isinstance(value, str) or loose.search(value) is not None

    return found


def _by_name(schema: dict[str, Any]) -> bool:
    """Whether members depend on each other by their names alone, if they do."""
    return all(isinstance(each, list) for each in schema.get("dependencies", {}).values())


def _object(schema: dict[str, Any]) -> Strategy:
    known = {name: strategy_of(each) for name, each in schema.get("properties", {}).items()}
    more = schema.get("additionalProperties", False)
    open_ = more is not False
    names = strategy_of(schema.get("propertyNames", {"type": "string"})) if open_ else st.nothing()
    rest = strategy_of(more)
    members = _Members(
        known,
        tuple(schema.get("required", ())),
        rest,
        schema.get("dependencies", {}),
        int(schema.get("maxProperties", len(known) + _MORE)),
        tuple(st.dictionaries(names, rest, max_size=n) for n in range(_MORE + 1)) if open_ else (),
    )
    return _object_of(members)


@dataclass(frozen=True, slots=True)
class _Members:
    """How to draw an object's members: those that it names, the names that it needs, all others,
    which names ask for which, how many it may hold, and so many others at a time, if any.
    """

    known: dict[str, Strategy]
    needed: tuple[str, ...]
    rest: Strategy
    demands: dict[str, list[str]]
    most: int
    others: tuple[Strategy, ...]


@st.composite
def _object_of(draw: Draw, of: _Members) -> dict[str, Any]:
    found = {name: draw(of.known.get(name, of.rest)) for name in of.needed}
    for name, each in of.known.items():
        if name not in found and len(found) < of.most and draw(_WHETHER):
            found[name] = draw(each)
            for other in of.demands.get(name, ()):
                if other not in found:
                    found[other] = draw(of.known.get(other, of.rest))
    if not of.others:
        return found
    return {**draw(of.others[min(max(of.most - len(found), 0), _MORE)]), **found}


def _array(schema: dict[str, Any]) -> Strategy:
    items = schema["items"]
    first = [strategy_of(each) for each in items] if isinstance(items, list) else []
    rest = strategy_of(schema.get("additionalItems", True) if first else items)
    least = max(schema.get("minItems", 0) - len(first), 0)
    most = max(schema.get("maxItems", len(first) + _MORE) - len(first), 0)
    if rest.is_empty:
        most = 0
    unique = _key if schema.get("uniqueItems") is True else None
    more: Strategy = (
        st.lists(rest, min_size=least, max_size=most, unique_by=unique)
        if most
        else st.builds(list[Any])
    )
    if not first:
        return more
    return st.builds(_joined, st.tuples(*first), more)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _joined(first: tuple[Any, ...], others: list[Any]) -> list[Any]:
    return [*first, *others]
