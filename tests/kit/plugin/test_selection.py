"""A selection has no level, the settings file is read, and the replay line repeats the session."""

import json
import re
import shlex
import subprocess
import sys
from types import SimpleNamespace

import pytest

from conformance.cli import check
from conformance.cli.check import parser
from conformance.kit.config.given_files import LARGEST
from conformance.kit.config.options import given_in, repeating, words_of
from conformance.kit.config.settings import OptionUnusable
from conformance.kit.config.settings_file import filled_in
from conformance.kit.plugin.selection import report_folder, selected_by
from conformance.kit.report.reproduce import replay_line
from tests.kit.peers import offering
from tests.kit.plugin.test_bad_input import FILES, GOOD
from tests.kit.sessions import ROOT

CASE = "http/good/wrong-type-string/n"


def config(folder, *args, **held):
    """As much of pytest's configuration as is asked for."""
    return SimpleNamespace(
        invocation_params=SimpleNamespace(args=args, dir=folder),
        option=SimpleNamespace(**{"pyargs": False, **held}),
    )


@pytest.fixture(scope="module")
def faulty():
    """A server of one tool that takes all that it is given."""
    with offering([GOOD], lambda *_: (200, {"ok": True})) as url:
        yield url


def judged(kit, tmp_path, *args, **more):
    ran = kit("--report", str(tmp_path / "out"), *args, **more)
    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "out").iterdir()}
    return ran, files


@pytest.mark.parametrize(
    "args",
    [
        ["conformance", "-k", "ATDF-ERR"],
        ["conformance", "--replay", CASE],
        ["conformance/atdf"],
    ],
    ids=["-k", "--replay", "chapter"],
)
def test_a_selection_has_no_level_and_a_grey_badge(kit, tmp_path, faulty, args):
    ran, files = judged(kit, tmp_path, *args, "--target", faulty, "--profile", "http")
    assert json.loads(files["badge.json"]) == {
        "schemaVersion": 1, "label": "agent formats", "message": "selection", "color": "lightgrey",
    }  # fmt: skip
    results = json.loads(files["results.json"])
    assert results["selection"] is True
    assert [run["level"] for run in results["runs"]] == [None]
    assert "Level:" not in ran.out
    assert "Only a selection was checked" in ran.out
    assert "What keeps it from" not in files["report.html"]


def test_a_plugin_that_removes_items_without_a_word_leaves_a_selection(kit, tmp_path):
    hides = "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if {}]\n"
    (tmp_path / "conftest.py").write_text(hides.format("not i.name.endswith('-good]')"))
    with offering([GOOD, {**GOOD, "name": "other"}], lambda *_: (200, {"ok": True})) as url:
        ran, files = judged(
            kit, tmp_path, "--pyargs", "conformance", "--target", url, "--profile", "http",
            "--max-examples", "0", cwd=tmp_path,
        )  # fmt: skip
    assert json.loads(files["results.json"])["selection"] is True
    assert "Level:" not in ran.out


def test_a_level_that_is_asked_of_a_selection_is_missed_in_words(kit, tmp_path, faulty):
    ran, _ = judged(
        kit, tmp_path, "conformance", "-k", "HTTP-WIRE", "--target", faulty, "--profile", "http",
        "--level", "described",
    )  # fmt: skip
    assert ran.code == 1
    assert "A selection cannot show whether" in ran.out


@pytest.mark.slow
def test_the_report_prints_a_replay_line_that_finds_the_same_again(kit, tmp_path, faulty):
    secret = "s3cret-of-a-header"
    _, files = judged(
        kit, tmp_path, "conformance", "--target", faulty, "--profile", "http",
        "--include-tool", "g*", "-H", f"X-Api-Key: {secret}", "--rate", "900",
    )  # fmt: skip
    found = re.search(r"<code>([^ ]*agent-formats check .*?)</code>", files["summary.md"])
    shown = re.sub(r"\\(.)", r"\1", found[1]).replace("&#58;<!-- -->", ":").replace("&#64;", "@")
    words = shlex.split(shown)[2:]
    assert words[0] == faulty
    assert words[words.index("--include-tool") :][:2] == ["--include-tool", "g*"]
    assert "X-Api-Key: «secret-1»" in words
    again = [word.replace("«secret-1»", secret) for word in words]
    ran = kit("conformance", "--target", *again, "--report", str(tmp_path / "again"))
    assert ran.code == 1
    assert "ATDF-CALL-0" in ran.out
    assert words[-2] == "--replay"


