"""The files that a command line names: single ones, those of a directory, and standard input."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.formats.text.json_text import LARGEST, Notation, encoding_of
from conformance.kit.config.system_words import in_one_line
from conformance.spec.messages import Message, message

STDIN = "-"
YAML_SUFFIXES = (".yaml", ".yml")
SUFFIXES = (".json", *YAML_SUFFIXES)
DEEPEST_FOLDER: Final = 100
"""Directories inside one another that are looked into."""


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
    no symbolic link to a directory is followed, and none that leads out of it.
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
    for here, files in walked(folder, failed.append):
        for file in files:
            path = Path(here, file)
            if path.suffix.lower() in suffixes and not file.startswith(".") and path.is_file():
                count += 1
                out = message("validate.leads_out") if leads_out(path, folder) else None
                yield Input(str(path), None if out else path, found=True, problem=out)
    for error in failed:
        yield Input(error.filename or name, None, problem=_unreadable(error))
    if not count and not failed:
        yield Input(
            name, None, problem=message("validate.empty_directory", suffixes=_either(suffixes))
        )


def walked(
    folder: Path, failed: Callable[[OSError], None], *, hidden: bool = False
) -> Iterator[tuple[Path, list[str]]]:
    """Each directory below one and itself, with the names of its files, in order.

    What cannot be read is handed to `failed`, and so is what is too deep.
    """
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        try:
            if depth > DEEPEST_FOLDER:
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(here))
            with os.scandir(here) as entries:
                found = sorted(entries, key=lambda each: each.name)
        except OSError as error:
            failed(error)
            continue
        yield here, [each.name for each in found if not _is_folder(each)]
        below = [each.name for each in reversed(found) if each.is_dir(follow_symlinks=False)]
        waiting += [(here / name, depth + 1) for name in below if hidden or name[0] != "."]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a directory, or a link to one; a link that leads to itself is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def leads_out(path: Path, folder: Path) -> bool:
    """Whether a file of a directory is a link to one elsewhere, which may hold secrets."""
    return path.is_symlink() and not path.resolve().is_relative_to(folder.resolve())


def _either(suffixes: tuple[str, ...]) -> str:
    return ", ".join(suffixes)


def content(each: Input) -> bytes | Message:
    """The bytes of a file, or why there are none; of one that is too large, no more than tells."""
    try:
        if each.name == STDIN:
            return sys.stdin.buffer.read(LARGEST + 1)
        if each.path is None:
            return each.problem or message("validate.missing")
        with open(each.path, "rb", opener=_opened) as file:
            kept = os.fstat(file.fileno())
            size = kept.st_size
            held = None
            if stat.S_ISREG(kept.st_mode):
                held = file.read(LARGEST + 1) if size <= LARGEST else b""
    except OSError as error:
        return _unreadable(error)
    if held is None:  # a pipe or a device, or a file of the system that has nothing to give yet
        return message("validate.no_file")
    size = max(size, len(held))  # some files of the system have none
    return held if size <= LARGEST else message("documents.too_large", size=size, limit=LARGEST)


def _opened(path: str, flags: int) -> int:
    """Open a file without waiting: where a file was, there may be a pipe by now."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def notation_of(each: Input, raw: bytes) -> Notation:
    """In what a file is written: by its name, else by whether it begins like JSON."""
    suffix = each.path.suffix.lower() if each.path is not None else ""
    if suffix in SUFFIXES:
        return Notation.YAML if suffix in YAML_SUFFIXES else Notation.JSON
    head = raw[:4000].decode(encoding_of(raw), "replace").lstrip("\ufeff \t\r\n")
    return Notation.JSON if head[:1] in ("{", "[", '"', "") else Notation.YAML


def _unreadable(error: OSError | ValueError) -> Message:
    return message("validate.unreadable", reason=in_one_line(error))
