"""The limit on the kit's memory: it ends with one sentence, and servers do not have it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.kit.transport.memory_limit import MOST
from conformance.spec.messages import message
from tests.kit.drive.test_driving import COUNT, sound
from tests.kit.peers import offering
from tests.root import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has this limit")

PROGRAM = str(Path(sys.executable).with_name("agent-formats"))
ASK = "import resource; print(*resource.getrlimit(resource.RLIMIT_DATA))"
IN_A_SERVER = f"""
import os, subprocess, sys
from conformance.kit.transport.memory_limit import set_limit
from conformance.kit.transport.sandbox import launched
set_limit()
{ASK}
words = launched([sys.executable, "-c", {ASK!r}], os.environ, sandbox=False)
subprocess.run(words, check=True)
"""


def run(*words, limit="unlimited", **options):
    """Run a program under a user's own limit in KiB."""
    shell = ["sh", "-c", f'ulimit -S -d {limit} && exec "$@"', "sh"]
    return subprocess.run([*shell, *words], capture_output=True, text=True, check=False, **options)


def test_the_kit_has_the_limit_and_the_servers_that_it_starts_have_not():
    ours, theirs = run(sys.executable, "-u", "-c", IN_A_SERVER).stdout.splitlines()
    assert ours.split()[0] == str(MOST)
    assert theirs.split()[0] != str(MOST)
    assert theirs.split()[0] == theirs.split()[1]


@pytest.mark.parametrize("limit", [500_000, 2_000_000])
def test_a_server_has_the_limit_of_the_user_and_the_kit_no_higher_one_than_its_own(limit):
    ours, theirs = run(sys.executable, "-u", "-c", IN_A_SERVER, limit=limit).stdout.splitlines()
    assert ours.split()[0] == str(min(limit * 1024, MOST))
    assert theirs.split()[0] == str(limit * 1024)


OF_THOSE_ABOVE = """
p=$PPID
while [ "$p" -gt 1 ]; do
  grep "Max data" "/proc/$p/limits" >> "$1"
  p=$(awk '{print $4}' "/proc/$p/stat")
done
"""


@pytest.mark.parametrize(
    "way", [[PROGRAM, "check"], [sys.executable, "-m", "pytest", "conformance", "--target"]]
)
def test_a_session_has_the_limit_however_it_is_started(tmp_path, way):
    (tmp_path / "server.sh").write_text(OF_THOSE_ABOVE)
    target = f"stdio:sh {tmp_path / 'server.sh'} {tmp_path / 'limits'}"
    said = run(*way, target, "--report", str(tmp_path / "out"), cwd=ROOT)
    assert said.returncode == 4, said
    limits = [line.split()[3] for line in (tmp_path / "limits").read_text().splitlines()]
    assert limits.count(str(MOST)) >= 1
    assert limits[0] == "unlimited"


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_a_document_that_takes_more_is_one_sentence(tmp_path, language):
    (tmp_path / "large.json").write_text("[" + ",".join(["[1]"] * 2_000_000) + "]")
    said = run(
        PROGRAM, "validate", "large.json", "--language", language,
        limit=150_000, cwd=tmp_path,
    )  # fmt: skip
    assert said.returncode == 4
    assert len(said.stderr.splitlines()) == 1
    assert said.stderr == message("kit.memory_of_system").words(language) + "\n"


def test_what_the_kit_s_own_limit_ends_says_how_much_that_is():
    code = "from conformance.kit.transport import memory_limit as m; m.set_limit()"
    told = run(sys.executable, "-c", f"{code}; print(m.memory_is_full().words('en'))")
    assert f"{MOST // 1024**2} MB" in told.stdout


FULL = """
from conformance.kit.plugin import finishing
from conformance.kit.drive.session_driver import SessionDriver
from conformance.kit.session import Session

def full(*_, **__):
    raise MemoryError

{step} = full
"""


@pytest.mark.parametrize(
    "step",
    [
        "Session._discover", "SessionDriver.drive", "Session.evidence", "Session._results",
        "finishing.write_files",
    ],
)  # fmt: skip
def test_a_session_that_takes_more_is_one_sentence_and_writes_no_report(tmp_path, step):
    (tmp_path / "full_memory.py").write_text(FULL.format(step=step))
    folder = tmp_path / "report"
    with offering([COUNT], sound) as url:
        said = run(
            *(sys.executable, "-m", "pytest", "conformance", "--target", url),
            *("-p", "full_memory", "-k", "ATDF-CALL-001", "--report", str(folder)),
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        )  # fmt: skip
    assert said.returncode == 4, said.stdout + said.stderr
    assert "Traceback" not in said.stdout + said.stderr
    assert f"{MOST // 1024**2} MB" in said.stdout + said.stderr
    assert not (folder / "report.html").exists()
