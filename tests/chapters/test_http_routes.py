"""A route that is not there, and an answer that only looks like one: told apart by their words."""

from dataclasses import replace

import pytest

from conformance.formats.tool.tool import Invocation
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import HttpRequest, Trouble
from conformance.kit.model.settings import Settings
from conformance.kit.model.step import Step
from conformance.kit.verdicts.run_result import claims_atdf
from conformance.spec.vocabulary import Verdict
from tests.kit.samples import (
    HERE,
    TOOL,
    called,
    case,
    envelope,
    error,
    refused,
    run_evidence,
    tool_evidence,
    verdict,
    web,
)

BOOK = replace(TOOL, invocation=Invocation("/book"))
NOTHING = error("not-found", None, title="No such path", tool_name=None)


def step(name, body, *, method="GET", path="/agent-formats-no-such-path", status=404):
    """A step of the script that asks for what is not there."""
    own = replace(web(status, body), case=None, script="http_wire", step=Step(name))
    return replace(own, request=HttpRequest(method, HERE + path))


def judged(clause, answer, *nowhere, tool=BOOK):
    """The verdict on a tool whose calls are all answered so, with these steps in addition."""
    calls = [called(web(*answer, of=case(kind), tool=tool), tool)
             for kind in (CaseKind.BASELINE, CaseKind.BROKEN)]  # fmt: skip
    scripts = {"http_wire": tuple(nowhere)}
    evidence = tool_evidence(*calls, tool=tool, scripts=scripts)
    return verdict(clause, run_evidence(evidence, claims=True, scripts=scripts), tool.name).verdict


def no_path(path):
    return envelope({**NOTHING, "detail": f"There is no path {path}.", "instance": f"/e{path}"})


@pytest.mark.parametrize(
    "answer",
    [
        lambda path: {"detail": "Not Found"},
        lambda path: {"status": 404, "error": "Not Found", "path": path, "timestamp": len(path)},
        lambda path: f"<pre>Cannot POST {path}</pre>".encode(),
        no_path,
    ],
)
def test_a_route_is_missing_where_nothing_is_answered_alike(answer):
    nowhere = step("unknown-path", answer("/agent-formats-no-such-path"), method="POST")
    assert judged("HTTP-CALL-001", (404, answer("/book")), nowhere) is Verdict.FAIL


def test_a_file_that_is_not_there_does_not_show_that_its_route_is_missing():
    own = {"detail": "Not Found"}
    tool = replace(TOOL, invocation=Invocation("/files/{room_type}", "GET"))
    nowhere = step("unknown-path", own)
    assert judged("HTTP-CALL-001", (404, own), nowhere, tool=tool) is Verdict.NOT_VERIFIED


@pytest.mark.parametrize(("status", "expected"), [(404, Verdict.NOT_VERIFIED), (501, Verdict.FAIL)])
def test_a_501_is_about_the_method_where_every_path_answers_so(status, expected):
    elsewhere = step("unknown-tool", b"", method="POST", status=status)
    own = judged("HTTP-CALL-001", (501, {"message": "not done yet"}), elsewhere)
    assert own is expected


@pytest.mark.parametrize(
    ("detail", "names"),
    [("There is no booking with this id.", None), ("There is no path /book.", "book")],
)
def test_an_enveloped_404_is_an_answer(detail, names):
    said = envelope({**NOTHING, "detail": detail, "tool_name": names})
    nowhere = step("unknown-path", no_path("/agent-formats-no-such-path"))
    assert judged("HTTP-CALL-001", (404, said), nowhere) is Verdict.PASS


@pytest.mark.parametrize("clause", ["ATDF-ERR-006", "ATDF-ERR-015", "HTTP-ERR-003"])
def test_one_missing_route_is_one_failure(clause):
    page = b"<html>Not Found</html>"
    own = judged(clause, (404, page), step("unknown-path", page))
    assert own is Verdict.NOT_APPLICABLE


