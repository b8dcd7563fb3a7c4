"""Repair rate and explain rate: how many mistakes an agent could fix without help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from conformance.formats.tool.errors import ErrorView
from conformance.kit.evidence.cache import cached
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.response import OF_A_MOMENT
from conformance.kit.model.case import CaseKind
from conformance.kit.model.results import Advice, Explain, Rate, Repair, Unnamed
from conformance.kit.repair.hints import hint_of, is_valid
from conformance.kit.repair.suggestions import Naming, Suggestion, check, names_place
from conformance.kit.transport.binding import to_bytes
from conformance.kit.verdicts.explanations import explains, parameters_in
from conformance.kit.verdicts.guidance import advice
from conformance.spec.vocabulary import Outcome

_FEW = 5
"""The most refusals of each keyword that are kept as examples of not naming the parameter."""

_NAMES = 5
"""The most parameters that are kept of those that such a refusal names."""

_SAID = 20_000
"""The most characters that are kept of its text. It is shortened further after redaction."""


class RepairOutcome(StrEnum):
    """The result of following the suggestions of one refusal."""

    REPAIRED = "repaired"
    STUCK = "stuck"
    """Suggestions were followed, but no call was accepted."""
    WRONG = "wrong"
    """A suggestion was invalid for its parameter."""
    NONE_GIVEN = "none_given"
    STATE = "state"
    """The last call was refused for another reason than its input. That proves nothing."""
    UNSEEN = "unseen"
    """The end is unknown: a step was not sent, or got no answer."""


@cached
def suggestions(call: Call) -> tuple[tuple[ErrorView, Suggestion], ...]:
    """Return each error with a suggestion, and the checked suggestion."""
    envelope = call.reading.envelope
    return tuple(
        (error, check(error, call.case.arguments, call.tool))
        for error in (envelope.errors if envelope is not None else ())
        if error.has_suggestion
    )


def repair_outcome(tool: ToolEvidence, refused: Call) -> RepairOutcome:
    """Return the result for a refused call. It is repaired if the last repair step is accepted.

    If the last step is refused for another reason, such as a conflict, the call counts as repaired
    only if the baseline call gets such a refusal too by then: several repairs may need the same
    single resource. Suggestions that lead in circles, or never end although the baseline call is
    accepted, leave the call stuck. If rights or limits stopped the last step, nobody saw the end.
    """
    given = suggestions(refused)
    hint = hint_of(refused.reading)
    if not given and hint is None:
        return RepairOutcome.NONE_GIVEN
    if not given and hint is not None and not is_valid(hint, tool.tool):
        return RepairOutcome.WRONG
    if not all(suggestion.valid for _, suggestion in given):
        return RepairOutcome.WRONG
    steps = tool.repairs_of(refused.case.id)
    last = steps[-1].reading.outcome if steps else None
    if steps and steps[-1].reading.stopped:
        return RepairOutcome.UNSEEN
    if last is Outcome.ACCEPTED:
        return RepairOutcome.REPAIRED
    if _was_given_up(tool, refused, last):
        return RepairOutcome.UNSEEN
    if last is None and any(not suggestion.refused for _, suggestion in given):
        return RepairOutcome.UNSEEN  # it may leave the tool's route, or the schema was too costly
    if last is not Outcome.OTHER_REFUSED or _goes_in_circles(refused, steps):
        return RepairOutcome.STUCK
    if _is_in_the_way(tool):
        return RepairOutcome.REPAIRED
    return RepairOutcome.STUCK if _leads_on(steps[-1]) else RepairOutcome.STATE


def _goes_in_circles(refused: Call, steps: Sequence[Call]) -> bool:
    """Return whether suggestions led back to arguments that were sent before."""
    sent = [to_bytes(call.case.arguments) for call in (refused, *steps)]
    return len(set(sent)) < len(sent)


def _leads_on(end: Call) -> bool:
    """Return whether the last refusal has a suggestion again, so that an agent would never stop."""
    return bool(suggestions(end)) or hint_of(end.reading) is not None


def _is_in_the_way(tool: ToolEvidence) -> bool:
    """Return whether the baseline call, sent again at the end, is refused for another reason as
    well.
    """
    readings = [call.reading for call in tool.of(CaseKind.AFTER)]
    return any(one.outcome is Outcome.OTHER_REFUSED and not one.stopped for one in readings)


def _was_given_up(tool: ToolEvidence, refused: Call, last: Outcome | None) -> bool:
    """Return whether a repair was not followed to its end."""
    if tool.cut or last is Outcome.NO_ANSWER:
        return True
    return any(
        case.kind is CaseKind.REPAIR and case.neighbour == refused.case.id for case in tool.unsent
    )


def repairable(tool: ToolEvidence) -> list[Call]:
    """Return the calls that count: with one repairable mistake, refused because of it.

    A refusal for another reason is because of it, too, if the calls without the mistake are
    accepted, before and after. It counts if no suggestion leads on from it.
    """
    return [
        call
        for call in tool.broken
        if call.case.repairable
        and tool.neighbour_accepted(call.case)
        and (call.reading.outcome is Outcome.INPUT_REFUSED or _hides_its_reason(tool, call))
    ]


def _hides_its_reason(tool: ToolEvidence, call: Call) -> bool:
    reading = call.reading
    outcomes = {each.reading.outcome for each in tool.of(CaseKind.AFTER)}
    if reading.outcome is not Outcome.OTHER_REFUSED or outcomes != {Outcome.ACCEPTED}:
        return False
    told = reading.envelope is not None and reading.envelope.of_a_moment
    excused = call.finds_no_path or told or reading.status in OF_A_MOMENT
    return not (excused or suggestions(call) or hint_of(reading))


@dataclass(slots=True)
class Tally:
    """Counts over tools. Each tool's calls are read once."""

    outcomes: list[tuple[str, RepairOutcome]] = field(default_factory=list)
    steps: Counter[int] = field(default_factory=Counter)
    advised: dict[str, Advice] = field(default_factory=dict)
    said: list[tuple[str, bool, bool]] = field(default_factory=list)
    unnamed: dict[str, list[Unnamed]] = field(default_factory=dict)

    def add(self, tool: ToolEvidence) -> None:
        """Count one more tool."""
        self._count_repairs(tool)
        self._count_words(tool)

    def _count_repairs(self, tool: ToolEvidence) -> None:
        silent = []
        for call in repairable(tool):
            outcome = repair_outcome(tool, call)
            if outcome in {RepairOutcome.UNSEEN, RepairOutcome.STATE}:
                continue
            keyword = _keyword(call)
            self.outcomes.append((keyword, outcome))
            if outcome is RepairOutcome.REPAIRED:
                self.steps[len(tool.repairs_of(call.case.id))] += 1
            if outcome is RepairOutcome.NONE_GIVEN and keyword not in self.advised:
                silent.append((keyword, call))
        self.advised |= {each.keyword: each for each in advice(silent)}

    def _count_words(self, tool: ToolEvidence) -> None:
        baselines = [call for call in tool.of(CaseKind.BASELINE) if call.reading.refused]
        refused = {call.reading.text for call in baselines}
        doubtful = bool(baselines) and not _is_accepted(tool)
        spared = {
            call.reading.text
            for call in (*tool.valid, *tool.of(CaseKind.AFTER))
            if call.reading.refused
        }
        for call in tool.broken:
            violation = call.case.violation
            if violation is None or violation.parameter is None:
                continue
            if call.reading.text in refused:
                continue  # the baseline call got the same text, so it is not about this mistake
            if call.reading.outcome is Outcome.INPUT_REFUSED:
                names, right = explains(violation, tool.tool.input_schema, call.reading.text)
                if doubtful and not names:
                    continue  # it may be about something else that the server checks first
                keyword = _keyword(call)
                told = None if names else _unnamed(call, keyword, violation.parameter)
                if told is not None and told.named and call.reading.text in spared:
                    continue  # a call without a mistake got it too, such as of a name that is taken
                self.said.append((keyword, names, right))
                few = self.unnamed.setdefault(keyword, [])
                if told is not None and len(few) < _FEW:
                    few.append(told)

    @property
    def repair(self) -> Repair:
        """The repair rate, also by the broken keyword."""
        outcomes, found = self.outcomes, [m for _, m in self.outcomes]
        by_keyword = {
            keyword: _rate([m for k, m in outcomes if k == keyword])
            for keyword in sorted({k for k, _ in outcomes})
        }
        return Repair(
            _rate(found),
            by_keyword,
            stuck=found.count(RepairOutcome.STUCK),
            wrong=found.count(RepairOutcome.WRONG),
            none_given=found.count(RepairOutcome.NONE_GIVEN),
            steps=dict(sorted(self.steps.items())),
            advice=tuple(self.advised[keyword] for keyword in sorted(self.advised)),
        )

    @property
    def explain(self) -> Explain:
        """The share of refusals that name the parameter, and of those that also say what would be
        right.
        """
        by_keyword = {
            keyword: _shares([s for s in self.said if s[0] == keyword])
            for keyword in sorted({s[0] for s in self.said})
        }
        few = tuple(each for keyword in sorted(self.unnamed) for each in self.unnamed[keyword])
        return Explain(*_shares(self.said), by_keyword, few)


