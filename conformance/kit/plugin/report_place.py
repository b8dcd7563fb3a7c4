"""The directory of a report: chosen and prepared before a session begins.

Nothing in it is removed before it is known to be writable.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from errno import EEXIST, EISDIR
from os import strerror
from pathlib import Path
from shutil import rmtree
from stat import S_ISREG
from tempfile import TemporaryFile, mkdtemp
from typing import Any

import pytest

from conformance.kit.config.given_files import given_text
from conformance.kit.config.system_words import in_one_line
from conformance.kit.plugin.html_report import HtmlReport
from conformance.kit.plugin.state import Held, PluginState
from conformance.kit.report.html.page import Page
from conformance.kit.report.words import say
from conformance.kit.report.write import (
    EXCHANGES,
    FILES,
    JUNIT,
    LOOKED_AT,
    OUTDATED,
    Badge,
    foreign_file,
    is_marked,
    part_of,
    write_whole,
)
from conformance.spec.messages import Message, message

_STAGED = ".report-"
"""The prefix of the directory that holds a report until it is moved into place or removed."""


def begin(config: pytest.Config, state: PluginState) -> None:
    """Prepare pytest and pytest-html to write the report. An earlier report stays for now.

    Raises `FolderUnusable`.
    """
    folder = state.settings.report
    state.made = make_ready(folder)
    state.held = hold(folder)
    config.add_cleanup(state.held.release)
    if state.held.alone:
        sweep(folder)
    refuse_foreign(folder, _files(state))
    check_files(folder, _files(state))
    state.page = HtmlReport(config.option.htmlpath or folder / Page.name, config, state.report)
    config.option.htmlpath = None  # else pytest-html also writes its own page there
    config.pluginmanager.register(state.page)
    if not config.option.xmlpath:
        config.option.xmlpath = str(folder / JUNIT)


def _files(state: PluginState) -> list[str]:
    """Return the files of a report. With `--judge`, the exchanges are input and not among them."""
    return [name for name in FILES if name != EXCHANGES or state.settings.judge is None]


def take_earlier(config: pytest.Config, state: PluginState) -> None:
    """Remove an earlier report, now that a new one follows. Raises `FolderUnusable`.

    An old badge must not remain after a failure.
    """
    try:
        refuse_foreign(state.settings.report, _files(state))
        state.removed = take_away(state.settings.report, _files(state))
        state.taken = True
    except FolderUnusable:
        write_nothing(config, state)
        raise


def stage(config: pytest.Config, state: PluginState) -> Path | None:
    """Make a new private directory in that of the report, and let pytest write into it too.

    Return None if no report was begun. Raises `OSError`. A server may have replaced the directory
    of the report, also by a link, and another program may have put a file into it. Only files that
    the kit wrote are replaced.
    """
    folder = state.settings.report
    if state.held is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    _spare_foreign(folder, _files(state) if state.held.is_still(folder) else FILES)
    state.staged = Path(mkdtemp(prefix=_STAGED, dir=folder))
    _pytest_writes_into(state.staged, config, state)
    return state.staged


def _spare_foreign(folder: Path, names: Iterable[str]) -> None:
    """Raise `FileExistsError` if a file that is not the kit's has appeared during the session.

    A link is replaced: the file that it leads to stays.
    """
    foreign = foreign_file(folder, (name for name in names if not (folder / name).is_symlink()))
    if foreign is not None:
        raise FileExistsError(EEXIST, strerror(EEXIST), str(foreign))


def _pytest_writes_into(folder: Path, config: pytest.Config, state: PluginState) -> None:
    """Set the directory for what pytest writes, unless pytest's own options set it."""
    own = state.settings.report
    if state.page is not None and state.page.path == own / Page.name:
        state.page.write_to(folder / Page.name)
    if config.option.xmlpath == str(own / JUNIT):
        written = config.stash.get(_junit(config).xml_key, None)
        if written is not None:
            written.logfile = str(folder / JUNIT)


def _junit(config: pytest.Config) -> Any:
    junit = config.pluginmanager.get_plugin("junitxml")
    assert junit is not None  # the plugin declares the option
    return junit


def put_in_place(config: pytest.Config, state: PluginState) -> None:
    """Move the files of a report to their final place, after all are written. Raises `OSError`.

    The results are moved last, because programs read them: if they are there, everything is.
    """
    if state.staged is None:
        return
    written = {path.name for path in state.staged.iterdir()}
    _spare_foreign(state.settings.report, written)
    for name in (name for name in reversed(FILES) if name in written):
        state.placed.append((state.staged / name).replace(state.settings.report / name))
    state.staged.rmdir()
    state.staged = None
    _pytest_writes_into(state.settings.report, config, state)  # pytest prints this path later


def leave(state: PluginState) -> bool:
    """End without a report: remove the directories that were made, and mark an earlier badge.

    Return whether there is an earlier report. After `take_earlier`, the files there are from this
    session.
    """
    for each in state.made:
        with suppress(OSError):
            each.rmdir()  # works only if it is empty
    if state.taken:
        return False
    folder = state.settings.report
    mark_outdated(folder / Badge.name, state.settings.language)
    return any((folder / name).is_file() for name in FILES if name != EXCHANGES)


