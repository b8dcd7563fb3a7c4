"""Suggested values: the place that they are for, their decoded value, and the call with them
applied.

Serves ATDF-ERR-007 and ATDF-ERR-009 to -012. These are pure functions of the sent arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any

from conformance.formats.schema.equality import same
from conformance.formats.text.json_text import read_json
from conformance.formats.tool.errors import ErrorView
from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.cache import ByIdentity
from conformance.kit.model.case import Violation
from conformance.kit.schema.applies import alternatives, applied, item, member
from conformance.kit.schema.places import ABSENT, Tokens, from_pointer, get, is_index, put
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import Node, SchemaView, view_of
from conformance.kit.transport.binding import to_bytes
from conformance.spec.pointer import steps_of, to_pointer

_STEP = re.compile(r"\[(\d+)\]|\[['\"]([^'\"]+)['\"]\]|\.?([^.\[\]]+)")
_COMBINING = frozenset({"oneOf", "anyOf", "not"})
_ROOTS = ("arguments", "input", "body", "params", "$")
"""Words that some servers put before the name of a parameter.

The kit follows such a suggestion, as an agent would. For ATDF-ERR-007 the name is still wrong.
"""
_MOST_WAYS = 16
_LONGEST_KEPT = 8 * 1024
"""The most bytes of a call of which the places are cached."""

Ways = list[tuple[Node, ...]]
"""The schemas of a place, one tuple for each way to read the unions above it."""


class Naming(StrEnum):
    """How the parameter that an error names relates to the broken place."""

    EXACT = "exact"
    PARENT = "parent"
    """The name means a container of the place. That is enough if the suggestion is valid for it."""
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One suggestion, checked against the schema.

    `pointer` is None if the error names no place of the call. `valid` says whether the decoded
    value is valid for the parameter. `refused` says whether it equals the value that was refused.
    `unknown` says that the schema was too costly to evaluate: the suggestion then counts as valid.
    """

    pointer: str | None
    value: Any
    valid: bool
    refused: bool
    unknown: bool = False


def locate(parameter_name: str | None, arguments: Any, schema: Mapping[str, Any]) -> str | None:
    """Return the JSON Pointer of the place that a name means; None if there is no such place.

    Raises `SchemaProblem` if the schema is too costly to evaluate.

    Accepts dots and indexes (`passengers[0].name`, also `passengers.0.name`) and JSON Pointers. The
    place must be in the arguments or be declared in the schema. If a parameter has dots in its own
    name, that reading comes first.
    """
    tokens = _locate(parameter_name, arguments, schema)
    return None if tokens is None else to_pointer(tokens)


def names_place(
    violation: Violation, parameter_name: str | None, *, prefixed: bool = True
) -> Naming:
    """Return how a name relates to the broken place. `prefixed` also allows a word of `_ROOTS`
    before it.

    If `arguments` itself is broken, no name is right. If all required members were missing, the
    name of any member is right. If a combination of schemas is broken (`oneOf`, `anyOf`, `not`),
    any member of the place is right: nobody knows which branch was meant.
    """
    if not parameter_name:
        return Naming.EXACT if violation.parameter is None else Naming.WRONG
    combined = _COMBINING.issuperset(violation.keywords)
    if combined and any(
        words[: len(wanted)] == wanted
        for wanted in (steps_of(violation.pointer),)
        for words in _readings(parameter_name, prefixed=prefixed)
    ):
        return Naming.EXACT
    if violation.parameter is None:
        lacks_all = violation.keywords == ("required",)
        return Naming.EXACT if lacks_all or parameter_name in _ROOTS else Naming.WRONG
    wanted = steps_of(violation.pointer)
    readings = _readings(parameter_name, prefixed=prefixed)
    if wanted in readings:
        return Naming.EXACT
    for words in readings:
        if words and wanted[: len(words)] == words:
            return Naming.PARENT
    return Naming.WRONG


