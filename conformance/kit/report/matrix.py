"""The matrix of clauses and tools: the gravest verdict of all runs in each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.kit.report.clause_text import sentence
from conformance.kit.report.fold import Folded
from conformance.kit.report.levels import GRAVITY, all_items, in_the_way
from conformance.kit.report.safe_text import in_html, ticked
from conformance.kit.report.view import SYMBOLS, View
from conformance.kit.report.words import number, verdict_name
from conformance.spec.vocabulary import Verdict

FEW = 20
"""Tools up to which the matrix is open and has a column for each."""

_TOOLS = 100
"""Tools shown at most, of those in which something is broken; the gravest first."""

Cells = Mapping[tuple[str, str | None], Verdict]


def matrix(view: View, folded: Folded) -> str:
    """Give the matrix as HTML, empty where there is nothing to show.

    Clauses about the whole target have no row of cells: they are listed below. Those that nowhere
    apply are counted.
    """
    cells = _cells(view)
    applying = {clause for (clause, _), verdict in cells.items() if verdict is not _NOWHERE}
    clauses = sorted({clause for clause, tool in cells if tool is not None} & applying)
    whole = sorted({clause for clause, tool in cells if tool is None} & applying)
    tools = list(dict.fromkeys(tool for _, tool in cells if tool is not None))
    lacking = in_the_way(view.session)
    anchors = folded.anchors()
    parts = []
    if clauses and len(tools) <= FEW:
        parts.append(_small(clauses, tools, cells, lacking, anchors, view))
    elif clauses:
        parts.append(_large(clauses, tools, cells, lacking, anchors, view))
    if whole:
        parts.append(_whole(whole, cells, lacking, anchors, view))
    nowhere = len({clause for clause, _ in cells} - applying)
    if nowhere:
        count = number(nowhere, view.language)
        parts.append(f'<p class="meta">{view.say("report.html.nowhere", count=count)}</p>')
    return "".join(parts)


_NOWHERE = Verdict.NOT_APPLICABLE
_BROKEN = {Verdict.KIT_ERROR, Verdict.FAIL, Verdict.FLAKY, Verdict.WARN, Verdict.WAIVED}


def _small(
    clauses: Sequence[str],
    tools: Sequence[str],
    cells: Cells,
    lacking: frozenset[str],
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    """The clauses that something breaks or that a level lacks; the others are a click away."""
    broken, rest = _parted(clauses, tools, cells, lacking)
    made = _framed(_by_clause(broken, tools, cells, anchors, view), view) if broken else ""
    if not rest:
        return made
    table = _framed(_by_clause(rest, tools, cells, anchors, view), view)
    return made + _folded(rest, table, view)


def _whole(
    clauses: Sequence[str],
    cells: Cells,
    lacking: frozenset[str],
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    """The clauses about the target as a whole, those that nothing breaks a click away."""

    def listed(some: Sequence[str]) -> str:
        chips = (_chip(clause, cells[clause, None], anchors, view) for clause in some)
        return f'<ul class="wholes">{"".join(chips)}</ul>'

    broken, rest = _parted(clauses, (None,), cells, lacking)
    made = f"<h3>{view.say('report.html.whole-target')}</h3>"
    made += listed(broken) if broken else ""
    return made + (_folded(rest, listed(rest), view) if rest else "")


def _parted(
    clauses: Sequence[str],
    tools: Sequence[str | None],
    cells: Cells,
    lacking: frozenset[str],
) -> tuple[list[str], list[str]]:
    """The clauses to see at once, and the others.

    What could not be verified is not broken, and yet stands in the way of a level: that is seen.
    """
    seen = [
        clause
        for clause in clauses
        if any(_is_seen(clause, cells.get((clause, tool)), lacking) for tool in tools)
    ]
    return seen, [clause for clause in clauses if clause not in set(seen)]


def _is_seen(clause: str, verdict: Verdict | None, lacking: frozenset[str]) -> bool:
    return verdict in _BROKEN or (verdict is Verdict.NOT_VERIFIED and clause in lacking)


def _folded(clauses: Sequence[str], body: str, view: View) -> str:
    title = view.say("report.html.matrix-rest", count=len(clauses))
    return f"<details><summary>{title}</summary>{body}</details>"


def _large(
    clauses: Sequence[str],
    tools: Sequence[str],
    cells: Cells,
    lacking: frozenset[str],
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    """The same for many tools: all is a click away, and what is sound has no cell of its own."""
    broken, rest = _parted(clauses, tools, cells, lacking)
    hit = [t for t in tools if any(_is_seen(c, cells.get((c, t)), lacking) for c in broken)]
    made = _gravest_first(broken, hit, cells, anchors, view) if broken else ""
    if not rest:
        return made
    chips = []
    for clause in rest:
        verdicts = {cells[clause, tool] for tool in tools if (clause, tool) in cells}
        chips.append(_chip(clause, min(verdicts, key=GRAVITY.index), anchors, view))
    return made + _folded(rest, f'<ul class="wholes">{"".join(chips)}</ul>', view)


def _gravest_first(
    clauses: Sequence[str],
    tools: Sequence[str],
    cells: Cells,
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    by_gravity = sorted(tools, key=lambda tool: _gravest(tool, clauses, cells))
    body = _framed(_by_tool(clauses, by_gravity[:_TOOLS], cells, anchors, view), view)
    rest = len(tools) - _TOOLS
    if rest > 0:
        count = number(rest, view.language)
        body += f'<p class="meta">{view.say("report.more", count=count)} · {_results(view)}</p>'
    count = number(len(tools), view.language)
    title = view.say("report.html.matrix-of", count=count)
    return f"<details><summary>{title}</summary>{body}</details>"


def _chip(
    clause: str, verdict: Verdict, anchors: Mapping[tuple[str, Verdict], str], view: View
) -> str:
    name, anchor = verdict_name(verdict, view.language), anchors.get((clause, verdict))
    body = (
        f'<span aria-hidden="true">{SYMBOLS[verdict]}</span> {view.text(clause)}'
        f'<span class="vh"> {name}</span>'
    )
    if anchor is not None and verdict is not Verdict.PASS:
        body = f'<a href="#{anchor}">{body}</a>'
    return f'<li class="v-{verdict.value}" title="{name}">{body}</li>'


def _results(view: View) -> str:
    return f'<a href="{view.text(view.results)}">{view.text(view.results)}</a>'


def _cells(view: View) -> dict[tuple[str, str | None], Verdict]:
    found: dict[tuple[str, str | None], Verdict] = {}
    for item in all_items(view.session):
        key = (item.clause, item.tool)
        held = found.get(key)
        if held is None or GRAVITY.index(item.verdict) < GRAVITY.index(held):
            found[key] = item.verdict
    return found


def _gravest(tool: str, clauses: Sequence[str], cells: Cells) -> list[int]:
    """Give the gravities of a tool's cells, the gravest first: a key to sort tools by."""
    return sorted(
        GRAVITY.index(verdict) for clause in clauses if (verdict := cells.get((clause, tool)))
    )


