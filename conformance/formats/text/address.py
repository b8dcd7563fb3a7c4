"""Texts as parts of an address. A target may give any text: also half a character, which has no
UTF-8, is written by its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, urlencode


def in_address(text: str) -> str:
    """A text as one step of a path, or as a value of a query."""
    return quote(text, safe="", errors="surrogatepass")


def query_of(pairs: Iterable[tuple[str, str]]) -> str:
    """A query of these names and values."""
    return urlencode(list(pairs), errors="surrogatepass")
