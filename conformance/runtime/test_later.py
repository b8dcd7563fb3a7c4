"""Calls whose results are fetched later (RT-ASYNC, RT-HTTP-002)."""

from __future__ import annotations

from conformance.formats.schema.equality import same
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.evidence.response import body_json
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import (
    Check,
    Checks,
    broken,
    by_rules,
    clause,
    family,
    holds,
    unknown,
)
from conformance.runtime.records import as_object
from conformance.runtime.scripts import LATER, POLL
from conformance.spec.clauses import Clause
from conformance.spec.vocabulary import Family

_FINAL = frozenset({"completed", "failed", "cancelled"})


def _status(exchange: Exchange | None) -> int:
    return exchange.answer.status if exchange is not None and exchange.answer is not None else 0


class _Fetched:
    """The script's steps about one tool; `started` is None unless the answer was a 202."""

    def __init__(self, tool: ToolEvidence) -> None:
        name = tool.tool.name
        steps = {e.step: e for e in tool.played(LATER) if e.step is not None}
        started = steps.get(Step("started", tool=name))
        self.started = started if _status(started) == 202 else None
        self.polls = [e for step, e in steps.items() if (step.name, step.tool) == (POLL, name)]
        self.again = steps.get(Step("again", tool=name))
        self.at_once = steps.get(Step("at-once", tool=name))
        last = self.polls[-1] if self.polls else None
        said = as_object(body_json(last)).get("status") if last is not None else None
        self.final = last if isinstance(said, str) and said in _FINAL else None

    @property
    def statuses(self) -> list[Exchange]:
        """The answers to status requests that have the status 200."""
        return [each for each in self.polls if _status(each) == 200]

    @property
    def still_running(self) -> Check:
        """The check for a call whose end was not seen."""
        return unknown("kit.not_verified.still_running", self.polls[-1] if self.polls else None)


@family(Family.CALL_STATUS)
def test_each_status(tool: ToolEvidence, clause: Clause) -> Checks:
    """Each status of a call whose result comes later follows the rules."""
    fetched = _Fetched(tool)
    for exchange in fetched.statuses if fetched.started is not None else []:
        problems = validate(body_json(exchange), "call-status")
        yield from by_rules(exchange, problems, clause.id)


@clause("RT-HTTP-002")
def test_an_answer_that_comes_later_says_where(tool: ToolEvidence) -> Checks:
    started = _Fetched(tool).started
    if started is None or started.answer is None:
        return
    if started.answer.header("location"):
        yield holds()
    else:
        yield broken(started, "finding.runtime.no_location")


@clause("RT-ASYNC-004")
def test_a_result_fetched_later_equals_one_at_once(tool: ToolEvidence) -> Checks:
    """A result that is fetched later equals an immediate one.

    The evidence is a tool that changes nothing and gives the same immediate result twice.
    """
    fetched = _Fetched(tool)
    if fetched.started is None:
        return
    if fetched.final is None:
        yield fetched.still_running
        return
    later = as_object(as_object(body_json(fetched.final)).get("tool_result"))
    now = as_object(body_json(fetched.at_once)) if fetched.at_once is not None else {}
    before = as_object(tool.baseline.reading.document) if tool.baseline is not None else {}
    if "result" not in now or not same(now.get("result"), before.get("result")):
        yield unknown("kit.not_verified.unsteady", fetched.at_once)
    elif all(same(later.get(name), now.get(name)) for name in ("result", "bounds")):
        yield holds()
    else:
        yield broken(fetched.final, "finding.runtime.later_differs")


@clause("RT-ASYNC-005")
def test_a_final_status_does_not_change(tool: ToolEvidence) -> Checks:
    fetched = _Fetched(tool)
    if fetched.started is None:
        return
    if fetched.final is None or fetched.again is None:
        yield fetched.still_running
    elif _status(fetched.again) in {404, 410}:
        yield unknown("kit.not_verified.fetched_once", fetched.again)
    elif _status(fetched.again) != 200:
        yield unknown("kit.not_verified.no_answer", fetched.again)
    elif same(body_json(fetched.again), body_json(fetched.final)):
        yield holds()
    else:
        yield broken(fetched.again, "finding.runtime.final_changed")


@clause("RT-ASYNC-006")
def test_a_call_outlives_its_connection(tool: ToolEvidence) -> Checks:
    """The status of a call is available over another connection."""
    fetched = _Fetched(tool)
    if fetched.started is None or not fetched.polls:
        return
    first = fetched.polls[0]
    if _status(first) == 200:
        yield holds()
    elif _status(first) in {404, 410}:
        yield broken(first, "finding.runtime.call_lost", status=_status(first))
    else:
        yield unknown("kit.not_verified.no_answer", first)
