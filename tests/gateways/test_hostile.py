"""A hostile gateway ends in a verdict, in little memory; what it floods is read in part."""

import pytest

from conformance.gateway.told import told
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from fixtures.gateways.hostile import HOSTILE
from scripts.survive import GATEWAY, attempt, every
from tests import thorough

LONG = thorough.every(2, ["tells-the-keys", "bodies-of-four-megabytes-to-the-provider"])


def answered(body):
    headers = (("content-type", "text/event-stream"),)
    return Exchange(1, "x", HttpRequest(), Answer(200, headers, body), None, 0.0, 0.0)


def test_a_flood_of_events_is_an_answer_that_cannot_be_read():
    event = b'data: {"choices": [{"delta": {"content": "x"}}]}\n\n'
    few, many = told(answered(event * 10)), told(answered(event * 10_000))
    assert (few.unreadable, few.content) == (False, "x" * 10)
    assert many.unreadable
    assert not many.succeeded
    assert len(many.content) < 10_000


def test_each_hostile_gateway_is_a_session_to_survive():
    assert [name for name, binding in every() if binding == GATEWAY] == list(HOSTILE)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_hostile_gateway_ends_in_a_verdict_in_little_memory(name):
    assert attempt(name, GATEWAY, max_time=15.0).wrong == ""
