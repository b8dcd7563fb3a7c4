"""Makes `pytest --pyargs conformance` the conformance kit where it is installed.

pytest reads the conftest.py of a named package too late for its options. Every session of pytest
loads this module, so it imports nothing else until the kit is asked for.
"""

from __future__ import annotations

import pytest

PACKAGE = "conformance"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Load the kit, if a part of the package is named."""
    known = early_config.known_args_namespace
    named = (str(each).partition("::")[0].partition(".")[0] for each in known.file_or_dir)
    if known.pyargs and PACKAGE in named:
        early_config.pluginmanager.import_plugin("conformance.kit.plugin.hooks")
