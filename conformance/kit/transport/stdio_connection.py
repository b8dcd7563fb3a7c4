"""The connection to a started server: one JSON message per line of stdout, nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from conformance.formats.text import rpc
from conformance.formats.text.json_text import told_in
from conformance.kit.model.exchange import SHORT, Answer, Request, Trouble, weight
from conformance.kit.model.fault import fault_in
from conformance.kit.model.written import Redact, unchanged
from conformance.kit.transport.binding import BODY_CAP, VALUES_CAP, Process, Received, cap_of
from conformance.kit.transport.listening import Listening
from conformance.kit.transport.sandbox import end_all, launched, let_go, pipes_of

_NOISE_LINES = 50
_NOISE_READ, _NOISE_KEPT = 16_000, 2_000
"""The most bytes that are read of a line without a message, and characters that are kept of it."""
_MOST_NOISE = 10_000
"""The most lines without a message. After that, the process is not read any more."""
_OTHERS_CAP = 32 * 1024 * 1024
"""The most bytes of memory for messages that answer no call, between two answers."""
_UNREAD_REPLIES = 1024 * 1024
"""The most bytes that may wait for a process to read them. Above that, its own requests get no
answer.
"""
_STDERR_KEPT = 16 * 1024
"""The most characters of stderr that are kept. Twice as many are read and redacted first: a secret
that the cut parts could not be found.
"""
_COLORS = re.compile(r"\x1b\[[\d;]*m")
EXIT_GRACE = 3.0
"""Seconds that a server has to end after its input ended; more if its start took longer."""
_MOST_GRACE = 10.0
"""The most seconds for a server whose start took longer."""
_HANGING_GRACE = 0.2
"""Seconds for a server that hangs, which means that it does not read its input."""
ASTRAY = 2.0
"""The most seconds to wait on after an answer with a wrong id, if no answer had a right one yet."""
_LAST_WORDS = 1.0
"""Seconds to wait for a process's exit code and errors after its output ended."""


