"""Wrong values in the path of a call: who may refuse them, and how."""

import re

import pytest

from conformance.kit.model.case import CaseKind
from conformance.spec.vocabulary import Level, Verdict
from tests.kit.drive.test_openapi_target import judged
from tests.kit.peers import answering

pytestmark = pytest.mark.usefixtures("forked")

LAMP = {"type": "integer", "minimum": 1, "maximum": 9}
COLOR = {"type": "string", "enum": ["red", "green"]}
PAGE = {"Content-Type": "text/html; charset=utf-8"}
NOT_FOUND = (404, "<p>nothing here</p>", PAGE)
ON = (200, {"on": True})


def document(**paths):
    """Describe a GET for each path, with the schema of the value in it."""
    object_ = {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]}
    answer = {"description": "ok", "content": {"application/json": {"schema": object_}}}
    made = {}
    for operation, (path, schema) in paths.items():
        name = re.search(r"\{(\w+)\}", path)[1]
        place = {"name": name, "in": "path", "required": True, "schema": schema}
        own = {"operationId": operation, "parameters": [place], "responses": {"200": answer}}
        made[path] = {"get": own}
    return {"openapi": "3.1.0", "info": {"title": "Lamps", "version": "1"}, "paths": made}


LAMPS = document(read_lamp=("/lamps/{lamp}", LAMP), read_color=("/colors/{color}", COLOR))
NAMED = document(by_id=("/lamps/{lamp}", LAMP), by_name=("/lamps/{name}", {"type": "string"}))


def refuses(place, value):
    """Refuse as most validators do."""
    known = COLOR["enum"] if place == "colors" else [str(number) for number in range(1, 10)]
    return ON if value in known else (422, {"detail": f"{place} cannot be {value}"})


def routes_by_form(place, value):
    """Refuse like a router with typed places, and look up the others: both say 404."""
    if place == "lamps" and not re.fullmatch(r"[+-]?\d+", value):
        return NOT_FOUND
    return ON if refuses(place, value) is ON else (404, {"detail": "no such thing"})


def shows_its_page(place, value):
    """Show a page for each path that is unknown, as single-page applications do."""
    return ON if refuses(place, value) is ON else (200, "<p>Welcome</p>", PAGE)


def cuts_a_format(place, value):
    """Take `7.5` for 7 in the format `5`."""
    return refuses(place, value.partition(".")[0])


def dies_at_a_text(place, value):
    if place == "lamps" and not value.isdecimal():
        return 500, {"detail": "Oops"}
    return refuses(place, value)


def takes_any_number(place, value):
    return ON if place == "lamps" and value.isdecimal() else refuses(place, value)


def takes_any_color(place, value):
    return ON if place == "colors" else refuses(place, value)


def session_with(described, behave):
    def answer(method, path, body, headers):
        if path == "/openapi.json":
            return 200, described
        found = re.fullmatch(r"/(lamps|colors)/([^/]+)", path.partition("?")[0])
        return behave(*found.groups()) if found and method == "GET" else NOT_FOUND

    with answering(answer) as url:
        return judged(url, max_examples=2)


def verdicts(run, *wanted):
    return {(item.clause, item.tool) for item in run.items if item.verdict in wanted}


@pytest.mark.parametrize("behave", [refuses, routes_by_form, cuts_a_format])
def test_each_way_to_refuse_a_value_in_a_path_is_right(behave):
    _, run = session_with(LAMPS, behave)
    assert verdicts(run, Verdict.FAIL, Verdict.WARN, Verdict.NOT_VERIFIED) == set()
    assert ("ATDF-CALL-001", "read_lamp") in verdicts(run, Verdict.PASS)
    assert run.level is Level.GUARDED


@pytest.mark.parametrize(
    ("schema", "form"), [({"type": "number", "minimum": 0}, r"\d+\.\d+"), ({"type": "string"}, "1")]
)
def test_a_tool_is_called_where_its_router_knows_the_value_by_its_form(schema, form):
    def answer(method, path, body, headers):
        if path == "/openapi.json":
            return 200, document(read=("/prices/{price}", schema))
        return ON if re.fullmatch(f"/prices/{form}", path.partition("?")[0]) else NOT_FOUND

    with answering(answer) as url:
        _, run = judged(url, max_examples=2)
    assert verdicts(run, Verdict.FAIL, Verdict.WARN) == set()
    assert ("HTTP-CALL-001", "read") in verdicts(run, Verdict.PASS)


def test_a_page_for_an_unknown_path_proves_nothing():
    _, run = session_with(LAMPS, shows_its_page)
    assert verdicts(run, Verdict.FAIL, Verdict.WARN) == set()
    assert ("ATDF-CALL-001", "read_lamp") in verdicts(run, Verdict.NOT_VERIFIED)


def test_an_unknown_path_shows_nothing_about_the_body():
    switch = LAMPS["paths"]["/lamps/{lamp}"]["get"]
    held = {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]}
    body = {"required": True, "content": {"application/json": {"schema": held}}}
    described = {**LAMPS, "paths": {"/lamps/{lamp}": {"post": {**switch, "requestBody": body}}}}

    def answer(method, path, body, headers):
        if path == "/openapi.json":
            return 200, described
        is_right = refuses(*path.split("/")[1:3]) is ON if path.startswith("/lamps/") else False
        is_right = is_right and isinstance(body, dict) and isinstance(body.get("on"), bool)
        return ON if is_right else (404, {"detail": "nothing"})

    with answering(answer) as url:
        _, run = judged(url, max_examples=0)
    assert ("ATDF-CALL-001", "read_lamp") in verdicts(run, Verdict.NOT_VERIFIED)


@pytest.mark.parametrize(
    ("behave", "clause", "tool"),
    [
        (dies_at_a_text, "ATDF-CALL-005", "read_lamp"),
        (takes_any_number, "ATDF-CALL-001", "read_lamp"),
        (takes_any_color, "ATDF-CALL-001", "read_color"),
    ],
)
def test_a_wrong_value_in_a_path_may_not_be_taken_or_break_the_server(behave, clause, tool):
    _, run = session_with(LAMPS, behave)
    assert (clause, tool) in verdicts(run, Verdict.FAIL)
    assert run.level is Level.DESCRIBED


def test_a_wrong_value_that_another_route_takes_is_not_sent():
    session, run = session_with(NAMED, lambda *_: ON)
    assert verdicts(run, Verdict.FAIL, Verdict.WARN, Verdict.NOT_VERIFIED) == set()
    cases = [each.case for each in session.recorder.by_id.values() if each.case is not None]
    assert CaseKind.BROKEN not in {case.kind for case in cases}
