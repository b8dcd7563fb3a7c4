"""The kit's options as pytest options."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.kit.config.options import (
    GROUPS,
    add_options,
    given_in,
    repeating,
    with_defaults,
)
from conformance.kit.config.settings import Given, OptionUnusable, settings_of
from conformance.kit.config.settings_file import Filled, filled_in
from conformance.kit.report.safe_text import visible

_GIVEN = pytest.StashKey[Filled]()
"""What the command line and the settings file gave."""


def register(parser: pytest.Parser) -> None:
    """Register the options, in a group of their own."""
    ours = parser.getgroup("conformance", "conformance: check an HTTP or MCP server from outside")
    for group in GROUPS:
        add_options(group, ours.addoption)


def fill_in(config: pytest.Config) -> None:
    """Fill options that the command line lacks from the settings file, then from the defaults.

    `agent-formats check` has done this already. Raises `pytest.UsageError`.
    """
    given = given_in(vars(config.option))
    told = None
    try:
        if made_ready(config) is None:
            given, told = filled_in(given, Path(config.invocation_params.dir))
    except OptionUnusable as unusable:
        raise pytest.UsageError(visible(str(unusable), None, lines=True)) from None
    config.stash[_GIVEN] = Filled(given, told)
    vars(config.option).update(with_defaults(given))


def given_to(config: pytest.Config) -> Given:
    """Return what the user asked for. Raises `pytest.UsageError` for unusable values."""
    ready = made_ready(config)
    if ready is not None:
        return ready
    (given, told), here = config.stash[_GIVEN], Path(config.invocation_params.dir)
    try:
        return Given(settings_of(with_defaults(given), here), repeating(given), told)
    except OptionUnusable as unusable:
        raise pytest.UsageError(visible(str(unusable), None, lines=True)) from None


def made_ready(config: pytest.Config) -> Given | None:
    """Return what `agent-formats check` made of its command line; None under plain pytest."""
    plugins = config.pluginmanager.get_plugins()
    return next((each for each in plugins if isinstance(each, Given)), None)
