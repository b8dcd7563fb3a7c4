"""Finds the destructive tools, wherever this is said: a server may offer one tool in several ways.

A catalog, `tools/list` and an OpenAPI document may declare the same tool, and only one of them may
say what it does. The careful reading wins. If one of them calls a tool destructive, it is so over
every transport and at every route.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Final

from conformance.formats.catalog.normalize import NAMING
from conformance.formats.catalog.openapi import changing
from conformance.formats.catalog.routes import (
    function_of,
    plain,
    plain_method,
    route_of,
    steps_of,
    template_of,
)
from conformance.formats.schema.uri import urlsplit
from conformance.formats.text.json_text import told_in
from conformance.formats.text.sse import sse_events
from conformance.formats.tool.declared import is_destructive_hint, warning, warns_of_destruction
from conformance.formats.tool.tool import Annotations, Invocation, Tool
from conformance.kit.evidence.body import json_in
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.listing import each_alone, openapi_in
from conformance.kit.model.exchange import Answer
from conformance.kit.model.settings import AllowCalls, Settings

Key = tuple[str, str]
"""An identity of a tool: its plain name, or the method and the path of its route."""
Named = tuple[tuple[str, ...], Invocation | None]

_HOLDER: Final = "annotations"
"""The member of a declaration that holds the hint."""
_SIGN: Final = "destructive"
_ESCAPED: Final = re.compile(rb"\\u00[4-7]")
"""An escaped letter, which may be one of the sign."""


_MOST: Final = 24 * 1024 * 1024
"""The most bytes of all keys that answers warn of: those of about a hundred thousand tools."""
_KEY: Final = 200
"""Bytes of memory for a key in addition to its characters."""


class TooManyWarned(Exception):
    """The targets call more tools destructive than the kit can remember."""


@dataclass(slots=True)
class Warned:
    """The keys that answers call destructive, and those of each operation that changes things.

    Reading or adding more of them than there is room for raises `TooManyWarned`.
    """

    said: set[Key] = field(default_factory=set)
    guessed: set[frozenset[Key]] = field(default_factory=set)
    _weight: int = 0

    def read(self, answer: Answer) -> None:
        """Add what an answer warns of. It need not be kept for that."""
        for document in _documents(answer):
            self.add(document)

    def add(self, document: Any) -> None:
        """Add what a document warns of."""
        for key in _called_destructive(document):
            if key not in self.said:
                self._weigh(key)
                self.said.add(key)
        for name, called in changing(document):
            keys = _keys((name,), called)
            if keys not in self.guessed:
                self._weigh(*keys)
                self.guessed.add(keys)

    def _weigh(self, *keys: Key) -> None:
        self._weight += sum(_KEY + sum(map(len, key)) for key in keys)
        if self._weight > _MOST:
            raise TooManyWarned

    def and_in(self, answers: Iterable[Answer]) -> Warned:
        """Return this together with what answers warn of."""
        both = Warned(set(self.said), set(self.guessed), self._weight)
        for answer in answers:
            both.read(answer)
        return both


def as_careful_everywhere(found: Sequence[Discovered], warned: Warned) -> list[Discovered]:
    """Return the runs; a tool is destructive in all if any answer or declaration calls it so.

    It may reach beyond its server, or change things, if a usable declaration says so. A method that
    changes things is only a guess. A tool with `destructiveHint: false` denies it.
    """
    runs, keys = zip(*map(_keyed, found), strict=True) if found else ((), ())
    own = tuple(chain.from_iterable(keys))
    tools = [tool for one in runs for tool in one.tools]
    said, guessed = set(warned.said), set(chain.from_iterable(warned.guessed))
    for known, tool in zip(own, tools, strict=True):
        if tool.annotations.destructive:
            (said if warns_of_destruction(tool.raw) else guessed).update(known)
    certain, likely = _reached(said, own), _reached(guessed, own)
    hints = [tool.annotations for tool in tools]
    opens = _alike(hints, own, lambda each: each.open_world is True)
    writes = _alike(hints, own, lambda each: each.read_only is False)
    marked: list[Tool] = []
    for at, (tool, said_here) in enumerate(zip(tools, hints, strict=True)):
        destroys = at in certain or (at in likely and said_here.destructive is not False)
        careful = replace(
            said_here,
            open_world=True if at in opens else said_here.open_world,
            read_only=False if at in writes else said_here.read_only,
        )
        elsewhere = tool.destructive_elsewhere or destroys
        marked.append(replace(tool, annotations=careful, destructive_elsewhere=elsewhere))
    each = iter(marked)
    return [replace(one, tools=tuple(islice(each, len(one.tools)))) for one in runs]


def _alike(
    hints: Sequence[Annotations], own: Sequence[frozenset[Key]], says: Callable[[Annotations], bool]
) -> set[int]:
    """Return the indexes of the tools that say something, or are the same tool as one of them."""
    keys = [known for known, each in zip(own, hints, strict=True) if says(each)]
    return _reached(set(chain.from_iterable(keys)), own)


def left_alone(
    warned: Warned, settings: Settings, runs: Iterable[Discovered] = ()
) -> tuple[list[str], list[Key], list[Key]]:
    """Return the names and routes that are called destructive, in the form of `off_limits`.

    They count even if the kit cannot use the declaration. A method that changes things is only a
    guess, which a tool of `runs` may deny.
    """
    if settings.allow_calls is AllowCalls.ALL:
        return [], [], []
    denied = _denied(runs) if warned.guessed else frozenset()
    keys = warned.said.union(*(own for own in warned.guessed if denied.isdisjoint(own)))
    names = [name for method, name in keys if not method]
    usual = [route_of(name, None) for name in names]
    return names, [*usual, *(key for key in keys if key[0])], []


def _denied(runs: Iterable[Discovered]) -> frozenset[Key]:
    """Return the keys of tools that deny being destructive, and that nothing calls destructive."""
    found = [
        _keys((tool.name, *tool.other_names), tool.invocation)
        for one in runs
        for tool in one.tools
        if tool.annotations.destructive is False and not tool.destructive_elsewhere
    ]
    return frozenset().union(*found)


def _keyed(one: Discovered) -> tuple[Discovered, list[frozenset[Key]]]:
    """Return a run and the keys of its tools. A tool that causes a fault of the kit is left out."""
    named = [((tool.name, *tool.other_names), tool.invocation) for tool in one.tools]

    def look(some: Sequence[Named]) -> list[frozenset[Key]]:
        return [_keys(names, called) for names, called in some]

    looked = each_alone(named, look, lambda each, _: each[0][0], None)
    kept = tuple(one.tools[at] for at in sorted(looked.items))
    return replace(one, tools=kept, faults={**one.faults, **looked.faults}), looked.found


def _reached(keys: Iterable[Key], own: Sequence[frozenset[Key]]) -> set[int]:
    """Return the indexes of the tools that share a key with `keys`, or with another such tool."""
    by_key: dict[Key, list[int]] = defaultdict(list)
    for at, known in enumerate(own):
        for key in known:
            by_key[key].append(at)
    reached: set[int] = set()
    seen, waiting = set(keys), list(keys)
    while waiting:
        for at in by_key.get(waiting.pop(), ()):
            if at not in reached:
                reached.add(at)
                waiting += own[at] - seen
                seen |= own[at]
    return reached


def _keys(names: Sequence[str], called: Invocation | None) -> frozenset[Key]:
    """Return the keys of a tool with these names, of which the first is its own, and this route."""
    function = function_of(names[0], called)
    known = {*map(plain, names), *([function] if function else ())}
    return frozenset({*(("", name) for name in known), _route(*route_of(names[0], called))})


def _route(method: str, path: str) -> Key:
    """Return the key of a route. It ignores the names of parameters and how the path is written."""
    template = template_of(path)
    steps = steps_of(template)
    return plain_method(method), template if steps is None else "/" + "/".join(steps)


def _documents(answer: Answer) -> Iterator[Any]:
    """Yield the documents of an answer that may warn.

    Most answers are long and have no warning, so they are skipped.
    """
    may_warn = _SIGN.encode() in answer.body.lower() or _ESCAPED.search(answer.body)
    if may_warn or b"openapi" in answer.body:
        yield from answer.messages
        document = openapi_in(answer)
        yield document if document is not None else json_in(answer)
    if may_warn:
        yield from _with_members_twice(answer.body.decode("utf-8", "replace"))


def _with_members_twice(text: str) -> Iterator[Any]:
    """Yield the documents in which an object has a member twice, with the list of its values.

    One reader takes the first of two such members, another takes the last. Of a hint, a warning
    wins.
    """
    twice = False

    def careful(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        made = dict(pairs)
        if len(made) < len(pairs):
            twice = True
            every: dict[str, list[Any]] = defaultdict(list)
            for name, value in pairs:
                every[name].append(value)
            made = {name: each if len(each) > 1 else each[0] for name, each in every.items()}
            made |= {
                name: any(map(_is_warning, said))
                for name, said in every.items()
                if is_destructive_hint(name) and not any(isinstance(s, list | dict) for s in said)
            }
        return made

    whole = [text] if text.lstrip()[:1] in ("{", "[") else [e.data for e in sse_events(text)]
    for each in whole:
        with suppress(ValueError, RecursionError):
            document = json.loads(each, object_pairs_hook=careful)
            if twice:
                yield document


def _called_destructive(document: Any) -> Iterator[Key]:
    """Yield the keys of every object with such a hint, or of the nearest named object around it."""
    waiting: list[tuple[Any, frozenset[Key]]] = [(document, frozenset())]
    seen: dict[tuple[int, frozenset[Key]], Any] = {}
    while waiting:
        value, around = waiting.pop()
        if isinstance(value, list | dict):
            if (id(value), around) in seen:
                continue  # a YAML alias puts one object in many places
            seen[id(value), around] = value
        if isinstance(value, str) and _SIGN in value.lower():
            with suppress(ValueError, RecursionError):
                waiting.append((told_in(value), around))  # the text of a resource
        elif isinstance(value, list):
            waiting.extend((each, around) for each in value)
        elif isinstance(value, dict):
            own = frozenset(_named(value)) or around
            if warns_of_destruction(value) or (own is not around and _says_so(value)):
                yield from own
            waiting.extend((each, own) for each in value.values())


def _says_so(item: dict[str, Any]) -> bool:
    """Return whether a named object has such a hint itself, or anywhere but in `annotations`."""
    beside = (value for name, value in item.items() if name.startswith(("_", "x-")))
    return any(_is_hint(each) for each in (item, item.get(_HOLDER), *beside))


def _is_hint(value: Any) -> bool:
    if isinstance(value, str) and _SIGN in value.lower():
        with suppress(ValueError, RecursionError):
            value = told_in(value)  # the text of an object
    if isinstance(value, list):
        return any(map(_is_hint, value))
    members = value.items() if isinstance(value, dict) else ()
    return any(_is_warning(each) for name, each in members if is_destructive_hint(name))


def _is_warning(hint: Any) -> bool:
    return isinstance(hint, bool | str | int | float) and warning(hint) is True


def _each(value: Any) -> list[Any]:
    """Return the values of a member that may be there twice."""
    return value if isinstance(value, list) else [value]


def _named(item: dict[str, Any]) -> Iterator[Key]:
    for member in NAMING:
        for name in _each(item.get(member)):
            if isinstance(name, str):
                yield "", plain(name)
                # The end of a toolset entry's id is its name.
                yield "", plain(name.rpartition(".")[2] if member == "id" else name)
    for called in _each(item.get("invocation")):
        endpoint = called.get("endpoint") if isinstance(called, dict) else None
        if isinstance(called, dict) and isinstance(endpoint, str):
            with suppress(ValueError):  # an incomplete IPv6 address
                path = "/" + urlsplit(endpoint).path.strip("/")
                method = called.get("method")
                yield _route(method if isinstance(method, str) and method else "POST", path)
