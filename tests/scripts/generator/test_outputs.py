"""What the generator writes, what it remembers, and how it is started."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.generator import command
from scripts.generator.build import load_source, outputs, read_source
from scripts.generator.command import main
from tests.scripts.generator.scratch import (
    CLAUSES,
    ERROR,
    JUDGES,
    MESSAGES,
    ROOT,
    TOOL,
    Scratch,
)

VOCABULARY = "conformance/spec/vocabulary.py"
STALE = "The file is not what the source makes now."


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the second process: a second for each run, where the test is not about examples."""
    monkeypatch.setattr(command, "try_out", lambda *_: [])


def test_the_committed_files_are_what_the_source_makes(capsys: pytest.CaptureFixture[str]):
    assert (main(["--check"]), capsys.readouterr().err) == (0, "")


def test_two_runs_make_the_same_bytes():
    made = [outputs(read_source(load_source(ROOT))[0]) for _ in range(2)]
    assert made[0] == made[1]


def test_git_knows_what_is_generated_and_what_is_written(tmp_path: Path):
    made = [str(path) for path in outputs(read_source(load_source(ROOT))[0])]
    written = ["README.md", "schema/source/project.yaml", "conformance/spec/clauses.py"]
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".gitattributes").write_bytes((ROOT / ".gitattributes").read_bytes())
    asked = ["git", "-C", str(tmp_path), "check-attr", "linguist-generated", "--", *made, *written]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    marked = {line.split(": ")[0] for line in told if line.endswith(": set")}
    assert marked == set(made)


def test_nothing_of_the_source_is_left_in_a_schema():
    for file in (ROOT / "schema").glob("*/*/*.schema.json"):
        text = file.read_text(encoding="utf-8")
        assert '"x-' not in text
        assert '"$vocabulary"' not in text


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (TOOL, "The name of the tool", "The label of the tool"),
        (TOOL, "El nombre de la herramienta", "La etiqueta de la herramienta"),
        (TOOL, "O nome da ferramenta", "O rótulo da ferramenta"),
        (CLAUSES, "Cada herramienta de un catálogo", "Toda herramienta de un catálogo"),
        (MESSAGES, "O nível é", "O nível foi"),
    ],
)
def test_one_changed_word_of_one_language_is_stale_until_it_is_generated(
    scratch: Scratch, file: str, old: str, new: str
):
    scratch.edit(file, old, new)
    assert any(STALE in line for line in scratch.check())
    scratch.run("--accept-translations")
    assert scratch.check() == []


@pytest.mark.parametrize("broken", ["class", "raise SystemExit\n", ""])
def test_a_generated_module_that_is_broken_is_made_anew(scratch: Scratch, broken: str):
    whole = scratch.read(VOCABULARY)
    scratch.write(VOCABULARY, broken)
    assert scratch.run() == (0, "")
    assert scratch.read(VOCABULARY) == whole


@pytest.mark.usefixtures("untried")
def test_a_missing_file_is_named_and_made_anew(scratch: Scratch):
    made = "schema/atdf/1.0/error.schema.json"
    (scratch.root / made).unlink()
    assert f"{made}: The file is missing." in scratch.check()[0]
    assert scratch.run() == (0, "")
    assert (scratch.root / made).exists()


@pytest.mark.usefixtures("untried")
def test_a_file_that_nothing_makes_any_more_is_named_and_removed(scratch: Scratch):
    left = "fixtures/examples/atdf/valid/old.json"
    scratch.write(left, "{}\n")
    assert f"{left}: Nothing in the source makes this file." in scratch.check()[0]
    scratch.run()
    assert not (scratch.root / left).exists()


@pytest.mark.usefixtures("untried")
def test_an_english_text_that_changed_alone_makes_its_translations_stale(scratch: Scratch):
    scratch.edit(TOOL, "The name of the tool", "The label of the tool")
    code, said = scratch.run()
    assert code == 1
    assert "The English text changed, and the Spanish one did not." in said
    assert "The English text changed, and the Portuguese one did not." in said
    assert scratch.run()[0] == 1, "it stays stale"
    assert scratch.run("--accept-translations") == (0, "")


@pytest.mark.usefixtures("untried")
def test_a_text_that_changed_in_each_language_is_not_stale(scratch: Scratch):
    for old, new in (("The level", "Level"), ("El nivel", "Nivel"), ("O nível", "Nível")):
        scratch.edit(MESSAGES, old, new)
    assert scratch.run() == (0, "")


