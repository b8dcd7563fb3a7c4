"""Compares addresses: which are on this machine, and which lead to the same server."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from conformance.formats.schema.uri import LONG, urlsplit

_PORTS = {"http": 80, "https": 443}


def is_loopback(url: str) -> bool:
    """Return whether the URL's host is this machine; False for a text that is not a URL.

    A name below localhost is not: some resolvers send it to another machine.
    """
    origin = _origin(url)
    host = origin[1] if origin is not None else ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def same_server(url: str, other: str) -> bool:
    """Return whether two URLs have the same scheme, host and port; False if one is not a URL."""
    origin = _origin(url)
    return origin is not None and origin == _origin(other)


def same_place(url: str, other: str) -> bool:
    """Return whether two URLs lead to the same place. All names of this machine are equal."""
    try:
        parts, others = urlsplit(url), urlsplit(other)
    except ValueError:
        return False
    if parts.path.rstrip("/") != others.path.rstrip("/") or parts.query != others.query:
        return False
    here, there = _origin(url), _origin(other)
    if here is None or there is None or here == there:
        return here is not None and here == there
    local = is_loopback(url) and is_loopback(other)
    return local and (here[0], here[2]) == (there[0], there[2])


def _origin(url: str) -> tuple[str, str, int | None] | None:
    return (_known if len(url) <= LONG else _read)(url)


def _read(url: str) -> tuple[str, str, int | None] | None:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
    except ValueError:  # an incomplete IPv6 address, or a port above 65535
        return None


_known = lru_cache(maxsize=256)(_read)
"""The origins of short addresses."""
