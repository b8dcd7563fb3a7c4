"""The settings file: `agent-formats.toml`, or `[tool.agent-formats]` of a `pyproject.toml`."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from conformance.kit.config.command_words import plain
from conformance.kit.config.given_files import LARGEST, FileTooMuch, given_text
from conformance.kit.config.options import GROUPS, INSTEAD, OPTIONS, add_options, given_in
from conformance.kit.config.settings import OptionUnusable
from conformance.kit.config.system_words import in_one_line
from conformance.spec.messages import LANGUAGES, Message, message

SETTINGS = "agent-formats.toml"
PROJECT = "pyproject.toml"
TABLE = "agent-formats"

_LARGEST = 512 * 1024
"""In bytes. A reader of TOML needs up to 600 bytes of memory for one byte of a file."""

_LONG_KEY = re.compile(
    r"""(?<![\w\\.-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"""
)
"""A key of more than 100 parts. The time and memory that a key takes grow with their square."""

_MOST_WORDS = 10_000
_MOST_CHARACTERS = 256 * 1024
"""The most words and characters of all options: to read a command takes the square of its length.
"""


class _WordsUnusableError(Exception):
    """The words cannot be parsed; `said` tells why."""

    def __init__(self, said: Message | str) -> None:
        self.said = said
        super().__init__(said)


class _Parser(argparse.ArgumentParser):
    def error(self, said: str) -> NoReturn:
        raise _WordsUnusableError(plain(said) or said)


class Filled(NamedTuple):
    """The options of a session by `dest`, and a message that names those from a settings file."""

    given: dict[str, Any]
    told: Message | None


def filled_in(given: Mapping[str, Any], here: Path) -> Filled:
    """Return the given options by `dest`, and the missing ones from a directory's settings file.

    Raises `OptionUnusable`.
    """
    language = given.get("language") or language_set(here)
    path, table = _settings(here, language)
    own = _parsed(path, table, language)
    taken = [option.flag for option in OPTIONS.values() if option.dest in own.keys() - given.keys()]
    told = message("kit.settings.taken", file=path.name, options=", ".join(taken))
    return Filled({**own, **given}, told if taken else None)


def language_set(here: Path) -> str:
    """Return the language in a directory's settings file, before anything else in it is read."""
    try:
        language = _settings(here, "en")[1].get("language")
    except OptionUnusable:
        return "en"
    return language if isinstance(language, str) and language in LANGUAGES else "en"


def _settings(folder: Path, language: str) -> tuple[Path, Mapping[str, Any]]:
    """Return the settings file of a directory and its table for the kit; empty if there is none."""
    for path, own in ((folder / SETTINGS, True), (folder / PROJECT, False)):
        text = ""
        try:
            text = given_text(path, _LARGEST if own else LARGEST)
            if not own and TABLE not in text:
                continue  # it has no settings for the kit
            document = _table(text)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            if not (own or text or isinstance(error, FileTooMuch)):
                continue  # other tools report why it cannot be read
            raise _refused(path, _said(error, language), language) from None
        table = document if own else _inside(document, "tool", TABLE)
        if isinstance(table, list):
            raise _refused(path, message("kit.settings.table").words(language), language)
        if table is not None:
            return path, table
    return folder / SETTINGS, {}


def _table(text: str) -> dict[str, Any]:
    if len(text.encode()) > _LARGEST:
        raise FileTooMuch("kit.system.too_large")
    if _LONG_KEY.search(text):
        raise FileTooMuch("kit.system.too_deep")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FileTooMuch("kit.system.too_deep") from None


def _said(error: Exception, language: str) -> str:
    said = in_one_line(error) if not isinstance(error, tomllib.TOMLDecodeError) else str(error)
    return said.words(language) if isinstance(said, Message) else said


def _inside(document: Mapping[str, Any], *names: str) -> dict[str, Any] | list[Any] | None:
    """Return the table, or the list of tables, that these nested names lead to, if there is one."""
    table: Any = document
    for name in names:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict | list) else None


def _parsed(path: Path, table: Mapping[str, Any], language: str) -> dict[str, Any]:
    words: list[str] = []
    for key, value in table.items():
        name = key.replace("_", "-")
        option = OPTIONS.get(name)
        if option is None:
            nearest = next(iter(get_close_matches(name, OPTIONS, 1, 0)), "")
            reason = message("kit.settings.unknown", key=key, nearest=nearest).words(language)
            raise _refused(path, reason, language)
        if option in INSTEAD.options:
            reason = message("kit.settings.instead", key=key).words(language)
            raise _refused(path, reason, language)
        if option.is_switch:
            if not isinstance(value, bool):
                reason = message("kit.settings.switch", key=key).words(language)
                raise _refused(path, reason, language)
            words += [option.flag] if value else []
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, (dict, list, bool)):
                reason = message("kit.settings.value", key=key).words(language)
                raise _refused(path, reason, language)
            try:
                words.append(f"{option.flag}={each}")
            except ValueError:  # a hexadecimal number with too many decimal digits
                reason = message("documents.long_number").words(language)
                raise _refused(path, reason, language) from None
    if len(words) > _MOST_WORDS or sum(map(len, words)) > _MOST_CHARACTERS:
        reason = message("kit.system.too_large").words(language)
        raise _refused(path, reason, language)
    parser = _Parser(add_help=False, allow_abbrev=False)
    for group in GROUPS:
        add_options(group, parser.add_argument)
    try:
        return given_in(vars(parser.parse_args(words)))
    except _WordsUnusableError as error:
        said = error.said
        reason = said if isinstance(said, str) else said.words(language)
        raise _refused(path, reason, language) from None


def _refused(path: Path, reason: str, language: str) -> OptionUnusable:
    said = message("kit.settings.unusable", file=path.name, reason=reason.rstrip("."))
    return OptionUnusable(said.words(language))
