"""Findings: what one cause broke is reported once, whatever versions and clauses show it.

Verdicts are counted by clause, run and tool, and levels rest on them. A reader fixes a cause: here
the verdicts of one cause are one finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import TypeVar
from urllib.parse import urlsplit

from conformance.kit.confirm.confirmed import SEEN_ONCE
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
"""Characters of what a server said that are quoted."""
_READ_OF_A_PAGE = 4_000
"""Characters of a page of HTML in which its words are looked for."""
_PAGE = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_TAGS = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<[^>]*>?", re.IGNORECASE | re.DOTALL)
"""What is not a word of a page; its title says what its heading says again."""


@dataclass(frozen=True, slots=True)
class Group:
    """One finding: the items of a clause that share a verdict.

    `also` are the groups of other clauses that say something of the same answers. `told` is what
    was found, each thing once, in whatever versions. `superseded`: no current version has it.
    """

    clause: str
    verdict: Verdict
    items: tuple[Item, ...]
    told: tuple[Told, ...] = ()
    also: tuple[Group, ...] = ()
    superseded: bool = False

    @property
    def finding(self) -> Finding | None:
        """The first finding; None where nothing is said of the verdict."""
        return self.told[0][1] if self.told else None

    @property
    def clauses(self) -> tuple[str, ...]:
        """The ids of the clauses concerned: the first, then those of `also`."""
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
    """Give the findings with one of `verdicts`: the gravest first, then by clause.

    With failures, what seemed to be one and was not confirmed in time. Findings of superseded
    versions alone come last.
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
    return any(finding.message.id == SEEN_ONCE for finding in item.findings)


def _cause(group: Group) -> tuple[Hashable, ...]:
    return group.verdict, group.superseded, answers(told_of(group.items))


def _parted(items: Sequence[Item], old: set[str]) -> Iterator[tuple[tuple[Item, ...], bool]]:
    """The items of current versions with those of old ones that say no more; then the others."""
    said = {reason for item in items if item.run not in old for reason in _reasons(item)}
    alone = {n for n, item in enumerate(items) if item.run in old and not _reasons(item) <= said}
    if len(alone) < len(items):
        yield tuple(item for n, item in enumerate(items) if n not in alone), False
    if alone:
        yield tuple(items[n] for n in sorted(alone)), True


def _reasons(item: Item) -> frozenset[str]:
    """What is said of an item, by the ids of the messages; of one without any, its verdict."""
    said = frozenset(finding.message.id for finding in item.findings)
    return said or frozenset({item.verdict.value})


def each_once(told: Iterable[Told], versions: Mapping[str, str]) -> Iterator[Told]:
    """Give what was found, without what is said of another version, or of another step, alike."""
    seen = set()
    for item, finding in told:
        said = _without(finding.message, versions.get(item.run, ""))
        key = (item.tool, said, finding.parameter, finding.path, finding.scenario)
        if key not in seen:
            seen.add(key)
            yield item, finding


def _without(said: Message, version: str) -> Message:
    """A message that does not name the version of its run."""
    if not version:
        return said
    values = ((name, "" if value == version else value) for name, value in said.values)
    return replace(said, values=tuple(values))


def answers(told: Iterable[Told]) -> frozenset[Hashable]:
    """Give what shows a finding: each answer, or else each document, and the place in it.

    Empty where one of them is not known: nobody can say then that something else is shown there.
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
    """Give the things together that one cause shows, in order of their first.

    `shown` gives what has to be equal; the last part of it are the places, without which a thing
    is like no other.
    """
    found: dict[Hashable, list[_T]] = {}
    for thing in things:
        *kind, at = shown(thing)
        key: Hashable = (*kind, at) if at else (id(thing),)
        found.setdefault(key, []).append(thing)
    return list(found.values())


def sent_in(finding: Finding, report: Report) -> str | None:
    """Say which call or request shows a finding; None where the finding says it, or none does."""
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
    """The method and path of a request; None where `told` has them, and where all have the same."""
    runs = (run.run for run in session.runs if run.run.id == exchange.run)
    routed = any(run.role is Role.SERVER and not traits_of(run).speaks_mcp for run in runs)
    request = exchange.request
    if not (routed and isinstance(request, HttpRequest) and request.method):
        return None
    route = f"{request.method} {urlsplit(request.url).path or '/'}"
    return None if route in told else as_code(route)


def _of_a_page(text: str) -> str:
    """The words of a text: of a page of HTML, without its tags, styles and scripts."""
    if not _PAGE.match(text):
        return text
    return unescape(_TAGS.sub(" ", text[:_READ_OF_A_PAGE]))


def refusal(finding: Finding, report: Report) -> str:
    """Give the server's own words where it refused: its status or code, and what it said.

    Empty where it did not refuse, where it said nothing, and where the finding quotes it.
    """
    exchange = None if finding.exchange is None else report.exchange(finding.exchange)
    if exchange is None or exchange.answer is None:
        return ""
    reading = read(exchange)
    if reading.accepted or not reading.text.strip():
        return ""
    words = " ".join(_of_a_page(reading.text).split())
    if words in finding.words(report.language):
        return ""
    code = reading.status if reading.status >= _FIRST_ERROR else reading.rpc_code
    return report.text(f"{code} {words}" if code is not None else words, _WORDS)
