"""Where a row's message holds, and what was sent there, without repetition."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.kit.model.case import Case, CaseKind
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import Finding
from conformance.kit.model.step import Mark, Step
from conformance.kit.report.html.rows import PLACES, Place, Row
from conformance.kit.report.reporter import Report
from conformance.kit.verdicts.sent_words import NO_WORDS, call_words, scenario_words, step_words
from conformance.spec.messages import Message, Topic

_SENTENCE_END = ". "


@dataclass(frozen=True, slots=True)
class Label:
    """What was sent: the parameter, and the scenario or step as code and in words."""

    parameter: str = ""
    words: str = ""
    code: str = ""
    script: str = ""
    """The script of an exchange that is not one of its steps."""

    def __bool__(self) -> bool:
        return any((self.parameter, self.code, self.script))


NOTHING_SENT = Label()


@dataclass(frozen=True, slots=True)
class Note:
    """What is special about a call: an introduction, how it was broken, and the value before."""

    words: str
    label: Label = NOTHING_SENT
    was: str | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """Places with the same runs: what was sent, its text, and for how many cases this is the same.

    Tools without either are listed together.
    """

    runs: tuple[str, ...]
    tools: tuple[str, ...]
    told: tuple[tuple[Label, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    """One place in the list, equal for all runs in which the message holds."""

    tool: str | None
    parameter: str | None
    scenario: str | None
    path: str | None
    message: Message | None


def finding_label(finding: Finding | None, report: Report) -> Label:
    """Return the parameter and the scenario of a finding, or the step that it is about."""
    if finding is None:
        return NOTHING_SENT
    if finding.scenario:
        words = _scenario_words(finding.scenario, report)
        return Label(finding.parameter or "", words, finding.scenario)
    if finding.parameter:
        return Label(finding.parameter)
    exchange = None if finding.exchange is None else report.exchange(finding.exchange)
    return NOTHING_SENT if exchange is None else step_label(exchange, report)


def step_label(exchange: Exchange, report: Report) -> Label:
    """Return a script's step as code, and in words if there are any."""
    if exchange.step is None:
        return Label(script=exchange.script or "")
    return Label(words=_step_words(exchange.step, report), code=str(exchange.step))


def call_note(case: Case, report: Report) -> Note:
    """Return what is special about a call: what was broken in it, or which kind of call it is."""
    violation = case.violation
    label = Label(words=_scenario_words(case.scenario, report), code=case.scenario)
    if case.kind is CaseKind.VALID:
        return Note(report.say("report.html.valid"), label)
    if case.kind is not CaseKind.BROKEN or violation is None:
        return Note(report.say("report.html.call", what=call_words(case)))
    known = not violation.was_absent and violation.pointer
    return Note(report.say("report.html.broken"), label, _json(violation.was) if known else None)


def _scenario_words(scenario: str, report: Report) -> str:
    words = scenario_words(scenario)
    return "" if words is None else words.words(report.language)


def _step_words(step: Step, report: Report) -> str:
    words = step_words(step.name)
    if words.id == NO_WORDS or step.mark not in {None, Mark.ALIVE}:
        return ""
    said = words.words(report.language)
    return said if step.mark is None else report.say("report.html.alive", what=said)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "…"


def places(row: Row, report: Report) -> tuple[list[Where], int]:
    """Return where a row's message holds, and how many places were left off."""
    lines: dict[_Line, Finding | None] = {}
    runs: dict[_Line, dict[str, None]] = {}
    for place in row.places:
        line = _line(place)
        lines.setdefault(line, place.finding)
        runs.setdefault(line, {})[place.item.run] = None
    shown = list(lines)[:PLACES]
    differ = _differ(shown)
    words = dict(zip(shown, _words(shown, report.language), strict=True)) if differ else {}
    groups: dict[tuple[tuple[str, ...], str], Counter[tuple[Label, str]]] = {}
    for line in shown:
        told = (finding_label(lines[line], report), words.get(line, ""))
        groups.setdefault((tuple(runs[line]), line.tool or ""), Counter())[told] += 1
    return list(_listed(groups)), len(lines) - len(shown)


def _line(place: Place) -> _Line:
    finding, tool = place.finding, place.item.tool
    if finding is None:
        return _Line(tool, None, None, None, None)
    return _Line(tool, finding.parameter, finding.scenario, finding.place, finding.message)


def _listed(
    groups: dict[tuple[tuple[str, ...], str], Counter[tuple[Label, str]]],
) -> Iterator[Where]:
    """Yield the places by tool. Tools with only a name are listed together, at the end."""
    plain: dict[tuple[str, ...], list[str]] = {}
    for (runs, tool), told in groups.items():
        if any(label or words for label, words in told):
            counted = ((label, words, count) for (label, words), count in told.items())
            yield Where(runs, (tool,) if tool else (), tuple(counted))
        else:
            plain.setdefault(runs, []).extend([tool] if tool else [])
    for runs, tools in plain.items():
        yield Where(runs, tuple(tools))


def _differ(lines: Iterable[_Line]) -> bool:
    """Return whether the messages differ in more than what was sent and where."""
    said = set()
    for line in lines:
        if line.message is not None:
            own = (v for _, v in line.message.values if v != line.parameter and not _is_sent(v))
            said.add((line.message.id, line.path, tuple(own)))
    return len(said) > 1


def _is_sent(value: str | Message) -> bool:
    return isinstance(value, Message) and value.topic in {Topic.CALL, Topic.STEP}


def _told(line: _Line, language: str) -> str:
    if line.message is None:
        return ""
    said = line.message.words(language)
    return said if line.path is None else f"{line.path}: {said}"


def _words(lines: Sequence[_Line], language: str) -> Iterator[str]:
    """Yield the words of each line, without their last sentence if it is the same in all."""
    said = [_told(line, language) for line in lines]
    ends = {text.rpartition(_SENTENCE_END)[1:] for text in said}
    shared = len(said) > 1 and len(ends) == 1 and all(next(iter(ends)))
    for text in said:
        yield text.rpartition(_SENTENCE_END)[0] + "." if shared else text
