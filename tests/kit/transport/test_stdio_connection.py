"""The stdio connection: whatever a process does, an answer or a named trouble comes back."""

import asyncio
import json
import os
import shlex
import subprocess
import sys
import threading

import pytest

from conformance.kit.model.exchange import StdioRequest, Trouble
from conformance.kit.model.run import Run
from conformance.kit.transport import stdio_connection as stdio
from conformance.kit.transport.binding import BODY_CAP, WIDE_CAP
from conformance.kit.transport.listening import listens_at, port_of
from conformance.kit.transport.stdio import StdioBinding
from conformance.kit.transport.stdio_connection import StdioConnection
from conformance.spec.vocabulary import Binding
from tests.waiting import rounds, until

LONG = 60.0
"""A request timeout that no test waits for, however slow the machine."""
ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": asked}), flush=True)
"""


def use(code, work, *, timeout=LONG, environment=None, command=None, **more):
    """What `work(connection)` gives with a process that runs `code`, and how the process ended."""

    async def main():
        connection = StdioConnection(
            command or [sys.executable, "-c", code],
            timeout=timeout,
            environment=environment or {"PATH": os.environ["PATH"]},
            **more,
        )
        await connection.start()
        try:
            given = await work(connection)
        finally:
            ended = await connection.close()
        return given, ended

    return asyncio.run(main())


def test_a_fault_of_the_kit_while_it_reads_is_not_the_silence_of_the_process(monkeypatch):
    def raising(text):
        raise ZeroDivisionError("of the kit")

    monkeypatch.setattr(stdio, "told_in", raising)
    with pytest.raises(ZeroDivisionError):
        use(ECHO, lambda connection: connection.send(ask()))


def use_binding(code, settings, work):
    """What `work(connection)` gives with the connection that a session with these settings has."""
    command = shlex.join([sys.executable, "-c", code])
    run = Run("stdio", "stdio:x", Binding.STDIO, command, "2025-11-25")

    async def main():
        connection = StdioBinding.of(run, settings).connect(settings, lambda _: False)
        await connection.start()
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(main())


def ask(id=1, **more):
    body = json.dumps({"jsonrpc": "2.0", "id": id, "method": "x"}).encode()
    return StdioRequest(body, answer_to=id, **more)


def answer_of(code, request=None, **more):
    """What one request to such a process gives."""
    return use(code, lambda connection: connection.send(request or ask()), **more)[0]


def answering(*lines, then="sys.stdin.read()"):
    """A process that reads one line, writes these, and does `then`."""
    writes = "\n".join(f"sys.stdout.write({line!r})" for line in lines)
    return f"import sys, os, time\nsys.stdin.readline()\n{writes}\nsys.stdout.flush()\n{then}"


REPLY = '{"jsonrpc": "2.0", "id": 1, "result": {}}\n'


@pytest.fixture
def impatient(monkeypatch):
    """A process that will not end is not waited for."""
    monkeypatch.setattr(stdio, "EXIT_GRACE", 0.3)


def test_a_server_that_starts_slowly_may_take_as_long_to_end(impatient):
    slow = answering(REPLY, then="sys.stdin.read(); time.sleep(0.6)")
    _, ended = use(f"import time; time.sleep(1.5)\n{slow}", lambda one: one.send(ask()))
    assert ended.trouble is None


def test_a_server_that_never_answers_is_given_no_more_time_to_end(impatient):
    silent, limit = "import time; time.sleep(600)", 2.0
    received, ended = use(silent, lambda one: one.send(ask()), timeout=0.1, start_limit=limit)
    assert received.trouble is ended.trouble is Trouble.TIMEOUT
    assert ended.elapsed < limit


def test_the_colors_of_a_process_s_last_words_are_left_out():
    colored = "import sys; sys.exit('\\x1b[31mFTL\\x1b[0m \\x1b[1mno session file\\x1b[0m')"
    received, _ = use(colored, lambda one: one.send(ask()))
    assert received.detail == "FTL no session file"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_server_that_says_that_it_listens_elsewhere_is_waited_for_a_shorter_time(stream):
    said = "Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)"
    elsewhere = f"import sys, time; print({said!r}, file=sys.{stream}, flush=True); time.sleep(600)"
    received, _ = use(elsewhere, lambda one: one.send(ask()), timeout=0.1, start_limit=LONG)
    assert received.trouble is Trouble.TIMEOUT
    assert received.elapsed < LONG / 2


def test_a_server_that_listens_elsewhere_as_well_is_heard():
    said = "print('Listening on http://localhost:8000', file=sys.stderr, flush=True)"
    received, _ = use(f"import sys\n{said}\n{ECHO}", lambda one: one.send(ask()))
    assert received.trouble is None


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("INFO: Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C)", "http://0.0.0.0:8000"),
        ("MCP server listening at http://[::1]:3000/mcp.", "http://[::1]:3000/mcp"),
        ("ready\nServer started: http://localhost:80", "http://localhost:80"),
        ("connected to a model that is running at http://localhost:11434", ""),
        ("running on https://example.com", ""),
        ("see http://localhost:8000", ""),
    ],
)
def test_where_a_process_says_that_it_listens(text, at):
    assert listens_at(text) == at


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
@pytest.mark.parametrize(
    ("family", "host"), [("AF_INET", "127.0.0.1"), ("AF_INET", ""), ("AF_INET6", "::1")]
)
def test_where_a_process_or_one_that_it_started_is_seen_to_listen(family, host):
    code = f"""
