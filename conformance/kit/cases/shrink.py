"""Simpler calls that may still show what a call showed, until none does.

These are generators. Each yields simpler values, is sent whether each value still fails, and
continues from the last that does. They know nothing about servers and schemas: the caller skips
invalid values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from typing import Any

from conformance.kit.schema.places import Tokens, get, put

Steps = Generator[Any, bool, Any]
"""Yields candidates, is sent whether each still fails, and returns the smallest that does."""


def smaller_calls(
    arguments: Mapping[str, Any],
    known: Mapping[str, Any],
    needed: Collection[str],
    broken: Tokens | None = None,
    *,
    bound: bool = False,
) -> Steps:
    """Yield simpler `arguments`, the simplest first.

    Parameters that are not `needed` are left out. Others get the value from a `known` valid call.
    Values that still differ are made smaller. If a call is `broken` on purpose, that place stays
    broken: its value changes only if it is beyond a `bound`.
    """
    here: dict[str, Any] = dict(arguments)
    own = [name for name in here if broken is None or broken[:1] != (name,)]
    for names in _parts(own):
        simpler = dict(here)
        for name in names:
            if name not in needed:
                simpler.pop(name, None)
            elif name in known and name in simpler:
                simpler[name] = known[name]
        if simpler != here and (yield (simpler := _others_first(simpler, known))):
            here = simpler
    for name in list(here):
        place = broken[1:] if broken is not None and name not in own else None
        if name not in known or here[name] != known[name]:
            inner = _smaller(here[name], place, bound=bound)
            here = yield from _inside(inner, here, (name,))
    return here


def _others_first(call: dict[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the call with the members first that differ from the known call: they matter most."""
    return dict(
        sorted(call.items(), key=lambda member: member == (member[0], known.get(member[0])))
    )


def _smaller(value: Any, broken: Tokens | None, *, bound: bool) -> Steps:
    """Yield simpler values of one place. `broken` is the path from here to the broken value."""
    if broken == () and not bound:
        return value
    if isinstance(value, dict):
        return (yield from _members(value, broken, bound=bound))
    if isinstance(value, list):
        return (yield from _items(value, broken, bound=bound))
    if isinstance(value, str):
        return (yield from _text(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (yield from _number(value))
    return value


def _members(value: dict[str, Any], broken: Tokens | None, *, bound: bool) -> Steps:
    kept = broken[0] if broken else None
    here = value
    for names in _parts([name for name in value if name != kept]):
        simpler = {name: inner for name, inner in here.items() if name not in names}
        if simpler != here and (yield simpler):
            here = simpler
    for name in list(here):
        if broken and name != kept:
            continue  # a needed member next to the broken place stays as it is
        place = broken[1:] if broken else None
        here = yield from _inside(_smaller(here[name], place, bound=bound), here, (name,))
    return here


def _items(value: list[Any], broken: Tokens | None, *, bound: bool) -> Steps:
    if broken:
        index = broken[0]
        inner = _smaller(get(value, (index,)), broken[1:], bound=bound)
        return (yield from _inside(inner, value, (index,)))
    places = list(range(len(value)))
    for some in _parts(places):
        left = [place for place in places if place not in some]
        if len(left) < len(places) and (yield [value[place] for place in left]):
            places = left
    here = [value[place] for place in places]
    if broken is None:
        for index in range(len(here)):
            inner = _smaller(here[index], None, bound=bound)
            here = yield from _inside(inner, here, (index,))
    return here


def _text(value: str) -> Steps:
    """Yield plain letters, in case only the length matters. Then cut the text at both ends."""
    plain = "a" * len(value)
    here = plain if value != plain and (yield plain) else value
    size = yield from _least(0, len(here), lambda count: here[:count])
    here = here[:size]
    return here[len(here) - (yield from _least(0, len(here), lambda n: here[len(here) - n :])) :]


def _number(value: int | float) -> Steps:
    sign = -1 if value < 0 else 1
    whole = int(value)
    if whole == value or (yield whole):
        return sign * (yield from _least(0, abs(whole), lambda size: sign * size))
    return value


def _least(low: int, high: int, made: Callable[[int], Any]) -> Generator[Any, bool, int]:
    """Find the smallest size that still fails, by binary search. `high` is known to fail."""
    while low < high:
        middle = (low + high) // 2
        if (yield made(middle)):
            high = middle
        else:
            low = middle + 1
    return high


def _parts(names: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield all of them, then each half, each quarter, and so on down to single ones."""
    size = len(names)
    while size:
        for start in range(0, len(names), size):
            yield names[start : start + size]
        size //= 2


def _inside(steps: Steps, around: Any, place: Tokens) -> Steps:
    """Yield the whole with each candidate at its place; return the whole with the smallest one."""
    try:
        candidate = next(steps)
        while True:
            candidate = steps.send((yield put(around, place, candidate)))
    except StopIteration as done:
        return put(around, place, done.value)
