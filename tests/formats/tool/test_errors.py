import json

import pytest

from conformance.formats.tool.errors import MOST_ERRORS, envelope_of, error_type
from tests.root import ROOT

VALID = ROOT / "fixtures" / "examples" / "atdf" / "valid"
ERROR = {
    "type": "https://example.com/errors/invalid-date",
    "title": "t",
    "detail": "d",
    "instance": "/errors/1",
    "tool_name": "book",
    "parameter_name": "when",
    "suggested_value": "2030-01-01",
}


@pytest.mark.parametrize("path", sorted(VALID.glob("*error*.json")), ids=lambda path: path.stem)
def test_each_valid_error_document_is_an_envelope(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    assert len(envelope_of(data).errors) == len(data["errors"])


def test_an_error_shows_its_type_and_what_it_names():
    (error,) = envelope_of({"errors": [ERROR], "status": "error"}).errors
    assert (error.type, error.tool_name, error.parameter_name) == ("invalid-date", "book", "when")
    assert (error.suggested_value, error.has_suggestion) == ("2030-01-01", True)
    assert error.raw is ERROR


@pytest.mark.parametrize("value", [0, False, "", [], {}])
def test_a_suggestion_may_be_any_value_but_null(value):
    (error,) = envelope_of({"errors": [{**ERROR, "suggested_value": value}]}).errors
    assert error.has_suggestion


def test_null_and_nothing_suggest_nothing():
    silent = {name: ERROR[name] for name in ERROR if name != "suggested_value"}
    for each in ({**ERROR, "suggested_value": None}, silent):
        assert not envelope_of({"errors": [each]}).errors[0].has_suggestion


@pytest.mark.parametrize(
    "body",
    [
        None,
        "text",
        [ERROR],
        ERROR,
        {"errors": []},
        {"errors": {"a": ["is invalid"]}},
        {"errors": ["is invalid"]},
        {"errors": [{"message": "m", "locations": [], "path": ["a"]}]},
        {"errors": [{"status": "422", "title": "t", "detail": "d", "source": {"pointer": "/a"}}]},
        {"errors": [{"type": "missing", "loc": ["body", "a"], "msg": "required"}]},
        {"detail": {"errors": [ERROR]}},
        {"error": ERROR},
    ],
)
def test_the_errors_of_another_format_are_no_envelope(body):
    assert envelope_of(body) is None


@pytest.mark.parametrize("missing", sorted(ERROR))
def test_an_error_that_lacks_one_member_is_still_recognised(missing):
    error = {name: value for name, value in ERROR.items() if name != missing}
    assert envelope_of({"errors": [error]}) is not None


def test_an_error_with_nothing_but_what_other_formats_share_needs_all_of_it():
    shared = {name: ERROR[name] for name in ("type", "title", "detail", "instance")}
    assert envelope_of({"errors": [shared]}) is not None
    del shared["instance"]
    assert envelope_of({"errors": [shared]}) is None


def test_garbage_in_an_error_is_passed_over():
    garbage = {"type": 5, "tool_name": [], "parameter_name": {}, "suggested_value": None}
    (error,) = envelope_of({"errors": ["text", garbage, None]}).errors
    assert (error.type, error.tool_name, error.parameter_name) == (None, None, None)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("https://example.com/errors/validation-error", "validation-error"),
        ("https://example.com/errors/validation-error/?a=1#b", "validation-error"),
        ("validation-error", "validation-error"),
        ("https://example.com/errors/not%2Dfound", "not-found"),
        ("https://example.com", None),
        ("about:", None),
        ("", None),
        ("http://[", None),
        (None, None),
        (5, None),
    ],
)
def test_the_type_is_the_last_segment_of_the_path(uri, expected):
    assert error_type(uri) == expected


def test_of_ten_thousand_errors_the_first_are_looked_at():
    body = {"errors": [ERROR] * 10_000, "status": "error"}
    envelope = envelope_of(body)
    assert len(envelope.errors) == len(envelope.raw["errors"]) == MOST_ERRORS
    assert envelope.raw["status"] == "error"
    assert len(body["errors"]) == 10_000
