"""One exchange as JSON, and back: a line of `exchanges.ndjson`.

The two directions stand side by side, so that what one writes the other is seen to read.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.kit.config.secrets import Redactor
from conformance.kit.evidence.cut import CutAnswer
from conformance.kit.evidence.response import read
from conformance.kit.model.case import Case, CaseKind, Expectation, Strictness, Violation
from conformance.kit.model.exchange import (
    Answer,
    Exchange,
    HttpRequest,
    Request,
    StdioRequest,
    Trouble,
)
from conformance.spec.vocabulary import Outcome

Redact = Callable[[str], str]
Json = dict[str, Any]

_OF_ANSWER = {"answer.body": "body", "answer.messages": "messages"}
"""Places of a line that hold what an answer says, each with the field of `Answer` that it is."""

KEPT = 64 * 1024
"""Bytes kept of a body, and characters of any other text."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An exchange as read; `cut` names the places whose whole value was not kept.

    `meant` is what the recording kit took the whole answer to a call for, where that was not kept.
    """

    exchange: Exchange
    cut: tuple[str, ...] = ()
    meant: Outcome | None = None

    @property
    def judged(self) -> Exchange:
        """The exchange as it is judged: its answer knows what it lost."""
        answer = self.exchange.answer
        lost = frozenset(name for place, name in _OF_ANSWER.items() if place in self.cut)
        if answer is None or not lost:
            return self.exchange
        return replace(self.exchange, answer=CutAnswer.of(answer, lost, self.meant))


class Recorder:
    """Turns one exchange into JSON, and remembers what it had to cut."""

    def __init__(
        self, redact: Redact | None, *, whole: bool = False, careful: bool = False
    ) -> None:
        nothing_to_hide = isinstance(redact, Redactor) and not redact.knows_any
        self._redact = None if nothing_to_hide else redact
        self._whole = whole
        self._careful = careful
        self._cut: list[str] = []

    def record(self, exchange: Exchange) -> Json:
        """Give the JSON of `exchange`: no secret in it, ready for `read_exchange`."""
        answer = exchange.answer
        line: Json = {
            "id": exchange.id,
            "run": exchange.run,
            "started": exchange.started,
            "elapsed": exchange.elapsed,
            "case": None if exchange.case is None else self._case(exchange.case),
            "script": exchange.script,
            "step": exchange.step,
            "confirms": exchange.confirms,
            "request": self._request(exchange.request),
            "answer": None if answer is None else self._answer(answer),
            "trouble": None if exchange.trouble is None else exchange.trouble.value,
            "trouble_detail": self._text(exchange.trouble_detail, "trouble_detail"),
        }
        if self._cut:
            line["cut"] = self._cut
        if exchange.case is not None and any(place in _OF_ANSWER for place in self._cut):
            line["meant"] = read(exchange).outcome.value
        return line

    def _text(self, text: str, place: str) -> str:
        clean = text if self._redact is None else self._redact(text)
        if len(clean) <= KEPT:
            return clean
        self._cut.append(place)
        return clean[:KEPT]

    def _value(self, value: Any, place: str) -> Any:
        """Give a JSON value with its texts clean; one nested too deeply to be walked is cut.

        Where `careful` is true, so is one nested too deeply to be encoded: trying costs time.
        """
        try:
            clean = value if self._redact is None else mapped(value, self._redact)
            if self._careful:
                json.dumps(clean)
        except RecursionError:
            self._cut.append(place)
            return None
        return clean

    def _body(self, body: bytes, place: str) -> Json:
        try:
            text, form = body.decode("utf-8"), "text"
        except UnicodeDecodeError:
            text, form = body.decode("latin-1"), "base64"
        clean = text if self._redact is None else self._redact(text)
        if form == "base64":
            raw = clean.encode("latin-1", "replace")
        else:
            raw = body if clean is text else clean.encode("utf-8", "surrogatepass")
        if len(raw) <= KEPT or self._whole:
            return {form: clean if form == "text" else base64.b64encode(raw).decode("ascii")}
        self._cut.append(place)
        head = raw[:KEPT]
        return {
            form: head.decode("utf-8", "ignore")
            if form == "text"
            else base64.b64encode(head).decode("ascii"),
            "length": len(raw),
            "sha256": hashlib.sha256(raw).hexdigest(),
        }

    def _headers(self, headers: tuple[tuple[str, str], ...], place: str) -> list[list[str]]:
        return [[self._text(name, place), self._text(value, place)] for name, value in headers]

    def _request(self, request: Request) -> Json:
        sent = request if isinstance(request, HttpRequest) else HttpRequest()
        return {
            "transport": request.transport,
            "method": sent.method,
            "url": self._text(sent.url, "request.url"),
            "headers": self._headers(sent.headers, "request.headers"),
            "body": self._body(request.body, "request.body"),
            "answer_to": request.answer_to,
            "settle": request.settle,
            "any_answer": request.any_answer,
        }

    def _answer(self, answer: Answer) -> Json:
        return {
            "status": answer.status,
            "headers": self._headers(answer.headers, "answer.headers"),
            "body": self._body(answer.body, "answer.body"),
            "messages": [self._value(each, "answer.messages") for each in answer.messages],
            "noise": [self._text(line, "answer.noise") for line in answer.noise],
        }

    def _case(self, case: Case) -> Json:
        violation = case.violation
        return {
            "id": case.id,
            "run": case.run,
            "tool": self._text(case.tool, "case.tool"),
            "kind": case.kind.value,
            "scenario": case.scenario,
            "arguments": self._value(case.arguments, "case.arguments"),
            "expects": case.expects.value,
            "violation": None if violation is None else self._violation(violation),
            "strictness": None if case.strictness is None else case.strictness.value,
            "repairable": case.repairable,
            "neighbour": case.neighbour,
            "step": case.step,
        }

    def _violation(self, violation: Violation) -> Json:
        return {
            "pointer": violation.pointer,
            "parameter": violation.parameter,
            "keywords": list(violation.keywords),
            "was": self._value(violation.was, "case.violation"),
            "was_absent": violation.was_absent,
            "sent": self._value(violation.sent, "case.violation"),
            "sent_absent": violation.sent_absent,
        }


def mapped(value: Any, redact: Redact) -> Any:
    """Give a JSON value with `redact` applied to every text in it, keys too."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact(key): mapped(item, redact) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mapped(item, redact) for item in value]
    return value


