"""Rates and counts as bars: which are shown, in which order, and how wide each part is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.kit.model.results import Advice, Explain, Rate, Repair, Unnamed
from conformance.spec.vocabulary import Verdict

KEYWORDS = 8
"""How many keywords are visible at first, the worst first. The reader can open the others."""

MOST = 64
"""The most keywords that are shown. JSON Schema has fewer that a call can break."""

OPEN = 4
"""How many pieces of advice are open at first."""

_UNNAMED = 10
"""The most refusals that are shown. `results.json` has a few more, and `exchanges.ndjson` all."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: its style class, and its start and width in percent."""

    kind: str
    at: float
    width: float


@dataclass(frozen=True, slots=True)
class End:
    """How some mistakes ended: a message id with its values, their number, and a style class."""

    id: str
    count: int
    kind: str
    steps: int = 0


def parts(shares: Sequence[tuple[int, str]]) -> list[Part]:
    """Return the parts of one bar, one for each (count, class), as wide as its share."""
    total = sum(count for count, _ in shares)
    made, at = [], 0.0
    for count, kind in shares:
        width = 100 * count / total
        made.append(Part(kind, at, width))
        at += width
    return made


def ends(repair: Repair) -> list[End]:
    """Return how the mistakes ended; empty if all ended the same way."""
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
    """Return `ends` as a bar; empty if a file of an older kit does not have the steps."""
    told = ends(repair)
    whole = sum(end.count for end in told) == repair.rate.of
    return parts([(end.count, end.kind) for end in told]) if whole else []


def verdict_parts(counts: Mapping[Verdict, int]) -> list[Part]:
    """Return the counts by verdict as a bar, without the clauses that do not apply."""
    shown = [(n, v) for v, n in counts.items() if n and v is not Verdict.NOT_APPLICABLE]
    return parts([(count, f"b-{verdict.value}") for count, verdict in shown])


def advised(advice: Advice) -> str:
    """Return an example of a suggestion, as the members of an error."""
    error = {"parameter_name": advice.parameter, "suggested_value": advice.suggested}
    return json.dumps(error, ensure_ascii=False)[1:-1]


def worst_first(
    by_keyword: Mapping[str, Rate | tuple[Rate, ...]],
) -> list[tuple[str, tuple[Rate, ...]]]:
    """Return the rates of each keyword, the lowest first.

    Of equal rates, the one with the larger count comes first.
    """
    rows = [
        (keyword, rates if isinstance(rates, tuple) else (rates,))
        for keyword, rates in by_keyword.items()
    ]
    return sorted(rows, key=lambda row: min(map(_worst, row[1])))[:MOST]


def _worst(rate: Rate) -> tuple[float, int]:
    return (rate.rate if rate.rate is not None else 1.0, -rate.of)


def unnamed(explain: Explain) -> tuple[list[Unnamed], int]:
    """Return refusals that do not name the parameter, and the number of those left off.

    The first refusal of each keyword comes before the second of any, so that every keyword is
    shown.
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
