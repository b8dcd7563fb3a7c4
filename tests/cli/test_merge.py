"""Merging the results of many targets into one table."""

import json
import os
import tracemalloc
from dataclasses import replace
from errno import EACCES
from os import strerror
from pathlib import Path

import pytest

from conformance.cli import merge_found
from conformance.cli.merge import main
from conformance.cli.merge_found import look
from tests.kit.sessions import ROOT

KNOWN = ROOT / "tests" / "cli" / "kept"
GIT = KNOWN / "mcp-server-git.results.json"


def small(**changed):
    """A document of one run with a few verdicts: a whole one takes a second to validate."""
    document = json.loads(GIT.read_bytes())
    run = document["runs"][0]
    return {**document, "runs": [{**run, "items": run["items"][:5]}], **changed}


def test_each_run_of_each_file_is_a_row():
    rows = look([KNOWN]).rows
    runs = sum(len(json.loads(file.read_bytes())["runs"]) for file in KNOWN.glob("*.results.json"))
    assert len(rows) == runs > 4
    assert {row.name for row in rows} >= {"mcp-server-git", "mcp-server-time"}


def test_a_report_is_named_after_the_folder_around_it(tmp_path):
    for folder in ("one", "two/conformance-report"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "results.json").write_bytes(GIT.read_bytes())
    assert {row.name for row in look([tmp_path]).rows} == {"one", "two"}


def test_a_result_that_is_a_link_to_that_of_another_target_is_a_row_of_its_own(tmp_path):
    for name in ("good", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "good" / "results.json").write_text(json.dumps(small()))
    (tmp_path / "other" / "results.json").symlink_to(tmp_path / "good" / "results.json")
    assert {row.name for row in look([tmp_path]).rows} == {"good", "other"}


def test_a_directory_that_nobody_may_look_into_is_a_row(tmp_path, capsys, monkeypatch):
    for name in ("closed", "open"):
        (tmp_path / name).mkdir()
    (tmp_path / "open" / "results.json").write_text(json.dumps(small()))

    def denied(path, ask):
        if path.name == "closed":
            raise PermissionError(EACCES, strerror(EACCES), str(path))
        return ask(path)

    listed, scanned = Path.iterdir, os.scandir
    monkeypatch.setattr(Path, "iterdir", lambda path: denied(path, listed))
    monkeypatch.setattr(os, "scandir", lambda path: denied(Path(path), scanned))
    assert main([str(tmp_path)]) == 3
    said = capsys.readouterr()
    assert "closed: it cannot be read: permission denied" in said.err
    assert "| closed | no result |" in said.out
    assert "| open |" in said.out


def test_the_table_is_markdown_in_which_a_target_cannot_write(tmp_path, capsys):
    (tmp_path / "a|b<i>.results.json").write_bytes(GIT.read_bytes())
    assert main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| report | target | run | level |") and "<i>" not in lines[2]
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_a_row_has_the_target_and_what_a_superseded_version_came_to(capsys):
    assert main([str(GIT)]) == 0
    lines = [line.strip("| \n").split(" | ") for line in capsys.readouterr().out.splitlines()]
    cells = {line[2]: line for line in lines}
    document = json.loads(GIT.read_bytes())
    for run in document["runs"]:
        assert cells[run["run"]][1].replace("\\", "") == run["target"]
        assert ("protocol only" in cells[run["run"]][3]) is (run["kind"] == "protocol")
    assert {run["kind"] for run in document["runs"]} == {"full", "protocol"}
    assert not any("not judged" in cell for line in lines for cell in line)


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


def test_results_without_a_run_are_none(tmp_path, capsys):
    file = tmp_path / "results.json"
    file.write_text(json.dumps({**json.loads(GIT.read_bytes()), "runs": []}))
    assert main([str(file)]) == 1
    assert f"{file}: it is not a results file" in capsys.readouterr().err
    file.write_text('{"runs": []}')
    assert main([str(file)]) == 1
    assert f"{file}: it is not a results file" in capsys.readouterr().err


@pytest.fixture
def reports(tmp_path):
    """Three targets: one was judged, two could not be reached."""
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "results.json").write_bytes(GIT.read_bytes())
    (tmp_path / "good" / "replay").mkdir()
    (tmp_path / "away").mkdir()
    (tmp_path / "gone" / "conformance-report").mkdir(parents=True)
    return tmp_path


