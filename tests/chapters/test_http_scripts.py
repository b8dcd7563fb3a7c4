"""What the scripts of plain HTTP send: malformed in one way, and right in all else."""

from __future__ import annotations

import json

import pytest

from conformance.formats.catalog.openapi import operations
from conformance.http.scripts import http_cors, http_wire
from conformance.kit.evidence.script import Send, Stage
from conformance.kit.transport.http import HttpBinding
from tests.kit.samples import HTTP

PET = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}
GOOD = {"name": "Kitty", "age": 3}


def content(schema):
    return {"content": {"application/json": {"schema": schema}}}


def sent(script, operation, arguments, path="/pets"):
    """What a script sends to a service with one operation, by the name of its step."""
    info = {"title": "Pets", "version": "1"}
    own = {"responses": {"200": {"description": "It is done."}}, **operation}
    found = operations({"openapi": "3.1.0", "info": info, "paths": {path: {"post": own}}})
    stage = Stage(HttpBinding(HTTP), found.tools, {tool.name: arguments for tool in found.tools})
    steps = [each for each in script(stage) if isinstance(each, Send)]
    return {each.step.name: each.request for each in steps if not each.step.mark}


def test_a_body_that_may_be_left_out_is_the_body_itself():
    body = {"requestBody": content(PET)}
    requests = sent(http_wire, body, {"body": GOOD})
    assert json.loads(requests["wrong-type"].body) == GOOD
    assert json.loads(requests["duplicate-keys"].body) == {**GOOD, "kit": 2}
    assert json.loads(requests["number-huge"].body) == {**GOOD, "age": 10**400}


def test_what_goes_into_the_path_the_query_and_the_headers_goes_there_too():
    parameters = [
        {"name": name, "in": where, "required": True, "schema": {"type": "integer"}}
        for name, where in (("id", "path"), ("page", "query"), ("X-Shelf", "header"))
    ]
    body = {"requestBody": {"required": True, **content(PET)}, "parameters": parameters}
    arguments = {**GOOD, "id": 7, "page": 2, "X-Shelf": 5}
    requests = sent(http_wire, body, arguments, "/shops/{id}/pets")
    for name, request in requests.items():
        if name not in {"unknown-path", "unknown-tool", "wrong-method-beside"}:
            assert request.url.endswith("/shops/7/pets?page=2"), name
    assert json.loads(requests["wrong-type"].body) == GOOD
    assert ("X-Shelf", "5") in requests["not-json"].headers
    assert requests["wrong-method-beside"].url.endswith("/shops/7/agent-formats-no-such-tool")


@pytest.mark.parametrize("script", [http_wire, http_cors])
def test_an_operation_without_a_body_gets_none_that_is_malformed(script):
    requests = sent(script, {}, {})
    assert not requests.keys() & {"not-json", "cut-json", "wrong-type", "deep", "refusal"}
