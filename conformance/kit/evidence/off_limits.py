"""What no request may reach, whatever it is for: the destructive tools that are left out.

That such a tool is not called as a tool is not enough: a script asks for each tool by its name, for
a tool that is not there, or with another method; a value in the path of one tool may make it the
route of another, and a redirect may lead there. So every request is looked at: once anything is off
limits, it goes only to a path that all servers read alike, and not to the route of such a tool. For
its contents, the tool answers that declares them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from conformance.formats.catalog.routes import (
    PLACE,
    plain,
    plain_method,
    steps_of,
    template_of,
    without_format,
)
from conformance.formats.tool.headers import encoded
from conformance.kit.model.exchange import HttpRequest, Request

_Place = tuple[str, tuple[str, ...]]
"""A method, and the steps of a path."""


_Shape = tuple[tuple[int, int, int], ...]
"""The steps of a route that have a place for a value, each with how much is before and behind it.

Thousands of routes with other texts around a place have few shapes.
"""


@dataclass(slots=True)
class _Routes:
    """Routes with places for values: those of one shape are looked up together."""

    _forms: dict[tuple[str, int], dict[_Shape, set[str]]] = field(default_factory=dict)
    """By the method, the number of steps, and the shape: the paths, with one place in a step."""

    def add(self, place: _Place) -> None:
        method, steps = place
        shape = tuple(
            (at, part.index(PLACE), len(part.rpartition(PLACE)[2]))
            for at, part in enumerate(steps)
            if PLACE in part
        )
        forms = self._forms.setdefault((method, len(steps)), {})
        forms.setdefault(shape, set()).add(_with_places(steps, shape))

    def lead(self, place: _Place) -> bool:
        method, steps = place
        forms = self._forms.get((method, len(steps)), {})
        return any(_with_places(steps, shape) in known for shape, known in forms.items())


def _with_places(steps: tuple[str, ...], shape: _Shape) -> str:
    """One text: many thousands of steps would take much more memory."""
    found = [*steps]
    for at, before, behind in shape:
        step = steps[at]
        found[at] = step[:before] + PLACE + step[max(0, len(step) - behind) :]
    return "/".join(found)


@dataclass(slots=True)
class OffLimits:
    """The names of such tools over MCP, and their routes over HTTP: method and path."""

    is_empty: bool = True
    """Whether there is none, so that nothing has to be looked at."""
    _bases: set[str] = field(default_factory=set)
    """The paths of the targets: routes are behind them, and that of a target may be unusual."""
    _names: set[str] = field(default_factory=set)
    _exact: set[str] = field(default_factory=set)
    _loose: _Routes = field(default_factory=_Routes)
    """Those with places for values, and those that are exact, without their format."""
    _others: set[tuple[str, str]] = field(default_factory=set)
    """Routes of other tools without a place for a value, each with its host: that server prefers
    them to loose ones.
    """
    _called: set[tuple[str, str]] = field(default_factory=set)
    """Names of tools that are called all the same, each with its host; a process has none."""

    def begin_at(self, targets: Iterable[str]) -> None:
        """Take in the addresses that the user gave."""
        for target in targets:
            with suppress(ValueError):  # half an IPv6 address
                self._bases.add(urlsplit(target).path.rstrip("/"))

    def add(
        self,
        names: Iterable[str],
        routes: Iterable[tuple[str, str]],
        others: Iterable[tuple[str, str]],
    ) -> None:
        """Take in what such tools are called over MCP, and at which method and address over HTTP.

        `others` are the methods and addresses of the other tools.
        """
        for name in names:
            self.is_empty = False
            self._names |= _plain_names(name)
        for method, address in routes:
            self.is_empty = False
            for place in self._places(method, template_of(address)):
                if _is_exact(place):
                    self._exact.add(_text(place))
                self._loose.add(place)
                if PLACE not in "".join(place[1][-1:]):
                    self._loose.add(_bare(place))
        for method, address in others:
            first = self._places(method, template_of(address))[:1]
            exact = map(_text, filter(_is_exact, first))
            self._others.update((_host(address), each) for each in exact)

    def allow(self, names: Iterable[str], address: str) -> None:
        """Take in the names of tools that are called at this address, whatever others are."""
        if self._names:
            plain_names = (each for name in names for each in _plain_names(name))
            self._called.update((_host(address), each) for each in plain_names)

    def holds(self, request: Request) -> bool:
        """Whether a request would reach one of them, or a path that servers read differently."""
        if self.is_empty:
            return False
        host = ""
        if isinstance(request, HttpRequest):
            host = _host(request.url)
            places = self._places(request.method, request.url)
            if not places or not self._exact.isdisjoint(map(_text, places)):
                return True
            loosely = (*places, *map(_bare, places))
            own = host, _text(places[0])
            if own not in self._others and any(map(self._loose.lead, loosely)):
                return True
        named = map(plain, _called(request)) if self._names else ()
        return any(name in self._names and (host, name) not in self._called for name in named)

    def _places(self, method: str, address: str) -> list[_Place]:
        """Where an address leads, from the root and behind a target; none, if that is unclear."""
        try:
            path = urlsplit(address).path
        except ValueError:  # half an IPv6 address
            return []
        behind = [
            path.removeprefix(base) for base in self._bases if f"{path}/".startswith(f"{base}/")
        ]
        found = map(steps_of, dict.fromkeys([path, *behind]))
        return [(plain_method(method), steps) for steps in found if steps is not None]


def _plain_names(name: str) -> set[str]:
    """A name in a message and in a header."""
    return {plain(name), plain(encoded(name))}


def _host(address: str) -> str:
    """The host and port of an address that has a path."""
    return urlsplit(address).netloc.casefold()


def _is_exact(place: _Place) -> bool:
    return not any(PLACE in step for step in place[1])


def _text(place: _Place) -> str:
    return "/".join((place[0], *place[1]))


def _bare(place: _Place) -> _Place:
    return place[0], without_format(place[1])


def _called(request: Request) -> Iterator[str]:
    """The names of the tools that a message calls, by its body and by its header."""
    for name, value in request.headers:
        if name.lower() == "mcp-name":
            yield value
    if b"tools/call" not in request.body:
        return
    message = _json(request.body)
    for each in message if isinstance(message, list) else [message]:
        params = each.get("params") if isinstance(each, dict) else None
        called = params.get("name") if isinstance(params, dict) else None
        if isinstance(called, str):
            yield called


def _json(body: bytes) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(body)
    return None
