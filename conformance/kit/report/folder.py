"""The folder of a report: that it can be written to is known before anything in it is removed."""

from __future__ import annotations

from collections.abc import Iterable
from errno import EISDIR
from os import strerror
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from conformance.formats.messages import Message, message
from conformance.kit.file_errors import in_one_line


class FolderUnusable(Exception):
    """Nothing can be written there; the message says where, and why."""

    def __init__(self, path: Path, error: Exception) -> None:
        self.words: Message = message("kit.option.report", path=path, reason=in_one_line(error))
        super().__init__(self.words.id)


def make_ready(folder: Path) -> None:
    """Make the folder, and see that a file can be made in it; raises FolderUnusable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise FolderUnusable(folder, error) from None


def take_away(folder: Path, names: Iterable[str]) -> bool:
    """Remove the files of an earlier report, all or none; False where there was none.

    They are put aside first, since only trying tells whether a file can be taken. Raises
    FolderUnusable, with all of them where they were.
    """
    taken: list[str] = []
    at = folder
    try:
        with TemporaryDirectory(dir=folder) as aside:
            try:
                for name in names:
                    at = folder / name
                    if _take(at, Path(aside, name)):
                        taken.append(name)
            except OSError:
                for name in taken:
                    Path(aside, name).rename(folder / name)
                raise
    except OSError as error:
        raise FolderUnusable(at, error) from None
    return bool(taken)


def _take(file: Path, to: Path) -> bool:
    """Move a file; False where there is none. Raises OSError, for a folder, too."""
    if file.is_dir() and not file.is_symlink():
        raise IsADirectoryError(EISDIR, strerror(EISDIR))
    try:
        file.rename(to)
    except FileNotFoundError:
        return False
    return True
