"""Which strings conform to a `format`: jsonschema's own checks, and IRIs.

jsonschema checks `iri` with a grammar that takes a second to compile each time a program starts.
That grammar is not a dependency of this project; the mapping of RFC 3987 to URIs does the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import quote

from jsonschema import (
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
    FormatChecker,
)
from jsonschema.protocols import Validator
from rfc3986_validator import validate_rfc3986  # type: ignore[import-untyped]  # it has no types

_KNOWING = (Draft7Validator, Draft201909Validator, Draft202012Validator)
"""The dialects that have the two formats."""

_ASCII = "".join(map(chr, range(0x80)))


@cache
def format_checker(dialect: type[Validator]) -> FormatChecker:
    """The checks of a dialect. It knows `iri` and `iri-reference` where the dialect does."""
    checker = FormatChecker(formats=())
    checker.checkers = dict(dialect.FORMAT_CHECKER.checkers)
    if dialect in _KNOWING:
        checker.checks("iri", raises=ValueError)(_is_iri)
        checker.checks("iri-reference", raises=ValueError)(_is_iri_reference)
    return checker


def _is_iri(value: Any) -> bool:
    return not isinstance(value, str) or _conforms(value, "URI")


def _is_iri_reference(value: Any) -> bool:
    return not isinstance(value, str) or _conforms(value, "URI_reference")


def _conforms(value: str, rule: str) -> bool:
    """Whether an IRI, mapped to a URI as RFC 3987, section 3.1, has it, is one."""
    return bool(validate_rfc3986(quote(value, safe=_ASCII), rule=rule))
