"""A step: the name of one exchange of a script or of discovery, in parts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

from conformance.kit.model.slug import slug
from conformance.kit.model.written import Form, Writing


class Mark(StrEnum):
    """Why a step follows another step of the same name."""

    ALIVE = "alive"
    """A valid request after a malformed one: does the server still answer?"""
    AGAIN = "again"
    """The same request again, on a new connection."""
    ALONE = "alone"
    """The same request again, in a new process."""


@dataclass(frozen=True, slots=True)
class Step:
    """The name of a step, and its subject. Parts that it lacks are empty.

    `place` is a path, a URL, a URI or the id of a case. `number` counts from 1, for example the
    pages of a list. `tool` is the raw name. `type` is the type of the requested resources.
    """

    name: str
    place: str = ""
    number: int = 0
    tool: str = ""
    version: str = ""
    type: str = ""
    mark: Mark | None = None

    def __str__(self) -> str:
        """The step as people read it. No code parses this text."""
        joined = (self.name, self.version, str(self.number or ""), self.mark or "")
        about = (self.type, self.place, slug(self.tool) if self.tool else "")
        return " ".join(filter(None, ("-".join(filter(None, joined)), *about)))


def _write(step: Step, writing: Writing) -> dict[str, Any]:
    clean = replace(step, place=writing.text(step.place), tool=writing.text(step.tool))
    return {"text": str(clean), **asdict(clean)}


def _read(data: Any) -> Step:
    try:
        parts = {name: part for name, part in data.items() if name != "text"}
        mark = parts.pop("mark")
        return Step(**parts, mark=None if mark is None else Mark(mark))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"a step belongs here: {error}") from error


Taken = Annotated[Step, Form(_write, _read)]
"""A step that a file has as separate parts, in addition to its text."""