def test_a_tool_that_has_a_route_answers_every_refusal_in_the_envelope():
    other = judged("ATDF-ERR-015", (404, {"detail": "no"}), step("unknown-path", {"error": "none"}))
    assert other is Verdict.FAIL


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("book", Verdict.PASS),
        ("book_book_post", Verdict.PASS),
        ("other", Verdict.FAIL),
        (None, Verdict.FAIL),
    ],
)
def test_an_error_may_name_the_tool_by_any_of_its_names(named, expected):
    tool = replace(TOOL, other_names=("book_book_post",))
    call = refused(error(tool_name=named))
    evidence = tool_evidence(called(call.exchange, tool), tool=tool)
    found = verdict("ATDF-ERR-006", run_evidence(evidence, claims=True), tool.name)
    assert found.verdict is expected


def wrong_method(answer, beside, nowhere):
    """The verdict on a GET of a tool's path, by what it, its neighbor and nothing are answered."""
    steps = (
        step("wrong-method", answer[1], path="/tools/validate", status=answer[0]),
        step("wrong-method-beside", beside[1], path="/tools/no-such-tool", status=beside[0]),
        step("unknown-path", nowhere[1], status=nowhere[0]),
    )
    run = run_evidence(tool_evidence(), claims=True, scripts={"http_wire": steps})
    return verdict("HTTP-ERR-006", run).verdict


def missing(name):
    return 404, envelope({**NOTHING, "title": "No such tool", "detail": f"There is no {name}."})


LOST = 404, no_path("/agent-formats-no-such-path")


def test_the_route_of_one_item_is_no_wrong_method():
    found = wrong_method(missing("validate"), missing("no-such-tool"), LOST)
    assert found is Verdict.NOT_APPLICABLE


def test_a_route_of_one_item_that_takes_numbers_alone_is_no_wrong_method():
    said = 422, {"detail": [{"loc": ["path", "id"], "msg": "not an integer"}]}
    assert wrong_method(said, said, LOST) is Verdict.NOT_APPLICABLE


def test_a_wrong_method_that_is_answered_like_nothing_is_found():
    answer = 404, no_path("/tools/validate")
    beside = 404, no_path("/tools/no-such-tool")
    assert wrong_method(answer, beside, LOST) is Verdict.FAIL


def test_a_wrong_method_that_is_answered_with_another_status_is_found():
    answer = 400, envelope({**NOTHING, "title": "Wrong method"})
    assert wrong_method(answer, (404, no_path("/tools/no-such-tool")), LOST) is Verdict.FAIL


@pytest.mark.parametrize(
    ("lost", "expected"), [(False, Verdict.WARN), (True, Verdict.NOT_VERIFIED)]
)
def test_a_manifest_is_said_to_be_missing_only_where_an_answer_says_so(lost, expected):
    asked = replace(step("manifest", {}, path="/tools/list"), script=LOOKED)
    asked = replace(asked, answer=None, trouble=Trouble.TIMEOUT) if lost else asked
    found = verdict("HTTP-DISC-001", run_evidence(scripts={LOOKED: (asked,)}))
    assert found.verdict is expected
    said = found.findings[0].message.words("en")
    assert lost or said.startswith("`GET /tools/list` returns no manifest (status 404).")


PAGE = b"<!doctype html><title>An application</title>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [(PAGE, Verdict.NOT_APPLICABLE), ({"tools": []}, Verdict.FAIL), ([], Verdict.FAIL)],
)
def test_a_page_of_an_application_in_the_place_of_a_manifest_is_no_manifest(body, expected):
    """Many an application answers each path that it does not know with its first page."""
    asked = replace(step("manifest", body, path="/manifest", status=200), script=LOOKED)
    run = run_evidence(scripts={LOOKED: (asked,)})
    assert verdict("HTTP-DISC-002", run).verdict is expected
    assert claims_atdf(run, Settings()) is (expected is Verdict.FAIL)
