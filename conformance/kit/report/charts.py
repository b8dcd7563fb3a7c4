"""Rates and counts as pictures: SVG bars, and the same in words beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from conformance.kit.model.results import Rate, Repair, RunResult
from conformance.kit.report.levels import all_items, counts
from conformance.kit.report.unnamed import unnamed
from conformance.kit.report.view import SYMBOLS, View
from conformance.kit.report.words import number, percent, verdict_name
from conformance.spec.vocabulary import Verdict

_KEYWORDS = 8
"""Keywords shown at once, the worst first; the others are a click away."""

_MOST = 64
"""Keywords shown at all; JSON Schema has fewer that one can break."""

_OPEN = 4
"""Pieces of advice that need no click."""

_LONGEST = 22
"""Characters of a keyword: `unevaluatedProperties` and no more."""


def bar(rates: Iterable[tuple[Rate, str]]) -> str:
    """Give bars of equal length, one for each (rate, class), one above the other."""
    shown = list(rates)
    rects = "".join(
        f'<rect class="track" y="{n * 7}" width="100" height="5"/>'
        f'<rect class="{kind}" y="{n * 7}" width="{100 * (rate.rate or 0):.2f}" height="5"/>'
        for n, (rate, kind) in enumerate(shown)
    )
    height = 7 * len(shown) - 2
    return (
        f'<svg class="bar n{len(shown)}" viewBox="0 0 100 {height}" preserveAspectRatio="none" '
        f'aria-hidden="true" focusable="false">{rects}</svg>'
    )


def _of(rate: Rate, view: View) -> str:
    hits, of = number(rate.hits, view.language), number(rate.of, view.language)
    return view.say("report.html.of", hits=hits, of=of)


def repair_panel(run: RunResult, view: View) -> str:
    """Give the repair rate of a run, by keyword, and what became of the rest."""
    repair = run.repair
    head = f"<h3>{view.say('report.column.repair')}</h3>"
    help_text = f'<p class="help">{view.say("report.html.repair-help")}</p>'
    if repair.rate.rate is None:
        nothing = view.say("report.html.nothing-repairable")
        return f'<section class="panel">{head}{help_text}<p>{nothing}</p></section>'
    rows = [
        (keyword, bar([(rate, "fill")]), _of(rate, view))
        for keyword, rate in sorted(repair.by_keyword.items(), key=lambda pair: _worst(pair[1]))
    ]
    note = _ends(repair, view) + _advice(repair, view)
    figure = _figure(repair.rate, "", view)
    return f'<section class="panel">{head}{figure}{help_text}{_bars(rows, view)}{note}</section>'


def _ends(repair: Repair, view: View) -> str:
    """Give what became of the mistakes as one bar in parts, where not all ended alike."""
    named = []
    for steps, count in repair.steps.items():
        said = view.say("report.html.repair.steps", steps=steps, count=_count(count, view))
        named.append((said, count, "fill" if steps == 1 else "fill2"))
    named += [
        (view.say(f"report.html.repair.{name}", count=_count(count, view)), count, f"b-{kind}")
        for name, count, kind in (
            ("stuck", repair.stuck, Verdict.WARN.value),
            ("wrong", repair.wrong, Verdict.FAIL.value),
            ("none-given", repair.none_given, Verdict.NOT_VERIFIED.value),
        )
    ]
    ends = [(said, count, kind) for said, count, kind in named if count]
    if len(ends) < 2:
        return ""
    items = "".join(f'<li><i class="key {kind}"></i>{said}</li>' for said, _, kind in ends)
    # An older file does not say in how many steps: then the parts are not all there.
    whole = sum(count for _, count, _ in ends) == repair.rate.of
    picture = parts([(count, kind) for _, count, kind in ends]) if whole else ""
    return f'{picture}<ul class="legend ends">{items}</ul>'


def _count(count: int, view: View) -> str:
    return number(count, view.language)


def _advice(repair: Repair, view: View) -> str:
    """Give what a suggestion would look like, for each keyword that got none."""
    if not repair.advice:
        return ""
    lines = []
    for each in repair.advice[:_MOST]:
        absent = view.say("report.html.absent")
        sent = absent if each.sent is None else f"<code>{view.text(each.sent, 60)}</code>"
        error = {"parameter_name": each.parameter, "suggested_value": each.suggested}
        shown = view.text(json.dumps(error, ensure_ascii=False)[1:-1], 200)
        lines.append(
            f"<li><code>{view.text(each.keyword[:_LONGEST])}</code> · {view.name(each.tool, 40)} · "
            f"<code>{view.text(each.parameter, 60)}</code> = {sent}<br>"
            f"{view.say('report.html.repair.add')} <code>{shown}</code></li>"
        )
    head = view.say("report.html.repair.advice")
    state = " open" if len(lines) <= _OPEN else ""
    body = f'<ul class="missing">{"".join(lines)}</ul>'
    return f"<details{state}><summary>{head}</summary>{body}</details>"


def explain_panel(run: RunResult, view: View) -> str:
    """Give the two explain rates of a run, by keyword."""
    explain = run.explain
    head = f"<h3>{view.say('report.html.explain')}</h3>"
    help_text = f'<p class="help">{view.say("report.html.explain-help")}</p>'
    if explain.names_parameter.rate is None:
        nothing = view.say("report.html.nothing-refused")
        return f'<section class="panel">{head}{help_text}<p>{nothing}</p></section>'
    rows = [
        (
            keyword,
            bar([(named, "fill"), (said, "fill2")]),
            f"{_of(named, view)}<br>{_of(said, view)}",
        )
        for keyword, (named, said) in sorted(
            explain.by_keyword.items(), key=lambda pair: min(map(_worst, pair[1]))
        )
    ]
    named_word, said_word = view.say("report.column.named"), view.say("report.column.said")
    figures = (
        _figure(explain.names_parameter, f'<i class="key fill"></i>{named_word}', view)
        + _figure(explain.says_what_is_right, f'<i class="key fill2"></i>{said_word}', view)
    )  # fmt: skip
    return (
        f'<section class="panel">{head}<div class="figures">{figures}</div>{help_text}'
        f"{_bars(rows, view)}{unnamed(run.explain, view)}</section>"
    )


def _worst(rate: Rate) -> tuple[float, int]:
    """Give a key that sorts the lowest rate first, and among equals the one counted most."""
    return (rate.rate if rate.rate is not None else 1.0, -rate.of)


def _bars(rows: Sequence[tuple[str, str, str]], view: View) -> str:
    """Give the rows (keyword, bars, words) as a table, the ones past the first few folded."""

    def table(some: Sequence[tuple[str, str, str]]) -> str:
        lines = "".join(
            f'<tr><th scope="row"><code>{view.text(keyword[:_LONGEST])}</code></th>'
            f"<td>{picture}</td><td>{words}</td></tr>"
            for keyword, picture, words in some
        )
        caption = view.say("report.html.by-keyword")
        return (
            f'<table class="bars"><caption class="vh">{caption}</caption>'
            f"<tbody>{lines}</tbody></table>"
        )

    if not rows:
        return ""
    first, rest = rows[:_KEYWORDS], rows[_KEYWORDS:_MOST]
    if not rest:
        return table(first)
    more = view.say("report.more", count=number(len(rest), view.language))
    return f"{table(first)}<details><summary>{more}</summary>{table(rest)}</details>"


def _figure(rate: Rate, label: str, view: View) -> str:
    tail = f"<span>{label}</span>" if label else ""
    return (
        f'<p class="figure"><strong>{percent(rate, view.language)}</strong> '
        f"<small>{_of(rate, view)}</small>{tail}</p>"
    )


def verdict_bar(view: View) -> str:
    """Give the counts by verdict: one bar in parts, and the list that names them."""
    found = {v: count for v, count in counts(all_items(view.session)).items() if count}
    picture = parts([(count, f"b-{verdict.value}") for verdict, count in found.items()])
    items = "".join(
        f'<li><span class="verdict v-{verdict.value}"><span aria-hidden="true">{SYMBOLS[verdict]}'
        f"</span> {verdict_name(verdict, view.language)}</span> "
        f"<strong>{number(count, view.language)}</strong></li>"
        for verdict, count in found.items()
    )
    return f'{picture}<ul class="legend">{items}</ul>'


def parts(shares: Sequence[tuple[int, str]]) -> str:
    """Give one bar in parts: a part for each (count, class), as wide as its share."""
    total = sum(count for count, _ in shares)
    rects, at = [], 0.0
    for count, kind in shares:
        width = 100 * count / total
        rects.append(f'<rect class="{kind}" x="{at:.3f}" width="{width:.3f}" height="5"/>')
        at += width
    return (
        '<svg class="bar whole" viewBox="0 0 100 5" preserveAspectRatio="none" aria-hidden="true" '
        f'focusable="false">{"".join(rects)}</svg>'
    )
