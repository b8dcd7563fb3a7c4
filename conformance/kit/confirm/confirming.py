"""The confirming step of a session: sends failures again, then looks for their smallest form."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.kit.confirm.confirm import Repeats, repeat, to_confirm
from conformance.kit.confirm.confirmed import confirmed
from conformance.kit.confirm.shrink import in_smallest_form, shrink
from conformance.kit.drive.alarm import Alarm, until_cut
from conformance.kit.drive.budget import run_until
from conformance.kit.drive.channel import Context
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.script import Script
from conformance.kit.model.fault import Fault, FaultLog, fault_of
from conformance.kit.model.results import Item
from conformance.kit.verdicts.judge import Question, faulty, late
from conformance.spec.messages import message

Failed = list[tuple[Question, Item]]
_FAILED = "kit.confirm_failed"


@dataclass(slots=True)
class Confirming:
    """The repetitions so far, and what ended them early."""

    repeats: Repeats = field(default_factory=Repeats)
    faults: FaultLog = field(default_factory=FaultLog)
    """The log of the session: faults of the kit end the repetitions, and change no verdict."""
    interrupted: bool = False
    time_up: bool = False

    def repeat(
        self,
        failed: Failed,
        evidence: dict[str, RunEvidence],
        scripts: list[Script],
        context: Context,
    ) -> None:
        """Send failures again until an interrupt or the time limit. What was sent is kept."""
        self.time_up = not self._sent(
            repeat(failed, evidence, scripts, context, self.repeats), context
        )

    def stand(self, failed: Failed, evidence: dict[str, RunEvidence], alarm: Alarm) -> list[Item]:
        """Return each failed item after its findings were sent again.

        Those that the alarm left no time for are not verified.
        """
        items = until_cut(alarm, (self._stands(*one, evidence) for one in failed))
        self.time_up |= len(items) < len(failed)
        return [*items, *(late(item) for _, item in failed[len(items) :])]

    def shrink(
        self, failed: Failed, evidence: dict[str, RunEvidence], context: Context, alarm: Alarm
    ) -> list[Item]:
        """Return each failed item in the smallest form that is found in time."""
        for one in failed:
            if self.interrupted or not self._sent(
                shrink(one, evidence, context, self.repeats), context
            ):
                break
        smallest = until_cut(alarm, (self._smallest(*one, evidence) for one in failed))
        return [*smallest, *(item for _, item in failed[len(smallest) :])]

    def _smallest(self, question: Question, item: Item, evidence: dict[str, RunEvidence]) -> Item:
        with self.faults.noting(_FAILED):
            return in_smallest_form(question, item, evidence[question.run], self.repeats)
        return item

    def _stands(self, question: Question, item: Item, evidence: dict[str, RunEvidence]) -> Item:
        """An exception of the kit affects this item alone."""
        try:
            return confirmed(question, item, evidence[question.run], self.repeats)
        except Exception as error:
            return unconfirmed(item, fault_of(error))

    def _sent(self, work: Coroutine[Any, Any, None], context: Context) -> bool:
        """Run the work; return False if the session's time limit ended it."""
        try:
            with self.faults.noting(_FAILED):
                run_until(work, lambda: context.deadline, tell=partial(self.faults.note, _FAILED))
        except TimeoutError:
            return False
        except KeyboardInterrupt:
            self.interrupted = True
        return True


def unconfirmed(item: Item, fault: Fault) -> Item:
    """Return a failed item that a fault of the kit kept from being confirmed."""
    return faulty(item, message(_FAILED), fault)


def doubtful(questions: list[Question], items: dict[int, Item]) -> list[int]:
    """Return the indexes of the questions whose items need confirming, grouped by run and tool."""
    numbers = [n for n, question in enumerate(questions) if to_confirm(question, items[n])]
    return sorted(numbers, key=lambda n: (questions[n].run, questions[n].tool or ""))
