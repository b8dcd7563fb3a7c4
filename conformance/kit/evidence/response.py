"""Reads what an answer to a tool call means: the table of outcomes, and its traps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.formats.text import rpc
from conformance.formats.text.json_text import told_in
from conformance.formats.tool.errors import Envelope, envelope_of, types_of
from conformance.formats.tool.tool import Tool, Where
from conformance.kit.cases.seen_values import items_in
from conformance.kit.evidence.body import json_in
from conformance.kit.evidence.disguise import disguise_of, holds_nothing, may_be_an_error
from conformance.kit.evidence.environment import limit_told_in, missing_in
from conformance.kit.evidence.tool_result import (
    content_text,
    envelope_of_result,
    is_enriched_error,
    json_texts,
)
from conformance.kit.model.case import Case, CaseKind, Strictness
from conformance.kit.model.exchange import Answer, Exchange, Request, Trouble
from conformance.kit.schema.places import from_pointer
from conformance.spec.vocabulary import (
    Disguise,
    ErrorCategory,
    ErrorType,
    Missing,
    Outcome,
)

PROVES_NOTHING = frozenset({401, 403, 407, 429, 503})
"""Statuses that any request may get, whatever it asks, because of rights, limits or load."""
OF_A_MOMENT = frozenset({429, 503})
"""Those of limits and load, which may be over at the next call."""

_STATUS_REFUSES_INPUT = frozenset({400, 422})
_STATUS_REFUSES_OTHER = frozenset(
    {401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 415, 423, 428, 429, 503}
)
_OF_AN_OBJECT = 2_000
"""The most characters of an object that is quoted without its empty members. A longer one is quoted
whole.
"""
_MOST_SAID = 100_000
"""The most characters that are kept of a refusal over MCP. Escaped, they take more memory than its
answer.
"""
_TYPES_OF_MEANING = types_of(ErrorCategory.INPUT) - {ErrorType.VALIDATION_ERROR}
_TYPES_OF_STATE = types_of(ErrorCategory.STATE, ErrorCategory.ACCESS)


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of an answer. `outcome` is its class.

    `document` is the decoded body (HTTP) or the JSON-RPC response (MCP). `result` is the MCP
    result. `envelope` is the ATDF error, wherever it was in the answer. `text` is every word of a
    refusal that an agent would read. `rpc_code` is set for a JSON-RPC error.
    """

    outcome: Outcome
    document: Any = None
    result: Mapping[str, Any] | None = None
    envelope: Envelope | None = None
    hollow: Mapping[str, Any] | None = None
    """A body with a list `errors` that has no error: meant as an envelope, but not an envelope."""
    text: str = ""
    rpc_code: int | None = None
    status: int = 0
    trouble: Trouble | None = None
    disguise: Disguise | None = None
    """The form by which a result that claims success is an error."""
    missing: tuple[Missing, str] | None = None
    """What the call lacked around the server, and the words that say so."""
    limited: bool = False
    """Whether the answer was a success that only says that a limit of calls is reached."""
    shut_out: bool = False
    """Whether MCP's transport refused the call before the tool saw it, because its session is over,
    for example. A tool's own refusal has the status 200.
    """

    @property
    def needs_capability(self) -> bool:
        """Whether the call was refused because the client lacks a capability (MCP)."""
        error = self.document.get("error") if isinstance(self.document, dict) else None
        data = error.get("data") if isinstance(error, dict) else None
        named = isinstance(data, dict) and isinstance(data.get("requiredCapabilities"), dict)
        return named and self.rpc_code == rpc.MISSING_CAPABILITY

    @property
    def refused(self) -> bool:
        """Whether the call was refused, for whatever reason."""
        return self.outcome in {Outcome.INPUT_REFUSED, Outcome.OTHER_REFUSED}

    @property
    def stopped(self) -> bool:
        """Whether rights, limits, load or the environment stopped the call, whatever it asked."""
        by_status = self.status in PROVES_NOTHING and not self.accepted
        return by_status or self.shut_out or self.outcome is Outcome.ENVIRONMENT

    @property
    def accepted(self) -> bool:
        """Whether the call was accepted."""
        return self.outcome is Outcome.ACCEPTED

    @property
    def values(self) -> list[Any]:
        """The values of the result: over MCP, those of each place that can hold JSON, and a list of
        the items of a text.
        """
        if self.result is None:
            return [self.document]
        listed = items_in(content_text(self.result))
        return [self.result.get("structuredContent"), *json_texts(self.result, "{["), listed]

    @property
    def said(self) -> str:
        """`text` as a finding quotes it: an object without its empty members."""
        if len(self.text) > _OF_AN_OBJECT or not self.text.lstrip().startswith("{"):
            return self.text
        try:
            document = told_in(self.text)
        except (ValueError, RecursionError):
            return self.text
        telling = {name: value for name, value in document.items() if not holds_nothing(value)}
        whole = not telling or len(telling) == len(document)
        return self.text if whole else json.dumps(telling, ensure_ascii=False)


