"""The files that a command line names: single ones, those of a directory, and standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.formats.text.json_text import LARGEST, Notation, encoding_of
from conformance.spec.messages import Message, message

STDIN = "-"
YAML_SUFFIXES = (".yaml", ".yml")
SUFFIXES = (".json", *YAML_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Input:
    """One file. `found` is True where it was met in a directory, and not named itself."""

    name: str
    path: Path | None
    found: bool = False
    problem: Message | None = None


def inputs(names: Iterable[str], suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[Input]:
    """Each file that `names` stand for, in order; what is none comes with its problem.

    Of a directory, those at any depth that end in one of `suffixes`, but none that is hidden;
    no symbolic link to a directory is followed.
    """
    for name in names:
        if name == STDIN:
            yield Input(name, None)
            continue
        path = Path(name)
        try:
            if path.is_dir():
                yield from _inside(name, path, suffixes)
            elif path.is_file():
                yield Input(name, path)
            elif path.exists():  # a pipe or a device, on which reading may wait for ever
                yield Input(name, None, problem=message("validate.no_file"))
            else:
                yield Input(name, None, problem=message("validate.missing"))
        except (OSError, ValueError) as error:
            yield Input(name, None, problem=_unreadable(error))


def _inside(name: str, folder: Path, suffixes: tuple[str, ...]) -> Iterator[Input]:
    count = 0
    failed: list[OSError] = []
    for here, folders, files in os.walk(folder, onerror=failed.append):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for file in sorted(files):
            path = Path(here, file)
            if path.suffix.lower() in suffixes and not file.startswith(".") and path.is_file():
                count += 1
                yield Input(str(path), path, found=True)
    for error in failed:
        yield Input(error.filename or name, None, problem=_unreadable(error))
    if not count and not failed:
        yield Input(
            name, None, problem=message("validate.empty_directory", suffixes=_either(suffixes))
        )


def _either(suffixes: tuple[str, ...]) -> str:
    return ", ".join(suffixes)


def content(each: Input) -> bytes | Message:
    """The bytes of a file, or why there are none; of one that is too large, no more than tells."""
    try:
        if each.name == STDIN:
            return sys.stdin.buffer.read(LARGEST + 1)
        if each.path is None:
            return each.problem or message("validate.missing")
        size = each.path.stat().st_size
        if size > LARGEST:
            return message("documents.too_large", size=size, limit=LARGEST)
        return each.path.read_bytes()
    except OSError as error:
        return _unreadable(error)


def notation_of(each: Input, raw: bytes) -> Notation:
    """In what a file is written: by its name, else by whether it begins like JSON."""
    suffix = each.path.suffix.lower() if each.path is not None else ""
    if suffix in SUFFIXES:
        return Notation.YAML if suffix in YAML_SUFFIXES else Notation.JSON
    head = raw[:4000].decode(encoding_of(raw), "replace").lstrip("\ufeff \t\r\n")
    return Notation.JSON if head[:1] in ("{", "[", '"', "") else Notation.YAML


def _unreadable(error: OSError | ValueError) -> Message:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return message("validate.unreadable", reason=reason)
