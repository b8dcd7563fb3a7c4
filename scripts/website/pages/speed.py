"""The speed of the kit, as `make bench` measured and saved it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.kit.report.words import decimal, number
from scripts.measure.figures import BARE_OF_THE_GOALS, Figure, read, slower
from scripts.website.pages.context import Context
from scripts.website.pages.markdown import escaped, heading, table
from scripts.website.pages.measured import made

_CAUSES = {"ratio": "speed_cause_ratio"}
"""Why a goal is missed, if the machine is not the reason."""
_FEW = 100
"""Figures from this value on have no decimals."""


def speed(context: Context, held: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures with their goals; for each missed goal, by how much and why."""
    figures = read(held)
    yield heading(2, context.said("speed"), "speed")
    yield f"{made(context, held, 'make bench')} {context.said('speed_turns')}"
    head = [context.said(name) for name in ("measure", "speed_lowest", "speed_middle")]
    head += [context.said(name) for name in ("speed_highest", "goal")]
    yield table(head, [_row(context, each) for each in figures])
    times = slower(figures)
    if times is not None:
        yield context.said(
            "speed_machine",
            goals=number(BARE_OF_THE_GOALS, context.language),
            here=value(context, BARE_OF_THE_GOALS / times),
            slower=decimal(times, 1, context.language),
        )
    for each in figures:
        if each.goal is not None and not each.goal.met_by(each.middle):
            yield _missed(context, each, times)
            if each.name in _CAUSES:
                yield context.said(_CAUSES[each.name])


def value(context: Context, of: float) -> str:
    """Return a figure that is not negative, in the format of the language."""
    if of >= _FEW:
        return number(round(of), context.language)
    return decimal(of, 2, context.language)


def _row(context: Context, figure: Figure) -> list[str]:
    turns = (min(figure.turns), figure.middle, max(figure.turns))
    return [escaped(_what(context, figure)), *(value(context, of) for of in turns),
            escaped(_goal(context, figure))]  # fmt: skip


def _missed(context: Context, figure: Figure, slower_by: float | None) -> str:
    goal = figure.goal
    assert goal is not None
    words = {
        "what": escaped(_what(context, figure)),
        "value": value(context, figure.middle),
        "goal": escaped(_goal(context, figure)),
    }
    if slower_by is None or not goal.hangs_on_machine:
        return context.said("speed_missed", **words)
    there = figure.middle * slower_by if goal.least else figure.middle / slower_by
    return context.said("speed_missed_here", there=value(context, there), **words)


def _what(context: Context, figure: Figure) -> str:
    counts = {name: number(of, context.language) for name, of in figure.open.items()}
    return context.said(f"speed_{figure.name}", **counts)


def _goal(context: Context, figure: Figure) -> str:
    goal = figure.goal
    if goal is None:
        return "–"
    whole = float(goal.value).is_integer()
    figures = (
        number(int(goal.value), context.language)
        if whole
        else decimal(goal.value, 1, context.language)
    )
    return f"{goal.sign} {figures}"
