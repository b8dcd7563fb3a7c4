"""What no request may reach, whatever it is for: the destructive tools that are left out.

That such a tool is not called as a tool is not enough. A script asks for each tool by its name, for
a tool that is not there, or with another method; and a value in the path of one tool may be the
route of another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from conformance.formats.catalog.routes import plain, plain_method, plain_path
from conformance.formats.tool.headers import encoded
from conformance.kit.model.exchange import HttpRequest, Request

_OVERRIDES: Final = frozenset(
    {"x-http-method-override", "x-http-method", "x-method-override", "_method"}
)
"""Headers and members by which frameworks take a POST for a request with another method."""
_CHANGING: Final = frozenset({"PUT", "PATCH", "DELETE"})
_SLASH: Final = re.compile("%(?:25)*2f", re.IGNORECASE)
"""A slash in a value: a server may see one step of a path in it, or two."""
_ANY: Final = ""
"""A step of a route that has a place for a value."""
_LONGEST: Final = 16 * 1024
"""Characters of an address that is looked at: a longer one is not sent. A server that cuts it may
find any route in it, and one letter may stand for eighteen.
"""
_LONGEST_WORD: Final = 10
"""Letters of a value that may be a method."""

_Steps = dict[str, "_Steps"]
"""What may come behind a step of routes; the end of one is a step of its own."""
_END: Final = "/"


@dataclass(slots=True)
class OffLimits:
    """The names of such tools over MCP, and their routes over HTTP: method and path."""

    _names: set[str] = field(default_factory=set)
    _routes: set[tuple[str, str]] = field(default_factory=set)
    _with_places: _Steps = field(default_factory=dict)
    """Those that have places for values: the method, and behind it each step."""
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
            self._names |= {plain(name), plain(encoded(name))}
        self._others.update(place for place in _places(others) if "{" not in place[1])
        for method, path in _places(routes):
            if "{" in path:
                here = self._with_places
                for step in (method, *path.split("/")[1:], _END):
                    here = here.setdefault(_ANY if "{" in step else step, {})
            else:
                self._routes.add((method, path))

    @property
    def is_empty(self) -> bool:
        """Whether there is none, so that nothing has to be looked at."""
        return not (self._names or self._routes or self._with_places or self._careful)

    def holds(self, request: Request) -> bool:
        """Whether a request would reach one of them, or is too long to say that it would not."""
        if isinstance(request, HttpRequest) and not self.is_empty and self._reaches(request):
            return True
        return bool(self._names) and not self._names.isdisjoint(map(plain, _called(request)))

    def _reaches(self, request: HttpRequest) -> bool:
        if len(request.url) > 4 * _LONGEST:
            return True
        said = [*request.headers, *_query(request)]
        objects = list(_objects(request.body))
        methods = list(_asked_instead([*said, *(one for o in objects[:1] for one in o.items())]))
        if self._careful and not _CHANGING.isdisjoint(methods):
            return True
        if not (self._routes or self._with_places):
            return False
        methods.append(request.method)
        asked = [request.url, *(value for _, value in said if _is_address(value))]
        words = [value for _, value in said if not _is_address(value)]
        return (
            any(map(self._leads_there, product(methods, asked)))
            or any(self._is_route(method, f"/{word}") for word in words for method in methods)
            or any(self._leads_there(each) for each in _in_batch(objects, methods))
        )

    def _leads_there(self, asked: tuple[str, str]) -> bool:
        """Whether a method and an address are one of the routes, with any value at its places."""
        if len(asked[1]) > _LONGEST and len(_path(asked[1])) > _LONGEST:
            return True
        return any(
            place in self._routes
            or (place not in self._others and _follows(place, self._with_places))
            for place in _places([asked])
        )

    def _is_route(self, method: str, path: str) -> bool:
        """Whether a word is the path of one of the routes that have no place for a value."""
        return len(path) <= _LONGEST and not self._routes.isdisjoint(_places([(method, path)]))


def _follows(place: tuple[str, str], routes: _Steps) -> bool:
    """Whether the steps of a path are those of a route."""
    found = [routes]
    for step in (place[0], *place[1].split("/")[1:], _END):
        found = [each[one] for each in found for one in (step, _ANY) if one in each]
    return bool(found)


def _places(addresses: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Methods and plain paths of addresses: two of a path with a slash in a value."""
    for method, url in addresses:
        with suppress(ValueError):  # half an IPv6 address
            path = urlsplit(url.strip()).path
            for each in {path, _SLASH.sub("_", path)}:
                yield plain_method(method), plain_path(each)


def _asked_instead(said: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """The methods for which a request asks in place of its own: in a header, its query, its body.

    Some frameworks look for them in a body of JSON as they do in that of a form.
    """
    for name, value in said:
        if isinstance(value, str) and name.lower() in _OVERRIDES:
            yield value.strip().upper()


def _in_batch(
    objects: Iterable[dict[str, Any]], methods: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The requests in a body: the address in an object, by each method that stands next to it.

    Where several calls can be sent in one, each is such an object.
    """
    for each in objects:
        texts = [value for value in each.values() if isinstance(value, str)]
        asked = [text for text in texts if _is_address(text)]
        if asked:
            near = {text.upper() for text in texts if text.isalpha() and len(text) <= _LONGEST_WORD}
            yield from product(near.union(methods, ("GET",)), asked)


def _objects(body: bytes) -> Iterator[dict[str, Any]]:
    """The objects in a body of JSON that may tell something: first the one around all others."""
    tells = b"/" in body or b"method" in body.lower()
    waiting = [_json(body)] if tells else []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _is_address(value: str) -> bool:
    """Whether a value is a path or an address, also to a server that decodes it once more.

    Behind a gateway, a framework takes such a value for the path: that in `X-Original-URL`, or in a
    parameter such as `rest_route`.
    """
    begins = unquote(unquote(value[:_LONGEST_WORD])).strip()
    return begins.startswith(("/", "\\")) or "://" in value


def _path(url: str) -> str:
    with suppress(ValueError):  # half an IPv6 address
        return urlsplit(url).path
    return url


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
