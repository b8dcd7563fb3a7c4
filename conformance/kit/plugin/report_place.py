"""The directory of a report: decided and made ready before a session begins.

That it can be written to is known before anything in it is removed.
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
"""How a directory begins in which a report is until it is put in place, or taken away."""


def begin(config: pytest.Config, state: PluginState) -> None:
    """Have a report written by all; raises FolderUnusable. An earlier one stays for now."""
    folder = state.settings.report
    state.made = make_ready(folder)
    state.held = hold(folder)
    config.add_cleanup(state.held.release)
    if state.held.alone:
        sweep(folder)
    refuse_foreign(folder, _files(state))
    check_files(folder, _files(state))
    state.page = HtmlReport(config.option.htmlpath or folder / Page.name, config, state.report)
    config.option.htmlpath = None  # or pytest-html would write a page of its own there
    config.pluginmanager.register(state.page)
    if not config.option.xmlpath:
        config.option.xmlpath = str(folder / JUNIT)


def _files(state: PluginState) -> list[str]:
    """The files of a report; the exchanges may be what is to be judged."""
    return [name for name in FILES if name != EXCHANGES or state.settings.judge is None]


def take_earlier(config: pytest.Config, state: PluginState) -> None:
    """Take an earlier report away, now that another follows; raises FolderUnusable.

    An old badge must not outlive a failure.
    """
    try:
        refuse_foreign(state.settings.report, _files(state))
        state.removed = take_away(state.settings.report, _files(state))
        state.taken = True
    except FolderUnusable:
        write_nothing(config, state)
        raise


def stage(config: pytest.Config, state: PluginState) -> Path | None:
    """Make a directory of nobody else's in that of the report, and have pytest write there, too.

    None where no report was begun. Raises OSError. A server may have put another directory in the
    place of the report's, or a link to one, and another program a file into it: nothing is replaced
    that is not the kit's.
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
    """Raise FileExistsError where a file that the kit did not write has appeared meanwhile."""
    foreign = foreign_file(folder, names)
    if foreign is not None:
        raise FileExistsError(EEXIST, strerror(EEXIST), str(foreign))


def _pytest_writes_into(folder: Path, config: pytest.Config, state: PluginState) -> None:
    """Choose the directory of what pytest writes, unless its own options do."""
    own = state.settings.report
    if state.page is not None and state.page.path == own / Page.name:
        state.page.write_to(folder / Page.name)
    if config.option.xmlpath == str(own / JUNIT):
        written = config.stash.get(_junit(config).xml_key, None)
        if written is not None:
            written.logfile = str(folder / JUNIT)


def _junit(config: pytest.Config) -> Any:
    junit = config.pluginmanager.get_plugin("junitxml")
    assert junit is not None  # it declares the option
    return junit


def put_in_place(config: pytest.Config, state: PluginState) -> None:
    """Move the files of a report to where they belong, now that all are written; raises OSError.

    Programs read the results, which come last: where they are, all is.
    """
    if state.staged is None:
        return
    written = {path.name for path in state.staged.iterdir()}
    _spare_foreign(state.settings.report, written)
    for name in (name for name in reversed(FILES) if name in written):
        state.placed.append((state.staged / name).replace(state.settings.report / name))
    state.staged.rmdir()
    state.staged = None
    _pytest_writes_into(state.settings.report, config, state)  # it says where, later


def leave(state: PluginState) -> bool:
    """End without a report: remove the folders that were made, and mark an earlier badge.

    Gives whether there is an earlier report. Once that is taken away, what is there is of this
    session.
    """
    for each in state.made:
        with suppress(OSError):
            each.rmdir()  # which it is only if it is empty
    if state.taken:
        return False
    folder = state.settings.report
    mark_outdated(folder / Badge.name, state.settings.language)
    return any((folder / name).is_file() for name in FILES if name != EXCHANGES)


def mark_outdated(badge: Path, language: str) -> None:
    """Have the badge of an earlier session say, after its own words, that it is outdated.

    A file other than our badge, or one that says so already, is left as it is.
    """
    with suppress(OSError, ValueError, RecursionError):
        if not badge.is_file():
            return  # a pipe would never end
        known = json.loads(given_text(badge))
        if not isinstance(known, dict) or not isinstance(known.get("message"), str):
            return
        if known.get("color") != OUTDATED:
            said = say("report.badge.outdated", language, level=known["message"])
            changed = {**known, "message": said, "color": OUTDATED}
            write_whole(badge, [json.dumps(changed, indent=1) + "\n"])


def leave_no_part(state: PluginState) -> None:
    """Remove what was written of a report that cannot be written whole; the record stays."""
    if state.staged is not None:
        rmtree(state.staged, ignore_errors=True)
    for path in state.placed:
        with suppress(OSError):
            path.unlink()


def write_nothing(config: pytest.Config, state: PluginState) -> None:
    """Have no report written, where nothing is judged; what pytest's options ask for is."""
    folder = state.settings.report
    if state.page is not None and state.page.path == folder / Page.name:
        config.pluginmanager.unregister(state.page)
        state.page = None
    if config.option.xmlpath == str(folder / JUNIT):
        _junit(config).pytest_unconfigure(config)


class FolderUnusable(Exception):
    """Nothing can be written there; the message says where, and why."""

    def __init__(self, path: Path, error: Exception) -> None:
        self.words: Message = message("kit.option.report", path=path, reason=in_one_line(error))
        super().__init__(self.words.id)


def make_ready(folder: Path) -> tuple[Path, ...]:
    """Make the folder, and see that a file can be made in it; raises FolderUnusable.

    Gives the folders that were not there before, the innermost first.
    """
    try:
        made = tuple(each for each in (folder, *folder.parents) if not each.exists())
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise FolderUnusable(folder, error) from None
    return made


def check_files(folder: Path, names: Iterable[str]) -> None:
    """See that nothing is in the place of a file; raises FolderUnusable."""
    for file in (folder / name for name in names):
        if file.is_dir() and not file.is_symlink():
            raise FolderUnusable(file, IsADirectoryError(EISDIR, strerror(EISDIR)))


class FolderTaken(FolderUnusable):
    """What is in the folder is not the kit's, or another session writes there now."""

    def __init__(self, id: str, path: Path) -> None:
        self.words = message(id, path=path)
        Exception.__init__(self, id)


def refuse_foreign(folder: Path, names: Iterable[str]) -> None:
    """Raise FolderTaken where a file has a name of a report's, and the kit did not write it."""
    try:
        foreign = foreign_file(folder, names)
    except OSError as error:
        raise FolderUnusable(folder, error) from None
    if foreign is not None:
        raise FolderTaken("kit.option.report_foreign", foreign)


def hold(folder: Path) -> Held:
    """Keep other sessions out of the folder until it is released; raises FolderTaken.

    The lock is gone with the process, however it ends. Where folders cannot be locked, none is.
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
    """Remove what sessions left that were killed while they put a report in place.

    No session is under way there while the folder is held. What is not surely the kit's stays: a
    link, a directory of another user, and one that holds anything but files of a report. What
    cannot be removed stays, too.
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
    """Whether a directory holds nothing but what a report is made of."""
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
    """Remove the files of an earlier report, all or none; False where there was none.

    They are put aside first, since only trying tells whether a file can be taken. Raises
    FolderUnusable, with all of them where they were, as they are after an interrupt, too; one that
    cannot be put back stays where it was put aside.
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
