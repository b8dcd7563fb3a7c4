"""A recorded session in place of a driven one: what the record lacks is not verified."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from conformance.kit.confirm.confirm import to_confirm
from conformance.kit.confirm.confirmed import confirmed
from conformance.kit.confirm.shrink import in_smallest_form
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.model.results import Item
from conformance.kit.record.exchanges import Recording
from conformance.kit.record.index import Recalled
from conformance.kit.verdicts.judge import NOT_RECORDED, Question, not_verified

_BATCH = 256
"""Exchanges that are read at once."""


def as_recorded(
    asked: list[Question],
    items: Mapping[int, Item],
    evidence: Mapping[str, RunEvidence],
    past: Recalled,
) -> dict[int, Item]:
    """The items, by their places in `asked`, as far as the record shows them."""
    made: dict[int, Item] = {}
    for n, question in enumerate(asked):
        own = evidence[question.run]
        item = items[n]
        if to_confirm(question, item):
            item = confirmed(question, item, own, past.repeats)
            item = in_smallest_form(question, item, own, past.repeats)
        said = [finding.message.id for finding in item.findings]
        if not past.whole and said == ["kit.not_verified.cut"]:
            item = not_verified(item, NOT_RECORDED)
        made[n] = item
    return made


def take_in(recording: Recording, recorder: Recorder) -> None:
    """Take a recorded session's exchanges as if they had just been made."""
    waiting = iter(recording.exchanges)
    while some := list(islice(waiting, _BATCH)):
        for one in some:
            recorder.take(one)
        recorder.put_away([one for one in some if one.case is not None])
