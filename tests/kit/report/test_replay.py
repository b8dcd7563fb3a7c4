"""`test_replay.py`: without the kit it fails on the faulty server, and passes on a good one."""

import json
import os
import queue
import re
import shlex
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from itertools import permutations
from pathlib import Path

import pytest

from conformance.kit.config.secrets import Redactor
from conformance.kit.model.exchange import Answer, Exchange, StdioRequest
from conformance.kit.model.run import Run
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.report import replay_file
from conformance.kit.report.replay_file import ReplayFile, sent_before
from conformance.kit.report.reporter import Report
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Binding, Verdict
from fixtures.servers.start import FAULTY, REFERENCE, command, listening
from tests.kit.drive.test_driving import COUNT, sound
from tests.kit.peers import offering
from tests.waiting import slow_by, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]

TEMPLATE = Path(replay_file.__file__).with_name("templates") / "test_replay.txt"
SECRET = "the-s3cret-of-a-header"
CHAPTERS = {name: load(f"conformance.{name}") for name in ("atdf", "http", "mcp")}


def written(target, clause, profile, tmp_path, versions=(), *, sandbox=False):
    """The file for the failures of one clause; gives its path."""
    settings = Settings(
        profiles=(profile,), allow_calls=AllowCalls.ALL, include_tools=("hotel_*",),
        headers=(("X-Api-Key", SECRET),), language="es", spec_versions=versions, max_examples=0,
    )  # fmt: skip
    session = Session(settings)
    session.scripts = [script for chapter in CHAPTERS.values() for script in chapter.scripts]
    session.discover((target,))
    tests = [test for chapter in CHAPTERS.values() for test in chapter.tests]
    asked = session.questions([test for test in tests if test[1].id == clause])
    session.drive()
    items = session.judge(asked)
    assert Verdict.FAIL in {item.verdict for item in items.values()}
    seen = session.recorder.by_id
    redact = Redactor([SECRET])
    report = Report(
        session.results(asked, items), "es", redact, headers=settings.headers, exchange=seen.get,
        held=seen.values(), sandbox=sandbox,
    )  # fmt: skip
    text = "".join(ReplayFile().parts(report))
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
    assert {'"own": ["1"]'} == set(re.findall('"own": [^]]*]', path.read_text("utf-8")))
    with listening(REFERENCE) as url:
        code, said = run(path, url, SECRET_1=SECRET)
    assert code == 0, said
    assert "skipped" not in said
    code, said = run(path, "http://127.0.0.1:9")
    assert code == 0, said
    assert "skipped" in said


def fails_at_nine(name, arguments):
    status, body = sound("count", arguments)
    return (500, {"detail": "no"}) if arguments == {"n": 9} else (status, body)


def test_a_server_that_is_not_there_or_gives_no_answer_has_mended_nothing(tmp_path):
    tool = {**COUNT, "name": "hotel_count"}
    with offering([tool], fails_at_nine) as url:
        path = written(url, "ATDF-CALL-005", "http", tmp_path)
    code, said = run(path, url, SECRET_1=SECRET)
    assert code == 1, said
    assert "no server can be reached at 127.0.0.1:" in said
    assert "passed" not in said
    with closing_each() as url:
        code, said = run(path, url, SECRET_1=SECRET)
    assert code == 1, said
    assert "the call got no answer" in said
    assert "passed" not in said


def test_an_answer_too_long_for_the_file_is_known_by_its_beginning(tmp_path):
    errors = [
        {"type": "validation-error", "title": f"No {n}", "tool_name": "another"}
        for n in range(5_000)
    ]

    def says_much(name, arguments):
        status, body = sound("count", arguments)
        return (400, {"errors": errors}) if status == 400 else (status, body)

    tool = {**COUNT, "name": "hotel_count"}
    with offering([tool], says_much) as url:
        path = written(url, "ATDF-ERR-006", "atdf", tmp_path)
        code, said = run(path, url, SECRET_1=SECRET)
        assert code == 1, said
        assert "passed" not in said
        errors[0]["title"] = "Another"
        code, said = run(path, url, SECRET_1=SECRET)
        assert code == 0, said
    assert path.stat().st_size < 4_000_000


