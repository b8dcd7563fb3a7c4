"""What both ends of a model call saw, with lookups for the judges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from itertools import pairwise, product
from typing import Any

from conformance.formats.provider.completion import Asked, Face
from conformance.formats.provider.faces import face_of
from conformance.formats.text.sse import is_stream
from conformance.gateway.told import told
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import header_of
from conformance.kit.model.exchange import Exchange, ModelCall
from conformance.kit.model.performance import Moment
from conformance.kit.model.step import Mark, Step
from conformance.kit.verdicts.checks import Check, Checks, Judge, unknown
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import ApiFamily, RetryStrategy, RuntimeErrorName, Seen

_OF_STREAMS = {"gateway_streams", *(f"gateway_breaks_{family.value}" for family in ApiFamily)}
"""The scripts that ask for streams."""
DISTINCT = 12
"""Length, in characters, from which another text is unlikely to contain a key by accident."""
_SOON = 1.0
"""Seconds in which a connection that nobody needs has to be closed."""
OVER = frozenset({Seen.ENDED, Seen.BROKEN, Seen.LEFT, Seen.CUT})


def arrivals(exchange: Exchange) -> list[Moment]:
    """Return the requests that reached the provider, in order."""
    return [each for each in exchange.timeline if each.seen is Seen.ARRIVED]


def first(exchange: Exchange, seen: Seen) -> Moment | None:
    """Return the first moment of a kind."""
    return next((each for each in exchange.timeline if each.seen is seen), None)


def ended(exchange: Exchange, arrival: int) -> Moment | None:
    """Return how a request to the provider ended; None if it did not end."""
    own = (each for each in exchange.timeline if each.arrival == arrival)
    return next((each for each in own if each.seen in OVER), None)


def closed_late(exchange: Exchange) -> bool:
    """Return whether a gateway continues a request although its client has left (GW-CAN-001)."""
    client, seen = first(exchange, Seen.CLIENT_LEFT), arrivals(exchange)
    if client is None or not seen:
        return False
    over = ended(exchange, seen[0].arrival)
    return over is None or over.seen is not Seen.LEFT or over.at > client.at + _SOON


def gaps(exchange: Exchange) -> list[float]:
    """Return the least seconds between the refusal of an attempt and the arrival of the next.

    There is no gap after an attempt that the gateway gave up before the refusal, because nobody
    asked it to wait.
    """
    heads = {each.arrival: each.at for each in exchange.timeline if each.seen is Seen.HEAD}
    return [
        after.at - heads[before.arrival]
        for before, after in pairwise(arrivals(exchange))
        if heads.get(before.arrival, after.at) < after.at
    ]


def may_be_late(declared: Mapping[str, Any], exchange: Exchange, *, once: bool) -> bool:
    """Return whether a call without a delay of the provider may have reached a declared timeout.

    On a busy machine, the gateway or the kit may be delayed that long. The gateway then rightly
    reports a timeout, or asks again. If it must ask only `once`, a further attempt is a sign of
    this.
    """
    if not is_slow(declared, exchange):
        return False
    return _gave_up(exchange) or (once and len(arrivals(exchange)) > 1)


def is_late(declared: Mapping[str, Any], exchange: Exchange, *, once: bool) -> bool:
    """Return whether the last repetition of a call may be late.

    Waits of the gateway before wrong attempts do not excuse it.
    """
    late = may_be_late(declared, exchange, once=once)
    return late and (_gave_up(exchange) or is_held_up(declared, exchange))


def _gave_up(exchange: Exchange) -> bool:
    answer = told(exchange)
    return answer is None or answer.is_class(RuntimeErrorName.TIMEOUT)


def is_slow(declared: Mapping[str, Any], exchange: Exchange) -> bool:
    """Return whether a call took as long as the gateway's shortest declared timeout."""
    return _reaches_a_limit(declared, exchange.elapsed)


def is_held_up(declared: Mapping[str, Any], exchange: Exchange) -> bool:
    """Return the same without waits after a refusal, which are not caused by a busy machine."""
    return _reaches_a_limit(declared, exchange.elapsed - sum(gaps(exchange)))


def _reaches_a_limit(declared: Mapping[str, Any], seconds: float) -> bool:
    limits = [each for each in (declared.get("timeouts") or {}).values() if each]
    return bool(limits) and seconds * 1000 >= min(limits)


def tried_last(run: RunEvidence, script: str, step: Step) -> Exchange | None:
    """Return the last exchange of a step: the repetition, if the first was late."""
    steps = run.steps(script)
    return steps.get(replace(step, mark=Mark.AGAIN)) or steps.get(step)


