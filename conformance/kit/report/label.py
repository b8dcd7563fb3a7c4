"""What was sent, in a word or two: the place that was broken and how, or the step of a script."""

from __future__ import annotations

import json
from typing import Any

from conformance.kit.model.case import Case, CaseKind
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import Finding
from conformance.kit.report.safe_text import ticked
from conformance.kit.report.view import View
from conformance.kit.report.words import say
from conformance.kit.verdicts.scenario_words import scenario_words
from conformance.kit.verdicts.sent_words import call_words, step_words
from conformance.spec.messages import Message, is_message, message

_ALIVE = "-alive"
"""The end of the name of a step that asks whether the server still answers."""

_LONGEST = 200


def scenario_label(scenario: str, view: View) -> str:
    """Give a scenario in words, with the code that stands in the case's id behind them."""
    code = f"<code>{view.text(scenario)}</code>"
    words = scenario_words(scenario)
    return code if words is None else f"{view.words(words, _LONGEST)} ({code})"


def finding_label(finding: Finding, view: View) -> str:
    """Give the parameter and the scenario of a finding, or the step that it is about."""
    if finding.scenario:
        parts = [f"<code>{view.text(finding.parameter)}</code>"] if finding.parameter else []
        return " · ".join((*parts, scenario_label(finding.scenario, view)))
    if finding.parameter:
        return f"<code>{view.text(finding.parameter)}</code>"
    exchange = None if finding.exchange is None else view.exchange(finding.exchange)
    return "" if exchange is None else step_label(exchange, view)


def step_label(exchange: Exchange, view: View) -> str:
    """Give a script's step in words, if it has any, with its code behind them."""
    if not exchange.step:
        return view.text(exchange.script or "")
    code = f"<code>{view.text(exchange.step)}</code>"
    words = _step_words(exchange.step, view.language)
    return code if not words else f"{ticked(view.text(words, _LONGEST))} ({code})"


def _step_words(step: str, language: str) -> str:
    before = step.removesuffix(_ALIVE)
    words = _known(step) or _known(before)
    if words is None:
        return ""
    said = words.words(language)
    return said if before == step else say("report.html.alive", language, what=said)


def _known(step: str) -> Message | None:
    return step_words(step) if is_message(f"step.{step}") else None


def call_note(case: Case, view: View) -> str:
    """Give what makes a call this one: what was broken in it, or which good call it is."""
    violation = case.violation
    if case.kind is CaseKind.VALID:
        return f"{view.say('report.html.valid')} {scenario_label(case.scenario, view)}"
    if case.kind is not CaseKind.BROKEN or violation is None:
        return view.words(message("report.html.call", what=call_words(case)))
    note = f"{view.say('report.html.broken')} {scenario_label(case.scenario, view)}"
    if violation.was_absent or not violation.pointer:
        return note
    was = view.text(_json(violation.was), 120)
    return f"{note} · {view.say('report.html.was')} <code>{was}</code>"


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "…"