def read(exchange: Exchange, tool: Tool | None = None) -> Reading:
    """Return the meaning of an exchange. One without a case is read as if its call were valid.

    An error inside a success is searched for only with a `tool`, whose words show whether it is
    about errors.
    """
    answer = exchange.answer
    if exchange.trouble is Trouble.TIMEOUT or (answer is None and exchange.trouble is None):
        return Reading(Outcome.NO_ANSWER, trouble=exchange.trouble)
    if exchange.trouble is Trouble.TOO_LARGE:
        status = answer.status if answer is not None else 0
        return Reading(Outcome.NO_ANSWER, status=status, trouble=exchange.trouble)
    if answer is None or exchange.trouble in {Trouble.CLOSED, Trouble.GARBLED}:
        return Reading(Outcome.SERVER_FAULT, trouble=exchange.trouble)
    case = exchange.case
    reading = _over_mcp(exchange, case) if exchange.request.is_rpc else _read_http(exchange, case)
    if reading.accepted and tool is not None and case is not None:
        reading = _undisguised(reading, tool, case, exchange)
        if reading.accepted and _is_page(answer) and breaks_path(exchange, tool):
            reading = replace(reading, outcome=Outcome.OTHER_REFUSED)
    if not (reading.accepted or reading.status in STOP_ANY_CALL or _refuses_input(reading)):
        missing = missing_in(reading.text, case, exchange.request.body, tool)
        if missing is not None:
            return replace(reading, outcome=Outcome.ENVIRONMENT, missing=missing)
    return reading


def _is_page(answer: Answer) -> bool:
    """Return whether an answer is a web page, as many servers show for each unknown path."""
    return (answer.header("content-type") or "").lower().startswith("text/html")


def breaks_path(exchange: Exchange, tool: Tool) -> bool:
    """Return whether the wrong value of a broken call is in its path.

    Then the answer may come from the router, which knows no such path, or from another page.
    """
    case, called = exchange.case, tool.invocation
    if exchange.request.is_rpc or called is None or case is None or case.violation is None:
        return False
    tokens = from_pointer(case.violation.pointer, case.arguments)
    return bool(tokens) and called.place_of(str(tokens[0])) is Where.PATH


STOP_ANY_CALL = PROVES_NOTHING - {503}
"""Those of them that say that the caller lacks a right, or called too often."""
_OF_THE_REQUEST = frozenset({rpc.INVALID_PARAMS, rpc.METHOD_NOT_FOUND, rpc.PARSE_ERROR})


def _refuses_input(reading: Reading) -> bool:
    """Return whether a refusal says, in machine-readable form, that the input is at fault."""
    if reading.envelope is not None:
        return not all(error.type == ErrorType.INTERNAL_ERROR for error in reading.envelope.errors)
    return reading.rpc_code in _OF_THE_REQUEST


def _undisguised(reading: Reading, tool: Tool, case: Case, exchange: Exchange) -> Reading:
    """Return the reading of an accepted call; a refusal if its result is an error in disguise.

    If the result says that a limit of calls is reached, the environment failed. So it did if the
    result has the form of an error, and names what is missing.
    """
    if reading.result is not None:
        text = content_text(reading.result)
        documents = [reading.result.get("structuredContent"), *json_texts(reading.result)]
    else:
        text, documents = _body_text(exchange), [reading.document]
    disguise = disguise_of(text, documents, tool, case)
    if disguise is None:
        outcome, sent = Outcome.ENVIRONMENT, exchange.request.body
        limit = limit_told_in(text, documents, tool, case, sent)
        if limit is not None:
            return replace(reading, outcome=outcome, text=text, missing=limit, limited=True)
        told = text or json.dumps(documents, ensure_ascii=False)
        failed = may_be_an_error(documents, tool, case)
        missing = missing_in(told, case, sent, tool) if failed else None
        if missing is None:
            return reading
        return replace(reading, outcome=outcome, text=told, missing=missing)
    refused = disguise is not Disguise.NOT_A_VALUE
    outcome = Outcome.INPUT_REFUSED if refused else Outcome.OTHER_REFUSED
    words = text or json.dumps(documents[0], ensure_ascii=False)
    return replace(reading, outcome=outcome, text=words, disguise=disguise)


def body_json(exchange: Exchange) -> Any:
    """Return the body as JSON; None if it is not JSON."""
    return json_in(exchange.answer) if exchange.answer is not None else None


def header_of(exchange: Exchange, name: str) -> str | None:
    """Return the first value of a header of the answer; None without it, or without an answer.

    The name is case-insensitive.
    """
    return exchange.answer.header(name) if exchange.answer is not None else None


def response_of(exchange: Exchange) -> dict[str, Any] | None:
    """Return the JSON-RPC response in an answer, plain or streamed; None if there is none.

    The response with the request's id is preferred. Without one, it is any response, and a clause
    finds the wrong id.
    """
    return response_in(exchange.answer, exchange.request)


