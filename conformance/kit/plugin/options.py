"""The kit's options as pytest reads them."""

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
"""What the command line gave, and the settings file."""


def register(parser: pytest.Parser) -> None:
    """Register the options, in a group of their own."""
    ours = parser.getgroup("conformance", "conformance: check an HTTP or MCP server from outside")
    for group in GROUPS:
        add_options(group, ours.addoption)


def fill_in(config: pytest.Config) -> None:
    """Take from the settings file what the command line leaves open, and then the defaults.

    Raises pytest.UsageError. `agent-formats check` has done it before.
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
    """What the session was asked for; raises pytest.UsageError for what cannot be used."""
    ready = made_ready(config)
    if ready is not None:
        return ready
    (given, told), here = config.stash[_GIVEN], Path(config.invocation_params.dir)
    try:
        return Given(settings_of(with_defaults(given), here), repeating(given), told)
    except OptionUnusable as unusable:
        raise pytest.UsageError(visible(str(unusable), None, lines=True)) from None


def made_ready(config: pytest.Config) -> Given | None:
    """What `agent-formats check` made of its own command line."""
    plugins = config.pluginmanager.get_plugins()
    return next((each for each in plugins if isinstance(each, Given)), None)
