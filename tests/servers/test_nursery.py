"""For the process that started it, a server that a nursery forked is a process like any other."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from fixtures.servers import relay
from fixtures.servers.relay import ask
from fixtures.servers.start import FAULTY, REFERENCE, NotStarted, command, listening, nursery

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}\n'
READY = b" ready on stdio\n"

pytestmark = pytest.mark.usefixtures("forked")


def _process(*options: str, module: str = FAULTY) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    words = command(module, "--stdio", *options)
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe)


def test_it_listens_until_the_end_of_the_context_and_no_longer() -> None:
    with listening() as url:
        assert urllib.request.urlopen(f"{url}/manifest").status == 200
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{url}/manifest", timeout=5)


def test_one_that_does_not_start_says_so() -> None:
    with pytest.raises(NotStarted), listening(FAULTY, "--fault", "no-such-fault"):
        pass


def test_it_has_the_fault_that_it_was_asked_for_and_the_next_one_has_not() -> None:
    with _process("--fault", "noise-among-the-messages") as noisy:
        assert noisy.communicate(PING)[0].startswith(b"INFO answered\n")
    with _process(module=REFERENCE) as sound:
        assert sound.communicate(PING)[0].startswith(b'{"jsonrpc"')
    assert (noisy.returncode, sound.returncode) == (0, 0)


def test_its_exit_code_is_that_of_the_process() -> None:
    with _process("--fault", "no-such-fault") as process:
        _, said = process.communicate()
    assert process.returncode == 2
    assert b"unknown fault: no-such-fault" in said


def test_a_signal_reaches_it() -> None:
    with _process("--fault", "stays-after-the-input") as process:
        assert process.stderr is not None
        assert process.stderr.readline().endswith(READY)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0, "it ends in good order at this signal"


def test_it_dies_with_the_process_that_stands_for_it() -> None:
    with _process("--fault", "stays-after-the-input") as process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert process.stderr.readline().endswith(READY)
        process.kill()
        assert process.stdout.read() == b"", "its output ends: nobody holds it"
    assert process.returncode == -signal.SIGKILL


def test_it_ends_with_the_nursery() -> None:
    with nursery() as at:
        connection = ask(at, REFERENCE, ("--stdio",), (0, 1, 2))
        server = int(connection.makefile().readline())
    connection.close()
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)


def test_a_signal_that_comes_before_the_server_s_id_reaches_the_server(tmp_path) -> None:
    """The nursery is played: a server may say that it is ready before its relay knows of it."""
    at = str(tmp_path / "nursery")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as played:
        played.bind(at)
        played.listen(1)
        words = [sys.executable, "-I", "-S", relay.__file__, at, "module"]
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as server:
            with subprocess.Popen(words, stdin=subprocess.DEVNULL) as stands_for_it:
                connection, _ = played.accept()
                with connection:
                    assert connection.recv(1 << 16) == b'["module"]\n'
                    stands_for_it.send_signal(signal.SIGTERM)
                    connection.sendall(b"%d\n" % server.pid)
                    assert server.wait(30) == -signal.SIGTERM
                    connection.sendall(b"0\n")
            assert stands_for_it.returncode == 0
