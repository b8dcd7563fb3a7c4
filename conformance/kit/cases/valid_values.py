"""Valid values made from a schema alone: minimal, readable, and always checked against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final

from conformance.formats.schema.ecma import patterns
from conformance.formats.schema.equality import same
from conformance.kit.schema import numbers
from conformance.kit.schema.applies import alternatives, item, member
from conformance.kit.schema.constraints import Constraints, constraints, type_of
from conformance.kit.schema.places import ABSENT, Absent
from conformance.kit.schema.string_formats import FORMATS, SOMEDAY
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import Node, SchemaView, view_of

LONGEST_TEXT: Final = 32
MOST_ITEMS: Final = 3
_MOST_WAYS: Final = 24
_DEEPEST: Final = 8
_MOST_PIECES: Final = 4_000
"""The most values tried for one document. A schema that needs more is reported as too complex."""

_MOST_FAILED: Final = 400
"""The most branches of a document without a value: those that refer to each other never end."""
_MOST_OPTIONAL: Final = 300
_MOST_TRIED: Final = 40
_ANY_KIND: Final = ("string", "integer", "boolean", "array", "object")
"""The types that are tried, in this order, if a schema names none."""
_GIVEN_FORMATS: Final = FORMATS.keys() - {"uuid"}
"""Formats that give a value. An invented UUID does not identify anything."""

Hints = Callable[[str, Constraints], Iterable[Any]]
"""Takes a property's name and constraints; returns values to try before generated ones."""


def _no_hints(_name: str, _facts: Constraints) -> Iterable[Any]:
    return ()


