"""Find out whether a gateway reaches the provider that the kit plays, family by family."""

from __future__ import annotations

from conformance.kit.cases.provider.calls import BASELINE, FAMILIES, model_call
from conformance.kit.config.system_words import system_words
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.performance import Seen
from conformance.kit.model.run import Role, Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.gateway import GatewayBinding
from conformance.spec.messages import message
from conformance.spec.vocabulary import Binding

_OK = 200


async def gateway_runs(
    binding: Binding, endpoint: str, target: str, context: Context
) -> list[Discovered]:
    """The one run of a gateway, with the families that it reaches; raises TargetUnusable."""
    run = Run(f"{binding.value} {endpoint}", target, binding, endpoint, role=Role.GATEWAY)
    try:
        channel = await open_channel(run, context)
    except ConnectFailed as failure:
        where = "{}:{}".format(*context.settings.provider)
        said = message("kit.gateway.no_port", where=where, reason=failure.reason)
        raise TargetUnusable(said) from None
    try:
        asked = [await _baseline(channel, family.value) for family in FAMILIES]
    finally:
        await channel.close()
    reached = [
        family.value
        for family, exchange in zip(FAMILIES, asked, strict=True)
        if arrived(exchange) and exchange.answer is not None and exchange.answer.status == _OK
    ]
    if not reached:
        raise _why_unreached(target, asked, context)
    policy = dict(context.settings.gateway_policy)
    return [Discovered(run, capabilities={"families": reached, "policy": policy})]


def arrived(exchange: Exchange) -> bool:
    """Whether a call reached the provider."""
    return any(moment.seen is Seen.ARRIVED for moment in exchange.timeline)


async def _baseline(channel: Channel, family: str) -> Exchange:
    binding = spoken(channel.binding, GatewayBinding)
    call = model_call(binding, channel.context.settings.gateway_policy, family)
    return await channel.send(call, script=LOOKED, step=Step(BASELINE, place=family))


def _why_unreached(target: str, asked: list[Exchange], context: Context) -> TargetUnusable:
    first = asked[0]
    if first.trouble is Trouble.REFUSED:
        reason = system_words(first.trouble_detail)
        return TargetUnusable(message("kit.target.unreachable", target=target, reason=reason))
    where = "http://{}:{}".format(*context.settings.provider)
    status = first.answer.status if first.answer is not None else 0
    if any(arrived(each) for each in asked):
        words = "kit.gateway.baseline_failed"
    elif status == _OK:
        words = "kit.gateway.answered_alone"
    else:
        words = "kit.gateway.not_called"
    return TargetUnusable(message(words, target=target, status=status, provider=where))
