"""Reads the result of a call: its texts and envelope over MCP, and an enriched error over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.text.json_text import told_in
from conformance.formats.tool.errors import Envelope, envelope_of
from conformance.formats.tool.meta import held
from conformance.spec.vocabulary import AnswerStatus, MetaKey


def envelope_of_result(result: Mapping[str, Any]) -> Envelope | None:
    """Return the envelope of a failed call, from `_meta`, `structuredContent` or a text."""
    places = [held(result.get("_meta"), MetaKey.ERROR)]
    places.append(result.get("structuredContent"))
    places.extend(json_texts(result))
    return next((found for place in places if (found := envelope_of(place)) is not None), None)


def json_texts(result: Mapping[str, Any], opening: str = "{") -> list[Any]:
    """Return the JSON values in the text blocks that begin with one of these characters."""
    decoded = []
    for text in _texts(result):
        if text.lstrip().startswith(tuple(opening)):
            try:
                decoded.append(told_in(text))
            except (ValueError, RecursionError):
                continue
    return decoded


def envelope_in_content(result: Mapping[str, Any]) -> Envelope | None:
    """Return the envelope that is JSON text in `content`."""
    return next((e for place in json_texts(result) if (e := envelope_of(place))), None)


def content_text(result: Mapping[str, Any]) -> str:
    """Return all text blocks of a result, one per line."""
    return "\n".join(_texts(result))


def _texts(result: Mapping[str, Any]) -> list[str]:
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return [text for text in texts if isinstance(text, str)]


def is_enriched_error(document: Any) -> bool:
    """Return whether a body is an enriched response that says that the call failed.

    It is a refusal whatever its status: HTTP-ERR-001 is about one with a status of success.
    """
    members = document if isinstance(document, dict) else {}
    data = members.get("data")
    if members.get("status") != AnswerStatus.ERROR or not isinstance(data, dict):
        return False
    return all(isinstance(data.get(name), str) for name in ("code", "message"))