def decode(suggested_value: Any, nodes: Sequence[Node], view: SchemaView) -> Any:
    """Decode a suggestion for a parameter: the value itself if it is valid, else its JSON parse.

    A value that is not a string is returned as it is. A string that is neither valid nor JSON stays
    a string.
    """
    if not isinstance(suggested_value, str) or view.is_valid(nodes, suggested_value):
        return suggested_value
    read = read_json(suggested_value)
    return read.data if read.readable else suggested_value


@lru_cache(maxsize=16)
def _known(schema: ByIdentity) -> SchemaView:
    """Return the cached view of a declared schema. The key is its identity: comparing it by its
    contents would be slow.
    """
    return view_of(schema.held)


def check(error: ErrorView, arguments: Any, tool: Tool) -> Suggestion:
    """Check the suggestion of one error against the tool's schema.

    A suggestion is not valid if the call has no such place, or if the schema is unusable.
    """
    try:
        view = _known(ByIdentity(tool.input_schema))
        tokens = _locate(error.parameter_name, arguments, tool.input_schema)
        if tokens is None:
            return Suggestion(None, error.suggested_value, valid=False, refused=False)
        value, valid = _settle(view, arguments, tokens, error.suggested_value)
    except SchemaProblem as problem:
        costly = problem.kind is ProblemKind.TOO_COMPLEX
        return Suggestion(None, error.suggested_value, valid=costly, refused=False, unknown=costly)
    there = get(arguments, tokens)
    refused = there is not ABSENT and same(there, value)
    return Suggestion(to_pointer(tokens), value, valid=valid, refused=refused)


def apply(arguments: Any, errors: Sequence[ErrorView], schema: Mapping[str, Any]) -> Any:
    """Return the arguments with all suggestions of one answer applied in one step, deepest place
    first.

    A missing key is added. If two suggestions are for one place, the first is used. An error
    changes nothing if it has no suggestion, names no known place, or is too costly to evaluate.
    """
    try:
        view = _known(ByIdentity(schema))
    except SchemaProblem:
        return arguments
    chosen: dict[Tokens, Any] = {}
    for error in errors:
        if not error.has_suggestion:
            continue
        with suppress(SchemaProblem):
            tokens = _locate(error.parameter_name, arguments, schema)
            if tokens is not None and tokens not in chosen:
                chosen[tokens] = _settle(view, arguments, tokens, error.suggested_value)[0]
    repaired = arguments
    for tokens in sorted(chosen, key=len, reverse=True):
        repaired = _put(repaired, tokens, chosen[tokens])
    return repaired


def _put(document: Any, tokens: Tokens, value: Any) -> Any:
    """Put a value in its place. A missing container on the way, or a value that is not a container,
    becomes an object.
    """
    try:
        return put(document, tokens, value)
    except LookupError:
        parent = get(document, tokens[:-1])
        if isinstance(tokens[-1], str) and not isinstance(parent, dict):
            return _put(document, tokens[:-1], {tokens[-1]: value})
        return document


def _settle(view: SchemaView, arguments: Any, tokens: Tokens, suggested: Any) -> tuple[Any, bool]:
    """Decode a suggestion for a place; return the value and whether it is valid there.

    A place in a union has several readings. The first reading for which the value is valid is used.
    """
    decoded = suggested
    for number, nodes in enumerate(_schemas_at(view, arguments, tokens)):
        value = decode(suggested, nodes, view)
        if view.is_valid(nodes, value):
            return value, True
        if number == 0:
            decoded = value
    return decoded, False


def _schemas_at(view: SchemaView, arguments: Any, tokens: Tokens) -> Ways:
    """Return the schemas of a place, one tuple for each way to choose branches of the unions above
    it.

    The branches that fit the values next to the place come first. An empty tuple is a place in an
    open object that no schema declares. It is returned only if no branch declares the place.
    """
    sent = _Sent(to_bytes(arguments), arguments)
    short = len(sent.written) <= _LONGEST_KEPT
    return (_remembered_at if short else _ways_to)(view, sent, tokens)


@dataclass(frozen=True, slots=True)
class _Sent:
    """The arguments of a call. Two are equal if their bytes on the wire are equal."""

    written: bytes
    arguments: Any = field(compare=False)


