"""Compares one server over several bindings: the calls that it answers differently."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.kit.model.results import Finding, Item, SessionResult
from conformance.kit.report.levels import GRAVITY, all_items
from conformance.spec.messages import Message
from conformance.spec.vocabulary import Verdict

CLAUSE = "ATDF-PAR-001"

_COMPARED = {Verdict.PASS, Verdict.FAIL, Verdict.WARN, Verdict.WAIVED, Verdict.FLAKY}

Value = str | Message


@dataclass(frozen=True, slots=True)
class Difference:
    """How a tool answered a call over two bindings."""

    tool: str
    there: Value
    other: Value
    here: Value


@dataclass(frozen=True, slots=True)
class Parity:
    """The items about compared calls, and each difference with its calls and runs."""

    items: tuple[Item, ...]
    differences: tuple[tuple[Difference, tuple[Value, ...], tuple[str, ...]], ...]

    @property
    def checked(self) -> int:
        """How many calls were compared."""
        return sum(item.checked for item in self.items)

    @property
    def count(self) -> int:
        """How many calls were answered differently."""
        return sum(len(item.findings) for item in self.items)

    @property
    def gravest(self) -> Verdict:
        """The gravest verdict, whose row shows the calls."""
        held = {item.verdict for item in self.items} - {Verdict.PASS}
        return min(held, key=GRAVITY.index, default=Verdict.PASS)


def parity(session: SessionResult) -> Parity:
    """Return the comparison of a session; `items` is empty if nothing was compared."""
    items = [i for i in all_items(session) if i.clause == CLAUSE and i.verdict in _COMPARED]
    calls: dict[Difference, dict[Value, None]] = {}
    runs: dict[Difference, dict[str, None]] = {}
    for item in items:
        for finding in item.findings:
            said = _values(finding)
            one = Difference(item.tool or "", said["there"], said["other"], said["here"])
            calls.setdefault(one, {})[said["case"]] = None
            run = said["run"]
            runs.setdefault(one, {})[run if isinstance(run, str) else ""] = None
    return Parity(tuple(items), tuple((one, tuple(calls[one]), tuple(runs[one])) for one in calls))


def _values(finding: Finding) -> dict[str, Value]:
    """Return the values of the finding; those that a file of an older kit lacks are empty."""
    return dict.fromkeys(("case", "here", "run", "there", "other"), "") | dict(
        finding.message.values
    )
