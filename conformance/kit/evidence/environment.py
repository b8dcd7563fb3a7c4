"""Finds what a failed call lacked around the server, by signs in its text.

A vocabulary has these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.disguise import ALONGSIDE, subject_of, words_in
from conformance.kit.model.case import Case, CaseKind
from conformance.spec.vocabulary import (
    MISSING_NO_SIGNS,
    MISSING_SIGNS,
    MISSING_UNLESS_ABOUT,
    Missing,
)

_READ: Final = 20_000
"""The most characters that are read, because a failure says at its beginning what it is about."""
_AROUND: Final = 24
"""The most characters that a `*` in a sign matches."""
_OF_A_LIMIT: Final = 300
"""The most characters of a success that only says that a limit of calls is reached."""
_BESIDE_A_LIMIT: Final = frozenset({
    "after", "at", "calls", "contact", "count", "current", "daily", "day", "error", "in", "limit",
    "limits", "link", "max", "message", "ms", "period", "plan", "pricing", "quota", "remaining",
    "requests", "reset", "resets", "retry", "seconds", "support", "tier", "upgrade", "url", "usage",
    "used", "window",
})  # fmt: skip
"""Words in the names of members that describe a limit, how to wait, and how to get more."""
_VARIABLE: Final = r"(?:(?<!\w)(?-i:[A-Z][A-Z0-9_]{0,60}) ?)?"
"""The name of a variable before a sign, which says what is missing."""
_WORD: Final = re.compile(r"[a-z0-9]+")
_NAME: Final = re.compile(r"\w+")
_NAME_BEFORE: Final = re.compile(r"\w{1,60}\Z")


def missing_in(
    text: str, case: Case | None, sent: bytes, tool: Tool | None = None
) -> tuple[Missing, str] | None:
    """Return what a failed call lacked, and the words that say so; None if no words do.

    Words that repeat what was sent do not count. A refusal that names the place that a call breaks
    is about the input: if the call has no `api_key`, the name does not show that a key is missing
    elsewhere. So is one that says of an argument of the tool that it is required.
    """
    text = text[:_READ]
    found = _first_sign(text)
    if found is None or found[1]["sign"].lower() in sent.decode("utf-8", "replace").lower():
        return None
    if tool is not None and _is_of_an_argument(text, found[1].start("sign"), tool):
        return None
    return None if _names_the_broken_place(text, case) else (found[0], found[1].group())


def limit_told_in(
    text: str, documents: Iterable[Any], tool: Tool, case: Case, sent: bytes
) -> tuple[Missing, str] | None:
    """Return the words of a success that only says that a limit of calls is reached; otherwise
    None.

    `text` is all of its text, and `documents` are the JSON objects in it.
    """
    objects = [each for each in documents if isinstance(each, dict)]
    if not all(_is_of_a_limit(each) for each in objects):
        return None
    said = text if text or not objects else json.dumps(objects[0], ensure_ascii=False)
    found = missing_in(said, case, sent, tool) if len(said) <= _OF_A_LIMIT else None
    if found is None or found[0] is not Missing.QUOTA:
        return None
    return found if subject_of(tool).isdisjoint(MISSING_UNLESS_ABOUT[Missing.QUOTA]) else None


def _is_of_a_limit(document: Mapping[str, Any]) -> bool:
    """Return whether a result is a string, or has only members that describe a limit."""
    held = document["result"] if set(document) == {"result"} else document
    if not isinstance(held, dict):
        return isinstance(held, str)
    return all(name.lower() in ALONGSIDE or words_in(name) <= _BESIDE_A_LIMIT for name in held)


def _first_sign(text: str) -> tuple[Missing, re.Match[str]] | None:
    signs = _signs()
    possible = (each for word in set(_WORD.findall(text.lower())) for each in signs.get(word, ()))
    for _, missing, pattern in sorted(possible, key=lambda each: each[0]):
        found = pattern.search(text)
        if found is not None and found["sign"].lower() not in MISSING_NO_SIGNS[missing]:
            return missing, found
    return None


@lru_cache(maxsize=1)
def _signs() -> Mapping[str, list[tuple[int, Missing, re.Pattern[str]]]]:
    """Return the signs, numbered in their order, by their longest word. A text has few of these
    words.
    """
    by_word: dict[str, list[tuple[int, Missing, re.Pattern[str]]]] = {}
    every = ((missing, sign) for missing, signs in MISSING_SIGNS.items() for sign in signs)
    for number, (missing, sign) in enumerate(every):
        word = max(_WORD.findall(sign.lower()), key=len)
        by_word.setdefault(word, []).append((number, missing, _pattern(sign)))
    return by_word


def _pattern(sign: str) -> re.Pattern[str]:
    between = rf"[^\n]{{0,{_AROUND}}}?"
    written = between.join(map(re.escape, sign.split("*")))
    alone = r"(?<![A-Za-z0-9])" if sign[0].isalpha() else ""
    return re.compile(rf"{_VARIABLE}(?P<sign>{alone}{written}(?![A-Za-z0-9]))", re.IGNORECASE)


def _is_of_an_argument(text: str, start: int, tool: Tool) -> bool:
    """Return whether a sign is the end of the name of one of the tool's arguments."""
    begun, rest = _NAME_BEFORE.search(text, 0, start), _NAME.match(text, start)
    declared = tool.input_schema.get("properties")
    if begun is None or rest is None or not isinstance(declared, Mapping):
        return False
    return begun.group() + rest.group() in declared


def _names_the_broken_place(text: str, case: Case | None) -> bool:
    """Return whether a text names the place that a call breaks, outside of the query of a URL."""
    if case is None or case.kind is not CaseKind.BROKEN or case.violation is None:
        return False
    names = [step for step in case.violation.pointer.split("/") if step and not step.isdecimal()]
    return bool(names) and re.search(rf"(?<![\w?&]){re.escape(names[-1])}(?!\w)", text) is not None
