"""Finds the document in the answer to a request, or in the result of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.formats.problem import Place, Problem
from conformance.formats.text.json_text import told_in
from conformance.formats.tool.meta import key_in
from conformance.formats.validate.others import OF_RESULT, is_strange
from conformance.formats.validate.recognize import Recognition, recognize
from conformance.spec.vocabulary import MetaKey

Found = tuple[Any, Place, Recognition | Problem]
"""A part of a value, its place, and what it was recognized as."""


def document_in(data: Any) -> Found:
    """Return the document that a value is or holds, its place, and what it was recognized as.

    If the value holds none, that is the part which says most: the one that is most like a document,
    or the result or the error itself.
    """
    last: Found = data, (), recognize(data)
    close: Found | None = None
    if isinstance(last[2], Recognition):
        return last
    for part, at in _parts(data):
        said = recognize(part)
        last = part, at, said
        if isinstance(said, Recognition):
            return last
        if close is None and not is_strange(said):
            close = last
    return close or last


def _parts(data: Any) -> Iterator[tuple[Any, Place]]:
    """Yield what an answer of JSON-RPC or the result of a call holds, and the answer's own part."""
    framed = isinstance(data, dict) and "jsonrpc" in data
    result, at = (data.get("result"), ("result",)) if framed else (data, ())
    if framed and isinstance(error := data.get("error"), dict):
        if isinstance(error.get("data"), dict):
            yield error["data"], ("error", "data")
        yield data, ()
    if not isinstance(result, dict):
        return
    if framed or (result and OF_RESULT.issuperset(result)):
        yield from _in_result(result, at)
    if framed:
        yield result, at


def _in_result(result: dict[str, Any], at: Place) -> Iterator[tuple[Any, Place]]:
    meta, content = result.get("_meta"), result.get("content")
    name = key_in(meta, MetaKey.ERROR)
    if meta and name is not None and isinstance(meta[name], dict):
        yield meta[name], (*at, "_meta", name)
    if isinstance(result.get("structuredContent"), dict):
        yield result["structuredContent"], (*at, "structuredContent")
    for index, block in enumerate(content if isinstance(content, list) else ()):
        text = block.get("text") if isinstance(block, dict) else None
        if isinstance(text, str) and text.lstrip().startswith("{"):
            try:
                yield told_in(text), (*at, "content", index, "text")
            except (ValueError, RecursionError):
                continue
