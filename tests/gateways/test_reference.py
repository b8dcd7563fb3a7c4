"""The reference gateway does what the vocabulary says, with the fake provider behind it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import httpx2
import pytest

from conformance.formats.provider.faces import face_of
from conformance.formats.text.sse import sse_events
from conformance.formats.validate.validate import validate
from conformance.kit.cases.provider.scenarios import HELLO, SCENARIOS, Attempts
from conformance.kit.cases.provider.turns import Scene
from conformance.kit.transport.provider import Provider
from conformance.spec.vocabulary import RUNTIME_ERROR_NAME_STATUSES, RuntimeErrorName
from fixtures.gateways.reference.app import app
from fixtures.gateways.reference.gateway import Gateway
from fixtures.gateways.reference.policy import Policy, Retry

QUICK = Policy(Retry(initial_delay_ms=1, max_delay_ms=5), first_byte=10, stall=10)
HURRIED = {"stall": replace(QUICK, stall=0.2)}
"""Where the provider falls silent. Elsewhere a slow machine must not look like a silent one."""
USER = [{"role": "user", "content": "hello"}]
families = pytest.mark.parametrize("family", ["openai", "anthropic", "gemini"])


def called(scenario, path, **body):
    """What the gateway answers while the provider plays a scenario, and what arrived there."""

    async def call():
        arrivals, attempts = [], Attempts(SCENARIOS[scenario])

        def perform(arrival):
            held = json.loads(arrival.body)
            arrivals.append((arrival, held))
            face, asked = face_of(arrival.path, arrival.query, held)
            scene = Scene(face, asked, "req_1")
            return SCENARIOS[scenario].acts(attempts.next(face, scene), scene)

        async with Provider(perform) as provider:
            gateway = Gateway(provider.url, "canary-key", HURRIED.get(scenario, QUICK))
            transport = httpx2.ASGITransport(app=app(gateway))
            async with httpx2.AsyncClient(transport=transport, base_url="http://gateway") as client:
                answer = await client.post(path, json={"messages": USER, **body})
            await gateway.close()
        return answer, arrivals

    return asyncio.run(asyncio.wait_for(call(), 30))


def native(scenario, model, *, stream=True, **more):
    answer, arrivals = called(scenario, "/native/v1/calls", model=model, stream=stream, **more)
    if not stream or answer.status_code != 200:
        return answer.json(), arrivals
    events = [{"event": each.name, **json.loads(each.data)} for each in sse_events(answer.text)]
    return events, arrivals


@families
@pytest.mark.parametrize("scenario", ["text", "tool-calls", "thinking", "odd-sse", "split-bytes"])
def test_a_stream_becomes_a_valid_stream_of_events(family, scenario):
    events, arrivals = native(scenario, f"{family}/m")
    assert validate({"events": events}, "event-stream") == []
    assert events[-1]["event"] == "StreamEnd"
    assert len(arrivals) == 1


@families
@pytest.mark.parametrize(
    "scenario",
    ["cut-no-reason", "cut-fin", "cut-rst", "unreadable-frame", "stall", "error-in-stream"],
)
def test_a_broken_stream_ends_with_one_error_and_is_not_tried_again(family, scenario):
    events, arrivals = native(scenario, f"{family}/m")
    assert validate({"events": events}, "event-stream") == []
    assert [each["event"] for each in events] == ["PartialContentDelta", "StreamError"]
    assert len(arrivals) == 1


@families
@pytest.mark.parametrize("error", list(RuntimeErrorName), ids=str)
def test_a_refusal_is_told_as_the_error_that_it_is(family, error):
    told, arrivals = native(f"error-{error.value}", f"{family}/m", stream=False)
    assert validate(told, "runtime-error") == []
    assert told["error"]["name"] == error.value
    again = error.value in QUICK.retry.retryable_errors
    assert len(arrivals) == (3 if again else 1)


def test_the_status_is_one_that_the_vocabulary_lists():
    for error, statuses in RUNTIME_ERROR_NAME_STATUSES.items():
        answer, _ = called(f"error-{error.value}", "/native/v1/calls", model="openai/m")
        assert answer.status_code in statuses or error is RuntimeErrorName.UNKNOWN


@pytest.mark.parametrize("stream", [True, False])
def test_a_flaky_provider_is_asked_again_until_it_answers(stream):
    told, arrivals = native("flaky-429-2", "openai/m", stream=stream)
    assert len(arrivals) == 3
    text = "".join(e.get("content", "") for e in told) if stream else told["content"]
    assert text == HELLO.text


def test_another_provider_is_asked_where_the_first_fails_for_good():
    told, arrivals = native("error-authentication", "chain/m", stream=False)
    paths = [arrival.path for arrival, _ in arrivals]
    assert paths == ["/openai/v1/chat/completions", "/anthropic/v1/messages"]
    assert told["error"]["name"] == "authentication"


def test_a_provider_that_asks_for_too_long_a_wait_is_not_asked_again():
    answer, arrivals = called("retry-after-long", "/native/v1/calls", model="openai/m")
    assert len(arrivals) == 1
    assert answer.headers["retry-after"] == "3600"
    assert answer.json()["error"]["retry_after_ms"] == 3_600_000


@families
def test_parameters_arrive_under_the_names_of_the_provider(family):
    asked = {"temperature": 0.5, "max_tokens": 77, "top_p": 0.25, "stop": ["END"]}
    _, arrivals = native("text", f"{family}/m", stream=False, **asked)
    body = arrivals[0][1]
    names = {
        "openai": ("temperature", "max_completion_tokens", "top_p", "stop"),
        "anthropic": ("temperature", "max_tokens", "top_p", "stop_sequences"),
        "gemini": ("temperature", "maxOutputTokens", "topP", "stopSequences"),
    }[family]
    held = body.get("generationConfig", body)
    assert [held[name] for name in names] == list(asked.values())


@pytest.mark.parametrize("wrong", [{"temperature": 3}, {"top_p": -1}, {"max_tokens": 0}])
def test_a_parameter_outside_its_range_reaches_no_provider(wrong):
    told, arrivals = native("text", "openai/m", stream=False, **wrong)
    assert (told["error"]["code"], arrivals) == ("E1001", [])


@families
def test_the_credentials_of_a_provider_are_its_own(family):
    _, arrivals = native("text", f"{family}/m", stream=False)
    sent = json.dumps([arrival.headers for arrival, _ in arrivals])
    assert "canary-key" in sent


@pytest.mark.parametrize("stream", [True, False])
def test_chat_completions_are_answered_in_their_form(stream):
    answer, _ = called("tool-calls", "/v1/chat/completions", model="anthropic/m", stream=stream)
    if not stream:
        choice = answer.json()["choices"][0]
        assert choice["finish_reason"] == "tool_calls"
        names = [call["function"]["name"] for call in choice["message"]["tool_calls"]]
        assert names == ["get_weather", "get_weather"]
        return
    data = [each.data for each in sse_events(answer.text)]
    assert data[-1] == "[DONE]"
    assert json.loads(data[-2])["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("body", [{"model": "nowhere/m"}, {"model": 3}, {}])
def test_a_call_that_cannot_be_made_is_refused(body):
    answer, arrivals = called("text", "/native/v1/calls", **body)
    assert answer.status_code in {400, 404}
    assert validate(answer.json(), "runtime-error") == []
    assert arrivals == []
