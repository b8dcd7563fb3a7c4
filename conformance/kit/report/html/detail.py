"""The details of a row: what was sent, what came back, and the lines that send it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.formats.text.json_text import told_in
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from conformance.kit.model.results import Finding
from conformance.kit.report.html.json_layout import Piece, Pieces, layout, pointer_of
from conformance.kit.report.html.places import (
    NOTHING_SENT,
    Label,
    Note,
    call_note,
    finding_label,
    step_label,
)
from conformance.kit.report.html.rows import Place, Row
from conformance.kit.report.html.timeline import Lane, hidden, lanes
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import again_line, command, own_headers

_EVIDENCE = 3
"""The most places of a row whose exchange is shown."""

_MESSAGES = 3
_NOISE = 5


@dataclass(frozen=True, slots=True)
class Sent:
    """The request of an exchange."""

    http: bool
    body: Pieces
    note: Note | Label
    has_arguments: bool = False
    """Whether `body` has the arguments of a call that has no body itself."""
    headers: tuple[str, ...] = ()
    """The headers of a step of a script: the step may be about them alone."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back; `body` is empty if there was no answer."""

    body: Pieces
    noise: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The two sides of an exchange."""

    exchange: Exchange
    sent: Sent
    answered: Answered
    lanes: Sequence[Lane] = ()
    hidden: int = 0
    """How many requests to the provider have no lane."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one place: its exchanges, and the lines that send the request again."""

    place: Place
    label: Label
    pairs: tuple[Pair, ...]
    lines: tuple[str, ...]
    exchange: int


def evidence(row: Row, report: Report) -> Iterator[Evidence]:
    """Yield the evidence of the first few places of a row."""
    made = 0
    for place in row.places:
        finding = place.finding
        if finding is None or finding.exchange is None:
            continue
        found = report.exchange(finding.exchange)
        if found is not None:
            made += 1
            yield Evidence(
                place,
                finding_label(finding, report),
                (_pair(found, finding, report), *_steps(finding, report)),
                tuple(_lines(found, finding, report)),
                found.id,
            )
        if made == _EVIDENCE:
            return


def _steps(finding: Finding, report: Report) -> Iterator[Pair]:
    """Yield what followed the exchange: each step of a repair with its answer."""
    bare = replace(finding, path=None)  # the path is a place in the first answer
    for step in map(report.exchange, finding.then):
        if step is not None:
            yield _pair(step, bare, report)


def _pair(exchange: Exchange, finding: Finding, report: Report) -> Pair:
    sent, answered = _sent(exchange, report), _answered(exchange.answer, finding, report)
    return Pair(exchange, sent, answered, lanes(exchange), hidden(exchange))


def _sent(exchange: Exchange, report: Report) -> Sent:
    http, case = exchange.over_http, exchange.case
    if case is None:
        request, label = report.sendable(exchange.request), step_label(exchange, report)
        headers = own_headers(request) if isinstance(request, HttpRequest) else ()
        lines = tuple(f"{name}: {value}" for name, value in headers)
        note = label if label.words else NOTHING_SENT  # a name alone says nothing
        return Sent(http, _body(request.body, report), note, headers=lines)
    mark = case.violation.pointer if case.violation else None
    body = layout(case.arguments, report, mark, report.say("report.html.absent"))
    return Sent(http, body, call_note(case, report), http and not exchange.request.body)


def _answered(answer: Answer | None, finding: Finding, report: Report) -> Answered:
    if answer is None:
        return Answered([], ())
    mark = pointer_of(finding.path) if finding.path else None
    noise = tuple(answer.noise[:_NOISE])
    if not answer.messages:
        return Answered(_body(answer.body, report, mark), noise)
    body: Pieces = []
    for message in answer.messages[-_MESSAGES:]:
        body += [(Piece.PLAIN, "\n")] if body else []
        body += layout(message, report, mark)
    return Answered(body, noise)


def _body(body: bytes, report: Report, mark: str | None = None) -> Pieces:
    """Return a body for the page:

    JSON with its layout, other text unchanged, binary data escaped.
    """
    if len(body) < 200_000:
        try:
            return layout(told_in(body.decode("utf-8")), report, mark)
        except (ValueError, RecursionError):
            pass  # not JSON, or nested too deeply: shown as plain text
    text = report.text(body[:20_000].decode("utf-8", "backslashreplace"), 4_000, lines=True)
    return [(Piece.PLAIN, text)] if text else []


def _lines(exchange: Exchange, finding: Finding, report: Report) -> Iterator[str]:
    """Yield the line that sends the request again, and the line that replays the case."""
    line = command(report.sendable(exchange.request).with_headers(report.headers))
    if line:
        yield report.text(line, None)
    again = again_line(report, finding)
    if again is not None:
        yield report.text(again, None)
