"""The keys in the `_meta` of MCP for data that MCP has no field for.

Each key had an earlier name without a domain, which is read as well.
"""

from __future__ import annotations

import re
from typing import Any

from conformance.spec.vocabulary import META_KEY_EARLIER, META_KEY_NAME, MetaKey

ONLY_IN_MCP = frozenset({"title", "outputSchema", "icons", "execution", "_meta"})
"""Members of a tool that MCP defines and ATDF does not."""
PORTABLE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""The names of tools that MCP asks for, and that model providers accept."""


def names_of(key: MetaKey) -> list[str]:
    """Return the names of a key: the present one and, if there is one, the earlier one."""
    return [name for name in (META_KEY_NAME[key], META_KEY_EARLIER[key]) if name]


def key_in(meta: Any, key: MetaKey) -> str | None:
    """Return the name that `_meta` uses for a key: the present one, the earlier one, or None."""
    if not isinstance(meta, dict):
        return None
    return next((name for name in names_of(key) if name in meta), None)


def held(meta: Any, key: MetaKey) -> Any:
    """Return the value that `_meta` has under a key; None if it has none."""
    name = key_in(meta, key)
    return meta[name] if name is not None else None


def lifted(item: Any) -> Any:
    """Return a tool with the ATDF fields of its `_meta` moved to the top; unchanged without any."""
    carried = held(item.get("_meta"), MetaKey.ATDF) if isinstance(item, dict) else None
    if not isinstance(carried, dict):
        return item
    return {**{name: value for name, value in item.items() if name != "_meta"}, **carried}


def earlier_in(meta: Any) -> tuple[MetaKey, ...]:
    """Return the keys that `_meta` has under their earlier names."""
    return tuple(key for key in MetaKey if key_in(meta, key) == META_KEY_EARLIER[key] != "")


def both_names(key: MetaKey, value: Any) -> dict[str, Any]:
    """Return a value under both names of a key, so that every reader finds it."""
    return {name: value for name in (META_KEY_NAME[key], META_KEY_EARLIER[key]) if name}
