"""What a chapter judges by: a test for each clause, its own or that of its family."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from conformance.formats.problem import problem
from conformance.kit.verdicts.checks import (
    Said,
    by_rules,
    clause,
    clause_tests,
    family,
    holds,
    load,
    packages,
)
from conformance.spec.clauses import clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import Family


@cache
def judged():
    """How many tests each clause has, over all chapters."""
    loaded = [load(name).tests for name in packages()]
    return Counter(test.clause for tests in loaded for test, _ in tests)


def test_no_clause_has_two_tests():
    assert [id for id, times in judged().items() if times > 1] == []


def test_every_declared_clause_has_a_test():
    declared = {each.id for each in clauses().values() if each.family is not None}
    assert len(declared) > 100
    assert declared - judged().keys() == set()


@pytest.mark.parametrize("name", list(Family))
def test_the_judge_of_a_family_is_asked_about_each_of_its_clauses(name):
    asked = []

    @family(name)
    def judge(evidence, clause):
        asked.append((evidence, clause))
        yield holds()

    for test in clause_tests(judge):
        assert [check.said for check in test.judge("evidence")] == [Said.HOLDS]
    own = [each for each in clauses().values() if each.family is name]
    assert asked == [("evidence", each) for each in own]
    assert [test.clause for test in clause_tests(judge)] == [each.id for each in own]


def test_a_judge_of_one_clause_holds_one_test():
    @clause("ATDF-ERR-001", protocol=True)
    def judge(evidence):
        yield holds()

    (test,) = clause_tests(judge)
    assert (test.clause, test.judge, test.protocol) == ("ATDF-ERR-001", judge, True)


def test_what_is_no_judge_holds_no_test():
    assert clause_tests(holds) == ()


FOUND = [
    problem(("a", place), "k", message("kit.not_judged"), clause=id)
    for place, id in enumerate(("X-1", "X-2", "X-1"))
]


def test_a_clause_is_broken_for_each_problem_that_is_its_own():
    checks = list(by_rules(None, FOUND, "X-1"))
    assert [(check.said, check.finding.path) for check in checks] == [
        (Said.BROKEN, "$.a[0]"),
        (Said.BROKEN, "$.a[2]"),
    ]


def test_a_clause_without_problems_holds_if_there_is_what_it_is_about():
    assert [check.said for check in by_rules(None, FOUND, "X-3")] == [Said.HOLDS]
    assert list(by_rules(None, FOUND, "X-3", counts=False)) == []


def test_a_problem_counts_wherever_it_was_found():
    assert [check.said for check in by_rules(None, FOUND, "X-2", counts=False)] == [Said.BROKEN]
