"""A compiled input schema: validates values and resolves references.

It never fetches anything: a reference outside the document is a `SchemaProblem`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import jsonschema
import referencing.exceptions
from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema_specifications import REGISTRY
from referencing import Registry, Resource
from referencing.jsonschema import specification_with

from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.formats.schema.exact_numbers import exact_keywords
from conformance.formats.schema.extended import extended
from conformance.formats.schema.references import NAMING, broken_reference
from conformance.formats.schema.schemas import NEWEST
from conformance.formats.schema.work import counted, quick
from conformance.kit.schema import keywords
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.spec.format_checker import format_checker

_FORMATS: Final = format_checker(Draft202012Validator)
_UNNAMED: Final = "json-schema.org/schema"
"""The URI without a version. It means the newest one."""
_DIALECTS: Final[tuple[Any, ...]] = (
    Draft202012Validator,
    jsonschema.Draft201909Validator,
    jsonschema.Draft7Validator,
    jsonschema.Draft6Validator,
    jsonschema.Draft4Validator,
)
_HANGING_ON_THE_WAY: Final = ("$dynamicRef", "$recursiveRef")
"""References whose meaning depends on the schemas on the path to them."""
_CHOOSING: Final = ("anyOf", "contains", "if", "not", "oneOf")
"""Keywords that choose by a `format` what else applies, or refuse a value that has the format."""
MOST_STEPS: Final = 10_000
"""The most steps of one evaluation: references followed, branches tried, and values compared.

