"""`test_replay.py`: without the kit it fails on the faulty server, and passes on a good one."""

import os
import subprocess
import sys

import pytest

from conformance.formats.vocabulary import Verdict
from conformance.kit.chapter import load
from conformance.kit.engine import Engine
from conformance.kit.report.replay_file import handshakes, replay_file
from conformance.kit.secrets import Redactor
from conformance.kit.settings import AllowCalls, Settings
from fixtures.servers.start import FAULTY, REFERENCE, command, listening
from tests.kit_sessions import ROOT

SECRET = "the-s3cret-of-a-header"
CHAPTERS = {name: load(f"conformance.{name}") for name in ("atdf", "http", "mcp")}


def written(target, clause, profile, tmp_path):
    """The file for the failures of one clause; gives its path."""
    settings = Settings(
        profiles=(profile,), allow_calls=AllowCalls.ALL, include_tools=("hotel_*",),
        headers=(("X-Api-Key", SECRET),), language="es",
    )  # fmt: skip
    engine = Engine(settings)
    engine.scripts = [script for chapter in CHAPTERS.values() for script in chapter.scripts]
    engine.discover((target,))
    tests = [test for chapter in CHAPTERS.values() for test in chapter.tests]
    asked = engine.questions([test for test in tests if test[1].id == clause])
    engine.drive()
    items = engine.judge(asked)
    assert Verdict.FAIL in {item.verdict for item in items.values()}
    seen = engine.recorder.by_id
    redact = Redactor([SECRET])
    text = replay_file(
        engine.results(asked, items), "es", seen.get, redact, handshakes(seen.values()),
        headers=settings.headers,
    )  # fmt: skip
    assert SECRET not in text
    path = tmp_path / "test_replay.py"
    path.write_text(text, encoding="utf-8")
    return path


def run(path, target, **environment):
    """Run the file with nothing of the project in reach; gives its exit code and what it said."""
    ran = subprocess.run(
        [sys.executable, "-I", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:html",
          "--noconftest", "--rootdir", str(path.parent), str(path)],
        cwd=path.parent, text=True, capture_output=True, check=False,
        env={"PATH": os.environ["PATH"], "TARGET": target, **environment},
    )  # fmt: skip
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("fault", "clause", "profile"),
    [
        ("no-allow-with-405", "HTTP-ERR-006", "http"),
        ("true-for-an-integer", "ATDF-CALL-002", "mcp"),
    ],
)
def test_over_http_it_fails_on_the_faulty_server_and_passes_on_the_reference(
    tmp_path, fault, clause, profile
):
    with listening(FAULTY, "--fault", fault) as url:
        path = written(url, clause, profile, tmp_path)
        code, said = run(path, url, SECRET_1=SECRET)
    assert code == 1, said
    assert clause in said
    assert "passed" not in said
    with listening(REFERENCE) as url:
        code, said = run(path, url, SECRET_1=SECRET)
    assert code == 0, said
    assert "skipped" not in said
    code, said = run(path, "http://127.0.0.1:9")
    assert code == 0, said
    assert "skipped" in said


def test_over_stdio_it_starts_the_server_itself(tmp_path):
    fault = ("--fault", "true-for-an-integer")
    target = " ".join(["stdio:" + command(FAULTY, "--stdio", *fault)[0], "-m", FAULTY, "--stdio"])
    target += " " + " ".join(fault)
    home = os.getcwd()
    os.chdir(ROOT)
    try:
        path = written(target, "ATDF-CALL-002", "mcp", tmp_path)
    finally:
        os.chdir(home)
    code, said = run(path, "")
    assert code == 1, said
    assert "passed" not in said
    code, said = run(path, f"stdio:{sys.executable} -m {REFERENCE} --stdio")
    assert code == 0, said
