"""What surrounds the command is hostile: closed streams, its directory, its variables, pipes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.drive.test_driving import COUNT
from tests.kit.peers import offering
from tests.kit.plugin.test_report_files import wrong

AF = [sys.executable, "-c", "import sys; from conformance.cli.main import main; sys.exit(main())"]
EVIL = "\x1b[2J\n::error::x"


def run(*words, shell="", **variables):
    """The exit code and all that the command says."""
    environment = {**os.environ, **variables}
    own = ["sh", "-c", f'exec "$@" {shell}', "sh", *AF, *words]
    ended = subprocess.run(
        own, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, check=False
    )
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_no_exit_code(closed):
    assert run("explain", "ATDF-ERR-012", shell=closed)[0] == 0
    assert run("explain", "NONE", shell=closed)[0] == 4


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="streams are closed by a shell")
def test_a_session_without_streams_has_its_report(tmp_path):
    with offering([COUNT], wrong) as url:
        words = ["check", url, "--report", str(tmp_path), "-k", "ATDF-TOOL"]
        code, _ = run(*words, shell="<&- >&- 2>&-")
    assert code in {0, 1, 5}
    assert code == 5 or (tmp_path / "results.json").is_file()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell connects the commands")
def test_a_session_whose_reader_ends_goes_on_and_has_its_report(tmp_path):
    with offering([COUNT], wrong) as url:
        words = ["check", url, "--report", str(tmp_path), "-k", "ATDF-TOOL"]
        _, said = run(*words, shell="2>&1 | head -n 1")
    assert said.count("\n") == 1
    assert (tmp_path / "results.json").is_file()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["explain", "ATDF-ERR-012"], ["--version"], ["merge", "none"]])
def test_a_full_output_is_one_sentence(words):
    code, said = run(*words, shell=">/dev/full" if words[0] != "merge" else "2>/dev/full")
    assert code == 4
    assert said.count("\n") == (words[0] != "merge")
    assert "Traceback" not in said


def test_a_stream_that_knows_few_signs_gets_their_escapes():
    code, said = run("explain", "ATDF-ERR-012", "--language", "es", PYTHONIOENCODING="ascii")
    assert code == 0
    assert "\\xed" in said


TOOLS = '{"tools": [{"name": "t", "description": "d", "inputSchema": {"type": "object"}}]}'


@pytest.mark.parametrize(
    "given",
    [
        {"PYTHONOPTIMIZE": "2"},
        {"PYTHONWARNINGS": "error"},
        {"PYTHONDEVMODE": "1"},
        {"PYTHONUTF8": "0", "LC_ALL": "C"},
        {"LC_ALL": "xx_YY", "LANGUAGE": "../../x", "TERM": "../../x", "COLUMNS": "-5"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_variable_of_the_system_changes_no_answer(given, tmp_path):
    (tmp_path / "tools.json").write_text(TOOLS)
    code, said = run("validate", str(tmp_path / "tools.json"), **given)
    assert (code, "1 valid" in said) == (0, True), said


MODULES = ("json", "typing", "yaml", "pytest", "httpx2", "conformance", "sitecustomize")


@pytest.mark.parametrize(
    "words", [["explain", "ATDF-ERR-012"], ["validate", "tools.json"], ["merge", "."]], ids=" ".join
)
def test_no_module_of_the_current_directory_is_run(tmp_path, monkeypatch, words):
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text("open('owned', 'w').close()\n")
    (tmp_path / "tools.json").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    program = Path(sys.executable).parent / "agent-formats"
    ended = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "owned").exists()


@pytest.mark.slow
def test_a_terminal_of_a_billion_columns_is_not_filled(tmp_path):
    with offering([COUNT], wrong) as url:
        words = ["check", url, "--report", str(tmp_path), "-k", "ATDF-TOOL"]
        _, said = run(*words, COLUMNS="1000000")
    assert max(map(len, said.splitlines())) < 1000


@pytest.mark.skipif(sys.platform == "win32", reason="a directory in use stays there")
@pytest.mark.parametrize("command", ["check", "explain"])
def test_a_directory_that_is_gone_is_one_sentence(tmp_path, command):
    gone = tmp_path / "gone"
    gone.mkdir()
    words = ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(gone), *AF, command, "x"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 4
    assert ended.stderr == "The current directory is gone: change to one that exists.\n"


@pytest.mark.parametrize(
    "words", [[EVIL], ["check", f"--{EVIL}"], ["check", "--language", EVIL], ["explain", EVIL],
              ["convert", "--to", EVIL, "x"], ["provider", "--scenario", EVIL]]
)  # fmt: skip
def test_words_of_a_command_line_come_back_visible(words):
    code, said = run(*words)
    assert code in {2, 4}
    assert "\x1b" not in said
    assert not any(line.lstrip().startswith("::") for line in said.splitlines())


@pytest.mark.parametrize(
    "words",
    [["--gateway", "openai+http://127.0.0.1:1/\x01"],
     ["--gateway", "openai+http://127.0.0.1:1/", "--provider", "127.0.0.1:" + "9" * 5000]],
)  # fmt: skip
def test_addresses_that_cannot_be_are_one_sentence(words):
    code, said = run("check", *words)
    assert code == 4
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "proxy", ["socks5://user:s3cr3t-of-a-proxy@127.0.0.1:9", "foo://127.0.0.1:9", "http://[::1:9",
              "http://127.0.0.1:99999999", "http://a\x1bb"]
)  # fmt: skip
def test_a_proxy_that_cannot_be_used_is_one_sentence(proxy, tmp_path):
    variables = dict.fromkeys(("ALL_PROXY", "HTTP_PROXY", "http_proxy"), proxy)
    variables |= dict.fromkeys(("NO_PROXY", "no_proxy"), "")
    code, said = run("check", "http://192.0.2.1/", "--report", str(tmp_path / "r"), **variables)
    assert code == 4
    assert "the proxy that the environment names cannot be used" in said
    assert "s3cr3t" not in said


@pytest.mark.parametrize(
    "words",
    [
        ["--max-time", "nan"],
        ["--rate", "1e-320"],
        ["--request-timeout", "inf", "--concurrency", "9" * 20],
        ["--seed", "9" * 6000],
        ["--max-examples", "9" * 23],
        ["-H", "X: a\r\nEvil: 1"],
        ["-H", f"X{EVIL}: a"],
        ["--include-tool", "*a" * 5000 + "b"],
        ["--replay", EVIL],
        ["-k", "__import__('os').system('touch pwned')"],
        ["-k", "(" * 3000],
        ["http://[::1%25lo]:9/"],
    ],
)
def test_values_that_are_none_are_refused_in_words(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, said = run("check", "http://127.0.0.1:9", *words)
    assert code == 4
    assert "Traceback" not in said
    assert "\x1b" not in said
    assert not (tmp_path / "pwned").exists()


def test_a_variable_does_not_let_the_kit_read_numbers_without_end(tmp_path):
    long = tmp_path / "long.json"
    long.write_text('{"n": %s}' % ("9" * 3_000_000), "utf-8")
    code, said = run("validate", str(long), PYTHONINTMAXSTRDIGITS="0")
    assert code == 2
    assert "digits" in said
