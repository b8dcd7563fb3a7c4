"""Which part of the kit a command line selects, and where the report of a part goes.

Users often run a part while they fix one thing. Its report must not replace the whole report. So it
goes into a subdirectory, unless `--report` names one.
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
"""Options of pytest and the kit that leave items out, each with the name of its attribute."""


def selected_by(config: pytest.Config) -> str:
    """Return the paths and options that select a part, as a command line; empty if everything is
    selected.
    """
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
    """Return the directory for the report of a session that checks everything."""
    return Path(config.invocation_params.dir, config.getoption("--report"))


def report_folder(config: pytest.Config) -> Path:
    """Return the directory for the report. A part has its own, so that the whole report stays.

    This looks only at the command line: what it leaves out is known after judging.
    """
    folder = folder_of_the_whole(config)
    if config.getoption("--report") != REPORT_FOLDER or not selected_by(config):
        return folder
    return folder / (REPLAY_FOLDER if config.getoption("--replay") else SELECTION_FOLDER)
