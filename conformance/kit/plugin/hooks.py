"""The pytest plugin: options, discovery at collection, driving before the first item, reports."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.kit.config.secrets import Redactor
from conformance.kit.config.settings import OptionUnusable, need_target
from conformance.kit.config.system_words import in_one_line
from conformance.kit.drive.interrupts import interrupted_by_signals, is_interrupted
from conformance.kit.model.slug import keep_out
from conformance.kit.plugin.finishing import finish, tell_in_results
from conformance.kit.plugin.guard import Guard, is_ours
from conformance.kit.plugin.html_report import ReportState
from conformance.kit.plugin.items import MOST_ITEMS, ClauseItem, grouped, item_name
from conformance.kit.plugin.options import fill_in, given_to, register
from conformance.kit.plugin.quiet import QuietItems, detail, introduce
from conformance.kit.plugin.report_place import (
    FolderUnusable,
    begin,
    leave,
    leave_no_part,
    put_in_place,
    stage,
    take_earlier,
    write_nothing,
)
from conformance.kit.plugin.selection import report_folder
from conformance.kit.plugin.session_steps import (
    discover,
    interrupted_early,
    judge_all,
    load_scripts,
    nothing_asked,
    print_plan,
)
from conformance.kit.plugin.state import STATE, PluginState, memory_of
from conformance.kit.report.clause_listing import NoSuchClauseError, clause_of, explained
from conformance.kit.report.exit import Exit
from conformance.kit.report.safe_text import A_MISTAKE, visible
from conformance.kit.session import Session
from conformance.kit.transport.cookies import learned_by
from conformance.kit.transport.memory_limit import memory_is_full, set_limit
from conformance.kit.verdicts.checks import ClauseTest, clause_tests
from conformance.spec.clauses import clauses
from conformance.spec.messages import message

__all__ = [
    "pytest_addoption",
    "pytest_cmdline_main",
    "pytest_configure",
    "pytest_deselected",
    "pytest_pycollect_makeitem",
    "pytest_runtestloop",
    "pytest_sessionfinish",
    "pytest_sessionstart",
    "pytest_terminal_summary",
    "pytest_leave_no_half_report",
    "pytest_say_what_was_removed",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the kit's options."""
    register(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Answer `--explain` and end; undo `-n`, `-d` and `--tx` before xdist sees them."""
    fill_in(config)
    asked = config.getoption("--explain")
    if asked is not None:
        language = config.getoption("--language")
        try:
            clause = clause_of(asked, language)
        except NoSuchClauseError as error:
            raise pytest.UsageError(error.words.words(language)) from None
        sys.stdout.write(explained(clause, language) + "\n")
        return Exit.CONFORMANT
    if any(getattr(config.option, each, None) for each in ("numprocesses", "distload", "tx")):
        config.option.numprocesses = None
        config.option.distload = False
        config.option.dist = "no"
        config.option.tx = []
        sys.stdout.write(message("kit.one_process").words(config.getoption("--language")) + "\n")
    return None


@pytest.hookimpl(wrapper=True, specname="pytest_cmdline_main")
def pytest_say_what_was_removed(config: pytest.Config) -> Generator[None, Any, Any]:
    """If no new report follows, say in a separate line what happened to the earlier one.

    A fault of the kit that no other guard met ends the session with one sentence.
    """
    guard = Guard(config)
    config.pluginmanager.register(guard, "agent-formats-guard")
    try:
        code = yield
    except pytest.UsageError as error:
        *others, last = error.args or ("",)
        raise pytest.UsageError(*others, "\n".join((last, *_removed(config)))) from None
    except Exception as error:
        if not is_ours(error):
            raise
        code = Exit.KIT_FAULT
        sys.stderr.write(f"{guard.words(error)}\n")
    sys.stderr.writelines(f"{line}\n" for line in _removed(config))
    return code


def _removed(config: pytest.Config) -> tuple[str, ...]:
    """Return what to say about an earlier report that no new one replaces."""
    state = config.stash.get(STATE, None)
    if state is None or state.result is not None or not state.begun:
        return ()
    stays = leave(state)
    if not state.removed and not stays:
        return ()
    told = "kit.report_removed" if state.removed else "kit.report_outdated"
    said = message(told, folder=state.settings.report)
    return (visible(state.redact(said.words(state.settings.language)), None),)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and set where the reports of pytest and pytest-html go."""
    config.addinivalue_line("markers", "clause(id): the clause that a test checks")
    for requirement in ("must", "should", "may"):
        config.addinivalue_line("markers", f"{requirement}: the clause's requirement")
    if config.option.help or config.option.version:
        return
    given = given_to(config)
    settings = replace(given.settings, report=report_folder(config))
    redact = Redactor(settings.secrets)
    redact.notice([call for calls in settings.examples.values() for call in calls])
    keep_out(redact)
    learned_by(redact.learn)
    report = ReportState(
        settings.language,
        redact=redact,
        fail_on_should=settings.fail_on_should,
        fail_on_superseded=settings.fail_on_superseded,
        options=tuple(redact(word) for word in given.words),
        headers=tuple((name, redact(value)) for name, value in settings.headers),
        variables=tuple(map(redact, settings.environment.values())),
        passed=tuple(settings.environment),
        sandbox=settings.sandbox,
    )
    config.stash[STATE] = PluginState(settings, Session(settings), redact, report)
    if given.told is not None:
        config.stash[STATE].said_of_settings = given.told.words(settings.language)
    config.option.reportchars = ""
    config.pluginmanager.register(QuietItems(), "agent-formats-quiet")
    if _only_asks(config):
        return
    try:
        need_target(settings, config.rootpath)
    except OptionUnusable as unusable:
        raise pytest.UsageError(visible(str(unusable), A_MISTAKE, lines=True)) from None
    set_limit()  # `check` has it; pytest alone has not
    if config.option.collectonly or settings.plan_only:
        return
    try:
        begin(config, config.stash[STATE])
        config.stash[STATE].begun = True
    except FolderUnusable as unusable:
        said = visible(redact(unusable.words.words(settings.language)), A_MISTAKE)
        raise pytest.UsageError(said) from None


@pytest.hookimpl(wrapper=True)
def pytest_sessionstart(session: pytest.Session) -> Generator[None]:
    """Discover the targets before pytest prints anything. No tool is called.

    If a target cannot be checked, the session ends here, and prints one sentence only.
    """
    config = session.config
    state = config.stash[STATE]
    if not _only_asks(config):
        config.add_cleanup(interrupted_by_signals())
        discover(config, state)
        with state.session.faults.noting("kit.session_failed"):
            state.session.memory = memory_of(config, state.redact)
            config.option.no_header = detail(config) <= 0
    result = yield
    with state.session.faults.noting("kit.session_failed"):
        introduce(config, state)
    state.started = True
    return result


def _only_asks(config: pytest.Config) -> bool:
    """Return whether the command line asks for something that pytest answers without any item."""
    asked = ("showfixtures", "show_fixtures_per_test", "markers", "cacheshow")
    return any(getattr(config.option, each, None) for each in asked)


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Item] | None:
    """Make one item from a judge for each of its clauses, and each run and tool."""
    state = collector.config.stash[STATE]
    with state.session.faults.noting("kit.session_failed"):
        tests = clause_tests(obj)
        return _items(state, collector, tests, name, obj) if tests else None
    return []


