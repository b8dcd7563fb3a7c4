"""Rewrites the error messages of argparse in plain words.

They are in English, like all diagnostics of command lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_KINDS: Final = {"int": "a whole number", "float": "a number"}
_PHRASES: Final = (
    (r"argument (?P<name>\S+): invalid (?P<kind>int|float) value: (?P<value>.*)",
     "{name} takes {kind}, not {value}"),
    (r"argument (?P<name>\S+): invalid choice: (?P<value>.*) \(choose from (?P<choices>.*)\)",
     "{name} takes one of {choices}, not {value}"),
    (r"argument (?P<name>\S+): expected (?:one|at least one) argument", "{name} needs a value"),
    (r"argument (?P<name>\S+): ignored explicit argument (?P<value>.*)",
     "{name} takes no value, and was given {value}"),
    (r"the following arguments are required: (?P<name>[^,]*)", "{name} is missing"),
    (r"the following arguments are required: (?P<name>.*), (?P<last>.*)",
     "{name} and {last} are missing"),
)  # fmt: skip


_BEGUN = 4
"""The fewest characters of a word that is taken for the start of another."""


def plain(said: str) -> str:
    """Return an error message of argparse in plain words; unchanged if no phrase fits."""
    for pattern, phrase in _PHRASES:
        found = re.fullmatch(pattern, said, re.DOTALL)
        if found is None:
            continue
        parts = found.groupdict()
        choices = re.sub(r"['\"]", "", parts.get("choices", ""))
        named = {
            "name": parts["name"].rpartition("/")[2],
            "value": parts.get("value", ""),
            "kind": _KINDS.get(parts.get("kind", ""), ""),
            "choices": choices,
            "last": parts.get("last", ""),
        }
        value = named["value"].strip("'\"")
        return phrase.format(**named) + nearest(value, choices.split(", "))
    return said


def unknown_option(words: Iterable[str], known: Iterable[str]) -> str:
    """Return a text that says that these options do not exist, with a suggestion for each."""
    flags = tuple(known)
    return "; ".join(
        f"there is no option {each}{nearest(each, flags)}"
        if each.startswith("-")
        else f"{each} is one word too many"
        for each in (word.partition("=")[0] for word in words)
    )


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests the nearest known word; empty if no word is near.

    A word that begins with the given one is nearer than any other.
    """
    words = [each for each in known if each]
    begun = [each for each in words if len(word) >= _BEGUN and each.startswith(word)]
    found = begun or get_close_matches(word, words, 1)
    return f"; did you mean {found[0]}?" if found else ""
