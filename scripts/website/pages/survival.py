"""What the kit needed to survive each hostile server, as `make survive ARGS=--keep` saved it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from conformance.kit.report.words import number
from scripts.measure.survival import Survived, read
from scripts.website.pages.context import Context
from scripts.website.pages.markdown import code, folded, heading, table
from scripts.website.pages.measured import made


def survival(context: Context, held: Mapping[str, Any]) -> Iterator[str]:
    """Yield the limits, how many sessions survived, and the largest figures of each server."""
    sessions, limits = read(held), held["limits"]
    servers = [list(group) for _, group in groupby(sessions, lambda one: one.name)]
    yield heading(2, context.said("survival"), "survival")
    yield made(context, held, "make survive ARGS=--keep")
    yield context.said(
        "survival_about",
        servers=_whole(context, len(servers)),
        sessions=_whole(context, len(sessions)),
        survived=_whole(context, sum(not one.wrong for one in sessions)),
        megabytes=_whole(context, limits["megabytes"]),
        seconds=_whole(context, limits["seconds"]),
        work=_whole(context, limits["work"]),
    )
    head = [context.said("server")]
    head += [context.said(f"survival_{name}") for name in ("bindings", "memory", "work", "seconds")]
    rows = [_row(context, one) for one in servers]
    shown = table([*head, context.said("survival_survived")], rows)
    yield folded(context.said("table_rows", count=len(rows)), shown, "survival-all")


def _row(context: Context, sessions: list[Survived]) -> list[str]:
    most = (
        max(getattr(one, name) for one in sessions) for name in ("megabytes", "work", "seconds")
    )
    survived = "no" if any(one.wrong for one in sessions) else "yes"
    return [
        code(sessions[0].name),
        ", ".join(code(one.binding) for one in sessions),
        *(_whole(context, value) for value in most),
        context.said(survived),
    ]


def _whole(context: Context, value: float) -> str:
    return number(round(value), context.language)
