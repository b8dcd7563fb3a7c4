"""Reads tools of a toolset catalog (`tool_schemas.json`), whose schemas are payload and result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.convert.portable import Notes, Portable
from conformance.formats.problem import Place
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey

_MEANT = frozenset({"id", "title", "description", "tags", "payload", "result"})


def read_toolset_tool(
    item: Mapping[str, Any], at: Place, notes: Notes, *, carried: bool
) -> Portable:
    """Read an entry of the catalog.

    With `carried`, the new form can carry its remaining members.
    """
    payload, result = (_schema(item, name) for name in ("payload", "result"))
    left = {name: value for name, value in item.items() if name not in ("payload", "result")}
    if not carried:
        for name in item:
            if name not in _MEANT:
                notes.lose((*at, name))
        if "title" in item and "description" in item:
            notes.lose((*at, "title"))
    elif {"payload", "result"} & item.keys():
        notes.change(at)
    schema = payload or {}
    return Portable(
        name=item["id"],
        description=item.get("description") or item.get("title"),
        schema={"type": "object", **schema},
        places={
            (): at,
            ("name",): (*at, "id"),
            ("schema",): (*at, "payload", "schema"),
            ("outputs", "schema"): (*at, "result", "schema"),
            ("metadata", "tags"): (*at, "tags"),
            ("description",): (*at, "description" if item.get("description") else "title"),
        },
        made=frozenset() if schema.get("type") == "object" else frozenset({"schema"}),
        outputs={"schema": result} if result is not None else None,
        metadata={"tags": item["tags"]} if item.get("tags") else None,
        rest={"_meta": {META_KEY_NAME[MetaKey.TOOLSET]: left}} if carried else {},
    )


def _schema(item: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    held = item.get(name)
    schema = held.get("schema") if isinstance(held, dict) else None
    return dict(schema) if isinstance(schema, dict) else None