@pytest.mark.usefixtures("untried")
def test_an_id_that_vanishes_must_be_retired_and_never_comes_back(scratch: Scratch):
    why = "schema/source/atdf/why.yaml"
    scratch.edit(CLAUSES, "id: ATDF-CALL-009", "id: ATDF-CALL-099")
    scratch.edit(why, "[ATDF-CALL-009]", "[ATDF-CALL-099]")
    code, said = scratch.run()
    assert code == 1
    assert "The clause ATDF-CALL-009 is no longer in the source." in said
    assert scratch.run("--retire", "ATDF-CALL-009") == (0, "")
    scratch.edit(CLAUSES, "id: ATDF-CALL-099", "id: ATDF-CALL-009")
    scratch.edit(why, "[ATDF-CALL-099]", "[ATDF-CALL-009]")
    assert "The clause id ATDF-CALL-009 was used before, and is retired." in scratch.run()[1]


@pytest.mark.usefixtures("untried")
def test_an_id_in_use_cannot_be_retired(scratch: Scratch):
    assert "ATDF-CALL-009 cannot be retired" in scratch.run("--retire", "ATDF-CALL-009")[1]


@pytest.mark.usefixtures("untried")
def test_a_released_file_is_frozen(scratch: Scratch):
    assert scratch.run("--release") == (0, "")
    scratch.edit(ERROR, "minItems: 1", "minItems: 2")
    made = scratch.read("schema/atdf/1.0/error.schema.json")
    for arguments in ((), ("--check",)):
        code, said = scratch.run(*arguments)
        assert code == 1
        assert "schema/atdf/1.0/error.schema.json: A released file would change." in said
    assert scratch.read("schema/atdf/1.0/error.schema.json") == made


@pytest.mark.usefixtures("untried")
def test_a_released_file_stays(scratch: Scratch):
    scratch.run("--release")
    scratch.edit(ERROR, "  name: error\n", "  name: mistake\n")
    assert "error.schema.json: A released file is no longer made." in scratch.run()[1]


NEXT = "schema/atdf/1.1/error.schema.json"


@pytest.mark.usefixtures("untried")
def test_a_released_version_stays_as_it_was_beside_the_next_one(scratch: Scratch):
    scratch.run("--release")
    old = "schema/atdf/1.0/error.schema.json"
    whole = scratch.read(old)
    scratch.edit(ERROR, 'version: "1.0"', 'version: "1.1"')
    scratch.edit(ERROR, "minItems: 1", "minItems: 2")
    scratch.run()
    assert scratch.check() == []
    assert scratch.read(old) == whole
    assert '"minItems": 2' in scratch.read(NEXT)
    assert scratch.run("--release") == (0, "")
    frozen = scratch.read("schema/released.sha256")
    assert old in frozen
    assert NEXT in frozen


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("change", ["edited", "removed"])
def test_a_released_version_that_nothing_makes_any_more_is_frozen_too(
    scratch: Scratch, change: str
):
    scratch.run("--release")
    old = "schema/atdf/1.0/error.schema.json"
    scratch.edit(ERROR, 'version: "1.0"', 'version: "1.1"')
    scratch.run()
    if change == "edited":
        scratch.edit(old, '"minItems": 1', '"minItems": 2')
    else:
        (scratch.root / old).unlink()
    code, said = scratch.run("--check")
    assert code == 1
    assert f"{old}: A released file " in said


def test_a_lock_with_the_marks_of_a_merge_is_named(scratch: Scratch):
    for lock in ("schema/source/ids.lock", "schema/source/translations.lock"):
        whole = scratch.read(lock)
        scratch.write(lock, "<<<<<<< ours\n" + whole)
        assert f"{lock}:1: This is no line of the lock." in scratch.run()[1]
        scratch.write(lock, whole)


@pytest.mark.usefixtures("untried")
def test_a_clause_that_nothing_judges_is_named(scratch: Scratch):
    missing = "Nothing shows that ATDF-CALL-001 is checked."
    assert missing in scratch.run("--check")[1]
    test = "@clause('ATDF-CALL-001')\ndef test_refused(evidence):\n    yield\n"
    scratch.write("conformance/atdf/test_calls.py", test)
    assert missing not in scratch.run("--check")[1]


@pytest.mark.usefixtures("untried")
def test_a_clause_with_an_invalid_example_is_judged(scratch: Scratch):
    assert "ATDF-TOOL-001 is checked" not in scratch.run("--check")[1]


