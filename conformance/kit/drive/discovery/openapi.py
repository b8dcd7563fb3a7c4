"""Looks for an OpenAPI document at a target, and makes a run of its operations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urljoin, urlsplit

from conformance.formats.catalog.openapi import is_openapi, operations
from conformance.formats.text.json_text import Notation, read
from conformance.kit.drive.channel import Channel
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.discovered import Discovered
from conformance.kit.evidence.response import body_json
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import Run, free_id
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.http import HttpBinding
from conformance.spec.messages import message

USUAL = ("/openapi.json", "/api-docs", "/v3/api-docs", "/swagger.json")
"""Where frameworks serve the document."""


async def openapi_at(channel: Channel, run: Run, first: Exchange) -> Discovered | None:
    """The run of an OpenAPI document at the target itself, where `--openapi` says, or as usual.

    Raises TargetUnusable if `--openapi` names what is none.
    """
    given, taken = channel.context.settings.openapi, channel.context.taken
    if given is None and is_openapi(body_json(first)):
        return _run(run, body_json(first), run.endpoint, taken)
    for path in (given,) if given is not None else USUAL:
        url = urljoin(run.endpoint + "/", path)
        document = await _document(channel, url)
        if is_openapi(document):
            return _run(run, document, url, taken)
    if given is not None:
        raise TargetUnusable(message("kit.target.no_openapi", target=run.target, path=given))
    return None


async def _document(channel: Channel, url: str) -> Any:
    """The document at an address, in JSON or YAML; None where there is none."""
    request = spoken(channel.binding, HttpBinding).get(url)
    step = Step("openapi", place=url)
    exchange = await channel.send(request, script=LOOKED, step=step)
    if exchange.answer is None or exchange.answer.status != 200:
        return None
    found = body_json(exchange)
    if found is not None or b"openapi" not in exchange.answer.body[:4096]:
        return found
    return read(exchange.answer.body, Notation.YAML).data


def _run(http: Run, document: Any, url: str, taken: frozenset[str]) -> Discovered:
    catalog = operations(document)
    origin = urlsplit(http.endpoint)
    endpoint = f"{origin.scheme}://{origin.netloc}"
    own = replace(http, id=free_id("openapi", taken), endpoint=endpoint, openapi=True)
    return Discovered(
        own,
        tools=catalog.tools,
        problems=catalog.problems,
        documents=(document,),
        tools_path=url,
        left_out=catalog.left_out,
    )
