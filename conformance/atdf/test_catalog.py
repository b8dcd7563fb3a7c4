"""The catalog itself (ATDF-CAT)."""

from __future__ import annotations

from conformance.formats.text.json_text import read
from conformance.formats.text.sse import is_stream, sse_events
from conformance.kit.evidence.catalog import TOOLS, TOOLS_LIST
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.verdicts.checks import (
    Checks,
    broken_rule,
    by_rules,
    clause,
    family,
    holds,
    other_refusal,
)
from conformance.spec.clauses import Clause
from conformance.spec.vocabulary import Family


def _pages(run: RunEvidence) -> list[Exchange]:
    return [e for step, e in run.steps(LOOKED).items() if step.name in {TOOLS, TOOLS_LIST}]


@family(Family.CATALOG)
def test_the_catalog(run: RunEvidence, clause: Clause) -> Checks:
    """The catalog follows the rules.

    Its pages are checked together; the last one is the evidence.
    """
    at = next(reversed(_pages(run)), None)
    yield from by_rules(at, run.problems, clause.id, counts=bool(run.documents))


@clause("ATDF-CAT-003")
def test_a_catalog_is_sound_json(run: RunEvidence) -> Checks:
    """Each page is JSON in UTF-8, without duplicate keys in an object."""
    for exchange in _pages(run):
        if exchange.answer is None or not exchange.answer.body:
            continue
        if exchange.trouble is Trouble.TOO_LARGE:  # its end was not read
            yield other_refusal(exchange)
            continue
        for text in _texts(exchange):
            problems = read(text).problems
            for problem in problems:
                yield broken_rule(exchange, problem, problem.path)
            if not problems:
                yield holds()


def _texts(exchange: Exchange) -> list[bytes]:
    """Return the JSON texts of an answer: its body, the data of each event, or each line of stdio.

    A line that is not a message belongs to the clause about noise.
    """
    assert exchange.answer is not None
    answer = exchange.answer
    if not exchange.over_http:
        noise = {line.encode() for line in answer.noise}
        return [line for line in answer.body.splitlines() if line.strip() and line not in noise]
    if is_stream(answer.header("content-type")):
        events = sse_events(answer.body.decode("utf-8", "surrogateescape"))
        return [e.data.encode("utf-8", "surrogateescape") for e in events if e.data.strip()]
    return [answer.body]
