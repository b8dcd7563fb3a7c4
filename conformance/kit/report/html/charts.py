"""Rates and counts as bars: which are shown, in which order, and how wide each part is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.kit.model.results import Advice, Explain, Rate, Repair, Unnamed
from conformance.spec.vocabulary import Verdict

KEYWORDS = 8
"""Keywords shown from the start, the worst first; the others are a click away."""

MOST = 64
"""Keywords shown at all; JSON Schema has fewer that one can break."""

OPEN = 4
"""Pieces of advice that need no click."""

_UNNAMED = 10
"""Refusals shown; `results.json` has a few more, and `exchanges.ndjson` all."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: its class, where it begins, and its width, of 100."""

    kind: str
    at: float
    width: float


@dataclass(frozen=True, slots=True)
class End:
    """What became of some mistakes: a message with its values, how many, and a class."""

    id: str
    count: int
    kind: str
    steps: int = 0


def parts(shares: Sequence[tuple[int, str]]) -> list[Part]:
    """Give one bar in parts: a part for each (count, class), as wide as its share."""
    total = sum(count for count, _ in shares)
    made, at = [], 0.0
    for count, kind in shares:
        width = 100 * count / total
        made.append(Part(kind, at, width))
        at += width
    return made


def ends(repair: Repair) -> list[End]:
    """Give what became of the mistakes; empty where all ended alike."""
    told = [
        End("report.html.repair.steps", count, "fill" if steps == 1 else "fill2", steps)
        for steps, count in repair.steps.items()
    ]
    told += [
        End(f"report.html.repair.{name}", count, f"b-{verdict.value}")
        for name, count, verdict in (
            ("stuck", repair.stuck, Verdict.WARN),
            ("wrong", repair.wrong, Verdict.FAIL),
            ("none-given", repair.none_given, Verdict.NOT_VERIFIED),
        )
    ]
    told = [end for end in told if end.count]
    return told if len(told) > 1 else []


def ends_bar(repair: Repair) -> list[Part]:
    """Give the same as a bar; empty where an older file does not say in how many steps."""
    told = ends(repair)
    whole = sum(end.count for end in told) == repair.rate.of
    return parts([(end.count, end.kind) for end in told]) if whole else []


def verdict_parts(counts: Mapping[Verdict, int]) -> list[Part]:
    """Give the counts by verdict as a bar, without what does not apply: that says nothing."""
    shown = [(n, v) for v, n in counts.items() if n and v is not Verdict.NOT_APPLICABLE]
    return parts([(count, f"b-{verdict.value}") for count, verdict in shown])


def advised(advice: Advice) -> str:
    """Give what a suggestion would look like, as the members of an error."""
    error = {"parameter_name": advice.parameter, "suggested_value": advice.suggested}
    return json.dumps(error, ensure_ascii=False)[1:-1]


def worst_first(
    by_keyword: Mapping[str, Rate | tuple[Rate, ...]],
) -> list[tuple[str, tuple[Rate, ...]]]:
    """Give the rates of each keyword, the lowest first, and among equals the one counted most."""
    rows = [
        (keyword, rates if isinstance(rates, tuple) else (rates,))
        for keyword, rates in by_keyword.items()
    ]
    return sorted(rows, key=lambda row: min(map(_worst, row[1])))[:MOST]


def _worst(rate: Rate) -> tuple[float, int]:
    return (rate.rate if rate.rate is not None else 1.0, -rate.of)


def unnamed(explain: Explain) -> tuple[list[Unnamed], int]:
    """Give refusals that do not name the parameter, and how many are left off.

    The first of each keyword comes before the second of any: none crowds out the others.
    """
    shown = _by_turns(explain.unnamed)[:_UNNAMED]
    return shown, explain.names_parameter.of - explain.names_parameter.hits - len(shown)


def _by_turns(found: Iterable[Unnamed]) -> list[Unnamed]:
    turns: dict[str, int] = {}
    ranked: list[tuple[int, Unnamed]] = []
    for each in found:
        turns[each.keyword] = turns.get(each.keyword, 0) + 1
        ranked.append((turns[each.keyword], each))
    return [each for _, each in sorted(ranked, key=lambda pair: pair[0])]