class StdioConnection:
    """A connection to one process. Await `start` before other methods.

    The first answer may take `start_limit` seconds, if that is longer than `timeout`. `redact`
    takes the secrets out of its errors and its noise.
    """

    def __init__(
        self,
        command: list[str],
        *,
        timeout: float,
        environment: Mapping[str, str],
        start_limit: float = 0.0,
        sandbox: bool = False,
        redact: Redact = unchanged,
    ) -> None:
        self._command = command
        self._sandbox = sandbox
        self._redact = redact
        self._timeout = timeout
        self._first_timeout = max(timeout, start_limit)
        self._listening = Listening()
        self._heard = self._knows_ids = False
        self._began = 0.0
        self._started_in = 0.0
        self._environment = dict(environment)
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: dict[int | str, asyncio.Future[Any]] = {}
        self._anyone: asyncio.Future[Any] | None = None
        self._others: list[Any] = []
        self._others_size = self._noisy = 0
        self._given_up: set[int | str] = set()
        self._astray = asyncio.Event()
        self._late: list[Any] = []
        self._noise: list[str] = []
        self._stderr = bytearray()
        self._too_large = self._by_force = False
        self._tasks: list[asyncio.Task[None]] = []
        self._ended = asyncio.Event()

    async def start(self) -> None:
        """Start the process. Raises `OSError` or `ValueError` if the command cannot be run."""
        words = launched(self._command, self._environment, sandbox=self._sandbox)
        self._began = time.perf_counter()
        starting = asyncio.create_task(
            asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=self._environment,
                start_new_session=True,
            )
        )
        try:
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:  # if the start were cancelled, asyncio would wait for ever
            await asyncio.wait({starting})
            if not starting.cancelled() and starting.exception() is None:
                await self._kill(starting.result())
            raise
        self._listening.pid = self._process.pid
        self._tasks = [
            asyncio.create_task(self._read_messages()),
            asyncio.create_task(self._read_errors()),
        ]
        self._tasks[0].add_done_callback(lambda _: self._ended.set())

    @property
    def is_open(self) -> bool:
        """Whether the process runs, and its output has not ended."""
        return self._exit_code is None and not self._ended.is_set()

    @property
    def process(self) -> Process:
        """The process's exit code, the end of its standard error, and where it listens instead."""
        said = self._redact(_COLORS.sub("", self._stderr.decode("utf-8", "replace")))
        instead = self._listening.instead if self._exit_code is None else ""
        return Process(self._exit_code, said[-_STDERR_KEPT:], self._redact(instead))

    @property
    def _exit_code(self) -> int | None:
        return self._process.returncode if self._process else None

    async def send(self, request: Request) -> Received:
        """Write one line. Wait for the message with its id, or `settle` seconds if it has none."""
        clock = time.perf_counter()
        process = self._process
        if process is None or process.stdin is None or self._ended.is_set():
            return Received(None, Trouble.CLOSED, 0.0, self.process.last_words)
        future = self._expect(request)
        try:
            process.stdin.write(request.body + b"\n")
            async with asyncio.timeout(self._timeout):
                await process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            self._forget(request)
            await self._hear_last_words()
            return Received(
                None, Trouble.CLOSED, time.perf_counter() - clock, self.process.last_words
            )
        except TimeoutError:
            self._forget(request)
            return Received(None, Trouble.TIMEOUT, time.perf_counter() - clock)
        return await self._collect(future, request, clock)

    async def _collect(
        self, future: asyncio.Future[Any] | None, request: Request, clock: float
    ) -> Received:
        trouble = await self._wait(future, request)
        self._forget(request)
        if fault := fault_in(self._tasks):
            raise fault
        if trouble is Trouble.TIMEOUT and request.answer_to is not None:
            self._given_up.add(request.answer_to)
        if trouble is Trouble.CLOSED:
            await self._hear_last_words()
        elapsed = time.perf_counter() - clock
        answered = future is not None and future.done()
        own, body = future.result() if future is not None and answered else (None, b"")
        messages = tuple(self._others)
        if own is not None and (messages or len(body) <= SHORT):
            messages = (*messages, own)
        self._others.clear()
        self._others_size = 0
        noise, late = tuple(self._noise), tuple(self._late)
        self._noise.clear()
        self._late.clear()
        if trouble is not None and not (messages or noise or late):
            return Received(None, trouble, elapsed, self.process.last_words)
        answer = Answer(body=body, messages=messages, noise=noise, late=late)
        said = self.process.last_words if trouble is Trouble.CLOSED else ""
        return Received(answer, trouble, elapsed, said)

    async def close(self, *, hangs: bool = False) -> Received:
        """End the input, and wait for the process to end. Kill it after a grace period."""
        clock = time.perf_counter()
        process = self._process
        if process is None:
            return Received(None, None, 0.0)
        if process.stdin is not None:
            process.stdin.close()
        trouble: Trouble | None = None
        try:
            try:
                async with asyncio.timeout(_HANGING_GRACE if hangs else self._grace):
                    await process.wait()
            except TimeoutError:
                trouble = Trouble.TIMEOUT
                self._by_force = True
            elapsed = time.perf_counter() - clock
            await self._end_group(process)
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            if fault := fault_in(self._tasks):
                asyncio.get_running_loop().call_exception_handler({"exception": fault})
        except asyncio.CancelledError:  # the session's time is up: wait for nothing
            await self._kill(process)
            raise
        finally:
            pipes_of(process).close()  # pipes that were not read to the end stay open
        await asyncio.sleep(0)
        code = process.returncode if process.returncode is not None else -1
        own = tuple(self._noise), tuple(self._others), tuple(self._late)
        answer = Answer(status=code, noise=own[0], messages=own[1], late=own[2])
        return Received(answer, trouble, elapsed)

    @property
    def _grace(self) -> float:
        own = max(EXIT_GRACE, min(self._started_in, _MOST_GRACE))
        return _HANGING_GRACE if self._listening.instead else own

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        """Kill the process and whatever it started, and stop reading from it.

        Wait for its end. Otherwise asyncio complains of an end that comes after the loop is closed,
        or that `close` of its transport notices first.
        """
        with suppress(ProcessLookupError, PermissionError):
            end_all(process.pid)
        let_go(process)
        await asyncio.wait({asyncio.ensure_future(process.wait())}, timeout=_LAST_WORDS)
        pipes_of(process).close()

    async def _end_group(self, process: asyncio.subprocess.Process) -> None:
        """End the process and all processes that it started."""
        for end in (_ask_to_end, end_all):
            try:
                end(process.pid)
            except (ProcessLookupError, PermissionError):
                break
            try:
                async with asyncio.timeout(1.0):
                    await process.wait()
            except TimeoutError:
                continue
        let_go(process)  # else its end would not count while another process has its output
        await process.wait()

    def _expect(self, request: Request) -> asyncio.Future[Any] | None:
        if request.any_answer:
            self._anyone = asyncio.get_running_loop().create_future()
            return self._anyone
        if request.answer_to is None:
            return None
        future = asyncio.get_running_loop().create_future()
        self._astray.clear()
        self._waiting[request.answer_to] = future
        return future

    def _forget(self, request: Request) -> None:
        if request.any_answer:
            self._anyone = None
        if request.answer_to is not None:
            self._waiting.pop(request.answer_to, None)

    async def _wait(self, future: asyncio.Future[Any] | None, request: Request) -> Trouble | None:
        ended = asyncio.ensure_future(self._ended.wait())
        waits: set[asyncio.Future[Any]] = {ended} if future is None else {ended, future}
        settling = future is None or request.any_answer
        limit = request.settle if settling else self._timeout
        is_first = not settling and not self._heard
        if is_first:
            limit = self._first_timeout
        astray = asyncio.ensure_future(self._astray.wait())
        try:
            for more in (limit, min(limit, ASTRAY)):
                heard = waits if astray.done() else {*waits, astray}
                if is_first:
                    await self._listening.first(heard, more, self._timeout)
                else:
                    await asyncio.wait(heard, timeout=more, return_when=asyncio.FIRST_COMPLETED)
                if not astray.done() or settling:
                    break
        finally:
            astray.cancel()
            ended.cancel()
        answered = future is not None and future.done()
        if answered and not settling and not self._heard:
            self._started_in = time.perf_counter() - self._began
        self._heard = self._heard or not settling
        if answered:
            return None
        if self._ended.is_set():
            return Trouble.TOO_LARGE if self._too_large else Trouble.CLOSED
        return None if settling else Trouble.TIMEOUT

    async def _hear_last_words(self) -> None:
        """Wait a moment for the end and the errors of a process that has closed its output."""
        assert self._process is not None
        gone = asyncio.ensure_future(self._process.wait())
        try:
            await asyncio.wait({gone, self._tasks[1]}, timeout=_LAST_WORDS)
        finally:
            gone.cancel()

    async def _read_messages(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        stream, rest = self._process.stdout, bytearray()
        while chunk := await stream.read(65536):
            rest += chunk
            while (end := rest.find(b"\n")) >= 0:
                line = bytes(rest[:end])
                del rest[: end + 1]
                self._take(line)
            if self._too_large or len(rest) > BODY_CAP or self._noisy > _MOST_NOISE:
                self._too_large = True
                break
        if rest and not self._by_force:
            self._take(bytes(rest))

    def _take(self, line: bytes) -> None:
        size = weight(line)
        self._too_large |= size > VALUES_CAP or len(line) > cap_of(line)
        if self._too_large or not line.strip():
            return
        try:
            message = told_in(line.decode("utf-8"))
        except (UnicodeDecodeError, ValueError, RecursionError):
            message = None
        if not isinstance(message, (dict, list)):
            self._noisy += 1
            if len(self._noise) < _NOISE_LINES:
                said = self._redact(line[:_NOISE_READ].decode("utf-8", "replace"))
                self._noise.append(said[:_NOISE_KEPT])
                self._listening.notice(said)
            return
        self._listening.spoke = True
        self._deliver(message, size, line.strip())

    def _deliver(self, message: dict[str, Any] | list[Any], size: int, line: bytes) -> None:
        if isinstance(message, dict):
            if "method" in message:
                if "id" in message:
                    self._reply(message)
                self._keep(message, size, self._others)
                return
            own = message.get("id")
            future = self._waiting.get(own) if isinstance(own, (int, str)) else None
            if future is not None and not future.done() and not isinstance(own, bool):
                future.set_result((message, line))
                self._knows_ids = True
                return
            if isinstance(own, (int, str)) and not self._knows_ids and len(self._waiting) == 1:
                self._astray.set()  # it can be only an answer to this one, with a wrong id
            if isinstance(own, (int, str)) and own in self._given_up:
                self._keep(message, size, self._late)
                return
        if self._anyone is not None and not self._anyone.done():
            self._anyone.set_result((message, line))
        else:
            self._keep(message, size, self._others)

    def _keep(self, message: Any, size: int, kept: list[Any]) -> None:
        """Keep a message that answers no call, if the limits for number and bytes allow it."""
        if len(kept) < _NOISE_LINES and self._others_size + size <= _OTHERS_CAP:
            kept.append(message)
            self._others_size += size

    def _reply(self, message: dict[str, Any]) -> None:
        """Answer a request of the server. The kit offers it nothing but ping."""
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": rpc.METHOD_NOT_FOUND, "message": "Method not found"}
        written = json.dumps(reply).encode() + b"\n"
        stdin = self._process.stdin if self._process is not None else None
        if stdin is not None:
            waiting = stdin.transport.get_write_buffer_size()
            if waiting + len(written) <= _UNREAD_REPLIES:
                stdin.write(written)

    async def _read_errors(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        while chunk := await self._process.stderr.read(4096):
            self._stderr += chunk
            del self._stderr[: -2 * _STDERR_KEPT]
            if not self._heard:
                self._listening.notice(self._stderr.decode("utf-8", "replace"))


def _ask_to_end(pid: int) -> None:
    """Send SIGTERM to a process and to its group."""
    os.killpg(pid, signal.SIGTERM)
