"""ARDF at a target: what counts as offered, and what its judges say of it."""

from __future__ import annotations

import json

import pytest

from conformance.ardf.scripts import FILTERED, UNKNOWN, ardf_look_around
from conformance.kit.evidence.catalog import CATALOG, RESOURCES, TOOLS, offered
from conformance.kit.evidence.script import Stage
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from conformance.kit.model.step import Step
from conformance.kit.report.html.rows import fold
from conformance.kit.transport.http import HttpBinding
from conformance.kit.verdicts.checks import ClauseTest, Said, load
from conformance.kit.verdicts.judge import Question, judge, questions
from conformance.spec.clauses import clauses
from conformance.spec.vocabulary import Offer, ResourceType, Verdict
from tests.chapters import mcp_evidence as mcp
from tests.kit.samples import HTTP, run_evidence

JUDGES = {test.clause: test for test, _ in load("conformance.ardf").tests}
CARD = {
    "schema_version": "1.0.0",
    "resource_id": "card",
    "resource_type": "custom",
    "description": "A card",
}


def page(name, document, status=200, id=[0], **of):  # noqa: B006  # counts over all tests
    id[0] += 1
    body = json.dumps(document).encode()
    request = HttpRequest("GET", "http://127.0.0.1/x")
    answer = Answer(status, (), body)
    return Exchange(
        id[0], HTTP.id, request, answer, None, 0, 0, script="discovery", step=Step(name, **of)
    )


def listing(*resources, more=None, path="/custom"):
    manifest = page("manifest", {"resources": [{"type": "custom", "path": path}]})
    extra = {"nextCursor": more} if more else {}
    return manifest, page(RESOURCES, {"resources": list(resources), **extra}, place=path, number=1)


def told(clause, *looked, tools=()):
    run = run_evidence(scripts={"discovery": looked}, offered=offered(looked, tools))
    return judge(Question(JUDGES[clause], clauses()[clause], HTTP.id), run)


def test_a_manifest_of_tools_alone_offers_no_resources():
    found = offered([page("manifest", {"resources": [{"type": "tool", "path": "/tools"}]})], ())
    assert found.names == {}


def test_a_page_that_is_no_collection_offers_nothing():
    found = offered(
        [page(RESOURCES, {"resources": ["a", {"id": 3}]}, place="/documents", number=1)], ()
    )
    assert found.names == {}


def test_a_collection_without_a_manifest_is_known_by_its_resources():
    found = offered([page(RESOURCES, {"resources": [CARD]}, place="/custom", number=1)], ())
    assert list(found.names) == [Offer.RESOURCES]
    assert found.counts == {"custom": 1}


def test_tools_in_the_form_of_ardf_are_resources():
    found = offered([page(TOOLS, {"resources": [CARD]}, place="/tools", number=1)], ())
    assert [each.collection for each in found.resources] == ["/tools"]


def test_a_list_of_tools_at_the_path_of_the_catalog_is_no_catalog():
    found = offered([page(CATALOG.name, {"tools": [{"name": "t", "inputSchema": {}}]})], ())
    assert Offer.TOOLSETS not in found.names


@pytest.mark.parametrize("clause", sorted(JUDGES))
def test_a_target_without_resources_is_asked_each_clause_once_and_owes_none(clause):
    run = run_evidence()
    test = JUDGES[clause]
    (asked,) = questions([(test, clauses()[clause])], {HTTP.id: (HTTP, ("a", "b"))}, {})
    assert judge(asked, run).verdict is Verdict.NOT_APPLICABLE


def test_a_chapter_on_what_is_not_offered_is_one_line_of_the_report():
    run = run_evidence()
    asked = [Question(test, clauses()[id], HTTP.id) for id, test in JUDGES.items()]
    assert len(fold([judge(one, run) for one in asked]).rows) == 1


def test_a_clause_about_a_block_that_nobody_has_is_not_passed():
    assert told("ARDF-GUARD-001", *listing(CARD)).verdict is Verdict.NOT_APPLICABLE
    assert told("ARDF-RES-005", *listing(CARD)).verdict is Verdict.PASS


def test_a_collection_of_every_type_is_asked_for_one_that_it_holds():
    looked = listing(*({**CARD, "resource_id": k, "resource_type": k} for k in ResourceType))
    stage = Stage(HttpBinding(HTTP), (), {}, offered=offered(looked, ()))
    steps = [each.step for each in ardf_look_around(stage)]
    filtered = [each for each in steps if each.name == FILTERED]
    assert filtered == [Step(FILTERED, place="/custom", type="tool")]


def test_a_reference_may_lead_to_a_page_that_was_not_read():
    needing = {**CARD, "prerequisites": {"resources": ["elsewhere"]}}
    assert told("ARDF-COL-003", *listing(needing)).verdict is Verdict.FAIL
    assert told("ARDF-COL-003", *listing(needing, more="x")).verdict is Verdict.NOT_VERIFIED


def test_a_finding_says_where_in_the_answer_it_is():
    item = told("ARDF-RES-005", *listing(CARD, {**CARD, "resource_id": "b", "description": ""}))
    assert [finding.path for finding in item.findings] == ["$.resources[1].description"]


def test_a_resource_that_is_null_is_no_resource():
    assert told("ARDF-RES-001", *listing(None, CARD)).verdict is Verdict.FAIL


def test_each_judge_serves_the_clause_that_it_names():
    assert all(isinstance(each, ClauseTest) for each in JUDGES.values())
    assert len(JUDGES) == 44


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (mcp.error(-32002), Said.HOLDS),
        (mcp.error(0), Said.HOLDS),
        (mcp.result(contents=[]), Said.BROKEN),
    ],
    ids=["refused", "refused-with-another-code", "empty"],
)
def test_a_read_of_what_is_not_there_is_refused(reply, said):
    read = mcp.exchange(mcp.LEGACY_RUN, UNKNOWN, reply, method="resources/read")
    run = mcp.evidence(mcp.LEGACY_RUN, ardf_absent=[read])
    assert [each.said for each in JUDGES["MCP-RES-002"].judge(run)] == [said]
