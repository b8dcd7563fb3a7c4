"""Verdicts on a recorded session: what the record lacks is not verified."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.kit.drive.confirm import confirmed, to_confirm, unconfirmed
from conformance.kit.drive.smallest import in_smallest_form
from conformance.kit.evidence import RunEvidence
from conformance.kit.judging import NOT_RECORDED, Question, not_verified, without
from conformance.kit.report.index import Recalled
from conformance.kit.results import Item


def as_recorded(
    asked: list[Question],
    items: Mapping[int, Item],
    evidence: Mapping[str, RunEvidence],
    past: Recalled,
    cut: frozenset[int],
) -> dict[int, Item]:
    """The items, by their places in `asked`, as far as the record shows them.

    `cut` are the exchanges whose answers were not kept whole: nothing is laid to them.
    """
    made: dict[int, Item] = {}
    for n, question in enumerate(asked):
        own = evidence[question.run]
        item = without(items[n], cut)
        if item is items[n] and to_confirm(question, item):
            if unconfirmed(question, item, own, past.repeats):
                item = not_verified(item, "kit.not_verified.not_confirmed")
            else:
                item = confirmed(question, item, own, past.repeats)
                item = in_smallest_form(question, item, own, past.repeats, cut)
        said = [finding.message.id for finding in item.findings]
        if not past.whole and said == ["kit.not_verified.cut"]:
            item = not_verified(item, NOT_RECORDED)
        made[n] = item
    return made
