"""An interrupt while the kit still looks at the target is one line, and exit code 2."""

import asyncio
import json
import os
import pty
import shlex
import signal
import subprocess
import sys

import pytest

from tests.kit.plugin.test_bad_input import earlier, listening, stdio
from tests.kit.transport.test_launcher import alive
from tests.root import ROOT
from tests.waiting import until

pytestmark = pytest.mark.slow


def test_an_interrupt_while_a_server_is_looked_at_is_one_line(kit, tmp_path):
    asked = tmp_path / "asked"

    async def answer(writer, peer):
        asked.write_text("once")
        await asyncio.Event().wait()

    with listening(answer) as url:
        ran = kit(
            "conformance", "--target", url, "--report", str(tmp_path / "out"),
            interrupt_when=str(asked),
        )  # fmt: skip
    told(ran)


@pytest.mark.slow
def test_an_interrupt_while_a_server_is_started_is_one_line(kit, tmp_path):
    asked = tmp_path / "asked"
    silent = stdio(f"import sys, time; open({str(asked)!r}, 'w').write('once'); time.sleep(60)")
    ran = kit(
        "conformance", "--target", silent, "--report", str(tmp_path / "out"), "--language", "pt",
        interrupt_when=str(asked),
    )  # fmt: skip
    told(ran, "interrompida")


@pytest.mark.slow
def test_an_interrupt_before_anything_is_judged_says_that_the_earlier_report_stays(kit, tmp_path):
    asked, folder = tmp_path / "asked", earlier(tmp_path)
    silent = stdio(f"import sys, time; open({str(asked)!r}, 'w').write('once'); time.sleep(60)")
    ran = kit("conformance", "--target", silent, "--report", str(folder), interrupt_when=str(asked))
    interrupted, stays = (line for line in ran.said.splitlines() if line)
    assert "interrupted" in interrupted
    assert stays.startswith(f"The earlier report in {folder} stays")


def told(ran, word="interrupted"):
    assert ran.code == 2, ran.said
    assert "Traceback" not in ran.said
    assert "Error" not in ran.said, ran.said
    lines = [line for line in ran.said.splitlines() if line.strip()]
    assert len(lines) == 1, ran.said
    assert word in lines[0]


DEAF = """
import json, os, signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
TOOL = {"name": "wait", "description": "Waits.", "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True, "openWorldHint": False}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    results = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "deaf", "version": "1"}},
        "tools/list": {"tools": [TOOL]},
    }
    if asked["method"] == "tools/call":
        words = [sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]]
        nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        subprocess.Popen(words, start_new_session=True, **nowhere)
        open(sys.argv[2], "w").write("called")
        time.sleep(600)
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    known = asked["method"] in results
    answer |= {"result": results[asked["method"]]} if known else {
        "error": {"code": -32601, "message": "Method not found"}}
    print(json.dumps(answer), flush=True)
"""


def deaf(tmp_path):
    """The words of a session with a server that hears no signal, and the file it makes."""
    word, called = f"left-by-{tmp_path.parent.name}-{tmp_path.name}", tmp_path / "called"
    command = [sys.executable, "-c", DEAF, word, str(called)]
    target = "stdio:" + shlex.join(command)
    return word, called, ["conformance", "--target", target, "--report", str(tmp_path / "out")]


def was_interrupted(tmp_path):
    """Check that a whole report says so."""
    return json.loads((tmp_path / "out" / "results.json").read_text())["interrupted"]


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_has_a_report_and_leaves_no_process(kit, tmp_path, by):
    word, called, words = deaf(tmp_path)
    ran = kit(*words, interrupt_when=str(called), by=by)
    assert ran.code == 2, ran.said
    assert was_interrupted(tmp_path)
    assert "Traceback" not in ran.said
    assert until(lambda: not alive(word))


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.01, 0.3])
def test_one_who_asks_again_and_again_gets_a_report_all_the_same(tmp_path, pause):
    word, called, words = deaf(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert until(called.exists)
    folder = tmp_path / "out"
    while process.poll() is None and not (folder / "report.html").exists():
        process.terminate()
        if until((folder / "results.json").exists, within=pause):
            process.send_signal(signal.SIGINT)  # while the rest of the report is written
    said = process.communicate()[0]
    assert process.returncode == 2, said
    assert was_interrupted(tmp_path)
    assert "Traceback" not in said
    assert (folder / "report.html").exists()
    assert until(lambda: not alive(word))


@pytest.mark.slow
@pytest.mark.parametrize("interrupt", [signal.SIG_DFL, signal.SIG_IGN], ids=["heard", "ignored"])
def test_a_terminal_that_is_closed_has_a_report_and_leaves_no_process(tmp_path, interrupt):
    """Also where Ctrl+C is ignored, as in a job that a script starts in the background."""
    word, called, words = deaf(tmp_path)
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup, it would be ignored
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *words])
    assert until(called.exists)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 2
    assert was_interrupted(tmp_path)
    assert until(lambda: not alive(word))


def test_when_the_time_is_up_no_process_is_left(kit, tmp_path):
    word, _, words = deaf(tmp_path)
    ran = kit(*words, "--max-time", "4", "--request-timeout", "60")
    assert ran.code == 2, ran.said
    assert until(lambda: not alive(word))
