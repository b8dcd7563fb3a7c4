"""The texts of the source: normative words in each language, and nothing left in English."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.root import ROOT

CLAUSES: list[dict[str, Any]] = [
    clause
    for file in sorted((ROOT / "schema").glob("*/*/clauses.json"))
    for clause in json.loads(file.read_text(encoding="utf-8"))["clauses"]
]
WORDS = {
    "MUST": {"en": r"\bMUST\b", "es": r"\bDEBEN?\b", "pt": r"\bDEVE(M|-SE)?\b"},
    "SHOULD": {"en": r"\bSHOULD\b", "es": r"\bDEBERÍAN?\b", "pt": r"\bDEVERIA(M|-SE)?\b"},
    "MAY": {"en": r"\bMAY\b", "es": r"\bPUEDEN?\b", "pt": r"\bPODE(M)?\b"},
}


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_each_clause_says_its_requirement_in_each_language(language: str):
    silent = [
        clause["id"]
        for clause in CLAUSES
        for word in {clause["requirement"], clause.get("where_claimed", clause["requirement"])}
        if not re.search(WORDS[word][language], clause["text"][language])
    ]
    assert silent == []


def _other_than_its_requirement(clause: dict[str, Any]) -> list[str]:
    said = {clause["requirement"], clause.get("where_claimed")}
    return [word for word in WORDS if word not in said]


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_no_clause_says_another_requirement(language: str):
    wrong = [
        (clause["id"], word)
        for clause in CLAUSES
        for word in _other_than_its_requirement(clause)
        if re.search(WORDS[word][language], clause["text"][language])
    ]
    assert wrong == []


@pytest.mark.parametrize("language", ["es", "pt"])
def test_code_in_a_clause_is_not_translated(language: str):
    def code(text: str) -> set[str]:
        return set(re.findall(r"`[^`]+`", text))

    lacking = [
        clause["id"]
        for clause in CLAUSES
        if code(clause["text"]["en"]) - code(clause["text"][language])
    ]
    assert lacking == []


def test_a_clause_that_quotes_another_specification_says_where():
    for clause in CLAUSES:
        if "source" in clause:
            assert clause["source"]["url"].startswith("https://"), clause["id"]
            assert clause["source"]["quote"], clause["id"]
