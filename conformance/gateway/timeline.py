"""What both ends saw of a model call, as the judges ask for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.provider.completion import Asked, Face
from conformance.formats.provider.faces import face_of
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange, ModelCall
from conformance.kit.model.performance import Moment, Seen
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import Check, unknown

OVER = frozenset({Seen.ENDED, Seen.BROKEN, Seen.LEFT, Seen.CUT})


def arrivals(exchange: Exchange) -> list[Moment]:
    """The requests that reached the provider, in order."""
    return [each for each in exchange.timeline if each.seen is Seen.ARRIVED]


def first(exchange: Exchange, seen: Seen) -> Moment | None:
    """The first moment of a kind."""
    return next((each for each in exchange.timeline if each.seen is seen), None)


def ended(exchange: Exchange, arrival: int) -> Moment | None:
    """How a request to the provider came to its end; None where it did not."""
    own = (each for each in exchange.timeline if each.arrival == arrival)
    return next((each for each in own if each.seen in OVER), None)


def body(arrival: Moment) -> Any:
    """The JSON of a request; None where it is not JSON."""
    try:
        return json.loads(arrival.body)
    except (ValueError, RecursionError):
        return None


def face(arrival: Moment) -> tuple[Face, Asked] | None:
    """The API that a request was sent to."""
    path, _, query = arrival.path.partition("?")
    return face_of(path, query, body(arrival))


def header(arrival: Moment, name: str) -> str:
    """A header of a request; empty without one."""
    return next((value for key, value in arrival.headers if key.lower() == name), "")


def nonce(exchange: Exchange) -> str:
    """The nonce of a call."""
    assert isinstance(exchange.request, ModelCall)
    return exchange.request.nonce


def reached(run: RunEvidence) -> tuple[str, ...]:
    """The families whose provider the gateway reaches."""
    return tuple(run.capabilities.get("families", ()))


def policy(run: RunEvidence, part: str) -> Mapping[str, Any]:
    """A part of the declared policy; empty where it was not declared."""
    declared = run.capabilities.get("policy", {})
    held = declared.get(part) if isinstance(declared, dict) else None
    return held if isinstance(held, dict) else {}


def each_family(run: RunEvidence, script: str, *names: str) -> Iterator[tuple[str, str, Exchange]]:
    """The steps of a script with these names, for each family that is reached."""
    steps = run.steps(script)
    for family in reached(run):
        for name in names:
            exchange = steps.get(Step(name, place=family))
            if exchange is not None:
                yield family, name, exchange


def not_arrived(exchange: Exchange) -> Check:
    """It could not be judged, as nothing reached the provider."""
    return unknown("kit.not_verified.no_arrival", exchange)
