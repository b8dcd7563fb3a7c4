"""The refusals that do not name the parameter: what was wrong, and what they name instead."""

from __future__ import annotations

from conformance.kit.model.results import Explain, Unnamed
from conformance.kit.report.view import View
from conformance.kit.report.words import number

_MOST = 10
"""Refusals shown; `results.json` has a few more, and `exchanges.ndjson` all."""


def unnamed(explain: Explain, view: View) -> str:
    """Give them folded, first one of each keyword; empty where all name it."""
    if not explain.unnamed:
        return ""
    lines = [_line(each, view) for each in _by_turns(explain.unnamed)[:_MOST]]
    rest = explain.names_parameter.of - explain.names_parameter.hits - len(lines)
    if rest > 0:
        lines.append(f"<li>{view.say('report.more', count=number(rest, view.language))}</li>")
    head = view.say("report.html.unnamed")
    body = f'<ul class="missing">{"".join(lines)}</ul>'
    return f"<details><summary>{head}</summary>{body}</details>"


def _by_turns(found: tuple[Unnamed, ...]) -> list[Unnamed]:
    """The first of each keyword, then the second of each: none crowds out the others."""
    turns: dict[str, int] = {}
    ranked: list[tuple[int, Unnamed]] = []
    for each in found:
        turns[each.keyword] = turns.get(each.keyword, 0) + 1
        ranked.append((turns[each.keyword], each))
    return [each for _, each in sorted(ranked, key=lambda pair: pair[0])]


def _line(each: Unnamed, view: View) -> str:
    if each.named:
        names = ", ".join(f"<code>{view.text(name, 60)}</code>" for name in each.named)
        what = f"{view.say('report.html.unnamed.others')} {names}"
    else:
        what = view.say("report.html.unnamed.none")
    said = f"<br><q>{view.text(each.said, 160)}</q>" if each.said else ""
    return (
        f"<li><code>{view.text(each.keyword, 22)}</code> · {view.name(each.tool, 40)} · "
        f"<code>{view.text(each.parameter, 60)}</code> · {what}{said}"
        f'<br><span class="of">{view.text(each.case)}</span></li>'
    )
