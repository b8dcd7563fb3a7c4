"""Says why a target cannot be tested, in one sentence: what is wrong, where, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from conformance.formats.catalog.openapi import is_swagger
from conformance.formats.problem import quoted
from conformance.formats.schema.uri import urlsplit
from conformance.kit.config.system_words import system_words
from conformance.kit.evidence.catalog import TOOLS
from conformance.kit.evidence.response import body_json, header_of, response_of
from conformance.kit.evidence.script import INITIALIZE
from conformance.kit.model.exchange import Answer, Exchange, Trouble
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import Process
from conformance.spec.clauses import site
from conformance.spec.messages import Message, message

_ASKS_FOR_CREDENTIALS = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED}
)
_FORBIDS = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.MISDIRECTED_REQUEST})
"""Statuses of a server that refuses some callers, or this host name."""
_OF_THE_ADDRESS = re.compile(r"\bhost\b|\bport\b|\borigin\b|misdirected", re.IGNORECASE)
"""Words of a refusal that is about the address, and not about the caller."""
_OF_THE_HOST = re.compile(r"host header|(?:invalid|disallowed|unknown) ?host", re.IGNORECASE)
"""The same, for a status that does not say so."""
_READ = 2000
"""The bytes of a refusal that are searched for such words."""
_OF_AN_ERROR = re.compile(r"^\W*+(?:[\d\s:.,/TZ+-]{8,}+\W*+)?+(?:ERROR|FATAL|CRITICAL)\b")
"""The beginning of a log's line about an error, perhaps behind the time."""
_STACK = "Traceback (most recent call last)"
MODELS = Step("models")
"""The question for a list of models, after nothing else was found."""
_NO_COMMAND = "kit.reason.no_command"
_LONGEST = 300
"""The most characters that a message quotes from a target or its command."""


class TargetUnusable(Exception):
    """The target cannot be tested. The message says why and what to do, in one sentence."""

    def __init__(self, words: Message) -> None:
        super().__init__(words.id)
        self.words = words


def why_dead(target: str, detail: str) -> Message:
    """Return why nothing more is asked of a target that accepted no connection."""
    reason = _cut(detail)
    if "SSL" in reason or "certificate" in reason.lower():
        return message("kit.target.tls", target=target, reason=system_words(reason))
    return message("kit.target.unreachable", target=target, reason=system_words(reason))


def why_nothing(
    target: str, first: Exchange, looked: Iterable[Exchange], *, authorized: bool, language: str
) -> Message:
    """Return why neither MCP nor a catalog was found. `looked` has all exchanges.

    `authorized` says that credentials were sent.
    """
    looked = [exchange for exchange in looked if exchange.step != MODELS]
    answers = [exchange.answer for exchange in looked if exchange.answer is not None]
    guarded = next((each for each in answers if _asks_for_credentials(each)), None)
    if guarded is not None:
        asks = "kit.target.credentials_refused" if authorized else "kit.target.credentials"
        return message(asks, target=target, said=_told(guarded))
    forbidden = next((each for each in answers if _is_forbidden(each)), None)
    if forbidden is not None:
        return _forbidden(target, forbidden, authorized=authorized)
    if first.trouble is Trouble.REDIRECTED:
        to = header_of(first, "location") or ""
        return message("kit.target.redirects", target=target, to=_cut(to))
    if first.trouble is Trouble.TIMEOUT:
        return message("kit.target.silent", target=target)
    if first.answer is None:
        reason = _cut(first.trouble_detail) or message("kit.reason.closed").words(language)
        return message("kit.target.not_http", target=target, reason=reason)
    bare = next((e for e in looked if _is_bare_list(e)), None)
    if bare is not None:
        return message("kit.target.bare_list", url=bare.http.url)
    old = next((e for e in looked if _is_there(e) and is_swagger(body_json(e))), None)
    if old is not None:
        return message("kit.target.swagger", url=old.http.url)
    large = next((e for e in looked if _is_list(e) and e.trouble is Trouble.TOO_LARGE), None)
    if large is not None:
        return message("kit.target.too_large", url=large.http.url)
    broken = next((e for e in looked if _is_broken_json(e)), None)
    if broken is not None:
        return message("kit.target.not_json", url=broken.http.url)
    shaken = next((e for e in looked if e.step == INITIALIZE and _is_rpc_error(e)), None)
    if shaken is not None:
        error = (response_of(shaken) or {})["error"]
        said = f"{error.get('code')} {quoted(str(error.get('message', '')), _LONGEST)}"
        return message("kit.target.no_handshake", url=shaken.http.url, said=said)
    failed = next((e for e in looked if e.step == INITIALIZE and _has_failed(e)), None)
    if failed is not None and failed.answer is not None:
        return message("kit.target.failed", url=failed.http.url, said=_told(failed.answer))
    how = f"{site(language)}guides/#http"
    if (first.answer.header("content-type") or "").startswith("text/html"):
        return message("kit.target.html", target=target, url=how)
    status = first.answer.status
    return message("kit.target.nothing_found", target=target, status=status, url=how)


