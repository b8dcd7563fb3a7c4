"""ATDF's judges of errors and declarations, and HTTP's of lists: each half of their sentences."""

from dataclasses import replace

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.evidence.catalog import TOOLS
from conformance.kit.evidence.script import LOOKED, MOST_PAGES
from conformance.kit.model.case import CaseKind, Violation
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest, Trouble
from conformance.kit.model.step import Mark, Step
from conformance.spec.vocabulary import Verdict
from tests.kit.samples import (
    HERE,
    JSON,
    MCP,
    accepted,
    called,
    case,
    envelope,
    error,
    of_tool,
    refused,
    result,
    rpc,
    run_evidence,
    tool_evidence,
    verdict,
    web,
)


def step(name, status, body, *, script="http_wire", path="/x", **of):
    """A step of a script that was answered so."""
    request = HttpRequest("GET", HERE + path)
    answer = web(status, body).answer
    own = Step(name, **of)
    return Exchange(900, "http", request, answer, None, 0.0, 0.0, script=script, step=own)


def of_run(clause, *calls, claims=True, **scripts):
    """The item of a clause about a run, by calls of one tool and steps of scripts."""
    kept = {name: tuple(steps) for name, steps in scripts.items()}
    return verdict(clause, run_evidence(tool_evidence(*calls), claims=claims, scripts=kept))


def test_two_errors_of_one_answer_may_not_share_an_instance():
    twice = error(instance="/errors/a")
    assert of_run("ATDF-ERR-005", refused(twice, dict(twice))).verdict is Verdict.FAIL


def test_two_answers_may_not_share_an_instance():
    one, two = refused(error(instance="/errors/b")), refused(error(instance="/errors/b"))
    assert of_run("ATDF-ERR-005", one, two).verdict is Verdict.FAIL


def test_errors_with_instances_of_their_own_are_right():
    assert of_run("ATDF-ERR-005", refused(error(), error()), refused()).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (envelope(error("not-found", None, tool_name=None)), Verdict.PASS),
        (envelope(error("not-found", None)), Verdict.FAIL),
        ({"detail": "not found"}, Verdict.NOT_APPLICABLE),
    ],
)
def test_an_error_of_an_unknown_path_names_no_tool(body, expected):
    item = of_run("ATDF-ERR-017", http_wire=[step("unknown-path", 404, body)])
    assert item.verdict is expected


def mcp_failure(*texts, **more):
    """A broken call over MCP that was refused so."""
    return called(rpc(result(*texts, isError=True, **more), of=case(run=MCP)))


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (mcp_failure("no"), Verdict.NOT_APPLICABLE),
        (mcp_failure('{"error": "no"}'), Verdict.NOT_APPLICABLE),
        (mcp_failure('{"errors": []}'), Verdict.NOT_APPLICABLE),
        (mcp_failure("no", structuredContent=envelope(error())), Verdict.FAIL),
    ],
)
def test_the_place_of_an_envelope_is_judged_where_there_is_one(failure, expected):
    run = run_evidence(tool_evidence(failure, run=MCP), run=MCP, claims=True)
    assert verdict("MCP-ATDF-001", run, "book").verdict is expected


OPTIONAL = {
    "ATDF-TOOL-005": {"properties": {"day": {"$ref": "#/$defs/day"}}, "$defs": {"day": {}}},
    "ATDF-TOOL-006": {"examples": [{"name": "one", "input": {"count": 1}}]},
    "ATDF-TOOL-008": {"properties": {"day": {"type": "string", "description": "A day."}}},
    "ATDF-TOOL-009": {"properties": {"day": {"type": "string", "default": "Monday"}}},
    "ATDF-TOOL-010": {"tags": ["a"]},
    "ATDF-TOOL-011": {"invocation": {"endpoint": "/b", "method": "POST"}},
    "ATDF-TOOL-013": {"version": "1.0.0"},
}


