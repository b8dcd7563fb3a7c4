"""Splits and joins URIs that a target wrote, in bounded time.

urllib normalizes a host that is not ASCII. The time for that grows with the square of the accents
in a row, and nothing can interrupt it: a host of a megabyte takes an hour.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import unwrap
from typing import Final
from urllib import parse
from urllib.parse import SplitResult

_LONGEST_HOST: Final = 2_000
"""Characters, with a name and a password before it. A name in the DNS has at most 253."""
_HOST: Final = re.compile(r"//([^/?#]*)")
LONG: Final = 2_000
"""The most characters of a URI whose parts are cached. Each call may have a long one of its own."""
_split_anew: Final[Callable[[str], SplitResult]] = unwrap(parse.urlsplit)
_IGNORED: Final = re.compile(r"[\t\r\n]")
"""What urllib takes out of a URI first."""


def has_long_host(url: str) -> bool:
    """Return whether the host of a URI is not ASCII and too long for a host."""
    if url.isascii() or len(url) <= _LONGEST_HOST:
        return False
    found = _HOST.search(_IGNORED.sub("", url))
    return found is not None and len(found[1]) > _LONGEST_HOST


def urlsplit(url: str) -> SplitResult:
    """Return the parts of a URI. Raises `ValueError`, as for half an IPv6 address."""
    if has_long_host(url):
        raise ValueError("the host is too long")
    return parse.urlsplit(url) if len(url) <= LONG else _split_anew(url)


def urljoin(base: str, url: str) -> str:
    """Return a URI that is relative to another one as a whole. Raises `ValueError`."""
    if has_long_host(base) or has_long_host(url):
        raise ValueError("the host is too long")
    joined = parse.urljoin(base, url)
    if len(joined) > LONG:
        parse.clear_cache()  # type: ignore[attr-defined]  # it has kept the parts; types lack it
    return joined
