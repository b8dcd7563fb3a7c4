"""Other calls and earlier failures must not affect a call (GW-ISO, GW-LIV)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.gateway.replies import FOREIGN
from conformance.gateway.scripts import BESIDE, ENDINGS
from conformance.gateway.timeline import arrivals, nonce, not_arrived, reached, reply_words
from conformance.gateway.told import told
from conformance.kit.cases.provider.model_calls import pieces_of
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Mark, Step
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown


@clause("GW-ISO-001")
def test_calls_at_the_same_time_get_their_own_answers(run: RunEvidence) -> Checks:
    steps, family = run.steps("gateway_beside"), reached(run)[0]
    for number in range(1, BESIDE + 1):
        exchange = steps.get(Step("beside", place=family, number=number))
        answer = told(exchange)
        if exchange is None or answer is None:
            yield unknown("kit.not_verified.no_answer", exchange)
        elif not answer.succeeded:
            yield not_arrived(exchange)
        elif answer.content != "".join(pieces_of(nonce(exchange))):
            yield broken(exchange, "finding.gateway.not_its_own", found=answer.content)
        else:
            yield holds()


@clause("GW-LIV-001")
def test_a_call_after_a_failure_is_answered(run: RunEvidence) -> Checks:
    declared = run.capabilities.get("policy", {})
    if declared.get("cool_down_ms"):
        yield unknown("kit.not_verified.cool_down")
        return
    for name, exchange in _after_failures(run):
        answer = told(exchange)
        if answer is None:
            yield broken(exchange, "finding.gateway.dead_after", fault=reply_words(name))
        elif answer.succeeded:
            yield holds()
        elif not arrivals(exchange):
            yield broken(
                exchange,
                "finding.gateway.refused_after",
                fault=reply_words(name),
                told=answer.shown,
            )
        elif answer.error is not None:
            yield broken(
                exchange, "finding.gateway.failed_after", fault=reply_words(name), told=answer.shown
            )
        else:
            yield not_arrived(exchange)


def _after_failures(run: RunEvidence) -> Iterator[tuple[str, Exchange]]:
    """Yield the valid calls after each failure, with the name of the failure."""
    scripts: Iterable[tuple[str, Iterable[str]]] = [
        *((f"gateway_breaks_{family}", ENDINGS) for family in reached(run)),
        ("gateway_foreign", FOREIGN),
    ]
    for script, names in scripts:
        steps = run.steps(script)
        for family in reached(run):
            for name in names:
                exchange = steps.get(Step(name, place=family, mark=Mark.ALIVE))
                if exchange is not None:
                    yield name, exchange
