"""Groups verdicts into findings, so that the report shows each cause once.

Verdicts are counted by clause, run and tool, and levels depend on these. A developer fixes causes.
Here, all verdicts with the same cause, in any version or clause, become one finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import TypeVar

from conformance.formats.problem import on_one_line
from conformance.formats.schema.uri import urlsplit
from conformance.kit.confirm.confirmed import SEEN_ONCE, SEEN_UNCLEAR
from conformance.kit.evidence.response import read
from conformance.kit.model.exchange import Exchange, HttpRequest
from conformance.kit.model.results import Finding, Item, SessionResult
from conformance.kit.model.run import Role
from conformance.kit.report.levels import GRAVITY
from conformance.kit.report.reporter import Report
from conformance.kit.report.words import Told, told_of
from conformance.kit.transport.bindings import traits_of
from conformance.kit.verdicts.sent_words import call_shown
from conformance.spec.messages import Message, as_code
from conformance.spec.vocabulary import Verdict

_T = TypeVar("_T")
_FIRST_ERROR = 400
_WORDS = 200
"""The most characters that are quoted from what a server said."""
_SHOWN_OF_MEMBER = 60
"""How many characters of a member are quoted at least."""
_SHOWN_BEFORE = 80
_CODE = re.compile(r"`([^`\s]{1,60})`")
_READ = 50_000
"""The most characters of an answer that are read to quote some of its words."""
_READ_OF_A_PAGE = 4_000
"""How many characters of an HTML page are searched for its words."""
_PAGE = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_TAGS = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<[^>]*>?", re.IGNORECASE | re.DOTALL)
"""The parts of a page that are not its words. The title goes too: its heading repeats it."""


@dataclass(frozen=True, slots=True)
class Group:
    """One finding: the items of a clause that share a verdict.

    `told` has each thing that was found once, whatever the version. `also` are the groups of other
    clauses about the same answers. `superseded` is True if no current version has the finding.
    """

    clause: str
    verdict: Verdict
    items: tuple[Item, ...]
    told: tuple[Told, ...] = ()
    also: tuple[Group, ...] = ()
    superseded: bool = False

    @property
    def finding(self) -> Finding | None:
        """The first finding; None if the verdict has no finding."""
        return self.told[0][1] if self.told else None

    @property
    def clauses(self) -> tuple[str, ...]:
        """The ids of the clauses: this one, then those of `also`."""
        return (self.clause, *(each.clause for each in self.also))

    @property
    def tools(self) -> tuple[str, ...]:
        """The raw names of the tools concerned, each once, in order."""
        return tuple(dict.fromkeys(item.tool for item in self.items if item.tool is not None))

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of the runs concerned, each once, in order."""
        return tuple(dict.fromkeys(item.run for item in self.items))


def groups(session: SessionResult, verdicts: Iterable[Verdict]) -> tuple[Group, ...]:
    """Return the findings with one of `verdicts`, the gravest first, then by clause.

    With failures come the suspected failures that were not confirmed in time. Findings of
    superseded versions alone come last.
    """
    wanted = set(verdicts)
    versions = {run.run.id: run.run.version for run in session.runs}
    old = {run.run.id for run in session.runs if run.run.superseded}
    found: dict[tuple[int, str], list[Item]] = {}
    for run in session.runs:
        for item in run.items:
            if item.verdict in wanted or (Verdict.FAIL in wanted and _is_seen_once(item)):
                found.setdefault((GRAVITY.index(item.verdict), item.clause), []).append(item)
    made: list[Group] = []
    for (gravity, clause), items in sorted(found.items(), key=lambda pair: pair[0]):
        for own, superseded in _parted(items, old):
            told = tuple(each_once(told_of(own), versions))
            made.append(Group(clause, GRAVITY[gravity], own, told, (), superseded))
    made.sort(key=lambda group: group.superseded)
    return tuple(replace(heads[0], also=tuple(heads[1:])) for heads in alike(made, _cause))


def _is_seen_once(item: Item) -> bool:
    return any(finding.message.id in {SEEN_ONCE, SEEN_UNCLEAR} for finding in item.findings)


def _cause(group: Group) -> tuple[Hashable, ...]:
    return group.verdict, group.superseded, answers(told_of(group.items))


def _parted(items: Sequence[Item], old: set[str]) -> Iterator[tuple[tuple[Item, ...], bool]]:
    """Split the items, and yield each part with whether it is about superseded versions alone.

    Items of old versions that add no new reason are in the first part, with those of current
    versions.
    """
    said = {reason for item in items if item.run not in old for reason in _reasons(item)}
    alone = {n for n, item in enumerate(items) if item.run in old and not _reasons(item) <= said}
    if len(alone) < len(items):
        yield tuple(item for n, item in enumerate(items) if n not in alone), False
    if alone:
        yield tuple(items[n] for n in sorted(alone)), True


