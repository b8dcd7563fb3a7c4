"""Retry hints of the runtime vocabulary: where a refusal has one, and the call that it leads to.

A planner follows `example_input` and `missing_fields`; so does the kit, where no error suggests
anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.response import Reading
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of
from conformance.spec.vocabulary import RetryReason

HINT_META = "agent-formats/retry_hint"
"""Where the hint of a failed call is, in the `_meta` of an MCP result."""


def hint_of(reading: Reading) -> Mapping[str, Any] | None:
    """The hint of a refusal, None where it has none that could be followed."""
    if not reading.refused:
        return None
    if reading.result is not None:
        meta = reading.result.get("_meta")
        hint = meta.get(HINT_META) if isinstance(meta, dict) else None
    else:
        document = reading.document
        hint = document.get("retry_hint") if isinstance(document, dict) else None
    usable = isinstance(hint, dict) and isinstance(hint.get("example_input"), dict)
    return hint if usable else None


def follow(hint: Mapping[str, Any], arguments: Any) -> dict[str, Any]:
    """The arguments that a hint leads to: what was missing filled in, or else the whole example."""
    example: dict[str, Any] = hint["example_input"]
    names = hint.get("missing_fields")
    missing = names if isinstance(names, list) and names else []
    fills = hint.get("reason") == RetryReason.MISSING_FIELDS and isinstance(arguments, dict)
    if fills and missing and all(isinstance(name, str) and name in example for name in missing):
        return {**arguments, **{name: example[name] for name in missing}}
    return dict(example)


def is_valid(hint: Mapping[str, Any], tool: Tool) -> bool:
    """Whether the example of a hint is valid for the tool; so is one that cannot be judged."""
    try:
        view = view_of(tool.input_schema)
        return view.is_valid((view.root,), hint["example_input"])
    except SchemaProblem:
        return True
