"""The library: a server in another language, written from the published pages alone."""

from __future__ import annotations

import json
import subprocess
from contextlib import contextmanager

import pytest

from tests.needs import need_program
from tests.root import ROOT

SERVER = ROOT / "fixtures" / "servers" / "library" / "main.mjs"


@contextmanager
def library():
    """Run it at a free port; gives its base URL."""
    command = [need_program("node"), str(SERVER), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.needs
def test_a_server_that_was_written_from_the_pages_alone_is_recoverable(kit, tmp_path):
    with library() as url:
        ran = kit(
            "conformance", "--target", url, "--level", "recoverable", "--report", str(tmp_path)
        )
    assert ran.code == 0, ran.said
    (run,) = json.loads((tmp_path / "results.json").read_bytes())["runs"]
    assert run["tools_called"] == ["reserve_book", "return_books", "late_fee"]
    assert run["resources"] == {"prompt": 1, "workflow": 1}
    assert [(each["spec"], each["classes"]) for each in run["claims"]] == [
        ("atdf", ["recoverable"]),
        ("ardf", ["resources"]),
    ]
    assert not [item for item in run["items"] if item["verdict"] in ("fail", "warning", "warn")]
