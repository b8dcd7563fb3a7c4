"""Rewrites an input schema so that values can be drawn: draft-07, no references, limited size.

The library that draws knows draft-07, but no recursion. What cannot be rewritten is left out and
reported. The schema then allows more, and drawn values that are invalid are dropped later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from conformance.formats.schema.ecma import patterns
from conformance.kit.cases.random.texts import NAME, format_name, text_name
from conformance.kit.cases.valid_values import LONGEST_TEXT, MOST_ITEMS
from conformance.kit.schema.constraints import constraints
from conformance.kit.schema.places import Tokens
from conformance.kit.schema.string_formats import FORMATS
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import Node, SchemaView
from conformance.spec.pointer import to_pointer

UNROLLED: Final = 3
"""How often a schema may occur inside itself."""
WIDEST: Final = 100
"""How far numbers are from zero if the schema gives no bound (`sleep` is a real tool)."""
ECMA: Final = "(?a)"
r"""The prefix of a pattern, so that `\d` and `\w` mean in Python what they mean in ECMA."""
_MOST_DRAWN: Final = 12
"""The most items of one array that are drawn, even if the schema allows more."""
_LARGEST: Final = 2_000
"""The most schemas in a rewritten one. References that fan out would fill the memory."""
_MOST_CHOICES: Final = 200
"""The most values of one enum that are drawn from: the library compares each with all others."""
_COMBINING: Final = ("allOf", "anyOf", "oneOf")
_KEPT: Final = ("type", "enum", "const", "multipleOf", "uniqueItems", "required",
                "minProperties", "maxProperties")  # fmt: skip
_UNKNOWN: Final = ("unevaluatedProperties", "unevaluatedItems", "minContains", "maxContains",
                   "$recursiveRef", "contentSchema")  # fmt: skip
_SCALARS: Final = ("string", "integer", "boolean")

Schema = dict[str, Any] | bool


@dataclass(frozen=True, slots=True)
class Normalised:
    """A schema to draw from, and what it leaves out: `keyword at /pointer`, without duplicates."""

    schema: Schema
    skipped: tuple[str, ...]


def normalised(view: SchemaView, node: Node) -> Normalised:
    """Rewrite one schema of a view. Raises `SchemaProblem` if it is too large, or never ends."""
    rewriting = _Rewriting(view)
    schema = rewriting.of(node, _Where())
    return Normalised(schema, tuple(dict.fromkeys(rewriting.skipped)))


@dataclass(frozen=True, slots=True)
class _Where:
    """The position of a schema. `exact`: it is negated or a condition, and must not be narrowed.

    `joined`: it is one of several parts that apply together, so it must not be closed alone.
    """

    path: Tokens = ()
    inside: tuple[int, ...] = ()
    """The identities of the schemas around it."""
    exact: bool = False
    joined: bool = False

    def below(self, *steps: str | int, **changes: Any) -> _Where:
        values = {"inside": self.inside, "exact": self.exact, "joined": self.joined, **changes}
        return _Where((*self.path, *steps), **values)


@dataclass(slots=True)
class _Rewriting:
    view: SchemaView
    skipped: list[str] = field(default_factory=list)
    _left: int = _LARGEST

    def of(self, node: Node, where: _Where) -> Schema:
        """Rewrite one schema at its position."""
        schema = node.schema
        if not isinstance(schema, dict):
            if where.exact or schema is False:
                return bool(schema)
            self.skipped.append(_named("a schema without a type", where))
            return False
        if where.inside.count(id(schema)) >= UNROLLED:
            return False
        self._left -= 1
        if self._left < 0:
            raise SchemaProblem(
                ProblemKind.TOO_COMPLEX, f"unrolled it holds more than {_LARGEST} schemas"
            )
        where = where.below(inside=(*where.inside, id(schema)))
        out: dict[str, Any] = {name: schema[name] for name in _KEPT if name in schema}
        if "enum" in out:
            out["enum"] = _some_of(out["enum"])
        self.skipped += [_named(name, where) for name in _UNKNOWN if name in schema]
        self._combine(node, where, out)
        if "type" not in schema and not where.joined and not where.exact:
            self._imply_a_type(node, where, out)
        self._numbers(schema, where, out)
        self._texts(schema, where, out)
        self._arrays(node, where, out)
        self._objects(node, where, out)
        return out if _is_possible(out) else False

    def _combine(self, node: Node, where: _Where, out: dict[str, Any]) -> None:
        schema = node.schema
        parts = []
        target = self.view.follow(node)
        if target is not None:
            parts.append(self.of(target, where.below(joined=len(schema) > 1 or where.joined)))
        for number, sub in enumerate(schema.get("allOf", ())):
            parts.append(self.of(node.sub(sub), where.below("allOf", number, joined=True)))
        if parts:
            out["allOf"] = parts
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                alone = where.joined or bool(schema.keys() & {"properties", "allOf", "$ref"})
                branches = [
                    self.of(node.sub(sub), where.below(keyword, number, joined=alone))
                    for number, sub in enumerate(schema[keyword])
                ]
                out[keyword] = [each for each in branches if each is not False]
        if "not" in schema:
            out["not"] = self.of(node.sub(schema["not"]), where.below("not", exact=True))
        if "if" in schema:
            for keyword, exact in (("if", True), ("then", where.exact), ("else", where.exact)):
                if keyword in schema:
                    at = where.below(keyword, exact=exact, joined=True)
                    out[keyword] = self.of(node.sub(schema[keyword]), at)

    def _imply_a_type(self, node: Node, where: _Where, out: dict[str, Any]) -> None:
        """Add the types that the keywords imply; if there are none, draw nothing.

        Few schemas without a type really mean every value.
        """
        if out.keys() & {"enum", "const", *_COMBINING}:
            return
        kinds = constraints((node,)).kinds
        if kinds:
            out["type"] = list(kinds)
            return
        self.skipped.append(_named("a schema without a type", where))
        out["enum"] = []

    def _numbers(self, schema: dict[str, Any], where: _Where, out: dict[str, Any]) -> None:
        asked = constraints((Node(schema, None),))
        for bound, plain, strict in ((asked.low, "minimum", "exclusiveMinimum"),
                                     (asked.high, "maximum", "exclusiveMaximum")):  # fmt: skip
            if bound is not None:
                out[strict if bound.exclusive else plain] = bound.value
        numeric = _may_be(schema, "integer", "number")
        if where.exact or where.joined or not numeric or "enum" in out or "const" in out:
            return
        low = asked.low.value if asked.low is not None else None
        high = asked.high.value if asked.high is not None else None
        steps = max((m for m in asked.multiples), default=0) * 10
        width = max(WIDEST, steps)
        if low is None:
            out["minimum"] = min(-width, high - width) if high is not None else -width
        if high is None:
            out["maximum"] = max(width, low + width) if low is not None else width

    def _texts(self, schema: dict[str, Any], where: _Where, out: dict[str, Any]) -> None:
        for name in ("minLength", "maxLength"):
            if name in schema:
                out[name] = int(schema[name])
        if where.exact:
            out.update({n: schema[n] for n in ("pattern", "format") if n in schema})
            return
        if "enum" in out or "const" in out or not _may_be(schema, "string"):
            return
        pattern, form = schema.get("pattern"), schema.get("format")
        if pattern is not None:
            self._pattern(str(pattern), where, out)
        elif form in FORMATS:
            out["format"] = format_name(str(form))
        elif form is not None:
            self.skipped.append(_named(f"format {form}", where))
            out["enum"] = []
        elif not where.joined:
            least = int(schema.get("minLength", 0))
            most = int(schema.get("maxLength", max(LONGEST_TEXT, least + LONGEST_TEXT)))
            out["format"] = text_name(least, max(most, least))

    def _pattern(self, expression: str, where: _Where, out: dict[str, Any]) -> None:
        if patterns.is_known(expression) and patterns.is_python(expression):
            # In ECMA, \d and \w are ASCII. A part of a whole cannot begin with a flag.
            out["pattern"] = expression if where.joined else f"{ECMA}{expression}"
            return
        found = patterns.samples(expression, out.get("minLength", 0), out.get("maxLength"))
        if not found:
            self.skipped.append(_named("pattern", where))
        out["enum"] = found

    def _arrays(self, node: Node, where: _Where, out: dict[str, Any]) -> None:
        schema = node.schema
        first, rest = schema.get("prefixItems"), schema.get("items")
        if isinstance(rest, list):
            first, rest = rest, schema.get("additionalItems")
        below = where.below(joined=False)
        each = self._rest(node, rest, below)
        if isinstance(first, list):
            out["items"] = [
                self.of(node.sub(sub), below.below("prefixItems", number))
                for number, sub in enumerate(first)
            ]
            out["additionalItems"] = _anything() if each is None else each
        elif each is not None:
            out["items"] = each
        if "contains" in schema:
            out["contains"] = self.of(node.sub(schema["contains"]), below.below("contains"))
        least, most = int(schema.get("minItems", 0)), schema.get("maxItems")
        if least:
            out["minItems"] = least
        if most is not None:
            out["maxItems"] = int(most)
        if where.exact or not _may_be(schema, "array"):
            return
        if most is None and not where.joined:
            out["maxItems"] = max(least, MOST_ITEMS, len(first or ()))
        elif most is not None:
            out["maxItems"] = min(int(most), max(least, _MOST_DRAWN))
        if each is False and not isinstance(first, list):
            out["maxItems"] = 0
            out.pop("items")
        elif each is None and not isinstance(first, list) and not where.joined:
            out["items"] = _anything()

    def _rest(self, node: Node, rest: Any, below: _Where) -> Schema | None:
        """Return the schema of items that have none of their own; None if there is none."""
        if rest is None:
            return None
        if rest in (True, {}) and not below.exact:
            return _anything()
        return self.of(node.sub(rest), below.below("items"))

    def _objects(self, node: Node, where: _Where, out: dict[str, Any]) -> None:
        schema = node.schema
        below = where.below(joined=False)
        own = schema.get("properties", {})
        made = {n: self.of(node.sub(s), below.below("properties", n)) for n, s in own.items()}
        if made:
            gone = () if where.exact else [name for name, sub in made.items() if sub is False]
            out["properties"] = {n: s for n, s in made.items() if n not in gone}
        for name, sub in schema.get("patternProperties", {}).items():
            at = below.below("patternProperties", name)
            out.setdefault("patternProperties", {})[name] = self.of(node.sub(sub), at)
        if isinstance(schema.get("propertyNames"), dict | bool):
            names = self.of(node.sub(schema["propertyNames"]), below.below("propertyNames"))
            out["propertyNames"] = names
        more = schema.get("additionalProperties")
        if more is not None and (more is not True or where.exact):
            at = below.below("additionalProperties")
            out["additionalProperties"] = self.of(node.sub(more), at)
        self._dependents(node, where, out)
        if not where.exact and not where.joined and _may_be(schema, "object"):
            self._close(node, out)

    def _dependents(self, node: Node, where: _Where, out: dict[str, Any]) -> None:
        """Add the dependencies, unless there are several and the library draws the schema.

        The library would take one in an order that changes with the process. Validation drops
        values that break them.
        """
        schema = node.schema
        found: dict[str, Any] = {}
        for keyword in ("dependencies", "dependentRequired", "dependentSchemas"):
            for holder, asked in schema.get(keyword, {}).items():
                if isinstance(asked, list):
                    found[holder] = asked
                else:
                    at = where.below(keyword, holder, joined=True)
                    found[holder] = self.of(node.sub(asked), at)
        combined = bool(out.keys() & {*_COMBINING, "if", "not", "patternProperties"})
        if found and (len(found) == 1 or not combined):
            out["dependencies"] = found

    def _close(self, node: Node, out: dict[str, Any]) -> None:
        """Exclude members about which nothing is said, if anything is said about members."""
        declared = tuple(dict.fromkeys(_declared(self.view, node)))
        named = out.keys() & {"patternProperties", "propertyNames"}
        if isinstance(out.get("additionalProperties"), dict):
            out.setdefault("propertyNames", _name())
            least = max(out.get("minProperties", 0), len(out.get("required", ())))
            out.setdefault("maxProperties", max(len(declared) + MOST_ITEMS, least))
        elif declared and not named and "additionalProperties" not in out:
            if out.keys() & {*_COMBINING, "if"}:
                out["propertyNames"] = {"enum": list(declared)}
            else:
                out["additionalProperties"] = False
        elif not declared and not named and not out.keys() & {*_COMBINING, "if"}:
            out.setdefault("additionalProperties", _anything())
            out["propertyNames"] = _name()
            out.setdefault("maxProperties", max(MOST_ITEMS, out.get("minProperties", 0)))


def _declared(view: SchemaView, node: Node, depth: int = 0) -> Iterator[str]:
    """Yield every member that a schema names, through references, branches and conditions."""
    schema = node.schema
    if not isinstance(schema, dict) or depth > 8:
        return
    yield from schema.get("properties", {})
    target = view.follow(node)
    parts = [] if target is None else [target]
    for keyword in _COMBINING:
        parts += [node.sub(sub) for sub in schema.get(keyword, ())]
    for keyword in ("then", "else"):
        if keyword in schema:
            parts.append(node.sub(schema[keyword]))
    parts += [node.sub(s) for s in schema.get("dependentSchemas", {}).values()]
    for part in islice(parts, 100):
        yield from _declared(view, part, depth + 1)


def _anything() -> dict[str, Any]:
    """Return what is drawn if the schema allows every value."""
    return {
        "type": list(_SCALARS),
        "format": text_name(0, LONGEST_TEXT),
        "minimum": -WIDEST,
        "maximum": WIDEST,
    }


def _name() -> dict[str, Any]:
    return {"type": "string", "format": format_name(NAME)}


def _may_be(schema: dict[str, Any], *kinds: str) -> bool:
    """Return whether a schema allows one of these types, by its `type` or by its other keywords."""
    named = schema.get("type")
    if named is None:
        return bool(set(constraints((Node(schema, None),)).kinds) & set(kinds))
    return bool({named} & set(kinds)) if isinstance(named, str) else bool(set(named) & set(kinds))


def _is_possible(out: dict[str, Any]) -> bool:
    """Return whether anything can be drawn. An impossible part makes the whole impossible."""
    if out.get("enum") == [] or any(out.get(word) == [] for word in ("anyOf", "oneOf")):
        return False
    if any(part is False for part in out.get("allOf", ())):
        return False
    declared = out.get("properties", {})
    closed = out.get("additionalProperties") is False
    named = out.get("patternProperties")
    return not (closed and not named and any(n not in declared for n in out.get("required", ())))


def _named(what: str, where: _Where) -> str:
    return f"{what} at {to_pointer(where.path) or '/'}"


def _some_of(choices: list[Any]) -> list[Any]:
    """Return some of many choices, spread from the first to the last."""
    return choices[:: -(-len(choices) // _MOST_CHOICES) or 1]
