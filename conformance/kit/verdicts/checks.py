"""How a chapter connects a judge to its clause, and what a judge can say.

A judge is a generator over evidence. It yields one `Check` for each thing that it looked at. It
does no input or output, and gives no verdict: `judge.py` makes the verdict from its checks.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import resources
from typing import Any

from conformance.formats.problem import Problem, quoted, shown
from conformance.kit.cases.baseline import GIVEN
from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence
from conformance.kit.evidence.response import Reading, read
from conformance.kit.evidence.script import CONNECTION, Script
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.results import Finding
from conformance.kit.verdicts.disturbance import cause_of, refused_afterwards
from conformance.spec.clauses import Clause, clauses
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Family, Missing, Outcome

_FIRST_ERROR = 400
_UNAUTHORIZED = 401


class Said(StrEnum):
    """What one check says."""

    HOLDS = "holds"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    """The clause could not be judged; the finding says why."""
    ABSENT = "absent"
    """The clause does not apply here; the finding says why."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result for one thing that a judge looked at."""

    said: Said
    finding: Finding | None = None


Checks = Iterator[Check]
Judge = Callable[[Any], Checks]
FamilyJudge = Callable[[Any, Clause], Checks]


def holds() -> Check:
    """The clause holds."""
    return Check(Said.HOLDS)


def broken(
    at: Call | Exchange | None, id: str, *, path: str | None = None, **values: object
) -> Check:
    """The clause is broken. The message `id` says how, and the exchange `at` shows it."""
    return Check(Said.BROKEN, _finding(at, message(id, **values), path))


def by_rules(
    at: Call | Exchange | None, problems: Iterable[Problem], clause: str, *, counts: bool = True
) -> Checks:
    """Turn the problems that the rules of the formats found into checks of one clause.

    The clause is broken for each of its problems. Without a problem it holds, but only if it
    `counts`: if the document has something that the clause is about.
    """
    own = [problem for problem in problems if problem.clause == clause]
    for problem in own:
        yield broken_rule(at, problem, problem.path)
    if counts and not own:
        yield holds()


def broken_rule(at: Call | Exchange | None, problem: Problem, path: str | None) -> Check:
    """The clause is broken as `problem` says, at `path` in what the exchange shows."""
    return Check(Said.BROKEN, _finding(at, problem.message, path))


def followed_by(check: Check, calls: Iterable[Call]) -> Check:
    """Return the check with the calls that followed as further evidence."""
    assert check.finding is not None
    ids = tuple(call.exchange.id for call in calls)
    return replace(check, finding=replace(check.finding, then=ids))


def unknown(id: str, at: Call | Exchange | None = None, **values: object) -> Check:
    """The clause could not be judged, for the reason that the message gives."""
    return Check(Said.UNKNOWN, _finding(at, message(id, **values), None))


def disguised_words(reading: Reading) -> dict[str, Any]:
    """Return what an error inside a success says, and the form that gives it away."""
    form = message(f"finding.disguise.{reading.disguise}")
    return {"said": quoted(reading.said), "form": form}


def other_refusal(at: Call | Exchange | None, refused: str = "refused_for_something_else") -> Check:
    """The clause could not be judged: the server did not answer, or refused for another reason.

    A call without an answer does not count as refused.
    """
    exchange = at.exchange if isinstance(at, Call) else at
    answered = exchange is not None and exchange.answer is not None and exchange.trouble is None
    words = refused if answered else "no_answer"
    return unknown(f"kit.not_verified.{words}", at)


def no_good_call(tool: ToolEvidence) -> Check:
    """The clause could not be judged, because the baseline call was refused; say how."""
    tried = tool.baseline
    if tried is None or tried.reading.accepted:
        return unknown("kit.not_verified.baseline", tried)
    if tried.reading.missing is not None:
        return lacks_something(tried)
    if tried.reading.disguise is not None:
        return unknown("kit.not_verified.disguised", tried, said=quoted(tried.reading.said))
    trouble = tried.exchange.trouble
    if trouble is Trouble.TIMEOUT:
        return unknown("kit.not_verified.good_call_unanswered", tried)
    if trouble is not None:
        answer = message(f"answered.{trouble}")
        return unknown("kit.not_verified.good_call_unusable", tried, answer=answer)
    status = tried.reading.status or 0
    envelope = tried.reading.envelope
    details = [error.raw.get("detail") for error in envelope.errors] if envelope else []
    text = next((each for each in details if isinstance(each, str)), tried.reading.text)
    words = quoted(text) if text else ""
    said = " ".join(filter(None, (str(status) if status >= _FIRST_ERROR else "", words)))
    if not said:
        return unknown("kit.not_verified.baseline", tried)
    if how := cause_of(tool.around, tried):
        return unknown(f"kit.not_verified.good_call_{how}", tried, said=said)
    why = _why_refused(tried)
    if why == "good_call" and tried.case.scenario == GIVEN:
        own = shown(tried.case.arguments)
        return unknown("kit.not_verified.example", tried, said=said, arguments=own)
    return unknown(f"kit.not_verified.{why}", tried, said=said)


def disturbed(tool: ToolEvidence) -> Check:
    """The clause could not be judged: the baseline call was accepted again at the end, but only
    alone.
    """
    refused = refused_afterwards(tool.calls)
    assert refused is not None
    return unknown("kit.not_verified.disturbed", refused, said=quoted(refused.reading.said))


