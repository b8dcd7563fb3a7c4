"""What no request may reach, whatever it is for: the destructive tools that are left out.

That such a tool is not called as a tool is not enough. A script asks for each tool by its name, for
a tool that is not there, or with another method; and a value in the path of one tool may be the
route of another.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from conformance.formats.catalog.routes import plain_method, plain_path
from conformance.formats.tool.headers import encoded
from conformance.kit.model.exchange import HttpRequest, Request

_OVERRIDES: Final = frozenset(
    {"x-http-method-override", "x-http-method", "x-method-override", "_method"}
)
"""Headers and members by which frameworks take a POST for a request with another method."""
_IN_BODY: Final = b'"_method"'
_CHANGING: Final = frozenset({"PUT", "PATCH", "DELETE"})
_SLASH: Final = re.compile("%(?:25)*2f", re.IGNORECASE)
"""A slash in a value: a server may see one step of a path in it, or two."""
_ANY: Final = ""
"""A step of a route that has a place for a value."""


@dataclass(slots=True)
class OffLimits:
    """The names of such tools over MCP, and their routes over HTTP: method and path."""

    _names: set[str] = field(default_factory=set)
    _routes: set[tuple[str, str]] = field(default_factory=set)
    _with_places: dict[tuple[str, int], set[tuple[str, ...]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    """The steps of those that have places for values, by method and number of steps."""
    _others: set[tuple[str, str]] = field(default_factory=set)
    """Routes of other tools without such a place: a server prefers them."""
    _careful: bool = False
    """As `add` says."""

    def add(
        self,
        names: Iterable[str],
        routes: Iterable[tuple[str, str]],
        others: Iterable[tuple[str, str]],
        *,
        careful: bool,
    ) -> None:
        """Take in what such tools are called over MCP, and at which method and address over HTTP.

        `others` are the methods and addresses of the other tools. `careful`: no request may ask for
        a method that changes things in place of its own.
        """
        self._careful = self._careful or careful
        for name in names:
            self._names |= {name, encoded(name)}
        self._others.update(place for place in _places(others) if "{" not in place[1])
        for method, path in _places(routes):
            if "{" in path:
                steps = tuple(_ANY if "{" in step else step for step in path.split("/")[1:])
                self._with_places[method, len(steps)].add(steps)
            else:
                self._routes.add((method, path))

    @property
    def is_empty(self) -> bool:
        """Whether there is none, so that nothing has to be looked at."""
        return not (self._names or self._routes or self._with_places or self._careful)

    def holds(self, request: Request) -> bool:
        """Whether a request would reach one of them."""
        if isinstance(request, HttpRequest):
            methods = list(_asked_instead(request))
            if self._careful and not _CHANGING.isdisjoint(methods):
                return True
            methods.append(request.method)
            asked = [request.url, *_addresses_in(request)]
            if any(map(self._leads_there, _places((m, url) for m in methods for url in asked))):
                return True
        return bool(self._names) and not self._names.isdisjoint(_called(request))

    def _leads_there(self, place: tuple[str, str]) -> bool:
        """Whether a method and a path are one of the routes, with any value at its places."""
        if place in self._routes:
            return True
        if place in self._others:
            return False
        steps = place[1].split("/")[1:]
        return any(
            all(own in (_ANY, step) for own, step in zip(route, steps, strict=True))
            for route in self._with_places.get((place[0], len(steps)), ())
        )


def _places(addresses: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Methods and plain paths of addresses: two of a path with a slash in a value."""
    for method, url in addresses:
        with suppress(ValueError):  # half an IPv6 address
            path = urlsplit(url).path
            for each in {path, _SLASH.sub("_", path)}:
                yield plain_method(method), plain_path(each)


def _asked_instead(request: HttpRequest) -> Iterator[str]:
    """The methods for which a request asks in place of its own: in a header, its query, its body.

    Some frameworks look for them in a body of JSON as they do in that of a form.
    """
    said = [*request.headers, *_query(request)]
    if _IN_BODY in request.body:
        body = _json(request.body)
        said += body.items() if isinstance(body, dict) else ()
    for name, value in said:
        if isinstance(value, str) and name.lower() in _OVERRIDES:
            yield value.strip().upper()


def _addresses_in(request: HttpRequest) -> Iterator[str]:
    """The paths and addresses in the headers and the query of a request.

    Behind a gateway, a framework takes one of them for the path: that in `X-Original-URL`, or in a
    parameter such as `rest_route`.
    """
    for _, value in (*request.headers, *_query(request)):
        if value.startswith("/") or "://" in value:
            yield value


def _query(request: HttpRequest) -> list[tuple[str, str]]:
    with suppress(ValueError):  # half an IPv6 address
        return parse_qsl(urlsplit(request.url).query)
    return []


def _json(body: bytes) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(body)
    return None


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
