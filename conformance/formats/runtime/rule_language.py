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
from functools import cache
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

Frame = Any
Test = Callable[[Frame], bool]
Path = tuple[str | int | None, ...]
"""The steps of a path; None is `[*]`."""

LONGEST = 10_000
"""Characters of an expression; real ones have a hundred."""

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

_PATH = re.compile(r"\$(?:\.[A-Za-z_][A-Za-z0-9_-]*|\[(?:[0-9]+|\*)\])*")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_-]*)|\[([0-9]+)\]|\[\*\]")


class RuleError(ValueError):
    """An expression that is none: what stands there, and at which character, from 1 on."""

    def __init__(self, what: str, column: int) -> None:
        self.what = what
        self.column = column
        super().__init__(f"{what} at character {column}")


@cache
def expression(text: str) -> Test:
    """The test that an expression stands for; raises RuleError for what is none."""
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
    except UnexpectedInput as error:  # whatever else the parser may find
        raise RuleError(text[:20], 1) from error
    test: Test = _Tests().transform(tree)
    return test


def path(text: str) -> Path:
    """The steps of a path; raises RuleError for what is none."""
    found = _PATH.match(text)
    if found is None or found.end() != len(text):
        end = found.end() if found else 0
        raise RuleError(text[end : end + 1] or "nothing more", end + 1)
    return tuple(_step(each) for each in _STEP.finditer(text))


def values(steps: Path, frame: Frame) -> Iterator[Any]:
    """Every value that a path leads to; none where there is nothing."""
    node = frame
    for number, step in enumerate(steps):
        if step is None:
            if isinstance(node, list):
                for each in node:
                    yield from values(steps[number + 1 :], each)
            return
        found = _down(node, step)
        if found is NOTHING:
            return
        node = found
    yield node


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: `true` is not 1, and no text is a number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


NOTHING = object()
"""What is at a path that leads nowhere: not even null."""


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
    return int(index) if index is not None else None


def reader(text: str) -> Callable[[Frame], Any]:
    """A function that gives the one value at a path without `[*]`, or `NOTHING`."""
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
    """Whether any value at a path passes `test`; what is not there passes none."""
    steps = path(text)
    if None in steps:
        return lambda frame: any(test(each) for each in values(steps, frame))
    read = reader(text)

    def judge(frame: Frame) -> bool:
        value = read(frame)
        return value is not NOTHING and test(value)

    return judge


@v_args(inline=True)
class _Tests(Transformer[Token, Any]):
    """From the tree of an expression to functions."""

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
        return str(token)[1:-1] if token.type == "STRING" else json.loads(str(token))


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr")
