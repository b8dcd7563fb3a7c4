"""What is meant for the kit, and would be started by pytest without it, ends with a sentence.

pytest loads `conformance/conftest.py` only where a path in that folder exists: of a path that does
not, it would say that it knows no `--target`. What it loads instead is `tests/conftest.py`, which
takes the hooks of this module. So `pytest --help` lists the kit's options too.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path

import pytest

from conformance.formats.clauses import ROOT
from conformance.formats.messages import message
from conformance.kit.command_line import given_options
from conformance.kit.options import add_options
from conformance.kit.report.text import visible
from conformance.kit.state import STATE

__all__ = ["pytest_addoption", "pytest_configure"]

_KIT = ROOT / "conformance"
_FIRST = "atdf"
"""The part that stands as an example where nothing is like the path that was given."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the kit's options, so that they are known where the kit itself is not."""
    add_options(parser)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Raise pytest.UsageError for a path in the kit that does not exist, or options of it alone."""
    if STATE in config.stash or config.option.help or config.option.version:
        return
    here = Path(config.invocation_params.dir)
    given = given_options(config)
    language: str = config.getoption("--language")
    for path in (each.partition("::")[0] for each in config.args):
        inside = Path(os.path.normpath(here / path)).is_relative_to(_KIT)
        if (inside or given) and not (here / path).exists():
            near = _near(path, here)
            said = message("kit.misplaced.path", path=visible(path), near=near)
            raise pytest.UsageError(said.words(language))
    if given:
        said = message("kit.misplaced.options", option=given[0], near=_near("", here))
        raise pytest.UsageError(said.words(language))


def _near(path: str, here: Path) -> str:
    """The part of the kit whose path is most like this one."""
    tests = sorted(_KIT.glob("*/test_*.py"))
    parts = [*dict.fromkeys(test.parent for test in tests), *tests]
    named = [str(part.relative_to(_KIT)) for part in parts]
    like = get_close_matches(os.path.relpath(here / path, _KIT), named, 1)
    return os.path.relpath(_KIT.joinpath(*like or [_FIRST]), here)
