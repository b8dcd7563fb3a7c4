"""What the proof must not buy with false alarms: correct servers at the edge of a planted fault."""

from __future__ import annotations

import json

import pytest

from conformance.http.scripts import COLLECTION
from conformance.http.test_discovery import test_every_collection_answers_json as collections_answer
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from conformance.kit.model.run import Run
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import Said
from conformance.spec.vocabulary import Binding, Verdict
from fixtures.servers.start import REFERENCE, listening
from scripts.prove import Trial, judged

pytestmark = pytest.mark.usefixtures("forked")

QUIET = {Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.NOT_VERIFIED}
RUN = Run("http", "http://127.0.0.1:1", Binding.HTTP, "http://127.0.0.1:1")


def prompts(status, body):
    """A run whose collection of prompts was answered so; None means no answer at all."""
    answer = None if body is None else Answer(status, (), body)
    request = HttpRequest("GET", "http://127.0.0.1:1/prompts")
    exchange = Exchange(
        1,
        RUN.id,
        request,
        answer,
        None,
        0.0,
        0.1,
        script="s",
        step=Step(COLLECTION, place="/prompts"),
    )
    return RunEvidence(RUN, scripts={"http_look_around": (exchange,)})


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, b'{"resources": []}', Said.HOLDS),
        (200, b"[]", Said.HOLDS),
        (200, b"<p>Prompts", Said.BROKEN),
        (404, json.dumps({"errors": []}).encode(), Said.BROKEN),
        (403, b"{}", Said.UNKNOWN),
        (429, b"", Said.UNKNOWN),
        (0, None, Said.UNKNOWN),
    ],
)
def test_a_collection_that_may_not_be_read_is_no_collection_that_is_not_there(status, body, said):
    assert [check.said for check in collections_answer(prompts(status, body))] == [said]


@pytest.mark.slow
def test_a_server_without_a_fault_is_accused_by_no_clause():
    with listening(REFERENCE) as target:
        _, items = judged(Trial("", "http", ""), target)
    assert [item for item in items if item.verdict not in QUIET] == []