def _ways_to(view: SchemaView, sent: _Sent, tokens: Tokens) -> Ways:
    ways: Ways = [(view.root,)]
    here = sent.arguments
    for token in tokens:
        below: Ways = []
        for nodes in ways:
            for flat in _readings_of(view, nodes, here, token):
                inner = _below(flat, token)
                if inner not in below:
                    below.append(inner)
        ways = ([w for w in below if w] or below)[:_MOST_WAYS]
        here = get(here, (token,))
    return ways


_remembered_at = lru_cache(maxsize=512)(_ways_to)
"""A cache, because following, checking and counting a suggestion ask for the same call.

An entry keeps the call and the view alive. A tool has about 300 calls.
"""


def _readings_of(
    view: SchemaView, nodes: tuple[Node, ...], here: Any, token: str | int
) -> list[tuple[Node, ...]]:
    """Return the flat schemas of a value for each choice of branches, the best fitting first."""
    found = applied(view, nodes, here)
    if not found.unions:
        return [found.flat]
    wrong: dict[int, int] = {}
    """The number of errors at other places, by schema: most choices share most of their schemas."""

    def unsuited(flat: tuple[Node, ...]) -> int:
        if here is ABSENT or here is None:
            return 0
        for node in flat:
            if id(node.schema) not in wrong:
                errors = view.errors((node,), here)
                beside = [e for e in errors if not e.relative_path or e.relative_path[0] != token]
                wrong[id(node.schema)] = len(beside)
        return sum(wrong[id(node.schema)] for node in flat)

    return sorted((found.flat, *alternatives(view, nodes, _MOST_WAYS)), key=unsuited)


def _below(flat: tuple[Node, ...], token: str | int) -> tuple[Node, ...]:
    if isinstance(token, int):
        return item(flat, token)
    inner = member(flat, token)
    return item(flat, int(token)) if not inner and is_index(token) else inner


def _locate(parameter_name: str | None, arguments: Any, schema: Mapping[str, Any]) -> Tokens | None:
    if not parameter_name:
        return None
    view = _known(ByIdentity(schema))
    if parameter_name.startswith("/"):
        tokens = from_pointer(parameter_name, arguments)
        return tokens if _exists(view, arguments, tokens) else None
    for words in _readings(parameter_name):
        tokens = _typed(words, arguments)
        if _exists(view, arguments, tokens):
            return tokens
    return None


def _readings(name: str, *, prefixed: bool = True) -> list[tuple[str, ...]]:
    """Return the ways to split a name into steps: whole, by dots and indexes, and without a leading
    root.
    """
    if name.startswith("/"):
        return [steps_of(name)]
    found: list[tuple[str, ...]] = [(name,)]
    steps = tuple(str(next(g for g in m.groups() if g)) for m in _STEP.finditer(name))
    if steps and steps not in found:
        found.append(steps)
    if prefixed and len(steps) > 1 and steps[0] in _ROOTS:
        found.append(steps[1:])
    return found


def _typed(words: Sequence[str], arguments: Any) -> Tokens:
    tokens: list[str | int] = []
    here = arguments
    for word in words:
        in_array = isinstance(here, list) or (here is ABSENT and is_index(word))
        token: str | int = int(word) if in_array and is_index(word) else word
        tokens.append(token)
        here = get(here, (token,))
    return tuple(tokens)


def _exists(view: SchemaView, arguments: Any, tokens: Tokens) -> bool:
    """Return whether a place is in the arguments, or declared for them."""
    if get(arguments, tokens) is not ABSENT:
        return True
    ways = _schemas_at(view, arguments, tokens)
    return any(nodes and all(n.schema is not False for n in nodes) for nodes in ways)


def schemas_at(view: SchemaView, arguments: Any, pointer: str) -> Ways:
    """Return the schemas of a place, one tuple for each way to choose branches of the unions above
    it.
    """
    return _schemas_at(view, arguments, from_pointer(pointer, arguments))