Comparisons count by the dozen. Real calls need dozens of steps, a malicious schema billions.
"""
MOST_IN_ALL: Final = 60_000
"""The most steps of all evaluations of one plan, which take about five seconds."""

_LONG: Final = 20_000
"""The length in characters from which a schema is long: only a few views of long schemas are
cached.
"""

Resolver = Any
"""The resolver of `referencing`, whose class is private."""


@dataclass(frozen=True, slots=True)
class Node:
    """A schema at its place: its content, and the base against which its references resolve."""

    schema: Any
    resolver: Resolver

    def sub(self, schema: Any) -> Node:
        """Return the node of a schema that is nested in this one."""
        if isinstance(schema, dict) and "$id" in schema:
            resource = Resource.from_contents(
                schema, default_specification=specification_with(NEWEST)
            )
            return Node(schema, self.resolver.in_subresource(resource))
        return Node(schema, self.resolver)


class _Meter(threading.local):
    """The remaining steps of one evaluation, and of all evaluations of one plan.

    Each thread has its own, because several runs may plan the same tool at the same time.
    """

    def __init__(self) -> None:
        self.left = MOST_STEPS
        self.total = MOST_IN_ALL

    def spend(self, steps: int) -> None:
        self.left -= steps
        self.total -= steps
        if self.left < 0:
            raise SchemaProblem(
                ProblemKind.TOO_COMPLEX, f"one call takes more than {MOST_STEPS} steps to judge"
            )
        if self.total < 0:
            raise SchemaProblem(
                ProblemKind.TOO_COMPLEX, f"its cases take more than {MOST_IN_ALL} steps to judge"
            )


@dataclass(frozen=True, slots=True, eq=False)
class SchemaView:
    """A compiled schema, compared by identity. `view_of` makes one."""

    root: Node
    _validator: Any
    _meter: _Meter
    _properties: keywords.Properties
    annotating: SchemaView | None = None
    """The same schema for a server that checks no `format`, as JSON Schema allows. None if such a
    server only accepts more calls: those in which nothing but a format is broken.
    """

    def errors(self, nodes: Sequence[Node], value: Any) -> list[ValidationError]:
        """Return all errors of a value against all of the nodes, with paths relative to the value.

        Raises `SchemaProblem` if the evaluation takes too many steps.
        """
        return list(self._guarded(nodes, value))

    def is_valid(self, nodes: Sequence[Node], value: Any) -> bool:
        """Return whether a value is valid for all of the nodes. Raises as `errors` does."""
        return next(self._guarded(nodes, value), None) is None

    def accepts(self, arguments: Any) -> bool:
        """Return whether the whole `arguments` are valid. Raises as `errors` does."""
        return self.is_valid((self.root,), arguments)

    def follow(self, node: Node) -> Node | None:
        """Return the node that the `$ref` of this node points to; None if it has none."""
        return next((_led(node, name) for name in NAMING if name in node.schema), None)

    @property
    def left(self) -> int:
        """The steps that remain for evaluations of this plan."""
        return self._meter.total

    def refill(self) -> None:
        """Begin a new plan with the full number of steps."""
        self._meter.total = MOST_IN_ALL

    def remembering(self) -> AbstractContextManager[None]:
        """Inside the block, cache members that were valid. They must not change meanwhile."""
        return self._properties.remembering()

    def _guarded(self, nodes: Sequence[Node], value: Any) -> Iterator[ValidationError]:
        self._meter.left = MOST_STEPS
        try:
            with ends_in_recursion_error():
                for node in nodes:
                    yield from self._validator.descend(value, node.schema, resolver=node.resolver)
        except RecursionError as error:
            raise SchemaProblem(
                ProblemKind.TOO_COMPLEX, "its references or levels never end"
            ) from error
        except referencing.exceptions.Unresolvable as error:
            raise _broken(*broken_reference(self.root.schema, error)) from error


def view_of(schema: Mapping[str, Any]) -> SchemaView:
    """Compile an input schema; the same text is compiled once.

    `arguments` are always an object, whatever the schema says. Raises `SchemaProblem` if the schema
    is invalid in its dialect, has a reference that does not resolve inside it, or is too complex.
    """
    try:
        text = json.dumps(schema)
        with ends_in_recursion_error():
            return (compiled_view if len(text) <= _LONG else _long_view)(text)
    except RecursionError as error:
        raise SchemaProblem(ProblemKind.TOO_COMPLEX, "nested too deep") from error


@lru_cache(maxsize=128)
def compiled_view(text: str) -> SchemaView:
    """Compile an input schema, given as JSON. Raises as `view_of` does."""
    schema = json.loads(text)
    if isinstance(schema, dict) and "type" not in schema:
        schema = {"type": "object", **schema}
    dialect, validator_class = _dialect(schema)
    problem = next(quick(validator_class)(validator_class.META_SCHEMA).iter_errors(schema), None)
    if problem is not None:
        raise SchemaProblem(
            ProblemKind.INVALID_SCHEMA, f"at {problem.json_path}: {problem.message}"
        )
    specification = specification_with(dialect)
    resource = specification.create_resource(schema)
    registry: Registry[Any] = REGISTRY.with_resource("", resource).crawl()
    resolver = registry.resolver_with_root(resource)
    root, meter = Node(schema, resolver), _Meter()

    def view_with(formats: FormatChecker | None, other: SchemaView | None = None) -> SchemaView:
        properties = keywords.Properties()
        overrides = _overrides(validator_class, meter)
        if not any(name in text for name in _HANGING_ON_THE_WAY):
            overrides["properties"] = properties
        judging = extended(validator_class, overrides)
        validator = judging(schema, format_checker=formats, registry=registry, _resolver=resolver)
        return SchemaView(root, validator, meter, properties, other)

    differs = "format" in text and any(name in text for name in _CHOOSING)
    view = view_with(_FORMATS, view_with(None) if differs else None)
    _check_references(view)
    keywords.check_names(schema)
    return view


_long_view: Final = lru_cache(maxsize=8)(compiled_view.__wrapped__)
"""Compile a long schema. Few are cached: a view takes thirty times the memory of its text."""


def _overrides(validator_class: Any, meter: _Meter) -> dict[str, Callable[..., Any]]:
    return {
        "pattern": keywords.pattern,
        **exact_keywords(validator_class),
        **counted(validator_class, meter.spend),
    }


def _dialect(schema: Any) -> tuple[str, Any]:
    """Return the identifier and the validator class of the dialect that a schema names."""
    named = schema.get("$schema", NEWEST) if isinstance(schema, dict) else NEWEST
    bare = str(named).partition("://")[2].rstrip("#")
    if bare == _UNNAMED:
        named = NEWEST
    for known in _DIALECTS:
        identifier = known.META_SCHEMA.get("$id", known.META_SCHEMA.get("id"))
        if str(named).partition("://")[2].rstrip("#") == identifier.partition("://")[2].rstrip("#"):
            return identifier, known
    raise SchemaProblem(
        ProblemKind.UNKNOWN_DIALECT, f"$schema is {named!r}; use {NEWEST} or leave it out"
    )


def _check_references(view: SchemaView) -> None:
    """Raise for the first reference that points outside the document or to nothing."""
    waiting: list[Node] = [view.root]
    while waiting:
        node = waiting.pop()
        schema = node.schema
        if isinstance(schema, dict):
            for name in NAMING:
                _led(node, name)
        waiting.extend(node.sub(child) for child in keywords.subschemas(schema))


def _led(node: Node, keyword: str) -> Node | None:
    """Return the node that the reference in a keyword points to; None without such a keyword."""
    reference = node.schema.get(keyword)
    if not isinstance(reference, str):
        return None
    try:
        found = node.resolver.lookup(reference)
    except referencing.exceptions.Unresolvable as error:
        raise _broken(keyword, reference) from error
    return Node(found.contents, found.resolver)


def _broken(keyword: str, reference: str) -> SchemaProblem:
    outside = not reference.startswith("#")
    kind = ProblemKind.REMOTE_REFERENCE if outside else ProblemKind.BROKEN_REFERENCE
    hint = "it is never fetched; put it under $defs" if outside else "it resolves to nothing"
    return SchemaProblem(kind, f"{keyword} {reference!r}: {hint}")