@dataclass(slots=True)
class Maker:
    """Makes values for one document. `full` adds optional members. Its dates ascend.

    With `given_only`, it makes only values that the schema gives: a default, an allowed value, a
    bound, a known format. Only the caller of the tool knows a free text or number, an id, a flag
    without a default, or the content of an array or object.
    """

    view: SchemaView
    now: datetime = SOMEDAY
    full: bool = False
    hints: Hints = _no_hints
    given_only: bool = False
    _made: int = 0
    _left: int = field(default=_MOST_PIECES)
    _failed: int = 0

    def value(
        self, nodes: Sequence[Node], name: str = "value", depth: int = 0, keep: Any = ABSENT
    ) -> Any:
        """Make one value that is valid for all of the nodes. Members of `keep` are kept.

        Raises `SchemaProblem` (`no_value`) if none is found.
        """
        if depth > _DEEPEST:
            raise _none_at(name, f"nested deeper than {_DEEPEST}")
        null_is_valid = False
        reason = "no branch can be satisfied"
        for flat in alternatives(self.view, nodes, _MOST_WAYS):
            asked = constraints(flat)
            try:
                for made in self._attempts(asked, name, depth, keep):
                    self._spend(name)
                    if made is None:
                        null_is_valid = null_is_valid or self.view.is_valid(nodes, made)
                    elif self.view.is_valid(nodes, made):
                        return made
            except SchemaProblem as problem:
                if problem.kind is not ProblemKind.NO_VALUE:
                    raise
                self._failed += 1
                if self._failed > _MOST_FAILED:
                    raise _too_many(name) from None
                reason = problem.detail
        if null_is_valid and not self.given_only:
            return None
        raise _none_at(name, reason)

    def several(self, nodes: Sequence[Node], count: int, name: str, depth: int) -> list[Any]:
        """Make `count` distinct valid values. Raises `SchemaProblem` if they are not found."""
        found: list[Any] = []
        for made in self._variants(nodes, name, depth):
            self._spend(name)
            if not any(same(made, other) for other in found) and self.view.is_valid(nodes, made):
                found.append(made)
            if len(found) >= count:
                return found
        raise SchemaProblem(ProblemKind.NO_VALUE, f"{count} distinct values were not found")

    def _spend(self, name: str) -> None:
        self._left -= 1
        if self._left < 0:
            raise _too_many(name)

    def _attempts(self, asked: Constraints, name: str, depth: int, keep: Any) -> Iterator[Any]:
        if not isinstance(keep, Absent) and not isinstance(keep, dict):
            yield keep
        if asked.allowed is not None:
            yield from asked.allowed
            return
        for keyword in ("default", "examples", "example"):
            said = asked.first(keyword)
            if self.given_only and keyword != "default":
                continue  # an example shows one call, and may not suit another
            if keyword == "examples" and isinstance(said, list):
                yield from said[:MOST_ITEMS]
            elif not isinstance(said, Absent if self.given_only else Absent | dict):
                yield said  # `_objects` completes an object, unless only given values count
        yield from self.hints(name, asked)
        kinds = asked.kinds or _ANY_KIND
        if self.given_only:
            kinds = tuple(kind for kind in kinds if _is_given(kind, asked))
        for kind in sorted(kinds, key=lambda k: k == "null"):
            yield from self._of_kind(kind, asked, name, depth, keep)

    def _of_kind(
        self, kind: str, asked: Constraints, name: str, depth: int, keep: Any
    ) -> Iterator[Any]:
        if kind == "object":
            yield from self._objects(asked, name, depth, keep)
        elif kind == "array":
            yield self._array(asked, name, depth)
        elif kind == "string":
            yield from islice(self.texts(asked, name), 12)
        elif kind in ("integer", "number"):
            for number in numbers.some(asked, kind == "integer"):
                yield numbers.to_json(number)
        elif kind == "boolean":
            yield from (True, False)
        else:
            yield None

    def texts(self, asked: Constraints, name: str) -> Iterator[str]:
        """Yield strings to try: of the format, of the pattern, or the name at a valid length."""
        for known in (f for f in asked.formats if f in FORMATS):
            for _ in range(6):
                self._made += 1
                yield FORMATS[known].make(self._made - 1, self.now)
        for expression in asked.patterns:
            found = patterns.samples(expression, asked.min_length, asked.max_length)
            yield from found
            if not found:
                raise SchemaProblem(
                    ProblemKind.NO_VALUE, f"no text was found for pattern {expression!r}"
                )
        if not asked.patterns:
            for number in range(8):
                yield fitted(f"{name}{number or ''}", asked)

    def _array(self, asked: Constraints, name: str, depth: int) -> list[Any]:
        most = MOST_ITEMS if asked.max_items is None else asked.max_items
        wanted = max(asked.min_items, min(1, most))
        contained = asked.under("contains")[:1]
        asked_for = asked.first("minContains")
        least = 1 if isinstance(asked_for, Absent) else int(asked_for)  # 3.0 is an integer, too
        needed = max(wanted, least) if contained else wanted
        if needed > 2_000:
            told = needed if needed < 10**12 else "too many"
            raise SchemaProblem(ProblemKind.NO_VALUE, f"needs {told} items")
        singular = name[:-1] if name.endswith("s") and len(name) > 2 else name
        items: list[Any] = []
        for index in range(least if contained else 0):
            both = (*item(asked.flat, index), *contained)
            items.append(self.value(both, singular, depth + 1))
        uniform = asked.unique and not asked.has("prefixItems") and not items
        if uniform and wanted > 1:
            return self.several(item(asked.flat, 0), wanted, singular, depth + 1)
        for index in range(len(items), max(wanted, len(items))):
            nodes = item(asked.flat, index)
            try:
                items.append(self.value(nodes, singular, depth + 1))
            except SchemaProblem:
                if index >= asked.min_items:
                    break
                raise
        return items

    def _objects(self, asked: Constraints, name: str, depth: int, keep: Any) -> Iterator[Any]:
        kept = keep if isinstance(keep, dict) else {}
        said = asked.first("default")
        if isinstance(said, dict):
            kept = {**said, **kept}
        made: dict[str, Any] = {}
        wanted = [n for n in asked.names if n in asked.required]
        wanted += [n for n in asked.required if n not in asked.names]
        for each in wanted:
            made[each] = self._member(asked, each, depth, kept)
        waiting = [n for n in dict.fromkeys((*kept, *asked.names)) if n not in made]
        self._dependents(asked, made, depth, kept)
        wished = [n for n in waiting if n not in made]
        if not (self.full and depth < 3):
            missing = max(asked.min_members - len(made), 0)
            wished = [n for n in wished if n in kept] + [n for n in wished if n not in kept][
                :missing
            ]
        self._optional(asked, made, wished[:_MOST_OPTIONAL], depth, kept)
        for number in range(asked.min_members - len(made)):
            each = f"extra{number + 1}"
            made[each] = self._member(asked, each, depth, kept)
        yield made

    def _dependents(self, asked: Constraints, made: dict[str, Any], depth: int, kept: Any) -> None:
        for node in asked.flat:
            for keyword in ("dependentRequired", "dependencies"):
                table = node.schema.get(keyword, {}) if isinstance(node.schema, dict) else {}
                for holder, names in table.items():
                    for each in names if holder in made and isinstance(names, list) else ():
                        if each not in made:
                            made[each] = self._member(asked, each, depth, kept)

    def _optional(
        self,
        asked: Constraints,
        made: dict[str, Any],
        names: Sequence[str],
        depth: int,
        kept: dict[str, Any],
    ) -> None:
        """Add all optional members that can be made. If that is not valid, add them one by one."""
        found: dict[str, Any] = {}
        for name in names:
            try:
                found[name] = self._member(asked, name, depth, kept)
            except SchemaProblem as problem:
                if problem.kind is ProblemKind.TOO_COMPLEX:
                    raise
        if self.view.is_valid(asked.flat, {**made, **found}):
            made.update(found)
            return
        for name, value in islice(found.items(), _MOST_TRIED):
            with_it = {**made, name: value}
            if self.view.is_valid(asked.flat, with_it) or not self.view.is_valid(asked.flat, made):
                made[name] = value

    def _member(self, asked: Constraints, name: str, depth: int, kept: dict[str, Any]) -> Any:
        nodes = member(asked.flat, name)
        return self.value(nodes, name, depth + 1, kept.get(name, ABSENT))

    def _variants(self, nodes: Sequence[Node], name: str, depth: int) -> Iterator[Any]:
        for flat in alternatives(self.view, nodes, _MOST_WAYS):
            asked = constraints(flat)
            if asked.allowed is not None:
                yield from asked.allowed
                continue
            for made in self._attempts(asked, name, depth, ABSENT):
                yield made
                if type_of(made) == "object":
                    yield from self._varied(flat, made, depth)
                elif type_of(made) == "array" and made:
                    inner = self._variants(item(flat, 0), name, depth + 1)
                    yield from ([v, *made[1:]] for v in islice(inner, 8))

    def _varied(self, flat: Sequence[Node], made: dict[str, Any], depth: int) -> Iterator[Any]:
        """Yield copies of the object with one member changed."""
        if depth > _DEEPEST:
            return
        for name in made:
            inner = self._variants(member(flat, name), name, depth + 1)
            yield from ({**made, name: value} for value in islice(inner, 8))