def given(*args):
    """What a command line gives, by `dest`."""
    return given_in(vars(parser().parse_args(args)))


def test_a_session_with_the_reference_names_no_port_that_is_gone():
    assert repeating(given()) == ()


def test_only_what_was_given_is_repeated():
    args = ["--target=http://h", "-k", "x", "--rate", "5", "--level", "guarded",
            "-H", "A: b", "-H", "C: d", "--report", "x", "-vv"]  # fmt: skip
    assert repeating(given(*args)) == (
        "--target", "http://h", "--header", "A: b", "--header", "C: d", "--rate", "5",
    )  # fmt: skip


def test_what_the_shell_would_take_for_its_own_stays_as_it_is():
    target = "stdio:run '$HOME' \"x\""
    line = replay_line(["--target", target], "stdio/a b/c", ROOT)
    assert shlex.split(line)[1:] == ["check", target, "--replay", "stdio/a b/c"]


def test_the_targets_stand_first_in_a_line_as_people_write_them():
    words = ["--target", "http://h", "--seed", "3", "--target", "http://g", "--target=-odd"]
    line = replay_line(words, "http/a/b", ROOT)
    told = ["check", "http://h", "http://g", "--seed", "3", "--target=-odd"]
    assert shlex.split(line)[1:] == [*told, "--replay", "http/a/b"]


def test_a_command_stands_in_the_line_in_one_pair_of_quotes():
    target = "stdio:uvx mcp-server-time --local-timezone Europe/Lisbon"
    line = replay_line(["--target", target], "stdio/tool/missing/name", ROOT)
    assert line.endswith(f"agent-formats check '{target}' --replay stdio/tool/missing/name")


@pytest.mark.slow
def test_a_line_for_elsewhere_than_the_installation_holds_in_every_directory(tmp_path):
    started, other = tmp_path / "started", tmp_path / "another/place"
    started.mkdir()
    other.mkdir(parents=True)
    line = replay_line(["--target", "http://h"], "http/a b/c", started)
    for there in (started, other):
        ran = subprocess.run(
            [*shlex.split(line), "--explain", "ATDF-ERR-012"],
            cwd=there, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert shlex.split(line)[-4:] == ["check", "http://h", "--replay", "http/a b/c"]


def test_a_line_names_a_command_below_the_directory_by_its_way_from_there(tmp_path, monkeypatch):
    script = tmp_path / "app/.venv/bin/agent-formats"
    script.parent.mkdir(parents=True)
    script.touch()
    monkeypatch.setattr(sys, "executable", str(script.with_name("python")))
    monkeypatch.setenv("PATH", "")
    assert replay_line([], "a", tmp_path / "app").startswith(".venv/bin/agent-formats check")
    assert replay_line([], "a", tmp_path / "else").startswith(f"{script} check")


FILE = 'target = ["http://h"]\nrate = 5\nlanguage = "es"\nallow-calls = "none"\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("agent-formats.toml", FILE),
        ("pyproject.toml", "[tool.agent-formats]\n" + FILE.replace("-", "_")),
    ],
)
def test_settings_may_stand_in_a_file(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    held, told = filled_in(given("--rate", "7"), tmp_path)
    assert held == {
        "rate": 7.0, "target": ["http://h"], "language": "es", "allow_calls": "none",
    }  # fmt: skip
    assert repeating(held)[:2] == ("--target", "http://h")
    assert told.words() == f"Options from {name}: --target, --allow-calls, --language."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tarjet = 'x'", ["tarjet", "target"]),
        ("rate = 'quick'", ["--rate", "quick"]),
        ("language = 'fr'", ["--language", "fr"]),
        ("rate = {a = 1}", ["rate"]),
        ("x = = 1", ["line 1"]),
        ("sandbox = 'yes'", ["sandbox", "true or false"]),
        ("plan = true", ["plan", "command line"]),
        ("judge = 'exchanges.ndjson'", ["judge", "command line"]),
        ("replay = 'http/a/b'", ["replay", "command line"]),
    ],
)
def test_a_settings_file_that_cannot_be_used_is_one_sentence(tmp_path, text, words):
    (tmp_path / "agent-formats.toml").write_text(text)
    with pytest.raises(OptionUnusable) as refused:
        filled_in({}, tmp_path)
    assert all(word in str(refused.value) for word in ["agent-formats.toml", *words])


