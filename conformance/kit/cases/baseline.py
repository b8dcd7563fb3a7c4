"""The baseline call: arguments that a tool most likely accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from itertools import chain, islice
from typing import Any, Final

from conformance.formats.text.json_text import read_json
from conformance.formats.tool.tool import Tool, Where
from conformance.kit.cases import masks
from conformance.kit.cases.seen_values import words_of
from conformance.kit.cases.valid_values import Hints, Maker
from conformance.kit.schema.applies import alternatives, applied, member
from conformance.kit.schema.constraints import Constraints, constraints
from conformance.kit.schema.places import ABSENT
from conformance.kit.schema.string_formats import FORMATS, SOMEDAY
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import Node, SchemaView, view_of

_MOST_BYTES: Final = 2 * 1024 * 1024
"""If the candidates together have more bytes than this, no more are made."""
MOST_CANDIDATES: Final = 8
_MOST_OTHERS: Final = 6
"""The most candidates with another allowed value than the first."""
_MOST_WAYS: Final = 24
_SELECTORS: Final = words_of("action cmd command function method mode op operation subcommand verb")
"""Words in the name of a parameter whose value decides what the tool does."""
_READS: Final = words_of(
    "check count describe fetch find get help info list query read search show stats status summary"
    " version view"
)
"""Words in a value of such a parameter that most likely needs and changes nothing."""
REMOVALS: Final = words_of(
    "abort cancel clear close deactivate del delete destroy disable discard drop erase exit flush"
    " forget halt kill logout overwrite poweroff prune purge quit reboot remove reset restart"
    " revoke rm rmdir shutdown stop suspend terminate trash truncate uninstall unlink unregister"
    " wipe archive refund revert rollback unpublish apagar borrar cancelar deletar"
    " desinstalar desligar detener eliminar encerrar excluir reiniciar remover vaciar"
)
"""Words in the names of tools that may remove or end something: others are called before them.

The last are Spanish and Portuguese. A value with such a word is not tried in place of a refused
one, or because words quote it.
"""
_BEGINNINGS: Final = tuple(word for word in REMOVALS if len(word) > len("del"))
_ENDINGS: Final = tuple(word for word in REMOVALS if len(word) > len("kill"))
"""Those that are also found in words written as one, such as `flushall` and `bulkdelete`."""
_QUERIES: Final = frozenset({"query", "statement", "sql_query"})
_NAMED_SQL = r"(?<!no)(?<!no[ -])(?<!not )SQL(?:ite)?\b"
_SQL: Final = re.compile(
    rf"{_NAMED_SQL}[ -](?:quer|statement|command|select)"
    rf"|\b(?:run|execut|quer)\w*\b[^.;:\n]{{0,40}}{_NAMED_SQL}"
    rf"|{_NAMED_SQL} to (?:run|execute)",
    re.IGNORECASE,
)
"""Words of a tool that takes a statement of SQL. Others only speak of it."""
_SELECT: Final = "SELECT 1"
_NAMED: Final = {"email": FORMATS["email"], "uri": FORMATS["uri"], "url": FORMATS["uri"]}
"""The formats of parameters whose names end in such a word, if their schemas name none."""
_LAST_WORD: Final = re.compile(r"[A-Za-z][a-z]*$|[A-Z]+$")
_LONGEST_WORD: Final = len("xemails")
"""The most letters that tell one of these words from a longer one."""
GIVEN: Final = "given-example"
"""The scenario of a baseline call that the user gave with `--examples`."""


def candidates(
    tool: Tool, given: Sequence[Mapping[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """Return different arguments to call a tool with, most likely ones first, at most eight.

    First come those `given` by the user, even if the schema refuses them: the user knows. Then come
    the tool's own examples, with their dates moved ahead of `now`. Last come arguments made from
    schema and descriptions, with only the required parameters, then with all. Both have the body of
    an operation that has one: many documents forget that it is required. Only the given ones may be
    invalid, and only they are returned if the schema cannot be used (`problem_of` says why). If it
    costs too much to validate, those found before are returned. Then come other values of required
    parameters that allow only some: at most six calls, and none that names a removal. The very last
    has other values in the path.
    """
    found: list[dict[str, Any]] = []
    seen: set[str] = set()

    size = 0

    def add(arguments: Mapping[str, Any], most: int = MOST_CANDIDATES) -> None:
        nonlocal size
        key = json.dumps(arguments, sort_keys=True)
        size += len(key)
        if key not in seen and len(found) < most:
            seen.add(key)
            found.append(dict(arguments))

    for arguments in given:
        add(arguments)
    try:
        view = view_of(tool.input_schema)
        view.refill()
    except SchemaProblem:
        return found
    makers = (
        Maker(view, now=now, full=full, hints=hints)
        for full in (False, True)
        for hints in _hint_orders(now, tool.description or "")
    )
    body = _body_of(tool)
    made = (_made(maker, body) for maker in makers)
    for example in chain(_examples(tool), made):  # lazy: examples use steps first
        ahead = _ahead(view, example, now)
        if ahead is not None:
            add(ahead)
        if size > _MOST_BYTES:
            break  # the calls have megabytes: others would be no better
    if found and size <= _MOST_BYTES:
        routed, most = _routed(tool, view, found[-1]), len(found) + _MOST_OTHERS
        for other in islice(_with_other_values(view, body, now), most):
            add(other, most)
        add(routed, most + 1)
    return found


def _with_other_values(
    view: SchemaView, begun: Mapping[str, Any], now: datetime
) -> Iterator[dict[str, Any]]:
    """Yield arguments for other allowed values of required parameters, most likely ones first.

    A tool may do several things, and its first one may need what is not there.
    """
    values: dict[str, dict[str, None]] = {}
    with suppress(SchemaProblem):
        for flat in alternatives(view, (view.root,), _MOST_WAYS):
            for name in constraints(flat).required:
                allowed = constraints(applied(view, member(flat, name), ABSENT).flat).allowed or ()
                values.setdefault(name, {}).update((v, None) for v in allowed if isinstance(v, str))
    chosen = [
        (name, value, words_of(value))
        for name in sorted(values, key=lambda name: _SELECTORS.isdisjoint(words_of(name)))
        for value in sorted(values[name], key=lambda value: _READS.isdisjoint(words_of(value)))
    ]
    for name, value, words in chosen[:_MOST_WAYS]:
        if not any(map(_removes, words)):
            only = view.root.sub({"properties": {name: {"const": value}}})
            made = _made(Maker(view, now=now), begun, (view.root, only))
            ahead = _ahead(view, made, now)
            if ahead is not None:
                yield ahead


def _removes(word: str) -> bool:
    return word in REMOVALS or word.startswith(_BEGINNINGS) or word.endswith(_ENDINGS)


def _routed(tool: Tool, view: SchemaView, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return arguments with other values in the path: a router may know a value by its form.

    Some routers take no whole number where any number is documented. A text may be the id of a
    thing.
    """
    inputs = tool.invocation.inputs if tool.invocation is not None else ()
    for name in (each.name for each in inputs if each.where is Where.PATH):
        value = arguments.get(name)
        other = "1" if isinstance(value, str) else 1.5
        changed = {**arguments, name: other}
        try:
            arguments = changed if view.accepts(changed) else arguments
        except SchemaProblem:
            break
    return arguments