def _items(
    state: PluginState,
    collector: pytest.Module | pytest.Class,
    tests: Iterable[ClauseTest],
    name: str,
    obj: object,
) -> list[pytest.Item]:
    load_scripts(state, collector)
    asked = state.session.questions([(test, clauses()[test.clause]) for test in tests])
    state.collected += len(asked)
    line = obj.__code__.co_firstlineno if hasattr(obj, "__code__") else 0
    # The id is passed as text, so that it equals the one in the cache of `--lf`.
    groups = grouped(asked, fold=state.session.pairs > MOST_ITEMS)
    named = [(item_name(name, questions), questions) for questions in groups]
    return [
        ClauseItem.from_parent(
            collector,
            name=own,
            nodeid=f"{collector.nodeid}::{own}",
            questions=questions,
            line=line,
            settings=state.settings,
            current=not state.session.runs.by_id[questions[0].run][0].superseded,
            redact=state.redact,
        )
        for own, questions in named
    ]


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Remember that some clauses or tools are left out: a level needs all of them."""
    for item in items:
        if isinstance(item, ClauseItem):
            item.config.stash[STATE].deselected = True
            return


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, Any, Any]:
    """Drive, judge and confirm; then let the items report."""
    config = session.config
    state = config.stash[STATE]
    if state.settings.plan_only:
        print_plan(state)
        session.items.clear()
    elif not config.option.collectonly:
        config.option.tbstyle = "no"  # the kit's summary has one line for each failure
        state.said_at_exit = nothing_asked(session, state)
        if is_interrupted():
            write_nothing(config, state)
            interrupted_early(config, state)
        if not state.said_at_exit:
            _take_earlier(config, state)
            _judge(session, state)
        elif not session.items and not session.testsfailed:
            write_nothing(config, state)
    return (yield)


def _judge(session: pytest.Session, state: PluginState) -> None:
    """Judge everything. If the disk fails or memory is full, end the session with one sentence.

    After a fault of the kit in what all verdicts need, the report only says so.
    """
    try:
        with state.session.faults.noting("kit.session_failed"):
            judge_all(session, state)
        if state.result is None:
            session.items.clear()
        return
    except OSError as error:
        write_nothing(session.config, state)
        pytest.exit(_not_written(state, error), Exit.KIT_FAULT)
    except MemoryError:
        pass  # what filled the memory is let go with the exception
    write_nothing(session.config, state)
    pytest.exit(memory_is_full().words(state.settings.language), Exit.UNUSABLE)


def _not_written(state: PluginState, error: OSError) -> str:
    path = error.filename or state.settings.report
    said = message("kit.exit.not_written", path=path, reason=in_one_line(error))
    return visible(state.redact(said.words(state.settings.language)), None)


@pytest.hookimpl(wrapper=True, trylast=True, specname="pytest_sessionfinish")
def pytest_leave_no_half_report(session: pytest.Session) -> Generator[None]:
    """Report in one sentence that the disk failed, or that a fault of the kit cost a part of the
    report.

    This covers the files that pytest writes too.
    """
    state = session.config.stash.get(STATE, None)
    crashed = session.exitstatus == pytest.ExitCode.INTERNAL_ERROR
    try:
        yield
        if state is not None and state.report.failed.noted:
            session.exitstatus = Exit.KIT_FAULT
            told = state.report.failed.words(state.settings.language)
            state.say_at_exit(*told)
        if state is not None and crashed:
            leave_no_part(state)  # pytest has written its traceback into them
        elif state is not None:
            tell_in_results(state)
            put_in_place(session.config, state)
    except OSError as error:
        if state is None:
            raise
        leave_no_part(state)
        session.exitstatus = Exit.KIT_FAULT
        state.said_at_exit = _not_written(state, error)
        state.result = None
    except MemoryError:
        if state is None:
            raise
        leave_no_part(state)
        session.exitstatus = Exit.UNUSABLE
        state.said_at_exit = memory_is_full().words(state.settings.language)
        state.result = None
    except BaseException:  # for example an interrupt while the report is written
        if state is not None:
            leave_no_part(state)
        raise


def _take_earlier(config: pytest.Config, state: PluginState) -> None:
    try:
        take_earlier(config, state)
    except FolderUnusable as unusable:
        said = visible(state.redact(unusable.words.words(state.settings.language)), None)
        raise pytest.UsageError(said) from None


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the files, and set the exit code."""
    state = session.config.stash.get(STATE, None)
    if state is None:
        return
    staged = stage(session.config, state)
    if session.exitstatus == pytest.ExitCode.INTERNAL_ERROR:
        return
    finish(session, state, staged)


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print a few lines: what failed, which level was reached, and where the report is."""
    state = config.stash.get(STATE, None)
    if state is None:
        return
    if state.result is not None:
        terminalreporter.write_sep(
            "=", message("report.terminal.title").words(state.report.language)
        )
        for line in state.summary:
            terminalreporter.write_line(line.text, **dict.fromkeys(line.markup, True))
    if state.said_of_examples:
        terminalreporter.write_line(state.said_of_examples)
    if state.said_at_exit:
        terminalreporter.write_line(state.said_at_exit, red=True)
