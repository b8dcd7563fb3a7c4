"""The shape that a value of the source must have, written as a similar value.

`str` and `bool` mean these types, `ANY` any value, and `TEXT` a text in three languages, which
`texts` checks. `[shape]` is a list, and `Each(shape)` a map with any keys. A dict is a map with
exactly these keys; a key that ends in `?` is optional.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scripts.generator.load import Json, Path_, SourceFile
from scripts.generator.problems import Problem

ANY = object()
TEXT = object()
Shape = Any


@dataclass(frozen=True, slots=True)
class Each:
    """A map with any keys, whose values all have the same shape."""

    shape: Shape


_NAMES = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a map",
    type(None): "nothing",
}


def misshapen(source: SourceFile, path: Path_, value: Json, shape: Shape) -> Iterator[Problem]:
    """Yield a problem for each place in `value`, which is at `path`, without the right shape."""
    if shape is ANY or shape is TEXT:
        return
    wanted: type = dict
    if isinstance(shape, type | list):
        wanted = shape if isinstance(shape, type) else list
    if not _is(value, wanted):
        what = f"Here stands {_NAMES[type(value)]}, where {_NAMES[wanted]} belongs."
        yield source.problem(path, what, f"Write {_NAMES[wanted]}.")
    elif isinstance(shape, list):
        for index, item in enumerate(value):
            yield from misshapen(source, (*path, index), item, shape[0])
    elif isinstance(shape, Each):
        for key, item in value.items():
            yield from misshapen(source, (*path, key), item, shape.shape)
    elif isinstance(shape, dict):
        yield from _misshapen_map(source, path, value, shape)


def _is(value: Json, wanted: type) -> bool:
    """Return whether `value` has exactly this type: in JSON, true is not a number."""
    return type(value) is wanted


def _misshapen_map(
    source: SourceFile, path: Path_, value: Json, shape: dict[str, Shape]
) -> Iterator[Problem]:
    known = {key.removesuffix("?"): inner for key, inner in shape.items()}
    for key, item in value.items():
        if key not in known:
            what = f"Nothing here is called `{key}`."
            do = f"Use one of {', '.join(known)}."
            yield source.problem((*path, key), what, do)
        else:
            yield from misshapen(source, (*path, key), item, known[key])
    for key in shape:
        if not key.endswith("?") and key not in value:
            yield source.problem(path, f"`{key}` is missing.", "Add it.")