def test_a_target_without_a_result_is_a_row_and_a_code_of_its_own(reports, capsys):
    assert main([str(reports)]) == 3
    out, err = capsys.readouterr()
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines()]
    assert [line[0] for line in lines if line[1] == "no result"] == ["away", "gone"]
    assert {len(line) for line in lines} == {13} and "good" in [line[0] for line in lines]
    told = [line.removesuffix(": no results.json in it") for line in err.splitlines()]
    assert told == [str(reports / "away"), str(reports / "gone")]


def test_what_was_asked_for_and_is_not_there_is_a_row_too(reports, capsys):
    nope = reports / "nope"
    assert main(["--json", str(reports / "good"), str(nope)]) == 3
    out, err = capsys.readouterr()
    *_, last = json.loads(out)
    assert {key for key, value in last.items() if value is not None} == {"name"}
    assert (last["name"], err) == ("nope", f"{nope}: there is no such file or directory\n")
    assert main([str(nope)]) == 1
    assert f"{nope}: there is no such file or directory\n" in capsys.readouterr().err


def test_the_help_names_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert "3  the table was written, but the result of a target is missing" in said


@pytest.fixture
def parts(tmp_path):
    """One target judged as a whole and in part, one only in part, and a part under its own name."""
    whole = small()
    part = json.dumps({**whole, "selection": True, "selected": "-k ATDF"})
    for place in ("both/conformance-report", "part/conformance-report", "elsewhere"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "both/conformance-report/results.json").write_text(json.dumps(whole))
    for place in (
        "both/conformance-report/selection",
        "both/conformance-report/replay",
        "part/conformance-report/selection",
        "elsewhere",
    ):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "results.json").write_text(part)
    return tmp_path


def test_a_session_of_a_part_is_no_target_of_its_own(parts, capsys):
    assert main([str(parts / "both")]) == 0
    out, err = capsys.readouterr()
    assert {line.split(" | ")[0] for line in out.splitlines()[2:]} == {"| both"}
    assert len(err.splitlines()) == 2 and "replay" in err and "left out" in err
    assert main(["--json", str(parts / "both" / "conformance-report")]) == 0
    assert {row["name"] for row in json.loads(capsys.readouterr().out)} == {"both"}


def test_a_target_judged_only_in_part_has_no_result(parts, capsys):
    assert main(["--json", str(parts)]) == 3
    out, err = capsys.readouterr()
    found = {row["name"]: row["run"] for row in json.loads(out)}
    assert found == {"both": found["both"], "elsewhere": None, "part": None} and found["both"]
    assert f"{parts}/elsewhere/results.json: only a part was checked (-k ATDF)" in err


def test_an_interrupted_session_has_no_level_in_the_table(tmp_path, capsys):
    for name, cut in (("cut", True), ("whole", False)):
        document = json.dumps(small(interrupted=cut))
        (tmp_path / f"{name}.results.json").write_text(document)
    level = json.loads(document)["runs"][0]["level"]
    assert main([str(tmp_path)]) == 3
    out, err = capsys.readouterr()
    levels = [line.split(" | ")[3] for line in out.splitlines()[2:]]
    assert levels == ["interrupted", level.capitalize()]
    why = "the session was interrupted, or its --max-time was up, so there is no level"
    assert err == f"{tmp_path}/cut.results.json: {why}\n"
    assert main(["--json", str(tmp_path)]) == 3
    cut, whole = json.loads(capsys.readouterr().out)
    assert (cut["level"], cut["interrupted"]) == (None, True)
    assert (whole["level"], whole["interrupted"]) == (level, False)


def test_what_is_waived_and_stale_waivers_are_told(tmp_path, capsys):
    document = small()
    for item in document["runs"][0]["items"][:2]:
        item["verdict"] = "waived"
    stale = {"message": "It is over.", "message_id": "kit.waivers.over", "values": {"until": "1"}}
    waiver = {"clause": "ATDF-CAT-001", "tool": None, "run": None, "reason": "x", "until": None,
              "line": 1, "waived": 0}  # fmt: skip
    document["waivers"] = [waiver | {"stale": None}, waiver | {"stale": stale}]
    file = tmp_path / "x.results.json"
    file.write_text(json.dumps(document))
    assert main([str(file)]) == 0
    heads, _, row = (line.split(" | ") for line in capsys.readouterr().out.splitlines())
    told = dict(zip(heads, row, strict=True))
    assert (told["failed"], told["waived"], told["stale waivers"]) == ("0", "2", "1")
    assert main(["--json", str(file)]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["waived"], row["stale"]) == (2, 1)