import socket, sys
listens = socket.socket(socket.{family})
listens.bind(({host!r}, 0))
listens.listen()
print(listens.getsockname()[1], flush=True)
sys.stdin.read()
"""
    words = shlex.join([sys.executable, "-c", code])
    with subprocess.Popen(
        ["sh", "-c", f"{words}; true"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        port = process.stdout.readline().decode().strip()
        at = port_of(process.pid)
        process.stdin.close()
    assert at == f"http://{'[::1]' if host == '::1' else '127.0.0.1'}:{port}"
    assert port_of(process.pid) == ""


def gone(pid):
    """Whether a process is no more, or a zombie."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True


def test_the_message_with_our_id_is_the_answer():
    received = answer_of(ECHO)
    assert received.answer.messages[-1]["result"]["method"] == "x"
    assert received.trouble is None


def test_answers_that_come_in_another_order_find_their_requests():
    swapped = """
import sys, json
one, two = json.loads(sys.stdin.readline()), json.loads(sys.stdin.readline())
for asked in (two, one):
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": asked["id"]}), flush=True)
sys.stdin.read()
"""

    async def both(connection):
        return await asyncio.gather(connection.send(ask(1)), connection.send(ask(2)))

    (first, second), _ = use(swapped, both)
    assert first.answer.messages[-1]["result"] == 1
    assert second.answer.messages[-1]["result"] == 2


def test_an_id_of_true_is_not_the_answer_to_1():
    code = answering('{"jsonrpc": "2.0", "id": true, "result": {}}\n', REPLY)
    assert answer_of(code).answer.messages[-1]["id"] is not True


def test_noise_on_standard_output_is_kept_apart_from_the_answer():
    received = answer_of(answering("Listening on stdio\n", "3\n", REPLY))
    assert received.answer.noise == ("Listening on stdio", "3")
    assert received.answer.messages == (json.loads(REPLY),)


def test_notifications_before_the_answer_are_kept():
    note = '{"jsonrpc": "2.0", "method": "notifications/message"}\n'
    received = answer_of(answering(note, REPLY))
    assert [m.get("method") for m in received.answer.messages] == ["notifications/message", None]


def test_a_ping_of_the_server_is_answered():
    code = """
import sys, json
sys.stdin.readline()
print(json.dumps({"jsonrpc": "2.0", "id": "p", "method": "ping"}), flush=True)
back = json.loads(sys.stdin.readline())
print(json.dumps({"jsonrpc": "2.0", "id": 1, "result": back}), flush=True)
sys.stdin.read()
"""
    assert answer_of(code).answer.messages[-1]["result"] == {
        "jsonrpc": "2.0", "id": "p", "result": {}
    }  # fmt: skip


def test_a_process_that_crashes_closes_and_tells_its_last_words():
    received = answer_of(answering("", then="sys.exit('out of paper')"))
    assert received.trouble is Trouble.CLOSED
    assert "out of paper" in received.detail


def test_the_exit_code_of_a_crash_is_known_at_once():
    async def work(connection):
        await connection.send(ask())
        return connection.process.exit_code, connection.is_open

    assert use(answering("", then="os._exit(7)"), work)[0] == (7, False)


