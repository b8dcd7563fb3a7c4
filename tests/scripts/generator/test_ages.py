"""How far documents and fields are settled: in the source, in the schemas, in the changelog."""

from __future__ import annotations

import json

import pytest

from scripts.generator import command
from scripts.generator.ages import changes_json
from scripts.generator.build import load_source, read_source
from scripts.generator.downloads import downloads
from tests.root import ROOT
from tests.scripts.generator.scratch import ERROR, Scratch

DESCRIPTION = "  code:\n    type: [string, integer]\n"


@pytest.fixture(autouse=True)
def no_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the second process, which tries out the examples: it takes a second each time."""
    monkeypatch.setattr(command, "try_out", lambda *_: [])


def listed(root=ROOT):
    source, problems = read_source(load_source(root))
    assert problems == []
    return changes_json(source, "atdf", "1.0")


def test_each_document_and_field_has_a_status_and_a_version():
    documents = {each["document"]: each for each in listed()["documents"]}
    assert {each["version"] for each in documents.values()} == {"1.0", "2.0"}
    fields = [field for each in documents.values() for field in each["fields"]]
    assert {(field["status"], field["since"]) for field in fields} == {
        ("draft", "1.0"),
        ("draft", "2.0"),
    }
    assert "/properties/tools" in [field["at"] for field in documents["catalog"]["fields"]]


def test_the_changelog_holds_each_change_and_erratum_in_three_languages():
    made = listed()
    assert len(made["changes"]) > 5
    assert all(each["title"].keys() == {"en", "es", "pt"} for each in made["changes"])
    assert all("as_printed" in each for each in made["errata"])


def test_the_changelog_is_served():
    files = {each.path: each for each in downloads(read_source(load_source(ROOT))[0])}
    for spec in ("atdf", "ardf", "runtime", "bindings"):
        assert json.loads(files[f"schema/{spec}/changes.json"].content)["spec"] == spec


def test_a_field_may_have_an_age_of_its_own(scratch: Scratch):
    scratch.edit(ERROR, DESCRIPTION, DESCRIPTION + "    x-status: deprecated\n    x-since: '0.9'\n")
    assert scratch.run() == (0, "")
    schema = json.loads(scratch.read("schema/atdf/1.0/error.schema.json"))
    assert schema["properties"]["code"]["deprecated"] is True
    assert not [name for name in schema["properties"]["code"] if name.startswith("x-")]
    documents = {each["document"]: each for each in listed(scratch.root)["documents"]}
    code = next(each for each in documents["error"]["fields"] if each["at"] == "/properties/code")
    assert (code["status"], code["since"]) == ("deprecated", "0.9")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("    x-status: old\n", "`old` is not in the vocabulary `status`."),
        ("    x-since: soon\n", "`soon` is not a version."),
    ],
)
def test_an_age_that_is_none_is_named(scratch: Scratch, line, said):
    scratch.edit(ERROR, DESCRIPTION, DESCRIPTION + line)
    assert said in scratch.run()[1]
