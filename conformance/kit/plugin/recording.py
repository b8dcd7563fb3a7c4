"""The record of a session: written while it runs, or read in place of a target."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from conformance.kit.config.system_words import in_one_line
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import Item
from conformance.kit.plugin.state import PluginState
from conformance.kit.record.exchanges import (
    ExchangesError,
    ExchangeWriter,
    read_exchanges,
)
from conformance.kit.record.index import Unreadable
from conformance.kit.report.progress import (
    Progress,
    begins_line,
    confirms_line,
    ends_line,
    first_line,
    first_tool,
)
from conformance.kit.report.reporter import NAMED_AGAIN
from conformance.kit.report.safe_text import visible
from conformance.kit.report.write import EXCHANGES, no_file
from conformance.kit.verdicts.judge import Question
from conformance.spec.messages import Message, message

_UNRECORDED = no_file(EXCHANGES)
_SELDOM = (20_000, 20, 20)
"""Thresholds of the garbage collector. docs/adr/011-garbage.md says why."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Inside the block, collect garbage rarely, and never look at older objects."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def driven(
    state: PluginState, asked: list[Question], say: Callable[[str], None] = lambda _: None
) -> dict[int, Item]:
    """Drive and judge, and record everything that `--judge` needs.

    `say` gets a line about the first tool. If no progress can be shown, it also gets one when a run
    begins and when it ends.
    """
    session = state.session
    writers: list[ExchangeWriter] = []
    with ExitStack() as files, collecting_seldom():

        def record() -> None:
            with state.report.failed.noting(_UNRECORDED):
                writers.append(_writer(state))
                files.callback(_closed, state, writers[-1])
                state.report.exchange = writers[-1].read

        session.progress.starts = record
        finish: Callable[[], None] = _nothing
        with session.faults.noting("kit.session_failed"):
            finish = _show(state, asked, say)
        session.drive()
        finish()
        judged = session.judge(asked)
        for writer in writers:  # none if an interrupt came before the first run
            with state.report.failed.noting(_UNRECORDED):
                writer.last = session.last_line()
    return judged


def _nothing() -> None:
    """Do nothing: no progress is shown."""


def _show(
    state: PluginState, asked: list[Question], say: Callable[[str], None]
) -> Callable[[], None]:
    """Let the session show its progress. A fault of the kit in this costs nothing else.

    Returns what to call when driving is over.
    """
    session, language = state.session, state.settings.language
    progress, shown = session.progress, Progress(sys.__stderr__ or sys.stderr, language)

    def its_own(tell: Callable[..., None]) -> Callable[..., None]:
        def told(*values: Any) -> None:
            with session.faults.noting("kit.session_failed"):
                tell(*values)

        return told

    async def first(run: str, tool: str) -> None:
        with session.faults.noting("kit.session_failed"):
            seen = await first_tool(asked, session.evidence()[run], tool)
            if seen is not None:
                shown.finish()
                say(visible(state.redact(first_line(seen, language)), 400))

    if not shown.active:
        progress.begins = its_own(lambda run: say(begins_line(run, language)))
        progress.ends = its_own(lambda driven: say(ends_line(driven, language)))
    progress.first = first
    progress.confirms = its_own(lambda count: say(confirms_line(count, language)))
    progress.tell = its_own(lambda: shown.update(progress.done, progress.planned))
    return its_own(shown.finish)


def _closed(state: PluginState, writer: ExchangeWriter) -> None:
    with state.report.failed.noting(_UNRECORDED):
        writer.close()


def _writer(state: PluginState) -> ExchangeWriter:
    """Open the file of exchanges, and write those of discovery."""
    recorder = state.session.recorder
    writer = ExchangeWriter(
        state.settings.report / EXCHANGES,
        kit=state.session.kit,
        started=state.session.started,
        redact=state.redact,
        more={**state.session.first_line(), "options": state.report.options},
    )

    def write(exchange: Exchange) -> None:
        with state.report.failed.noting(_UNRECORDED):
            writer.write(exchange)

    def notice(exchange: Exchange) -> None:
        if exchange.case is not None:
            state.redact.notice(exchange.case.arguments)

    for exchange in recorder.by_id.held:
        write(exchange)
    recorder.listeners += (notice, write)
    return writer


def recall(state: PluginState, path: Path) -> None:
    """Read a recorded session in place of a target."""
    language = state.settings.language
    try:
        recording = read_exchanges(path)
        state.session.recall(recording)
    except OSError as error:
        said = in_one_line(error)
        reason = said.words(language) if isinstance(said, Message) else said
    except ExchangesError as error:
        reason = error.reason.words(language)
    except Unreadable as error:
        reason = message("kit.judge.lacks", what=error).words(language)
    else:
        state.settings = state.session.settings
        # A stranger may have written the record: print none of its words as a command to run.
        state.report.options = ("--target", NAMED_AGAIN)
        state.report.recorded = True
        state.report.exchange = state.session.recorder.by_id.get
        if not recording.complete:
            said = message("kit.judge.cut", file=path.name).words(language)
            state.said_first = visible(said)
        return
    said = message("kit.judge.unreadable", file=path, reason=reason.rstrip(".")).words(language)
    raise pytest.UsageError(visible(said, None))
