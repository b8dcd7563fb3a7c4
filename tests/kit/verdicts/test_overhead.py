"""The time that a gateway adds: a fact, and no verdict."""

from __future__ import annotations

from dataclasses import replace

from conformance.kit.verdicts.run_result import overhead
from tests.kit.report.test_timeline import EXCHANGE, TIMELINE

ONCE = replace(EXCHANGE, timeline=TIMELINE[4:])


def test_it_is_the_way_there_and_the_way_back():
    found = overhead([ONCE])
    assert found is not None
    assert abs(found - (0.5 + 0.2)) < 1e-9


def test_the_least_of_all_calls_counts():
    quick = replace(ONCE, timeline=tuple(replace(each, at=each.at / 10) for each in ONCE.timeline))
    assert overhead([ONCE, quick]) == overhead([quick])


def test_calls_that_were_tried_again_or_gave_no_content_tell_nothing():
    assert overhead([EXCHANGE]) is None
    assert overhead([replace(ONCE, timeline=TIMELINE[4:6])]) is None
    assert overhead([]) is None
