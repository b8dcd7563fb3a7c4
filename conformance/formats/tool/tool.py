"""One tool, whatever form or dialect declared it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

LONGEST_NAME: Final = 4096
"""In characters. A longer name fits in no request line that a server has to accept."""

_CHANGING = frozenset({"PUT", "PATCH", "DELETE"})


def is_name(value: object) -> bool:
    """Return whether a value can be a tool's name: a text, not too long, that UTF-8 can encode."""
    sound = isinstance(value, str) and 0 < len(value) <= LONGEST_NAME
    return sound and not any("\ud800" <= each <= "\udfff" for each in str(value))


def changes_things(method: str) -> bool:
    """Return whether an HTTP method changes or removes what is there."""
    return method.upper() in _CHANGING


class ToolForm(StrEnum):
    """The form in which a tool was declared."""

    CATALOG = "catalog"
    DESCRIPTOR = "descriptor"
    MCP = "mcp"
    ARDF = "ardf"
    OPENAPI = "openapi"


@dataclass(frozen=True, slots=True)
class Annotations:
    """MCP's four behavior hints; None if a hint is absent."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class Where(StrEnum):
    """Where an input of an HTTP call goes."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    BODY = "body"
    """A member of the body."""
    WHOLE = "whole"
    """The body itself."""


JSON: Final = "application/json"
_WITHOUT_BODY = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Input:
    """One input of an HTTP call, and where it goes."""

    name: str
    where: Where


@dataclass(frozen=True, slots=True)
class Invocation:
    """Where a tool is called over plain HTTP, and where each input goes.

    Without `inputs` all go into the body, or into the query if the call has no body. A GET or a
    HEAD has no body, nor does an operation whose document describes none (`bodiless`). In
    `endpoint` a name in braces stands for that input. `sent` is the media type of the body, `taken`
    has those of the answers. `shares_path`: another route of the server differs only in these
    names, so a wrong value may be right there.
    """

    endpoint: str
    method: str = "POST"
    inputs: tuple[Input, ...] = ()
    bodiless: bool = False
    sent: str = JSON
    taken: str = JSON
    shares_path: bool = False

    @property
    def takes_body(self) -> bool:
        """Whether a call has a body."""
        return not self.bodiless and self.method.upper() not in _WITHOUT_BODY

    def place_of(self, name: str) -> Where:
        """Return where an input goes.

        An input that is not listed goes into the body or the query.
        """
        for one in self.inputs:
            if one.name == name:
                return one.where
        return Where.BODY if self.takes_body else Where.QUERY


@dataclass(frozen=True, slots=True)
class ToolExample:
    """A call that the tool itself shows; `input` is the arguments object."""

    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool in the one shape that the rest of the kit uses.

    `input_schema` is a JSON Schema of `type: object`; `raw` is the original declaration. `made`
    lists the texts that the source form lacks and that were copied from others. `dialects` names
    the accepted deviations that the tool uses. `header_parameters` has each input that MCP mirrors,
    with the suffix of its header. `nested_header_parameters` has inputs inside objects, by their
    names from the root on. `other_names` has the names from another document of the same server.
    `destructive_elsewhere`: another declaration of the same tool calls it destructive.
    """

    name: str
    input_schema: Mapping[str, Any]
    form: ToolForm
    raw: Mapping[str, Any]
    description: str | None = None
    output_schema: Mapping[str, Any] | None = None
    examples: tuple[ToolExample, ...] = ()
    annotations: Annotations = field(default_factory=Annotations)
    safe: bool | None = None
    invocation: Invocation | None = None
    version: str | None = None
    tags: tuple[str, ...] = ()
    when_to_use: str | None = None
    task_required: bool = False
    header_parameters: tuple[tuple[str, str], ...] = ()
    claims_atdf: bool = False
    dialects: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    nested_header_parameters: tuple[tuple[tuple[str, ...], str], ...] = ()
    other_names: tuple[str, ...] = ()
    destructive_elsewhere: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All names of the tool, its own first."""
        return (self.name, *self.other_names)
