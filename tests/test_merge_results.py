"""Merging the results of many targets into one table."""

import json

import pytest

from scripts.merge_results import main, merged
from tests.kit_sessions import ROOT

KNOWN = ROOT / "fixtures" / "implementations"
GIT = KNOWN / "mcp-server-git.results.json"


def test_each_run_of_each_file_is_a_row():
    rows = merged([KNOWN])
    runs = sum(len(json.loads(file.read_bytes())["runs"]) for file in KNOWN.glob("*.results.json"))
    assert len(rows) == runs > 4
    assert {row.name for row in rows} >= {"mcp-server-git", "mcp-server-time"}


def test_a_report_is_named_after_the_folder_around_it(tmp_path):
    for folder in ("one", "two/conformance-report"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "results.json").write_bytes(GIT.read_bytes())
    assert {row.name for row in merged([tmp_path])} == {"one", "two"}


def test_the_table_is_markdown_in_which_a_target_cannot_write(tmp_path, capsys):
    (tmp_path / "a|b<i>.results.json").write_bytes(GIT.read_bytes())
    assert main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| target | run | level |") and "<i>" not in lines[2]
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_json_holds_the_figures_of_the_files(capsys):
    assert main(["--json", str(GIT)]) == 0
    (row, *_) = json.loads(capsys.readouterr().out)
    runs = json.loads(GIT.read_bytes())["runs"]
    (run,) = (each for each in runs if each["run"] == row["run"])
    assert (row["run"], row["repair"], row["requests"]) == (
        run["run"],
        run["repair"]["rate"],
        run["requests"],
    )


@pytest.mark.parametrize(
    ("text", "said"), [("{", "cannot be read"), ('{"kit": 1}', "$"), ("[]", "$")]
)
def test_a_file_that_is_no_results_is_named(tmp_path, capsys, text, said):
    file = tmp_path / "results.json"
    file.write_text(text)
    assert main([str(tmp_path)]) == 1
    assert str(file) in (err := capsys.readouterr().err) and said in err


def test_a_folder_without_results_is_no_empty_table(tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    assert "results.json" in capsys.readouterr().err
