"""Finds the document in the answer to a request, or in the result of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.formats.problem import Place, Problem
from conformance.formats.text.json_text import told_in
from conformance.formats.tool.meta import held, key_in
from conformance.formats.validate.others import OF_RESULT, is_strange
from conformance.formats.validate.recognize import Recognition, recognize
from conformance.spec.vocabulary import MetaKey


def document_in(data: Any) -> tuple[Any, Place, Recognition | Problem]:
    """Return the document that a value is or holds, its place, and what it was recognized as.

    If the value holds none, that is the part which says most: the one that is most like a document,
    or the result or the error itself.
    """
    found = (data, (), recognize(data))
    if isinstance(found[2], Recognition):
        return found
    parts = [(part, at, recognize(part)) for part, at in _parts(data)]
    known = (part for part in parts if isinstance(part[2], Recognition))
    close = (part for part in parts if not is_strange(part[2]))
    return next(known, None) or next(close, None) or (parts[-1] if parts else found)


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
    if name is not None and isinstance(error := held(meta, MetaKey.ERROR), dict):
        yield error, (*at, "_meta", name)
    if isinstance(result.get("structuredContent"), dict):
        yield result["structuredContent"], (*at, "structuredContent")
    for index, block in enumerate(content if isinstance(content, list) else ()):
        text = block.get("text") if isinstance(block, dict) else None
        if isinstance(text, str) and text.lstrip().startswith("{"):
            try:
                yield told_in(text), (*at, "content", index, "text")
            except (ValueError, RecursionError):
                continue