def why_model_api(target: str, language: str) -> Message:
    """Return that a target is the API of a model provider, or a gateway with that form."""
    how = f"{site(language)}guides/gateway/"
    return message("kit.target.model_api", target=target, api=model_api(target), url=how)


def model_api(target: str) -> str:
    """Return the address of the API of models that a target may have: up to its `/v1`."""
    parts = urlsplit(target)
    path, _, _ = f"{parts.path.rstrip('/')}/".partition("/v1/")
    return f"{parts.scheme}://{parts.netloc}{path.rstrip('/')}/v1"


def lists_models(exchange: Exchange) -> bool:
    """Return whether an answer is a list of models, as the API of OpenAI has it."""
    body = body_json(exchange) if _is_there(exchange) else None
    models = body.get("data") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(models, list) or not models:
        return False
    listed = body.get("object") == "list"
    return all(
        isinstance(each, dict)
        and isinstance(each.get("id"), str)
        and (listed or each.get("object") == "model")
        for each in models
    )


def _asks_for_credentials(answer: Answer) -> bool:
    """Return whether a status asks for credentials, or a header says how to send them."""
    named = answer.header("www-authenticate") is not None
    return answer.status in _ASKS_FOR_CREDENTIALS or (answer.status in _FORBIDS and named)


def _told(answer: Answer) -> str:
    """Return the status of a refusal, and its body or how it asks for credentials."""
    said = _beginning(answer).strip() or answer.header("www-authenticate") or ""
    return f"{answer.status} {quoted(said, _LONGEST)}" if said else str(answer.status)


def _beginning(answer: Answer) -> str:
    """Return the beginning of a body. `…` says that more follows."""
    said = answer.body[:_READ].decode("utf-8", "replace")
    return f"{said}…" if answer.body[_READ:] else said


def _is_forbidden(answer: Answer) -> bool:
    if answer.status in _FORBIDS:
        return True
    said = _beginning(answer)
    return answer.status == HTTPStatus.BAD_REQUEST and _OF_THE_HOST.search(said) is not None


def _forbidden(target: str, answer: Answer, *, authorized: bool) -> Message:
    """Return the message for a refusal that asks for no credentials: the address may be wrong."""
    said = _cut(_beginning(answer))
    of_the_address = answer.status == HTTPStatus.MISDIRECTED_REQUEST or (
        _OF_THE_ADDRESS.search(said) is not None
    )
    if of_the_address:
        return message("kit.target.address", target=target, status=answer.status, said=said or "—")
    if authorized:
        return message("kit.target.credentials_refused", target=target, said=_told(answer))
    return message("kit.target.forbidden", target=target, status=answer.status, said=said or "—")


def _is_there(exchange: Exchange) -> bool:
    return exchange.answer is not None and exchange.answer.status == HTTPStatus.OK


def _is_list(exchange: Exchange) -> bool:
    """Return whether an exchange asked for a collection of tools."""
    return exchange.step is not None and exchange.step.name == TOOLS


def _is_bare_list(exchange: Exchange) -> bool:
    """Return whether a collection of tools is answered with a bare list of objects."""
    listed = body_json(exchange) if _is_list(exchange) and _is_there(exchange) else None
    return isinstance(listed, list) and listed != [] and all(isinstance(i, dict) for i in listed)


def _is_rpc_error(exchange: Exchange) -> bool:
    """Return whether the answer is an error of JSON-RPC."""
    response = response_of(exchange) or {}
    return response.get("jsonrpc") == "2.0" and isinstance(response.get("error"), dict)


def _has_failed(exchange: Exchange) -> bool:
    """Return whether the answer is a server error other than 501."""
    status = exchange.answer.status if exchange.answer is not None else 0
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED


