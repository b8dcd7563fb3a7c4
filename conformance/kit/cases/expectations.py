"""How a broken case counts: how surely a server refuses it, and whether it can be repaired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from conformance.formats.schema.ecma.patterns import is_known
from conformance.formats.schema.equality import same
from conformance.kit.cases.valid_values import Maker
from conformance.kit.cases.walk import Spot, discriminators, spots
from conformance.kit.model.case import Strictness
from conformance.kit.schema.applies import applied, member
from conformance.kit.schema.breaks import Break
from conformance.kit.schema.constraints import Constraints, constraints
from conformance.kit.schema.places import ABSENT, Tokens, from_pointer, get
from conformance.kit.schema.string_formats import ATDF_FORMATS, FORMATS, has_no_offset
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import SchemaView, view_of

_GIVES_A_VALUE: Final = frozenset({
    "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "type", "format",
})  # fmt: skip
_CUT: Final = frozenset({"maxLength", "maxItems", "uniqueItems"})
"""Keywords whose repair is a shorter form of the value that was sent."""

_MISSING: Final = frozenset({"required", "dependentRequired", "dependencies"})
_EXTRA: Final = frozenset({"additionalProperties", "unevaluatedProperties"})


def keywords_of(found: Sequence[Break]) -> tuple[str, ...]:
    """Return the broken keywords without duplicates, with `type` first."""
    names = dict.fromkeys(b.keyword for b in found)
    return tuple(sorted(names, key=lambda name: name != "type"))


def strictness(found: Sequence[Break], near_miss: bool) -> Strictness:
    """Return which clause a broken case serves."""
    names = set(keywords_of(found))
    if near_miss:
        return Strictness.NEAR_MISS
    if names <= _EXTRA:
        return Strictness.CLOSED
    if names == {"format"}:
        ours = all(b.said in ATDF_FORMATS for b in found)
        return Strictness.FORMAT if ours else Strictness.OTHER_FORMAT
    return Strictness.STRICT


def is_judgeable(asked: Constraints) -> bool:
    """Return whether the kit can check strings here: it knows all the patterns and formats."""
    return all(f in FORMATS for f in asked.formats) and all(map(is_known, asked.patterns))


def gives_a_value(spot: Spot, names: Sequence[str]) -> bool:
    """Return whether the keywords that are broken at a spot tell which value is right there.

    They do not if a pattern, an unknown format or `not` applies, or if the spot is a discriminator:
    its right value depends on the rest of the call.
    """
    if spot.discriminator or not spot.tokens or governed(spot.asked):
        return False
    return _GIVES_A_VALUE.issuperset(names)


def can_be_made(spot: Spot, maker: Maker, names: Sequence[str]) -> bool:
    """Return whether a valid value for a spot follows from its schema, or from cutting the sent
    one.

    For example, no schema says what an empty name should be.
    """
    try:
        Maker(maker.view, now=maker.now, given_only=not is_cut(names)).value(spot.nodes)
    except SchemaProblem:
        return False
    return True


def lacks_offset(sent: Any, found: Sequence[Break]) -> bool:
    """Return whether a refused date-time is a day or a time that does not say in which zone.

    Only the caller knows the zone: any value that a server suggests may be another moment.
    """
    is_moment = any((each.keyword, each.said) == ("format", "date-time") for each in found)
    return is_moment and isinstance(sent, str) and has_no_offset(sent)


def is_cut(names: Sequence[str]) -> bool:
    """Return whether a shorter form of the sent value repairs it."""
    return _CUT.issuperset(names)


def can_be_filled_in(view: SchemaView, spot: Spot, blamed: Tokens, names: Sequence[str]) -> bool:
    """Return whether the member removed from a spot's object has a default or a `const`."""
    if not set(names) <= _MISSING:
        return False
    name = str(blamed[0])
    if name in discriminators(view, spot.found):
        return False
    was = spot.value.get(name, ABSENT)
    asked = constraints(applied(view, member(spot.found.flat, name), was).flat)
    if governed(asked):
        return False
    return asked.first("default") is not ABSENT or asked.first("const") is not ABSENT


def governed(asked: Constraints) -> bool:
    """Return whether a pattern, `not` or an unknown format applies at a place."""
    return bool(asked.patterns) or asked.forbids or any(f not in FORMATS for f in asked.formats)


def rests_on_meaning(schema: Mapping[str, Any], arguments: Any, known: Any) -> bool:
    """Return whether a server may refuse valid `arguments` because of what one of its values means.

    Such a value is a string or number that differs from the one at its place in `known`, which are
    accepted arguments. The schema neither lists it nor shows it as an example, nor bounds a number
    at both ends. It may be a branch, a time zone, a path or an id. A value that the schema decides
    on has no further meaning: one of an enum, or an omitted optional parameter.
    """
    view = view_of(schema)
    try:
        return any(
            _is_open(spot.asked, spot.value)
            for spot in spots(view, arguments)
            if not _is_known(spot, known)
        )
    except SchemaProblem:
        return False


def is_governed(schema: Mapping[str, Any], arguments: Any, name: str) -> bool:
    """Return whether the schema alone decides on what valid `arguments` have for a parameter.

    It does for a value that it lists, a boolean, a number within its maximum, and an omitted
    optional parameter. A string may mean nothing to a server.
    """
    required = schema.get("required")
    if name not in arguments:
        return not (isinstance(required, list) and name in required)
    try:
        found = next(s for s in spots(view_of(schema), arguments) if s.tokens == (name,))
    except (SchemaProblem, StopIteration):
        return False
    if governed(found.asked):
        return False
    is_number = isinstance(found.value, int | float) and not isinstance(found.value, bool)
    bounded = is_number and found.asked.high is not None
    return found.asked.allowed is not None or isinstance(found.value, bool) or bounded


def formats_at(schema: Mapping[str, Any], arguments: Any, pointer: str) -> tuple[str, ...]:
    """Return the formats that a schema asks for at a place of `arguments`, a JSON Pointer."""
    try:
        tokens = from_pointer(pointer, arguments)
        found = (each for each in spots(view_of(schema), arguments) if each.tokens == tokens)
        return next((each.asked.formats for each in found), ())
    except (SchemaProblem, LookupError):
        return ()


def _is_known(spot: Spot, known: Any) -> bool:
    there = get(known, spot.tokens)
    return spot.value is ABSENT or (there is not ABSENT and same(spot.value, there))


def _is_open(asked: Constraints, value: Any) -> bool:
    if asked.allowed is not None or any(same(value, one) for one in _given(asked)):
        return False
    if isinstance(value, str):
        return True
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and (asked.low is None or asked.high is None)


def _given(asked: Constraints) -> list[Any]:
    """Return the values that the schema itself shows."""
    examples = asked.first("examples")
    shown = list(examples) if isinstance(examples, list) else []
    return [*shown, *(asked.first(name) for name in ("default", "example") if asked.has(name))]
