"""Writes `test_replay.py`: the failures as tests that need neither the kit nor its dependencies."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.formats.text.json_text import told_in
from conformance.formats.tool import header_names
from conformance.kit.evidence.response import header_of
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest, Request
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.run import Role, Run
from conformance.kit.report.levels import GRAVITY, failing
from conformance.kit.report.reporter import Report
from conformance.kit.report.safe_text import in_json, visible

REPLAY = "test_replay.py"
MOST = 100
"""The most tests in the file. A person must be able to read it, and to wait while it runs."""
LONGEST = 200_000
"""The most bytes of a body that is written to the file whole."""
HEAD = 20_000
"""How many characters of a longer answer are kept: its beginning is enough to recognize it."""
MOST_TEXT = 2_000_000
"""Limit, in characters, of all requests and answers together. Above it, no more tests are added."""

_OPENS = frozenset({"initialize", "server/discover"})
"""Methods that need no handshake before them."""
_TEMPLATE = Path(__file__).with_name("templates") / "test_replay.txt"
_WRONG = {
    "finding.call.accepted": "accepted",
    "finding.call.status": "failed",
    "finding.call.status_of_valid": "failed",
    "finding.http.wire_fault": "failed",
}
"""Findings for which the test compares the kind of the answer, not its text.

The server accepted what it had to refuse, or it failed, perhaps with another text each time.
"""

_PLACEHOLDER = re.compile("«secret-([0-9]+)»")
_LAST_WORD = re.compile(r"(?<![^\s,{}\[\]\"])[^\s,{}\[\]\"]*\Z")
"""The last, possibly incomplete word of a text.

The lookbehind keeps the search linear in the length of the text.
"""


@dataclass(slots=True)
class Before:
    """What was sent before an exchange, by run: the first handshake, and the steps of each script.

    `issued` maps a session id from the server to the exchange that returned it.
    """

    handshakes: dict[str, dict[str, Exchange]] = field(default_factory=dict)
    steps: dict[tuple[str, str], list[Exchange]] = field(default_factory=dict)
    issued: dict[str, int] = field(default_factory=dict)

    def of(self, exchange: Exchange) -> list[Exchange]:
        """Return the exchanges that must be sent before `exchange`, in order."""
        told = self.steps.get((exchange.run, exchange.script or ""), [])
        steps = [one for one in told if one.id < exchange.id]
        opened = [*steps, exchange]
        if any(_method(one.request) in _OPENS for one in opened):
            return steps
        return [*self.handshakes.get(exchange.run, {}).values(), *steps]


class ReplayFile:
    """Writes the failures that can be sent again; no file if there are none."""

    name = REPLAY

    def parts(self, report: Report) -> Iterator[str]:
        """Yield the file, without requests that are too long for a person to read."""
        cases, requests = _failed(report)
        if not cases:
            return
        template = _TEMPLATE.read_text(encoding="utf-8")
        head, between, tail = re.split(r"%\((?:cases|requests)\)s", template)
        yield from (head, _literal(cases), between, _literal(requests), tail)


def _literal(value: Any) -> str:
    """Return a Python literal of a value as JSON, without commands for a CI system.

    pytest may print it if a test fails.
    """
    return ascii(in_json(json.dumps(value)))


def _failed(report: Report) -> tuple[list[dict[str, Any]], dict[int, dict[str, Any]]]:
    """Return the failed cases, and the requests that they need, by the ids of the exchanges."""
    session, redact = report.session, report.redact
    before = sent_before(report.held, [one.run for one in session.runs])
    written = 0
    always = [[name, redact(value)] for name, value in report.headers]
    # A target may write a placeholder itself. Only those of the user's own secrets are filled in,
    # so that no secret goes to a target that was never given it.
    told = " ".join((*(value for _, value in always), *report.options, *report.variables))
    own = sorted(set(_PLACEHOLDER.findall(told)))
    cases: dict[int, dict[str, Any]] = {}
    requests: dict[int, dict[str, Any]] = {}
    too_long: set[int] = set()

    def keep(id: int) -> Exchange | None:
        """Add an exchange's request, once: to read its answer from disk may cost megabytes."""
        nonlocal written
        exchange = report.exchange(id)
        if exchange is None or len(exchange.request.body) > LONGEST:
            too_long.add(id)
            return None
        requests[id] = _request(report.sendable(exchange.request), before.issued, always) | {
            "own": own
        }
        written += len(exchange.request.body)
        return exchange

    for item, finding in _failures(report):
        id = finding.exchange
        if id is None or id in cases or id in too_long:
            continue
        exchange = keep(id)
        if exchange is None:
            continue
        steps = [one.id for one in before.of(exchange)]
        for step in steps:
            if step not in requests and step not in too_long:
                keep(step)
        endpoint = next((r.run.endpoint for r in session.runs if r.run.id == item.run), "")
        made = _case(item, finding, exchange, report.command(endpoint), report)
        made["says"] = report.text(made["says"], None)
        cases[id] = made | {"requests": [one for one in (*steps, id) if one in requests]}
        written += len(made["answer"]["text"])
        if len(cases) == MOST or written > MOST_TEXT:
            break
    return list(cases.values()), requests


