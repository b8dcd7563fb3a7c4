"""Verdicts from a recorded session. What the record lacks is not verified."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.kit.confirm.confirm import Repeats, to_confirm
from conformance.kit.confirm.confirmed import confirmed
from conformance.kit.confirm.shrink import in_smallest_form
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.model.fault import fault_of
from conformance.kit.model.results import Item
from conformance.kit.record.exchanges import Numbered, Recording
from conformance.kit.record.index import Recalled, Unreadable
from conformance.kit.verdicts.judge import NOT_RECORDED, Question, faulty, not_verified
from conformance.spec.messages import message

_MOST_KEPT = 256 * 1024 * 1024
"""The most bytes of exchanges of discovery and scripts: these stay in memory."""


def as_recorded(
    asked: list[Question],
    items: Mapping[int, Item],
    evidence: Mapping[str, RunEvidence],
    past: Recalled,
) -> dict[int, Item]:
    """Return the items by their index in `asked`, as far as the record supports them."""
    made: dict[int, Item] = {}
    for n, question in enumerate(asked):
        own = evidence[question.run]
        item = items[n]
        if to_confirm(question, item):
            item = _confirmed(question, item, own, past.repeats)
        said = [finding.message.id for finding in item.findings]
        if not past.whole and said == ["kit.not_verified.cut"]:
            item = not_verified(item, NOT_RECORDED)
        made[n] = item
    return made


def _confirmed(question: Question, item: Item, evidence: RunEvidence, repeats: Repeats) -> Item:
    try:
        stands = confirmed(question, item, evidence, repeats)
        return in_smallest_form(question, stands, evidence, repeats)
    except Exception as error:
        return faulty(item, message("kit.confirm_failed"), fault_of(error))


def take_in(recording: Recording, recorder: Recorder) -> None:
    """Add a recorded session's exchanges to the recorder. Raises `Unreadable`.

    The calls stay in the file: the verdicts need few of them at a time, in another order.
    """
    calls: dict[int, int] = {}
    for place, one in enumerate(recording.exchanges):
        if one.case is not None:
            recorder.requests[one.run] += 1
            calls.setdefault(one.id, place)
            continue
        recorder.take(one)
        if recorder.by_id.weight > _MOST_KEPT:
            raise Unreadable(f"more than {_MOST_KEPT >> 20} MB that no call was sent for")
    recorder.by_id.read_from(Numbered(recording.exchanges, calls))