def test_a_process_that_has_ended_is_not_written_to():
    async def work(connection):
        await connection.send(ask())
        return await connection.send(ask(2))

    assert use("pass", work)[0].trouble is Trouble.CLOSED


def test_why_a_process_ended_is_known_where_it_takes_no_request_any_more(tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    code = f"import os, sys\nos.close(0)\nopen({str(gate)!r}).read()\nsys.exit('no paper left')"

    async def work(connection):
        held = await asyncio.to_thread(open, gate, "w")  # it has closed its input
        sending = asyncio.create_task(connection.send(ask()))
        await rounds(50)
        held.close()  # now it ends
        return await sending, connection.process

    (received, process), _ = use(code, work)
    assert (received.trouble, process.exit_code) == (Trouble.CLOSED, 1)
    assert "no paper left" in process.stderr


def test_no_half_of_a_secret_is_left_where_stderr_is_cut():
    code = "import sys\nsys.stderr.write('canary-of-a-secret ' + 'x' * (16 * 1024 - 9))"

    async def work(connection):
        await connection.send(ask())
        return connection

    closed, _ = use(code, work, redact=lambda text: text.replace("canary-of-a-secret", "***"))
    assert len(closed.process.stderr) == 16 * 1024 - 9 + len("*** ")
    assert "secret" not in closed.process.stderr


@pytest.mark.usefixtures("impatient")
def test_a_silent_process_ends_at_the_timeout():
    received = answer_of("import time; time.sleep(600)", timeout=0.5)
    assert (received.answer, received.trouble) == (None, Trouble.TIMEOUT)


def test_a_server_that_numbers_its_answers_itself_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(stdio, "ASTRAY", 0.1)
    received = answer_of(answering(REPLY.replace('"id": 1', '"id": 7')))
    assert received.trouble is Trouble.TIMEOUT
    assert received.answer.messages == ({"jsonrpc": "2.0", "id": 7, "result": {}},)


def test_an_answer_is_waited_for_behind_a_late_one_of_a_server_that_knows_our_ids(monkeypatch):
    monkeypatch.setattr(stdio, "ASTRAY", 0.0)
    code = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)["id"]
    for id in (asked,) if asked == 1 else ("elsewhere", asked):
        print(json.dumps({"jsonrpc": "2.0", "id": id, "result": {}}), flush=True)
        time.sleep(0.2)
"""

    async def twice(connection):
        return [await connection.send(ask(id)) for id in (1, 2)]

    assert [one.trouble for one in use(code, twice)[0]] == [None, None]


@pytest.mark.usefixtures("impatient")
def test_a_process_that_never_reads_ends_at_the_timeout():
    big = StdioRequest(b"x" * (4 << 20), answer_to=1)
    assert answer_of("import time; time.sleep(600)", big, timeout=0.5).trouble is Trouble.TIMEOUT


@pytest.mark.usefixtures("impatient")
def test_a_line_that_never_ends_is_too_large():
    endless = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    assert answer_of(endless).trouble is Trouble.TOO_LARGE


@pytest.mark.usefixtures("impatient")
def test_noise_that_never_ends_is_too_large():
    endless = "while True: print('y')"
    assert answer_of(endless).trouble is Trouble.TOO_LARGE


def test_a_long_line_below_the_cap_is_read():
    code = f"""
