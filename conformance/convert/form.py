"""Finds out which form a document is in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from conformance.convert.functions import PROVIDERS
from conformance.convert.openapi import is_openapi
from conformance.formats.problem import Problem
from conformance.formats.tool import descriptor
from conformance.formats.tool.meta import ONLY_IN_MCP
from conformance.formats.tool.providers import DECLARATIONS, provider_of
from conformance.formats.validate.foreign import is_schema
from conformance.formats.validate.recognize import Recognition, recognize


class Form(StrEnum):
    """The forms that a document can be converted from or to."""

    CATALOG = "catalog"
    DESCRIPTOR = "descriptor"
    ARDF = "ardf"
    MCP = "mcp"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    A2A = "a2a"
    OPENAPI = "openapi"
    OPENAPI_30 = "openapi-3.0"
    OPENAPI_32 = "openapi-3.2"
    TOOLSETS = "toolsets"
    ERROR = "error"
    ENRICHED = "enriched"
    PROBLEM = "problem"
    FASTAPI = "fastapi"
    HINT = "hint"


FAILED: Final = frozenset({Form.ERROR, Form.ENRICHED, Form.PROBLEM, Form.FASTAPI, Form.HINT})
TAKEN: Final = {Form(name): each for name, each in PROVIDERS.items()}
"""The forms of tools for model providers. The kit never checks them as documents."""
OPENAPI_VERSIONS: Final = {
    Form.OPENAPI: "3.1",
    Form.OPENAPI_30: "3.0",
    Form.OPENAPI_32: "3.2",
}
"""The versions that can be written. A description that is read names its own version."""
_WRITTEN: Final = frozenset({Form.A2A, Form.OPENAPI_30, Form.OPENAPI_32})
SOURCES: Final = tuple(form for form in Form if form not in _WRITTEN)
TARGETS: Final = tuple(form for form in Form if form not in (Form.TOOLSETS, Form.FASTAPI))


OURS: Final[Mapping[Form, frozenset[str]]] = {
    **dict.fromkeys(
        (Form.CATALOG, Form.DESCRIPTOR),
        frozenset({"catalog", "tool", "descriptor", "enhanced-descriptor"}),
    ),
    Form.ARDF: frozenset({"resource", "collection"}),
    Form.TOOLSETS: frozenset({"toolset-catalog"}),
    Form.ERROR: frozenset({"error"}),
    Form.ENRICHED: frozenset({"enriched-response"}),
    Form.HINT: frozenset({"retry-hint"}),
}
"""By form: the documents of our specifications in that form."""


def form_of(data: Any) -> Form | None:
    """Return the form of a document, by its keys; None if it has none of the known keys."""
    first = data[0] if isinstance(data, list) and data else data
    held = first.get("tools") if isinstance(first, dict) else None
    listed = [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []
    if is_openapi(data):
        return Form.OPENAPI
    provider = provider_of(data)
    return Form(provider) if provider is not None else _ours(data, listed)


def document_of(data: Any) -> str:
    """Return the name of a document that has no form here, such as a policy."""
    found = recognize(data)
    return f"`{found.document}`" if isinstance(found, Recognition) else "—"


def _ours(data: Any, listed: Sequence[Mapping[str, Any]]) -> Form | None:
    found = recognize(data)
    if isinstance(found, Problem):
        return Form.FASTAPI if is_fastapi(data) else Form.PROBLEM if _is_problem(data) else None
    match found.document:
        case "resource" | "collection":
            return Form.ARDF
        case "error":
            return Form.ERROR
        case "enriched-response":
            return Form.ENRICHED
        case "retry-hint":
            return Form.HINT
        case "toolset-catalog":
            return Form.TOOLSETS
        case "descriptor" | "enhanced-descriptor":
            return Form.DESCRIPTOR
        case "tool":
            return Form.MCP if data.keys() & ONLY_IN_MCP else Form.CATALOG
        case "catalog":
            if {descriptor.is_descriptor(each) for each in listed} == {True}:
                return Form.DESCRIPTOR  # a descriptor may have a title, like a tool of MCP
            ours = any(each.keys() & ONLY_IN_MCP for each in listed)
            return Form.MCP if ours else Form.CATALOG
        case _:
            return None


def is_fastapi(data: Any) -> bool:
    """Return whether a value lists the mistakes of a call as FastAPI does: `loc` and `msg`."""
    listed = data.get("detail") if isinstance(data, dict) else None
    return isinstance(listed, list) and len(listed) > 0 and all(map(_is_mistake, listed))


def _is_mistake(each: Any) -> bool:
    named = isinstance(each, dict) and isinstance(each.get("loc"), list)
    return named and isinstance(each.get("msg"), str) and each["msg"] != ""


def _is_problem(data: Any) -> bool:
    """Return whether a value is problem details (RFC 9457, section 3.1), by typed members."""
    if not isinstance(data, dict) or is_schema(data):
        return False
    kind, status = data.get("type"), data.get("status")
    has_uri = isinstance(kind, str) and not {":", "/"}.isdisjoint(kind)
    has_words = any(isinstance(data.get(name), str) for name in ("title", "detail"))
    return has_uri or has_words or (isinstance(status, int) and 400 <= status <= 599)


def member_of(data: Any) -> str | None:
    """Return the member with the list of a document; None if the document is not a list."""
    return next((e for e in ("tools", "resources", DECLARATIONS) if lists(data, e)), None)


def lists(data: Any, member: str) -> bool:
    """Return whether a document has a list in a member."""
    return isinstance(data, dict) and isinstance(data.get(member), list)
