"""The table of findings: its head, its rows as pytest-html takes them, and what filters them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from conformance.kit.report.clause_text import sentence
from conformance.kit.report.detail import Details
from conformance.kit.report.fold import Folded, Row
from conformance.kit.report.levels import GRAVITY, all_items
from conformance.kit.report.others import others
from conformance.kit.report.safe_text import in_html, ticked
from conformance.kit.report.search import Terms
from conformance.kit.report.view import SYMBOLS, View
from conformance.kit.report.words import number, requirement_name, say, verdict_name
from conformance.spec.vocabulary import Verdict

RESULTS = {
    Verdict.PASS: "Passed",
    Verdict.FAIL: "Failed",
    Verdict.WARN: "XFailed",
    Verdict.NOT_APPLICABLE: "Skipped",
    Verdict.NOT_VERIFIED: "Skipped",
    Verdict.WAIVED: "XFailed",
    Verdict.FLAKY: "XFailed",
    Verdict.KIT_ERROR: "Error",
}
"""pytest-html's outcome for each verdict."""

_COLUMNS = ("verdict", "finding", "tools")

SHOWN = len(_COLUMNS)
"""Columns that are seen."""

_TOOLS = 3
_RUNS = 3


def head_cells(language: str) -> list[str]:
    """Give the head of the table.

    pytest-html's script needs the columns `result` and `testId`; they are there and hidden.
    """
    return [
        '<th class="sortable" data-column-type="result" hidden></th>',
        '<th class="sortable" data-column-type="testId" hidden></th>',
        *(
            f'<th scope="col" class="c-{name}"><span>{say(f"report.html.{name}", language)}</span>'
            "</th>"
            for name in _COLUMNS
        ),
    ]


def row_cells(result: str, id: str, verdict: str, finding: str, tools: str) -> list[str]:
    """Give the cells of one row; `result` is pytest-html's word, `id` an ASCII anchor."""
    return [
        f'<td class="col-result" hidden>{result}</td>',
        f'<td class="col-testId" hidden>{id}</td>',
        f'<td class="c-verdict">{verdict}</td>',
        f'<td class="c-finding">{finding}</td>',
        f'<td class="c-tools">{tools}</td>',
    ]


def entry(row: Row, view: View, result: str) -> dict[str, Any]:
    """Give a row as an entry of pytest-html's own data."""
    words = (
        view.words(row.message)
        if row.message is not None
        else ticked(in_html(sentence(row.clause, view.language), None))
    )
    if len(row.clauses) == 1:
        told = [(place.item, place.finding) for place in row.places if place.finding is not None]
        more = others(told, view.language, lambda text: view.text(text, 60))
        words += f' <span class="meta">{more}</span>' if more else ""
    beside = len(row.clauses) - 1
    more_clauses = f" +{number(beside, view.language)}" if beside else ""
    must = "" if beside else requirement_name(row.requirement, view.language)
    finding = (
        f'<button type="button" class="open" aria-expanded="false">'
        f'<span class="clause">{view.text(row.clause)}{more_clauses}</span> '
        f'<span class="must">{must}</span> <span class="says">{words}</span>'
        "</button>"
    )
    names = ", ".join(view.name(tool, 40) for tool in row.tools[:_TOOLS])
    if len(row.tools) > _TOOLS:
        names += f" +{number(len(row.tools) - _TOOLS, view.language)}"
    names = f"<span>{names}</span>"
    more = f" +{len(row.runs) - _RUNS}" if len(row.runs) > _RUNS else ""
    runs = (
        f'<span class="runs">{" · ".join(map(view.text, row.runs[:_RUNS]))}{more}</span>'
        if len(view.session.runs) > 1
        else ""
    )
    verdict = f'<span data-verdict="{row.verdict.value}">{view.verdict(row.verdict)}</span>'
    cells = row_cells(result, row.id, verdict, finding, names + runs)
    return {
        "extras": [],
        "result": result,
        "testId": row.id,
        "resultsTableRow": cells,
        "log": "",
    }


def templates(folded: Folded, view: View) -> str:
    """Give the inside of each row, inert until the row is opened.

    It is the text of a comment: very many rows would cost the browser most of its time to parse.
    """
    details, terms = Details(view), Terms(view)
    made = "".join(
        f'<template id="detail-{row.id}" data-terms="{terms.of(row)}">'
        f"<!--{in_comment(details.detail(row))}--></template>"
        for row in folded.rows
    )
    return made + terms.listed()


def in_comment(markup: str) -> str:
    """Markup that means the same, and does not end a comment that it stands in."""
    return markup.replace("--", "-&#45;")


def filter_bar(folded: Folded, view: View) -> str:
    """Give the heading of the table and what narrows it: verdicts, a search, open and close."""
    rows = Counter(row.verdict for row in folded.rows)
    hidden = {Verdict.NOT_APPLICABLE}
    if set(rows) - {Verdict.NOT_APPLICABLE, Verdict.PASS}:
        hidden.add(Verdict.PASS)  # what passes is one click away, and hides nothing
    chips = "".join(
        f'<label class="chip"><input type="checkbox" value="{verdict.value}"'
        f"{'' if verdict in hidden else ' checked'}>"
        f'<span class="v-{verdict.value}"><span aria-hidden="true">{SYMBOLS[verdict]}</span> '
        f"{verdict_name(verdict, view.language)} "
        f"<b>{number(rows[verdict], view.language)}</b></span></label>"
        for verdict in GRAVITY
        if rows[verdict]
    )
    items = number(sum(1 for _ in all_items(view.session)), view.language)
    shown = number(len(folded.rows), view.language)
    line = view.say("report.html.folded", rows=shown, verdicts=items)
    results = view.text(view.results)
    if folded.rest:
        rest = number(folded.rest, view.language)
        line += f" {view.say('report.html.rest', count=rest)}"
    link = f'<a href="{results}">{results}</a>'
    search = view.say("report.html.search")
    return (
        f'<section class="block findings" aria-labelledby="h-findings">'
        f'<h2 id="h-findings">{view.say("report.findings")}</h2>'
        f'<p class="meta">{line} {view.say("report.html.every-verdict")} {link}</p>'
        f'<div class="tools-bar"><fieldset><legend class="vh">{view.say("report.html.filter")}'
        f'</legend>{chips}</fieldset><label class="search"><span class="vh">{search}</span>'
        f'<input type="search" id="search" placeholder="{search}" autocomplete="off"></label>'
        f'<button type="button" id="open-all">{view.say("report.html.open-all")}</button>'
        f'<button type="button" id="close-all">{view.say("report.html.close-all")}</button></div>'
        f'<p class="meta" id="shown" role="status" data-words="'
        f'{view.say("report.html.shown", shown="%1", rows="%2")}" data-more="'
        f'{view.say("report.html.off", count="%1")}"></p>'
        f"<noscript><p class='notice'>{view.say('report.html.noscript')}</p></noscript></section>"
    )
