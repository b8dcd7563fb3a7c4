"""Puts the runs of one server side by side, so that a tool is seen over two bindings at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.kit.evidence.evidence import RunEvidence
from conformance.spec.vocabulary import RunKind


def side_by_side(evidence: Mapping[str, RunEvidence]) -> dict[str, RunEvidence]:
    """The same evidence, each tool with what the first run of another binding knows of it.

    Only full runs are compared, each with one before it: a difference is said once. Operations of
    an OpenAPI document go by other names and places.
    """
    found: dict[str, RunEvidence] = {}
    before: list[RunEvidence] = []
    for name, one in evidence.items():
        found[name] = one
        if one.run.kind is not RunKind.FULL or one.run.openapi:
            continue
        other = next((each for each in before if each.run.binding is not one.run.binding), None)
        before.append(one)
        if other is not None:
            by_tool = {
                tool: replace(own, beside=other.by_tool.get(tool))
                for tool, own in one.by_tool.items()
            }
            found[name] = replace(one, by_tool=by_tool)
    return found