def test_a_file_that_was_cut_short_does_not_keep_the_others_from_the_table(tmp_path, capsys):
    whole = json.dumps(small())
    for name, text in (("cut", whole[:-40]), ("good", whole)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(text)
    assert main([str(tmp_path)]) == 3
    out, err = capsys.readouterr()
    rows = [line.split(" | ")[:2] for line in out.splitlines()[2:]]
    assert [name for name, _ in rows] == ["| good", "| cut"] and rows[1][1] == "unusable file"
    wrong = "it cannot be read as JSON: the text goes wrong at line 1, column "
    assert err.startswith(f"{tmp_path}/cut/results.json: {wrong}")
    assert err.count("\n") == 1
    assert main(["--json", str(tmp_path)]) == 3
    *_, last = json.loads(capsys.readouterr().out)
    assert {key for key, value in last.items() if value is not None} == {"name"}


def test_what_the_schema_allows_and_the_kit_cannot_read_is_unusable_too(tmp_path, capsys):
    document = small()
    document["runs"][0]["items"][0] |= {"message_id": "x", "message": "x", "values": None}
    (tmp_path / "x.results.json").write_text(json.dumps(document))
    assert main([str(tmp_path)]) == 1
    assert "results file of the kit: results.json holds a wrong value" in capsys.readouterr().err


def test_the_folder_of_a_part_may_be_a_target_of_that_name(tmp_path, capsys):
    (tmp_path / "replay").mkdir()
    (tmp_path / "replay" / "results.json").write_text(json.dumps(small()))
    assert main(["--json", str(tmp_path)]) == 0
    assert {row["name"] for row in json.loads(capsys.readouterr().out)} == {"replay"}


@pytest.mark.parametrize("name", ["selection", "replay"])
def test_a_whole_session_in_the_folder_of_a_part_is_not_left_out(tmp_path, capsys, name):
    (tmp_path / "m" / name).mkdir(parents=True)
    for place in ("m", f"m/{name}"):
        (tmp_path / place / "results.json").write_text(json.dumps(small()))
    assert main(["--json", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert ({row["name"] for row in json.loads(out)}, err) == ({"m", name}, "")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (b"", "it cannot be read as JSON: the text goes wrong at line 1, column 1"),
        (b"[" * 100_000, "it cannot be read as JSON: it is nested too deeply"),
        (b"\xff\x00", "it cannot be read as JSON: it is not text in UTF-8"),
        (b"3", "it is not a results file of the kit: $: 3 is not of type 'object'"),
    ],
)
def test_a_file_that_holds_no_results_is_named_in_plain_words(tmp_path, capsys, held, said):
    file = tmp_path / "results.json"
    file.write_bytes(held)
    assert main([str(file)]) == 1
    first, *_ = capsys.readouterr().err.splitlines()
    assert first == f"{file}: {said}"


def test_a_part_that_was_cut_short_takes_nothing_from_the_whole_beside_it(parts, capsys):
    file = parts / "both/conformance-report/selection/results.json"
    file.write_text("{")
    assert main(["--json", str(parts / "both")]) == 0
    out, err = capsys.readouterr()
    assert {row["name"] for row in json.loads(out)} == {"both"}
    assert f"{file}: it cannot be read as JSON" in err


def test_parts_alone_are_no_table(parts, capsys):
    assert main([str(parts / "elsewhere" / "results.json")]) == 1
    assert "No results.json of a whole session" in capsys.readouterr().err


def test_a_folder_without_results_is_no_empty_table(tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    assert "results.json" in capsys.readouterr().err


EVIL = "</script><img src=x>\x1b[2J\u202e##vso[task]x\n::stop-commands::x\n| a | b |\ud800\x9b"


def leaves(value, place=()):
    """The place of each text and number; of the members of a list the first alone."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else list(enumerate(value))[:1]
        for key, inner in pairs:
            yield from leaves(inner, (*place, key))
    else:
        yield place


def changed(place, new):
    document = small()
    held = document
    for key in place[:-1]:
        held = held[key]
    held[place[-1]] = new
    return document


def printed(capsys, *arguments):
    main([str(each) for each in arguments])
    out, err = capsys.readouterr()
    (out + err).encode("utf-8")
    return out, err


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", list(leaves(small())), ids=lambda place: ".".join(map(str, place))
)
def test_nothing_in_a_forged_result_commands_the_terminal_or_the_ci_system(tmp_path, capsys, place):
    file = tmp_path / "results.json"
    for new in (EVIL, 10**400, -1, 1e308, None, [], {}):
        file.write_text(json.dumps(changed(place, new)))
        for arguments in ([tmp_path], [tmp_path, "--json"]):
            out, err = printed(capsys, *arguments)
            for mark in ("\x1b", "\x9b", "\u202e", "##vso", "\n::"):
                assert mark not in out + err
            assert "--json" in arguments or "<img" not in out


def test_a_number_that_cannot_be_divided_is_refused(tmp_path, capsys):
    file = tmp_path / "results.json"
    file.write_text(json.dumps(changed(("runs", 0, "repair", "hits"), 10**400)))
    assert main([str(file)]) == 1
    assert "a number of 401 digits" in capsys.readouterr().err


def test_a_file_of_millions_of_values_is_refused_before_it_fills_the_memory(tmp_path, capsys):
    file = tmp_path / "results.json"
    file.write_text("[" + "[]," * 9_000_000 + "[]]")
    tracemalloc.start()
    try:
        assert main([str(file)]) == 1
        assert tracemalloc.get_traced_memory()[1] < 400_000_000
    finally:
        tracemalloc.stop()
    assert "it is too large to be read" in capsys.readouterr().err


def test_of_many_files_with_long_texts_only_the_beginnings_are_kept(tmp_path):
    long = changed(("runs", 0, "target"), "http://127.0.0.1/" + "a" * 5_000_000)
    for n in range(4):
        (tmp_path / f"{n}.results.json").write_text(json.dumps(long))
    tracemalloc.start()
    try:
        rows = look([tmp_path]).rows
        assert tracemalloc.get_traced_memory()[0] < 15_000_000
    finally:
        tracemalloc.stop()
    assert {len(row.target) for row in rows} == {500}


def test_a_table_in_json_is_printed_whatever_a_target_is_called(tmp_path, capsys):
    (tmp_path / "results.json").write_text(json.dumps(changed(("runs", 0, "target"), EVIL)))
    out, _ = printed(capsys, tmp_path, "--json")
    assert json.loads(out)[0]["target"] == EVIL
    assert "##vso" not in out
    assert "\x9b" not in out


def test_a_name_that_no_system_has_is_a_file_that_is_not_there(capsys):
    assert main(["a" * 5000]) == 1
    assert "there is no such file or directory" in capsys.readouterr().err


def test_the_table_and_what_is_said_of_files_is_in_the_language_that_is_chosen(tmp_path, capsys):
    (tmp_path / "good.results.json").write_text(json.dumps(small()))
    (tmp_path / "bad.results.json").write_text("{")
    assert main([str(tmp_path), "--language", "es"]) == 3
    out, err = capsys.readouterr()
    assert out.startswith("| informe | objetivo | ejecución |")
    assert "| bad | archivo inutilizable |" in out
    assert "no se puede leer como JSON: el texto deja de ser válido en la línea 1" in err
    assert main([str(tmp_path), "--json", "--language", "es"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["name"] == "good"
    assert "no se puede leer como JSON" in err
    assert main([str(tmp_path), "--json"]) == 3
    assert capsys.readouterr().out == out


class Counted(tuple):
    """Waivers that count how often they are looked through."""

    looks = 0

    def __iter__(self):
        Counted.looks += 1
        return super().__iter__()


def test_the_waivers_of_a_session_are_looked_through_once(tmp_path, monkeypatch):
    """Ten thousand runs and as many waivers would take an hour."""
    path = tmp_path / "results.json"
    document = small()
    path.write_text(json.dumps({**document, "runs": document["runs"] * 20}))
    session = replace(merge_found.read(path), waivers=Counted())
    monkeypatch.setattr(merge_found, "read", lambda _: session)
    assert len(look([path]).rows) == 20
    assert Counted.looks == 1


def test_targets_of_one_name_can_be_told_apart(tmp_path):
    for folder in ("ours/prod", "theirs/prod/conformance-report", "theirs/test"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "results.json").write_text(json.dumps(small()))
    (tmp_path / "old" / "prod").mkdir(parents=True)
    found = look([tmp_path])
    names = ["ours/prod", "test", "theirs/prod/conformance-report"]
    assert [row.name for row in found.rows] == names
    assert found.lacking == ("old",)


@pytest.mark.parametrize("for_people", [True, False])
def test_an_address_has_no_entities_in_a_terminal(tmp_path, monkeypatch, capsys, for_people):
    made = changed(("runs", 0, "target"), "http://127.0.0.1:8000")
    (tmp_path / "results.json").write_text(json.dumps(made), encoding="utf-8")
    monkeypatch.setattr("sys.stdout.isatty", lambda: for_people)
    main([str(tmp_path)])
    out = capsys.readouterr().out
    assert ("http://127.0.0.1:8000" in out) is for_people
    assert ("&#58;" in out) is not for_people
