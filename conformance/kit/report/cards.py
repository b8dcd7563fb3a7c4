"""Where each full run stands on the ladder of levels, and what keeps it from the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.kit.model.results import RunResult
from conformance.kit.report.clause_text import rule
from conformance.kit.report.fold import Folded
from conformance.kit.report.lacking import Lack, also, lacks
from conformance.kit.report.levels import capped, missing_for, next_level
from conformance.kit.report.safe_text import in_html, ticked
from conformance.kit.report.view import View
from conformance.kit.report.words import level_name, number
from conformance.spec.vocabulary import Level, Verdict

_MISSING = 12
_TOOLS = 3


def cards(runs: Sequence[RunResult], view: View, folded: Folded) -> str:
    """Give a card for each group of full runs that stand alike."""
    alike: dict[tuple[object, ...], list[RunResult]] = {}
    for run in runs:
        alike.setdefault((run.run.target, run.level, _lacking(run), run.claims_atdf), []).append(
            run
        )
    made = "".join(
        f'<article class="card">{_card(some, view, folded)}</article>' for some in alike.values()
    )
    return f'<div class="cards">{made}</div>'


def _lacking(run: RunResult) -> tuple[object, ...]:
    """What a run lacks, and for which tools: runs that differ in it do not stand alike."""
    upper = next_level(run)
    if upper is None:
        return ()
    told = ((e.verdict, e.clauses, frozenset((*e.tools, *e.also))) for e in lacks(run, upper))
    return (missing_for(run, upper), *told)


def _card(alike: Sequence[RunResult], view: View, folded: Folded) -> str:
    """Give where runs of one target stand that reached the same, and lack the same."""
    run = alike[0]
    names = ", ".join(view.text(one.run.id) for one in alike)
    places = " · ".join(dict.fromkeys(view.text(one.run.endpoint) for one in alike))
    steps = "".join(_step(run, level, view) for level in run.run.role.levels[1:])
    return (
        f"<h3>{names}</h3>"
        f'<p class="meta"><code>{places}</code></p>'
        f'<ol class="ladder">{steps}</ol>{_missing(run, view, folded)}'
    )


def _step(run: RunResult, level: Level, view: View) -> str:
    state = run.levels.get(level)
    reached = state is not None and state.reached
    kind, sign = ("reached", "✓") if reached else ("ahead", "")
    says = view.say(f"report.html.{kind}")
    return (
        f'<li class="{kind}"><span class="dot" aria-hidden="true">{sign}</span>'
        f'{level_name(level, view.language)}<span class="vh"> ({says})</span></li>'
    )


def _missing(run: RunResult, view: View, folded: Folded) -> str:
    upper = next_level(run)
    if upper is None:
        return f'<p class="good">{view.say("report.top-reached")}</p>'
    found, anchors = lacks(run, upper), folded.anchors()
    lines = [f"<li>{_lack(each, anchors, view)}</li>" for each in found[:_MISSING]]
    if len(found) > _MISSING:
        count = number(len(found) - _MISSING, view.language)
        lines.append(f"<li>{view.say('report.more', count=count)}</li>")
    head = view.say("report.keeps-from", level=level_name(upper, view.language))
    claim = "" if run.claims_atdf else f'<p class="meta">{view.say("report.not-claimed")}</p>'
    reason = capped(run)
    if reason is not None:
        claim = f"<p>{view.say('report.capped', reason=reason)}</p>{claim}"
    if not lines:
        return claim
    return f"<p><b>{head}</b></p><ul class='missing'>{''.join(lines)}</ul>{claim}"


def _lack(lack: Lack, anchors: Mapping[tuple[str, Verdict], str], view: View) -> str:
    links = " · ".join(_link(clause, lack.verdict, anchors, view) for clause in lack.clauses)
    label = view.verdict(lack.verdict) if lack.verdict else ""
    if lack.reason is None:
        found = rule(lack.clauses[0], view.language)
        return f"{links} {label} {ticked(in_html(found.text, None)) if found else ''}"
    tools = ", ".join(view.name(tool, 40) for tool in lack.tools[:_TOOLS])
    if len(lack.tools) > _TOOLS:
        tools += f" +{number(len(lack.tools) - _TOOLS, view.language)}"
    where = f"{tools}: " if tools else ""
    more = also(lack, view.language, lambda tool: view.name(tool, 40))
    words = view.words(lack.reason)
    if more:
        words += f' <span class="meta">{more}</span>'
    return f'{label} {where}{words} <span class="of">{links}</span>'


def _link(
    clause: str,
    verdict: Verdict | None,
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    anchor = anchors.get((clause, verdict)) if verdict else None
    name = view.text(clause)
    return f'<a href="#{anchor}">{name}</a>' if anchor else f"<b>{name}</b>"
