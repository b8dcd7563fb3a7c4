"""What a target says that it conforms to.

Over HTTP this is a document at a fixed path, over MCP an extension in the server's capabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.kit.model.results import Claim
from conformance.kit.model.step import Step
from conformance.spec.vocabulary import CONFORMANCE_CLASS_SEEN, ConformanceClass, Level, Offer

WELL_KNOWN_PATH = "/.well-known/agent-formats"
"""The path of the document with a target's claims, and with links to its other documents."""

WELL_KNOWN = Step("discovery-document")
"""The step of discovery that asks for this document."""

EXTENSION = "io.github.agent-formats/conformance"
"""The extension of MCP whose value is the same document."""

_AT_LEVEL, _AS_OFFER = "level", "offer"


def is_discovery(document: Any) -> bool:
    """Return whether a document is meant as a discovery document: many servers answer any path."""
    return isinstance(document, dict) and not document.keys().isdisjoint(("conformance", "links"))


def in_capabilities(capabilities: Mapping[str, Any]) -> Any:
    """Return what an MCP server declares, in capabilities of either era; None if it does not."""
    place = place_in_capabilities(capabilities)
    return capabilities[place[1]][place[2]] if place else None


def place_in_capabilities(capabilities: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where an MCP server declares, in its result with `capabilities`; () if it does not."""
    for member in ("extensions", "experimental"):
        named = capabilities.get(member)
        if isinstance(named, dict) and EXTENSION in named:
            return "capabilities", member, EXTENSION
    return ()


def claims_in(document: Any) -> tuple[Claim, ...]:
    """Return the readable claims of a discovery document."""
    listed = document.get("conformance") if isinstance(document, dict) else None
    return tuple(
        Claim(each["spec"], each["version"], tuple(_texts(each.get("classes"))))
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict)
        and isinstance(each.get("spec"), str)
        and isinstance(each.get("version"), str)
    )


def link_in(document: Any, name: str) -> str | None:
    """Return the path on the target that a discovery document gives for one of its documents."""
    links = document.get("links") if isinstance(document, dict) else None
    path = links.get(name) if isinstance(links, dict) else None
    own = isinstance(path, str) and path.startswith("/") and not path.startswith("//")
    return path if own else None


def claimed_level(claims: tuple[Claim, ...]) -> Level | None:
    """Return the highest level among the claims."""
    named = [Level(each.value) for each in _classes(claims, _AT_LEVEL)]
    return max(named, key=list(Level).index, default=None)


def claimed_offers(claims: tuple[Claim, ...]) -> tuple[Offer, ...]:
    """Return what the target claims to offer in addition to tools."""
    return tuple(Offer(each.value) for each in _classes(claims, _AS_OFFER))


def claims_class(claims: tuple[Claim, ...], wanted: ConformanceClass) -> bool:
    """Return whether a class is among the claims."""
    return any(wanted in each.classes for each in claims)


def _classes(claims: tuple[Claim, ...], seen: str) -> list[ConformanceClass]:
    return [
        each
        for each in ConformanceClass
        if CONFORMANCE_CLASS_SEEN[each] == seen and claims_class(claims, each)
    ]


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
