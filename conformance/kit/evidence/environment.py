"""What the words of a failed call say is missing around the server: its signs are a vocabulary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from conformance.kit.model.case import Case, CaseKind
from conformance.spec.vocabulary import MISSING_SIGNS, Missing

_READ: Final = 20_000
"""Characters that are looked at: a failure says at its beginning what it is about."""
_AROUND: Final = 24
"""Most characters that a `*` of a sign is for."""
_WORD: Final = re.compile(r"[a-z0-9]+")


def missing_in(text: str, case: Case | None, sent: bytes) -> tuple[Missing, str] | None:
    """Say what a failed call lacked, with the words that tell it; None if they tell no such thing.

    What was sent and comes back tells nothing. A refusal that names the place that a call breaks is
    about the input: of a call without its `api_key`, nobody knows that a key is missing elsewhere.
    """
    text = text[:_READ]
    found = _first_sign(text)
    if found is None or found[1].lower() in sent.decode("utf-8", "replace").lower():
        return None
    return None if _names_the_broken_place(text, case) else found


def is_about_quota(text: str) -> bool:
    """Say whether an error refuses a request because there were too many, whatever it asked."""
    found = _first_sign(text[:_READ])
    return found is not None and found[0] is Missing.QUOTA


def _first_sign(text: str) -> tuple[Missing, str] | None:
    signs = _signs()
    possible = (each for word in set(_WORD.findall(text.lower())) for each in signs.get(word, ()))
    for _, missing, pattern in sorted(possible, key=lambda each: each[0]):
        found = pattern.search(text)
        if found is not None:
            return missing, found.group()
    return None


@lru_cache(maxsize=1)
def _signs() -> Mapping[str, list[tuple[int, Missing, re.Pattern[str]]]]:
    """Each sign, numbered in its order, by its longest word: few of them are in any text."""
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
    return re.compile(rf"{alone}{written}(?![A-Za-z0-9])", re.IGNORECASE)


def _names_the_broken_place(text: str, case: Case | None) -> bool:
    if case is None or case.kind is not CaseKind.BROKEN or case.violation is None:
        return False
    names = [step for step in case.violation.pointer.split("/") if step and not step.isdecimal()]
    return bool(names) and re.search(rf"(?<!\w){re.escape(names[-1])}(?!\w)", text) is not None
