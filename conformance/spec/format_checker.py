"""Which strings conform to a `format`: the checks of jsonschema, and own checks for IRIs.

jsonschema checks `iri` with a grammar that takes a second to compile in each process. That grammar
is not a dependency of this project. Mapping IRIs to URIs, as RFC 3987 defines it, does the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final
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
"""The dialects with the formats `iri` and `iri-reference`."""

_ASCII = "".join(map(chr, range(0x80)))
_LONGEST: Final = 100_000
"""The most characters of a text whose format is checked: a check may take 200 bytes for each."""


@cache
def format_checker(dialect: type[Validator]) -> FormatChecker:
    """Return the checks of a dialect, with `iri` and `iri-reference` if the dialect has them.

    A longer text than any real one counts as valid.
    """
    checker = FormatChecker(formats=())
    checker.checkers = dict(dialect.FORMAT_CHECKER.checkers)
    if dialect in _KNOWING:
        checker.checks("iri", raises=ValueError)(_is_iri)
        checker.checks("iri-reference", raises=ValueError)(_is_iri_reference)
    checker.checkers = {
        name: (partial(_is_long_or, check), raises)
        for name, (check, raises) in checker.checkers.items()
    }
    return checker


def _is_long_or(check: Callable[[Any], bool], value: Any) -> bool:
    return (isinstance(value, str) and len(value) > _LONGEST) or check(value)


def _is_iri(value: Any) -> bool:
    return not isinstance(value, str) or _conforms(value, "URI")


def _is_iri_reference(value: Any) -> bool:
    return not isinstance(value, str) or _conforms(value, "URI_reference")


def _conforms(value: str, rule: str) -> bool:
    """Return whether an IRI, mapped to a URI (RFC 3987, section 3.1), is a valid URI."""
    return bool(validate_rfc3986(quote(value, safe=_ASCII), rule=rule))
