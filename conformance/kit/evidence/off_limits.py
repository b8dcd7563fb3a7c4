"""What no request may reach, whatever its purpose: the destructive tools that are left out.

Not calling such a tool is not enough. A script asks for tools by name, for a tool that does not
exist, or with another method. A value in the path of one tool may turn it into the route of
another, and a redirect may lead there.

So the kit looks at every request. Once anything is off limits, a request goes only to a path that
all servers read alike, and never to the route of such a tool. The kit does not check arguments: the
tool that declares them is responsible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.catalog.routes import (
    PLACE,
    plain,
    plain_method,
    steps_of,
    template_of,
    without_format,
)
from conformance.formats.schema.uri import urlsplit
from conformance.formats.tool import header_names
from conformance.formats.tool.headers import encoded
from conformance.kit.model.exchange import HttpRequest, Request

_Place = tuple[str, tuple[str, ...]]
"""A method, and the steps of a path."""


_Shape = tuple[tuple[int, int, int], ...]
"""The steps of a route with a placeholder: the index, and how many characters are around it.

Thousands of routes with different texts around a placeholder have few shapes.
"""


@dataclass(slots=True)
class _Routes:
    """Routes with placeholders. Those of one shape are looked up together."""

    _forms: dict[tuple[str, int], dict[_Shape, set[str]]] = field(default_factory=dict)
    """The paths, with one placeholder in a step, by method and number of steps, then by shape."""

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
    """Return one text, because many thousands of separate steps would take much more memory."""
    found = [*steps]
    for at, before, behind in shape:
        step = steps[at]
        found[at] = step[:before] + PLACE + step[max(0, len(step) - behind) :]
    return "/".join(found)


@dataclass(slots=True)
class OffLimits:
    """The names of such tools over MCP, and their routes over HTTP, as method and path."""

    is_empty: bool = True
    """Whether nothing is off limits, so that no request has to be checked."""
    _bases: set[str] = field(default_factory=set)
    """The paths of the targets. Routes come after them, and the path of a target may be unusual."""
    _names: set[str] = field(default_factory=set)
    _exact: set[str] = field(default_factory=set)
    _loose: _Routes = field(default_factory=_Routes)
    """Routes with placeholders and exact routes, also without their format."""
    _others: set[tuple[str, str]] = field(default_factory=set)
    """Exact routes of other tools, each with its host, whose server prefers them to loose ones."""
    _called: set[tuple[str, str]] = field(default_factory=set)
    """Names of tools that are called even so, each with its host, which is empty for a process."""

    def begin_at(self, targets: Iterable[str]) -> None:
        """Add the addresses that the user gave."""
        for target in targets:
            with suppress(ValueError):  # an incomplete IPv6 address
                self._bases.add(urlsplit(target).path.rstrip("/"))

    def add(
        self,
        names: Iterable[str],
        routes: Iterable[tuple[str, str]],
        others: Iterable[tuple[str, str]],
    ) -> None:
        """Add the names of such tools over MCP, and their methods and addresses over HTTP.

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
        """Allow the names of tools that are called at this address, even if others forbid them."""
        if self._names:
            plain_names = (each for name in names for each in _plain_names(name))
            self._called.update((_host(address), each) for each in plain_names)

    def holds(self, request: Request) -> bool:
        """Return whether a request reaches such a tool, or a path that servers read differently."""
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
        """Return where an address leads, from the root and from a target; empty if unclear."""
        try:
            path = urlsplit(address).path
        except ValueError:  # an incomplete IPv6 address
            return []
        behind = [
            path.removeprefix(base) for base in self._bases if f"{path}/".startswith(f"{base}/")
        ]
        found = map(steps_of, dict.fromkeys([path, *behind]))
        return [(plain_method(method), steps) for steps in found if steps is not None]


def _plain_names(name: str) -> set[str]:
    """Return a name as it is in a message and in a header."""
    return {plain(name), plain(encoded(name))}


def _host(address: str) -> str:
    """Return the host and port of an address."""
    return urlsplit(address).netloc.casefold()


def _is_exact(place: _Place) -> bool:
    return not any(PLACE in step for step in place[1])


def _text(place: _Place) -> str:
    return "/".join((place[0], *place[1]))


def _bare(place: _Place) -> _Place:
    return place[0], without_format(place[1])


def _called(request: Request) -> Iterator[str]:
    """Yield the names of the tools that a message calls, from its header and its body."""
    for name, value in request.headers:
        if name.lower() == header_names.NAME.lower():
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
