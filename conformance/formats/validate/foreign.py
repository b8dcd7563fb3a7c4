"""Documents of others: OpenAPI descriptions, JSON Schemas, and tools for model providers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from conformance.formats.catalog.openapi import VERSIONS
from conformance.formats.catalog.openapi_problems import openapi_problems
from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.schema.schemas import NEWEST, dialect_of, schema_faults
from conformance.formats.tool.providers import DECLARATIONS, TELLS, provider_of
from conformance.spec.messages import Message, message

_MOST = 1_000
_NAMES = {"openai": "OpenAI", "anthropic": "Anthropic", "gemini": "Gemini"}
SCHEMA = "json-schema"
"""How a JSON Schema alone is called."""
OPENAPI = "openapi"
"""How an OpenAPI description is called."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A document of another standard, and its problems."""

    document: str
    version: str
    told: Message
    problems: tuple[Problem, ...]


def foreign(data: Any) -> Foreign | None:
    """Return the document of another known standard that a value is, or None."""
    provider = provider_of(data)
    if provider is not None:
        items = list(_provided(data))
        told = message("validate.provider", form=_NAMES[provider], count=len(items))
        found = tuple(islice(_of_provided(items), _MOST))
        return Foreign(f"{provider}-tools", "", told, found)
    if not isinstance(data, dict):
        return None
    version = data.get("openapi")
    if isinstance(version, str) and version.startswith(VERSIONS):
        told = message("validate.openapi", version=shown(version, 20)[1:-1])
        found = tuple(islice(openapi_problems(data), _MOST))
        return Foreign(OPENAPI, version, told, found)
    if is_schema(data):
        dialect = data.get("$schema", NEWEST)
        told = message("validate.schema", dialect=shown(dialect, 80).strip('"'))
        return Foreign(SCHEMA, str(dialect), told, tuple(_of_schema(data)))
    return None


def _provided(data: Any) -> Iterator[tuple[Place, Any]]:
    """Yield the tools of a value in the form of a provider, or the one that it is."""
    lists = ("tools", DECLARATIONS)
    at: Place = (
        ()
        if isinstance(data, list)
        else tuple(name for name in lists if isinstance(data.get(name), list))[:1]
    )
    items = data[at[0]] if at else data
    if not isinstance(items, list):
        yield (), items
        return
    for index, item in enumerate(items):
        yield (*at, index), item


def _of_provided(items: list[tuple[Place, Any]]) -> Iterator[Problem]:
    """Yield the problems of the schemas in tools of OpenAI and Anthropic."""
    for place, item in items:
        inside: Place = ()
        if TELLS["anthropic"](item):
            inside = ("input_schema",)
        elif TELLS["openai"](item):
            nested = isinstance(item.get("function"), dict)
            inside = ("function", "parameters") if nested else ("parameters",)
        schema = item
        for step in inside:
            schema = schema.get(step)
        for fault in schema_faults(schema) if inside and isinstance(schema, dict) else ():
            at = (*place, *inside, *fault.place)
            yield problem(at, fault.clause, fault.message, clause=fault.clause)


def is_schema(data: Mapping[str, Any]) -> bool:
    """Return whether an object is a JSON Schema of objects."""
    known = "$schema" in data and dialect_of(data) is not None
    return isinstance(data.get("properties"), dict) and (known or data.get("type") == "object")


def _of_schema(data: dict[str, Any]) -> Iterator[Problem]:
    """Yield the problems of a schema, except references to other documents, which are not here."""
    for fault in schema_faults(data):
        node: Any = data
        for step in fault.place:
            node = node[step]
        if fault.clause != "ATDF-TOOL-005" or str(node).startswith("#"):
            yield problem(fault.place, "schema", fault.message)
