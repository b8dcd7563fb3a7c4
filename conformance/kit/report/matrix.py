"""The matrix of clauses and tools: the gravest verdict of all runs in each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.formats.vocabulary import Verdict
from conformance.kit.report.fold import Folded
from conformance.kit.report.standing import GRAVITY, all_items
from conformance.kit.report.view import SYMBOLS, View
from conformance.kit.report.words import number, verdict_name

FEW = 20
"""Tools up to which the matrix is open and has a column for each."""

_TOOLS = 200
"""Tools shown at most; the ones with the gravest verdicts first."""

Cells = Mapping[tuple[str, str | None], Verdict]


def matrix(view: View, folded: Folded) -> str:
    """Give the matrix as HTML, empty where there is nothing to show."""
    cells = _cells(view)
    clauses = sorted({clause for clause, _ in cells})
    tools = list(dict.fromkeys(tool for _, tool in cells if tool is not None))
    if not cells:
        return ""
    anchors = folded.anchors()
    if len(tools) <= FEW:
        columns = [None, *tools] if any(tool is None for _, tool in cells) else list(tools)
        body = _by_clause(clauses, columns, cells, anchors, view)
        return _framed(body, view)
    by_gravity = sorted(tools, key=lambda tool: _gravest(tool, clauses, cells))
    body = _by_tool(clauses, by_gravity[:_TOOLS], cells, anchors, view)
    rest = len(tools) - _TOOLS
    if rest > 0:
        count = number(rest, view.language)
        body += f'<p class="meta">{view.say("report.more", count=count)} · {_results(view)}</p>'
    count = number(len(tools), view.language)
    title = view.say("report.html.matrix-of", count=count)
    return f"<details><summary>{title}</summary>{_framed(body, view)}</details>"


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
    return f'<div class="scroll" role="region" aria-label="{name}" tabindex="0">{table}</div>'


def _head(tool: str | None, view: View) -> str:
    if tool is None:
        return f"<span>{view.say('report.html.whole-target')}</span>"
    return f"<span>{view.name(tool, 40)}</span>"


def _by_clause(
    clauses: Sequence[str],
    columns: Sequence[str | None],
    cells: Cells,
    anchors: Mapping[tuple[str, Verdict], str],
    view: View,
) -> str:
    heads = "".join(f'<th scope="col">{_head(tool, view)}</th>' for tool in columns)
    rows = []
    for clause in clauses:
        row = "".join(_cell(cells.get((clause, tool)), clause, anchors, view) for tool in columns)
        rows.append(f'<tr><th scope="row">{view.text(clause)}</th>{row}</tr>')
    corner = f'<th scope="col" class="corner">{view.say("report.html.clause")}</th>'
    return (
        f'<table class="matrix"><thead><tr>{corner}{heads}</tr></thead>'
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
    if anchor is None or verdict is Verdict.PASS:
        return f'<td class="v-{verdict.value}" title="{name}">{symbol}</td>'
    return (
        f'<td class="v-{verdict.value}"><a href="#{anchor}" title="{name}">{symbol}'
        f'<span class="vh"> {name}</span></a></td>'
    )