def tally(tools: Iterable[ToolEvidence]) -> Tally:
    """Count all these tools."""
    counted = Tally()
    for tool in tools:
        counted.add(tool)
    return counted


def repair(tools: Iterable[ToolEvidence]) -> Repair:
    """Return the repair rate over all tools."""
    return tally(tools).repair


def _rate(found: list[RepairOutcome]) -> Rate:
    return Rate(found.count(RepairOutcome.REPAIRED), len(found))


def explain(tools: Iterable[ToolEvidence]) -> Explain:
    """Return the explain rate over all tools."""
    return tally(tools).explain


def _shares(said: list[tuple[str, bool, bool]]) -> tuple[Rate, Rate]:
    return (
        Rate(sum(names for _, names, _ in said), len(said)),
        Rate(sum(right for _, _, right in said), len(said)),
    )


def _is_accepted(tool: ToolEvidence) -> bool:
    return tool.baseline is not None and tool.baseline.reading.accepted


def _unnamed(call: Call, keyword: str, parameter: str) -> Unnamed:
    """Return what a refusal says that does not name the parameter, with the parameters that it
    names.

    The names in its errors are preferred to words in its text. The parent of the broken place is
    left out: to name it says too little, but misleads nobody.
    """
    envelope, text = call.reading.envelope, call.reading.text
    errors = envelope.errors if envelope is not None else ()
    named = tuple(dict.fromkeys(e.parameter_name for e in errors if e.parameter_name))[:_NAMES]
    named = named or parameters_in(call.tool.input_schema, text, _NAMES)
    violation = call.case.violation
    if violation is not None:
        named = tuple(n for n in named if names_place(violation, n) is not Naming.PARENT)
    return Unnamed(keyword, call.case.tool, call.case.id.text, parameter, named, text[:_SAID])


def _keyword(call: Call) -> str:
    violation = call.case.violation
    return violation.keywords[0] if violation is not None and violation.keywords else "type"
