"""Calls at the same time may disturb each other: the kit tries one call at a time, and says so."""

from dataclasses import replace
from threading import Lock

import pytest

from conformance.kit.model.case import CaseKind
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from tests.kit.drive.test_needs_others import NUMBER, READ
from tests.kit.peers import offering

BUSY = "the store is in use"
FIRST, OTHER = (
    {
        **READ,
        "name": name,
        "annotations": {},
        "inputSchema": {
            "type": "object",
            "properties": {"n": NUMBER},
            "required": ["n"],
            "additionalProperties": False,
        },
    }
    for name in ("a_first", "b_other")
)


class Store:
    """Tools that check their input. `refuses` says which valid calls they refuse nevertheless.

    It gets the tool, the value, and how often this call was made.
    """

    def __init__(self, refuses):
        self.made = {}
        self._refuses, self._lock = refuses, Lock()

    def __call__(self, name, arguments):
        n = arguments.get("n") if isinstance(arguments, dict) else None
        if type(n) is not int or not 1 <= n <= 9 or len(arguments) != 1:
            return 422, {"detail": "n is 1 to 9"}
        with self._lock:
            count = self.made[name, n] = self.made.get((name, n), 0) + 1
        return (422, {"detail": BUSY}) if self._refuses(name, n, count) else (200, {"n": n})


def driven(refuses, **settings):
    chapter = load("conformance.atdf")
    with offering([FIRST, OTHER], Store(refuses)) as url:
        chosen = Settings(targets=(url,), profiles=("http",), max_examples=0)
        session = Session(replace(chosen, **settings))
        session.discover((url,))
        asked = session.questions(list(chapter.tests))
        session.drive()
        items = session.judge(asked)
    (evidence,) = session.evidence().values()
    return evidence, {(q.clause.id, q.tool): items[n] for n, q in enumerate(asked)}


def reasons(item):
    assert item.verdict is Verdict.NOT_VERIFIED
    return {finding.message.id for finding in item.findings}


def only_the_second_call(name, n, count):
    return (name, n, count) == ("a_first", 1, 2)


def test_a_call_that_is_accepted_alone_shows_that_calls_at_the_same_time_disturb_each_other():
    evidence, items = driven(only_the_second_call)
    tried = [call.reading.accepted for call in evidence.by_tool["a_first"].of(CaseKind.AFTER)]
    assert tried == [False, True]
    assert reasons(items["ATDF-CALL-001", "a_first"]) == {"kit.not_verified.disturbed"}
    assert items["ATDF-CALL-008", "a_first"].verdict is not Verdict.FAIL


def test_with_one_call_at_a_time_nothing_is_tried_alone():
    evidence, items = driven(only_the_second_call, concurrency=1)
    assert len(list(evidence.by_tool["a_first"].of(CaseKind.AFTER))) == 1
    assert reasons(items["ATDF-CALL-001", "a_first"]) == {"kit.not_verified.baseline_after"}


@pytest.mark.parametrize(("concurrency", "said"), [(16, "good_call_spoiled"), (1, "good_call")])
def test_a_refusal_as_of_a_call_that_was_accepted_before_may_come_from_spoiled_data(
    concurrency, said
):
    spoiled = []

    def refuses(name, n, count):
        spoiled.extend([n] * (n != 1))
        return bool(spoiled) or name == "b_other"

    evidence, items = driven(refuses, concurrency=concurrency)
    assert not evidence.by_tool["b_other"].baseline.reading.accepted
    assert reasons(items["ATDF-CALL-001", "b_other"]) == {f"kit.not_verified.{said}"}