def _framed(table: str, view: View) -> str:
    name = view.say("report.html.matrix")
    return f'<div class="scroll" role="group" aria-label="{name}" tabindex="0">{table}</div>'


def _by_clause(
    clauses: Sequence[str],
    tools: Sequence[str],
    cells: Cells,
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    heads = "".join(f'<th scope="col"><span>{view.name(tool, 40)}</span></th>' for tool in tools)
    rows = []
    for clause in clauses:
        row = "".join(_cell(cells.get((clause, tool)), clause, anchors, view) for tool in tools)
        words = ticked(in_html(sentence(clause, view.language), None))
        row += f'<td class="rule">{words}</td>'
        rows.append(f'<tr><th scope="row">{view.text(clause)}</th>{row}</tr>')
    corner = f'<th scope="col" class="corner">{view.say("report.html.clause")}</th>'
    last = f'<th scope="col" class="corner">{view.say("report.html.rule")}</th>'
    return (
        f'<table class="matrix"><thead><tr>{corner}{heads}{last}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _by_tool(
    clauses: Sequence[str],
    tools: Sequence[str],
    cells: Cells,
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    shown = [clause for clause in clauses if any((clause, tool) in cells for tool in tools)]
    heads = "".join(f'<th scope="col"><span>{view.text(clause)}</span></th>' for clause in shown)
    rows = []
    for tool in tools:
        row = "".join(_cell(cells.get((clause, tool)), clause, anchors, view) for clause in shown)
        rows.append(f'<tr><th scope="row">{view.name(tool, 40)}</th>{row}</tr>')
    corner = f'<th scope="col" class="corner">{view.say("report.html.tool")}</th>'
    return (
        f'<table class="matrix"><thead><tr>{corner}{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _cell(
    verdict: Verdict | None,
    clause: str,
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    if verdict is None:
        return "<td></td>"
    name, symbol = verdict_name(verdict, view.language), SYMBOLS[verdict]
    anchor = anchors.get((clause, verdict))
    if anchor is None or verdict in {Verdict.PASS, _NOWHERE}:
        return f'<td class="v-{verdict.value}" title="{name}">{symbol}</td>'
    return (
        f'<td class="v-{verdict.value}"><a href="#{anchor}" title="{name}">{symbol}'
        f'<span class="vh"> {name}</span></a></td>'
    )
