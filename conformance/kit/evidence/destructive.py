"""Which tools are destructive, wherever that is said: one tool may be offered in several ways.

A catalog, `tools/list` and an OpenAPI document may declare the same tool, and only one of them may
say what it does. The careful reading wins: a tool that one of them calls destructive is so by every
transport and at every route.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from conformance.formats.catalog.normalize import names_of
from conformance.formats.catalog.openapi import changing
from conformance.formats.catalog.routes import function_of, plain, route_of
from conformance.formats.text.json_text import told_in
from conformance.formats.tool.declared import warns_of_destruction
from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.listing import openapi_in
from conformance.kit.evidence.response import body_json
from conformance.kit.model.exchange import Exchange

Key = tuple[str, str]
"""What a tool is known by: its plain name, or the method and the path of its route."""

_HINT: Final = "destructiveHint"
_SIGNS: Final = (_HINT.encode(), b"openapi", rb"\u")
"""In an answer without these nothing is destructive: a name may be written in escapes."""
_PLACEHOLDER: Final = re.compile(r"\{[^/{}]*\}")


def as_careful_everywhere(
    found: Sequence[Discovered], looked: Iterable[Exchange]
) -> list[Discovered]:
    """The runs again; a tool that any of the exchanges or tools calls destructive is so in each.

    A method that changes things is a guess, which a tool that says `destructiveHint: false` denies.
    """
    own = {id(tool): _keys_of(tool) for one in found for tool in one.tools}
    by_key: dict[Key, list[Tool]] = defaultdict(list)
    for one in found:
        for tool in one.tools:
            for key in own[id(tool)]:
                by_key[key].append(tool)
    said, guessed = _said_in(looked)
    said |= {
        key
        for one in found
        for tool in one.tools
        if tool.annotations.destructive and warns_of_destruction(tool.raw)
        for key in own[id(tool)]
    }
    certain, likely = _reached(said, by_key, own), _reached(guessed, by_key, own)

    def careful(tool: Tool) -> Tool:
        denied = tool.annotations.destructive is False
        destroys = id(tool) in certain or (id(tool) in likely and not denied)
        return replace(tool, destructive_elsewhere=True) if destroys else tool

    return [replace(one, tools=tuple(map(careful, one.tools))) for one in found]


def _reached(keys: Iterable[Key], by_key: dict[Key, list[Tool]], own: dict[int, Any]) -> set[int]:
    """The tools that are known by one of the keys, or by one of what such a tool is known by."""
    reached: set[int] = set()
    seen, waiting = set(keys), list(keys)
    while waiting:
        for tool in by_key.get(waiting.pop(), ()):
            if id(tool) not in reached:
                reached.add(id(tool))
                more = own[id(tool)] - seen
                seen |= more
                waiting += more
    return reached


def _keys_of(tool: Tool) -> frozenset[Key]:
    function = function_of(tool)
    names = {*map(plain, tool.names), *([function] if function else ())}
    method, path = route_of(tool)
    return frozenset({*(("", name) for name in names), _route(method, path)})


def _route(method: str, path: str) -> Key:
    """A route, whatever its parameters are called."""
    return method, _PLACEHOLDER.sub("{}", path)


def _said_in(looked: Iterable[Exchange]) -> tuple[set[Key], set[Key]]:
    """What answers call destructive, and what is called with a method that changes things."""
    said: set[Key] = set()
    guessed: set[Key] = set()
    for document in _documents(looked):
        said |= set(_called_destructive(document))
        for tool in changing(document):
            guessed |= _keys_of(tool)
    return said, guessed


def _documents(looked: Iterable[Exchange]) -> Iterator[Any]:
    """What the answers hold that may say so: most say nothing of the kind, and are long."""
    for exchange in looked:
        if exchange.answer is None or not any(sign in exchange.answer.body for sign in _SIGNS):
            continue
        yield from exchange.answer.messages
        document = openapi_in(exchange)
        yield document if document is not None else body_json(exchange)


def _called_destructive(document: Any) -> Iterator[Key]:
    """What every object with such a hint is known by: the object itself, or the nearest around it
    that has a name.
    """
    waiting: list[tuple[Any, frozenset[Key]]] = [(document, frozenset())]
    seen: dict[tuple[int, frozenset[Key]], Any] = {}
    while waiting:
        value, around = waiting.pop()
        if isinstance(value, list | dict):
            if (id(value), around) in seen:
                continue  # in YAML, one thing may stand at many places
            seen[id(value), around] = value
        if isinstance(value, str) and _HINT in value:
            with suppress(ValueError, RecursionError):
                waiting.append((told_in(value), around))  # the text of a resource
        elif isinstance(value, list):
            waiting.extend((each, around) for each in value)
        elif isinstance(value, dict):
            own = frozenset(_named(value)) or around
            if warns_of_destruction(value):
                yield from own
            waiting.extend((each, own) for each in value.values())


def _named(item: dict[str, Any]) -> Iterator[Key]:
    for name in names_of(item):
        yield "", plain(name)
    if isinstance(known := item.get("id"), str):
        yield "", plain(known.rpartition(".")[2])  # a toolset's entry: what it is called by
    called = item.get("invocation")
    endpoint = called.get("endpoint") if isinstance(called, dict) else None
    if isinstance(called, dict) and isinstance(endpoint, str):
        with suppress(ValueError):  # half an IPv6 address
            path = "/" + urlsplit(endpoint).path.strip("/")
            yield _route(str(called.get("method") or "POST").upper(), path)
