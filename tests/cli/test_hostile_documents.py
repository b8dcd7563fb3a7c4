"""A stranger's document: what is printed of it moves no cursor and commands no CI system."""

import json
import re

import pytest

from conformance.cli import convert, validate
from conformance.cli.documents.report import REPORTS
from conformance.convert.form import TARGETS

EVIL = "</script><img src=x>\x1b[2J\u202e##vso[task]x\n::stop-commands::x\n| a |\ud800\x9b"
COMMAND = re.compile(r"^\s*::|##(\[|vso\[|teamcity\[)", re.MULTILINE)
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