def declares(clause, **fields):
    """The verdict on a tool that declares these fields, or keywords of its schema."""
    schema = {"type": "object", **{k: v for k, v in fields.items() if k in ("properties", "$defs")}}
    tool = Tool("t", schema, ToolForm.CATALOG, {"name": "t", "inputSchema": schema, **fields})
    run = run_evidence(tool_evidence(tool=tool), claims=True)
    return verdict(clause, run, "t").verdict


@pytest.mark.parametrize("clause", OPTIONAL)
def test_what_a_tool_does_not_declare_is_not_applicable(clause):
    assert declares(clause) is Verdict.NOT_APPLICABLE
    assert declares(clause, **OPTIONAL[clause]) is Verdict.PASS


def test_fields_are_found_where_mcp_and_descriptors_keep_them():
    meta = {"io.github.agent-formats/atdf": {"tags": ["a"]}}
    assert declares("ATDF-TOOL-010", _meta=meta) is Verdict.PASS
    assert declares("ATDF-TOOL-010", metadata={"tags": ["a"]}) is Verdict.PASS


def page(number, cursor, *names):
    """A page of a collection of tools."""
    body = {"tools": [{"name": name} for name in names]}
    body |= {"nextCursor": cursor} if cursor else {}
    made = step(TOOLS, 200, body, script=LOOKED, place="/tools", number=number)
    return replace(made, id=number)


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([page(1, None, "a")], Verdict.NOT_APPLICABLE),
        ([page(1, "x", "a"), page(2, None, "b")], Verdict.PASS),
        ([page(1, "x", "a"), page(2, "x", "b")], Verdict.WARN),
        ([page(1, "x", "a"), page(2, None, "a")], Verdict.WARN),
        ([page(n, f"c{n}") for n in range(1, MOST_PAGES + 1)], Verdict.WARN),
        ([page(n, f"c{n}") for n in range(1, MOST_PAGES)] + [page(MOST_PAGES, None)], Verdict.PASS),
    ],
)
def test_a_list_comes_to_an_end(pages, expected):
    assert of_run("HTTP-DISC-006", **{LOOKED: pages}).verdict is expected


def test_one_tool_may_be_in_two_collections():
    first, other = page(1, "x", "a"), page(2, None, "b")
    again = replace(page(1, None, "a"), id=7, step=Step(TOOLS, place="/favourites", number=1))
    item = of_run("HTTP-DISC-006", **{LOOKED: [first, other, again]})
    assert item.verdict is Verdict.PASS


FOUND = step("one", 200, {"name": "a"}, script="http_look_around")
UNKNOWN = replace(step("unknown-id", 404, {}, script="http_look_around"), id=901)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([FOUND, UNKNOWN], Verdict.PASS),
        ([UNKNOWN], Verdict.NOT_VERIFIED),
        ([replace(FOUND, answer=Answer(429, JSON)), UNKNOWN], Verdict.NOT_VERIFIED),
        ([replace(FOUND, answer=Answer(404, JSON)), UNKNOWN], Verdict.WARN),
        ([FOUND, replace(UNKNOWN, answer=Answer(403, JSON))], Verdict.NOT_VERIFIED),
        ([FOUND, replace(UNKNOWN, answer=Answer(200, JSON, b"{}"))], Verdict.WARN),
    ],
)
def test_a_resource_by_its_id_is_judged_where_it_was_asked_for(steps, expected):
    assert of_run("HTTP-DISC-004", http_look_around=steps).verdict is expected


def test_the_media_type_of_an_error_is_judged_and_its_shape_is_another_clause_s():
    plain = called(web(422, {"detail": "no"}, of=case(CaseKind.BROKEN)))
    assert of_tool("HTTP-ERR-003", accepted(), plain).verdict is Verdict.PASS
    assert of_tool("ATDF-ERR-015", accepted(), plain).verdict is Verdict.FAIL


