"""The headers that mirror the body (MCP-HEAD)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance.formats.problem import Place, json_path
from conformance.formats.text import rpc
from conformance.formats.tool import header_names
from conformance.formats.tool.headers import header_paths, mirrored
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence
from conformance.kit.evidence.response import read
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, other_refusal, unknown
from conformance.mcp.seen import (
    answered,
    has_legacy,
    is_ok,
    is_refused,
    not_taken,
    proves_nothing,
    usable,
    wanted,
)
from conformance.spec.vocabulary import Outcome

_WITHOUT = "finding.mcp.without_header"
_TYPE = "documents.header.type"
"""The rule about types. The specification does not say what holds for no type, or for several."""


@clause("MCP-HEAD-001")
def test_a_missing_standard_header_is_refused(run: RunEvidence) -> Checks:
    """A request without a standard header is refused.

    A server with a legacy era may accept a request without a version header as a legacy request.
    """
    yield from _refused(run, "plain", {"no-method": header_names.METHOD}, _WITHOUT)
    yield from _refused(run, "call-plain", {"call-no-name": header_names.NAME}, _WITHOUT)
    if has_legacy(run) is False:
        yield from _refused(run, "plain", {"no-version": header_names.PROTOCOL_VERSION}, _WITHOUT)


@clause("MCP-HEAD-002")
def test_a_header_other_than_the_body_is_refused(run: RunEvidence) -> Checks:
    """A header unlike the body is refused. A legacy version may be refused for another reason."""
    word = "finding.mcp.other_header"
    yield from _refused(run, "plain", {"other-method": header_names.METHOD}, word)
    yield from _refused(run, "call-plain", {"call-other-name": header_names.NAME}, word)
    other = run.step("mcp_headers", "other-version")
    if has_legacy(run) is False and other is not None and is_ok(other):
        yield broken(
            other,
            word,
            header=header_names.PROTOCOL_VERSION,
            answer=answered(other),
            wanted=wanted(other, rpc.HEADER_MISMATCH, 400),
        )


def _refused(run: RunEvidence, plain: str, steps: Mapping[str, str], word: str) -> Checks:
    """Check that each step is refused for its header, if the correct request was accepted."""
    good = run.step("mcp_headers", plain)
    if good is None:
        if plain == "plain":
            yield not_taken("mcp_headers", plain)
        return
    if not is_ok(good):
        yield unknown("kit.not_verified.baseline", good)
        return
    for step, header in steps.items():
        found: list[Exchange] = []
        yield from usable(run, "mcp_headers", step, found)
        for exchange in found:
            if is_refused(exchange, rpc.HEADER_MISMATCH, 400):
                yield holds()
            else:
                yield broken(
                    exchange,
                    word,
                    header=header,
                    answer=answered(exchange),
                    wanted=wanted(exchange, rpc.HEADER_MISMATCH, 400),
                )


@clause("MCP-HEAD-003")
def test_an_encoded_name_is_decoded(run: RunEvidence) -> Checks:
    """A call with an encoded name is accepted like the one with the plain name."""
    yield from _same(run, "call-plain", "call-encoded-name", "finding.mcp.encoded_name")


@clause("MCP-HEAD-004")
def test_the_case_of_a_header_does_not_matter(run: RunEvidence) -> Checks:
    """A request is accepted whatever the case of its headers is."""
    yield from _same(run, "plain", "other-case", "finding.mcp.header_case")
    if run.step("mcp_headers", "call-plain") is not None:
        yield from _same(run, "call-plain", "call-other-case", "finding.mcp.header_case")


def _same(run: RunEvidence, plain: str, step: str, word: str) -> Checks:
    good, other = run.step("mcp_headers", plain), run.step("mcp_headers", step)
    if good is None or other is None:
        yield not_taken("mcp_headers", plain)
    elif not is_ok(good):
        yield unknown("kit.not_verified.baseline", good)
    elif is_ok(other):
        yield holds()
    elif proves_nothing(other) or read(other).outcome is Outcome.NO_ANSWER:
        yield other_refusal(other)
    else:
        yield broken(other, word, answer=answered(other))


@clause("MCP-HEAD-005")
def test_header_annotations_are_valid(tool: ToolEvidence) -> Checks:
    """Each header annotation of an input schema is valid."""
    schema = tool.tool.raw.get("inputSchema")
    if not isinstance(schema, dict):
        return
    paths, fault = header_paths(schema)
    for _ in paths:
        yield holds()
    if fault is None:
        return
    kind = _at(schema, fault.place[:-1]).get("type")
    words = fault.message
    if fault.message.id == _TYPE and (kind is None or isinstance(kind, list)):
        yield unknown(words.id, None, **dict(words.values))
    else:
        path = json_path(("inputSchema", *fault.place))
        yield broken(None, words.id, path=path, **dict(words.values))


def _at(schema: Any, place: Place) -> Mapping[str, Any]:
    for step in place:
        schema = schema[step]
    return schema if isinstance(schema, dict) else {}


@clause("MCP-HEAD-006")
def test_a_parameter_header_is_compared_with_the_argument(tool: ToolEvidence) -> Checks:
    """A call is refused if a parameter header is missing or differs from the argument.

    The correct call must have been accepted.
    """
    steps = {e.step: e for e in tool.played("mcp_parameters")}
    first = Step("plain", tool=tool.tool.name)
    plain = steps.get(first)
    if not tool.tool.header_parameters and not tool.tool.nested_header_parameters:
        return
    if plain is None:
        yield not_taken("mcp_parameters", first)
        return
    if not is_ok(plain):
        yield unknown("kit.not_verified.baseline", plain)
        return
    header = _first_header(tool, plain)
    for step, word in (("missing", _WITHOUT), ("other", "finding.mcp.other_header")):
        exchange = steps.get(Step(step, tool=tool.tool.name))
        if exchange is None or proves_nothing(exchange):
            yield other_refusal(exchange)
        elif is_refused(exchange, rpc.HEADER_MISMATCH, 400):
            yield holds()
        else:
            due = wanted(exchange, rpc.HEADER_MISMATCH, 400)
            yield broken(exchange, word, header=header, answer=answered(exchange), wanted=due)


def _first_header(tool: ToolEvidence, plain: Exchange) -> str:
    """Return the header that the script changed: the first one of the baseline call."""
    sent = json.loads(plain.request.body)
    return mirrored(tool.tool, sent["params"]["arguments"])[0][0]
