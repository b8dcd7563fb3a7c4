"""The inside of a row: what was sent, what came back, the rule, and how to see it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from conformance.kit.model.results import Finding
from conformance.kit.report.clause_text import rule
from conformance.kit.report.fold import Place, Row
from conformance.kit.report.json_html import json_html, pointer_of
from conformance.kit.report.label import call_note, step_label
from conformance.kit.report.places import PLACES, place_label, places
from conformance.kit.report.replay_line import replay_line
from conformance.kit.report.reproduce import command
from conformance.kit.report.safe_text import in_html, ticked
from conformance.kit.report.view import View
from conformance.kit.report.words import duration, number
from conformance.spec.vocabulary import Verdict

_EVIDENCE = 3
"""Places of a row whose exchange is shown."""

_BUDGET = 6_000_000
"""Characters of all details together: the page must open at once."""

_NOISE = 5


@dataclass(frozen=True, slots=True)
class _Shown:
    """The evidence of one place, as HTML: the two sides, and the lines that send it again."""

    place: Place
    pair: str
    again: str


class Details:
    """Makes the details of one report; past its budget a row shows its places alone."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._left = _BUDGET

    def detail(self, row: Row) -> str:
        """Give the inside of a row as HTML."""
        made = "".join(self._parts(row))
        self._left -= len(made)
        return f'<div class="detail">{made}</div>'

    def _parts(self, row: Row) -> Iterator[str]:
        view = self._view
        for reason in dict.fromkeys(place.item.waiver_reason for place in row.places):
            if reason:
                yield f"<p>{view.say('report.html.waived')} {view.text(reason, 400)}</p>"
        if row.verdict is Verdict.FLAKY:
            yield f"<p>{view.say('report.html.flaky')}</p>"
        shown = self._evidence(row) if self._left > 0 else []
        first = shown[0] if shown else None
        if first is not None:
            yield first.pair
        if len(row.clauses) > 1:
            yield _clauses(row, view)
        else:
            yield rule_html(row.clause, view)
        if first is not None:
            yield first.again
        if len(row.clauses) == 1 and (row.tools or len(row.places) > 1):
            yield places(row, view)
        for made in shown[1:]:
            where = place_label(made.place, view)
            yield f"<details><summary>{where}</summary>{made.pair}{made.again}</details>"

    def _evidence(self, row: Row) -> list[_Shown]:
        made = []
        for place in row.places:
            finding = place.finding
            if finding is None or finding.exchange is None:
                continue
            found = self._view.exchange(finding.exchange)
            if found is not None:
                pair = _pair(found, finding, self._view) + self._steps(finding)
                made.append(_Shown(place, pair, _again(found, finding, self._view)))
            if len(made) == _EVIDENCE:
                break
        return made

    def _steps(self, finding: Finding) -> str:
        """Give what came of the exchange: each step of a repair beside its answer."""
        steps = map(self._view.exchange, finding.then)
        bare = replace(finding, path=None)  # it is a place in the first answer
        return "".join(_pair(step, bare, self._view) for step in steps if step is not None)


def _clauses(row: Row, view: View) -> str:
    """Give the list of the clauses that share a row, each a link, and the tools concerned."""
    lines = []
    for clause in row.clauses:
        found = rule(clause, view.language)
        if found is not None:
            url = in_html(found.url, None)
            lines.append(f'<a href="{url}" rel="noreferrer">{in_html(clause)}</a>')
    names = ", ".join(view.name(tool) for tool in row.tools[:PLACES])
    if len(row.tools) > PLACES:
        names += f" +{number(len(row.tools) - PLACES, view.language)}"
    head = view.say("report.html.clauses")
    tools = f"<p>{names}</p>" if names else ""
    return f"<section><h3>{head}</h3>{tools}<p>{' · '.join(lines)}</p></section>"


def rule_html(clause: str, view: View) -> str:
    """Give the rule: its sentence, the link to the clause, and the sentence that it rests on."""
    found = rule(clause, view.language)
    if found is None:
        return ""
    sentence = ticked(in_html(found.text, None))
    quoted = ""
    if found.quote:
        quoted = (
            f'<blockquote lang="en">{ticked(in_html(found.quote, None))}</blockquote>'
            f'<p class="meta"><a href="{in_html(found.source, None)}" rel="noreferrer">'
            f"{in_html(found.source, None)}</a></p>"
        )
    link = f'<a href="{in_html(found.url, None)}" rel="noreferrer">{in_html(clause)}</a>'
    return (
        f'<section class="rule"><h3>{view.say("report.html.rule")}</h3>'
        f"<p>{link} {sentence}</p>{quoted}</section>"
    )


