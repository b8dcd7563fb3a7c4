"""An exchange as the text that a page shows: the request, the answer, and what a finding names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Set
from datetime import datetime
from typing import Any

from conformance.kit.model.exchange import Exchange, HttpRequest
from scripts.website.pages.corrections import changed, folded, lines_of

LONGEST = 1_500
"""The most characters of a body that are shown."""
_NOTHING = "no answer"
_EXITED = "— exited"
"""What a process shows that exits after its input ends, as it has to."""
PORT = re.compile(r"(?<=127\.0\.0\.1:)\d{4,5}|(?<=localhost:)\d{4,5}")
"""The port in a local address."""
_DATE = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?=Z|[+-]\d\d:\d\d|\b)")
_NOT_SHOWN = {
    *("accept-encoding", "connection", "content-length", "date", "host", "keep-alive", "server"),
    *("transfer-encoding", "user-agent"),
}
_CHANGING = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|afn-[0-9a-f]{12}"
    r"|(?<=mcp-session-id: )[0-9a-f]{32}|req_[0-9a-f]{12}_\d+"
    r"|[0-9a-f][0-9a-f-]*(?=\n… \(\+\d)|(?<=… \(\+)\d+"
)
"""The parts that show no defect: ids of one run, also one that is cut, and how much was cut."""
_NAMES = ("name", "resource_id", "id", "uri")
_REST = "…"
_NAMED = re.compile(rf'\{{\s*("(?:{"|".join(_NAMES)})": "[^"]*"),\s*"{_REST}": 0\s*\}}')
_STEP = re.compile(r'\.?([^.\[\]]+)|\[(\d+)\]|\["([^"]+)"\]')


def request_text(exchange: Exchange) -> str:
    """Return a request: the line and the headers over HTTP, then the body."""
    request = exchange.request
    if not isinstance(request, HttpRequest):
        return cut(plain(body_text(request.body, None)))
    place = re.sub(r"^https?://[^/]+", "", str(request.url)) or "/"
    headers = [f"{name}: {value}" for name, value in shown_headers(request.headers, set())]
    lines = [f"{request.method} {place}", *headers]
    body = cut(body_text(request.body, None))
    return plain("\n".join([*lines, *(["", body] if body else [])]))


def answer_text(
    exchange: Exchange, path: str | None, without: Set[str], *, names_only: bool = False
) -> str:
    """Return an answer without some headers; `path` is the part of a long body to show.

    With `names_only`, a long body has only the names of the items in its lists.
    """
    answer = exchange.answer
    if answer is None:
        return f"— {exchange.trouble or _NOTHING}"
    body = cut(body_text(bytes(answer.body), path, names_only=names_only))
    return _with_head(exchange, body, without)


def answer_texts(
    bad: Exchange, good: Exchange | None, path: str | None, without: Set[str]
) -> tuple[str, str]:
    """Return a wrong answer and the right one, which is empty if it is unknown.

    Long lists have only names, or both texts have only what differs.
    """

    def texts(path: str | None, *, names_only: bool) -> tuple[str, str]:
        wrong = answer_text(bad, path, without, names_only=names_only)
        right = good and answer_text(good, path, without, names_only=names_only)
        return wrong, right or ""

    whole, short = texts(path, names_only=False), texts(path, names_only=True)
    if "\n\n… " in short[0] and good is not None and "\n\n… " not in short[1]:
        short = texts(None, names_only=True)  # the right answer has nothing at that place
    is_long = any(re.search(r"\n… \(\+\d+\)", each) for each in whole)
    if is_long and not is_same(*short):
        return short
    if good is None or not is_same(*whole):
        return whole
    return _differing(bad, good, without) or (short if is_long else whole)


def _differing(bad: Exchange, good: Exchange, without: Set[str]) -> tuple[str, str] | None:
    """Return the parts of two answers that differ; None if they are the same or not JSON."""
    try:
        wrong, right = (
            json.loads(plain(bytes(each.answer.body).decode()))
            for each in (bad, good)
            if each.answer is not None
        )
    except (ValueError, RecursionError):
        return None
    place, wrong, right = changed(wrong, _with_ids_of(wrong, right))
    if wrong == right:
        return None
    at = f"… {'.'.join(map(str, place))}:\n" if place else ""
    one, other = (
        _with_head(each, cut("\n".join([at + lines_of(part)[0], *lines_of(part)[1:]])), without)
        for each, part in zip((bad, good), folded(wrong, right), strict=True)
    )
    return one, other


def _with_ids_of(wrong: Any, right: Any) -> Any:
    """Return the right value with the random ids of the wrong one, so that only defects differ."""
    if isinstance(wrong, dict) and isinstance(right, dict):
        return {name: _with_ids_of(wrong.get(name), each) for name, each in right.items()}
    if isinstance(wrong, list) and isinstance(right, list) and len(wrong) == len(right):
        return [_with_ids_of(*each) for each in zip(wrong, right, strict=True)]
    alike = isinstance(wrong, str) and isinstance(right, str) and is_same(wrong, right)
    return wrong if alike else right


def is_same(text: str, other: str) -> bool:
    """Return whether two texts differ only in parts that show no defect."""
    return without_ids(text) == without_ids(other)


def without_ids(text: str) -> str:
    """Return a text without the parts that show no defect."""
    return _CHANGING.sub("", text)


def _with_head(exchange: Exchange, body: str, without: Set[str]) -> str:
    """Return an answer with this body: the status and the headers over HTTP, and what else came."""
    answer = exchange.answer
    assert answer is not None  # the caller has read its body
    trouble = [f"— {exchange.trouble}"] if exchange.trouble else []
    if not exchange.over_http:
        if exchange.request.is_empty and not trouble:
            return _EXITED
        late = [json.dumps(each, ensure_ascii=False) for each in answer.late]
        # Only the answer to a request has a body. What comes before it, or after a notification, is
        # kept as messages.
        more = len(answer.messages) > (1 if body else 0)
        own = [cut(_indented(each)) for each in answer.messages] if more else [body] if body else []
        return plain("\n".join([*answer.noise, *own, *late, *trouble])) or f"— {_NOTHING}"
    headers = [f"{name.lower()}: {value}" for name, value in shown_headers(answer.headers, without)]
    lines = [f"HTTP {answer.status}", *headers]
    return plain("\n".join([*lines, *(["", body] if body else []), *trouble]))


def shown_headers(headers: Iterable[tuple[str, str]], without: Set[str]) -> list[tuple[str, str]]:
    """Return the headers that a page shows: none that every message has, and none of `without`."""
    return [each for each in headers if each[0].lower() not in _NOT_SHOWN | without]


def body_text(body: bytes, path: str | None, *, names_only: bool = False) -> str:
    """Return a body as indented JSON; for a long one, the part that the finding names.

    With `names_only`, a long one has only the names of the items in its lists.
    """
    text = body.decode("utf-8", "replace")
    try:
        data = json.loads(text)
        whole = _indented(data)
    except (ValueError, RecursionError):
        return _lines(text)
    if len(whole) <= LONGEST:
        return whole
    around = _around(data, path) if path else ""
    return around or (_names(data) if names_only else whole)


def _names(data: Any) -> str:
    """Return a document whose lists of named objects have only the names."""
    return _NAMED.sub(r"{ \1, … }", _indented(_named(data)))


def _named(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _named(value) for key, value in data.items()}
    if not isinstance(data, list):
        return data
    names = [[key for key in _NAMES if key in each] for each in data if isinstance(each, dict)]
    if len(names) < len(data) or not all(names):
        return [_named(each) for each in data]
    return [{key[0]: each[key[0]], _REST: 0} for key, each in zip(names, data, strict=True)]


def _indented(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)


def _lines(text: str) -> str:
    """Return events or lines of JSON unchanged, without other control characters."""
    return re.sub(r"[^\S\n]|[^\x20-\x7e\n\xa0-\uffff]", " ", text.replace("\r\n", "\n"))


def _around(data: Any, path: str) -> str:
    """Return the largest part of a document around a place that is short enough to show."""
    steps = ["".join(found) for found in _STEP.findall(path.removeprefix("$"))]
    is_result = isinstance(data, dict) and "result" in data and steps[:1] != ["result"]
    inside, best = data["result"] if is_result else data, ""
    for at, step in enumerate(steps):
        try:
            inside = inside[int(step)] if isinstance(inside, list) else inside[step]
        except (LookupError, ValueError, TypeError):
            break
        text = _indented(inside)
        if len(text) <= LONGEST:
            place = ["result"] * is_result + steps[: at + 1]
            best = best or f"… {'.'.join(place)}:\n{text}"
    return best


def cut(text: str) -> str:
    """Shorten a long text, and add the number of omitted characters."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… (+{len(text) - LONGEST})"


def with_id(answer: str, other: Exchange, own: Exchange) -> str:
    """Replace the id of one request in an answer by that of another request."""
    ids = [_id_of(each) for each in (other, own)]
    return answer if None in ids else answer.replace(f'"id": {ids[0]}', f'"id": {ids[1]}')


def _id_of(exchange: Exchange) -> int | None:
    found = re.search(rb'"id": ?(\d+)[,}]', bytes(exchange.request.body))
    return int(found[1]) if found else None


def plain(text: str) -> str:
    """Replace the ports and dates, which differ in each run. A day that does not exist stays."""
    return _DATE.sub(_same_date, PORT.sub("8000", text))


def _same_date(found: re.Match[str]) -> str:
    try:
        datetime.fromisoformat(found.group())
    except ValueError:
        return found.group()
    return "2026-01-01T00:00:00"
