"""Hides pytest's dots: with thousands of clauses, the summary says what a reader needs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

from conformance.kit.config.options import KEEPS_PYTEST_QUIET
from conformance.kit.config.secrets import Redactor
from conformance.kit.drive.unusable_target import model_api
from conformance.kit.evidence.declarations import Discovered, declared
from conformance.kit.evidence.safety import is_called_unasked
from conformance.kit.model.loopback import is_loopback
from conformance.kit.model.settings import Settings
from conformance.kit.plugin.items import ClauseItem
from conformance.kit.plugin.options import made_ready
from conformance.kit.plugin.state import PluginState
from conformance.kit.report.safe_text import visible
from conformance.kit.report.words import listed
from conformance.kit.transport.bindings import traits_of
from conformance.kit.transport.http import HttpBinding
from conformance.spec.clauses import site
from conformance.spec.messages import as_code, message

_MARK = "clause"
"""The marker of each clause's item, so also a keyword of its reports."""

_COMPLETES = "/v1/chat/completions"
"""How the path of an operation ends that completes a chat."""
_NAMES = 8
"""The most tools that are named in a line."""


def detail(config: pytest.Config) -> int:
    """Return how much to print: 1 each clause, 0 what a reader needs, -1 the result only.

    `agent-formats check` makes pytest itself quiet; this returns what the user asked for.
    """
    verbosity = config.get_verbosity()
    quiet = verbosity < 0 and made_ready(config) is not None
    return verbosity + KEEPS_PYTEST_QUIET if quiet else verbosity


class QuietItems:
    """A plugin that hides the items of clauses unless `-v` is given."""

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(
        self, report: pytest.TestReport | pytest.CollectReport, config: pytest.Config
    ) -> Generator[None, Any, Any]:
        """Return the category, which pytest counts, without a letter or word to print."""
        status = yield
        if detail(config) > 0 or _MARK not in getattr(report, "keywords", ()):
            return status
        return status[0], "", ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Hide the names of the files too if all items are clauses."""
        config = session.config
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        ours = all(isinstance(item, ClauseItem) for item in session.items)
        if ours and reporter is not None and detail(config) <= 0:
            reporter.showfspath = False


def warning(found: list[Discovered], settings: Settings, redact: Redactor) -> str:
    """Return a line, before any call, that names the tools that do not say what they change."""
    asked = [(one.run, tool) for one in found for tool in one.tools]
    unmarked = [tool.name for run, tool in asked if is_called_unasked(tool, run, settings)]
    names = list(dict.fromkeys(visible(redact(name), 40) for name in unmarked))
    if not names:
        return ""
    shown = listed(names, _NAMES, settings.language, str)
    return message("kit.unmarked", count=len(names), tools=shown).words(settings.language)


def _without_mcp(found: list[Discovered], settings: Settings, redact: Redactor) -> str:
    """Return a line if `--spec-version` was given but no run is MCP; else an empty text."""
    if not settings.spec_versions or any(one.run.version for one in found):
        return ""
    said = message(
        "kit.no_effect.spec_version",
        versions=", ".join(settings.spec_versions),
        targets=", ".join(dict.fromkeys(one.run.target for one in found)),
        runs=", ".join(one.run.id for one in found),
    )
    return visible(redact(said.words(settings.language)), 400)


def _not_in_sandbox(found: list[Discovered], settings: Settings, redact: Redactor) -> str:
    """Return a line if `--sandbox` was given but a target runs already; else an empty text."""
    outside = (one.run.target for one in found if not traits_of(one.run).starts_process)
    targets = ", ".join(dict.fromkeys(outside))
    if not settings.sandbox or not targets:
        return ""
    said = message("kit.no_effect.sandbox", targets=targets)
    return visible(redact(said.words(settings.language)), 400)


def _of_no_tool(found: list[Discovered], settings: Settings, redact: Redactor) -> str:
    """Return a line that names the tools of `--examples` that no run offers; empty if none."""
    offered = dict.fromkeys(tool.name for one in found for tool in one.tools)
    known = {*offered, *(name for one in found for name, _ in one.left_out)}
    if known.issuperset(settings.examples) or not offered:
        return ""
    known.update(stub.name for one in found for stub in declared(one).unusable)
    strangers = tuple(name for name in settings.examples if name not in known)
    if not strangers:
        return ""
    named = [
        listed(names, _NAMES, settings.language, lambda name: as_code(visible(redact(name), 60)))
        for names in (strangers, tuple(offered))
    ]
    said = message("kit.no_effect.examples", count=len(strangers), tools=named[0], known=named[1])
    return said.words(settings.language)


def _also_gateway(found: list[Discovered], settings: Settings, redact: Redactor) -> str:
    """Return a line if an operation of a target completes chats; empty if none does.

    A gateway is checked only on this machine.
    """
    for one in filter(lambda each: is_loopback(each.run.endpoint), found):
        for tool in one.tools:
            _, called = HttpBinding(one.run).route(tool)
            if called.rstrip("/").endswith(_COMPLETES) and is_loopback(called):
                api = model_api(called)
                url = f"{site(settings.language)}guides/gateway/"
                said = message("kit.also_gateway", target=one.run.target, api=api, url=url)
                return visible(redact(said.words(settings.language)), 400)
    return ""


def notes(
    found: list[Discovered], settings: Settings, redact: Redactor, *, calls: bool
) -> Iterator[str]:
    """Yield the lines to print before the session begins. `calls` says whether tools will be
    called.
    """
    lines = [_without_mcp(found, settings, redact), _not_in_sandbox(found, settings, redact)]
    lines += [_of_no_tool(found, settings, redact), _also_gateway(found, settings, redact)]
    if calls:
        lines.append(warning(found, settings, redact))
    yield from (line for line in lines if line)


def line_writer(config: pytest.Config) -> Callable[[str], None]:
    """Return a function that prints a line immediately; it prints nothing with `-q`."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or detail(config) < 0:
        return lambda _: None

    def write(line: str) -> None:
        reporter.write_line(line)
        reporter.flush()  # a pipe would buffer it until the end

    return write


def header(found: list[Discovered], language: str, redact: Redactor) -> str:
    """Return a line that names the targets and the runs."""
    targets = ", ".join(dict.fromkeys(one.run.target for one in found))
    runs = ", ".join(one.run.id for one in found)
    said = message("kit.judging", targets=targets, runs=runs).words(language)
    return visible(redact(said), 400)


def introduce(config: pytest.Config, state: PluginState) -> None:
    """Print what is checked, and what to know before any call."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if state.session.found and reporter is not None:
        found, settings = state.session.found, state.settings
        if detail(config) >= 0:
            reporter.write_line(header(found, settings.language, state.redact))
        if state.said_of_settings:  # they may weaken a gate, so they are shown with -q, too
            reporter.write_line(visible(state.said_of_settings))
        if detail(config) >= 0:
            calls = not (config.option.collectonly or settings.plan_only)
            for line in (*notes(found, settings, state.redact, calls=calls), state.said_first):
                if line:
                    reporter.write_line(line, yellow=True)