def not_connected(evidence: RunEvidence) -> Message:
    """Return that no connection could be opened for a run, and what the server said to it."""
    opened = evidence.scripts.get(CONNECTION, ())
    reading = read(opened[-1]) if opened else None
    if reading is None or reading.status < _FIRST_ERROR:
        return message("kit.not_verified.not_connected")
    words = quoted(reading.text) if reading.text else ""
    said = " ".join(filter(None, (str(reading.status), words)))
    return message("kit.not_verified.connected_once", said=said)


def _why_refused(tried: Call) -> str:
    """Return the end of the message id for the reason of a refused baseline call."""
    if tried.reading.needs_capability:
        return "capability"
    if tried.reading.outcome is Outcome.SERVER_FAULT:
        return "good_call_failed"
    if tried.reading.status != _UNAUTHORIZED:
        return "good_call"
    return "needs_bearer" if tried.tool.raw.get("bearer") is True else "needs_credentials"


def lacks_something(call: Call) -> Check:
    """The clause could not be judged, because the server lacks something; say what."""
    assert call.reading.missing is not None
    missing, said = call.reading.missing
    if missing is Missing.QUOTA:
        return unknown("kit.not_verified.rate_limited", call, said=quoted(said))
    what = message(f"missing.{missing}")
    return unknown("kit.not_verified.environment", call, missing=what, said=quoted(said))


def absent(id: str, **values: object) -> Check:
    """The clause does not apply, for the reason that the message gives."""
    return Check(Said.ABSENT, _finding(None, message(id, **values), None))


def _finding(at: Call | Exchange | None, words: Message, path: str | None) -> Finding:
    exchange = at.exchange if isinstance(at, Call) else at
    case = exchange.case if exchange is not None else None
    violation = case.violation if case is not None else None
    return Finding(
        words,
        exchange=exchange.id if exchange is not None else None,
        case=case.id.text if case is not None else None,
        scenario=case.scenario if case is not None else None,
        parameter=violation.parameter if violation is not None else None,
        path=path,
    )


@dataclass(frozen=True, slots=True)
class ClauseTest:
    """A clause and its judge. One `test_` function of a chapter can have several."""

    clause: str
    judge: Judge
    protocol: bool = False


def clause(id: str, *, protocol: bool = False) -> Callable[[Judge], Judge]:
    """Mark a chapter's function as the judge of a clause.

    With `protocol`, it also judges runs of older versions, in which the kit tests only the
    protocol.
    """

    def mark(judge: Judge) -> Judge:
        judge.__clause_tests__ = (ClauseTest(id, judge, protocol),)  # type: ignore[attr-defined]  # a mark
        return judge

    return mark


def family(name: Family) -> Callable[[FamilyJudge], FamilyJudge]:
    """Mark a chapter's function as the judge of every clause of this family.

    It gets the evidence and the clause, whose `when` says what the clause is about.
    """

    def mark(judge: FamilyJudge) -> FamilyJudge:
        judge.__clause_tests__ = tuple(  # type: ignore[attr-defined]  # a mark
            ClauseTest(each.id, _asked_about(judge, each))
            for each in clauses().values()
            if each.family is name
        )
        return judge

    return mark


def _asked_about(judge: FamilyJudge, clause: Clause) -> Judge:
    return lambda evidence: judge(evidence, clause)


def clause_tests(member: object) -> tuple[ClauseTest, ...]:
    """Return the clause tests of a member of a chapter's module; most members have none."""
    held: tuple[ClauseTest, ...] = getattr(member, "__clause_tests__", ())
    return held


@dataclass(frozen=True, slots=True)
class Chapter:
    """The clause tests of a chapter, and the scripts that it needs."""

    tests: tuple[tuple[ClauseTest, Clause], ...]
    scripts: tuple[Script, ...]


def packages() -> tuple[str, ...]:
    """Return the names of all chapters: the packages next to the kit that have clause tests."""
    house = resources.files("conformance")
    beside = (each for each in house.iterdir() if each.is_dir())
    return tuple(
        sorted(
            f"conformance.{each.name}"
            for each in beside
            if any(file.name.startswith("test_") for file in each.iterdir())
        )
    )


def scripts_of(package: str) -> tuple[Script, ...]:
    """Return the scripts in the `scripts` module of a package; none if there is no such module."""
    name = f"{package}.scripts"
    if importlib.util.find_spec(name) is None:
        return ()
    members = vars(importlib.import_module(name)).values()
    found = [getattr(one, "__script__", None) for one in members]
    return tuple(one for one in found if isinstance(one, Script))


def load(package: str) -> Chapter:
    """Load a chapter. Raises `KeyError` if a test names a clause that does not exist."""
    path = importlib.import_module(package).__path__
    tests: list[tuple[ClauseTest, Clause]] = []
    for module in pkgutil.iter_modules(path):
        if not module.name.startswith("test_"):
            continue
        members = vars(importlib.import_module(f"{package}.{module.name}"))
        for name, one in members.items():
            if name.startswith("test_"):
                tests += [(test, clauses()[test.clause]) for test in clause_tests(one)]
    return Chapter(tuple(tests), scripts_of(package))
