"""A name in braces in an endpoint is an argument that travels in the path."""

import pytest

from conformance.formats.normalise import Source, tools_of
from conformance.kit.bindings.http import HttpSpeaker
from conformance.kit.cases.plan import plan
from tests.kit_samples import HTTP

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
    request = HttpSpeaker(HTTP).call(parcel(method), GOOD)
    assert request.url == HTTP.endpoint.rstrip("/") + path
    assert request.body.replace(b" ", b"") == body.replace(b" ", b"")


def test_an_argument_in_the_path_is_never_broken_as_another_path_is_another_place():
    cases = plan(parcel("GET"), "http", GOOD).cases
    broken = {case.violation.parameter for case in cases if case.violation is not None}
    assert broken == {"history", "limit"}


def test_braces_that_name_no_input_stay_as_they_are():
    request = HttpSpeaker(HTTP).call(parcel("POST", "/parcels/{other}"), GOOD)
    assert request.url.endswith("/parcels/{other}")
    assert b"tracking" in request.body


def test_what_text_parsers_read_as_a_truth_value_is_no_broken_one_in_a_query():
    cases = plan(parcel("GET"), "http", GOOD).cases
    sent = {
        case.violation.sent
        for case in cases
        if case.violation is not None and case.violation.parameter == "history"
    }
    assert sent
    assert not sent & {"yes", "no", 0, 1, "0", "1", "on", "TRUE"}
