"""The ids of cases: stable over sessions, ASCII, and told apart."""

from __future__ import annotations

from conformance.kit.model.slug import slug
from conformance.kit.schema.pointer import Tokens


def prefix_of(run_id: str, tool_name: str) -> str:
    """Give what all case ids of a tool begin with: the run and the tool's slug."""
    return f"{run_id}/{slug(tool_name)}"


def baseline_id(run_id: str, tool_name: str) -> str:
    """Give the id that stands for a tool's baseline call as a neighbour of its branches."""
    return f"{prefix_of(run_id, tool_name)}/baseline"


def place_of(tokens: Tokens, variant: str = "") -> str:
    """Name a place, and what tells several deviations there apart, for an id."""
    name = slug(".".join(str(t) for t in tokens)) if tokens else "arguments"
    return f"{name}-{slug(variant)}" if variant else name


class Ids:
    """Gives each case its id; a second one of the same name gets a number."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._given: dict[str, int] = {}

    def give(self, scenario: str, place: str, label: str = "") -> str:
        """Make the id of a case; `label` names the branch inside which it deviates."""
        plain = "/".join(p for p in (self._prefix, slug(scenario), place, label) if p)
        count = self._given.get(plain, 0) + 1
        self._given[plain] = count
        return plain if count == 1 else f"{plain}~{count}"
