"""Sessions of the kit as a user starts them, many at the price of one import.

A process loads the kit once and forks for every session. Run as a module it is that process:
a request is a JSON line on its input, and so are the process id and the exit code that it answers.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.root import ROOT
from tests.waiting import until

LIMIT = 240
"""Seconds that a session may take on a slow machine: longer is a hang."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A session that is over: its exit code, and what it wrote."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def said(self) -> str:
        """All that the terminal showed."""
        return self.out + self.err


class Sessions:
    """Starts sessions of `pytest conformance` by a process that has the kit loaded."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(
        self,
        *args: str,
        cwd: Path = ROOT,
        env: Mapping[str, str] | None = None,
        interrupt_when: str | None = None,
        by: signal.Signals = signal.SIGINT,
    ) -> Ran:
        """Run pytest with `args`; `env` is added to the environment.

        With `interrupt_when`, a signal is sent as soon as the file of that name exists and holds
        something.
        """
        assert self._process.stdin is not None
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            asked = {"args": args, "cwd": str(cwd), "env": dict(env or {}), "out": str(out)}
            began = time.monotonic()
            self._process.stdin.write(json.dumps({**asked, "err": str(err)}) + "\n")
            self._process.stdin.flush()
            pid = self._answer()["pid"]
            if interrupt_when is not None:
                _wait_for(Path(interrupt_when))
                os.kill(pid, by)
            code = self._answer()["code"]
            told, complained = (path.read_text("utf-8", "replace") for path in (out, err))
        return Ran(code, told, complained, time.monotonic() - began)

    def _answer(self) -> dict[str, int]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process that starts sessions has ended"
        return json.loads(line)


def _wait_for(path: Path) -> None:
    came = until(lambda: path.exists() and path.stat().st_size, within=LIMIT)
    assert came, f"{path} did not come"


@contextmanager
def starting() -> Iterator[Sessions]:
    """A process that starts sessions; gone at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.kit.sessions"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        yield Sessions(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


WARM = (
    "conformance.ardf.scripts",
    "conformance.atdf.scripts",
    "conformance.http.scripts",
    "conformance.kit.plugin.hooks",
    "conformance.mcp.scripts",
    "conformance.runtime.scripts",
    "anyio._backends._asyncio",
    "execnet",
    "httpcore2",
    "h11",
    "hypothesis",
    "jinja2.environment",
    "mcp_types.methods",
    "playwright.sync_api",
)
"""What every session needs, or a plugin that it loads; the plugins themselves pytest rewrites."""


def _serve() -> None:
    for name in WARM:
        importlib.import_module(name)
    gc.freeze()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _session(asked)
        print(json.dumps({"pid": pid}), flush=True)
        signal.signal(signal.SIGALRM, lambda *_, pid=pid: os.kill(pid, signal.SIGKILL))
        signal.alarm(LIMIT)
        _, status = os.waitpid(pid, 0)
        signal.alarm(0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status)}), flush=True)


def _session(asked: dict) -> None:
    import pytest

    for fd, name in ((1, asked["out"]), (2, asked["err"])):
        file = os.open(name, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, fd)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(asked["cwd"])
    os.environ.update(asked["env"])
    code = 70
    try:
        # What was loaded before pytest could rewrite it is a matter of this process alone, and no
        # session is to begin with what another one remembers, unless a test says so.
        own = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        own += ["-o", f"cache_dir={Path(asked['out']).parent / 'cache'}"]
        code = int(pytest.main([*own, *asked["args"]]))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
