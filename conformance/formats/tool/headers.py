"""`x-mcp-header`: inputs that an MCP client mirrors into HTTP headers (since 2026-07-28).

An annotation is valid on a string, integer or boolean property that only `properties` lead to. It
is an HTTP token, and unique regardless of case.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.formats.problem import Place, shown
from conformance.formats.schema.positions import positions
from conformance.formats.tool.tool import Tool
from conformance.spec.messages import Message, message

ANNOTATION = "x-mcp-header"
PREFIX = "Mcp-Param-"

HeaderPaths = tuple[tuple[tuple[str, ...], str], ...]
"""The property names from the root on, and the suffix of the header."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_PLAIN_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_WRAPPED = re.compile(r"=\?base64\?.*\?=")
_TYPES = ("string", "integer", "boolean")
_LONGEST_INTEGER = 10_000
"""In bits. The interpreter refuses to write much longer integers, and no header can hold them."""


@dataclass(frozen=True, slots=True)
class HeaderFault:
    """An invalid annotation: its place in the input schema, and the reason."""

    place: Place
    message: Message


def header_paths(schema: Mapping[str, Any]) -> tuple[HeaderPaths, HeaderFault | None]:
    """Return the annotated properties of an input schema, or its first invalid annotation."""
    found: list[tuple[tuple[str, ...], str]] = []
    taken: set[str] = set()
    for place, names, node in positions(schema):
        if ANNOTATION not in node:
            continue
        suffix = node[ANNOTATION]
        if not names:
            why = message("documents.header.unreachable")
        elif not isinstance(suffix, str) or not _TOKEN.fullmatch(suffix):
            why = message("documents.header.no_token", value=shown(suffix))
        elif node.get("type") not in _TYPES:
            why = message("documents.header.type")
        elif suffix.lower() in taken:
            why = message("documents.header.twice", value=shown(suffix))
        else:
            taken.add(suffix.lower())
            found.append((names, suffix))
            continue
        return (), HeaderFault((*place, ANNOTATION), why)
    return tuple(found), None


def mirrored(tool: Tool, arguments: Any) -> tuple[tuple[str, str], ...]:
    """Return the names and encoded values of the `Mcp-Param-…` headers for a call of `tool`.

    A value that is absent, null, or not possible in a header (an object) has no header.
    """
    paths = [((name,), suffix) for name, suffix in tool.header_parameters]
    headers = []
    for names, suffix in (*paths, *tool.nested_header_parameters):
        text = _text(_value_at(arguments, names))
        if text is not None:
            headers.append((PREFIX + suffix, encoded(text)))
    return tuple(headers)


def encoded(text: str) -> str:
    """Return `text` as a header value: unchanged, or in base64 if a header would change it."""
    if _PLAIN_VALUE.fullmatch(text) and not _WRAPPED.fullmatch(text):
        return text
    raw = text.encode("utf-8", "surrogatepass")
    return f"=?base64?{base64.b64encode(raw).decode('ascii')}?="


def _value_at(arguments: Any, names: tuple[str, ...]) -> Any:
    value = arguments
    for name in names:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value) if value.bit_length() <= _LONGEST_INTEGER else None
    return repr(value) if isinstance(value, float) else None
