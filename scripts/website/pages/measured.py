"""When a benchmark was measured, on what machine, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.kit.report.words import decimal
from scripts.website.pages.context import Context
from scripts.website.pages.markdown import code, escaped


def made(context: Context, held: Mapping[str, Any], command: str) -> str:
    """The sentence that says how a benchmark that was kept came to be: by which command it is made
    again, on what day, on what machine, under what load, with which versions.
    """
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