def mark_outdated(badge: Path, language: str) -> None:
    """Add to the badge of an earlier session that it is outdated.

    A file that is not the kit's badge, or is marked already, does not change.
    """
    with suppress(OSError, ValueError, RecursionError):
        if not badge.is_file():
            return  # reading a pipe would never end
        text = given_text(badge)
        if not is_marked(Badge.name, text.encode()):
            return
        known = json.loads(text)
        if not isinstance(known, dict) or not isinstance(known.get("message"), str):
            return
        if known.get("color") != OUTDATED:
            said = say("report.badge.outdated", language, level=known["message"])
            changed = {**known, "message": said, "color": OUTDATED}
            staged = Path(mkdtemp(prefix=_STAGED, dir=badge.parent))
            try:
                write_whole(staged / badge.name, [json.dumps(changed, indent=1) + "\n"])
                (staged / badge.name).replace(badge)
            finally:
                rmtree(staged, ignore_errors=True)


def leave_no_part(state: PluginState) -> None:
    """Remove the parts of a report that could not be completed. The record stays."""
    if state.staged is not None:
        rmtree(state.staged, ignore_errors=True)
    for path in state.placed:
        with suppress(OSError):
            path.unlink()


def write_nothing(config: pytest.Config, state: PluginState) -> None:
    """Write no report, because nothing is judged. Files that pytest's own options ask for are
    written.
    """
    folder = state.settings.report
    if state.page is not None and state.page.path == folder / Page.name:
        config.pluginmanager.unregister(state.page)
        state.page = None
    if config.option.xmlpath == str(folder / JUNIT):
        _junit(config).pytest_unconfigure(config)


class FolderUnusable(Exception):
    """Nothing can be written there. The message says where, and why."""

    def __init__(self, path: Path, error: Exception) -> None:
        self.words: Message = message("kit.option.report", path=path, reason=in_one_line(error))
        super().__init__(self.words.id)


def make_ready(folder: Path) -> tuple[Path, ...]:
    """Make the directory, and test that a file can be made in it. Raises `FolderUnusable`.

    Return the directories that did not exist before, the innermost first.
    """
    try:
        made = tuple(each for each in (folder, *folder.parents) if not each.exists())
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise FolderUnusable(folder, error) from None
    return made


def check_files(folder: Path, names: Iterable[str]) -> None:
    """Raise `FolderUnusable` if a directory has the name of a file."""
    for file in (folder / name for name in names):
        if file.is_dir() and not file.is_symlink():
            raise FolderUnusable(file, IsADirectoryError(EISDIR, strerror(EISDIR)))


class FolderTaken(FolderUnusable):
    """The directory has files that are not the kit's, or another session is writing there."""

    def __init__(self, id: str, path: Path) -> None:
        self.words = message(id, path=path)
        Exception.__init__(self, id)


def refuse_foreign(folder: Path, names: Iterable[str]) -> None:
    """Raise `FolderTaken` if a file that is not the kit's has the name of a report's file."""
    try:
        foreign = foreign_file(folder, names)
    except OSError as error:
        raise FolderUnusable(folder, error) from None
    if foreign is not None:
        raise FolderTaken("kit.option.report_foreign", foreign)


def hold(folder: Path) -> Held:
    """Lock the directory against other sessions until it is released. Raises `FolderTaken`.

    The lock ends with the process. If the file system has no locks, the directory is not locked.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        return Held(None, folder.stat())
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        raise FolderTaken("kit.option.report_busy", folder) from None
    except OSError:
        return Held(held, os.fstat(held))  # some file systems have no locks
    return Held(held, os.fstat(held), alone=True)


def sweep(folder: Path) -> None:
    """Remove what is left of sessions that were killed while they moved a report into place.

    The lock makes sure that no other session is doing this. Anything that may not be the kit's
    stays: a link, a directory of another user, and one with files that are not a report's. What
    cannot be removed stays too.
    """
    for each in folder.glob(f"{_STAGED}*"):
        with suppress(OSError):
            left = os.open(each, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(left).st_uid == os.geteuid() and _is_report(left):
                    for name in os.listdir(left):
                        os.unlink(name, dir_fd=left)
                    each.rmdir()
            finally:
                os.close(left)


def _is_report(left: int) -> bool:
    """Return whether a directory holds only files of a report."""
    names = {own: name for name in FILES for own in (name, part_of(name))}
    for own in os.listdir(left):
        if own not in names or not S_ISREG(os.lstat(own, dir_fd=left).st_mode):
            return False
        file = os.open(own, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=left)
        with os.fdopen(file, "rb") as opened:
            if not is_marked(names[own], opened.read(LOOKED_AT)):
                return False
    return True


def take_away(folder: Path, names: Iterable[str]) -> bool:
    """Remove the files of an earlier report, all or none; return whether there were any.

    They are first moved aside, because only a try shows whether a file can be moved. If one cannot,
    all are moved back, and `FolderUnusable` is raised. An interrupt moves them back too. A file
    that cannot be moved back stays where it is.
    """
    asked = tuple(names)
    at = folder
    try:
        aside = Path(mkdtemp(prefix=_STAGED, dir=folder))
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
    """Move back what was moved aside. A file that cannot be moved does not stop the others."""
    for name in names:
        with suppress(OSError):
            (aside / name).rename(folder / name)
    with suppress(OSError):
        aside.rmdir()


def _take(file: Path, to: Path) -> None:
    """Move a file, if it exists. Raises `OSError`, also for a directory."""
    if file.is_dir() and not file.is_symlink():
        raise IsADirectoryError(EISDIR, strerror(EISDIR))
    with suppress(FileNotFoundError):
        file.rename(to)
