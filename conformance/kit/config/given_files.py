"""Reads the files that a user names, within limits: a repository may bring them.

A link may lead to a device that never ends. Brackets may be nested by the thousand. A YAML alias
makes a short text as large as it likes. A pipe may have no writer.
"""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from conformance.formats.text.memory import is_held
from conformance.formats.text.yaml_text import YamlFault, is_too_much, quiet_reader, yaml_value
from conformance.spec.messages import Message, message

LARGEST: Final = 4 * 1024 * 1024
"""Upper limit, in bytes, of a file. The largest file that people write has a tenth of it."""
_MOST_VALUES: Final = 1_000_000
PATIENCE: Final = 5.0
"""How long, in seconds, to wait for the first byte from a pipe."""


class FileTooMuch(ValueError):
    """A file is too large or too deep, sends nothing, or has what JSON lacks: see `words`."""

    def __init__(self, said: str | Message) -> None:
        self.words: Message = message(said) if isinstance(said, str) else said
        super().__init__(self.words.id)


def given_text(path: Path, largest: int = LARGEST) -> str:
    """Return the text of a file. Raises `OSError`, `UnicodeDecodeError` and `FileTooMuch`."""
    with open(path, "rb", opener=_opened) as file:
        held = file.read(largest + 1)
    if held is None:  # a device that has no data now, such as a terminal
        raise FileTooMuch("kit.system.silent")
    if len(held) > largest or not is_held(held):
        raise FileTooMuch("kit.system.too_large")
    return held.decode("utf-8").replace("\r\n", "\n")


def _opened(path: str, flags: int) -> int:
    """Open a file. Raises `FileTooMuch` if it is a pipe that brings no byte in time."""
    file = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISFIFO(os.fstat(file).st_mode):
        if not select.select([file], [], [], PATIENCE)[0]:
            os.close(file)
            raise FileTooMuch("kit.system.silent")
        os.set_blocking(file, True)
    return file


def given_json(path: Path) -> Any:
    """Return the value of a YAML file as JSON, with dates as text.

    Raises what `given_yaml` raises.
    """
    text = given_text(path)
    if _loaded(text, quiet_reader()) is None:
        return None
    try:
        return yaml_value(text)[0]
    except YamlFault as fault:
        raise FileTooMuch(fault.message) from None
    except RecursionError:
        raise FileTooMuch("kit.system.too_deep") from None


def given_yaml(path: Path, reader: YAML) -> Any:
    """Return the value of a YAML file. Raises what `given_text` raises, and `YAMLError`."""
    return _loaded(given_text(path), reader)


def _loaded(text: str, reader: YAML) -> Any:
    if is_too_much(text):
        raise FileTooMuch("kit.system.too_large")
    try:
        loaded = reader.load(text)
    except RecursionError:
        raise FileTooMuch("kit.system.too_deep") from None
    waiting, count = [loaded], 0
    while waiting:
        value = waiting.pop()
        count += 1
        if isinstance(value, dict | list):
            waiting.extend(value.values() if isinstance(value, dict) else value)
        if count + len(waiting) > _MOST_VALUES:
            raise FileTooMuch("kit.system.too_large")
    return loaded
