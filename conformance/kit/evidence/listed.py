"""What a page of a catalog lists, in whatever form it came."""

from __future__ import annotations

from typing import Any

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.kit.evidence.catalog import is_collection


def is_bare_list(document: Any) -> bool:
    """Whether a document is a list of tools with no catalog around it.

    A list of anything else is no catalog: one item at least must be usable as a tool.
    """
    if not isinstance(document, list) or not all(isinstance(item, dict) for item in document):
        return False
    return bool(tools_of({"tools": document}, Source.ATDF).tools)


def listed(page: Any) -> list[Any]:
    """The items of a page: tools, or in an ARDF collection resources, some of which are tools."""
    if isinstance(page, list):
        return page
    members = page if isinstance(page, dict) else {}
    found = members.get("resources" if is_collection(page) else "tools")
    return found if isinstance(found, list) else []
