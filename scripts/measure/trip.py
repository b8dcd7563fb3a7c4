"""How many files one tool's data passes, from its schema to its row in the report.

    python -m scripts.measure.trip

It checks one tool of the reference server with one clause. A file counts if one of its functions
receives data about the tool: its declaration, a view of its schema, a case, an exchange, its
evidence, an item or a finding. docs/adr/014-one-tools-trip.md explains the method.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pytest

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.model.case import Case
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import Finding, Item
from conformance.kit.schema.constraints import Constraints
from conformance.kit.schema.view import SchemaView

ROOT: Final = Path(__file__).resolve().parents[2]
GOAL: Final = 60
_PRODUCT: Final = str(ROOT / "conformance") + "/"
_DATA: Final = {Tool, SchemaView, Constraints, Case, Exchange, ToolEvidence, Item, Finding}
_TOOL: Final = "validate_data"
_CLAUSE: Final = "ATDF-CALL-001"


def files() -> list[str]:
    """Return the files as paths in `conformance/`; each session runs in a new process.

    Raises `RuntimeError` with the output if the session fails.
    """
    command = [sys.executable, "-m", "fixtures.servers.reference", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            command = [sys.executable, "-m", __spec__.name, url]
            ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        finally:
            server.terminate()
    if ran.returncode:
        raise RuntimeError(f"the session ended with {ran.returncode}: {ran.stdout}{ran.stderr}")
    return ran.stderr.split()


class _Trip:
    """Collects the files during a session."""

    def __init__(self) -> None:
        self.passed: set[str] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_flags & CO_OPTIMIZED:
            return
        if not code.co_filename.startswith(_PRODUCT) or code.co_filename in self.passed:
            return
        if any(_is_data(frame.f_locals.get(name)) for name in _parameters(code)):
            self.passed.add(code.co_filename)


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _is_data(value: object) -> bool:
    if type(value) in {list, tuple} and value:  # other items may be incomplete
        value = value[0]  # type: ignore[index]
    return type(value) in _DATA


def _check(url: str) -> int:
    """Check the tool in this process, and write the files that its data passed to stderr."""
    trip = _Trip()
    with tempfile.TemporaryDirectory() as folder:
        chosen = ["-k", _CLAUSE, "--include-tool", _TOOL, "--report", folder]
        threading.setprofile(trip)
        sys.setprofile(trip)
        code = pytest.main([str(ROOT / "conformance"), "--target", url, *chosen])
        sys.setprofile(None)
    sys.stderr.write("\n".join(each.removeprefix(_PRODUCT) for each in sorted(trip.passed)))
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if there are more files than the goal allows."""
    about, _, more = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m scripts.measure.trip",
        description=about,
        epilog=more.partition("\n\n")[2],
    )
    parser.add_argument(
        "url",
        nargs="?",
        help="a reference server that runs: it is checked in this process, and standard error gets "
        "the files",
    )
    url = parser.parse_args(arguments).url
    if url is not None:
        return _check(url)
    found = files()
    sys.stdout.write("\n".join([*found, f"{len(found)} files; the goal is {GOAL} at most", ""]))
    return int(len(found) > GOAL)


if __name__ == "__main__":
    sys.exit(main())