def sent_before(exchanges: Iterable[Exchange], runs: Iterable[Run]) -> Before:
    """Sort the exchanges by their run and script."""
    versions = {run.id: run.version for run in runs}
    found = Before()
    for exchange in exchanges:
        method = _method(exchange.request) if exchange.case is None else None
        own = found.handshakes.setdefault(exchange.run, {})
        if method == "initialize" and not own and _opens(exchange, versions):
            own[method] = exchange
        elif method == "notifications/initialized" and own:
            own.setdefault(method, exchange)
        session = header_of(exchange, header_names.SESSION_ID)
        if session is not None and method == "initialize":
            found.issued.setdefault(session, exchange.id)
        if exchange.script not in {None, LOOKED} and exchange.confirms is None:
            found.steps.setdefault((exchange.run, exchange.script or ""), []).append(exchange)
    return found


def _failures(report: Report) -> Iterator[tuple[Item, Finding]]:
    """Yield the failures: the first finding of each item, then the others, MUST before SHOULD.

    Gateways are left out: their tests need a simulated provider, and pytest alone has none.
    """
    should, superseded = report.fail_on_should, report.fail_on_superseded
    found = failing(report.session, should=should, superseded=superseded)
    servers = {run.run.id for run in report.session.runs if run.run.role is Role.SERVER}
    items = sorted(found, key=lambda item: GRAVITY.index(item.verdict))
    items = [item for item in items if item.run in servers]
    yield from ((item, item.findings[0]) for item in items)
    yield from ((item, finding) for item in items for finding in item.findings[1:])


def _opens(exchange: Exchange, versions: Mapping[str, str]) -> bool:
    """Return whether an `initialize` asks for the run's version; scripts also ask for others."""
    params = _message(exchange.request).get("params")
    version = params.get("protocolVersion") if isinstance(params, dict) else None
    return isinstance(version, str) and versions.get(exchange.run) == version


def _method(request: Request) -> Any:
    return _message(request).get("method")


def _message(request: Request) -> dict[str, Any]:
    try:
        message = json.loads(request.body)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _case(
    item: Item,
    finding: Finding,
    exchange: Exchange,
    command: str,
    report: Report,
) -> dict[str, Any]:
    what = finding.case or "/".join(str(p) for p in (exchange.script, exchange.step) if p)
    stdio = not exchange.over_http
    return {
        "exchange": exchange.id,
        "name": visible(f"{item.clause}-{what}").encode("ascii", "replace").decode(),
        "says": f"{item.clause}: {finding.words(report.language)}",
        "call": exchange.case is not None,
        "stdio": stdio,
        "command": command if stdio else "",
        "sandbox": stdio and report.sandbox,
        "variables": list(report.passed) if stdio else [],
        "wrong": _WRONG.get(finding.message.id, "same"),
        "answer": _answer(exchange.answer),
    }


def _request(request: Request, issued: dict[str, int], always: list[list[str]]) -> dict[str, Any]:
    try:
        body = {"text": request.body.decode("utf-8")}
    except UnicodeDecodeError:
        body = {"base64": base64.b64encode(request.body).decode("ascii")}
    sent = request if isinstance(request, HttpRequest) else HttpRequest()
    headers = [
        [name, f"«session-{issued[value]}»"]
        if name.lower() == header_names.SESSION_ID.lower() and value in issued
        else [name, value]
        for name, value in sent.headers
    ]
    return {
        "method": sent.method,
        "url": sent.url,
        "headers": headers + always,
        "answer_to": request.answer_to,
        "settle": request.settle,
        "awaited": request.answer_to is not None or request.any_answer,
        **body,
    }


def _answer(answer: Answer | None) -> dict[str, Any]:
    if answer is None:
        return {"status": 0, "headers": [], "text": "", "json": None, "ended": "closed"}
    headers = [list(pair) for pair in answer.headers]
    told = {"status": answer.status, "headers": headers, "ended": ""}
    if len(answer.body) > LONGEST:
        # Cut before the last word: half a number would not be recognized as one that changes each
        # time.
        head = _LAST_WORD.sub("", answer.body[:HEAD].decode("utf-8", "replace"))
        return {**told, "text": head, "json": None, "cut": True}
    text = answer.body.decode("utf-8", "replace")
    try:
        said = answer.messages[-1] if answer.messages else told_in(text)
    except (ValueError, RecursionError):
        said = None
    return {**told, "text": text, "json": said}
