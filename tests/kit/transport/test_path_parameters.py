"""A name in braces in an endpoint is an argument that travels in the path."""

from contextlib import suppress
from dataclasses import replace

import httpx2
import pytest

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.catalog.openapi import operations
from conformance.kit.cases.plan import plan
from conformance.kit.transport.http import HttpBinding
from tests.kit.samples import HTTP

INPUTS = {
    "type": "object",
    "properties": {
        "tracking": {"type": "string", "pattern": "^PX[0-9]{3}$"},
        "history": {"type": "boolean"},
        "limit": {"type": "integer", "minimum": 1},
    },
    "required": ["tracking"],
}
GOOD = {"tracking": "PX001", "history": True}


def parcel(method, endpoint="/parcels/{tracking}"):
    item = {
        "name": "track",
        "description": "Tracks a parcel.",
        "inputSchema": INPUTS,
        "invocation": {"endpoint": endpoint, "method": method},
    }
    (tool,) = tools_of({"tools": [item]}, Source.ATDF).tools
    return tool


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("GET", "/parcels/PX001?history=true", b""), ("POST", "/parcels/PX001", b'{"history": true}')],
)
def test_the_argument_goes_into_the_path_alone(method, path, body):
    request = HttpBinding(HTTP).call(parcel(method), GOOD)
    assert request.url == HTTP.endpoint.rstrip("/") + path
    assert request.body.replace(b" ", b"") == body.replace(b" ", b"")


def test_an_argument_in_the_path_is_broken_unless_another_route_takes_its_place():
    tool = parcel("GET")
    shared = replace(tool.invocation, shares_path=True)
    for each, expected in (
        (tool, {"history", "limit", "tracking"}),
        (replace(tool, invocation=shared), {"history", "limit"}),
    ):
        cases = plan(each, HTTP, GOOD).cases
        assert {c.violation.parameter for c in cases if c.violation is not None} == expected


def test_braces_that_name_no_input_stay_as_they_are():
    request = HttpBinding(HTTP).call(parcel("POST", "/parcels/{other}"), GOOD)
    assert request.url.endswith("/parcels/{other}")
    assert b"tracking" in request.body


def test_what_text_parsers_read_as_a_truth_value_is_no_broken_one_in_a_query():
    cases = plan(parcel("GET"), HTTP, GOOD).cases
    sent = {
        case.violation.sent
        for case in cases
        if case.violation is not None and case.violation.parameter == "history"
    }
    assert sent
    assert not sent & {"yes", "no", 0, 1, "0", "1", "on", "TRUE"}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "GET"])
def test_each_broken_call_is_another_request_than_the_good_one(method):
    only = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    item = {
        "name": "t",
        "description": "d",
        "inputSchema": {**only, "additionalProperties": False},
        "invocation": {"endpoint": "/parcels/{id}", "method": method},
    }
    (tool,) = tools_of({"tools": [item]}, Source.ATDF).tools
    web = HttpBinding(HTTP)
    good = web.call(tool, {"id": "x"})
    broken = [c for c in plan(tool, HTTP, {"id": "x"}).cases if c.violation is not None]
    assert broken
    for case in broken:
        sent = web.call(tool, case.arguments)
        assert (sent.url, sent.body) != (good.url, good.body), case.id


def test_one_value_in_a_query_may_be_a_list_of_one():
    lists = {
        name: {"type": "array", "items": {"type": kind}}
        for name, kind in (("tags", "string"), ("ids", "integer"))
    }
    item = {
        "name": "t",
        "description": "d",
        "inputSchema": {"type": "object", "properties": lists},
        "invocation": {"endpoint": "/x", "method": "GET"},
    }
    (tool,) = tools_of({"tools": [item]}, Source.ATDF).tools
    cases = plan(tool, HTTP, {"tags": ["a"], "ids": [1]}).cases
    sent = [
        (case.violation.parameter, case.violation.sent)
        for case in cases
        if case.violation is not None and not case.violation.sent_absent
    ]
    assert ("ids", "abc") in sent
    assert not [value for name, value in sent if name == "tags"]
    assert not [value for name, value in sent if name == "ids" and isinstance(value, int)]


def test_half_a_character_travels_as_its_bytes():
    half = "\ud800"
    request = HttpBinding(HTTP).call(parcel("GET"), {"tracking": half, "history": half})
    assert request.url.endswith("/parcels/%ED%A0%80?history=%ED%A0%80")


OTHER = "//127.0.0.1:9/x"
ODD_PATHS = [
    OTHER,
    "/\\127.0.0.1:9/x",
    "/\t" + OTHER,
    "/\n" + OTHER,
    "@127.0.0.1:9/x",
    ":9/x",
    "/.." + OTHER,
    "/%2e%2e" + OTHER,
    "http:" + OTHER,
    "\\\\127.0.0.1:9\\x",
    "/a\ud800",
    "/#@127.0.0.1:9/",
]
ODD_SERVERS = [
    "",
    OTHER,
    "http:" + OTHER,
    "http://x" + OTHER,
    "http://x/\\127.0.0.1:9",
    "http://[",
    "file:///etc",
]


@pytest.mark.parametrize("server", ODD_SERVERS)
@pytest.mark.parametrize("path", ODD_PATHS)
def test_no_path_of_a_document_leads_to_another_host(path, server):
    answer = {"get": {"responses": {"200": {"description": "d"}}}}
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {path: answer},
                "servers": [{"url": server}]}  # fmt: skip
    binding = HttpBinding(HTTP)
    for tool in operations(document).tools:
        if not binding.stays_at_target(tool):
            continue
        with suppress(httpx2.InvalidURL, UnicodeError):
            there, here = (httpx2.URL(url) for url in (binding.route(tool)[1], HTTP.endpoint))
            assert (there.scheme, there.host, there.port) == (here.scheme, here.host, here.port)
