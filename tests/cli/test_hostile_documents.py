"""A stranger's document: what is printed of it moves no cursor and commands no CI system."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from conformance.cli import convert, merge, validate
from conformance.cli.documents import report
from conformance.cli.documents.report import REPORTS
from conformance.cli.merge_found import look
from conformance.convert.form import TARGETS
from conformance.spec.messages import message

EVIL = "</script><img src=x>\x1b[2J\u202e##vso[task]x\n::stop-commands::x\n| a |\ud800\x9b"
COMMAND = re.compile(r"^\s*::|##[a-z]*\[", re.MULTILINE)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")
TOOL = {"name": "t", "description": "d", "inputSchema": {"type": "object"}}
ERROR = {"errors": [{"type": EVIL, "title": EVIL, "detail": EVIL, "instance": EVIL,
                     "tool_name": EVIL, "parameter_name": EVIL, EVIL: EVIL}]}  # fmt: skip
DOCUMENTS = {
    "every text": {"tools": [{**TOOL, "description": EVIL, "title": EVIL, "tags": [EVIL]}]},
    "a name": {"tools": [{**TOOL, "name": EVIL}]},
    "a member": {"tools": [{**TOOL, EVIL: EVIL}]},
    "another type": {"tools": [{**TOOL, "description": [EVIL]}]},
    "a schema that is none": {"tools": [{**TOOL, "inputSchema": {"$ref": EVIL}}]},
    "a type that is none": {"tools": [{**TOOL, "inputSchema": {"type": EVIL, "pattern": EVIL}}]},
    "a text": EVIL,
    "an error": ERROR,
    "an example": {"tools": [{**TOOL, "examples": [{"input": {EVIL: EVIL}, EVIL: 1}]}]},
}


@pytest.fixture
def document(tmp_path, request):
    path = tmp_path / "sent.json"
    path.write_text(json.dumps(DOCUMENTS[request.param]))
    return path


def looked_at(captured):
    for text in captured:
        assert not UNSEEN.search(text)
        assert not COMMAND.search(text)


@pytest.mark.parametrize("form", REPORTS)
@pytest.mark.parametrize("document", DOCUMENTS, indirect=True)
def test_what_is_said_of_a_document_is_harmless(document, form, capsys):
    assert validate.main([str(document), "--format", form]) in {0, 1, 2}
    looked_at(captured := capsys.readouterr())
    if form != "text":
        json.loads(captured.out)


@pytest.mark.parametrize("form", TARGETS)
@pytest.mark.parametrize("document", DOCUMENTS, indirect=True)
def test_what_is_made_of_a_document_is_harmless(document, form, capsys):
    convert.main([str(document), "--to", form.value])
    looked_at(capsys.readouterr())


def test_the_converted_text_means_the_same(tmp_path, capsys):
    path = tmp_path / "sent.json"
    path.write_text(json.dumps({"tools": [{**TOOL, "description": EVIL}]}))
    assert convert.main([str(path), "--to", "mcp"]) == 0
    assert json.loads(capsys.readouterr().out)["tools"][0]["description"] == EVIL


def test_a_name_of_a_file_is_harmless(tmp_path, capsys):
    path = tmp_path / "##[error]\x1b[2J.json"
    path.write_text("[]")
    validate.main([str(path)])
    looked_at(capsys.readouterr())


NAMES = (
    "-rf.json",
    "a\n::error::x.json",
    "$(touch owned).json",
    "`touch owned`.json",
    "javascript:x.json",
    "{0}.json",
    "\u202ex.json",
    "##[error]\x1b[2J.json",
)


@pytest.mark.parametrize("words", [[], ["--format", "json"], ["--format", "sarif"]])
def test_odd_names_in_a_directory_are_harmless_in_each_format(tmp_path, capsys, words):
    for name in NAMES:
        (tmp_path / name).write_text("{")
    validate.main([str(tmp_path), *words])
    said = capsys.readouterr()
    looked_at(said)
    if "sarif" in words:
        found = json.loads(said.out)["runs"][0]["results"]
        places = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
                  for each in found}  # fmt: skip
        assert len(places) == len(NAMES)
        assert all(each.startswith("file:///") for each in places)
        assert all(each.isascii() and not set(each) & set(" `()\\<>{}#") for each in places)


def test_odd_names_of_directories_to_merge_are_harmless(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text("{}")
    merge.main([str(tmp_path)])
    said = capsys.readouterr()
    assert ":x" in "".join(said)
    looked_at(said)


@pytest.fixture
def depths(tmp_path):
    """A thousand directories inside one another, with a document in the last one."""
    top = tmp_path / "top"
    here = os.getcwd()
    os.mkdir(top)
    os.chdir(top)
    for _ in range(1100):
        os.mkdir("d")
        os.chdir("d")
    Path("results.json").write_text("{}")
    os.chdir(here)
    yield top
    subprocess.run(["rm", "-rf", str(top)], check=True)  # Python 3.11 removes no such tree


def test_directories_without_end_are_not_looked_into(depths, capsys):
    for words in ([], ["--fix"], ["--format", "sarif"]):
        assert validate.main([str(depths), *words]) == 2
    looked_at(capsys.readouterr())
    assert look([depths]).rows == ()


def test_a_link_of_a_directory_does_not_lead_to_a_file_elsewhere(tmp_path, capsys):
    mine, theirs = tmp_path / "mine.json", tmp_path / "theirs"
    mine.write_text('{"tools": [{"name": "hunter2", "description": 7, "inputSchema": "hunter2"}]}')
    theirs.mkdir()
    (theirs / "tool.json").symlink_to(mine)
    (theirs / "own.json").symlink_to("inside.json")
    (theirs / "inside.json").write_text(json.dumps({"tools": [TOOL]}))
    assert validate.main([str(theirs)]) == 2
    said = capsys.readouterr().out
    assert "hunter2" not in said
    assert "2 valid, 0 not valid, 1 not checked" in said
    before = mine.read_text()
    assert validate.main([str(theirs), "--fix", "--write"]) == 2
    assert (mine.read_text(), (theirs / "tool.json").is_symlink()) == (before, True)
    assert "hunter2" not in "".join(capsys.readouterr())
    assert validate.main([str(theirs / "tool.json")]) == 1  # it was named itself


def test_a_link_to_results_elsewhere_is_not_read(tmp_path):
    (tmp_path / "mine.json").write_text('{"runs": "hunter2"}')
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "results.json").symlink_to(tmp_path / "mine.json")
    told = "".join(why.words("en") for _, why in look([tmp_path / "theirs"]).told)
    assert "leads out of the directory" in told
    assert "hunter2" not in told


def test_no_text_of_a_document_is_a_link_in_sarif(tmp_path, capsys):
    link = "\\[[see here](https://example.org)"
    path = tmp_path / "tool.json"
    path.write_text(json.dumps({"tools": [{**TOOL, "inputSchema": {"type": link}}]}))
    validate.main([str(path), "--format", "sarif"])
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    texts = [each["message"]["text"] for each in results]
    assert any("see here" in text for text in texts)
    assert [text for text in texts if "](" in text] == []


def test_a_link_that_leads_to_itself_hides_nothing_else(tmp_path, capsys):
    """It raises another error on each system and version."""
    (tmp_path / "good.json").write_text('{"tools": []}')
    for name in ("results.json", "x.json", "folder"):
        (tmp_path / name).symlink_to(name)
    assert validate.main([str(tmp_path)]) == 0
    assert "good.json" in capsys.readouterr().out
    (told,) = look([tmp_path]).told
    assert told == (tmp_path / "results.json", message("merge.not_a_file"))


def test_no_text_of_a_document_is_a_placeholder_in_sarif(tmp_path, capsys):
    """Without an argument, `{0}` makes a message invalid, and a code host may refuse the file."""
    path = tmp_path / "tool.json"
    schema = {"type": "{0}", "$ref": "#/{1}"}
    path.write_text(json.dumps({"tools": [{**TOOL, "name": "{x}", "inputSchema": schema}]}))
    validate.main([str(path), "--format", "sarif"])
    run = json.loads(capsys.readouterr().out)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    texts = [each["message"]["text"] for each in run["results"]]
    texts += [each["shortDescription"]["text"] for each in rules if "shortDescription" in each]
    assert any("{{0}}" in text for text in texts)
    bare = [re.sub(r"\{\{|\}\}", "", text) for text in texts]
    assert [text for text in bare if set("{}") & set(text)] == []


def test_of_a_document_with_many_problems_convert_names_the_first_ones(tmp_path, capsys):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": [{"name": f"t{n}"} for n in range(3000)]}))
    assert convert.main([str(path), "--to", "mcp"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 101
    assert "more problems in this file" in said[-1]


def test_a_sarif_file_has_no_more_results_than_a_code_host_takes(tmp_path, capsys, monkeypatch):
    """It refuses one with more, so that thousands of broken files would hide each real problem."""
    monkeypatch.setattr(report, "MOST_RESULTS", 10)
    for number in range(5):
        (tmp_path / f"{number}.json").write_text('{"tools": [{"name": 1}]}')
    assert validate.main([str(tmp_path), "--format", "sarif"]) == 1
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert len(run["results"]) == 10
    told = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    assert "more problems" in told
