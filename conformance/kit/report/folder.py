"""The folder of a report: that it can be written to is known before anything in it is removed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from errno import EISDIR
from os import strerror
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryFile, mkdtemp

from conformance.kit.config.system_words import in_one_line
from conformance.spec.messages import Message, message


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
    FolderUnusable, with all of them where they were, as they are after an interrupt, too; one that
    cannot be put back stays where it was put aside.
    """
    asked = tuple(names)
    at = folder
    try:
        aside = Path(mkdtemp(dir=folder))
        try:
            for name in asked:
                at = folder / name
                _take(at, aside / name)
        except BaseException:
            _put_back(folder, aside, asked)
            raise
    except OSError as error:
        raise FolderUnusable(at, error) from None
    earlier = any(aside.iterdir())
    rmtree(aside, ignore_errors=True)
    return earlier


def _put_back(folder: Path, aside: Path, names: Iterable[str]) -> None:
    """Move back what was put aside, each on its own: what cannot be is not to cost the others."""
    for name in names:
        with suppress(OSError):
            (aside / name).rename(folder / name)
    with suppress(OSError):
        aside.rmdir()


def _take(file: Path, to: Path) -> None:
    """Move a file, if there is one. Raises OSError, for a folder, too."""
    if file.is_dir() and not file.is_symlink():
        raise IsADirectoryError(EISDIR, strerror(EISDIR))
    with suppress(FileNotFoundError):
        file.rename(to)
