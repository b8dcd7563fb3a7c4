"""The id of a call, the same in every session. `--replay` takes its text."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any

from conformance.kit.model.slug import slug
from conformance.kit.model.written import Form, Writing


@dataclass(frozen=True, slots=True, eq=False)
class CaseId:
    """The parts of an id. No code parses them from its text.

    `tool` is the raw name. `place` is where a case deviates, `branch` the branch of a union in
    which it does, and `count` tells ids of the same name apart. `smallest` names the simpler
    arguments of a smallest form, and `repair` the step of a repair. An id with only a run, or a run
    and a tool, is above all ids that begin with these.
    """

    run: str
    tool: str = ""
    name: str = ""
    place: str = ""
    branch: str = ""
    count: int = 1
    smallest: str = ""
    repair: int = 0
    text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the text once, because an id is looked up often."""
        tool, name = slug(self.tool) if self.tool else "", slug(self.name) if self.name else ""
        plain = "/".join(filter(None, (self.run, tool, name, self.place, self.branch)))
        counted = f"{plain}~{self.count}" if self.count > 1 else plain
        form = f"{counted}/smallest-{self.smallest}" if self.smallest else counted
        object.__setattr__(self, "text", f"{form}/repair-{self.repair}" if self.repair else form)

    def __str__(self) -> str:
        """The text of the id."""
        return self.text

    def __eq__(self, other: object) -> bool:
        """Return whether the texts are equal."""
        return isinstance(other, CaseId) and self.text == other.text

    def __hash__(self) -> int:
        """Return the hash of the text, which Python caches."""
        return hash(self.text)

    @property
    def parts(self) -> dict[str, Any]:
        """Return the parts by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    def in_run(self, run: str) -> CaseId:
        """Return the id of the same case in another run."""
        return replace(self, run=run)

    def is_above(self, wanted: str) -> bool:
        """Return whether a text that a user typed is an id below this one."""
        return wanted.startswith(f"{self.text}/")

    def names(self, wanted: str) -> bool:
        """Return whether a text that a user typed is this id, or an id below it."""
        return wanted == self.text or self.is_above(wanted)


def _write(id: CaseId, writing: Writing) -> dict[str, Any]:
    clean = id if writing.redact is None else replace(id, tool=writing.text(id.tool))
    return {"text": clean.text, **clean.parts}


def _read(data: Any) -> CaseId:
    try:
        return CaseId(**{name: part for name, part in data.items() if name != "text"})
    except (AttributeError, TypeError) as error:
        raise ValueError(f"the id of a case belongs here: {error}") from error


Id = Annotated[CaseId, Form(_write, _read)]
"""An id that a file has as separate parts, in addition to its text."""
