"""Recognizes tools in the forms of model providers: OpenAI, Anthropic and Gemini."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

_OURS: Final = frozenset({"inputs", "inputSchema", "how_to_use", "tool_id", "id"})
"""Members that only tools of our specifications have."""
DECLARATIONS: Final = "functionDeclarations"
"""Gemini's list of tools, within the member `tools` of a request."""


def _is_openai(item: Any) -> bool:
    """Return whether a value is a function tool of OpenAI, in the nested or the flat form."""
    if not isinstance(item, dict) or item.get("type") != "function":
        return False
    inner = item.get("function", item)
    return isinstance(inner, dict) and isinstance(inner.get("name"), str)


def _is_anthropic(item: Any) -> bool:
    """Return whether a value is a tool of Anthropic that the client runs."""
    return _is_named(item) and isinstance(item.get("input_schema"), dict)


def _is_gemini(item: Any) -> bool:
    """Return whether a value is a function declaration of Gemini."""
    return (
        _is_named(item)
        and "type" not in item
        and any(isinstance(item.get(n), dict) for n in ("parametersJsonSchema", "parameters"))
    )


def _is_named(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("name"), str) and not item.keys() & _OURS


def are_functions(listed: Any) -> bool:
    """Return whether a value is a list of functions of OpenAI, which is never a catalog.

    A tool of Anthropic could be one: its `input_schema` may be a misspelled `inputSchema`.
    """
    if not (isinstance(listed, list) and listed):
        return False
    return all(_is_openai(each) and not each.keys() & _OURS for each in listed)


TELLS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "openai": _is_openai,
    "anthropic": _is_anthropic,
    "gemini": _is_gemini,
}
"""By provider: whether a value is one of its tools."""


def provider_of(data: Any) -> str | None:
    """Return the provider whose tools a value is, or lists; None if it is of none."""
    if isinstance(data, dict) and isinstance(data.get(DECLARATIONS), list):
        return "gemini"
    first = data[0] if isinstance(data, list) and data else data
    held = first.get("tools") if isinstance(first, dict) else None
    listed = [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []
    items = (data, first, *listed[:1])
    return next((name for name, tells in TELLS.items() if any(map(tells, items))), None)
