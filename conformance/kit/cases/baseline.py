"""The baseline call: which arguments a tool most likely accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final

from conformance.formats.text.json_text import read_json
from conformance.formats.tool.tool import Tool
from conformance.kit.cases import masks
from conformance.kit.cases.dates import shifted
from conformance.kit.cases.valid_values import Hints, Maker
from conformance.kit.schema.applies import applied, member
from conformance.kit.schema.constraints import Constraints, constraints
from conformance.kit.schema.pointer import ABSENT
from conformance.kit.schema.string_formats import SOMEDAY
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import SchemaView, view_of

MOST_CANDIDATES: Final = 8


def candidates(
    tool: Tool, given: Sequence[Mapping[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """Give arguments to call a tool with, the likeliest first, each once, at most eight.

    First those `given` by the user (kept even where the schema refuses them: the user knows),
    then the tool's own examples with their dates moved ahead of `now`, then what schema and
    descriptions tell, with the required parameters only, then with all. All but the given ones
    are valid. A schema that cannot be used leaves the given ones; `problem_of` says why. One that
    costs too much to judge leaves those that were found before.
    """
    found: list[dict[str, Any]] = []
    seen: set[str] = set()

    def add(arguments: Mapping[str, Any]) -> None:
        key = json.dumps(arguments, sort_keys=True)
        if key not in seen and len(found) < MOST_CANDIDATES:
            seen.add(key)
            found.append(dict(arguments))

    for arguments in given:
        add(arguments)
    try:
        view = view_of(tool.input_schema)
        view.refill()
    except SchemaProblem:
        return found
    makers = (
        Maker(view, now=now, full=full, hints=hints)
        for full in (False, True)
        for hints in _hint_orders(now)
    )
    for example in chain(_examples(tool), map(_made, makers)):  # what is found first costs first
        ahead = _ahead(view, example, now)
        if ahead is not None:
            add(ahead)
    return found


def problem_of(tool: Tool) -> SchemaProblem | None:
    """Say why no cases can be made of a tool's input schema; None if they can."""
    try:
        view = view_of(tool.input_schema)
        Maker(view).value((view.root,), "arguments")
    except SchemaProblem as problem:
        return problem
    return None


def from_refusal(tool: Tool, arguments: Any, text: str) -> dict[str, Any] | None:
    """Correct refused arguments by the words of the refusal; None if it names nothing new.

    A parameter that the text names (else the only one that it can mean) gets the mask or the
    allowed value named in the text. What is given is valid, and differs from `arguments`.
    """
    if not isinstance(arguments, dict):
        return None
    try:
        view = view_of(tool.input_schema)
        asked = constraints(applied(view, (view.root,), arguments).flat)
        for name, value in _mended(view, asked, arguments, text):
            changed = {**arguments, name: value}
            if arguments.get(name, ABSENT) != value and view.accepts(changed):
                return changed
    except SchemaProblem:
        return None
    return None


def _mended(
    view: SchemaView, asked: Constraints, arguments: dict[str, Any], text: str
) -> Iterator[tuple[str, Any]]:
    """Pairs of a parameter and a value that the text may mean, the likeliest first."""
    text = text[: masks.READ]
    names = dict.fromkeys((*asked.names, *arguments))
    named = [n for n in names if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text, re.I)]
    meant = named or [n for n in arguments if isinstance(arguments[n], str)]
    if not named and len(meant) != 1:
        return
    values = list(dict.fromkeys((*masks.alternatives(text), *masks.from_masks(text, SOMEDAY))))
    for name in meant:
        # What was sent is to be replaced, so the branch of a union that it uses is none to keep to.
        here = constraints(applied(view, member(asked.flat, name), ABSENT).flat)
        for value in values:
            yield from ((name, each) for each in _read(value, here))


def _read(text: str, asked: Constraints) -> Iterator[Any]:
    """The text as a value: itself where strings may be taken, and what it is as JSON."""
    if "string" in asked.kinds or not asked.kinds:
        yield text
    read = read_json(text)
    if read.readable:  # else no value of another type: `NaN` is none that can be sent
        yield read.data


def _examples(tool: Tool) -> Iterator[Any]:
    yield from (example.input for example in tool.examples)
    said = tool.input_schema.get("examples")
    if isinstance(said, list):
        yield from said
    yield tool.input_schema.get("example")
    yield tool.input_schema.get("default")


def _made(maker: Maker) -> Any:
    try:
        return maker.value((maker.view.root,))
    except SchemaProblem:
        return None


def _ahead(view: SchemaView, example: Any, now: datetime) -> dict[str, Any] | None:
    """An example with its dates moved ahead, else as it is; None if the schema takes neither."""
    for arguments in (shifted(example, now), example):
        try:
            if isinstance(arguments, dict) and view.accepts(arguments):
                return arguments
        except SchemaProblem:
            return None
    return None


def _hint_orders(now: datetime) -> Iterator[Hints]:
    """Ways to read the descriptions: literal before mask; mask first; the second literal; none."""

    def words(asked: Constraints) -> str:
        texts = [asked.first("description"), asked.first("title")]
        return " ".join(t for t in texts if isinstance(t, str))

    def hinted(pick: Callable[[list[str], list[str]], Iterable[str]]) -> Hints:
        def hints(_name: str, asked: Constraints) -> Iterable[Any]:
            if "boolean" in asked.kinds:  # the words say what the flag does
                return ()
            text = words(asked)
            quoted, filled = list(masks.literals(text)), list(masks.from_masks(text, now))
            chosen = pick([q for q in quoted if q not in filled], filled)
            return [value for each in chosen for value in _read(each, asked)]

        return hints

    yield hinted(lambda quoted, filled: (*quoted, *filled))
    yield hinted(lambda quoted, filled: (*filled, *quoted))
    yield hinted(lambda quoted, filled: (*quoted[1:], *filled, *quoted[:1]))
    yield lambda _name, _asked: ()
