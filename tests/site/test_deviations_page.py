"""The table of what is sent for each keyword: whole, and of what the checks really do."""

from __future__ import annotations

import re

import pytest
from jsonschema_specifications import REGISTRY

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.model.case import Case, CaseKind, Expectation, Strictness, Violation
from conformance.kit.model.case_id import CaseId
from conformance.spec.vocabulary import Verdict
from scripts.website.pages.deviations import CHECKED_BY, PAGE, REASONS, SAMPLES, deviations_of
from tests.kit.samples import called, run_evidence, tool_evidence, verdict, web
from tests.site.made import made_once

VOCABULARIES = (
    "core", "applicator", "unevaluated", "validation", "format-annotation", "meta-data", "content",
)  # fmt: skip
SCHEMA = {"type": "object", "properties": {"x": {}}, "required": ["x"]}
TOOL = Tool("tool", SCHEMA, ToolForm.CATALOG, {})
REFUSED_WHEN_BROKEN = {f"ATDF-CALL-{number:03}" for number in (1, 2, 3, 11)}


def keywords():
    """Every keyword of JSON Schema 2020-12, as its own schemas name them."""
    root = "https://json-schema.org/draft/2020-12/meta"
    return {
        name for each in VOCABULARIES for name in REGISTRY.contents(f"{root}/{each}")["properties"]
    }


@pytest.fixture(scope="module")
def pages():
    return made_once().files


def test_each_keyword_has_deviations_or_a_reason():
    assert keywords() <= SAMPLES.keys() | REASONS.keys()
    assert not SAMPLES.keys() & REASONS.keys()
    assert SAMPLES.keys() | REASONS.keys() <= keywords()


ANNOTATIONS = {"default", "examples"}


@pytest.mark.parametrize("keyword", [each for each in SAMPLES if each not in ANNOTATIONS])
def test_something_that_is_to_be_refused_is_sent_for(keyword):
    assert [case for case in deviations_of(keyword) if case.expects is Expectation.REJECT]


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_no_cell_is_empty(pages, language):
    rows = re.findall(r"^\| `.*$", pages[f"{language}/{PAGE}"].decode(), re.MULTILINE)
    assert len(rows) == len(SAMPLES) + len(REASONS)
    for row in rows:
        assert all(cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]), row


def test_a_value_keeps_its_spaces(pages):
    (row,) = re.findall(r"^\| `minLength`.*$", pages[f"en/{PAGE}"].decode(), re.MULTILINE)
    assert 'spaces only (`"   "`)' in row


def accepted(kind, strictness=None):
    violation = Violation("/x", "x", ("type",), sent=1) if kind is CaseKind.BROKEN else None
    expects = Expectation.REJECT if kind is CaseKind.BROKEN else Expectation.ACCEPT
    id = CaseId("http", TOOL.name, kind.value)
    case = Case(id, kind, kind.value, {"x": 1}, expects, violation, strictness)
    return called(web(200, {"ok": True}, of=case, tool=TOOL), TOOL)


@pytest.mark.parametrize("strictness", Strictness)
def test_the_clause_of_the_table_and_no_other_one_fails_where_it_is_accepted(strictness):
    calls = accepted(CaseKind.BASELINE), accepted(CaseKind.BROKEN, strictness)
    evidence = run_evidence(tool_evidence(*calls, tool=TOOL), claims=True)
    found = {
        clause
        for clause in REFUSED_WHEN_BROKEN
        if verdict(clause, evidence, TOOL.name).verdict in {Verdict.FAIL, Verdict.WARN}
    }
    assert found == {CHECKED_BY[strictness]}