@pytest.mark.usefixtures("untried")
def test_a_clause_that_is_excluded_needs_no_test(scratch: Scratch):
    text = "excluded: {en: Because, es: Porque sí, pt: Porque sim}"
    scratch.edit(CLAUSES, "    verified: static\n    family: catalog\n", f"    {text}\n")
    assert "ATDF-CAT-002" not in scratch.run("--check")[1]


@pytest.mark.usefixtures("untried")
def test_a_test_of_no_clause_is_named(scratch: Scratch):
    scratch.write("conformance/atdf/test_calls.py", "\n@clause('ATDF-X-001')\ndef test_x(): ...\n")
    said = scratch.run("--check")[1]
    assert (
        "conformance/atdf/test_calls.py:2: The test names ATDF-X-001, which is no clause." in said
    )


@pytest.mark.usefixtures("untried")
def test_a_declared_clause_needs_no_test_of_its_own(scratch: Scratch):
    assert "ATDF-TOOL-012" not in scratch.run("--check")[1]
    scratch.edit(CLAUSES, "    family: tool\n", "")
    assert "Nothing shows that ATDF-TOOL-004 is checked." in scratch.run("--check")[1]


@pytest.mark.usefixtures("untried")
def test_a_declared_clause_with_a_test_of_its_own_is_named(scratch: Scratch):
    scratch.write("conformance/atdf/test_own.py", "@clause('ATDF-TOOL-012')\ndef test_x(): ...\n")
    said = scratch.run("--check")[1]
    assert "conformance/atdf/test_own.py:1: ATDF-TOOL-012 is declared" in said


@pytest.mark.usefixtures("untried")
def test_a_family_without_a_judge_is_named(scratch: Scratch):
    scratch.edit(JUDGES, "Family.ERROR", "Family.MANIFEST")
    said = scratch.run("--check")[1]
    assert "No chapter checks the family `error` of ATDF-ERR-014." in said
    assert f"{JUDGES}:8: No clause is of the family MANIFEST." in said


@pytest.mark.usefixtures("untried")
def test_a_family_with_two_judges_is_named(scratch: Scratch):
    scratch.edit(JUDGES, "Family.CATALOG", "Family.TOOL")
    assert (
        f"{JUDGES}:5: The family TOOL has a check at {JUDGES}:2 too." in scratch.run("--check")[1]
    )


def test_a_test_file_that_is_not_python_is_named(scratch: Scratch):
    scratch.write("conformance/atdf/test_calls.py", "def test_x(:\n")
    assert "conformance/atdf/test_calls.py:1: The file is not Python" in scratch.run("--check")[1]


def test_an_invalid_example_carries_only_data_and_its_index_says_what_it_breaks(scratch: Scratch):
    index = json.loads(scratch.read("fixtures/examples/atdf/index.json"))
    entry = next(each for each in index["invalid"] if each["id"] == "tool-without-name")
    assert entry["breaks"] == "ATDF-TOOL-001"
    assert (entry["at"], entry["keyword"]) == ("$.tools[0]", "required")
    data = json.loads(scratch.read(f"fixtures/examples/atdf/{entry['file']}"))
    assert data.keys() == {"tools"}


def test_an_example_may_hold_another_one_by_its_id():
    made, problems = read_source(load_source(ROOT))
    held = {each.id: each.data for each in made.examples}
    assert problems == []
    assert held["hospital-catalog"]["resources"][0] == held["flight-booking"]


def test_an_example_that_holds_one_that_there_is_not_is_named(scratch: Scratch):
    text = "id: held\ndocument: tool\ntitle: {en: One, es: Una, pt: Uma ferramenta}\n"
    scratch.write("schema/source/atdf/examples/held.yaml", text + "data: {$example: outtake}\n")
    code, said = scratch.run("--check")
    assert code == 1
    assert "There is no valid example `outtake`." in said


@pytest.mark.parametrize(
    "arguments", [["--no-such-option"], ["--root", "/no/such/folder"], ["--check", "--release"]]
)
def test_a_wrong_command_line_exits_with_4(arguments: list[str]):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 4


@pytest.mark.parametrize(
    "command", [["-m", "scripts.generate"], [str(ROOT / "scripts" / "generate.py")]]
)
def test_it_runs_as_a_module_and_as_a_file_from_any_folder(
    scratch: Scratch, tmp_path: Path, command: list[str]
):
    done = subprocess.run(
        [sys.executable, *command, "--root", str(scratch.root)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
