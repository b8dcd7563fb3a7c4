"""Tests the kit against hostile servers and gateways: it must end in time, with little memory.

    python -m scripts.survive [--only NAME]... [--binding http|mcp|stdio|gateway]... [--jobs N]
                              [--keep] [--missing]

The kit checks each server of `fixtures/servers/hostile.py`, and each gateway of
`fixtures/gateways/hostile.py`, in a separate process, which gets a secret. The kit survives if it
ends with a verdict within its time and memory. It must not show a traceback or a command to a CI
system, leave a process, or write the secret anywhere. `--keep` saves the time and the memory of
each for the site, as soon as each has ended. `--missing` skips those that are already saved. Exit
codes: 0 if it survived all of them, 1 if it did not, 2 for an unusable command line.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import platform
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from uuid import uuid4

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.gateways import hostile as gateways
from fixtures.servers.hostility.catalogs import ANSI, MARKUP
from fixtures.servers.hostility.secrets import CANARY, VARIABLE, forms
from fixtures.servers.hostility.table import table
from fixtures.servers.start import command, listening
from scripts.measure import metered, survival
from scripts.measure.survival import Survived

ROOT = Path(__file__).resolve().parents[1]
HOSTILE = "fixtures.servers.hostile"
GATEWAY = "gateway"
BINDINGS = ("http", "mcp", "stdio", GATEWAY)
MOST_MEMORY = 500
"""The most megabytes that the kit may use."""
MAX_TIME = 40.0
MOST_WORK = 60.0
"""The most processor seconds that the kit may use; waiting does not count."""
_GRACE = 3.0
"""Seconds until all processes of a server must have ended."""
_COMMAND = re.compile(r"^\s*::|##(?:\[|vso\[|teamcity\[)", re.MULTILINE)
_VERDICTS = frozenset({0, 1, 2, 4, 5})


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="survive", description="Hold the kit against hostility.")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="just this one")
    parser.add_argument("--binding", action="append", default=[], choices=BINDINGS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="sessions at once")
    parser.add_argument("--keep", action="store_true", help="keep the figures for the site")
    parser.add_argument("--missing", action="store_true", help="only those without kept figures")
    chosen = parser.parse_args(arguments)
    names = {name for name, _ in every()}
    unknown = [name for name in chosen.only if name not in names]
    if unknown:
        sys.stderr.write(f"There is no hostile server {unknown[0]!r}: see `hostile --list`.\n")
        return 2
    known = survival.kept() if chosen.missing else frozenset()
    wanted = [
        (name, binding)
        for name, binding in every()
        if (not chosen.only or name in chosen.only)
        and (not chosen.binding or binding in chosen.binding)
        and (name, binding) not in known
    ]
    outcomes = survive(wanted, max(1, chosen.jobs), _keep if chosen.keep else None)
    return 1 if any(one.wrong for one in outcomes) else 0


def _keep(one: Survived) -> None:
    versions = {"Python": platform.python_version()}
    limits = {"megabytes": MOST_MEMORY, "seconds": MAX_TIME, "work": MOST_WORK}
    survival.save([one], every(), versions, limits)


def every() -> list[tuple[str, str]]:
    """Return every hostile server on each of its bindings, and every hostile gateway."""
    servers = [(name, binding) for name, bindings in table().items() for binding in bindings]
    return [*servers, *((name, GATEWAY) for name in gateways.HOSTILE)]


def survive(
    wanted: Sequence[tuple[str, str]], jobs: int, keep: Callable[[Survived], None] | None = None
) -> list[Survived]:
    """Check these servers, print a table, and return the results."""
    outcomes = []
    with ThreadPoolExecutor(jobs) as pool:
        for one in pool.map(lambda each: attempt(*each), wanted):
            outcomes.append(one)
            if keep is not None:
                keep(one)
            sys.stdout.write(
                f"{one.name:42}{one.binding:8}{one.seconds:6.1f} s ({one.work:4.1f} of work)"
                f"{one.megabytes:6.0f} MB  exit {one.code}  {one.wrong or 'survived'}\n"
            )
            sys.stdout.flush()
    lost = [one for one in outcomes if one.wrong]
    peak = max((one.megabytes for one in outcomes), default=0)
    longest = max((one.work for one in outcomes), default=0)
    sys.stdout.write(
        f"{len(outcomes) - len(lost)} of {len(outcomes)} hostile servers survived; "
        f"at most {peak:.0f} MB and {longest:.0f} s of work\n"
    )
    return outcomes


def attempt(
    name: str, binding: str, folder: Path | None = None, *, max_time: float = MAX_TIME
) -> Survived:
    """Check one hostile server in a separate process; `folder` gets the report."""
    began = time.monotonic()
    with (
        nullcontext(folder) if folder else tempfile.TemporaryDirectory() as place,
        _serving(name, binding, mark := uuid4().hex) as options,
    ):
        code, said, megabytes, work = _judged(options, Path(str(place)), max_time)
        found = [*_wrong(code, said, megabytes, work, Path(str(place))), *_left(mark)]
        found += _given_away(said, Path(str(place)))
        wrong = "; ".join(found)
    return Survived(name, binding, time.monotonic() - began, work, megabytes, code, wrong)


@contextmanager
def _serving(name: str, binding: str, mark: str) -> Iterator[list[str]]:
    """Run a server; yield the options with which the kit reaches it."""
    if binding == "stdio":
        own = command(HOSTILE, "--stdio", "--name", name, "--mark", mark)
        yield ["--target", "stdio:" + shlex.join(own)]
    elif binding == GATEWAY:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            place = f"127.0.0.1:{taken.getsockname()[1]}"
        own = ["--name", name, "--provider", f"http://{place}"]
        with listening(gateways.__name__, *own) as url:
            yield ["--gateway", f"openai+{url}/v1", "--provider", place]
    else:
        with listening(HOSTILE, "--binding", binding, "--name", name) as url:
            yield ["--target", url]


def _judged(options: Sequence[str], folder: Path, max_time: float) -> tuple[int, str, float, float]:
    """Return the exit code, the output, the peak megabytes, and the processor seconds."""
    words = [sys.executable, "-m", "pytest", str(ROOT / "conformance"), "--rootdir", str(ROOT)]
    words += ["-c", str(ROOT / "pyproject.toml"), *options, "--report", str(folder)]
    words += ["--max-time", str(max_time), "--request-timeout", "1"]
    words += ["--env", VARIABLE, "-H", f"Authorization: Bearer {CANARY}"]
    used = folder / "used"
    with (folder / "said").open("w+b") as said:
        how = {"cwd": folder, "stdin": subprocess.DEVNULL, "stdout": said, "stderr": said}
        how["env"] = {**os.environ, VARIABLE: CANARY}
        took = metered.read(metered.start(words, used, **how), used)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    return took.code, text, took.megabytes, took.processor


def _wrong(code: int, said: str, megabytes: float, work: float, folder: Path) -> list[str]:
    found = []
    if code not in _VERDICTS:
        found.append(f"no verdict: {said.strip()[-200:]!r}")
    if "Traceback" in said or "INTERNALERROR" in said:
        found.append("a traceback was shown")
    if ANSI[:4] in said:
        found.append("escapes reached the terminal")
    if _COMMAND.search(said):
        found.append("a line speaks to the CI system")
    if megabytes > MOST_MEMORY:
        found.append(f"more than {MOST_MEMORY} MB")
    if work > MOST_WORK:
        found.append(f"more than {MOST_WORK:g} s of work")
    report, results = folder / "report.html", folder / "results.json"
    if code in {0, 1, 2, 5}:
        if not report.is_file() or not results.is_file():
            return [*found, "no report"]
        if MARKUP in report.read_text("utf-8"):
            found.append("markup of the target is in the report as it came")
        runs = json.loads(results.read_text("utf-8"))["runs"]
        if any(item["verdict"] == "kit_error" for run in runs for item in run["items"]):
            found.append("a fault of the kit")
    return found


def _left(mark: str) -> list[str]:
    """End the remaining processes of the server; return a problem if there were any."""
    ends = time.monotonic() + _GRACE
    while (left := _processes(mark)) and time.monotonic() < ends:
        time.sleep(0.1)
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return [f"{len(left)} processes are left"] if left else []


def _processes(mark: str) -> list[int]:
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if mark.encode() in line.read_bytes():
                found.append(int(line.parent.name))
    return found


def _given_away(said: str, folder: Path) -> list[str]:
    """Return the places that contain the kit's secret, in any form."""
    texts = {path.name: path.read_text("utf-8", "replace") for path in folder.iterdir()
             if path.is_file()}  # fmt: skip
    texts |= {"terminal": said}
    texts |= {name: _unfolded(text) for name, text in texts.items() if "exchanges" in name}
    *plain, one, two, three, url_safe = forms(CANARY)
    wanted = [*plain, *(coded[4:-4] for coded in (one, two, three, url_safe))]
    return [f"a secret is in {name}" for name, text in texts.items()
            if any(form in text for form in wanted)]  # fmt: skip


def _unfolded(text: str) -> str:
    """Return the text, and the decompressed texts inside it."""
    packed = re.findall(r'"deflate":"([^"]+)"', text)
    inside = (zlib.decompress(base64.b64decode(each)).decode("utf-8", "replace") for each in packed)
    return "\n".join([text, *inside])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
