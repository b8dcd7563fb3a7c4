"""`test_replay.py`: what failed, as tests that need neither the kit nor its dependencies."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.formats.vocabulary import Verdict
from conformance.kit.exchange import Answer, Exchange, Request, Transport
from conformance.kit.report.data import Redact
from conformance.kit.results import Finding, Item, SessionResult

REPLAY = "test_replay.py"
MOST = 50
"""Tests in the file: it is to be read, and to run while one waits."""
LONGEST = 200_000
"""Bytes of a body that still go into a file that one reads."""

_TEMPLATE = Path(__file__).with_name("replay_template.txt")
_ACCEPTED = "finding.call.accepted"
"""What was taken and should have been refused: told by its class, not by its words."""

Look = Callable[[int], Exchange | None]


def replay_file(
    session: SessionResult,
    language: str,
    look: Look,
    redact: Redact,
    handshakes: Mapping[str, tuple[Exchange, ...]],
    *,
    headers: Iterable[tuple[str, str]] = (),
    warnings: bool = False,
) -> str | None:
    """Give the text of the file; None where nothing failed that one request can show.

    `look` gives an exchange without its secrets. `handshakes` maps a run to what opens it.
    `headers` go with every HTTP request of the session.
    """
    always = [[name, redact(value)] for name, value in headers]
    cases: dict[int, dict[str, Any]] = {}
    for item, finding in _failures(session, warnings=warnings):
        exchange = look(finding.exchange) if finding.exchange is not None else None
        if exchange is None or exchange.id in cases or len(exchange.request.body) > LONGEST:
            continue
        before = handshakes.get(exchange.run, ()) if _follows(exchange) else ()
        opened = [one for one in map(look, (e.id for e in before)) if one is not None]
        endpoint = next((r.run.endpoint for r in session.runs if r.run.id == item.run), "")
        made = _case(item, finding, exchange, opened, redact(endpoint), language)
        for request in (*made["before"], made["request"]):
            request["headers"] += always
        cases[exchange.id] = made
        if len(cases) == MOST:
            break
    if not cases:
        return None
    written = ascii(json.dumps(list(cases.values())))
    return _TEMPLATE.read_text(encoding="utf-8").replace("%(cases)s", written)


def handshakes(exchanges: Iterable[Exchange]) -> dict[str, tuple[Exchange, ...]]:
    """The first handshake of each run: `initialize`, and what says that it is over."""
    found: dict[str, dict[str, Exchange]] = {}
    for exchange in exchanges:
        method = _method(exchange.request)
        if method in {"initialize", "notifications/initialized"}:
            own = found.setdefault(exchange.run, {})
            if method not in own and (method == "initialize" or own):
                own[method] = exchange
    return {run: tuple(own.values()) for run, own in found.items()}


def _failures(session: SessionResult, *, warnings: bool) -> Iterator[tuple[Item, Finding]]:
    wanted = {Verdict.FAIL, Verdict.WARN} if warnings else {Verdict.FAIL}
    for run in session.runs:
        for item in run.items:
            if item.verdict in wanted:
                yield from ((item, finding) for finding in item.findings)


def _follows(exchange: Exchange) -> bool:
    """Whether a request comes after a handshake, and is none itself."""
    return _method(exchange.request) not in {"initialize", "server/discover"}


def _method(request: Request) -> Any:
    try:
        message = json.loads(request.body)
    except (ValueError, RecursionError):
        return None
    return message.get("method") if isinstance(message, dict) else None


def _case(
    item: Item,
    finding: Finding,
    exchange: Exchange,
    before: list[Exchange],
    command: str,
    language: str,
) -> dict[str, Any]:
    what = finding.case or "/".join(p for p in (exchange.script, exchange.step) if p)
    stdio = exchange.request.transport is Transport.STDIO
    return {
        "name": f"{item.clause}-{what}".encode("ascii", "replace").decode(),
        "says": f"{item.clause}: {finding.message.words(language)}",
        "stdio": stdio,
        "command": command if stdio else "",
        "wrong": "accepted" if finding.message.id == _ACCEPTED else "same",
        "before": [_request(one.request) for one in before],
        "request": _request(exchange.request),
        "answer": _answer(exchange.answer),
    }


def _request(request: Request) -> dict[str, Any]:
    try:
        body = {"text": request.body.decode("utf-8")}
    except UnicodeDecodeError:
        body = {"base64": base64.b64encode(request.body).decode("ascii")}
    return {
        "method": request.method,
        "url": request.url,
        "headers": [list(pair) for pair in request.headers],
        "answer_to": request.answer_to,
        "awaited": request.answer_to is not None or request.any_answer,
        **body,
    }


def _answer(answer: Answer | None) -> dict[str, Any]:
    if answer is None:
        return {"status": 0, "headers": [], "text": "", "json": None, "ended": "closed"}
    text = answer.body.decode("utf-8", "replace")
    try:
        said = answer.messages[-1] if answer.messages else json.loads(text)
    except (ValueError, RecursionError):
        said = None
    headers = [list(pair) for pair in answer.headers]
    return {
        "status": answer.status, "headers": headers, "text": text, "json": said, "ended": "",
    }  # fmt: skip