@pytest.mark.parametrize("text", ["explain = 'ATDF-ERR-001'", "plan = true"])
def test_no_settings_file_of_a_repository_ends_a_check_with_0(tmp_path, monkeypatch, capsys, text):
    (tmp_path / "pyproject.toml").write_text(f"[tool.agent-formats]\n{text}\n")
    monkeypatch.chdir(tmp_path)
    assert check.main(["http://127.0.0.1:9", "--level", "recoverable"]) == 4
    assert "replaces the full check" in capsys.readouterr().err


def test_a_pyproject_of_others_says_nothing(tmp_path):
    other = ("[tool.ruff]\nline-length = 100\n", "tool = 5", "[tool]\nagent-formats = 5", "x = =")
    for text in other:
        (tmp_path / "pyproject.toml").write_text(text)
        assert filled_in({}, tmp_path) == ({}, None)


def test_settings_in_double_brackets_are_refused_and_not_passed_over(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[[tool.agent-formats]]\nlevel = 'guarded'\n")
    with pytest.raises(OptionUnusable, match="one table, in single brackets"):
        filled_in({}, tmp_path)


@pytest.mark.parametrize("before", ["x = =", "\ufeff", "# " + "x" * LARGEST])
def test_a_pyproject_with_settings_that_cannot_be_read_is_refused(tmp_path, before):
    text = f'{before}\n[tool.agent-formats]\nlevel = "guarded"\n'
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(OptionUnusable, match=r"pyproject\.toml cannot be used"):
        filled_in({}, tmp_path)


def test_a_value_that_pytest_would_take_for_a_file_of_options_stays_one_word():
    assert list(words_of({"include_tool": ["@a/b", "-c", "d"]})) == [
        "--include-tool=@a/b", "--include-tool=-c", "--include-tool", "d",
    ]  # fmt: skip


def test_a_session_takes_its_settings_from_the_folder_that_it_is_started_in(kit, tmp_path):
    (tmp_path / "agent-formats.toml").write_text('target = "http://h h"\n')
    ran = kit(str(ROOT / "conformance"), cwd=tmp_path)
    assert ran.code == 4
    assert "http://h h is not a target" in ran.said


@pytest.mark.parametrize("quiet", [[], ["-q"], ["-qq"]])
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Options from agent-formats.toml: --allow-calls, --max-time."),
        ("es", "Opciones de agent-formats.toml: --allow-calls, --max-time."),
        ("pt", "Opções de agent-formats.toml: --allow-calls, --max-time."),
    ],
)
def test_the_head_says_which_options_came_from_the_settings_file(
    kit, tmp_path, faulty, language, said, quiet
):
    (tmp_path / "agent-formats.toml").write_text(
        'allow-calls = "none"\nmax-time = 60\nmax-examples = 3\n'
    )
    ran = kit(
        str(ROOT / "conformance"), "--target", faulty, "--language", language,
        "--max-examples", "0", "-k", "ATDF-TOOL-001", *quiet, cwd=tmp_path,
    )  # fmt: skip
    assert said in ran.said


WHOLE = ROOT / "conformance"