def problem_of(tool: Tool) -> SchemaProblem | None:
    """Return why no cases can be made from a tool's input schema; None if they can."""
    try:
        view = view_of(tool.input_schema)
        Maker(view).value((view.root,), "arguments")
    except SchemaProblem as problem:
        return problem
    return None


def from_refusal(tool: Tool, arguments: Any, text: str) -> dict[str, Any] | None:
    """Correct refused arguments by the words of the refusal; None if it names nothing new.

    A parameter that the text names gets the mask or the allowed value in the text. If the text
    names no parameter, the only string argument is meant. The result is valid, and differs from
    `arguments`.
    """
    if not isinstance(arguments, dict):
        return None
    try:
        view = view_of(tool.input_schema)
        asked = constraints(applied(view, (view.root,), arguments).flat)
        for name, value in _repaired_values(view, asked, arguments, text):
            changed = {**arguments, name: value}
            if arguments.get(name, ABSENT) != value and view.accepts(changed):
                return changed
    except SchemaProblem:
        return None
    return None


def _repaired_values(
    view: SchemaView, asked: Constraints, arguments: dict[str, Any], text: str
) -> Iterator[tuple[str, Any]]:
    """Yield pairs of a parameter and a value that the text may mean, most likely ones first."""
    text = masks.searched(text)
    names = dict.fromkeys((*asked.names, *arguments))
    named = [n for n in names if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text, re.I)]
    meant = named or [n for n in arguments if isinstance(arguments[n], str)]
    if not named and len(meant) != 1:
        return
    values = list(dict.fromkeys((*masks.alternatives(text), *masks.from_masks(text, SOMEDAY))))
    for name in meant:
        # The sent value is replaced, so the branch of a union that it uses does not matter.
        here = constraints(applied(view, member(asked.flat, name), ABSENT).flat)
        for value in values:
            yield from ((name, each) for each in _read(value, here))


def _read(text: str, asked: Constraints) -> Iterator[Any]:
    """Yield the text itself if strings are allowed, and the value that it is as JSON."""
    if "string" in asked.kinds or not asked.kinds:
        yield text
    read = read_json(text)
    if read.readable:  # `NaN`, for example, cannot be sent as JSON
        yield read.data


def _examples(tool: Tool) -> Iterator[Any]:
    yield from (example.input for example in tool.examples)
    said = tool.input_schema.get("examples")
    if isinstance(said, list):
        yield from said
    yield tool.input_schema.get("example")
    yield tool.input_schema.get("default")


