"""What an OpenAPI document declares, and whether the answers match it (HTTP-OAS)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.catalog.openapi_media import json_kind
from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence
from conformance.kit.evidence.response import header_of
from conformance.kit.verdicts.by_schema import Distinct
from conformance.kit.verdicts.checks import (
    Checks,
    broken,
    by_rules,
    clause,
    family,
    holds,
)
from conformance.spec.clauses import Clause
from conformance.spec.vocabulary import Family


@family(Family.OPENAPI)
def test_what_the_document_declares(declared: RunEvidence | ToolEvidence, clause: Clause) -> Checks:
    """The document as a whole, or one operation of it, follows the rules."""
    yield from by_rules(None, declared.problems, clause.id)


@clause("HTTP-OAS-003")
def test_an_answer_is_as_documented(tool: ToolEvidence) -> Checks:
    """A JSON answer is valid for the schema of its status. Other answers belong to CALL-002."""
    if any(problem.clause == "HTTP-OAS-002" for problem in tool.problems):
        return
    answers: Mapping[str, Any] = tool.tool.raw["answers"]
    distinct = Distinct()
    for call in tool.calls:
        status = str(call.reading.status)
        schema = answers.get(status, answers.get("2XX"))
        if not call.reading.accepted or schema is None or call.reading.document is None:
            continue
        if not _is_of_another_form(call):
            yield from distinct.check(call, schema, call.reading.document)
    yield from distinct.rest()


def _is_of_another_form(call: Call) -> bool:
    """Return whether an answer has a documented media type other than the JSON one."""
    status, kinds = str(call.reading.status), call.tool.raw.get("kinds", {})
    listed = kinds.get(status, kinds.get("2XX", ()))
    given = (header_of(call.exchange, "content-type") or "").partition(";")[0]
    kind = given.strip().lower()
    return kind in listed and kind != json_kind(listed)


@clause("HTTP-OAS-004")
def test_a_success_has_a_status_that_is_documented(tool: ToolEvidence) -> Checks:
    """The document lists the status of a success, as a number, as `2XX` or as `default`.

    A document need not list every status of an error.
    """
    responses = tool.tool.raw["operation"].get("responses")
    named = map(str, responses) if isinstance(responses, dict) else ()
    listed = {status.upper() for status in named if not status.startswith("x-")}
    if not listed:
        return
    for call in tool.calls:
        status = call.reading.status
        if not call.reading.accepted or not 200 <= status < 300:
            continue
        if {str(status), "2XX", "DEFAULT"} & listed:
            yield holds()
        else:
            promised = ", ".join(sorted(listed))
            yield broken(call, "finding.http.status_unlisted", status=status, listed=promised)
