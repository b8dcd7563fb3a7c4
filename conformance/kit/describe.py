"""What `--plan` prints."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from conformance.formats.messages import message
from conformance.formats.vocabulary import RunKind
from conformance.kit.cases.baseline import candidates
from conformance.kit.cases.phases import all_cases
from conformance.kit.drive.discovered import Discovered
from conformance.kit.safety import why_left_out
from conformance.kit.settings import Settings


def planned(found: list[Discovered], settings: Settings) -> Iterator[str]:
    """The cases that would be sent, a line each, from baseline calls that were not tried."""
    for one in found:
        if one.run.kind is RunKind.PROTOCOL:
            continue  # one good call of it is sent, which the full run finds
        for tool in one.tools:
            reason = why_left_out(tool, one.run, settings)
            if reason is not None:
                yield f"{one.run.id}  {tool.name}: {reason.words(settings.language)}"
                continue
            given = settings.examples.get(tool.name, ())
            tried = candidates(tool, given, datetime.now(UTC))
            baseline = tried[0] if tried else {}
            made = all_cases(
                tool,
                one.run.id,
                baseline,
                seed=settings.seed,
                count=settings.max_examples,
            )
            said = message(
                "kit.plan.tool",
                run=one.run.id,
                tool=tool.name,
                cases=len(made.cases) + len(made.branches),
                dropped=made.dropped,
            )
            yield said.words(settings.language)
            for case in (*made.branches, *made.cases):
                yield f"  {case.expects.value}  {case.id}"
            yield from (f"  ! {problem}" for problem in made.problems)
            for what in made.skipped:
                yield "  " + message("kit.plan.skipped", what=what).words(settings.language)
