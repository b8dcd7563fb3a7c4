"""The attacks on the kit that were tried, and their results: `fixtures/servers/attacks`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.formats.text.yaml_text import yaml_value
from fixtures.gateways import hostile as gateways
from fixtures.servers.hostility.table import table as hostile
from scripts.website.layout import ROOT
from scripts.website.pages.context import CONFORMANCE, Context
from scripts.website.pages.markdown import code, escaped, heading, page, table

ATTACKS = f"{CONFORMANCE}/attacks.md"
SOURCE = ROOT / "fixtures" / "servers" / "attacks"
SURFACES = (
    "secrets",
    "calls",
    "level",
    "processes",
    "resources",
    "files",
    "output",
    "http",
    "mcp",
    "gateway",
    "schemas",
    "documents",
    "browser",
    "copies",
    "supply",
)
"""The surfaces in the order of the page: each is a file of the source, and a heading."""
HAND = "hand"
"""Instead of a test's name: the idea was tried by hand, on a date, and has no test."""
LIMITS = "limits"
"""Instead of a test's name: the kit cannot know better, and the page on security says so."""
_OUTCOMES = ("limit", "fixed", "held")
"""The outcomes in the order of the rows; what was tried by hand comes last."""
_SHOWN = 2
"""How many names of tests a row shows; the source has all of them."""

Row = Mapping[str, Any]


def tried() -> dict[str, list[Row]]:
    """Return the rows of each surface in order."""
    return {
        surface: yaml_value((SOURCE / f"{surface}.yaml").read_text("utf-8"))[0]
        for surface in SURFACES
    }


def names(row: Row) -> Sequence[str]:
    """Return what tries the ideas of a row: hostile servers, files of tests, HAND or LIMITS."""
    by: str | list[str] = row["by"]
    return [by] if isinstance(by, str) else by


def ideas(rows: Iterable[Row]) -> Counter[str]:
    """Return how many ideas the rows stand for, by outcome and, if no test tries them, HAND."""
    counts: Counter[str] = Counter()
    for row in rows:
        for each in {row["outcome"], *({HAND} & set(names(row)))}:
            counts[each] += row.get("ideas", 1)
    return counts


def attacks_page(context: Context) -> bytes:
    """Return the page: a heading and a table for each surface."""
    surfaces = tried()
    counts = ideas(row for rows in surfaces.values() for row in rows)
    intro = context.said(
        "attacks_intro",
        ideas=_all(counts),
        servers=len(hostile()) + len(gateways.HOSTILE),
    )
    outcomes = context.said("attacks_outcomes", **counts, limits=counts["limit"])
    about = context.said("attacks_about")
    parts = [part for each in surfaces.items() for part in _of_surface(context, *each)]
    return page(context.said("attacks"), "attacks", about, [intro, outcomes, *parts])


def _of_surface(context: Context, surface: str, rows: Sequence[Row]) -> list[str]:
    counts = ideas(rows)
    said = context.said("attacks_counts", ideas=_all(counts), **counts)
    if counts["limit"]:
        said += " " + context.said("attacks_counts_limits", limits=counts["limit"])
    head = [context.said(f"attacks_{name}") for name in ("idea", "outcome", "by")]
    cells = [
        [
            escaped(each[context.language]),
            escaped(context.said(f"attacks_{each['outcome']}")),
            _tried_by(context, each),
        ]
        for each in sorted(rows, key=_rank)
    ]
    title = context.said(f"attacks_of_{surface}")
    return [heading(2, title, surface), said, table(head, cells)]


def _rank(row: Row) -> tuple[int, bool]:
    return _OUTCOMES.index(row["outcome"]), HAND in names(row)


def _all(counts: Counter[str]) -> int:
    return counts.total() - counts[HAND]


def _tried_by(context: Context, row: Row) -> str:
    by = names(row)
    if HAND in by:
        return context.said("attacks_hand", date=row["date"])
    if LIMITS in by:
        return context.said("attacks_limits")
    short = list(dict.fromkeys(each.rpartition("/")[2] for each in by))
    shown = short if len(short) <= _SHOWN else short[: _SHOWN - 1]
    made = ", ".join(map(code, shown))
    if len(shown) == len(short):
        return made
    return context.said("attacks_more", names=made, more=len(short) - len(shown))
