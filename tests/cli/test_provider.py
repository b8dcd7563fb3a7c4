"""The command `agent-formats provider`: serves one scenario, and says what happens."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from conformance.cli.provider import main
from conformance.kit.cases.provider.scenarios import SCENARIOS
from fixtures.ports import free_port
from tests.waiting import until

PROGRAM = Path(sys.executable).with_name("agent-formats")
HELLO = {"model": "gpt\x1b[31m", "messages": [{"role": "user", "content": "hello"}]}


@contextmanager
def serving(scenario):
    """The command in a process of its own: its address, its key, and what it tells by its end."""
    words = [PROGRAM, "provider", "--scenario", scenario, "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            told: list[str] = []
            shown = "".join(process.stdout.readline() for _ in range(5))
            url = re.search(r"OPENAI_BASE_URL=(\S+)", shown)[1]
            key = re.search(r"API key: (\S+)", shown)[1]
            yield url, {"authorization": f"Bearer {key}"}, told
        finally:
            process.send_signal(signal.SIGTERM)
            told.append(process.stdout.read())
    assert process.returncode == 0


def test_a_scenario_is_played_and_told_line_by_line():
    with serving("flaky-429-2") as (url, key, lines):
        statuses = [
            httpx2.post(f"{url}/chat/completions", json=HELLO, headers=key).status_code
            for _ in range(4)
        ]
    assert statuses == [429, 429, 200, 429]
    told = lines[0]
    assert [int(n) for n in re.findall(r"attempt (\d)", told)] == [1, 2, 3, 1]
    assert [int(n) for n in re.findall(r"status (\d+)", told)] == statuses
    assert "key than the one above" not in told
    assert "\x1b" not in told


def test_a_key_of_the_user_is_told_of_and_never_shown():
    with serving("text") as (url, _, lines):
        headers = {"authorization": "Bearer sk-of-a-person"}
        answer = httpx2.post(f"{url}/chat/completions", json=HELLO, headers=headers)
    assert answer.json()["choices"][0]["message"]["content"] == "Hello from the fake provider."
    told = lines[0]
    assert "another key than the one above" in told
    assert "sk-of-a-person" not in told


def test_a_path_of_no_provider_is_answered_with_those_that_there_are():
    with serving("text") as (url, key, _):
        answer = httpx2.post(f"{url}/embeddings", json={}, headers=key)
        models = httpx2.get(f"{url}/models", headers=key)
    assert answer.status_code == 404
    assert "/openai/v1/chat/completions" in answer.json()["error"]["message"]
    assert models.json()["object"] == "list"


def test_the_list_names_each_scenario(capsys):
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(SCENARIOS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--scenario is missing"),
        (["--scenario", "flaky-429-4"], "there is no scenario flaky-429-4"),
        (["--scenario", "flaki-429-2"], "flaky-429-2"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_sentence(capsys, words, said):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 4
    assert said in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_with_the_way_out(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--scenario", "text", "--port", str(port)]) == 4
    said = capsys.readouterr().err
    assert f"port {port}" in said
    assert "--port 0" in said


def test_an_application_is_answered_also_when_nobody_reads_the_lines_any_more():
    words = [PROGRAM, "provider", "--scenario", "text", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            shown = "".join(process.stdout.readline() for _ in range(5))
            url = re.search(r"OPENAI_BASE_URL=(\S+)", shown)[1]
            process.stdout.close()
            for _ in range(2):
                answer = httpx2.post(f"{url}/chat/completions", json=HELLO)
                assert answer.status_code == 200
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux alone has a full device")
def test_an_application_is_answered_also_if_there_is_no_room_for_the_lines():
    port = free_port()
    words = [PROGRAM, "provider", "--scenario", "text", "--port", str(port)]
    with Path("/dev/full").open("w") as full, subprocess.Popen(words, stdout=full) as process:
        try:
            until(lambda: listens(port))
            url = f"http://127.0.0.1:{port}/openai/v1/chat/completions"
            assert httpx2.post(url, json=HELLO).status_code == 200
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


def listens(port):
    with socket.socket() as link:
        return link.connect_ex(("127.0.0.1", port)) == 0
