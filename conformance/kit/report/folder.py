"""The folder of a report: that it can be written to is known before anything in it is removed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

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


def take_away(file: Path) -> bool:
    """Remove a file of an earlier report; False where there was none. Raises FolderUnusable."""
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise FolderUnusable(file, error) from None
    return True