import sys, json
sys.stdin.readline()
print(json.dumps({{"jsonrpc": "2.0", "id": 1, "result": "x" * {BODY_CAP // 4}}}), flush=True)
sys.stdin.read()
"""
    answer = answer_of(code).answer
    assert len(json.loads(answer.body)["result"]) == BODY_CAP // 4
    assert answer.messages == (), "as values it would take ten times as much memory"


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("unit", [f"'\\U0001f600' + 'x' * {WIDE_CAP}", "[[]] * 3_000_000"])
def test_a_line_that_takes_much_memory_is_too_large_with_and_without_its_end(unit, end):
    code = f"""
import sys, json
sys.stdin.readline()
made = json.dumps({{"jsonrpc": "2.0", "id": 1, "result": {unit}}}, ensure_ascii=False)
sys.stdout.buffer.write((made + {end!r}).encode())
"""
    assert answer_of(code).trouble is Trouble.TOO_LARGE


def test_a_line_without_its_end_counts_when_the_process_ends():
    received = answer_of(answering(REPLY.strip(), then=""))
    assert received.answer.messages == (json.loads(REPLY),)


@pytest.mark.parametrize("line", ["[" * 100_000 + "\n", "\ud83d\n", '{"a": NaN\n', "null\n"])
def test_a_line_that_no_reader_can_decode_is_noise(line):
    code = answering(REPLY).replace(
        "sys.stdin.readline()",
        f"sys.stdin.readline(); sys.stdout.buffer.write({line.encode('utf-8', 'surrogatepass')!r})",
    )
    received = answer_of(code)
    assert len(received.answer.noise) == 1
    assert received.trouble is None


def test_after_a_notification_only_a_moment_is_waited():
    note = StdioRequest(b'{"jsonrpc": "2.0", "method": "x"}', settle=0.1)
    received = answer_of(ECHO, note)
    assert (received.answer.messages, received.trouble) == ((), None)


def test_any_message_answers_a_malformed_request():
    odd = StdioRequest(b"{", any_answer=True, settle=LONG)
    code = answering('{"jsonrpc": "2.0", "id": null, "error": {"code": -32700}}\n')
    assert answer_of(code, odd).answer.messages[-1]["error"]["code"] == -32700


def test_a_process_ends_by_itself_when_its_input_ends():
    _, ended = use(ECHO, lambda connection: connection.send(ask()))
    assert (ended.answer.status, ended.trouble) == (0, None)


@pytest.mark.usefixtures("impatient")
def test_a_process_that_stays_is_ended_by_force_and_that_is_told():
    stubborn = f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{ECHO}\n" + (
        "import time\ntime.sleep(600)"
    )
    received, ended = use(stubborn, lambda connection: connection.send(ask()))
    assert received.trouble is None
    assert ended.trouble is Trouble.TIMEOUT


@pytest.mark.skipif(sys.platform != "linux", reason="opens the output of another process")
@pytest.mark.usefixtures("impatient")
def test_a_process_that_ends_late_is_waited_for_but_not_who_else_has_its_output(monkeypatch):
    """As where a server of another user cannot be ended, or handed on its output."""
    tells = "import json, os, signal, sys, time\nasked = json.loads(sys.stdin.readline())\n" + (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "answer = {'jsonrpc': '2.0', 'id': asked['id'], 'result': os.getpid()}\n"
        "print(json.dumps(answer), flush=True)\ntime.sleep(600)"
    )
    ends = stdio.end_all
    monkeypatch.setattr(stdio, "end_all", lambda pid: threading.Timer(2.0, ends, (pid,)).start())

    async def main():
        connection = StdioConnection(
            [sys.executable, "-c", tells], timeout=LONG, environment={"PATH": os.environ["PATH"]}
        )
        await connection.start()
        received = await connection.send(ask())
        (message,) = received.answer.messages
        with open(f"/proc/{message['result']}/fd/1", "wb"):
            return await asyncio.wait_for(connection.close(), 30)

    assert asyncio.run(main()).trouble is Trouble.TIMEOUT


@pytest.mark.usefixtures("impatient")
def test_a_line_that_the_kit_itself_cuts_off_is_no_noise():
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "for line in sys.stdin: print(line, end='', flush=True)\n"
        "print('{\"jsonrpc\":', end='', flush=True)\n"
        "time.sleep(600)"
    )
    received, ended = use(code, lambda connection: connection.send(ask()))
    assert received.trouble is None
    assert (ended.trouble, ended.answer.noise) == (Trouble.TIMEOUT, ())


def test_what_a_process_started_is_gone_with_it():
    parent = """
import subprocess, sys, json
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
sys.stdin.readline()
print(json.dumps({"jsonrpc": "2.0", "id": 1, "result": child.pid}), flush=True)
sys.stdin.read()
"""
    received, _ = use(parent, lambda connection: connection.send(ask()))
    assert until(lambda: gone(received.answer.messages[-1]["result"]))


def test_what_a_crashed_process_started_is_gone_too():
    parent = """
import subprocess, sys, json, os
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
sys.stdin.readline()
print(json.dumps({"jsonrpc": "2.0", "id": 1, "result": child.pid}), flush=True)
os._exit(9)
"""
    received, _ = use(parent, lambda connection: connection.send(ask()))
    assert until(lambda: gone(received.answer.messages[-1]["result"]))


def test_a_process_gets_the_environment_that_it_is_given_and_no_other():
    code = "import os, sys\nprint(dict(os.environ), flush=True)\nsys.stdin.readline()"
    received = answer_of(code, environment={"PATH": os.environ["PATH"], "ONE": "1"})
    given = set(eval(received.answer.noise[0])) - {"LC_CTYPE"}  # python's own, where none is set
    assert given == {"PATH", "ONE"}


@pytest.mark.parametrize("command", [["no-such-command-anywhere"], ["/"], ["a\0b"]])
def test_a_command_that_cannot_be_run_raises_at_the_start(command):
    with pytest.raises((OSError, ValueError)):
        use("", None, command=command)


def test_what_answers_no_call_is_kept_up_to_the_cap_of_one_answer():
    large = "'x' * 4_000_000"
    code = answering(REPLY, then="sys.stdin.read()").replace(
        "sys.stdout.write(",
        "for _ in range(9): sys.stdout.write("
        f'\'{{"jsonrpc": "2.0", "method": "\' + {large} + \'"}}\\n\')\nsys.stdout.write(',
        1,
    )
    received = answer_of(code)
    assert received.answer is not None
    assert len(received.answer.messages) == 3  # two of them, and the answer itself


def test_a_process_that_reads_no_answer_to_its_pings_gets_only_so_many():
    pings = 'for n in range(40): say({"jsonrpc": "2.0", "id": "p" * 300_000, "method": "ping"})'
    counting = "import sys\nsys.stderr.write(str(len(sys.stdin.buffer.read())))"
    code = f"""
import sys, json
def say(message): print(json.dumps(message), flush=True)
sys.stdin.readline()
{pings}
say({{"jsonrpc": "2.0", "id": 1, "result": {{}}}})
{counting}
"""

    seen = []

    async def asked(connection):
        seen.append(connection)
        await connection.send(ask())

    use(code, asked)
    assert 300_000 < int(seen[0].process.stderr) < 2_000_000, "all would be twelve megabytes"


def test_a_line_of_more_values_than_fit_into_memory_is_too_large():
    code = """
import sys
sys.stdin.readline()
print('{"jsonrpc": "2.0", "id": 1, "result": [' + "[]," * 1_000_000 + "[]]}", flush=True)
sys.stdin.read()
"""
    assert answer_of(code).trouble is Trouble.TOO_LARGE


def test_a_process_that_is_ended_by_force_is_gone_before_its_loop_is_closed(caplog):
    """asyncio logs a line of its own if the end of a process comes later."""

    async def work():
        command = [sys.executable, "-c", "import time; time.sleep(600)"]
        connection = StdioConnection(command, timeout=LONG, environment={})
        await connection.start()
        closing = asyncio.create_task(connection.close())
        await rounds(5)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        return connection

    connection = asyncio.run(work())
    for thread in threading.enumerate():  # where threads wait for processes, they end with them
        if thread.name.startswith("asyncio-waitpid") or "waitpid" in thread.name:
            thread.join(LONG)
    assert connection.process.exit_code is not None
    assert caplog.text == ""


def test_a_call_that_is_cut_leaves_no_task_behind():
    """asyncio prints a line about each task that is never ended."""

    async def work(connection):
        before = asyncio.all_tasks()
        calling = asyncio.create_task(connection.send(ask()))
        await rounds(5)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await rounds(5)
        return asyncio.all_tasks() - before

    assert use("import sys; sys.stdin.read()", work)[0] == set()


def test_an_answer_that_comes_too_late_is_kept_apart_from_the_next_one():
    code = """
import sys, json
asked = [json.loads(sys.stdin.readline()) for _ in range(2)]
for each in asked:
    print(json.dumps({"jsonrpc": "2.0", "id": each["id"], "result": {}}), flush=True)
sys.stdin.read()
"""

    async def work(connection):
        first = await connection.send(ask(1))
        return first, await connection.send(ask(2))

    (first, second), _ = use(code, work, timeout=1.0)
    assert first.trouble is Trouble.TIMEOUT
    assert [each["id"] for each in second.answer.messages] == [2]
    assert [each["id"] for each in second.answer.late] == [1]
