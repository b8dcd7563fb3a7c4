"""A plain REST service with an OpenAPI document: judged without a false alarm, and each defect."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

from conformance.formats.catalog.openapi import changing, operations
from conformance.formats.tool.tool import JSON, Input, Invocation, Where
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.case import CaseKind
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.transport.http import HttpBinding
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Level, Verdict
from fixtures.servers.rest import CLAUSES
from fixtures.servers.start import listening
from tests.kit.peers import answering
from tests.kit.samples import HTTP, TOOL, called, case, run_evidence, tool_evidence, verdict, web

pytestmark = pytest.mark.usefixtures("forked")

REST = "fixtures.servers.rest"
QUIET = {Verdict.PASS, Verdict.NOT_APPLICABLE}


def judged(url, **settings):
    session = Session(Settings(profiles=("http",), **settings))
    chapters = [load(f"conformance.{name}") for name in ("atdf", "http")]
    session.scripts = [script for chapter in chapters for script in chapter.scripts]
    session.discover((url,))
    asked = session.questions([test for chapter in chapters for test in chapter.tests])
    session.drive()
    return session, session.results(asked, session.judge(asked)).runs[0]


def test_a_correct_service_has_no_finding_and_is_guarded():
    with listening(REST, "--version", "3.0") as url:
        _, run = judged(url, allow_calls=AllowCalls.ALL)
    assert [(i.clause, i.tool, i.findings) for i in run.items if i.verdict not in QUIET] == []
    assert run.level is Level.GUARDED


def test_a_case_of_a_destructive_operation_is_replayed():
    asked = {"allow_calls": AllowCalls.ALL, "replay": "openapi/drop_item/above-the-minimum/id"}
    with listening(REST, "--version", "3.1") as url:
        session, run = judged(url, **asked)
    assert session.replayed
    assert run.tools_called == ("drop_item",)


def test_a_service_that_refuses_a_call_without_its_optional_body_is_told_to_require_it():
    held = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    post = {
        "operationId": "add",
        "requestBody": {"content": {JSON: {"schema": held}}},
        "responses": {"200": {"description": "ok", "content": {JSON: {"schema": {}}}}},
    }
    described = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}

    def answer(method, path, body, headers):
        if path == "/openapi.json":
            return 200, {**described, "paths": {"/items": {"post": post}}}
        named = isinstance(body, dict) and isinstance(body.get("name"), str)
        return (200, {}) if named else (400, {"detail": "no name"})

    with answering(answer) as url:
        _, run = judged(url, max_examples=0)
    (item,) = [each for each in run.items if each.clause == "ATDF-CALL-004" and each.tool == "add"]
    assert item.verdict is Verdict.NOT_VERIFIED
    assert {each.message.id for each in item.findings} == {"kit.not_verified.bodiless_refused"}


def test_a_status_that_only_the_first_creation_has_is_reported_although_a_repetition_has_another():
    held = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    post = {
        "operationId": "add",
        "requestBody": {"required": True, "content": {JSON: {"schema": held}}},
        "responses": {"200": {"description": "ok"}},
    }
    described = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}
    known = set()

    def answer(method, path, body, headers):
        if path == "/openapi.json":
            return 200, {**described, "paths": {"/items": {"post": post}}}
        name = body.get("name") if isinstance(body, dict) else None
        if not isinstance(name, str):
            return 400, {"detail": "no name"}
        status = 200 if name in known else 201
        known.add(name)
        return status, {"name": name}

    with answering(answer) as url:
        _, run = judged(url, max_examples=0)
    (item,) = [each for each in run.items if each.clause == "HTTP-OAS-004" and each.tool == "add"]
    assert item.verdict is Verdict.WARN


def test_a_parameter_with_the_name_of_a_session_of_mcp_is_like_any_other():
    session = {"name": "Mcp-Session-Id", "in": "header", "required": True}
    get = {
        "operationId": "one",
        "parameters": [{**session, "schema": {"type": "string", "minLength": 3}}],
        "responses": {"200": {"description": "ok"}, "404": {"description": "no such session"}},
    }
    described = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}

    def answer(method, path, body, headers):
        if path == "/openapi.json":
            return 200, {**described, "paths": {"/one": {"get": get}}}
        known = path == "/one" and len(headers.get("Mcp-Session-Id", "")) >= 3
        return (200, {}) if known else (404, {"detail": "no"})

    with answering(answer) as url:
        _, run = judged(url, max_examples=0)
    assert [item.clause for item in run.items if item.verdict is Verdict.KIT_ERROR] == []


def test_a_header_that_goes_with_each_request_is_no_input_of_a_tool():
    key = {"name": "x-api-key", "in": "header", "required": True, "schema": {"type": "string"}}
    page = {"name": "page", "in": "query", "required": True, "schema": {"type": "integer"}}
    get = {
        "operationId": "one",
        "parameters": [key, page],
        "responses": {"200": {"description": ""}},
    }
    described = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}

    def answer(method, path, body, headers):
        if path == "/openapi.json":
            return 200, {**described, "paths": {"/one": {"get": get}}}
        if headers.get("X-Api-Key") != "letmein":
            return 401, {"detail": "bad key"}
        number = path.partition("page=")[2]
        return (200, {}) if number.lstrip("-").isdecimal() else (422, {"detail": "page"})

    with answering(answer) as url:
        _, run = judged(url, headers=(("X-Api-Key", "letmein"),), max_examples=0)
    assert run.tools_called == ("one",)
    assert [
        (i.clause, i.findings)
        for i in run.items
        if i.clause.startswith("ATDF-CALL-00") and i.verdict not in QUIET
    ] == []


@pytest.mark.parametrize("version", ["3.1", "3.2"])
def test_what_may_not_or_cannot_be_called_is_named_and_the_rest_broken_where_it_survives_text(
    version,
):
    with listening(REST, "--version", version) as url:
        session, run = judged(url)
    assert {i.verdict for i in run.items if i.tool != "drop_item"} <= QUIET
    assert set(run.tools_called) == {"list_items", "add_item", "get_item", "note_item"}
    assert {left.tool: left.reason.id for left in run.tools_left_out} == {
        "drop_item": "kit.left_out.method",
        "page": "kit.left_out.openapi_answer",
    }
    cases = [e.case for e in session.recorder.by_id.values() if e.case is not None]
    broken = {(c.tool, c.violation.parameter) for c in cases if c.violation is not None}
    assert {("list_items", "limit"), ("list_items", "X-Sort"), ("add_item", "size")} <= broken
    assert {("get_item", "id"), ("note_item", "id")} <= broken


@pytest.mark.parametrize(("fault", "clauses"), CLAUSES.items())
def test_a_defect_is_caught_by_its_clauses_alone(fault, clauses):
    with listening(REST, "--fault", fault) as url:
        _, run = judged(url)
    assert {i.clause for i in run.items if i.verdict in {Verdict.FAIL, Verdict.WARN}} == {*clauses}


def test_a_document_that_is_not_there_is_said_in_one_sentence(recwarn):
    with listening(REST) as url, pytest.raises(TargetUnusable) as unusable:
        judged(url, openapi="/elsewhere.json")
    assert "/elsewhere.json" in unusable.value.words.words()
    gc.collect()
    assert [str(each.message) for each in recwarn if "never awaited" in str(each.message)] == []


def document(operation, **more):
    post = {"operationId": "x", "responses": OK, **operation}
    info = {"title": "t", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {"/x": {"post": post}}, **more}


OK = {"200": {"content": {"application/json": {}}}}


def at(url, **variables):
    listed = {name: {"default": value} for name, value in variables.items()}
    return {"servers": [{"url": url, "variables": listed}]}


V1, V2 = at("https://a.example/v1/"), at("/v2")


@pytest.mark.parametrize(
    ("whole", "around", "own", "expected"),
    [
        (V1, {}, {}, "/v1/x"),
        (V1, V2, {}, "/v2/x"),
        (V1, V2, at("https://a.example/v3"), "/v3/x"),
        ({}, {}, at("https://a.example/v3"), "/v3/x"),
        (V1, {"servers": []}, {"servers": "v3"}, "/v1/x"),
        (V1, {}, {"servers": ["v3"]}, "/x"),
        (at("https://{host}/{v}", host="a.example", v="v4"), {}, {}, "/v4/x"),
        (at("https://{host}/{v}", host="a.example"), {}, {}, "/x"),
        (at("/" + "{v}" * 100, v="v" * 501), {}, {}, "/x"),
        (V1, {}, at("https://b.example/v1"), None),
    ],
)
def test_an_operation_is_called_behind_the_path_of_its_own_server(whole, around, own, expected):
    described = document(own, **whole)
    described["paths"]["/x"] |= around
    found = operations(described)
    assert [tool.invocation.endpoint for tool in found.tools] == ([expected] if expected else [])
    assert [why.id for _, why in found.left_out] == ([] if expected else [SERVER])
    described["paths"]["/x"]["delete"] = described["paths"]["/x"]["post"]
    [(_, called)] = changing(described)
    assert called.endpoint == (expected or "/v1/x")


SERVER = "kit.left_out.openapi_server"


def test_methods_that_came_with_a_newer_version_are_left_out_by_name():
    item = {"query": {"responses": OK}, "additionalOperations": {"COPY": {"responses": OK}}}
    described = {**document({}), "openapi": "3.2.0", "paths": {"/x": {**item, "get": {}}}}
    found = operations(described)
    assert [tool.name for tool in found.tools] == ["GET /x"]
    assert [(name, why.id) for name, why in found.left_out] == [
        ("QUERY /x", "kit.left_out.openapi_unsent_method"),
        ("COPY /x", "kit.left_out.openapi_unsent_method"),
    ]


def body(schema, *, required=True):
    return {"required": required, "content": {"application/json": {"schema": schema}}}


LEFT = {
    "openapi_body": {"requestBody": {"required": True, "content": {"text/csv": {}}}},
    "openapi_parameter": {"parameters": [{"name": "c", "in": "cookie", "required": True}]},
    "openapi_path": {"parameters": [{"name": "id", "in": "path", "schema": {}}]},
    "openapi_answer": {"responses": {"200": {"content": {"text/html": {}}}}},
}


@pytest.mark.parametrize(
    "responses",
    [
        {},
        {"200": {"description": "ok"}},
        {"204": {}},
        {"default": {"description": "ok"}},
        {
            "422": {"content": {"application/json": {}}},
            "5XX": {"description": "ours"},
            "x-by": "hand",
        },
    ],
)
def test_an_operation_whose_answer_is_described_in_words_or_not_at_all_can_be_called(responses):
    (tool,) = operations(document({"responses": responses})).tools
    assert tool.raw["answers"] == {}


@pytest.mark.parametrize(
    "responses",
    [
        {"302": {"description": "to the login"}},
        {"200": {"content": {"text/csv": {}}}, "404": {"description": "none"}},
    ],
)
def test_an_operation_that_documents_another_form_is_left_out(responses):
    found = operations(document({"responses": responses}))
    assert [why.id for _, why in found.left_out] == ["kit.left_out.openapi_answer"]


@pytest.mark.parametrize(("reason", "operation"), LEFT.items())
def test_an_operation_that_cannot_be_called_is_left_out_by_name(reason, operation):
    found = operations(document(operation))
    assert [(name, why.id) for name, why in found.left_out] == [("x", f"kit.left_out.{reason}")]


OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Filter"},
        {"anyOf": [OBJECT, {"type": "null"}]},
        {"allOf": [{"$ref": "#/components/schemas/Filter"}]},
    ],
)
def test_an_object_in_a_query_is_not_sent_since_servers_read_its_text_in_different_ways(schema):
    one = {"name": "filter", "in": "query", "schema": schema}
    of = document({"parameters": [one]}) | {"components": {"schemas": {"Filter": OBJECT}}}
    (tool,) = operations(of).tools
    assert tool.invocation.inputs == ()


def test_a_reference_to_a_text_in_a_query_is_sent():
    one = {"name": "kind", "in": "query", "schema": {"$ref": "#/components/schemas/Kind"}}
    of = document({"parameters": [one]}) | {"components": {"schemas": {"Kind": {"enum": ["a"]}}}}
    (tool,) = operations(of).tools
    assert [each.name for each in tool.invocation.inputs] == ["kind"]


@pytest.mark.parametrize("name", ["Host", "transfer-encoding", "Content-Length", "Expect", "TE"])
def test_a_header_that_frames_a_message_or_names_a_host_is_not_taken_from_a_document(name):
    one = {"name": name, "in": "header", "schema": {"type": "string", "enum": ["chunked"]}}
    (tool,) = operations(document({"parameters": [one]})).tools
    assert tool.invocation.inputs == ()
    found = operations(document({"parameters": [one | {"required": True}]}))
    assert [why.id for _, why in found.left_out] == ["kit.left_out.openapi_parameter"]


BEARER = {"type": "http", "scheme": "Bearer"}
KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}


@pytest.mark.parametrize(
    ("scheme", "own", "of_all", "bearer"),
    [
        (BEARER, {"security": [{"a": []}]}, {}, True),
        (BEARER, {}, {"security": [{"a": []}]}, True),
        (BEARER, {"security": []}, {"security": [{"a": []}]}, False),
        ({"type": "oauth2", "flows": {}}, {"security": [{"a": ["read"]}]}, {}, True),
        (KEY, {"security": [{"a": []}]}, {}, False),
        (BEARER, {"security": [{"other": []}, 1]}, {}, False),
        (BEARER, {"security": {"a": 1}}, {}, False),
        (None, {"security": [{"a": []}]}, {}, False),
    ],
)
def test_a_route_is_known_to_ask_for_a_bearer_token(scheme, own, of_all, bearer):
    components = {"securitySchemes": {"a": scheme}}
    [tool] = operations(document(own, components=components, **of_all)).tools
    assert tool.raw["bearer"] is bearer


def test_a_body_that_is_no_plain_object_is_one_input():
    [tool] = operations(document({"requestBody": body({"type": "array"})})).tools
    assert [(one.name, one.where) for one in tool.invocation.inputs] == [("body", Where.WHOLE)]


def test_a_reference_that_leads_nowhere_is_a_problem_and_no_crash():
    found = operations(document({"requestBody": body({"$ref": "#/components/schemas/None"})}))
    assert [one.clause for one in found.problems] == ["HTTP-OAS-001"]


@pytest.mark.parametrize("reference", ["https://example.org/x.json", "x.yaml#/components/x"])
def test_a_reference_to_another_document_is_allowed_and_is_not_followed(reference):
    for operation in (
        {"requestBody": body({"$ref": reference})},
        {"requestBody": {"$ref": reference}},
        {"parameters": [{"$ref": reference}]},
        {"responses": {"200": {"$ref": reference}}},
    ):
        found = operations(document(operation))
        assert found.problems == ()
        assert [why.id for _, why in found.left_out] == ["kit.left_out.openapi_elsewhere"]
    (tool,) = operations(document({"responses": {**OK, "400": {"$ref": reference}}})).tools
    assert tool.name == "x"


def test_what_is_sent_and_taken_has_the_media_types_of_the_document():
    geo = {"application/geo+json": {"schema": {"type": "object"}}}
    for content, sent in ((geo, "application/geo+json"), (geo | OK["200"]["content"], JSON)):
        own = {"requestBody": {"required": True, "content": content},
               "responses": {"200": {"content": {"text/html": {}, **content}}}}  # fmt: skip
        (tool,) = operations(document(own)).tools
        request = HttpBinding(HTTP).call(tool, {"body": {}})
        taken = JSON if sent == JSON else f"{sent}, {JSON}"
        assert request.headers == (("Content-Type", sent), ("Accept", taken))


@pytest.mark.parametrize(
    ("kind", "body", "json", "as_documented"),
    [
        ("application/json", b'{"n": 1}', Verdict.PASS, Verdict.PASS),
        ("application/json", b'{"n": "1"}', Verdict.PASS, Verdict.FAIL),
        ("application/geo+json", b'{"n": "1"}', Verdict.PASS, Verdict.NOT_APPLICABLE),
        ("application/hal+json", b'{"n": "1"}', Verdict.PASS, Verdict.FAIL),
        ("text/html; charset=utf-8", b"<p>1</p>", Verdict.PASS, Verdict.NOT_APPLICABLE),
        ("text/csv", b"n\n1", Verdict.WARN, Verdict.NOT_APPLICABLE),
        ("application/json", b"<p>1</p>", Verdict.WARN, Verdict.NOT_APPLICABLE),
    ],
)
def test_an_answer_may_have_each_media_type_that_the_document_lists(
    kind, body, json, as_documented
):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    content = {"text/html": {}, "application/geo+json": {}, JSON: {"schema": schema}}
    (tool,) = operations(document({"responses": {"200": {"content": content}}})).tools
    run = replace(HTTP, openapi=True)
    sent = case(CaseKind.BASELINE, tool=tool, run=run)
    told = called(web(200, body, of=sent, headers=(("content-type", kind),)), tool)
    evidence = run_evidence(tool_evidence(told, tool=tool, run=run), run=run)
    found = [verdict(c, evidence, tool.name) for c in ("HTTP-CALL-002", "HTTP-OAS-003")]
    assert [each.verdict for each in found] == [json, as_documented]
    if kind == "text/csv":
        (finding,) = found[0].findings
        assert finding.message.id == "finding.http.unlisted"


def test_a_missing_route_of_a_document_is_corrected_there():
    (tool,) = operations(document({"responses": OK})).tools
    run = replace(HTTP, openapi=True)
    sent = case(CaseKind.BASELINE, tool=tool, run=run)
    told = called(web(405, b"", of=sent), tool)
    evidence = run_evidence(tool_evidence(told, tool=tool, run=run), run=run)
    (finding,) = verdict("HTTP-CALL-001", evidence, tool.name).findings
    assert finding.message.id == "finding.http.no_operation"


def test_a_schema_that_refers_to_itself_comes_to_an_end():
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    components = {"schemas": {"Node": node}}
    reference = {"$ref": "#/components/schemas/Node"}
    found = operations(document({"requestBody": body(reference)}, components=components))
    assert [tool.name for tool in found.tools] == ["x"]
    assert found.problems == ()


@pytest.mark.parametrize("value", ["..", "%2e%2e", "../act", "."])
def test_no_value_of_a_path_leads_to_another_route(value):
    sent = []
    place = {"name": "id", "in": "path", "required": True, "schema": {"enum": [value]}}
    own = {"operationId": "act", "parameters": [place], "responses": OK}
    info = {"title": "t", "version": "1"}
    described = {"openapi": "3.1.0", "info": info, "paths": {"/items/{id}/act": {"post": own}}}

    def answer(method, path, body, headers):
        sent.append((method, path))
        return (200, described) if path == "/openapi.json" else (404, {"detail": "nothing"})

    with answering(answer) as url:
        _, run = judged(url, max_examples=0)
    assert [path for method, path in sent if method == "POST" and path.endswith("act")] == []
    item = next(i for i in run.items if (i.clause, i.tool) == ("ATDF-CALL-001", "act"))
    assert item.verdict is Verdict.NOT_VERIFIED
    assert any("--examples" in finding.message.words() for finding in item.findings)


def test_a_value_of_a_path_is_not_taken_for_the_place_of_another():
    inputs = (Input("a", Where.PATH), Input("b", Where.PATH))
    tool = replace(TOOL, invocation=Invocation("/x/{a}/{b}", "GET", inputs))
    request = HttpBinding(HTTP).call(tool, {"a": "{b}", "b": "c"})
    assert request.url.endswith("/x/%7Bb%7D/c")


@pytest.mark.parametrize(("name", "part"), [("..", "%2E%2E"), (".", "%2E"), ("a/b", "a%2Fb")])
def test_no_name_of_a_tool_leads_to_another_route(name, part):
    request = HttpBinding(HTTP).call(replace(TOOL, name=name), {})
    assert request.url == f"{HTTP.endpoint}/tools/{part}/invoke"


def test_no_call_has_headers_of_megabytes():
    """A client keeps several copies of them, and some calls are made at the same time."""
    long = {"name": "X-Note", "in": "header", "required": True, "schema": {"const": "x" * 300_000}}
    operation = {"operationId": "ask", "parameters": [long], "responses": {"200": {}}}
    document = {"openapi": "3.1.0", "info": {}, "paths": {"/ask": {"get": operation}}}
    asked = []

    def answer(method, path, body, headers):
        asked.append(path)
        return (200, document) if path == "/openapi.json" else (404, {})

    with answering(answer) as url:
        judged(url, openapi="/openapi.json", max_examples=0)
    assert "/openapi.json" in asked
    assert "/ask" not in asked


def test_a_script_that_is_repeated_asks_for_the_document_again_and_not_for_a_usual_list():
    """A page may read the document, but not an error: that stands each time."""
    for_pages = {"Access-Control-Allow-Origin": "*"}

    def answer(method, path, body, headers):
        found = path == "/openapi.json" or (method == "GET" and path == "/x")
        data = document({"responses": OK}) if path == "/openapi.json" else {}
        return (200, data, for_pages) if found else (404, {"detail": "nothing"})

    with answering(answer) as url:
        _, run = judged(url, max_examples=0)
    (item,) = [each for each in run.items if each.clause == "HTTP-CORS-001"]
    assert item.verdict in {Verdict.FAIL, Verdict.WARN}