def _made(maker: Maker, begun: Mapping[str, Any], nodes: tuple[Node, ...] = ()) -> Any:
    try:
        return maker.value(nodes or (maker.view.root,), keep=begun)
    except SchemaProblem:
        return None


def _body_of(tool: Tool) -> dict[str, Any]:
    """Return arguments with an empty body, if one input is the whole body."""
    inputs = tool.invocation.inputs if tool.invocation is not None else ()
    return {each.name: {} for each in inputs if each.where is Where.WHOLE}


def _ahead(view: SchemaView, example: Any, now: datetime) -> dict[str, Any] | None:
    """Return an example with its dates moved ahead, or unchanged; None if both are invalid."""
    for arguments in (shifted(example, now), example):
        try:
            if isinstance(arguments, dict) and view.accepts(arguments):
                return arguments
        except SchemaProblem:
            return None
    return None


def _hint_orders(now: datetime, described: str) -> Iterator[Hints]:
    """Yield ways to read descriptions: literals first, masks first, second literal first, none.

    Where they say nothing, the name of a parameter may: an address is one for `image_url`.
    A parameter for a statement of SQL first gets a `SELECT` that its words quote, then one that
    every database knows. `described` is what the tool says of itself, and perhaps of a parameter
    that its schema does not describe.
    """
    said = masks.parameters(described)

    def words(name: str, asked: Constraints) -> str:
        own, title = asked.first("description"), asked.first("title")
        texts = [own if isinstance(own, str) else said.get(name, said.get(f"{name}s")), title]
        return " ".join(t for t in texts if isinstance(t, str))

    def hinted(
        pick: Callable[[list[str], list[str]], Iterable[str]],
        in_sql: Callable[[Iterable[str]], Iterable[str]] = tuple,
    ) -> Hints:
        def hints(name: str, asked: Constraints) -> Iterable[Any]:
            if "boolean" in asked.kinds:  # the words say what the flag does, not its value
                return ()
            text = words(name, asked)
            quoted, filled = list(masks.literals(text)), list(masks.from_masks(text, now))
            if not _SELECTORS.isdisjoint(words_of(name)):
                quoted = [q for q in quoted if not any(map(_removes, words_of(q)))]
            chosen = pick([q for q in quoted if q not in filled], filled)
            if name.lower() == "sql" or (name in _QUERIES and _SQL.search(f"{text} {described}")):
                chosen = in_sql(chosen)
            last = _LAST_WORD.search(name[-_LONGEST_WORD:])
            known = _NAMED.get(last[0].lower().rstrip("s")) if last and not asked.formats else None
            chosen = [*chosen, *([known.make(0, now)] if known else ())]
            values = [value for each in chosen for value in _read(each, asked)]
            holds = {"array", "object"}.intersection(asked.kinds)
            return [*masks.documents(text), *values] if holds else values

        return hints

    def reading(text: str) -> bool:
        return text.lstrip().upper().startswith("SELECT ")

    yield hinted(
        lambda quoted, filled: (*quoted, *filled),
        lambda texts: sorted((*texts, _SELECT), key=lambda text: not reading(text)),
    )
    yield hinted(lambda quoted, filled: (*filled, *quoted), lambda texts: (_SELECT, *texts))
    yield hinted(lambda quoted, filled: (*quoted[1:], *filled, *quoted[:1]))
    yield lambda _name, _asked: ()


_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_MOMENT: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})?\Z", re.ASCII
)
_AHEAD: Final = timedelta(days=30)
"""How far ahead an example's earliest date is moved: it can be booked, even after a long run."""


def shifted(document: Any, now: datetime) -> Any:
    """Return a copy whose ISO dates and date-times are moved by the same number of whole weeks.

    The earliest is then at least 30 days after `now`. If all dates are later than tomorrow, the
    example is returned unchanged. Whole weeks keep the day of the week and the time of day.
    """
    today = now.date()
    days = [found for text in _texts(document) if (found := _day(text)) is not None]
    if not days or min(days) > today + timedelta(days=1):
        return document
    behind = today + _AHEAD - min(days)
    weeks = -(-behind.days // 7)
    return _moved(document, timedelta(weeks=weeks))


def _texts(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict | list):
        for value in document.values() if isinstance(document, dict) else document:
            yield from _texts(value)


def _day(text: str) -> date | None:
    if not (_DATE.match(text) or _MOMENT.match(text)):
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:  # it looks like a date, but no calendar has it: left unchanged
        return None


def _moved(document: Any, by: timedelta) -> Any:
    if isinstance(document, dict):
        return {name: _moved(value, by) for name, value in document.items()}
    if isinstance(document, list):
        return [_moved(value, by) for value in document]
    if isinstance(document, str):
        day = _day(document)
        if day is not None:
            try:
                return (day + by).isoformat() + document[10:]
            except OverflowError:  # a date in the year 9999 stays unchanged
                return document
    return document