def read_exchange(line: Mapping[str, Any]) -> Recorded:
    """Make the exchange of one line again; raises KeyError, TypeError or ValueError."""
    answer, trouble, case = line["answer"], line["trouble"], line["case"]
    exchange = Exchange(
        id=line["id"],
        run=line["run"],
        request=_read_request(line["request"]),
        answer=None if answer is None else _read_answer(answer),
        trouble=None if trouble is None else Trouble(trouble),
        started=line["started"],
        elapsed=line["elapsed"],
        case=None if case is None else _read_case(case),
        script=line["script"],
        step=line["step"],
        confirms=line["confirms"],
        trouble_detail=line["trouble_detail"],
    )
    meant = line.get("meant")
    outcome = None if meant is None else Outcome(meant)
    return Recorded(exchange, tuple(line.get("cut", ())), outcome)


def _read_body(data: Mapping[str, Any]) -> bytes:
    if "text" in data:
        text: str = data["text"]
        return text.encode("utf-8", "surrogatepass")
    return base64.b64decode(data["base64"], validate=True)


def _read_headers(data: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in data)


def _read_request(data: Mapping[str, Any]) -> Request:
    body, answer_to, settle = _read_body(data["body"]), data["answer_to"], data["settle"]
    match data["transport"]:
        case "http":
            headers = _read_headers(data["headers"])
            return HttpRequest(
                data["method"], data["url"], headers, body, answer_to, settle, data["any_answer"]
            )
        case "stdio":
            return StdioRequest(body, answer_to, settle, data["any_answer"])
        case other:
            raise ValueError(other)


def _read_answer(data: Mapping[str, Any]) -> Answer:
    return Answer(
        status=data["status"],
        headers=_read_headers(data["headers"]),
        body=_read_body(data["body"]),
        messages=tuple(data["messages"]),
        noise=tuple(data["noise"]),
    )


def _read_case(data: Mapping[str, Any]) -> Case:
    violation, strictness = data["violation"], data["strictness"]
    return Case(
        id=data["id"],
        run=data["run"],
        tool=data["tool"],
        kind=CaseKind(data["kind"]),
        scenario=data["scenario"],
        arguments=data["arguments"],
        expects=Expectation(data["expects"]),
        violation=None if violation is None else _read_violation(violation),
        strictness=None if strictness is None else Strictness(strictness),
        repairable=data["repairable"],
        neighbour=data["neighbour"],
        step=data["step"],
    )


def _read_violation(data: Mapping[str, Any]) -> Violation:
    return Violation(
        pointer=data["pointer"],
        parameter=data["parameter"],
        keywords=tuple(data["keywords"]),
        was=data["was"],
        was_absent=data["was_absent"],
        sent=data["sent"],
        sent_absent=data["sent_absent"],
    )
