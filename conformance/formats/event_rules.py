"""The rule language of provider manifests: from a frame to the events that its rules make.

    expr := and ("||" and)*     and := not ("&&" not)*     not := "!"? atom
    atom := "exists(" path ")" | path (("==" | "!=") lit | "in" "[" str ("," str)* "]")?
    lit  := 'quoted' | number | true | false | null
    path := "$" ("." name | "[" int "]" | "[*]")*

Serves RT-RULE-001 to RT-RULE-005. Rules have no state; `assembly` makes lawful streams of what
they give.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Made:
    """What a rule made of a frame: the name of an event, and its payload as far as known."""

    event: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that is ready to be applied."""

    event: str
    test: Test
    extract: Callable[[Frame], list[dict[str, Any]]]


def compiled(entry: Any) -> Rule:
    """A rule of an `event_map`: `match`, `emit`, and `extract` or its other name `fields`.

    Raises RuleError for an expression or a path that is none, and TypeError or KeyError where the
    entry has not the form of a rule.
    """
    if not isinstance(entry, dict):
        raise TypeError("a rule is an object")
    listed = entry.get("extract", entry.get("fields", {}))
    event, match = entry["emit"], entry["match"]
    if not (isinstance(event, str) and isinstance(match, str) and isinstance(listed, dict)):
        raise TypeError("a rule has the texts `match` and `emit`, and maps fields to their sources")
    return Rule(event, expression(match), _extractor(listed))


def apply(rules: tuple[Rule, ...], frame: Frame) -> list[Made] | None:
    """What all the rules that match make of a frame, in order; None where none matched."""
    made: list[Made] | None = None
    for rule in rules:
        if rule.test(frame):
            if made is None:
                made = []
            for payload in rule.extract(frame):
                made.append(Made(rule.event, payload))
    return made


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
        if found is _NOTHING:
            return
        node = found
    yield node


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: `true` is not 1, and no text is a number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


_NOTHING = object()


def _down(node: Any, step: str | int) -> Any:
    if isinstance(step, str):
        return node.get(step, _NOTHING) if isinstance(node, dict) else _NOTHING
    if isinstance(node, list) and step < len(node):
        return node[step]
    return _NOTHING


def _step(found: re.Match[str]) -> str | int | None:
    name, index = found.groups()
    if name is not None:
        return str(name)
    return int(index) if index is not None else None


def _reader(text: str) -> Callable[[Frame], Any]:
    """A function that gives the one value at a path without `[*]`, or `_NOTHING`."""
    steps = [step for step in path(text) if step is not None]

    def read(frame: Frame) -> Any:
        node = frame
        for step in steps:
            node = _down(node, step)
            if node is _NOTHING:
                return node
        return node

    return read


def _any(text: str, test: Callable[[Any], bool]) -> Test:
    """Whether any value at a path passes `test`; what is not there passes none."""
    steps = path(text)
    if None in steps:
        return lambda frame: any(test(each) for each in values(steps, frame))
    read = _reader(text)

    def judge(frame: Frame) -> bool:
        value = read(frame)
        return value is not _NOTHING and test(value)

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


def _extractor(entries: Mapping[str, Any]) -> Callable[[Frame], list[dict[str, Any]]]:
    """A function that gives the payloads that a rule makes of a frame.

    Paths with `[*]` go through the items together: the first star of each stands for the same item.
    """
    fixed: list[tuple[tuple[str, ...], Any]] = []
    plain: list[tuple[tuple[str, ...], Callable[[Frame], Any]]] = []
    starred: list[tuple[tuple[str, ...], Path]] = []
    for name, source in entries.items():
        target = tuple(name.split("."))
        if not isinstance(source, str) or not source.startswith("$"):
            fixed.append((target, source))
        elif None in path(source):
            starred.append((target, path(source)))
        else:
            plain.append((target, _reader(source)))

    def once(frame: Frame) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for target, value in fixed:
            _put(made, target, value)
        for target, read in plain:
            value = read(frame)
            if value is not _NOTHING:
                _put(made, target, value)
        return made

    if not starred:
        return lambda frame: [once(frame)]
    return lambda frame: [
        _merged(once(frame), found) for found in _each(tuple(starred), frame) if found
    ]


def _each(
    starred: tuple[tuple[tuple[str, ...], Path], ...], frame: Frame
) -> Iterator[dict[str, Any]]:
    """One payload for each item, with what the starred paths find in it."""
    lists: dict[Path, list[Any]] = {}
    for _, steps in starred:
        before = steps[: steps.index(None)]
        if before not in lists:
            held = next(values(before, frame), None)
            lists[before] = held if isinstance(held, list) else []
    longest = max(len(held) for held in lists.values())
    for number in range(longest):
        made: dict[str, Any] = {}
        inner: list[tuple[tuple[str, ...], Path]] = []
        item: Any = None
        for target, steps in starred:
            cut = steps.index(None)
            held = lists[steps[:cut]]
            if number >= len(held):
                continue
            item, rest = held[number], steps[cut + 1 :]
            if None in rest:
                inner.append((target, rest))
                continue
            value = next(values(rest, item), _NOTHING)
            if value is not _NOTHING:
                _put(made, target, value)
        if not inner:
            yield made
            continue
        for found in _each(tuple(inner), held_of(lists, number)):
            yield _merged(dict(made), found)


def held_of(lists: Mapping[Path, list[Any]], number: int) -> Any:
    """The item at `number` of the first list that has one: inner stars look into it."""
    return next((held[number] for held in lists.values() if number < len(held)), None)


def _put(made: dict[str, Any], target: tuple[str, ...], value: Any) -> None:
    for step in target[:-1]:
        inner = made.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        made = inner
    made[target[-1]] = value


def _merged(made: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in more.items():
        held = made.get(name)
        if isinstance(held, dict) and isinstance(value, dict):
            made[name] = {**held, **value}
        else:
            made[name] = value
    return made