def _pair(exchange: Exchange, finding: Finding, view: View) -> str:
    """Give what was sent beside what came back."""
    return f'<div class="pair">{_sent(exchange, view)}{_answered(exchange, finding, view)}</div>'


def _sent(exchange: Exchange, view: View) -> str:
    request, case = exchange.request, exchange.case
    if isinstance(request, HttpRequest):
        what = view.text(f"{request.method} {request.url}", 300)
    else:
        what = view.say("report.html.stdin")
    meta = f'<p class="meta"><code>{what}</code></p>'
    if case is None:
        body, note = _body(request.body, view), step_label(exchange, view)
    else:
        violation = case.violation
        mark, absent = violation.pointer if violation else None, view.say("report.html.absent")
        body, note = json_html(case.arguments, view, mark, absent), call_note(case, view)
    note = f'<p class="meta">{note}</p>' if note else ""
    head = view.say("report.html.sent")
    return f"<section><h3>{head}</h3>{meta}{_pre(body)}{note}</section>"


def _answered(exchange: Exchange, finding: Finding, view: View) -> str:
    answer = exchange.answer
    took = duration(exchange.elapsed, view.language)
    head = f"<section><h3>{view.say('report.html.answered')}</h3>"
    trouble = ""
    if exchange.trouble is not None:
        detail = exchange.trouble_detail and f" <code>{view.text(exchange.trouble_detail)}</code>"
        sentence = view.say(f"report.trouble.{exchange.trouble.value}")
        trouble = f'<p class="trouble">{sentence}{detail}</p>'
    if answer is None:
        return f'{head}<p class="meta">{took}</p>{trouble}</section>'
    status = f"<code>{answer.status}</code> · " if answer.status else ""
    kind = answer.header("content-type")
    media = f"{view.text(kind, 80)} · " if kind else ""
    mark = pointer_of(finding.path) if finding.path else None
    body = _answer_body(answer, view, mark)
    meta = f'<p class="meta">{status}{media}{took}</p>'
    return f"{head}{meta}{trouble}{_pre(body) if body else ''}{_noise(answer, view)}</section>"


def _answer_body(answer: Answer, view: View, mark: str | None) -> str:
    if answer.messages:
        return "\n".join(json_html(each, view, mark) for each in answer.messages[-3:])
    return _body(answer.body, view, mark)


def _noise(answer: Answer, view: View) -> str:
    if not answer.noise:
        return ""
    lines = "\n".join(view.text(line) for line in answer.noise[:_NOISE])
    return f'<p class="meta">{view.say("report.html.noise")}</p>{_pre(lines)}'


def _again(exchange: Exchange, finding: Finding, view: View) -> str:
    request = exchange.request
    if isinstance(request, HttpRequest):
        request = replace(request, headers=(*request.headers, *view.headers))
    line = command(request)
    made = _copyable(view.redact(line), view) if line else ""
    if finding.case:
        made += _copyable(view.redact(replay_line(view.options, finding.case)), view)
    number_of = view.say("report.html.exchange", number=exchange.id)
    head = view.say("report.html.again")
    return f'<section><h3>{head}</h3>{made}<p class="meta">{number_of}</p></section>'


def _copyable(line: str, view: View) -> str:
    """Give a line with its copy button; what is shown is what is copied."""
    copy, copied = view.say("report.html.copy"), view.say("report.html.copied")
    return (
        f'<div class="line"><pre tabindex="0"><code>{in_html(line, None)}</code></pre>'
        f'<button type="button" data-copied="{copied}">{copy}</button></div>'
    )


def _pre(body: str) -> str:
    return f'<pre tabindex="0"><code>{body}</code></pre>' if body else ""


def _body(body: bytes, view: View, mark: str | None = None) -> str:
    """Give a body: JSON laid out, text as it is, anything else by its first bytes."""
    if len(body) < 200_000:
        try:
            return json_html(json.loads(body), view, mark)
        except (ValueError, RecursionError):
            pass  # not JSON, or too deep to be read: shown as the text it is
    return view.lines(body[:20_000].decode("utf-8", "backslashreplace"))
