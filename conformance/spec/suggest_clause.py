"""A clause that does not exist: which ones have a name near to it, or where all are listed."""

from __future__ import annotations

from difflib import get_close_matches

from conformance.spec.clauses import clauses, id_base
from conformance.spec.messages import Message, message

_NEAR = 0.75
"""Likeness of two ids from which on one may have been meant: a slip, and not another name."""


def near_clause(id: str, language: str) -> Message:
    """Which clauses may have been meant, at most three; where none may, the list of all."""
    near = get_close_matches(id.upper(), clauses(), 3, _NEAR)
    if near:
        return message("kit.near.some", names=", ".join(near))
    folder = "" if language == "en" else f"{language}/"
    return message("kit.near.none", url=f"{id_base()}/{folder}conformance/clauses/")
