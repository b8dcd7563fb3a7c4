"""All cases of a tool: the named scenarios, and what is drawn by chance beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.formats.tool import Tool
from conformance.kit.cases.by_chance import Drawn
from conformance.kit.cases.plan import Plan, plan


def all_cases(
    tool: Tool,
    run_id: str,
    baseline: Mapping[str, Any],
    *,
    seed: int,
    count: int,
    remembered: Sequence[Drawn] = (),
) -> Plan:
    """Plan a tool's cases from a baseline call, with at most `count` drawn of each sort, and those
    `remembered` that failed in an earlier session; with a `count` of 0 neither.
    """
    named = plan(tool, run_id, baseline)
    if count <= 0:
        return named
    # What draws takes longer to load than all the rest, and is not needed before a call was made.
    from conformance.kit.cases.random.plan import with_chance  # noqa: PLC0415

    return with_chance(named, tool, run_id, baseline, seed=seed, count=count, remembered=remembered)
