"""The top of the report: target, level and what keeps it from the next, rates, counts, matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from conformance.kit.model.results import RunResult
from conformance.kit.report.cards import cards
from conformance.kit.report.charts import explain_panel, repair_panel, verdict_bar
from conformance.kit.report.first import first
from conformance.kit.report.fold import Folded
from conformance.kit.report.levels import (
    clauses_verified,
    left_out,
    resources_listed,
    run_standing_name,
    session_level,
    standing_name,
    tools_called,
)
from conformance.kit.report.matrix import matrix
from conformance.kit.report.outcome import outcome
from conformance.kit.report.parity import parity
from conformance.kit.report.view import View
from conformance.kit.report.waived import waiver_words
from conformance.kit.report.words import NOTHING, duration, number, percent
from conformance.spec.vocabulary import RunKind

_INSTANT = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)$")
_REASONS = 12
_TRACES = 3
_NAMES = 30
_STALE = ' class="stale"'
_HERE = "[tools]"
"""Where the names of tools, which are markup, go into a sentence that is text."""


def targets(view: View) -> tuple[str, ...]:
    """Give the targets of the session, each once, as plain text."""
    return tuple(dict.fromkeys(run.run.target for run in view.session.runs))


def masthead(view: View) -> str:
    """Give the head of the page: what was judged, its level, and the facts of the session."""
    session = view.session
    level = session_level(session)
    requests = sum(run.requests for run in session.runs)
    facts = (
        ("report.html.started", _instant(session.started, view)),
        ("report.html.took", duration(session.duration, view.language)),
        ("report.column.requests", number(requests, view.language)),
        ("report.html.seed", str(session.seed)),
        ("report.html.kit", f"Agent Formats {view.text(session.kit)}"),
    )
    listed = "".join(f"<div><dt>{view.say(id)}</dt><dd>{value}</dd></div>" for id, value in facts)
    named = "<br>".join(f"<bdi>{view.text(target)}</bdi>" for target in targets(view))
    name = standing_name(session, view.language)
    kind = "null" if level is None else level.value
    return (
        '<header class="masthead"><div class="what">'
        f'<p class="eyebrow">Agent Formats · {view.say("report.title")}</p>'
        f'<h1 id="title">{named or NOTHING}</h1>{_outcome(view)}'
        f'<dl class="facts">{listed}</dl></div>'
        f'<p class="badge l-{kind}"><span>{view.say("report.level.label")}</span>'
        f"<strong>{name}</strong></p></header>"
    )


def _outcome(view: View) -> str:
    """Give what the session ends with, if that is known and not told elsewhere."""
    ended = view.ended
    words = outcome(view.session, ended, view.language) if ended is not None else ""
    if ended is None or not words:
        return ""
    sign = f'<span aria-hidden="true">{ended.sign}</span>'
    return f'<p class="outcome v-{ended.kind}">{sign} {view.text(words, 600)}</p>'


def _instant(text: str, view: View) -> str:
    """Give an ISO 8601 instant to the minute; any other text as it is."""
    shown = _INSTANT.sub(r"\1 \2 UTC", text)
    return f'<time datetime="{view.text(text)}">{view.text(shown)}</time>'


def top(view: View, folded: Folded) -> str:
    """Give everything between the head and the table of findings."""
    return "".join(_parts(view, folded))


def _parts(view: View, folded: Folded) -> Iterator[str]:
    session = view.session
    if session.interrupted:
        yield f'<p class="notice">{view.say("report.interrupted")}</p>'
    for error in session.kit_errors[:_REASONS]:
        words = view.lines(error, 2_000)
        yield f'<p class="notice bad">{view.say("report.kit-error")} {words}</p>'
    for trace in session.kit_traces[:_TRACES]:
        words = view.lines(trace, 8_000)
        head = view.say("report.kit-trace")
        yield f"<details><summary>{head}</summary><pre>{words}</pre></details>"
    full = [run for run in session.runs if run.run.kind is RunKind.FULL]
    if session.selection:
        asked = f" {view.say('report.selected')} <code>{view.text(session.selected, 600)}</code>"
        asked = asked if session.selected else ""
        yield f'<p class="notice">{view.say("report.selection")}{asked}</p>'
    elif full and not session.interrupted:
        yield _section("standing", view.say("report.html.standing"), cards(full, view, folded))
    failed = first(view, folded)
    if failed:
        yield _section("first", view.say("report.html.first"), failed)
    if full:
        yield _section("rates", view.say("report.html.rates"), _rates(full, view))
    compared = parity(view, folded)
    if compared:
        yield _section("parity", view.say("report.html.parity"), compared)
    protocol = [run for run in session.runs if run.run.kind is not RunKind.FULL]
    if protocol:
        stand = [run_standing_name(run, session, view.language) for run in protocol]
        names = ", ".join(
            f"<code>{view.text(run.run.id)}</code> ({standing})"
            for run, standing in zip(protocol, stand, strict=True)
        )
        yield f'<p class="meta alone">{view.say("report.html.protocol-runs")} {names}</p>'
    verified, applicable = clauses_verified(session)
    line = view.say("report.verified", verified=verified, applicable=applicable)
    called = number(len(tools_called(session)), view.language)
    line += f" · {view.say('report.html.called', count=called)}"
    listed = resources_listed(session)
    if listed:
        types = ", ".join(
            f"{kind} {number(count, view.language)}" for kind, count in listed.items()
        )
        total = number(sum(listed.values()), view.language)
        line += f" · {view.say('report.resources', count=total, types=types)}"
    counts = verdict_bar(view)
    yield _section("verdicts", view.say("report.html.verdicts"), f"<p>{line}</p>{counts}")
    table = matrix(view, folded)
    if table:
        yield _section("matrix", view.say("report.html.matrix"), table)
    yield from _waivers(view)
    yield from _unmarked(view)
    yield from _left_out(view)


def _section(id: str, head: str, body: str) -> str:
    return (
        f'<section class="block" aria-labelledby="h-{id}"><h2 id="h-{id}">{head}</h2>'
        f"{body}</section>"
    )


def _rates(runs: Sequence[RunResult], view: View) -> str:
    made: list[str] = []
    for run in runs:
        panels = f'<div class="panels">{repair_panel(run, view)}{explain_panel(run, view)}</div>'
        if len(runs) == 1:
            return panels
        state = "" if made else " open"
        rates = view.say(
            "report.terminal.rates",
            repair=percent(run.repair.rate, view.language),
            named=percent(run.explain.names_parameter, view.language),
            said=percent(run.explain.says_what_is_right, view.language),
        )
        head = f'{view.text(run.run.id)} <span class="meta">{rates}</span>'
        made.append(f"<details{state}><summary>{head}</summary>{panels}</details>")
    return "".join(made)


def _waivers(view: View) -> Iterator[str]:
    session = view.session
    if not session.waivers:
        return
    lines = "".join(
        f"<li{_STALE if used.stale else ''}>"
        f"{view.text(waiver_words(used, view.language), 600)}</li>"
        for used in session.waivers
    )
    head = f"{view.say('report.waivers')}: <code>{view.text(session.waivers_file)}</code>"
    yield _section("waivers", head, f'<ul class="waivers">{lines}</ul>')


def _unmarked(view: View) -> Iterator[str]:
    """The tools that were called without a word on what they change, and how to leave them out."""
    tools = tuple(dict.fromkeys(tool for run in view.session.runs for tool in run.tools_unmarked))
    if not tools:
        return
    more = f" (+{len(tools) - _NAMES})" if len(tools) > _NAMES else ""
    names = ", ".join(view.name(tool) for tool in tools[:_NAMES])
    body = view.say("kit.unmarked", count=len(tools), tools=_HERE).replace(_HERE, names + more)
    yield _section("unmarked", view.say("report.unmarked"), f"<p>{body}</p>")


def _left_out(view: View) -> Iterator[str]:
    reasons = left_out(view.session)
    if not reasons:
        return
    lines = []
    for reason, tools in list(reasons.items())[:_REASONS]:
        names = ", ".join(view.name(tool) for tool in tools[:_NAMES])
        more = f" (+{len(tools) - _NAMES})" if len(tools) > _NAMES else ""
        lines.append(f"<li>{names}{more}: {view.words(reason)}</li>")
    if len(reasons) > _REASONS:
        count = number(len(reasons) - _REASONS, view.language)
        lines.append(f"<li>{view.say('report.more', count=count)}</li>")
    yield _section("left-out", view.say("report.left-out"), f"<ul>{''.join(lines)}</ul>")
