"""Rewrites the error messages of argparse in plain words, in the language that is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from conformance.spec.messages import LANGUAGES, Message, is_message, message

_PHRASES: Final = (
    (r"argument (?P<name>\S+): invalid int value: (?P<value>.*)", "command.whole"),
    (r"argument (?P<name>\S+): invalid float value: (?P<value>.*)", "command.number"),
    (r"argument (?P<name>\S+): invalid choice: (?P<value>.*) \(choose from (?P<choices>.*)\)",
     "command.choice"),
    (r"argument (?P<name>\S+): expected (?:one|at least one) argument", "command.no_value"),
    (r"argument (?P<name>\S+): ignored explicit argument (?P<value>.*)", "command.switch"),
    (r"the following arguments are required: (?P<name>[^,]*)", "command.missing"),
    (r"the following arguments are required: (?P<name>.*), (?P<last>.*)", "command.both_missing"),
)  # fmt: skip
OPTION: Final = "--language"
_SHORTEST: Final = 3
"""The fewest letters of a word that is taken for the beginning of a longer one."""


def language_in(words: Sequence[str], otherwise: str = "en") -> str:
    """Return the language that a command line asks for, which may be unusable otherwise."""
    ours = words[: words.index("--")] if "--" in words else words
    found = otherwise
    for word, following in zip(ours, [*ours, ""][1:], strict=True):
        name, _, value = word.partition("=")
        if name == OPTION and (value or following) in LANGUAGES:
            found = value or following
    return found


def plain(said: str) -> Message | None:
    """Return an error message of argparse in plain words; None if no phrase fits."""
    for pattern, phrase in _PHRASES:
        found = re.fullmatch(pattern, said, re.DOTALL)
        if found is None:
            continue
        parts = found.groupdict()
        choices = re.sub(r"['\"]", "", parts.get("choices") or "")
        parts["name"] = parts["name"].rpartition("/")[2]
        told = message(phrase, **{**parts, "choices": choices})
        return nearest(told, parts.get("value", "").strip("'\""), choices.split(", "))
    return None


def unknown_options(words: Iterable[str], known: Iterable[str]) -> list[Message]:
    """Say of each of these words that there is no such option, with a suggestion."""
    flags = tuple(known)
    names = [word.partition("=")[0] for word in words]
    return [
        nearest(message("command.no_option", name=name), name, flags)
        if name.startswith("-")
        else message("command.too_many", name=name)
        for name in names
    ]


def nearest(said: Message, word: str, known: Iterable[str]) -> Message:
    """Add the nearest known word as a question, if one is near.

    Near is the name of a known word in another language, a word that begins so, or a similar one.
    """
    listed = [each for each in known if each]
    titles = {
        message(id).words(language).lower(): each
        for each in listed
        if is_message(id := f"report.level.{each}")
        for language in LANGUAGES
    }
    names = {**titles, **{each: each for each in listed}}
    longer = sorted((each for each in listed if each.startswith(word)), key=len)
    found = get_close_matches(word.lower(), names, 1)
    if word.lower() not in titles and len(word.lstrip("-")) >= _SHORTEST and longer:
        found = longer
    return message("command.meant", said=said, word=names[found[0]]) if found else said