def response_in(answer: Answer | None, request: Request) -> dict[str, Any] | None:
    """Return the same of an answer to a request."""
    if answer is None:
        return None
    found = [*answer.messages, *([json_in(answer)] if not answer.messages else [])]
    responses = [m for m in found if isinstance(m, dict) and ("result" in m or "error" in m)]
    own = [m for m in responses if m.get("id") == request.answer_to]
    return next(iter(own or responses), None)


def _read_http(exchange: Exchange, case: Case | None) -> Reading:
    assert exchange.answer is not None
    status = exchange.answer.status
    document = body_json(exchange)
    envelope = envelope_of(document)
    text = exchange.answer.body[:65536].decode("utf-8", "replace")
    if envelope is not None:
        outcome = _of_envelope(envelope, case)
        if status >= 500 and status != 503 and not envelope.says_later:
            outcome = Outcome.SERVER_FAULT
    else:
        outcome = _of_status(status)
    if outcome is Outcome.ACCEPTED and is_enriched_error(document):
        outcome = Outcome.INPUT_REFUSED
    return Reading(
        outcome,
        document=document,
        envelope=envelope,
        hollow=_hollow(document),
        text="" if outcome is Outcome.ACCEPTED else text,
        status=status,
        trouble=exchange.trouble,
    )


def _of_status(status: int) -> Outcome:
    if 200 <= status < 300:
        return Outcome.ACCEPTED
    if status in _STATUS_REFUSES_INPUT:
        return Outcome.INPUT_REFUSED
    if status in _STATUS_REFUSES_OTHER or status < 500:
        return Outcome.OTHER_REFUSED
    return Outcome.SERVER_FAULT


def _of_envelope(envelope: Envelope, case: Case | None) -> Outcome:
    """Return the outcome by the errors' types. Types about meaning prove nothing about form."""
    for error in envelope.errors:
        if error.type in _TYPES_OF_STATE:
            continue
        if error.type in _TYPES_OF_MEANING and not _names_broken(error.parameter_name, case):
            continue
        return Outcome.INPUT_REFUSED
    return Outcome.OTHER_REFUSED


def _names_broken(parameter_name: object, case: Case | None) -> bool:
    if case is None or case.kind is not CaseKind.BROKEN or case.violation is None:
        return False
    return parameter_name == case.violation.parameter


def _over_mcp(exchange: Exchange, case: Case | None) -> Reading:
    reading = _read_mcp(exchange, case)
    shut_out = reading.status >= 400 and reading.outcome is Outcome.OTHER_REFUSED
    if not shut_out and len(reading.text) <= _MOST_SAID:
        return reading
    return replace(reading, text=reading.text[:_MOST_SAID], shut_out=shut_out)


def _read_mcp(exchange: Exchange, case: Case | None) -> Reading:
    assert exchange.answer is not None
    response = response_of(exchange)
    status = exchange.answer.status
    if response is None:
        outcome = _of_status(status) if status and status >= 300 else Outcome.SERVER_FAULT
        return Reading(outcome, status=status, text=_body_text(exchange), trouble=exchange.trouble)
    error = response.get("error")
    if error is not None:
        return _read_rpc_error(response, error, status, case)
    result = response.get("result")
    if not isinstance(result, dict):
        return Reading(Outcome.SERVER_FAULT, document=response, status=status)
    if result.get("isError") is not True:
        return Reading(Outcome.ACCEPTED, document=response, result=result, status=status)
    envelope = envelope_of_result(result)
    outcome = _of_envelope(envelope, case) if envelope else Outcome.INPUT_REFUSED
    return Reading(
        outcome,
        document=response,
        result=result,
        envelope=envelope,
        hollow=next((h for place in json_texts(result) if (h := _hollow(place))), None),
        text=content_text(result),
        status=status,
    )


def _read_rpc_error(
    response: dict[str, Any], error: Any, status: int, case: Case | None
) -> Reading:
    code = error.get("code") if isinstance(error, dict) else None
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    words = error.get("message") if isinstance(error, dict) else None
    data = error.get("data") if isinstance(error, dict) else None
    text = f"{words or ''} {json.dumps(data) if data is not None else ''}".strip()
    malformed = case is not None and case.strictness is Strictness.MALFORMED
    if code in {rpc.INVALID_PARAMS, rpc.INTERNAL_ERROR} or malformed:
        outcome = Outcome.INPUT_REFUSED
    elif status in _STATUS_REFUSES_OTHER and status != 404:
        outcome = Outcome.OTHER_REFUSED
    else:
        outcome = Outcome.INPUT_REFUSED if code is None else Outcome.OTHER_REFUSED
    return Reading(outcome, document=response, text=text, rpc_code=code, status=status)


def _hollow(document: Any) -> Mapping[str, Any] | None:
    listed = document.get("errors") if isinstance(document, dict) else None
    empty = isinstance(listed, list) and not any(isinstance(each, dict) for each in listed)
    return document if empty else None


def _body_text(exchange: Exchange) -> str:
    return exchange.answer.body[:65536].decode("utf-8", "replace") if exchange.answer else ""
