"""Reads the text of a refusal: does it name the parameter, and does it say what would be right?

Serves the explain rate. Style does not matter. The text has to contain the name, and what the
schema requires at the broken place: its values, or words of `telling_words`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from conformance.formats.schema.ecma.patterns import is_safe, matches
from conformance.kit.model.case import Violation
from conformance.kit.repair.suggestions import schemas_at
from conformance.kit.schema.applies import alternatives, applied
from conformance.kit.schema.constraints import GREATEST, Constraints, constraints, type_of
from conformance.kit.schema.places import ABSENT
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of
from conformance.kit.verdicts import telling_words
from conformance.spec.pointer import steps_of

_BOUNDS: Final = {
    "minimum": "low", "exclusiveMinimum": "low", "maximum": "high", "exclusiveMaximum": "high",
}  # fmt: skip
_COUNTS: Final = {
    "minLength": "min_length", "maxLength": "max_length", "minItems": "min_items",
    "maxItems": "max_items", "minProperties": "min_members", "maxProperties": "max_members",
}  # fmt: skip


_TELLING: Final = ("enum", "const", "type", "format", *_BOUNDS, *_COUNTS)
_MOST_BRANCHES: Final = 16
_TOKEN: Final = re.compile(r"[^\s\"'`]{1,100}")
_AROUND: Final = ".,;:!?()[]{}<>«»“”‘’"
_PLAIN: Final = re.compile(r"[^\W\d]?(?:[^\W\d]|-)*+|-?\d{1,3}")
_MOST_TOKENS: Final = 300
_READ: Final = 20_000
"""The most characters of a refusal that are read. Each value of an enum is searched for in them."""
_ESCAPED: Final = re.compile(r"\\[nrt]")
"""Escaped white space: the text is in a string of JSON, or in the `repr` of an exception."""


def explains(violation: Violation, schema: Mapping[str, Any], text: str) -> tuple[bool, bool]:
    """Return whether a refusal names the parameter, and whether it also says what would be right.

    `schema` is the tool's input schema. What would be right is the allowed values, the bound, the
    type, the format, or that a value is missing or not allowed. It does not count without the name.
    """
    text = _read(text)
    if not names_parameter(violation, text):
        return False, False
    plain = _without(text, violation.sent)
    try:
        return True, any(
            _shows_pattern(asked.patterns, plain, violation)
            if keyword == "pattern"
            else _says(keyword, asked, plain)
            for keyword, asked in _asked(violation, schema)
        )
    except SchemaProblem:
        return True, False


def names_parameter(violation: Violation, text: str) -> bool:
    """Return whether a text has the last name of the broken place as a separate word.

    For an item of an array, the text needs the name of the array and the index.
    """
    steps = steps_of(violation.pointer)
    if not steps:
        return any(_has(word, text) for word in telling_words.ROOT)
    names = [s for s in steps if not s.isdecimal()]
    if not names:
        return False
    if not _has(names[-1], text):
        return False
    if steps[-1].isdecimal():
        return _has(steps[-1], text)
    return True


def parameters_in(schema: Mapping[str, Any], text: str, most: int) -> tuple[str, ...]:
    """Return the first `most` parameters of a tool that a text names."""
    declared = schema.get("properties")
    names = declared if isinstance(declared, Mapping) else {}
    text = _read(text)
    return tuple(islice((name for name in names if _has(name, text)), most))


def _read(text: str) -> str:
    r"""Return the part of a refusal that is read, and the same without escaped white space.

    A pattern is found in the first, and in the second the word `name` of a text with `\nname`.
    """
    text = text[:_READ]
    plain = _ESCAPED.sub(" ", text)
    return text if plain == text else f"{text}\n{plain}"


def _asked(violation: Violation, schema: Mapping[str, Any]) -> Iterator[tuple[str, Constraints]]:
    """Yield each broken keyword with what the schema requires at its place.

    In a union, the keywords of every branch count: each says what would be right.
    """
    view = view_of(schema)
    was = ABSENT if violation.was_absent else violation.was
    for nodes in schemas_at(view, None, violation.pointer):
        found = applied(view, nodes, was)
        asked = constraints(found.flat)
        yield from ((keyword, asked) for keyword in violation.keywords)
        if violation.sent_absent or type_of(violation.sent) not in asked.kinds:
            yield "type", asked  # to name the type helps, whatever else is broken
        if found.unions:
            for flat in alternatives(view, nodes, _MOST_BRANCHES):
                branch = constraints(flat)
                yield from ((keyword, branch) for keyword in _TELLING if branch.has(keyword))
    if not violation.sent_absent and isinstance(violation.sent, str | int | float):
        for nodes in schemas_at(
            view, None, f"{violation.pointer}/0"
        ):  # the server may read a list of one
            only = constraints(applied(view, nodes, violation.sent).flat)
            yield from ((keyword, only) for keyword in _TELLING if only.has(keyword))
    yield from ((k, constraints(())) for k in violation.keywords if k in telling_words.BY_KEYWORD)


def _says(keyword: str, asked: Constraints, text: str) -> bool:
    if keyword in telling_words.BY_KEYWORD:
        return any(word in text.lower() for word in telling_words.BY_KEYWORD[keyword])
    return any(_has(word, text) for word in _right(keyword, asked))


def _shows_pattern(patterns: Sequence[str], text: str, violation: Violation) -> bool:
    """Return whether a text contains one of the patterns, or a value that matches all of them.

    Plain words and short numbers do not count as such a value, because every text has them. Neither
    does the name of the place, nor a part of the refused value.
    """
    for pattern in patterns:
        forms = (pattern, json.dumps(pattern)[1:-1], pattern.replace("/", "\\/"))
        if any(_has(form, text) for form in forms):
            return True
    tokens = {each.strip(_AROUND) for each in islice(_TOKEN.findall(text), _MOST_TOKENS)}
    sent = violation.sent if isinstance(violation.sent, str) else ""
    shown = (
        each
        for each in tokens
        if each not in violation.pointer and each not in sent and not _PLAIN.fullmatch(each)
    )
    return bool(patterns) and any(
        all(is_safe(p, len(each)) and matches(p, each) for p in patterns) for each in shown
    )


def _right(keyword: str, asked: Constraints) -> Iterator[str]:
    """Yield the words for a broken keyword; each of them says what would be right."""
    if keyword in ("enum", "const"):
        yield from (_shown(value) for value in asked.allowed or ())
    elif keyword == "type":
        for kind in asked.kinds:
            yield from telling_words.TYPES[kind]
        for name in asked.formats:
            yield from telling_words.FORMATS.get(name, (name,))
    elif keyword == "format":
        for name in asked.formats:
            yield from (name, *telling_words.FORMATS.get(name, ()))
    elif keyword == "multipleOf":
        yield from (form for each in asked.multiples for form in _numbers(each))
    elif keyword in _BOUNDS:
        bound = getattr(asked, _BOUNDS[keyword])
        yield from () if bound is None else _numbers(bound.value)
    elif keyword in _COUNTS:
        count = getattr(asked, _COUNTS[keyword])
        yield from () if count is None else _numbers(count)
        if count == 1:
            yield from telling_words.NOT_EMPTY
    else:
        yield from _right_items(keyword, asked)


def _right_items(keyword: str, asked: Constraints) -> Iterator[str]:
    if keyword == "contains":
        yield from telling_words.CONTAINS
    elif keyword == "items":
        prefix = asked.first("prefixItems")
        yield from _numbers(len(prefix)) if isinstance(prefix, list) else ()


def _numbers(value: int | float) -> Iterator[str]:
    """Yield the ways to write a number; for 0 also words such as "negative".

    Spanish and Portuguese have a comma where English has a point, and the other way round.
    """
    yield _number(value)
    if abs(value) <= GREATEST:
        yield from (f"{float(value)}", f"{float(value)}".replace(".", ","))
    if isinstance(value, int) and abs(value) >= 1000:
        yield from (f"{value:,}", f"{value:,}".replace(",", "."), f"{value:,}".replace(",", " "))
    if value == 0:
        yield from telling_words.ABOVE_ZERO


def _number(value: int | float) -> str:
    return str(value) if isinstance(value, int) or not value.is_integer() else str(int(value))


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return {"null": "null", "boolean": str(value).lower()}.get(type_of(value), str(value))


def _has(word: str, text: str) -> bool:
    """Return whether a text has a word as a separate word, in any case."""
    # An enum may have a hundred thousand values: compile a pattern only for a word that occurs.
    if not word or word.lower() not in text.lower():
        return False
    alone = rf"(?<!\w)(?<!\w-){re.escape(word)}(?!\w)(?!-\w)"
    return re.search(alone, text, re.IGNORECASE) is not None


def _without(text: str, sent: Any) -> str:
    """Return the text without the value that was sent: to repeat it does not say what would be
    right.
    """
    if not isinstance(sent, str) or len(sent) < 3:
        return text
    text = re.sub(rf"(?<!\S){re.escape(sent)}(?!\S)", " ", text)
    return text.replace(f"'{sent}'", " ").replace(f'"{sent}"', " ")
