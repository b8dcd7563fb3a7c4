"""The media types of OpenAPI contents: which are JSON, and which one is used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.formats.tool.tool import JSON

_JSON_KIND = re.compile(r"application/json|[a-z0-9!#$&^_.-]+/[a-z0-9!#$&^_.+-]+\+json")


def json_media(content: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return the JSON media type of a content and its entry: plain JSON, or else the first."""
    found: dict[str, Mapping[str, Any]] = {}
    for kind, media in content.items() if isinstance(content, dict) else ():
        if is_json(plain(kind)) and isinstance(media, dict):
            found.setdefault(plain(kind), media)
    first = json_kind(found)
    return None if first is None else (first, found[first])


def json_kind(kinds: Iterable[str]) -> str | None:
    """Return the media type whose schema is used: plain JSON, or the first that is JSON."""
    listed = [kind for kind in kinds if is_json(kind)]
    return JSON if JSON in listed else next(iter(listed), None)


def plain(kind: object) -> str:
    """Return a media type without its parameters, in lower case."""
    return str(kind).partition(";")[0].strip().lower()


def is_json(kind: str) -> bool:
    """Return whether a plain media type is JSON, or ends in `+json`."""
    return _JSON_KIND.fullmatch(kind) is not None