@pytest.mark.parametrize(
    ("given", "held", "folder"),
    [
        ("conformance-report", {}, "conformance-report"),
        ("conformance-report", {"replay": CASE}, "conformance-report/replay"),
        ("conformance-report", {"keyword": "ATDF"}, "conformance-report/selection"),
        ("conformance-report", {"paths": [WHOLE / "atdf"]}, "conformance-report/selection"),
        ("elsewhere", {"replay": CASE}, "elsewhere"),
        ("elsewhere", {"keyword": "ATDF"}, "elsewhere"),
    ],
)
def test_the_report_of_a_part_leaves_the_whole_one_where_it_is(tmp_path, given, held, folder):
    assert report_folder(asking(tmp_path, report=given, **held)) == tmp_path / folder


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ({}, ""),
        ({"paths": [ROOT]}, ""),
        ({"paths": [WHOLE / "atdf", WHOLE]}, ""),
        ({"paths": [WHOLE / "mcp/test_lists.py::test_x"]}, f"{WHOLE}/mcp/test_lists.py::test_x"),
        ({"keyword": "ATDF or MCP", "markexpr": "must"}, "-k 'ATDF or MCP' -m must"),
        ({"deselect": ["a", "b"], "lf": True}, "--deselect a --deselect b --lf"),
    ],
)
def test_what_is_selected_is_said_as_it_was_written(tmp_path, held, words):
    assert selected_by(asking(tmp_path, **held)) == words


def asking(folder, *, report="conformance-report", paths=(WHOLE,), **held):
    """As much of pytest's configuration as a selection shows in."""
    made = config(folder, **held)
    made.args = [str(path) for path in paths]
    made.getoption = {"--report": report, "--replay": held.get("replay")}.__getitem__
    return made


def test_the_report_of_a_selection_says_at_its_top_what_was_selected(kit, tmp_path, faulty):
    whole = tmp_path / "conformance-report" / "report.html"
    whole.parent.mkdir()
    whole.write_text("the whole one")
    ran = kit(
        str(WHOLE), "-k", "ATDF-ERR or x", "--target", faulty, "--profile", "http",
        "--language", "es", cwd=tmp_path,
    )  # fmt: skip
    own = whole.parent / "selection"
    assert "Seleccionado con: -k 'ATDF-ERR or x'" in ran.out
    assert whole.read_text() == "the whole one"
    page = (own / "report.html").read_text("utf-8")
    assert "Seleccionado con: <code>-k &#39;ATDF-ERR or x&#39;</code>" in page
    assert "Seleccionado con: <code>" in (own / "summary.md").read_text("utf-8")
    assert json.loads((own / "results.json").read_text("utf-8"))["selected"] == (
        "-k 'ATDF-ERR or x'"
    )


def test_a_selection_that_leaves_nothing_out_is_whole_and_yet_leaves_the_whole_report_alone(
    kit, tmp_path, faulty
):
    folder = tmp_path / "conformance-report"
    folder.mkdir()
    (folder / "results.json").write_text("the one before")
    ran = kit(
        str(WHOLE), "--lf", "-k", "not NOPE", "--target", faulty, "--profile", "http",
        "-o", f"cache_dir={tmp_path / 'cache'}", cwd=tmp_path,
    )  # fmt: skip
    own = folder / "selection"
    results = json.loads((own / "results.json").read_text("utf-8"))
    assert (results["selection"], results["selected"]) == (False, "")
    assert {path.name for path in own.iterdir()} == {*FILES, "test_replay.py"}
    assert (folder / "results.json").read_text() == "the one before"
    assert "conformance-report/selection/report.html" in ran.out


@pytest.mark.parametrize("there", [True, False])
def test_where_nothing_is_selected_no_report_is_left(kit, tmp_path, faulty, there):
    folder = tmp_path / "conformance-report"
    if there:
        folder.mkdir()
        (folder / "results.json").write_text("the whole one")
    ran = kit(str(WHOLE), "-k", "NOPE", "--target", faulty, cwd=tmp_path)
    assert ran.code == 5 and "-k NOPE" in ran.out
    assert "html" not in ran.said and "xml" not in ran.said
    assert [path.name for path in tmp_path.rglob("*")] == (
        ["conformance-report", "results.json"] if there else []
    )


def test_where_nothing_is_selected_a_report_that_pytest_was_asked_for_is_written(
    kit, tmp_path, faulty
):
    own = [str(tmp_path / "own.html"), str(tmp_path / "own.xml")]
    ran = kit(
        str(WHOLE), "-k", "NOPE", "--target", faulty, "--html", own[0], "--junitxml", own[1],
        "--report", str(tmp_path / "out"), cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 5
    assert sorted(map(str, tmp_path.glob("own.*"))) == own
    assert not (tmp_path / "out").exists()
