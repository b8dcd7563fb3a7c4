"""Finds out whether a gateway reaches the provider that the kit plays, for each API family."""

from __future__ import annotations

import json
from typing import Any

from conformance.formats.provider.faces import face_of
from conformance.formats.text.sse import is_stream
from conformance.kit.cases.provider.model_calls import BASELINE, FAMILIES, model_call
from conformance.kit.config.system_words import system_words
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange, ModelCall, Trouble
from conformance.kit.model.run import Role, Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.gateway import GatewayBinding
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import ApiFamily, Binding, Seen

_OK, _FAILURE = 200, 400
_NO_KEY = (401, 403)
_NO_PATH = (404, 405)


async def gateway_runs(
    binding: Binding, endpoint: str, target: str, context: Context
) -> list[Discovered]:
    """Return the one run of a gateway, with the families it reaches. Raises `TargetUnusable`."""
    run = Run(f"{binding.value} {endpoint}", target, binding, endpoint, role=Role.GATEWAY)
    try:
        channel = await open_channel(run, context)
    except ConnectFailed as failure:
        where = "{}:{}".format(*context.settings.provider)
        said = message(
            "kit.gateway.no_port", where=where, reason=failure.why.words(context.settings.language)
        )
        raise TargetUnusable(said) from None
    try:
        asked = [await _baseline(channel, family.value) for family in FAMILIES]
    finally:
        await channel.close()
    both = list(zip(FAMILIES, asked, strict=True))
    reached = [family.value for family, each in both if _is_good(each) and _asked(each) is family]
    if not reached or _repeats(asked):
        raise _why_unreached(target, asked, context)
    capabilities = {"families": reached, "policy": dict(context.settings.gateway_policy)}
    others = tuple(
        (family.value, _why_left_out(each)) for family, each in both if family.value not in reached
    )
    return [Discovered(run, capabilities=capabilities, left_out=others)]


def _is_good(exchange: Exchange) -> bool:
    answer = exchange.answer
    return arrived(exchange) and answer is not None and answer.status == _OK


def _asked(exchange: Exchange) -> ApiFamily | None:
    """Return the family whose API got the last request."""
    paths = [moment.path for moment in exchange.timeline if moment.seen is Seen.ARRIVED]
    found = face_of(*paths[-1].partition("?")[::2], {}) if paths else None
    return found[0].family if found is not None else None


def _why_left_out(exchange: Exchange) -> Message:
    """Return why a family is not checked: its provider was not reached, or not at an API's path."""
    if path := _past_every_api(exchange):
        return message("kit.left_out.no_api", path=path)
    elsewhere = _asked(exchange)
    if _is_good(exchange) and elsewhere is not None:
        return message("kit.left_out.other_api", api=elsewhere.value)
    if exchange.answer is None:
        return message("kit.left_out.family_unanswered")
    status = exchange.answer.status
    words = "kit.left_out.family_failed" if arrived(exchange) else "kit.left_out.family"
    return message(words, status=status)


def arrived(exchange: Exchange) -> bool:
    """Return whether a call reached the provider."""
    return any(moment.seen is Seen.ARRIVED for moment in exchange.timeline)


def _url(exchange: Exchange) -> str:
    assert isinstance(exchange.request, ModelCall)
    return exchange.request.url


def _body(exchange: Exchange) -> bytes:
    return exchange.answer.body if exchange.answer is not None else b""


def _names_model(exchange: Exchange) -> bool:
    """Return whether an answer contains the name of the model, which is made up."""
    assert isinstance(exchange.request, ModelCall)
    return exchange.request.nonce.encode() in _body(exchange)


def _is_page(exchange: Exchange) -> bool:
    """Return whether no gateway answered: the answer is not a JSON object, or its path unknown."""
    answer = exchange.answer
    assert answer is not None
    if is_stream(answer.header("content-type")):
        return False
    if answer.status in _NO_PATH and not _names_model(exchange):
        return b"model" not in answer.body.lower()
    return answer.status == _OK and not _is_object(answer.body)


def _is_object(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False


def _past_every_api(exchange: Exchange) -> str:
    """Return a path where a call reached the provider, but no API; empty if there is none."""
    for moment in exchange.timeline:
        path, _, query = moment.path.partition("?")
        if moment.seen is Seen.ARRIVED and face_of(path, query, {}) is None:
            return path
    return ""


def _repeats(asked: list[Exchange]) -> bool:
    """Return whether a call got the answer of another call. Each has a mark that no other has."""
    marks = [each.request.mark.encode() for each in asked if isinstance(each.request, ModelCall)]
    return any(
        mark in _body(each)
        for number, each in enumerate(asked)
        for other, mark in enumerate(marks)
        if other != number
    )


async def _baseline(channel: Channel, family: str) -> Exchange:
    binding = spoken(channel.binding, GatewayBinding)
    call = model_call(binding, channel.context.settings.gateway_policy, family)
    asked = await channel.send(call, script=LOOKED, step=Step(BASELINE, place=family))
    if asked.trouble is not Trouble.CLOSED or arrived(asked):
        return asked
    # The gateway may just have been started: try once more.
    call = model_call(binding, channel.context.settings.gateway_policy, family)
    return await channel.send(call, script=LOOKED, step=Step(BASELINE, place=family, number=2))


def _why_unreached(target: str, asked: list[Exchange], context: Context) -> TargetUnusable:
    first = next((each for each in asked if each.answer is not None), asked[0])
    reason = system_words((first.trouble_detail or str(first.trouble)).rstrip("."))
    if all(each.trouble is Trouble.REFUSED for each in asked):
        return TargetUnusable(message("kit.gateway.unreachable", target=target, reason=reason))
    said: dict[str, Any] = {
        "target": target,
        "provider": "http://{}:{}".format(*context.settings.provider),
    }
    if first.answer is None:
        words = "closed" if first.trouble is Trouble.CLOSED else "no_answer"
        return TargetUnusable(message(f"kit.gateway.{words}", reason=reason, **said))
    path = next((found for each in asked if (found := _past_every_api(each))), "")
    status = first.answer.status
    if _repeats(asked):
        words = "cached"
    elif path:
        words, said["path"] = "no_api", path
    elif any(arrived(each) for each in asked):
        words = "baseline_failed"
    elif status in _NO_KEY:
        words = "no_key"
    elif _is_page(first):
        words, said["url"] = "no_gateway", _url(first)
    elif status >= _FAILURE and _names_model(first):
        words = "no_model"
    elif status == _OK:
        words = "answered_alone"
    else:
        words = "not_called"
    return TargetUnusable(message(f"kit.gateway.{words}", status=status, **said))
