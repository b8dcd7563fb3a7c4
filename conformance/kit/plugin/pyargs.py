"""Makes `pytest --pyargs conformance` run the kit where it is installed.

pytest reads the conftest.py of a named package too late for its options. Every pytest session loads
this module, so it imports nothing else until the kit is needed. It is installed as a top-level
module: a directory may have another package `conformance` that Python finds first.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGE = "conformance"
_NO_PATH = f"{PACKAGE}.conftest"
"""A part of the package that pytest cannot take for a directory."""


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Load the kit if a part of the package is named."""
    known = early_config.known_args_namespace
    named = [str(each).partition("::")[0] for each in known.file_or_dir]
    if not known.pyargs or PACKAGE not in (each.partition(".")[0] for each in named):
        return
    found = find_spec(PACKAGE)
    if found is None or found.origin is None or not Path(found.origin).with_name("kit").is_dir():
        where = found.origin if found is not None and found.origin else "another place"
        raise pytest.UsageError(
            f"Python finds a package {PACKAGE} of your own first, in {where}. "
            "Use `agent-formats check` here, or `pytest` in the place of `python -m pytest`."
        )
    known.file_or_dir[:] = [_NO_PATH if each == PACKAGE else each for each in named]
    early_config.pluginmanager.import_plugin("conformance.kit.plugin.hooks")
