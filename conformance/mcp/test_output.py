"""What a tool returns, as data and as text (MCP-OUT)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.formats.schema.equality import same
from conformance.formats.schema.schemas import schema_faults
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.verdicts.by_schema import Distinct
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown

_MEMBER = "structuredContent"


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
    distinct = Distinct()
    for call, result in _complete(tool):
        if _MEMBER not in result:
            yield broken(call, "finding.mcp.no_structured_content")
        else:
            yield from distinct.check(call, schema, result[_MEMBER], _MEMBER)
    yield from distinct.rest()


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
        elif _tell(texts, result[_MEMBER]):
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


def _tell(texts: Sequence[str], value: Any) -> bool:
    """Return whether texts have the same data as a value.

    Frameworks put a value that is not an object into a member of its own, such as `result`, and
    write only the value as text, or each item of a list.
    """
    plain = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value
    if any(_is_json(text, value) or _says(text, plain) for text in texts):
        return True
    items = plain if isinstance(plain, list) and len(plain) == len(texts) else []
    return bool(items) and all(map(_says, texts, items))


def _says(text: str, value: Any) -> bool:
    return text == value or _is_json(text, value)


def _is_json(text: str, value: Any) -> bool:
    try:
        return same(json.loads(text), value)
    except (ValueError, RecursionError):
        return False
