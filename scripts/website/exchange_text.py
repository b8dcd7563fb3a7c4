"""An exchange as the text that a page shows: the request, the answer, and what a finding names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Set
from datetime import date, datetime, timedelta
from typing import Any, Final

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
    r"|(?P<cut>[0-9a-f][0-9a-f-]*(?=\n… \(\+\d)|(?<=… \(\+)\d+)"
)
"""The parts that show no defect: ids of one run, also one that is cut, and how much was cut."""
_NAMES = ("name", "resource_id", "id", "uri")
_REST = "…"
_NAMED = re.compile(rf'\{{\s*("(?:{"|".join(_NAMES)})": "[^"]*"),\s*"{_REST}": 0\s*\}}')
_STEP = re.compile(r'\.?([^.\[\]]+)|\[(\d+)\]|\["([^"]+)"\]')
_FIRST_DAY = date(2026, 1, 1)
_ABSENT: Final = object()


class _Repeated(str):
    """A name that its JSON object has once more, further down."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def request_text(exchange: Exchange) -> str:
    """Return a request: the line and the headers over HTTP, then the body."""
    request = exchange.request
    if not isinstance(request, HttpRequest):
        return cut(plain(body_text(request.body, None), said_in(exchange)))
    place = re.sub(r"^https?://[^/]+", "", str(request.url)) or "/"
    headers = [f"{name}: {value}" for name, value in shown_headers(request.headers, set())]
    lines = [f"{request.method} {place}", *headers]
    body = cut(body_text(request.body, None))
    return plain("\n".join([*lines, *(["", body] if body else [])]), said_in(exchange))


def said_in(exchange: Exchange) -> str:
    """Return the bodies of an exchange, whose dates are numbered together."""
    bodies = (exchange.request.body or b"", _body(exchange))
    return "\n".join(each.decode("utf-8", "replace") for each in bodies)


def _body(exchange: Exchange | None) -> bytes:
    answer = None if exchange is None else exchange.answer
    return b"" if answer is None else bytes(answer.body)


def answer_text(
    exchange: Exchange,
    path: str | None,
    without: Set[str],
    *,
    names_only: bool = False,
    beside: Exchange | None = None,
) -> str:
    """Return an answer without some headers; `path` is the part of a long body to show.

    With `names_only`, a long body has only the names of the items in its lists. `beside` has the
    other answer to the same request, which shows the same part.
    """
    answer = exchange.answer
    if answer is None:
        return f"— {exchange.trouble or _NOTHING}"
    body = cut(body_text(bytes(answer.body), path, _body(beside), names_only=names_only))
    return _with_head(exchange, body, without, said_in(exchange))


def answer_texts(
    bad: Exchange, good: Exchange | None, path: str | None, without: Set[str]
) -> tuple[str, str]:
    """Return a wrong answer and the right one, which is empty if it is unknown.

    Long lists have only names, or both texts have only what differs.
    """

    def texts(path: str | None, *, names_only: bool) -> tuple[str, str]:
        wrong = answer_text(bad, path, without, names_only=names_only, beside=good)
        right = good and answer_text(good, path, without, names_only=names_only, beside=bad)
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
        wrong, right = (json.loads(_body(each)) for each in (bad, good))
    except (ValueError, RecursionError):
        return None
    place, wrong, right = changed(wrong, _with_ids_of(wrong, right))
    if wrong == right:
        return None
    at = f"… {'.'.join(map(str, place))}:\n" if place else ""
    texts = (cut(at + "\n".join(lines_of(part))) for part in folded(wrong, right))
    said = said_in(bad)  # the right one has its ids and its dates
    one, other = (
        _with_head(each, text, without, said) for each, text in zip((bad, good), texts, strict=True)
    )
    return one, other


def _with_ids_of(wrong: Any, right: Any) -> Any:
    """Return the right value with the random ids of the wrong one, so that only defects differ."""
    if isinstance(wrong, dict) and isinstance(right, dict):
        return {name: _with_ids_of(wrong.get(name), each) for name, each in right.items()}
    if isinstance(wrong, list) and isinstance(right, list) and len(wrong) == len(right):
        return [_with_ids_of(*each) for each in zip(wrong, right, strict=True)]
    both = isinstance(wrong, str) and isinstance(right, str)
    return wrong if both and is_same(plain(wrong), plain(right)) else right


def is_same(text: str, other: str) -> bool:
    """Return whether two texts differ only in parts that show no defect."""
    return numbered(text) == numbered(other)


