"""The steps of a session that the plugin's hooks take: discover targets, then drive and judge, or
list the plan.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from itertools import islice
from types import ModuleType
from typing import NoReturn

import pytest

from conformance.kit.drive.alarm import Alarm, rung
from conformance.kit.drive.discovery.named_tools import need_named_tools
from conformance.kit.drive.interrupts import is_interrupted
from conformance.kit.drive.runs import Runs
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.results import cleaned
from conformance.kit.plugin.items import ClauseItem, stale_items
from conformance.kit.plugin.plan_listing import planned
from conformance.kit.plugin.quiet import line_writer
from conformance.kit.plugin.recording import driven, recall
from conformance.kit.plugin.reference_server import STDIO, ReferenceServer
from conformance.kit.plugin.selection import selected_by
from conformance.kit.plugin.state import PluginState
from conformance.kit.report.examples_file import examples_text, without_baseline
from conformance.kit.report.exit import Exit
from conformance.kit.report.safe_text import visible
from conformance.kit.transport.memory_limit import memory_is_full
from conformance.kit.verdicts.checks import scripts_of
from conformance.spec.messages import message


def discover(config: pytest.Config, state: PluginState) -> None:
    """Discover the targets, or read a recorded session. Raises `pytest.UsageError` with one
    sentence.
    """
    language = state.settings.language
    targets = state.settings.targets
    try:
        if state.settings.judge is not None:
            recall(state, state.settings.judge)
            return
        if not targets:
            targets = _reference(config, state)
        state.session.discover(targets)
        with state.session.faults.noting("kit.session_failed", TargetUnusable):
            if state.session.found:
                need_named_tools(state.settings, state.session.found, state.session.declared)
        return
    except KeyboardInterrupt:
        interrupted_early(config, state)
    except TargetUnusable as unusable:
        said = visible(state.redact(unusable.words.words(language)), None)
        raise pytest.UsageError(said) from None
    except MemoryError:
        pass  # what filled the memory is let go with the exception
    raise pytest.UsageError(memory_is_full().words(language))


def _reference(config: pytest.Config, state: PluginState) -> tuple[str, ...]:
    """Start the reference server, and return its targets. Raises `pytest.UsageError`."""
    try:
        state.reference = ReferenceServer()
    except RuntimeError as failed:
        said = message("kit.no_reference", reason=failed).words(state.settings.language)
        raise pytest.UsageError(said) from None
    config.add_cleanup(state.reference.stop)
    return state.reference.url, STDIO


def interrupted_early(config: pytest.Config, state: PluginState) -> NoReturn:
    """End a session without verdicts, with one line. pytest's own message would show the kit's
    code.
    """
    said = message("kit.exit.early").words(state.settings.language)
    config.pluginmanager.unregister(name="terminalreporter")
    if state.session.found:  # pytest prints it only before the session started
        sys.stderr.write(f"{said}\n")
    pytest.exit(said, Exit.INTERRUPTED)


def load_scripts(state: PluginState, collector: pytest.Module | pytest.Class) -> None:
    """Load the `scripts.py` next to a test file, once."""
    module = getattr(collector, "obj", None)
    package = module.__package__ if isinstance(module, ModuleType) else None
    if not package or package in state.scripts_of:
        return
    state.scripts_of.add(package)
    state.session.scripts.extend(scripts_of(package))


def nothing_asked(session: pytest.Session, state: PluginState) -> str:
    """Return a sentence that says why nothing will be judged; empty if something will.

    It is called before any tool is called, so that a typo in `-k` costs the target nothing.
    """
    if state.session.faults.noted or any(isinstance(item, ClauseItem) for item in session.items):
        return ""
    language, options = state.settings.language, selected_by(session.config)
    by = message("kit.exit.no_clause_by", options=visible(state.redact(options)))
    why = (by if options else message("kit.exit.no_clause")).words(language)
    return message("kit.exit.nothing_judged", reason=why).words(language)


_LOOK = 0.2
"""Seconds between two looks at the time while the plan is listed."""


def print_plan(state: PluginState) -> None:
    """Print what would be sent, as far as it was planned when the time was up or an interrupt came.

    Raises `pytest.UsageError` if the target lacks the case to replay.
    """
    own, settings, language = state.session, state.settings, state.settings.language
    ends = own.began_at + settings.max_time
    alarm = Alarm(lambda: is_interrupted() or time.monotonic() > ends, _LOOK)
    lines: list[str] = []
    try:
        with rung(alarm):
            lines += planned(own.found, settings, own.memory, own.scripts, state.plan_faults)
    except TimeoutError:
        late = message("kit.exit.time_up", seconds=f"{settings.max_time:g}")
        why = message("kit.exit.early") if is_interrupted() else late
        state.said_at_exit = why.words(language)
    faulty = bool(own.faults.noted)
    if not lines and settings.replay is not None and not (state.said_at_exit or faulty):
        said = message("kit.option.replay", case=visible(settings.replay))
        raise pytest.UsageError(said.words(language))
    for line in lines:
        sys.stdout.write(visible(state.redact(line), None) + "\n")
    if any(line.startswith("  ") for line in lines):
        sys.stdout.write(message("kit.plan.legend").words(language) + "\n")


def judge_all(session: pytest.Session, state: PluginState) -> None:
    """Drive and judge, and give each item its verdicts. Stale waivers become items too."""
    items = [item for item in session.items if isinstance(item, ClauseItem)]
    asked = [question for item in items for question in item.questions]
    if state.settings.judge is not None:
        judged = state.session.judge(asked)
    else:
        if not asked:  # after a fault of the kit: the report says so, and no tool is called for it
            state.session.runs = Runs()
        judged = driven(state, asked, line_writer(session.config))
    judged = {number: cleaned(item, state.redact) for number, item in judged.items()}
    verdicts = (judged[number] for number in range(len(asked)))
    for item in items:
        item.results = tuple(islice(verdicts, len(item.questions)))
    selected = state.deselected or len(asked) < state.collected
    result = state.session.results(asked, judged, selected=selected)
    if result.selection:
        result = replace(result, selected=selected_by(session.config))
    state.result = state.report.session = result
    state.report.judged = {item.nodeid for item in items}
    settings = state.settings
    where = settings.waivers_file, settings.language
    session.items.extend(stale_items(session, state.result.waivers, *where, state.redact))


def write_examples(state: PluginState) -> str:
    """Write the file of `--write-examples`; return the line that says so.

    Raises OSError, also where somebody else put a file there in the meantime.
    """
    path = state.settings.write_examples
    if path is None:
        return ""
    report = state.report.report()
    tools = without_baseline(state.session.evidence().values())
    if not tools:
        return report.say("report.examples.none")
    with path.open("x", encoding="utf-8") as file:
        file.write(examples_text(tools, report))
    return report.say("report.examples.written", path=visible(str(path), None), count=len(tools))