@contextmanager
def closing_each():
    """A server that takes each connection, and ends it without a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def close():
            with suppress(OSError):
                while True:
                    taken, _ = server.accept()
                    taken.recv(65536)
                    taken.close()

        ending = threading.Thread(target=close, daemon=True)
        ending.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        ending.join()


@pytest.mark.slow
def test_over_stdio_it_starts_the_server_itself(tmp_path):
    target = "stdio:" + shlex.join(command(FAULTY, "--stdio", "--fault", "true-for-an-integer"))
    path = written(target, "ATDF-CALL-002", "mcp", tmp_path)
    code, said = run(path, "")
    assert code == 1, said
    assert "passed" not in said
    code, said = run(path, "stdio:" + shlex.join(command(REFERENCE, "--stdio")))
    assert code == 0, said
    code, said = run(path, "stdio:/no/such/command")
    assert code == 1, said
    assert "the server cannot be started" in said
    code, said = run(path, f"stdio:{sys.executable} -c pass")
    assert code == 1, said
    assert "the call got no answer" in said


@pytest.mark.slow
def test_what_was_sent_in_a_sandbox_is_sent_without_one_only_when_asked_for(tmp_path):
    target = "stdio:" + shlex.join(command(FAULTY, "--stdio", "--fault", "true-for-an-integer"))
    path = written(target, "ATDF-CALL-002", "mcp", tmp_path, ("2025-11-25",), sandbox=True)
    code, said = run(path, "")
    assert code == 0, said
    assert "skipped" in said
    assert "passed" not in said
    code, said = run(path, "", WITHOUT_SANDBOX="1")
    assert code == 1, said


def test_a_failure_of_the_server_is_still_one_in_other_words(tmp_path):
    words = map("".join, permutations("failure"))
    tool = {**COUNT, "name": "hotel_count"}

    def fails(name, arguments):
        status, body = sound("count", arguments)
        return (500, {"detail": next(words)}) if arguments == {"n": 9} else (status, body)

    with offering([tool], fails) as url:
        path = written(url, "ATDF-CALL-005", "http", tmp_path)
        code, said = run(path, url, SECRET_1=SECRET)
    assert code == 1, said
    assert "passed" not in said
    with offering([tool], lambda name, arguments: sound("count", arguments)) as url:
        code, said = run(path, url, SECRET_1=SECRET)
    assert code == 0, said


@pytest.mark.slow
def test_what_only_a_sequence_shows_is_shown_by_the_whole_sequence(tmp_path):
    with listening(FAULTY, "--fault", "session-never-ends") as url:
        path = written(f"{url}/mcp", "MCP-SESS-003", "mcp", tmp_path, ("2025-11-25",))
        code, said = run(path, url, SECRET_1=SECRET)
    assert code == 1, said
    with listening(REFERENCE) as url:
        code, said = run(path, url, SECRET_1=SECRET)
    assert code == 0, said
    assert "skipped" not in said


RUN = Run("stdio-2026-07-28", "stdio:serve", Binding.STDIO, "serve", "2026-07-28")


def asked(number, method, version=None, script=None):
    body = {"jsonrpc": "2.0", "id": number, "method": method}
    if version is not None:
        body["params"] = {"protocolVersion": version}
    request = StdioRequest(json.dumps(body).encode())
    return Exchange(number, "stdio-2026-07-28", request, Answer(), None, 0, 0, script=script)


def functions(**values):
    """What the file has, with other values for some names."""
    file = {"__name__": "test_replay"}
    exec(TEMPLATE.read_text("utf-8") % {"cases": "'[]'", "requests": "'{}'"}, file)
    file.update(values)
    return file


def test_a_secret_that_the_server_was_not_given_is_not_sent(monkeypatch):
    for number in (1, 2):
        monkeypatch.setenv(f"SECRET_{number}", f"value-{number}")
    body = functions()["body_of"]({"text": "«secret-1» «secret-2»", "own": ["1"]})
    assert body == "value-1 «secret-2»".encode()


def trickles(*parts):
    """A server that answers with the first part, and then with the last one again and again."""

    def answer(connection):
        connection.recv(9_000)
        with suppress(OSError):
            connection.sendall(parts[0])
            while True:
                connection.sendall(parts[-1])
                slow_by(0.01)

    return answer


OK = b"HTTP/1.1 200 OK\r\n"
STREAM = b"Content-Type: text/event-stream\r\n"


@pytest.mark.parametrize(
    "parts",
    [
        (OK + b"\r\n", b"x"),
        (OK + STREAM + b"\r\n", b": x\n\n"),
        (OK, b"x"),
        (b"", OK.replace(b"200", b"100") + b"\r\n"),
    ],
    ids=["a body", "a stream", "a header", "hints"],
)
def test_an_answer_that_comes_byte_by_byte_ends_with_the_time(parts):
    with socket.create_server(("127.0.0.1", 0)) as server:
        answer = trickles(*parts)
        threading.Thread(target=lambda: answer(server.accept()[0]), daemon=True).start()
        sent = {
            "method": "GET",
            "headers": [],
            "own": [],
            "text": "",
            "url": f"http://127.0.0.1:{server.getsockname()[1]}/",
        }
        assert functions(TIMEOUT=1)["send"](sent, {})["ended"] == "closed"


def started(code, *variables):
    """A case of a server that Python runs."""
    command = shlex.join([sys.executable, "-c", code])
    return {"sandbox": False, "command": command, "variables": [*variables]}


SEES = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print({"id": 1, "sees": sorted(os.environ), "child": child.pid}.__repr__().replace("'", '"'))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_started_server_sees_only_what_it_is_given_and_leaves_no_child(monkeypatch):
    for name in ("API_KEY", "FOR_ALL", "FOR_IT"):
        monkeypatch.setenv(name, "something")
    monkeypatch.setenv("PASS_ENV", "FOR_ALL")
    asked = {"text": "x", "own": [], "awaited": True, "answer_to": 1, "settle": 1, "number": 1}
    said = functions()["stdio"](started(SEES, "FOR_IT", "MISSING"), [asked])["json"]
    assert {"FOR_ALL", "FOR_IT", "PATH"} <= set(said["sees"])
    assert not {"API_KEY", "PASS_ENV", "MISSING"} & set(said["sees"])
    state = Path(f"/proc/{said['child']}/stat")
    assert until(
        lambda: not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    )


@pytest.mark.parametrize("text", ["##vso[task.x]y of-a-server", "[" * 900 + "]" * 900])
def test_what_a_server_says_is_not_in_the_output_of_pytest(tmp_path, text):
    code = f"import json; print(json.dumps({{'id': 1, 'said': {text!r}}}))"
    if text[0] == "[":  # the kit can read it, but the file cannot write it again
        code = f'print(\'{{"id": 1, "said": "of-a-server", "deep": {text}}}\')'
    asked = {"text": "x", "own": [], "awaited": True, "answer_to": 1, "settle": 1}
    then = {"status": 0, "headers": [], "text": text, "json": {"said": text}, "ended": ""}
    case = started(code) | {"name": "one", "requests": [1], "stdio": True, "says": "it is broken",
                            "call": True, "wrong": "accepted", "answer": then}  # fmt: skip
    if text[0] == "[":
        case["wrong"] = "same"
    made = {"cases": repr(json.dumps([case])), "requests": repr(json.dumps({"1": asked}))}
    path = tmp_path / "test_replay.py"
    path.write_text(TEMPLATE.read_text("utf-8") % made, encoding="utf-8")
    code, said = run(path, "", PYTEST_ADDOPTS="-l -vv")
    assert code == 1 or text[0] == "["
    assert "of-a-server" not in said
    assert "##vso" not in said


@pytest.mark.parametrize(
    ("secret", "target", "before"),
    [
        ("of-two\nlines", "", ""),
        ("plain-one", "http://[", ""),
        ("plain-one", "", ""),
        ("plain-one", "", "bob:«secret-1»@"),
        ("plain-one", "http://bob:plain-one@127.0.0.1:9", ""),
    ],
)
def test_what_cannot_be_sent_shows_no_secret(tmp_path, secret, target, before):
    request = {"method": "GET", "headers": [["X-Key", "«secret-1»"]], "own": ["1"], "text": "",
               "url": f"http://{before}127.0.0.1:9/"}  # fmt: skip
    case = {"name": "one", "requests": [1], "stdio": False, "says": "x"}
    made = {"cases": repr(json.dumps([case])), "requests": repr(json.dumps({"1": request}))}
    path = tmp_path / "test_replay.py"
    path.write_text(TEMPLATE.read_text("utf-8") % made, encoding="utf-8")
    code, said = run(path, target, SECRET_1=secret, PYTEST_ADDOPTS="-l")
    assert code == 1
    assert "cannot be sent" in said or "no server can be reached" in said
    assert secret.split()[0] not in said


def test_of_an_endless_stream_the_last_events_are_looked_at():
    file = functions(MOST_EVENTS=2)
    told = [f'data: {{"n": {n}}}' if n == 1 else "data: no" for n in range(4)]
    assert file["message_in"]("\n".join(told)) is None
    assert file["message_in"]("\n".join(told[:3])) == {"n": 1}


@pytest.mark.parametrize(
    "code",
    ["while True: print('x', end='')", "while True: print(1)", "import time; time.sleep(600)"],
)
def test_a_server_that_pours_or_reads_nothing_gives_no_answer(code):
    case = started(code)
    asked = {
        "text": "x" * 200_000,
        "own": [],
        "awaited": True,
        "answer_to": 1,
        "settle": 1,
        "number": 1,
    }
    file = functions(TIMEOUT=1, MOST=300_000, MOST_LINES=100)
    assert file["stdio"](case, [asked])["ended"] == "closed"


@pytest.mark.parametrize("settle", [1e9, 1e308])
def test_a_record_does_not_say_how_long_to_wait(settle):
    """It comes from a session, perhaps of a stranger."""
    line_for = functions(TIMEOUT=0.1)["line_for"]
    request = {"answer_to": None, "settle": settle}
    assert line_for(queue.Queue(), request) == (b"", "")


def test_an_answer_of_many_levels_or_without_an_end_is_an_answer():
    file = functions(MOST=300_000)
    assert file["message_in"]("[" * 100_000) is None

    def pours(connection):
        connection.recv(9_000)
        with suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b"x" * 65_536)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: pours(server.accept()[0]), daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        sent = {"url": url, "method": "GET", "headers": [], "own": [], "text": ""}
        assert len(file["send"](sent, {})["text"]) == 300_000


def test_an_initialize_that_asks_for_another_version_is_no_handshake_of_the_run():
    other, call = asked(1, "initialize", "2025-11-25", "probe"), asked(2, "tools/call")
    assert sent_before([other, call], [RUN]).of(call) == []
    own = asked(1, "initialize", "2026-07-28", "probe")
    assert sent_before([own, call], [RUN]).of(call) == [own]


def test_before_a_step_go_the_earlier_steps_of_its_script_and_not_the_later_ones():
    first, second, third = (asked(n, "ping", script="s") for n in (1, 2, 3))
    assert sent_before([first, second, third], [RUN]).of(second) == [first]