def body(arrival: Moment) -> Any:
    """Return the JSON of a request; None if it is not JSON."""
    try:
        return json.loads(arrival.body)
    except (ValueError, RecursionError):
        return None


def face(arrival: Moment) -> tuple[Face, Asked] | None:
    """Return the API that a request was sent to; None if there is no such API."""
    path, _, query = arrival.path.partition("?")
    return face_of(path, query, body(arrival))


def header(arrival: Moment, name: str) -> str:
    """Return a header of a request; empty if it is missing."""
    return next((value for key, value in arrival.headers if key.lower() == name), "")


def key_of(spoken: Face, arrival: Moment) -> str:
    """Return the key in a request to the provider; empty if there is none."""
    headers = {name.lower(): value for name, value in arrival.headers}
    return spoken.key(headers, arrival.path.partition("?")[2])


def everything(exchange: Exchange) -> str:
    """Return everything that the client received: the body and the headers."""
    answer = exchange.answer
    if answer is None:
        return ""
    headers = (f"{name}: {value}" for name, value in answer.headers)
    return "\n".join([answer.body.decode("utf-8", "replace"), *headers])


def nonce(exchange: Exchange) -> str:
    """Return the nonce of a call."""
    assert isinstance(exchange.request, ModelCall)
    return exchange.request.nonce


def reached(run: RunEvidence) -> tuple[str, ...]:
    """Return the API families whose providers the gateway reaches."""
    return tuple(run.capabilities.get("families", ()))


def policy(run: RunEvidence, part: str) -> Mapping[str, Any]:
    """Return a part of the declared policy; empty if it is not declared."""
    declared = run.capabilities.get("policy", {})
    held = declared.get(part) if isinstance(declared, dict) else None
    return held if isinstance(held, dict) else {}


def most_retries(retry: Mapping[str, Any]) -> int:
    """Return how often a declared retry policy allows to ask a provider again."""
    if retry.get("strategy") == RetryStrategy.NONE:
        return 0
    declared: int = retry.get("max_retries", 0)
    return declared


def undeclared(run: RunEvidence, *names: str) -> Check | None:
    """Return why a policy cannot be tested: it lacks one of these names, or is not declared at all.

    A name is a member of the policy, or a member and a name in it, such as `timeouts.stall_ms`.
    """
    if not run.capabilities.get("policy"):
        return unknown("kit.not_verified.no_policy")
    for name in names:
        part, _, own = name.partition(".")
        held = policy(run, part)
        if own not in held if own else not held:
            return unknown("kit.not_verified.not_declared", name=f"`{name}`")
    return None


def each_family(run: RunEvidence, script: str, *names: str) -> Iterator[tuple[str, str, Exchange]]:
    """Yield the steps of a script with these names, for each API family that is reached.

    In scripts that ask for streams, families whose text answer was not a stream are skipped.
    """
    whole = {family for family, _ in _plain_whole(run)} if script in _OF_STREAMS else set()
    families = [family for family in reached(run) if family not in whole]
    return _steps(run, script, families, names)


def _steps(
    run: RunEvidence, script: str, families: Iterable[str], names: Iterable[str]
) -> Iterator[tuple[str, str, Exchange]]:
    for family, name in product(families, names):
        exchange = tried_last(run, script, Step(name, place=family))
        if exchange is not None:
            yield family, name, exchange


def _plain_whole(run: RunEvidence) -> Iterator[tuple[str, Exchange]]:
    """Yield the text answers that are not streams, although the call asked for one."""
    for family, _, exchange in _steps(run, "gateway_streams", reached(run), ["text"]):
        if not is_stream(header_of(exchange, "content-type")):
            yield family, exchange


def of_streams(judge: Judge) -> Judge:
    """Make the judge of a clause about streams also report the API families without streams."""

    @wraps(judge)
    def judged(run: RunEvidence) -> Checks:
        for family, exchange in _plain_whole(run):
            status = exchange.answer.status if exchange.answer is not None else 0
            words = "kit.not_verified.no_stream"
            yield unknown(words, exchange, family=family, status=status)
        yield from judge(run)

    return judged


def reply_words(name: str) -> Message:
    """Describe a reply of the provider, which the scripts call by its name."""
    return message(f"finding.gateway.of.{name}")


def came_late(exchange: Exchange) -> Check:
    """The clause could not be judged: the machine was too busy for the gateway's timeouts."""
    return unknown("kit.not_verified.busy", exchange, seconds=round(exchange.elapsed, 1))


def not_arrived(exchange: Exchange) -> Check:
    """The clause could not be judged: nothing reached the provider, or no answer came."""
    if arrivals(exchange):
        return unknown("kit.not_verified.no_answer", exchange)
    return unknown("kit.not_verified.no_arrival", exchange)
