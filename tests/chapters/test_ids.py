"""A judge that asks for the problems of a clause asks for those of its own."""

import ast

import pytest

from tests.root import ROOT

CHAPTERS = ROOT / "conformance"
ASKING = [path for name in ("ardf", "runtime") for path in sorted((CHAPTERS / name).glob("test_*"))]


def pairs(source):
    """Each judge's clause, with the clause whose problems it asks for."""
    for judge in ast.walk(ast.parse(source)):
        if not isinstance(judge, ast.FunctionDef):
            continue
        marks = [mark for mark in judge.decorator_list if isinstance(mark, ast.Call)]
        own = [mark.args[0].value for mark in marks if getattr(mark.func, "id", "") == "clause"]
        for call in ast.walk(judge):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "judged" and own:
                yield own[0], call.args[1].value


@pytest.mark.parametrize("path", ASKING, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_judge_asks_for_its_own_clause(path):
    assert [pair for pair in pairs(path.read_text()) if pair[0] != pair[1]] == []


def test_another_clause_would_be_seen():
    source = '@clause("A-1")\ndef test_x(run):\n    yield from judged(run, "A-2", each)\n'
    assert list(pairs(source)) == [("A-1", "A-2")]
