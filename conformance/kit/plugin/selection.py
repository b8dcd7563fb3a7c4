"""What of the kit a command line selects, and where the report of a selection goes.

A part is often asked for while one thing is fixed. Its report must not replace the report of the
whole: unless `--report` names a directory, it goes into one of its own inside that.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from conformance.kit.model.settings import REPLAY_FOLDER, REPORT_FOLDER, SELECTION_FOLDER
from conformance.spec.clauses import PACKAGE

_OPTIONS = (("-k", "keyword"), ("-m", "markexpr"), ("--deselect", "deselect"),
            ("--ignore", "ignore"), ("--ignore-glob", "ignore_glob"), ("--lf", "lf"),
            ("--sw", "stepwise"), ("--replay", "replay"))  # fmt: skip
"""pytest's options that leave items out, and the kit's own; with the names that pytest keeps."""


def selected_by(config: pytest.Config) -> str:
    """The paths and options that ask for a part, as they are written; empty where all is asked."""
    here = Path(config.invocation_params.dir)
    by_name = config.option.pyargs and PACKAGE.name in config.args
    whole = by_name or any(PACKAGE.is_relative_to((here / path).resolve()) for path in config.args)
    words = [] if whole else list(config.args)
    for name, kept in _OPTIONS:
        value = getattr(config.option, kept, None)
        if not value:
            continue
        if value is True:
            words.append(name)
            continue
        for each in value if isinstance(value, list) else [value]:
            words += [name, str(each)]
    return shlex.join(words)


def folder_of_the_whole(config: pytest.Config) -> Path:
    """Where the report of a session goes that judges all."""
    return Path(config.invocation_params.dir, config.getoption("--report"))


def report_folder(config: pytest.Config) -> Path:
    """Where the report goes; of a part elsewhere, so that it does not replace the whole one.

    By the words of the command line alone: what they leave out is known once all is judged.
    """
    folder = folder_of_the_whole(config)
    if config.getoption("--report") != REPORT_FOLDER or not selected_by(config):
        return folder
    return folder / (REPLAY_FOLDER if config.getoption("--replay") else SELECTION_FOLDER)