def _too_many(name: str) -> SchemaProblem:
    return SchemaProblem(ProblemKind.TOO_COMPLEX, f"{name}: too many values to try")


def _none_at(name: str, reason: str) -> SchemaProblem:
    """Return why a place has no value, naming it once: an item has the name of its array."""
    told = reason if reason.startswith(f"{name}: ") else f"{name}: {reason}"
    return SchemaProblem(ProblemKind.NO_VALUE, told)


def _is_given(kind: str, asked: Constraints) -> bool:
    """Return whether the schema of a place gives a value of this type without a default."""
    if kind == "string":
        return not asked.patterns and any(name in _GIVEN_FORMATS for name in asked.formats)
    if kind in ("integer", "number"):
        return asked.low is not None or asked.high is not None or bool(asked.multiples)
    return False


def fitted(text: str, asked: Constraints) -> str:
    """Extend or cut a text to a valid length. Raises `SchemaProblem` if that is too long."""
    most = LONGEST_TEXT if asked.max_length is None else asked.max_length
    if asked.min_length > 100_000:
        raise SchemaProblem(ProblemKind.NO_VALUE, f"needs {asked.min_length} characters")
    return text[: max(most, asked.min_length)].ljust(asked.min_length, "a")


def generate(schema: Any, *, now: datetime = SOMEDAY, full: bool = False) -> Any:
    """Make a valid value for a whole schema of `arguments`.

    Raises SchemaProblem if the schema is unusable or no valid value is found.
    """
    view = view_of(schema)
    maker = Maker(view, now=now, full=full)
    return maker.value((view.root,), "arguments")
