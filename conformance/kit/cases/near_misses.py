"""Near misses: whether a value is in the closed list of ATDF-CALL-002."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.formats.schema.ecma.patterns import matches
from conformance.formats.schema.equality import same
from conformance.kit.schema.applies import alternatives
from conformance.kit.schema.constraints import Constraints, constraints, type_of
from conformance.kit.schema.places import ABSENT
from conformance.kit.schema.view import Node, SchemaView

TRUTH: Final = {
    **dict.fromkeys(("1", "t", "y", "yes", "on", "true"), True),
    **dict.fromkeys(("0", "f", "n", "no", "off", "false"), False),
}
"""The texts that servers commonly read as a boolean."""
_MOST_WAYS: Final = 32
"""The most choices of branches that are checked at one place."""
_COUNTS: Final = frozenset({"date", "date-time", "time", "duration"})
"""Formats of strings that common parsers also make from a number of seconds."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The types, formats and strings that a place accepts in any branch of any union.

    A server tries all of them. If an integer or a string is accepted, `true` may become 1, even in
    a call whose valid value is a string.
    """

    kinds: tuple[str, ...]
    formats: tuple[str, ...]
    strings: tuple[Constraints, ...] = ()

    def takes_text(self, text: str) -> bool:
        """Return whether some branch accepts this string, apart from its format."""
        return any(_takes(asked, text) for asked in self.strings)


def _takes(asked: Constraints, text: str) -> bool:
    if asked.allowed is not None:
        return text in asked.allowed
    short = len(text) < asked.min_length
    long = asked.max_length is not None and len(text) > asked.max_length
    return not short and not long and all(matches(p, text) is not False for p in asked.patterns)


def taken(
    view: SchemaView, asked: Constraints, roots: Sequence[Node], everywhere: Sequence[Node]
) -> Taken:
    """Collect what a place accepts, from the constraints of its value and from every branch there.

    `everywhere` is `every_branch` of the `roots`. The parts of an `allOf` count together, because
    they are not a choice.
    """
    ways: Iterable[Sequence[Node]] = ((node,) for node in everywhere)
    if any(isinstance(n.schema, dict) and "allOf" in n.schema for n in everywhere):
        ways = (way for root in roots for way in alternatives(view, (root,), _MOST_WAYS))
    each = [asked, *map(constraints, ways)]
    return Taken(
        tuple(dict.fromkeys(kind for one in each for kind in one.kinds)),
        tuple(dict.fromkeys(name for one in each for name in one.formats)),
        tuple(one for one in each if "string" in one.kinds),
    )


def is_near_miss(here: Taken, sent: Any, valid_value: Any) -> bool:
    """Return whether a sent value is in the closed list, for a place that accepts `here`."""
    kinds, formats = here.kinds, here.formats
    sent_kind = type_of(sent)
    numeric = "integer" in kinds or "number" in kinds
    if sent_kind == "boolean":  # parsers that count seconds read it as 0 or 1
        return numeric or "duration" in formats
    if sent_kind in ("integer", "number"):
        if not _COUNTS.isdisjoint(formats) or here.takes_text(json.dumps(sent)):
            return True
        return "boolean" in kinds and sent in (0, 1)
    if sent_kind == "string":
        if "boolean" in kinds and sent.strip().lower() in TRUTH.keys() - {"0", "1"}:
            return True
        return _is_text_of(sent, kinds, valid_value)
    return False


def _is_text_of(sent: str, kinds: tuple[str, ...], valid_value: Any) -> bool:
    try:
        meant = json.loads(sent)
    except ValueError:
        return False
    kind = type_of(meant)
    if kind == "string":
        return False
    if valid_value is not ABSENT and same(meant, valid_value):
        return True
    return kind in kinds or (kind == "integer" and "number" in kinds)
