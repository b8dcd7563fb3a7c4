"""The judges of the HTTP wire: what correct servers do gives no finding."""

from dataclasses import replace

import pytest

from conformance.kit.model.step import Step
from conformance.spec.vocabulary import Verdict
from tests.kit.samples import envelope, error, run_evidence, tool_evidence, verdict, web

ALLOWED = "access-control-allow-origin"


def wire(status, body, *headers):
    """The evidence of a GET at a tool's path."""
    return {"http_wire": {"wrong-method": web(status, body, headers=headers)}}


def steps(**given):
    """The evidence of the CORS script: each step's status and allowed origin."""
    return {"http_cors": {name: web(code, b"", headers=((ALLOWED, origin),) if origin else ())
                          for name, (code, origin) in given.items()}}  # fmt: skip


def judged(clause, script):
    """The verdict, of a script's steps by their names."""
    scripts = {
        name: tuple(replace(one, script=name, step=Step(step)) for step, one in each.items())
        for name, each in script.items()
    }
    return verdict(clause, run_evidence(tool_evidence(), claims=True, scripts=scripts)).verdict


def test_a_path_with_a_get_of_its_own_has_no_wrong_method_there():
    assert judged("HTTP-ERR-006", wire(200, {"bookings": []})) is Verdict.NOT_APPLICABLE


def test_a_405_without_allow_is_found():
    assert judged("HTTP-ERR-006", wire(405, envelope(error()))) is Verdict.FAIL


@pytest.mark.parametrize(
    ("preflight", "expected"),
    [
        ("*", Verdict.PASS),
        ("http://localhost:3000", Verdict.PASS),
        ("http://other.example", Verdict.WARN),
        (None, Verdict.WARN),
    ],
)
def test_a_preflight_may_name_the_page_that_a_success_admits_as_anyone(preflight, expected):
    found = judged("HTTP-CORS-002", steps(success=(200, "*"), preflight=(200, preflight)))
    assert found is expected


@pytest.mark.parametrize(
    ("preflight", "said"),
    [
        ((200, None), "The answer to the preflight, an OPTIONS request, lacks"),
        ((405, "*"), "The preflight, an OPTIONS request, is answered with status 405"),
    ],
)
def test_a_preflight_is_no_error(preflight, said):
    script = steps(success=(200, "*"), preflight=preflight)["http_cors"]
    given = tuple(replace(one, script="http_cors", step=Step(step)) for step, one in script.items())
    evidence = run_evidence(tool_evidence(), claims=True, scripts={"http_cors": given})
    words = verdict("HTTP-CORS-002", evidence).findings[0].message.words()
    assert words.startswith(said)
    assert "error" not in words