def _reasons(item: Item) -> frozenset[str]:
    """Return the ids of the messages about an item; if it has none, its verdict."""
    said = frozenset(finding.message.id for finding in item.findings)
    return said or frozenset({item.verdict.value})


def each_once(told: Iterable[Told], versions: Mapping[str, str]) -> Iterator[Told]:
    """Yield the findings, without those that differ from another only in version or step."""
    seen = set()
    for item, finding in told:
        said = _without(finding.message, versions.get(item.run, ""))
        key = (item.tool, said, finding.parameter, finding.path, finding.scenario)
        if key not in seen:
            seen.add(key)
            yield item, finding


def _without(said: Message, version: str) -> Message:
    """Return the message without the version of its run."""
    if not version:
        return said
    values = ((name, "" if value == version else value) for name, value in said.values)
    return replace(said, values=tuple(values))


def answers(told: Iterable[Told]) -> frozenset[Hashable]:
    """Return the evidence of the findings: each answer or document, with the place in it.

    Empty if the evidence of one is not known, because then they cannot be compared with others.
    """
    found: set[Hashable] = set()
    for item, finding in told:
        if finding.exchange is not None:
            found.add((finding.exchange, finding.path))
        elif finding.path is not None:
            found.add((item.run, item.tool, finding.path))
        else:
            return frozenset()
    return frozenset(found)


def alike(things: Iterable[_T], shown: Callable[[_T], tuple[Hashable, ...]]) -> list[list[_T]]:
    """Group the things that have the same cause, in the order of the first of each group.

    `shown` returns a tuple that is equal for the same cause. Its last element is the evidence; a
    thing without evidence gets a group of its own.
    """
    found: dict[Hashable, list[_T]] = {}
    for thing in things:
        *kind, at = shown(thing)
        key: Hashable = (*kind, at) if at else (id(thing),)
        found.setdefault(key, []).append(thing)
    return list(found.values())


def sent_in(finding: Finding, report: Report) -> str | None:
    """Return the call or request that shows a finding; None if the finding names it itself."""
    exchange = None if finding.exchange is None else report.exchange(finding.exchange)
    if exchange is None:
        return None
    told = finding.words(report.language)
    if exchange.case is None:
        return _route(exchange, told, report.session)
    words = call_shown(exchange.case)
    values = [value for _, value in words.values if isinstance(value, str)]
    return None if values and all(v in told for v in values) else words.words(report.language)


def _route(exchange: Exchange, told: str, session: SessionResult) -> str | None:
    """Return the method and path of a request; None for a binding without routes.

    None also if `told` has them already.
    """
    runs = (run.run for run in session.runs if run.run.id == exchange.run)
    routed = any(run.role is Role.SERVER and not traits_of(run).speaks_mcp for run in runs)
    request = exchange.request
    if not (routed and isinstance(request, HttpRequest) and request.method):
        return None
    route = f"{request.method} {urlsplit(request.url).path or '/'}"
    return None if route in told else as_code(route)


def _of_a_page(text: str) -> str:
    """Return the words of a text; from an HTML page, without its tags, styles and scripts."""
    if not _PAGE.match(text):
        return text
    words = unescape(_TAGS.sub(" ", text[:_READ_OF_A_PAGE]))
    return f"{words}…" if text[_READ_OF_A_PAGE:] else words


def _from_member(words: str, told: str) -> str:
    """Return the words from shortly before the first member that the finding names in code.

    Otherwise, the cut could hide the one member that the finding is about.
    """
    for name in _CODE.findall(told):
        place = words.find(f'"{name}":')
        if place > _WORDS - _SHOWN_OF_MEMBER:
            return f"…{words[place - _SHOWN_BEFORE :]}"
        if place >= 0:
            break
    return words


def refusal(finding: Finding, report: Report) -> str:
    """Return the server's own words if it refused: its status or code, and its text.

    Empty if it did not refuse or said nothing, and if the finding quotes it already.
    """
    exchange = None if finding.exchange is None else report.exchange(finding.exchange)
    if exchange is None or exchange.answer is None:
        return ""
    reading = read(exchange)
    if reading.accepted or not reading.text.strip():
        return ""
    words = on_one_line(_of_a_page(reading.text), _READ)
    told = finding.words(report.language)
    if words in told:
        return ""
    words = _from_member(report.redact(words), told)
    code = reading.status if reading.status >= _FIRST_ERROR else reading.rpc_code
    return report.text(f"{code} {words}" if code is not None else words, _WORDS)