def _is_broken_json(exchange: Exchange) -> bool:
    """Return whether a list or document claims to be JSON and is not."""
    answer = exchange.answer
    if answer is None or answer.status != HTTPStatus.OK or answer.body.strip() == b"null":
        return False
    kind = (answer.header("content-type") or "").split(";")[0]
    return "json" in kind and body_json(exchange) is None


@dataclass(frozen=True, slots=True)
class Unopened:
    """Why a connection could not be opened.

    `said` are the telling lines of the process. `listens` is where it listens instead. `agreed`
    says that the server agreed to a version first.
    """

    reason: Message | str
    said: tuple[str, ...] = ()
    listens: str = ""
    agreed: bool = False

    def words(self, language: str) -> str:
        """Return the reason, and what the process wrote."""
        reason = _in(self.reason, language)
        if not self.said:
            return reason
        return message("kit.reason.wrote", reason=reason, said=self.lines(language)).words(language)

    def lines(self, language: str) -> str:
        """Return what the process wrote, in quotes."""
        form = "kit.reason.line" if len(self.said) == 1 else "kit.reason.lines"
        return message(form, first=self.said[0], last=self.said[-1]).words(language)


def no_handshake(exchange: Exchange, process: Process, option: str) -> Unopened:
    """Return why a handshake failed. `process` is the process that was started, if any.

    `option` names the option that gives a silent server more time.
    """
    response = response_of(exchange)
    noise = exchange.answer.noise if exchange.answer is not None else ()
    if response is not None:
        reason = message("kit.reason.refused", answer=_cut(str(response)))
    elif process.exit_code is not None:
        reason = message("kit.reason.ended", code=process.exit_code)
    elif exchange.trouble is Trouble.TIMEOUT:
        reason = message("kit.reason.silent", seconds=round(exchange.elapsed), option=option)
    elif exchange.trouble is Trouble.TOO_LARGE:
        reason = message("kit.reason.noise")
    elif exchange.trouble is not None:
        reason = message("kit.reason.closed")
    else:
        reason = message("kit.reason.status", status=exchange.answer.status)  # type: ignore[union-attr]  # an exchange without trouble has an answer
    return Unopened(reason, _said(process) or tuple(map(_cut, noise[:1])), process.listens)


def no_list(process: Process) -> Unopened:
    """Return why a server that ended after its handshake cannot be tested."""
    reason = message("kit.reason.ended_early", code=process.exit_code)
    return Unopened(reason, _said(process), agreed=True)


def _said(process: Process) -> tuple[str, ...]:
    """Return the telling lines of a process."""
    said = (process.raised,) if process.raised else _telling(process.stderr)
    return tuple(map(_cut, said))


def no_start(error: Exception) -> Unopened:
    """Return why a command could not be run."""
    if isinstance(error, FileNotFoundError):
        return Unopened(message(_NO_COMMAND, command=error.filename))
    return Unopened(system_words(getattr(error, "strerror", None) or str(error)))


def no_server(target: str, why: Unopened | None, *, sandbox: bool, language: str) -> Message:
    """Return why a command is not an MCP server: what it wrote comes first."""
    why = why or Unopened(message("kit.reason.no_answer"))
    if why.listens:
        return message(
            "kit.target.serves_http", target=target, at=why.listens, option="--start-timeout"
        )
    if isinstance(why.reason, Message) and why.reason.id == _NO_COMMAND:
        return message("kit.target.no_command", target=target, **dict(why.reason.values))
    values = {"target": target, "reason": _in(why.reason, language)}
    place = "sandbox" if sandbox else "stdio"
    if sandbox:
        values["url"] = f"{site(language)}conformance/safety/#sandbox"
    if why.said:
        return message(f"kit.target.{place}_said", said=why.lines(language), **values)
    return message(f"kit.target.{place}_failed", **values)


def _in(said: Message | str, language: str) -> str:
    return said.words(language) if isinstance(said, Message) else said


def _telling(text: str) -> tuple[str, ...]:
    """Return the first and the last line of a text: either may be only a hint. There may be fewer.

    The line that Python prints above a stack says nothing: the last line is the error. Of a log,
    the last error comes in place of the first line.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if (error := next(filter(_OF_AN_ERROR.search, reversed(lines)), "")) != "":
        lines[0] = error
    if not lines or lines[0].startswith(_STACK) or lines[0] == lines[-1]:
        return tuple(lines[-1:])
    return lines[0], lines[-1]


def _cut(text: str) -> str:
    """Return a foreign text on one line, without a full stop at its end."""
    line = " ".join(text.split()).rstrip(". ")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
