"""The command `agent-formats`: help with examples first, versions, completion, and exit codes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli.main import COMMANDS, main
from conformance.kit.config.options import OPTIONS
from tests.kit.peers import offering
from tests.kit.plugin.test_bad_input import GOOD
from tests.root import ROOT

PROGRAM = Path(sys.executable).with_name("agent-formats")
HEAVY = {"pytest", "httpx2", "hypothesis", "pydantic", "anyio"}
"""What no `--help` needs."""


def said(capsys, *words):
    """The exit code and what was written, to standard output and standard error."""
    try:
        code = main(words)
    except SystemExit as ended:
        code = ended.code
    return code, *capsys.readouterr()


def test_the_root_help_shows_examples_then_the_commands(capsys):
    code, out, _ = said(capsys, "--help")
    assert code == 0
    at = [out.index(word) for word in ("examples:", "commands (", "options:", "exit codes:")]
    assert at == sorted(at)
    for name, what in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(what)}$", out, re.MULTILINE)


@pytest.mark.parametrize("language", ["es", "pt"])
@pytest.mark.parametrize("before", [True, False])
def test_the_root_help_takes_a_language_as_each_command_does(capsys, language, before):
    asked = ["--language", language]
    code, out, err = said(capsys, *(asked if before else []), "--help", *asked)
    assert (code, err) == (0, "")
    assert "commands (" in out


@pytest.mark.parametrize("asked", [["--language", "es"], ["--language=es"]])
def test_a_language_before_the_command_is_the_one_of_the_command(capsys, asked):
    behind = said(capsys, "explain", "ATDF-TOOL-003", *asked)
    assert said(capsys, *asked, "explain", "ATDF-TOOL-003") == behind
    code, _, err = said(capsys, *asked, "explan")
    assert (code, "¿quiso decir explain?" in err) == (4, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_shows_examples_of_it_and_its_exit_codes(capsys, command):
    code, out, _ = said(capsys, command, "--help")
    assert code == 0
    examples = out[out.index("examples:") : out.index("options:")]
    assert examples.count(f"agent-formats {command} ") >= 2
    assert re.search(r"^exit codes:\n  0  ", out, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_takes_a_language(capsys, command):
    code, out, _ = said(capsys, command, "--help")
    assert code == 0
    assert "--language" in out[out.index("options:") :]


@pytest.mark.parametrize(
    ("language", "expected"),
    [("es", "una respuesta en tres partes"), ("pt", "uma resposta em três")],
)
def test_the_scenarios_are_listed_in_the_language_that_is_chosen(capsys, language, expected):
    code, out, _ = said(capsys, "provider", "--list", "--language", language)
    assert code == 0
    assert expected in out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_example_of_a_help_is_a_line_that_the_command_takes(capsys, command):
    _, out, _ = said(capsys, command, "--help")
    module = __import__(f"conformance.cli.{command}", fromlist=["parser"])
    block = out[out.index("examples:") : out.index("options:")]
    lines = re.findall(rf"^  agent-formats {command} (.*?)(?:  .*)?$", block, re.MULTILINE)
    assert len(lines) >= 2
    for line in lines:
        words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", line.partition(" < ")[0])]
        assert module.parser().parse_intermixed_args(words)


def test_every_option_of_the_kit_is_one_of_check(capsys):
    _, out, _ = said(capsys, "check", "--help")
    assert len(OPTIONS) > 25
    for option in OPTIONS.values():
        assert all(re.search(rf"(?<!\S){flag}\b", out) for flag in option.flags)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_a_help_loads_nothing_that_only_a_session_needs(command):
    words = [sys.executable, "-X", "importtime", PROGRAM, *filter(None, [command]), "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "conformance.cli.main" in loaded
    assert not loaded & HEAVY


def test_versions_of_the_kit_and_of_each_specification(capsys):
    code, out, _ = said(capsys, "--version")
    assert code == 0
    lines = dict(line.split() for line in out.splitlines())
    assert lines.keys() == {"agent-formats", "ardf", "atdf", "bindings", "runtime"}
    assert all(re.fullmatch(r"\d+\.\d+(\.\d+)?", version) for version in lines.values())


@pytest.mark.parametrize(
    ("words", "code", "word"),
    [
        ([], 4, "commands"),
        (["chek"], 4, "chek"),
        (["check", "--levl", "guarded"], 4, "--levl"),
        (["check", "http://h h"], 4, "http://h h"),
        (["check", "--bearer-env", "NOT_SET_ANYWHERE"], 4, "NOT_SET_ANYWHERE"),
        (["explain", "ATDF-ERR-01"], 4, "ATDF-ERR-01"),
        (["check", "--explain", "ATDF-ERR-01"], 4, "ATDF-ERR-01"),
        (["validate"], 2, "FILE"),
        (["convert", "a.json"], 2, "--to"),
        (["merge"], 2, "PATH"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(capsys, words, code, word):
    ended, out, err = said(capsys, *words)
    assert (ended, out) == (code, "")
    assert word in err


def test_a_clause_is_explained_in_three_ways_alike(capsys, kit):
    _, alone, _ = said(capsys, "explain", "ATDF-TOOL-003", "--language", "es")
    _, checked, _ = said(capsys, "check", "--explain", "ATDF-TOOL-003", "--language", "es")
    ran = kit("conformance", "--explain", "ATDF-TOOL-003", "--language", "es")
    assert alone == checked == ran.out
    assert "fixtures/examples/atdf" in alone


def test_the_case_of_a_clause_does_not_matter(capsys):
    assert said(capsys, "explain", "atdf-tool-003") == said(capsys, "explain", "ATDF-TOOL-003")


def test_what_no_session_checks_counts_for_no_level(capsys):
    for id, counts in (("RT-MAN-011", False), ("ATDF-TOOL-005", True)):
        words = said(capsys, "explain", id)[1]
        assert ("Counts for" in words, "Applies to" in words) == (counts, counts)


def test_several_clauses_are_explained_in_turn(capsys):
    code, out, err = said(capsys, "explain", "ATDF-CALL-005", "HTTP-ERR-003")
    each = [said(capsys, "explain", id)[1] for id in ("ATDF-CALL-005", "HTTP-ERR-003")]
    assert (code, out, err) == (0, "\n".join(each), "")
    code, out, err = said(capsys, "explain", "ATDF-CALL-005", "HTTP-ERRR-003")
    assert (code, out, "HTTP-ERR-003" in err) == (4, "", True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("agent-formats ch", {"check "}),
        ("agent-formats check --fail", {"--fail-on "}),
        ("agent-formats check --level rec", {"recoverable "}),
        ("agent-formats explain ATDF-ERR-012", {"ATDF-ERR-012 "}),
        ("agent-formats convert x --to pro", {"problem "}),
    ],
)
def test_a_shell_completes_words(line, expected, tmp_path):
    answers = tmp_path / "answers"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answers),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    subprocess.run([PROGRAM], env=os.environ | asked, check=True, capture_output=True)
    assert set(answers.read_text().split("\n")) == expected


@pytest.mark.parametrize("point", ["x", "", "-1", "99"])
def test_what_no_shell_asks_is_answered_without_our_code(point):
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": os.devnull,
             "COMP_LINE": "agent-formats ch", "COMP_POINT": point}  # fmt: skip
    env = os.environ | asked
    ran = subprocess.run([PROGRAM], env=env, capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr


def test_the_completion_code_is_for_this_command(capsys):
    code, out, _ = said(capsys, "--completion", "bash")
    assert code == 0
    assert re.search(r"complete .*agent-formats$", out, re.MULTILINE)


def test_the_command_takes_targets_on_both_sides_of_options_and_hands_the_rest_to_pytest(tmp_path):
    words = ["check", "http://127.0.0.1:9", "--level", "guarded", "http://127.0.0.1:10"]
    done = subprocess.run(
        [PROGRAM, *words, "--", "--no-such-option"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert "--no-such-option" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_command_reads_the_settings_file(tmp_path):
    (tmp_path / "agent-formats.toml").write_text('target = "http://h h"\nlanguage = "es"\n')
    done = subprocess.run(
        [PROGRAM, "check"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert "http://h h no es un objetivo" in done.stderr


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "This process may open only 12 files, and a session needs 64."),
        ("es", "Este proceso puede abrir solo 12 archivos, y una sesión necesita 64."),
        ("pt", "Este processo pode abrir apenas 12 arquivos, e uma sessão precisa de 64."),
    ],
)
def test_too_few_files_for_a_session_are_one_sentence(tmp_path, language, said):
    line = f'ulimit -n 12; "{PROGRAM}" check http://127.0.0.1:9 --language {language}'
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_in_a_clone_the_reference_server_is_checked_without_a_target():
    done = subprocess.run(
        [PROGRAM, "check", "--profile", "http", "--plan", "--max-examples", "0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "http/hotel_reservation/" in done.stdout


@pytest.mark.slow
def test_a_second_check_replaces_the_report_of_the_first(tmp_path):
    with offering([GOOD], lambda name, arguments: (200, {"ok": True})) as url:
        words = [PROGRAM, "check", url, "--profile", "http", "--max-examples", "0"]
        said = [subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
                for _ in range(2)]  # fmt: skip
    assert [done.returncode for done in said] == [1, 1], said[1].stderr
    assert "Report: " in said[1].stdout
    first, *_, last = said[1].stdout.splitlines()
    assert first == f"Checking {url}: http."  # nothing of pytest's own stands around it
    assert last.startswith("Report: ")


def test_of_many_caches_the_oldest_are_removed_and_nothing_else(tmp_path):
    caches = tmp_path / "cache" / "agent-formats"
    for n in range(60):
        folder = caches / f"{n:016x}"
        (folder / "v").mkdir(parents=True)
        os.utime(folder, (n, n))
    (caches / "mine").mkdir()
    (caches / ("a" * 16)).symlink_to(tmp_path)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run(
        [PROGRAM, "check", "http://127.0.0.1:1"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    left = {path.name for path in caches.iterdir()}
    kept = {f"{n:016x}" for n in range(10, 60)}
    assert left >= {"mine", "a" * 16} | kept
    assert not left & {f"{n:016x}" for n in range(10)}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("chek", "http://127.0.0.1:1"), "there is no command chek; did you mean check?"),
        (("check", "--allow-cals", "all"), "no option --allow-cals; did you mean --allow-calls?"),
        (("check", "--lang", "es"), "no option --lang; did you mean --language?"),
        (("check", "--allow-calls", "al"), "takes one of auto, read-only, all, none, not 'al'"),
        (("check", "--allow-calls", "al"), "did you mean all?"),
        (("check", "--level", "protegido"), "did you mean guarded?"),
        (("check", "--level", "Recuperavel"), "did you mean recoverable?"),
        (("check", "--language", "es", "--level", "protegido"), "¿quiso decir guarded?"),
        (("check", "--lang", "x", "--language=pt"), "não existe a opção --lang;"),
        (("check", "--language", "es", "--seed"), "--seed necesita un valor"),
        (("validate", "--language", "pt", "--as", "erro"), "você quis dizer error?"),
        (("validate", "--language", "pt"), "falta FILE"),
        (("validate", "x", "--language", "es", "--write"), "--write necesita --fix"),
        (("chek", "--language", "es"), "no existe el comando chek; ¿quiso decir check?"),
        (("provider", "--language", "es"), "falta --scenario"),
        (("check", "--max-time", "soon"), "--max-time takes a number, not 'soon'"),
        (("check", "--seed"), "--seed needs a value"),
        (("check", "--plan=x"), "--plan takes no value"),
        (("check", "127.0.0.1:8000"), "did you mean http://127.0.0.1:8000?"),
        (("check", "localhost:8000/mcp"), "did you mean http://localhost:8000/mcp?"),
        (("convert", "x.json"), "--to is missing"),
        (("convert", "x.json", "--too", "ardf"), "there is no option --too; did you mean --to?"),
        (("convert",), "FILE and --to are missing"),
        (("check", "http://127.0.0.1:99999"), "its port is not a number from 1 to 65535"),
        (("check", "http://127.0.0.1:80x"), "its port is not a number from 1 to 65535"),
    ],
)
def test_a_slip_is_told_in_plain_words_with_what_was_meant(capsys, words, expected):
    code, _, err = said(capsys, *words)
    assert code in {2, 4}
    assert expected in err
    assert "argument" not in err.replace("arguments", "")


@pytest.mark.parametrize("rest", ["seed = 1", 'seed = "x"'])
def test_a_wrong_command_line_is_told_in_the_language_of_the_settings(
    capsys, tmp_path, monkeypatch, rest
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent-formats.toml").write_text(f'language = "es"\n{rest}\n')
    _, _, err = said(capsys, "check", "--lang", "pt")
    assert "no existe la opción --lang; ¿quiso decir --language?" in err
    _, _, err = said(capsys, "check", "--seed", "1", "http://127.0.0.1:80x")
    assert "puerto" in err or "admite un número entero" in err


def test_the_first_help_says_that_there_are_three_languages(capsys):
    _, out, _ = said(capsys, "--help")
    assert "Spanish or Portuguese: --language en, es or pt" in out


def test_an_option_is_not_taken_for_one_of_an_example(capsys):
    code, _, err = said(capsys, "--foo")
    assert (code, "did you mean" in err) == (4, False)
    assert "there is no option --foo" in err


def test_an_error_of_a_conversion_names_the_file(capsys, tmp_path):
    for name, text in (("a.json", "{"), ("b.json", '{"tools": [{}]}')):
        (tmp_path / name).write_text(text)
        _, _, err = said(capsys, "convert", str(tmp_path / name), "--to", "descriptor")
        assert err.startswith(f"{tmp_path / name}:")
    _, _, err = said(capsys, "convert", str(tmp_path / "none.json"), "--to", "descriptor")
    assert "none.json" in err


@pytest.mark.parametrize("words", [["provider", "--list"], ["explain", "ATDF-ERR-007"]])
def test_output_that_nobody_reads_on_is_no_traceback(words):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as closed:
        command = [PROGRAM, *words]
        ran = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 4
    assert ran.stderr == ""


def test_a_command_that_is_interrupted_says_so_in_one_line(capsys, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("conformance.cli.explain.main", interrupted)
    assert said(capsys, "explain", "ATDF-ERR-012") == (130, "", "Interrupted.\n")


def test_nothing_to_check_outside_the_clone_is_said(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = said(capsys, "check")
    assert (code, out) == (4, "")
    assert "agent-formats check http://127.0.0.1:8000" in err


@pytest.mark.parametrize("end", ["err-006", "ERR-006"])
def test_the_end_of_an_id_leads_to_each_clause_with_that_end(capsys, end):
    code, _, err = said(capsys, "explain", end)
    assert code == 4
    assert {"ATDF-ERR-006", "HTTP-ERR-006", "RT-ERR-006", "GW-ERR-006"} <= set(
        re.findall(r"[A-Z]+-ERR-006", err)
    )
    _, _, err = said(capsys, "explain", "006")
    assert "ATDF" not in err
