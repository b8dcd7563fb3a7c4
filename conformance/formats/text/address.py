"""Encodes texts for URLs.

A target may use any text: half a surrogate pair has no UTF-8 form, and its bytes are encoded.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, urlencode


def in_address(text: str) -> str:
    """Encode a text as one step of a path, or as a value of a query."""
    return quote(text, safe="", errors="surrogatepass")


def page_at(path: str, cursor: str | None) -> str:
    """Return the address of a page of a list; without a cursor, of the first page."""
    if cursor is None:
        return path
    return f"{path}{'&' if '?' in path else '?'}cursor={in_address(cursor)}"


def query_of(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a query with these names and values."""
    return urlencode(list(pairs), errors="surrogatepass")
