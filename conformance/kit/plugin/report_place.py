"""Where pytest-html, pytest's XML report and the kit write: the folder fits what was judged.

They are told before anything is collected, and what a command line asks for is known only by its
words then: `--lf` without earlier failures, or a `-k` that fits everything, leaves nothing out.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from _pytest import junitxml  # what it writes, and where, is in its plugin alone
from pytest_html.basereport import BaseReport

from conformance.kit.plugin.html_report import HTML_REPORT, HtmlReport
from conformance.kit.plugin.selection import folder_of_the_whole
from conformance.kit.plugin.state import PluginState
from conformance.kit.report.folder import FolderUnusable, make_ready, take_away
from conformance.kit.report.replay_file import REPLAY
from conformance.kit.report.write import BADGE, EXCHANGES, JUNIT, REPORT, RESULTS, SUMMARY


def begin(config: pytest.Config, state: PluginState) -> None:
    """Take an earlier report away, and have one written by all; raises FolderUnusable."""
    folder = state.settings.report
    make_ready(folder)
    # An old badge must not outlive a failure.
    state.removed = take_away(folder, _files(state))
    config.pluginmanager.register(HtmlReport(config), HTML_REPORT)
    if not config.option.htmlpath:
        config.option.htmlpath = str(folder / REPORT)
        config.option.self_contained_html = True
    if not config.option.xmlpath:
        config.option.xmlpath = str(folder / JUNIT)


def settle(config: pytest.Config, state: PluginState) -> None:
    """Have the report of a session that judged all written where that of a whole one goes.

    Nothing is written yet but the exchanges. Where that folder cannot be used, the report stays
    where it was to go, and the terminal says where that is.
    """
    part, whole = state.settings.report, folder_of_the_whole(config)
    if state.result is None or state.result.selection or part == whole:
        return
    try:
        take_away(whole, _files(state))
        if state.exchanges is not None:
            state.exchanges.move(whole / EXCHANGES)
    except (FolderUnusable, OSError):
        return
    state.settings = replace(state.settings, report=whole)
    page, table = _page(config, part), _table(config, part)
    if page is not None:
        config.option.htmlpath = str(whole / REPORT)
        page._report_path = whole / REPORT  # it reads the option before there is an item
    if table is not None:
        table.logfile = config.option.xmlpath = str(whole / JUNIT)
    _remove_if_empty(part)


def write_nothing(config: pytest.Config, state: PluginState) -> None:
    """Have no report written, where nothing is judged; what pytest's options ask for is."""
    folder = state.settings.report
    page = _page(config, folder)
    if page is not None:
        config.pluginmanager.unregister(page)
        config.pluginmanager.unregister(name=HTML_REPORT)
    if _table(config, folder) is not None:
        junitxml.pytest_unconfigure(config)
    whole = folder_of_the_whole(config)
    if folder != whole:
        _remove_if_empty(folder)
        _remove_if_empty(whole)


def _files(state: PluginState) -> tuple[str, ...]:
    """The files of a report; without the exchanges, where they may be what is to be judged."""
    recorded = (EXCHANGES,) if state.settings.judge is None else ()
    return (RESULTS, BADGE, SUMMARY, JUNIT, REPORT, REPLAY, *recorded)


def _page(config: pytest.Config, folder: Path) -> BaseReport | None:
    """What writes the page, if it is in the kit's folder."""
    writers = (one for one in config.pluginmanager.get_plugins() if isinstance(one, BaseReport))
    return next(writers, None) if config.option.htmlpath == str(folder / REPORT) else None


def _table(config: pytest.Config, folder: Path) -> junitxml.LogXML | None:
    """What writes the XML report, if it is in the kit's folder."""
    ours = config.option.xmlpath == str(folder / JUNIT)
    return config.stash.get(junitxml.xml_key, None) if ours else None


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
