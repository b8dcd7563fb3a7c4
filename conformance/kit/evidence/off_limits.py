"""What no request may reach, whatever it is for: the destructive tools that are left out.

That such a tool is not called as a tool is not enough. A script asks for each tool by its name, for
a tool that is not there, or with another method; and a value in the path of one tool may be the
route of another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from conformance.formats.catalog.routes import plain_path
from conformance.formats.tool.headers import encoded
from conformance.kit.model.exchange import HttpRequest, Request

_OVERRIDES: Final = frozenset(
    {"x-http-method-override", "x-http-method", "x-method-override", "_method"}
)
"""Headers and parameters by which frameworks take a POST for a request with another method."""
_CHANGING: Final = frozenset({"PUT", "PATCH", "DELETE"})


@dataclass(slots=True)
class OffLimits:
    """The names of such tools over MCP, and their routes over HTTP: method and path."""

    _names: set[str] = field(default_factory=set)
    _routes: set[tuple[str, str]] = field(default_factory=set)
    _careful: bool = False
    """As `add` says."""

    def add(
        self, names: Iterable[str], routes: Iterable[tuple[str, str]], *, careful: bool
    ) -> None:
        """Take in what such tools are called over MCP, and at which method and address over HTTP.

        `careful`: no request may ask for a method that changes things in place of its own.
        """
        self._careful = self._careful or careful
        for name in names:
            self._names |= {name, encoded(name)}
        for method, url in routes:
            self._routes.update(_place(method, url))

    @property
    def is_empty(self) -> bool:
        """Whether there is none, so that nothing has to be looked at."""
        return not (self._names or self._routes or self._careful)

    def holds(self, request: Request) -> bool:
        """Whether a request would reach one of them."""
        if isinstance(request, HttpRequest):
            if not self._routes.isdisjoint(_place(request.method, request.url)):
                return True
            if self._careful and _is_overridden(request):
                return True
        return bool(self._names) and not self._names.isdisjoint(_called(request))


def _place(method: str, url: str) -> Iterator[tuple[str, str]]:
    """Method and path of an address, if that has no place for a value: then it names one route."""
    try:
        path = plain_path(urlsplit(url).path)
    except ValueError:  # half an IPv6 address
        return
    if "{" not in path:
        yield method.upper(), path


def _is_overridden(request: HttpRequest) -> bool:
    """Whether a request asks, in a header or its query, for a method that changes things."""
    said = [value for name, value in request.headers if name.lower() in _OVERRIDES]
    with suppress(ValueError):  # half an IPv6 address
        pairs = parse_qsl(urlsplit(request.url).query)
        said += [value for name, value in pairs if name.lower() in _OVERRIDES]
    return any(value.strip().upper() in _CHANGING for value in said)


def _called(request: Request) -> Iterator[str]:
    """The names of the tools that a message calls, by its body and by its header."""
    for name, value in request.headers:
        if name.lower() == "mcp-name":
            yield value
    if b"tools/call" not in request.body:
        return
    try:
        message = json.loads(request.body)
    except (ValueError, RecursionError):
        return
    params = message.get("params") if isinstance(message, dict) else None
    called = params.get("name") if isinstance(params, dict) else None
    if isinstance(called, str):
        yield called
