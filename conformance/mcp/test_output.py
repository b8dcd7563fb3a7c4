"""What a tool returns, as data and as text (MCP-OUT)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import json_path
from conformance.formats.schema.instances import Unjudgeable, errors_of, nearest
from conformance.formats.schema.keyword_words import words
from conformance.formats.schema.schemas import schema_faults
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown

_MEMBER = "structuredContent"
_ONLY_SAID = frozenset({"format", "contentEncoding", "contentMediaType"})
"""Keywords that describe a value, but make no value invalid."""


@clause("MCP-OUT-001", protocol=True)
def test_structured_content_is_valid_for_the_output_schema(tool: ToolEvidence) -> Checks:
    """Each accepted call has `structuredContent` that is valid for the tool's output schema."""
    schema = tool.tool.raw.get("outputSchema")
    if not isinstance(schema, dict):
        return
    faults = schema_faults(schema)
    if faults:
        said = faults[0].message
        yield unknown(said.id, None, **dict(said.values))
        return
    judged: set[str] = set()
    for call, result in _complete(tool):
        if _MEMBER not in result:
            yield broken(call, "finding.mcp.no_structured_content")
            continue
        key = json.dumps(result[_MEMBER], sort_keys=True)
        if key in judged:
            continue
        judged.add(key)
        yield from _judged(call, schema, result[_MEMBER])


def _judged(call: Call, schema: Mapping[str, Any], value: Any) -> Checks:
    try:
        errors = [nearest(each) for each in errors_of(schema, value)]
    except Unjudgeable as beyond:
        yield unknown(beyond.reason.id, call, **dict(beyond.reason.values))
        return
    errors = [error for error in errors if error.validator not in _ONLY_SAID]
    for error in errors:
        said = words(error)
        path = json_path((_MEMBER, *error.absolute_path))
        yield broken(call, said.id, path=path, **dict(said.values))
    if not errors:
        yield holds()


@clause("MCP-OUT-002", protocol=True)
def test_structured_content_is_there_as_text_too(tool: ToolEvidence) -> Checks:
    """A text block has the same data as `structuredContent`.

    Another text may describe the data in other words, so the clause is then not verified.
    """
    for call, result in _complete(tool):
        if _MEMBER not in result or not isinstance(result.get("content"), list):
            continue
        texts = list(_texts(result))
        if not texts:
            yield broken(call, "finding.mcp.no_text")
        elif any(_is_json(text, result[_MEMBER]) for text in texts):
            yield holds()
        else:
            yield unknown("finding.mcp.other_text", call)


def _complete(tool: ToolEvidence) -> Iterator[tuple[Call, Mapping[str, Any]]]:
    """Yield the accepted calls whose results are complete, with their results."""
    for call in tool.calls:
        result = call.reading.result
        if result is None or result.get("isError", False) is not False:
            continue
        if result.get("resultType", "complete") == "complete":
            yield call, result


def _texts(result: Mapping[str, Any]) -> Iterator[str]:
    content = result.get("content")
    for block in content if isinstance(content, list) else []:
        text = block.get("text") if isinstance(block, dict) else None
        if isinstance(text, str):
            yield text


def _is_json(text: str, value: Any) -> bool:
    try:
        return bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False