@pytest.mark.parametrize("kind", ["application/problem+json", "text/x-error+json"])
def test_every_type_that_ends_in_json_is_json(kind):
    typed = web(422, envelope(error()), of=case(), headers=(("Content-Type", kind),))
    assert of_tool("HTTP-ERR-003", accepted(), called(typed)).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("sent", "expected"), [(None, Verdict.PASS), ([], Verdict.PASS), ({"count": 10}, Verdict.WARN)]
)
def test_what_is_not_an_object_may_be_refused_as_a_malformed_request(sent, expected):
    right = refused(error(parameter="count"), kind=CaseKind.BROKEN)
    whole = Violation("", None, ("type",), was={"count": 2}, sent=sent)
    own = {} if isinstance(sent, dict) else {"violation": whole}
    odd = refused(error("malformed-request"), arguments=sent, **own)
    assert of_tool("ATDF-ERR-016", accepted(), right, odd).verdict is expected


ENRICHED = {"status": "error", "data": {"code": "E1", "message": "Too many."}}


def test_an_enriched_error_is_a_refusal_and_no_acceptance_even_with_a_success_s_status():
    odd = called(web(200, ENRICHED, of=case(CaseKind.BROKEN)))
    assert of_tool("ATDF-CALL-001", accepted(), odd).verdict is Verdict.PASS
    assert of_tool("HTTP-ERR-001", accepted(), odd).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "data",
    [
        {"status": "error", "message": "a job's own state", "job": 7},
        {"status": "error", "data": {"rows": []}},
        {"status": "success", "data": {"code": "E1", "message": "m"}},
    ],
)
def test_a_result_that_speaks_of_an_error_is_still_a_result(data):
    odd = called(web(200, data, of=case(CaseKind.BROKEN)))
    assert of_tool("ATDF-CALL-001", accepted(), odd).verdict is Verdict.FAIL


@pytest.mark.parametrize("status", [204, 205])
def test_a_success_that_cannot_have_a_body_needs_none(status):
    item = of_tool("HTTP-CALL-002", called(web(status, b"", of=case(CaseKind.VALID))))
    assert (item.verdict, item.findings) == (Verdict.PASS, ())


def test_a_success_without_a_body_that_could_have_one_is_told_as_such():
    item = of_tool("HTTP-CALL-002", called(web(200, b"", of=case(CaseKind.VALID))))
    assert item.verdict is Verdict.WARN
    assert [each.message.id for each in item.findings] == ["finding.http.no_body"]


@pytest.mark.parametrize("reply", [b'{"rows": [1, 2', b""])
def test_an_answer_larger_than_the_kit_reads_is_not_judged(reply):
    for exchange in (
        web(200, reply, of=case(CaseKind.VALID), trouble=Trouble.TOO_LARGE),
        rpc(reply, of=case(CaseKind.VALID), trouble=Trouble.TOO_LARGE),
    ):
        found = [
            of_tool(clause, accepted(), called(exchange)).verdict
            for clause in ("ATDF-CALL-004", "ATDF-CALL-005", "ATDF-CALL-006", "HTTP-CALL-002")
        ]
        assert found == [Verdict.PASS, Verdict.PASS, Verdict.NOT_VERIFIED, Verdict.PASS]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (b"null", Verdict.PASS),
        (b'{"kept": 1' + b"0" * 5000 + b"}", Verdict.PASS),
        (b"[" * 1000 + b"]" * 1000, Verdict.NOT_APPLICABLE),
        (b"{'kept': 1}", Verdict.WARN),
    ],
)
def test_json_that_the_kit_cannot_read_whole_is_json_all_the_same(reply, expected):
    call = called(web(200, reply, of=case(CaseKind.VALID)))
    assert of_tool("HTTP-CALL-002", call).verdict is expected


@pytest.mark.parametrize("status", [401, 429, 503])
def test_rights_and_load_say_nothing_of_malformed_requests(status):
    steps = [step("unknown-path", status, {}), step("unknown-path", status, {}, mark=Mark.ALIVE)]
    steps += [step("not-json", status, {}), step("cut-json", status, {})]
    for clause in ("HTTP-ERR-004", "HTTP-ERR-007", "HTTP-ERR-009", "HTTP-WIRE-001"):
        assert of_run(clause, http_wire=steps).verdict is Verdict.NOT_VERIFIED
