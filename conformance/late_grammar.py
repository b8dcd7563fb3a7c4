"""Puts off a grammar that takes a second to compile, until a schema first asks for it.

`jsonschema` loads `rfc3987_syntax` as soon as it is imported, for the formats `iri` and
`iri-reference`, which hardly any schema uses.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from types import ModuleType

_NAME = "rfc3987_syntax"


@cache
def _real() -> Callable[[str, str], bool]:
    sys.modules.pop(_NAME, None)
    checks: Callable[[str, str], bool] = importlib.import_module(_NAME).is_valid_syntax
    return checks


def is_valid_syntax(term: str, value: str) -> bool:
    """What the grammar's own function of this name says."""
    return _real()(term, value)


def put_off() -> None:
    """Stand in for the grammar; does nothing where it is missing, or loaded already."""
    if _NAME in sys.modules or find_spec(_NAME) is None:
        return
    stand_in = ModuleType(_NAME)
    stand_in.is_valid_syntax = is_valid_syntax  # type: ignore[attr-defined]  # a made-up module
    sys.modules[_NAME] = stand_in
