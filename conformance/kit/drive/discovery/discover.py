"""Asks a target what it is and what it offers: its runs, each with its catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.formats.schema.uri import urlsplit
from conformance.kit.config.secrets import is_secret_name
from conformance.kit.drive.channel import Context, open_channel
from conformance.kit.drive.discovery.gateway import gateway_runs
from conformance.kit.drive.discovery.http import http_run, leave_alone, look
from conformance.kit.drive.discovery.mcp import mcp_runs
from conformance.kit.drive.discovery.versions import ELSEWHERE, protocol_runs
from conformance.kit.drive.pacing import together
from conformance.kit.drive.unusable_target import (
    MODELS,
    TargetUnusable,
    Unopened,
    lists_models,
    model_api,
    no_server,
    why_dead,
    why_model_api,
    why_nothing,
)
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.model.exchange import Exchange, HttpRequest, Trouble
from conformance.kit.model.loopback import same_place
from conformance.kit.model.run import Role, Run, free_id
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import BINDINGS, MCP_BINDINGS, own_target
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Binding


async def discover(
    target: str, context: Context, before: Sequence[Discovered] = ()
) -> list[Discovered]:
    """Return the runs of a target, each with its catalog. Raises `TargetUnusable`.

    `before` has the runs of earlier targets: an endpoint among them is not returned again. What was
    sent is recorded once it is known to which run it belongs.
    """
    draft = context.recorder.draft()
    asked = replace(context, recorder=draft)
    own = own_target(target)
    if own is not None:
        looked = await _discover_own(*own, target, asked)
    else:
        looked = await _discover_url(target, asked)
    looked = [each for each in looked if not any(is_same(each, one) for one in before)]
    found = _named(looked + protocol_runs(looked, context.settings), before)
    ids = {one.run.id: named.run.id for one, named in zip(looked, found, strict=False)}
    context.recorder.accept(draft, {run: ids.get(run, ELSEWHERE) for run in draft.requests})
    return found


def _named(found: Sequence[Discovered], before: Sequence[Discovered]) -> list[Discovered]:
    """Return the runs with ids that no other run has."""
    taken = {one.run.id for one in before}
    named: list[Discovered] = []
    for one in found:
        run = replace(one.run, id=free_id(one.run.usual_id, taken))
        taken.add(run.id)
        named.append(replace(one, run=run))
    return named


def is_same(one: Discovered, other: Discovered) -> bool:
    """Return whether two runs have the same endpoint, perhaps under different addresses.

    `localhost` and `127.0.0.1` with one port may be two servers: a single server lists the same at
    both.
    """
    run, known = one.run, other.run
    alike = (run.binding, run.version, run.openapi) == (known.binding, known.version, known.openapi)
    if not alike or run.kind is not known.kind:
        return False
    return run.endpoint == known.endpoint or (
        same_place(run.endpoint, known.endpoint) and one.documents == other.documents
    )


async def _discover_own(
    binding: Binding, endpoint: str, target: str, context: Context
) -> list[Discovered]:
    """Return the runs of a target that only one binding reaches."""
    if BINDINGS[binding].traits.role is Role.GATEWAY:
        return await gateway_runs(binding, endpoint, target, context)
    found, reason = await mcp_runs(binding, endpoint, target, context)
    if not found:
        agreed = reason is not None and reason.agreed
        if not agreed and (no_version := _no_version(target, context)):
            raise TargetUnusable(no_version)
        language, sandbox = context.settings.language, context.settings.sandbox
        if BINDINGS[binding].traits.starts_process:
            raise TargetUnusable(no_server(target, reason, sandbox=sandbox, language=language))
        said = reason or Unopened(message("kit.reason.no_answer"))
        raise TargetUnusable(
            message("kit.target.unreachable", target=target, reason=said.words(language))
        )
    return found


def _no_version(target: str, context: Context) -> Message | None:
    """Return that the target speaks none of the requested versions; None if it answered nothing.

    How a process ended is not an answer: a command that starts no server says nothing about
    versions.
    """
    wanted = context.settings.spec_versions
    asked = (e for e in context.recorder.by_id.held if not e.request.is_empty)
    answers = (each.answer for each in asked if each.answer is not None)
    answered = any(each.status or each.messages or each.body for each in answers)
    if not wanted or not answered:
        return None
    return message("kit.target.no_version", target=target, versions=", ".join(wanted))


async def _discover_url(target: str, context: Context) -> list[Discovered]:
    """Return the runs of a URL: the HTTP run, and the MCP runs at the usual places."""
    base = target.rstrip("/")
    probe = Run(f"http {base}", target, Binding.HTTP, base)
    channel = await open_channel(probe, context)
    try:
        has_path = bool(urlsplit(target).path.strip("/"))
        first = await look(channel, target if has_path else base, Step("itself"))
        if first.trouble is Trouble.REFUSED:
            raise TargetUnusable(why_dead(target, first.trouble_detail))
        asks = context.settings.asks_for
        # A GET without an answer may be a stream. MCP is still tried, because it uses POST.
        speaks = asks("http") and first.trouble is None
        http = await http_run(channel, probe, first) if speaks else None
        leave_alone(http.tools if http is not None else (), (), probe, context)
        mcp: list[Discovered] = []
        for turn, endpoints in enumerate(_mcp_endpoints(target, has_path=has_path)):
            if asks("mcp") and not mcp and not (turn and http):
                mcp = await _mcp_at(endpoints, target, context)
        if not (http or mcp) and first.answer is not None:
            listed = await look(channel, f"{model_api(target)}/models", MODELS)
            if lists_models(listed):
                raise TargetUnusable(why_model_api(target, context.settings.language))
    finally:
        await channel.close()
    found = [*([http] if http is not None else []), *mcp]
    if not found:
        raise TargetUnusable(_why_nothing(target, first, context))
    return found


def _mcp_endpoints(target: str, *, has_path: bool) -> list[list[str]]:
    """Return where MCP may be: the places of a list are asked together, the lists in turn.

    Some servers know an address with a slash at its end, others the one without, and few both.
    """
    base = target.rstrip("/")
    if not has_path:
        return [[base + "/mcp", base + "/"]]
    if urlsplit(target).query:
        return [[target]]
    return [[target], [base if target.endswith("/") else base + "/"]]


async def _mcp_at(endpoints: list[str], target: str, context: Context) -> list[Discovered]:
    """Return the MCP runs of the first endpoint that has some."""
    by_url = [name for name in MCP_BINDINGS if BINDINGS[name].traits.prefix is None]
    shut = context.off_limits
    places = [
        (name, each)
        for name in by_url
        for each in endpoints
        if not shut.holds(HttpRequest("POST", each))
    ]
    spoken = await together([mcp_runs(*place, target, context) for place in places])
    return next((runs for runs, _ in spoken if runs), [])


def _why_nothing(target: str, first: Exchange, context: Context) -> Message:
    if first.answer is not None and (no_version := _no_version(target, context)):
        return no_version
    return why_nothing(
        target,
        first,
        context.recorder.by_id.held,
        authorized=any(is_secret_name(name) for name, _ in context.settings.headers),
        language=context.settings.language,
    )
