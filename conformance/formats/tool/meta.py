"""The keys under which `_meta` of MCP holds what MCP has no field for.

Each had a name without a domain before. What is under that name is read as well.
"""

from __future__ import annotations

from typing import Any

from conformance.spec.vocabulary import META_KEY_EARLIER, META_KEY_NAME, MetaKey


def key_in(meta: Any, key: MetaKey) -> str | None:
    """The name by which `_meta` has a key, the present one first; None where it has neither."""
    if not isinstance(meta, dict):
        return None
    return next((n for n in (META_KEY_NAME[key], META_KEY_EARLIER[key]) if n and n in meta), None)


def held(meta: Any, key: MetaKey) -> Any:
    """What `_meta` has under a key; None where it has nothing."""
    name = key_in(meta, key)
    return meta[name] if name is not None else None


def lifted(item: Any) -> Any:
    """A tool with what `_meta` carries of ATDF next to its other members; the same without it."""
    carried = held(item.get("_meta"), MetaKey.ATDF) if isinstance(item, dict) else None
    if not isinstance(carried, dict):
        return item
    return {**{name: value for name, value in item.items() if name != "_meta"}, **carried}


def earlier_in(meta: Any) -> tuple[MetaKey, ...]:
    """The keys that `_meta` has under their earlier names."""
    return tuple(key for key in MetaKey if key_in(meta, key) == META_KEY_EARLIER[key] != "")


def both_names(key: MetaKey, value: Any) -> dict[str, Any]:
    """A value under the present name of a key and the earlier one: every reader finds it."""
    return {name: value for name in (META_KEY_NAME[key], META_KEY_EARLIER[key]) if name}
