"""The language of the rules of provider manifests: expressions and paths, as functions.

    expr := and ("||" and)*     and := not ("&&" not)*     not := "!"? atom
    atom := "exists(" path ")" | path (("==" | "!=") lit | "in" "[" str ("," str)* "]")?
    lit  := 'quoted' | number | true | false | null
    path := "$" ("." name | "[" int "]" | "[*]")*

Serves RT-RULE-001, RT-RULE-002 and RT-RULE-004.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import (
    UnexpectedCharacters,
    UnexpectedEOF,
    UnexpectedInput,
    UnexpectedToken,
    VisitError,
)

from conformance.formats.schema.equality import same

Frame = Any
Test = Callable[[Frame], bool]
Path = tuple[str | int | None, ...]
"""The steps of a path; None is `[*]`."""

LONGEST = 10_000
"""The most characters of an expression or a path; real ones have a hundred."""

_LARGEST = 10**18
"""Greater indexes count as this one: no list has so many items."""

_GRAMMAR = r"""
    start: any
    any: all ("||" all)*
    all: unless ("&&" unless)*
    ?unless: "!" atom -> negated
           | atom
    ?atom: "exists" "(" PATH ")" -> present
         | PATH "==" literal -> equal
         | PATH "!=" literal -> other
         | PATH "in" "[" STRING ("," STRING)* "]" -> among
         | PATH -> present
    literal: STRING | NUMBER | TRUE | FALSE | NULL
    PATH: /\$(\.[A-Za-z_][A-Za-z0-9_-]*|\[([0-9]+|\*)\])*/
    STRING: /'[^']*'/
    NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
    TRUE: "true"
    FALSE: "false"
    NULL: "null"
    %ignore /[ \t\r\n]+/
"""

_PATH = re.compile(r"\$(?:\.[A-Za-z_][A-Za-z0-9_-]*|\[(?:[0-9]+|\*)\])*+")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_-]*)|\[([0-9]+)\]|\[\*\]")


MOST_STEPS = 10_000_000
"""The most steps that a manifest's rules may take for all frames of a stream."""


class TooMuchWork(Exception):
    """The rules need more steps than the limit."""


_LEFT: ContextVar[list[int] | None] = ContextVar("steps that may still be taken", default=None)


@contextmanager
def limited(steps: int = MOST_STEPS) -> Iterator[None]:
    """Limit the steps of all expressions together; the next step raises `TooMuchWork`."""
    before = _LEFT.set([steps])
    try:
        yield
    finally:
        _LEFT.reset(before)


def steps_taken(steps: int = 1) -> None:
    """Count steps; raises `TooMuchWork` if the limit is passed."""
    left = _LEFT.get()
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooMuchWork


class RuleError(ValueError):
    """A faulty expression: what was found, and at which character, from 1."""

    def __init__(self, what: str, column: int) -> None:
        self.what = what
        self.column = column
        super().__init__(f"{what} at character {column}")


@lru_cache(maxsize=1024)
def expression(text: str) -> Test:
    """Compile an expression to a test; raises `RuleError` if it is invalid."""
    if len(text) > LONGEST:
        raise RuleError("…", LONGEST)
    try:
        tree = _parser().parse(text)
    except UnexpectedEOF as error:
        raise RuleError("nothing more", len(text) + 1) from error
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        raise RuleError(text[at : at + 1], at + 1) from error
    except UnexpectedToken as error:
        if error.token.type == "$END":
            raise RuleError("nothing more", len(text) + 1) from error
        raise RuleError(str(error.token), error.column) from error
    except UnexpectedInput as error:  # any other error of the parser
        raise RuleError(text[:20], 1) from error
    try:
        test: Test = _Tests().transform(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, RuleError):
            raise error.orig_exc from error
        raise
    return test


def path(text: str) -> Path:
    """Return the steps of a path; raises `RuleError` if it is invalid."""
    if len(text) > LONGEST:
        raise RuleError("…", LONGEST)
    found = _PATH.match(text)
    if found is None or found.end() != len(text):
        end = found.end() if found else 0
        raise RuleError(text[end : end + 1] or "nothing more", end + 1)
    return tuple(_step(each) for each in _STEP.finditer(text))


def values(steps: Path, frame: Frame) -> Iterator[Any]:
    """Yield every value at a path; none if nothing is there."""
    node = frame
    for number, step in enumerate(steps):
        if step is None:
            if isinstance(node, list):
                for each in node:
                    steps_taken()
                    yield from values(steps[number + 1 :], each)
            return
        found = _down(node, step)
        if found is NOTHING:
            return
        node = found
    yield node


NOTHING = object()
"""The result for a path without a value, not even null."""


def _down(node: Any, step: str | int) -> Any:
    if isinstance(step, str):
        return node.get(step, NOTHING) if isinstance(node, dict) else NOTHING
    if isinstance(node, list) and step < len(node):
        return node[step]
    return NOTHING


def _step(found: re.Match[str]) -> str | int | None:
    name, index = found.groups()
    if name is not None:
        return str(name)
    if index is None:
        return None
    digits = index.lstrip("0") or "0"
    return int(digits) if len(digits) < len(str(_LARGEST)) else _LARGEST


def reader(text: str) -> Callable[[Frame], Any]:
    """Return a function that reads the value at a path without `[*]`, or returns `NOTHING`."""
    steps = [step for step in path(text) if step is not None]

    def read(frame: Frame) -> Any:
        node = frame
        for step in steps:
            node = _down(node, step)
            if node is NOTHING:
                return node
        return node

    return read


def _any(text: str, test: Callable[[Any], bool]) -> Test:
    """Return a test whether any value at a path passes `test`; without a value it fails."""
    steps = path(text)

    def judge_any(frame: Frame) -> bool:
        steps_taken()
        return any(test(each) for each in values(steps, frame))

    if None in steps:
        return judge_any
    read = reader(text)

    def judge(frame: Frame) -> bool:
        steps_taken()
        value = read(frame)
        return value is not NOTHING and test(value)

    return judge


@v_args(inline=True)
class _Tests(Transformer[Token, Any]):
    """Turns the parse tree of an expression into functions."""

    def start(self, test: Test) -> Test:
        return test

    def any(self, *tests: Test) -> Test:
        return tests[0] if len(tests) == 1 else lambda frame: any(each(frame) for each in tests)

    def all(self, *tests: Test) -> Test:
        return tests[0] if len(tests) == 1 else lambda frame: all(each(frame) for each in tests)

    def negated(self, test: Test) -> Test:
        return lambda frame: not test(frame)

    def present(self, where: Token) -> Test:
        return _any(str(where), lambda value: value is not None)

    def equal(self, where: Token, wanted: Any) -> Test:
        return _any(str(where), lambda value: same(value, wanted))

    def other(self, where: Token, wanted: Any) -> Test:
        return _any(str(where), lambda value: not same(value, wanted))

    def among(self, where: Token, *wanted: Token) -> Test:
        words = frozenset(str(each)[1:-1] for each in wanted)
        return _any(str(where), lambda value: isinstance(value, str) and value in words)

    def literal(self, token: Token) -> Any:
        if token.type == "STRING":
            return str(token)[1:-1]
        try:
            return json.loads(str(token))
        except ValueError as error:  # Python does not read integers with thousands of digits
            raise RuleError(str(token), token.column or 1) from error


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr")
