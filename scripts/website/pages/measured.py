"""The sentence about a benchmark's date, machine and versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.kit.report.words import decimal
from scripts.website.pages.context import Context
from scripts.website.pages.markdown import code, escaped


def made(context: Context, held: Mapping[str, Any], command: str) -> str:
    """Return how a saved benchmark was made: command, date, machine, load and versions."""
    machine = held["machine"]
    return context.said(
        "benchmark_made",
        command=code(command),
        date=held["date"],
        processors=machine["processors"],
        system=escaped(machine["system"]),
        load=decimal(machine["load"], 1, context.language),
        versions=", ".join(f"{code(name)} {escaped(of)}" for name, of in held["versions"].items()),
    )
