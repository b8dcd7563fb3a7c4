"""Turns: the tools of a run, each with its baseline call and its most telling cases first.

So each tool has shown something when the time is up, however long the others take.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Final, Protocol

from conformance.kit.drive.channel import ConnectFailed
from conformance.kit.drive.pacing import together
from conformance.kit.drive.tool_driver import TELLING, ToolRun
from conformance.kit.model.fault import Fault, catching

FIRST_TOOL_AHEAD: Final = 2.0
"""Seconds for which the first tool of a session goes alone, so that something can be shown soon."""
MOST_IN_TURNS: Final = 200
"""The most tools whose most telling calls are all kept in memory. If there are more, each is
finished in one turn.
"""

_TOOLS_AT_ONCE = 4

Step = Callable[[ToolRun], Awaitable[None]]


class Keep(Protocol):
    """Keeps the evidence of a tool: whether it is done, and the fault of the kit that ended it."""

    def __call__(self, run: ToolRun, done: bool, fault: Fault | None = None, /) -> None:
        """Keep the evidence of a tool."""


class Turns:
    """Takes tools through their steps, some in parallel.

    Tools that say that they change nothing come first. Each makes its baseline call and repeats it,
    while no call changes anything. A tool that refused it gets it once more after the others: these
    may have made what it needs, or returned the id of what exists.

    `keep` gets each tool that has something new. `between` runs after the baseline calls. `first`
    is called when the first tool has shown something. A fault of the kit costs only one tool.
    """

    def __init__(
        self,
        runs: Sequence[ToolRun],
        keep: Keep,
        between: Callable[[], Awaitable[None]],
        first: Step | None = None,
    ) -> None:
        quiet = [run for run in runs if run.promises]
        self._quiet = frozenset(quiet)
        self._runs = (*quiet, *(run for run in runs if run not in self._quiet))
        self._soon = frozenset(self._runs[:_TOOLS_AT_ONCE])
        """The tools planned before their turn: only a few, as a plan may take megabytes."""
        self._keep = keep
        self._between = between
        self._first = first
        self._at_once = asyncio.Semaphore(_TOOLS_AT_ONCE)
        self._open = dict.fromkeys(self._runs)
        """The tools that are not done, in order."""

    async def take(self, ends: float) -> None:
        """Take all steps. After `ends`, a tool without a baseline call waits for its next turn.

        If this is cut short, what was gathered is kept.
        """
        over = asyncio.Event()
        started = asyncio.Event()
        try:
            if self._first is None or not self._runs:
                over.set()
                await self._steps(ends, over)
                return
            waited = asyncio.get_running_loop().call_later(FIRST_TOOL_AHEAD, started.set)

            async def alone() -> None:
                try:
                    await self._guarded(self._runs[0], partial(self._ahead, late=started))
                finally:
                    waited.cancel()
                    started.set()
                    over.set()

            async def others() -> None:
                await started.wait()
                await self._steps(ends, over)

            await together((alone(), others()))
        finally:
            self._keep_begun()
            for run in self._open:
                run.drop_plan()

    async def _ahead(self, run: ToolRun, late: asyncio.Event) -> None:
        """Let one tool go before the others, if it is quick and its baseline call is accepted."""
        await run.begin()
        if run.accepts is not False and run.took * TELLING <= FIRST_TOOL_AHEAD:
            await run.tell()
            if run.is_heavy or not late.is_set():
                await self._finish(run)
            await self._show(run)

    async def _steps(self, ends: float, over: asyncio.Event) -> None:
        async def begin(run: ToolRun) -> None:
            if time.monotonic() < ends:
                await run.begin()
                if run.is_heavy:
                    await self._whole(run)
                elif run in self._soon and run.accepts is not False:
                    run.plan()

        waiting = [run for run in self._runs if not run.is_begun]
        await self._each([run for run in waiting if run in self._quiet], begin)
        await self._each([run for run in waiting if run not in self._quiet], begin)
        await over.wait()  # `between` may need the connection for itself
        changed = any(run.accepts and not run.promises for run in self._runs)
        refused = [run for run in self._open if run.accepts is False]

        async def again(run: ToolRun) -> None:
            await run.begin_again(changed=changed)

        await self._each([run for run in refused if not run.promises], again)
        await self._each([run for run in refused if run.promises], again)
        self._keep_begun()
        await self._between()
        if len(self._runs) > MOST_IN_TURNS:
            await self._each(self._open, self._whole)
            return
        await self._each(self._open, self._tell)
        await self._each(self._open, self._finish)

    async def _each(self, runs: Iterable[ToolRun], step: Step) -> None:
        async def one(run: ToolRun) -> None:
            async with self._at_once:
                await self._guarded(run, step)

        await together([one(run) for run in runs])

    async def _guarded(self, run: ToolRun, step: Step) -> None:
        with catching(ConnectFailed) as caught:
            await step(run)
        if caught.fault is not None:
            self._done(run, caught.fault)

    async def _tell(self, run: ToolRun) -> None:
        if not run.is_told:
            await run.tell()
            await self._show(run)
            if run.is_heavy:
                await self._finish(run)

    async def _whole(self, run: ToolRun) -> None:
        await self._tell(run)
        if run in self._open:
            await self._finish(run)

    async def _finish(self, run: ToolRun) -> None:
        await run.finish()
        self._done(run)

    def _done(self, run: ToolRun, fault: Fault | None = None) -> None:
        self._open.pop(run, None)
        self._keep(run, True, fault)
        run.let_go()

    async def _show(self, run: ToolRun) -> None:
        if run in self._open:
            self._keep(run, False)
        if self._first is not None and run is self._runs[0]:
            first, self._first = self._first, None
            await first(run)

    def _keep_begun(self) -> None:
        for run in self._open:
            if run.is_begun:
                self._keep(run, False)