def numbered(text: str) -> str:
    """Return a text with its ids numbered: that two of them are the same may be the defect."""
    ids: dict[str, int] = {}
    return _CHANGING.sub(
        lambda found: "" if found["cut"] else f"id-{ids.setdefault(found[0], len(ids))}", text
    )


def _with_head(exchange: Exchange, body: str, without: Set[str], said: str) -> str:
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
        return plain("\n".join([*answer.noise, *own, *late, *trouble]), said) or f"— {_NOTHING}"
    headers = [f"{name.lower()}: {value}" for name, value in shown_headers(answer.headers, without)]
    lines = [f"HTTP {answer.status}", *headers]
    return plain("\n".join([*lines, *(["", body] if body else []), *trouble]), said)


def shown_headers(headers: Iterable[tuple[str, str]], without: Set[str]) -> list[tuple[str, str]]:
    """Return the headers that a page shows: none that every message has, and none of `without`."""
    return [each for each in headers if each[0].lower() not in _NOT_SHOWN | without]


def body_text(
    body: bytes, path: str | None, beside: bytes = b"", *, names_only: bool = False
) -> str:
    """Return a body as indented JSON; for a long one, the part that the finding names.

    `beside` is the body of the other answer, which shows the same part. With `names_only`, a long
    one has only the names of the items in its lists.
    """
    text = body.decode("utf-8", "replace")
    try:
        data = json.loads(text, object_pairs_hook=_every_pair)
        whole = _indented(data)
    except (ValueError, RecursionError):
        return _lines(text)
    other = _read(beside)
    steps = _steps_of(path, data)
    has_part = bool(steps) and _at(other, steps[:-1]) is not _ABSENT
    if len(whole) <= LONGEST and not (has_part and len(_indented(other)) > LONGEST):
        return whole
    return _around(data, other, steps) or (_names(data) if names_only else whole)


def _every_pair(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which a repeated name stays twice, as it was sent."""
    last = {name: at for at, (name, _) in enumerate(pairs)}
    return {
        name if at == last[name] else _Repeated(name): value
        for at, (name, value) in enumerate(pairs)
    }


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return _ABSENT


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


def _steps_of(path: str | None, data: Any) -> list[str]:
    steps = ["".join(found) for found in _STEP.findall((path or "").removeprefix("$"))]
    in_result = isinstance(data, dict) and "result" in data and steps[:1] != ["result"]
    return ["result", *steps] if in_result and steps else steps


def _at(inside: Any, steps: Iterable[str]) -> Any:
    for step in steps:
        try:
            inside = inside[int(step)] if isinstance(inside, list) else inside[step]
        except (LookupError, ValueError, TypeError):
            return _ABSENT
    return inside


def _around(data: Any, other: Any, steps: list[str]) -> str:
    """Return the largest part around a place that is short enough to show, also in the other."""
    alone = ""
    for end in range(1, len(steps) + 1):
        part, same = _at(data, steps[:end]), _at(other, steps[:end])
        if part is _ABSENT:
            return _instead(data, other, steps[: end - 1]) or alone
        text = _indented(part)
        if len(text) > LONGEST or steps[:end] == ["result"]:
            continue
        shown = f"… {'.'.join(steps[:end])}:\n{text}"
        alone = alone or shown
        if same is _ABSENT or len(_indented(same)) <= LONGEST:
            return shown
    return alone


def _instead(data: Any, other: Any, steps: list[str]) -> str:
    """Return what this document has and the other lacks, above a place that only the other has."""
    above, there = _at(data, steps), _at(other, steps)
    if not isinstance(above, dict) or not isinstance(there, dict):
        return ""
    more = {name: above[name] for name in above.keys() - there.keys()}
    text = _indented(more)
    return f"… {'.'.join(steps)}:\n{text}" if more and len(text) <= LONGEST else ""


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


def plain(text: str, beside: str = "") -> str:
    """Replace the ports and dates, which differ in each run. A day that does not exist stays.

    Dates that differ become days that differ, in the same order, also from those of `beside`.
    """
    dates = sorted(each for each in {*_DATE.findall(text), *_DATE.findall(beside)} if _exists(each))
    days = {each: _FIRST_DAY + timedelta(at) for at, each in enumerate(dates)}
    written = {each: f"{day.isoformat()}T00:00:00" for each, day in days.items()}
    return _DATE.sub(lambda found: written.get(found[0], found[0]), PORT.sub("8000", text))


def _exists(moment: str) -> bool:
    try:
        datetime.fromisoformat(moment)
    except ValueError:
        return False
    return True
