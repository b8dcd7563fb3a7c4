"""Suggestions for a clause id that does not exist: similar ids, or the list of all."""

from __future__ import annotations

from difflib import get_close_matches

from conformance.spec.clauses import clauses, id_base
from conformance.spec.messages import Message, message

_NEAR = 0.75
"""The least similarity of two ids to suggest one of them: a typo, not another name."""
_MOST_ENDS = 5
"""The most ids that share an end: more of them would suggest nothing."""


def near_clause(id: str, language: str) -> Message:
    """Return a message with all ids that end in this one, or with at most three similar ids.

    If there are none, the message has the URL of the list.
    """
    end = f"-{id.upper().lstrip('-')}"
    ends = [each for each in clauses() if each.endswith(end)]
    near = ends if len(ends) <= _MOST_ENDS else []
    near = near or get_close_matches(id.upper(), clauses(), 3, _NEAR)
    if near:
        return message("kit.near.some", names=", ".join(near))
    folder = "" if language == "en" else f"{language}/"
    return message("kit.near.none", url=f"{id_base()}/{folder}conformance/clauses/")
