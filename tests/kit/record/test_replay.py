"""`--replay`: one case again, with what it needs and nothing else."""

from dataclasses import replace

import pytest

from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.case import CaseKind
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from fixtures.servers.start import FAULTY, REFERENCE, listening

pytestmark = pytest.mark.usefixtures("forked")

CASE = "http/hotel_reservation/above-maximum/guests"
SETTINGS = Settings(profiles=("http",), allow_calls=AllowCalls.ALL)


def _engine(url: str, case: str) -> Session:
    session = Session(replace(SETTINGS, replay=case))
    session.discover((url,))
    return session


def test_only_the_case_its_good_call_and_its_repairs_are_sent() -> None:
    with listening(REFERENCE) as url:
        session = _engine(url, CASE)
        session.drive()
    cases = [e.case for e in session.recorder.by_id.values() if e.case is not None]
    assert {case.tool for case in cases} == {"hotel_reservation"}
    assert [case.id.text for case in cases if case.kind is CaseKind.BROKEN] == [CASE]
    assert {case.kind for case in cases} == {
        CaseKind.BASELINE,
        CaseKind.BROKEN,
        CaseKind.REPAIR,
        CaseKind.AFTER,
    }


def test_a_repair_is_replayed_from_the_case_that_it_mends() -> None:
    with listening(REFERENCE) as url:
        session = _engine(url, f"{CASE}/repair-1")
        session.drive()
    ids = {e.case.id.text for e in session.recorder.by_id.values() if e.case is not None}
    assert {CASE, f"{CASE}/repair-1"} <= ids


def test_a_fault_is_found_again() -> None:
    chapter = load("conformance.atdf")
    with listening(FAULTY, "--fault", "true-for-an-integer") as url:
        session = _engine(url, "http/hotel_reservation/near-miss-true/guests")
        asked = session.questions(list(chapter.tests))
        session.drive()
        items = session.judge(asked)
    broken = {item.clause for item in items.values() if item.verdict is Verdict.FAIL}
    assert broken == {"ATDF-CALL-002"}


@pytest.mark.parametrize(
    ("scenario", "there_is_one"), [("above-maximum/guests", True), ("x", False)]
)
def test_a_case_that_a_tool_does_not_have_is_told(scenario, there_is_one) -> None:
    with listening(REFERENCE) as url:
        session = _engine(url, f"http/hotel_reservation/{scenario}")
        session.drive()
    assert session.replayed is there_is_one


def test_a_case_of_another_target_is_refused_in_one_sentence() -> None:
    with listening(REFERENCE) as url, pytest.raises(TargetUnusable) as refused:
        _engine(url, "stdio-2025-11-25/hotel_reservation/missing/email")
    assert "This target has no case" in refused.value.words.words()
