"""Waivers: findings that a team knows of and accepts for now. Only this module knows the file.

A waived clause is checked all the same. A waiver that is no longer needed is a failure, so that the
file stays true.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

from ruamel.yaml.error import YAMLError

from conformance.formats.text.yaml_text import quiet_reader
from conformance.kit.config.given_files import given_yaml
from conformance.kit.config.system_words import in_one_line
from conformance.kit.model.results import Item, UsedWaiver, Waiver
from conformance.kit.model.run import Run
from conformance.spec.clauses import clauses
from conformance.spec.messages import Message, message
from conformance.spec.suggest_clause import near_clause
from conformance.spec.vocabulary import Verdict

WAIVER_KEYS = ("clause", "tool", "run", "reason", "until")
_BROKEN = frozenset({Verdict.FAIL, Verdict.WARN})


class WaiversUnusable(Exception):
    """The file cannot be used. The message says which line is wrong, why, and what to do."""

    def __init__(self, words: Message) -> None:
        super().__init__(words.id)
        self.words = words


def read_waivers(path: Path, language: str = "en") -> tuple[Waiver, ...]:
    """Return the waivers of a file, in order. Raises `WaiversUnusable`."""

    def refuse(line: int, id: str, **values: object) -> WaiversUnusable:
        reason = message(id, **values).words(language)
        return WaiversUnusable(message("kit.waivers.line", file=path, line=line, reason=reason))

    try:
        loaded = given_yaml(path, quiet_reader("rt"))
    except (OSError, ValueError, YAMLError) as error:
        words = message("kit.waivers.unusable", file=path, reason=in_one_line(error))
        raise WaiversUnusable(words) from None
    if loaded is None:  # the last waiver was removed
        return ()
    if not isinstance(loaded, list):
        reason = message("kit.waivers.shape").words(language)
        raise WaiversUnusable(message("kit.waivers.unusable", file=path, reason=reason))
    waivers: list[Waiver] = []
    for index, entry in enumerate(loaded):
        where = loaded.lc  # type: ignore[attr-defined]  # ruamel's own list
        # Of the entries of a list with a tag, ruamel knows no lines.
        line = (where.item(index) or (where.line,))[0] + 1
        if not isinstance(entry, dict):
            raise refuse(line, "kit.waivers.entry")
        unknown = next((key for key in entry if key not in WAIVER_KEYS), None)
        if unknown is not None:
            raise refuse(line, "kit.waivers.key", key=unknown, keys=", ".join(WAIVER_KEYS))
        texts = {key: _text(entry.get(key)) for key in ("clause", "tool", "run", "reason")}
        for key in ("clause", "reason"):
            if not texts[key]:
                raise refuse(line, "kit.waivers.missing", key=key)
        clause = texts["clause"] or ""
        if clause not in clauses():
            near = near_clause(clause, language)
            raise refuse(line, "kit.waivers.clause", clause=clause, near=near)
        try:
            until = _day(entry.get("until"))
        except ValueError:
            raise refuse(line, "kit.waivers.until", value=entry.get("until")) from None
        waivers.append(
            Waiver(clause, texts["reason"] or "", line, texts["tool"], texts["run"], until)
        )
    return tuple(waivers)


def _text(value: Any) -> str | None:
    return None if value is None else str(value).strip()


def _day(value: Any) -> str | None:
    if value is None:
        return None
    return date.fromisoformat(str(value)).isoformat()


def waive(
    items: Iterable[Item],
    waivers: Collection[Waiver],
    runs: Mapping[str, tuple[Run, tuple[str, ...]]],
    today: date,
) -> tuple[list[Item], tuple[UsedWaiver, ...]]:
    """Return the items, with the waived ones marked, and the result of each waiver.

    `runs` maps a run's id to the run and the names of its tools. A waiver whose clause was not
    selected is never stale.
    """
    known, used = list(items), []
    if not waivers:
        return known, ()
    places = _places(known)
    tools = {id: (run, frozenset(named)) for id, (run, named) in runs.items()}
    for waiver in waivers:
        covered = places.get((waiver.clause, waiver.tool, waiver.run), _Covered())
        over = waiver.until is not None and date.fromisoformat(waiver.until) < today
        count = 0
        if not over:
            for n in covered.broken:
                if known[n].verdict in _BROKEN:
                    reason = waiver.reason
                    known[n] = replace(known[n], verdict=Verdict.WAIVED, waiver_reason=reason)
                    count += 1
            covered.broken.clear()
        asked = (waiver.clause, None, None) in places
        stale = _stale(waiver, tools, kept=covered.kept, over=over) if asked else None
        used.append(UsedWaiver(waiver, count, stale))
    return known, tuple(used)


@dataclass(slots=True)
class _Covered:
    """The items that waivers of one clause, tool and run cover.

    `broken` has the places of those that are broken and not waived yet. `kept` is True if there are
    items and all of them pass.
    """

    broken: list[int] = field(default_factory=list)
    kept: bool = False


def _places(items: Iterable[Item]) -> dict[tuple[str, str | None, str | None], _Covered]:
    """Return what a waiver covers, by its clause and the tool and run that it names, or None.

    A file may have as many waivers as a session has items, so no waiver looks at all items.
    """
    found: dict[tuple[str, str | None, str | None], _Covered] = {}
    for n, item in enumerate(items):
        for tool, run in product({None, item.tool}, {None, item.run}):
            covered = found.setdefault((item.clause, tool, run), _Covered(kept=True))
            covered.kept = covered.kept and item.verdict is Verdict.PASS
            if item.verdict in _BROKEN:
                covered.broken.append(n)
    return found


def _stale(
    waiver: Waiver, runs: Mapping[str, tuple[Run, Collection[str]]], *, kept: bool, over: bool
) -> Message | None:
    """Return why a waiver is stale; None if it is still needed, or if that is unknown.

    Only verdicts and what the target has decide. A clause that does not apply or is not verified
    may get a verdict the next time, so its waiver stays. The report says that it covers nothing.
    """
    if over:
        return message("kit.waivers.over", until=waiver.until)
    own = {id: run for id, run in runs.items() if waiver.run in {None, id}}
    if not own:
        return message("kit.waivers.no_run", run=waiver.run, runs=", ".join(runs))
    if waiver.tool is not None and not any(waiver.tool in tools for _, tools in own.values()):
        if waiver.run is not None:  # another run may have it
            return message("kit.waivers.no_tool_in_run", run=waiver.run, tool=waiver.tool)
        return message("kit.waivers.no_tool", tool=waiver.tool)
    if kept:
        return message("kit.waivers.kept", clause=waiver.clause)
    return None
