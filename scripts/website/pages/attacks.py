"""The attacks on the kit that were tried, and their results: `fixtures/servers/attacks.yaml`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from conformance.formats.text.yaml_text import yaml_value
from fixtures.gateways import hostile as gateways
from fixtures.servers.hostility.table import table as hostile
from scripts.website.layout import ROOT
from scripts.website.pages.context import CONFORMANCE, Context
from scripts.website.pages.markdown import code, escaped, page, table

ATTACKS = f"{CONFORMANCE}/attacks.md"
SOURCE = ROOT / "fixtures" / "servers" / "attacks.yaml"
HAND = "hand"
"""Instead of a test's name: the idea was tried by hand, on a date, and has no test."""
LIMITS = "limits"
"""Instead of a test's name: the kit cannot know better, and the page on security says so."""


def tried() -> list[Mapping[str, Any]]:
    """Return the ideas in order, each with its outcome and its test."""
    found: list[Mapping[str, Any]] = yaml_value(SOURCE.read_text("utf-8"))[0]
    return found


def attacks_page(context: Context) -> bytes:
    """Return the page: a row for each idea."""
    about = context.said("attacks_about")
    ideas = tried()
    counts = Counter(each["outcome"] for each in ideas)
    intro = context.said(
        "attacks_intro",
        ideas=len(ideas),
        fixed=counts["fixed"],
        hand=sum(each["by"] == HAND for each in ideas),
        servers=len(hostile()) + len(gateways.HOSTILE),
    )
    head = [context.said(f"attacks_{name}") for name in ("idea", "outcome", "by")]
    rows = [
        [
            escaped(each[context.language]),
            escaped(context.said(f"attacks_{each['outcome']}")),
            _tried_by(context, each),
        ]
        for each in ideas
    ]
    return page(context.said("attacks"), "attacks", about, [intro, table(head, rows)])


def _tried_by(context: Context, idea: Mapping[str, Any]) -> str:
    if idea["by"] == HAND:
        return context.said("attacks_hand", date=idea["date"])
    if idea["by"] == LIMITS:
        return context.said("attacks_limits")
    return code(idea["by"].rpartition("/")[2])
