"""The exchanges that the pages of clauses show."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from uuid import uuid4

from conformance.kit.model.exchange import Answer, Exchange, HttpRequest, StdioRequest
from conformance.kit.model.performance import Moment
from conformance.spec.clauses import clauses
from conformance.spec.messages import LANGUAGES, catalog, is_message
from conformance.spec.vocabulary import Seen
from fixtures.gateways.faults import FAULTS as GATEWAY_FAULTS
from fixtures.servers.faults import FAULTS
from fixtures.servers.faults.checks import CHECKS
from fixtures.servers.rest import CLAUSES as REST_FAULTS
from scripts.website import both_ends, exchange_text
from scripts.website.exchange_text import is_same
from scripts.website.pages.exchanges import (
    SEEN,
    finding_of,
    marks,
    message_of,
    seen,
)
from scripts.website.pages.tried import in_playground
from tests.root import ROOT

MOST_BYTES = 1_000_000
_NAME = re.compile(r"\{\{|\{([a-z][a-z0-9_]*)[|}]")
"""A placeholder of a message: a brace that is written twice is none."""
NOT_SEEN = 5
"""Faults that may be newer than the file."""


def test_what_was_seen_is_of_faults_and_clauses_that_there_are():
    planted = {name: set(fault.clauses) for name, fault in FAULTS.items()}
    planted |= {name: {fault.clause} for name, fault in GATEWAY_FAULTS.items()}
    services = {name: {*broken} for name, broken in REST_FAULTS.items()}
    for name, said in seen()["faults"].items():
        assert set(said) <= planted[name], name
    for clause, held in seen()["clauses"].items():
        assert clause in {**planted, **services}[held["fault"]], clause
    lacking = sorted(set(planted) - set(seen()["faults"]))
    assert len(lacking) <= NOT_SEEN, f"python -m scripts.exchanges --fault {lacking}"


def test_what_the_kit_said_is_said_in_each_language():
    said = [each for held in seen()["faults"].values() for each in held.values()]
    said += [held["said"] for held in seen()["clauses"].values()]
    for each in said:
        assert is_message(message_of(each).id), each["id"]
        for language in LANGUAGES:
            assert finding_of(each).words(language)
        asked = set(_NAME.findall(catalog()[each["id"]]["en"])) - {""}
        assert asked <= set(each["values"]), f"python -m scripts.exchanges: {each['id']}"


def test_what_was_seen_is_what_the_check_of_a_fault_says_now():
    """The names of the checks are held by the proof, so a message of another name is an old one."""
    said = [(fault, *each) for fault, told in seen()["faults"].items() for each in told.items()]
    said += [(held["fault"], clause, held["said"]) for clause, held in seen()["clauses"].items()]
    for fault, clause, each in said:
        checks = {name.partition("/")[0] for name in CHECKS.get(fault, {}).get(clause, ())}
        assert not checks or each["id"] in checks, f"python -m scripts.exchanges --fault {fault}"


def test_the_file_is_small_and_holds_nothing_of_one_run():
    text = SEEN.read_text("utf-8")
    assert len(text.encode()) <= MOST_BYTES
    ports = set(re.findall(r"127\.0\.0\.1:(\d+)", text))
    assert ports <= {"8000", "9", "1", "80", "8080"}, ports


def test_a_wrong_answer_differs_from_the_right_one():
    for clause, held in seen()["clauses"].items():
        assert held["bad"], clause
        assert held["bad"] != held.get("good"), clause


def test_each_clause_shows_an_exchange_or_a_document():
    indexes = (ROOT / "fixtures" / "examples").glob("*/index.json")
    listed = (each for index in indexes for each in json.loads(index.read_text("utf-8"))["invalid"])
    shown = {*seen()["clauses"], *(each["breaks"] for each in listed)}
    checked = {each.id for each in clauses().values() if each.excluded is None}
    assert checked - shown == set()


def test_of_a_notification_what_followed_it_is_shown_and_nothing_where_nothing_did():
    def after(*messages):
        answer = Answer(0, (), b"", messages)
        return Exchange(1, "run", StdioRequest(b'{"method": "n"}'), answer, None, 0.0, 0.0)

    said = exchange_text.answer_text(after({"id": None, "result": {}}), None, set())
    assert json.loads(said) == {"id": None, "result": {}}
    assert exchange_text.answer_text(after(), None, set()) == "— no answer"


def test_a_header_of_a_request_is_shown_as_it_was_sent():
    sent = HttpRequest("GET", "http://127.0.0.1:1/x", (("mcp-NAME", "a"),))
    made = Exchange(1, "run", sent, None, None, 0.0, 0.0)
    assert exchange_text.request_text(made) == "GET /x\nmcp-NAME: a"


def test_a_place_in_the_paths_of_an_openapi_document_is_found():
    data = {"paths": {"/a.b": {"get": {"x": 1}}, "/c": "y" * 1_600}}
    shown = exchange_text.body_text(json.dumps(data).encode(), '$.paths["/a.b"].get')
    assert shown.startswith('… paths./a.b:\n{\n  "get": {')


def test_only_what_differs_is_marked():
    assert marks("a\nb\nc\nd", "a\nx\nc\nd") == 'hl_lines="2"'
    assert marks("a\nb", "") == ""
    assert marks("a\nb", "c\nd") == ""
    first, second = ("00000000-0000-4000-8000-00000000000" + each for each in "12")
    assert marks(f"a\n{first}\nb\nc", f"a\n{second}\nb\nd") == 'hl_lines="4"'


def test_the_keywords_that_the_kit_names_are_code():
    said = [each for faults in seen()["faults"].values() for each in faults.values()]
    named = [each for each in said if "keywords" in each["values"]]
    assert len(named) > 5
    for each in named:
        # Plain in the values, as a program reads them; the sentence marks each as code, once.
        names = each["values"]["keywords"]
        keywords = (names["values"]["keywords"] if isinstance(names, dict) else names).split(", ")
        sentence = finding_of(each).words("es")
        assert ", ".join(f"`{keyword}`" for keyword in keywords) in sentence
        assert '"`' not in sentence


def test_the_id_of_a_session_is_not_marked():
    one, other = (f"HTTP 200\nmcp-session-id: {sign * 32}\na\nb\n{sign}" for sign in "ab")
    assert marks(one, other) == 'hl_lines="5"'


def test_the_id_of_a_request_and_the_length_of_what_is_cut_show_no_defect():
    one, other = (f'a\n"req_{sign * 12}_{sign}"\n… (+4{sign})' for sign in "12")
    assert is_same(one, other)
    assert marks(f"{one}\nb\nc", f"{other}\nb\nd") == 'hl_lines="5"'
    assert not is_same("a (+4)", "a (+5)")


def test_an_id_that_was_cut_shows_no_defect_and_a_long_answer_shows_what_differs():
    def answered(**more):
        body = {"result": {"id": str(uuid4()), "long": ["x" * 40] * 40, **more}}
        answer = Answer(200, (), json.dumps(body).encode())
        sent = HttpRequest("GET", "http://127.0.0.1:1/x", ())
        return Exchange(1, "run", sent, answer, None, 0.0, 0.0)

    one, other = (f'"id": "{uuid4()}'[:20] + "\n… (+9)" for _ in "ab")
    assert is_same(one, other)
    bad, good = exchange_text.answer_texts(answered(y=1), answered(), None, set())
    assert '"long": […]' in bad
    assert ('"y": 1' in bad, '"y": 1' in good) == (True, False)


def test_what_a_provider_received_is_shown_with_its_ids_numbered():
    def arrived(key):
        headers = (("Idempotency-Key", key * 32), ("Accept", "*/*"))
        return Moment(Seen.ARRIVED, 0.1, 1, path="/v1/x", headers=headers, body=b'{"a":1}')

    sent = HttpRequest("POST", "http://127.0.0.1:1/x", ())
    made = Exchange(1, "run", sent, None, None, 0.0, 0.0, timeline=(*map(arrived, "aba"),))
    first = 'POST /v1/x\nidempotency-key: id-1\n\n{\n  "a": 1\n}'
    shown = both_ends.arrivals_text(made)
    assert shown == "\n\n".join([first, first.replace("id-1", "id-2"), first])
    assert both_ends.arrivals_text(replace(made, timeline=())) == "— no request"


def test_most_answers_show_the_defect():
    same = {clause for clause, held in seen()["clauses"].items()
            if is_same(held["bad"], held.get("good", ""))}  # fmt: skip
    assert same <= {"ATDF-PAR-002"}, same


def test_a_gateways_defect_is_always_shown():
    held = {name: each for name, each in seen()["clauses"].items() if name.startswith("GW-")}
    assert all(each.get("good") for each in held.values())
    assert not any(is_same(each["bad"], each["good"]) for each in held.values())


def test_a_request_to_another_host_is_shown_and_not_what_that_host_answered():
    held = seen()["clauses"]["GW-SEC-002"]
    assert held["shown"] == both_ends.RECEIVED
    assert ("/elsewhere" in held["bad"], "/elsewhere" in held["good"]) == (True, False)


def test_events_are_shown_once_in_a_row_with_their_request():
    def moment(seen, at, arrival=0, detail="", path=""):
        return Moment(seen, at, arrival, detail, path)

    events = (
        moment(Seen.ARRIVED, 0.0014, 1, "POST", "/v1/x"),
        moment(Seen.HEAD, 0.002, 1, "200"),
        moment(Seen.SENT, 0.003, 1, "244"),
        moment(Seen.SENT, 0.004, 1, "9"),
        moment(Seen.CLIENT_LEFT, 1.5),
    )
    sent = HttpRequest("POST", "http://127.0.0.1:1/x", ())
    made = Exchange(1, "run", sent, None, None, 0.0, 0.0, timeline=events)
    shown = both_ends.moments_text(made)
    assert shown == "1 arrived 1 POST /v1/x\n2 head 1 200\n3 sent 1\n1500 client_left 0"
    assert both_ends.steps_apart(shown, shown.replace("3 sent 1\n", "")) == 1
    assert marks("   1 ms  a\n   2 ms  b\n   3 ms  c", "  9 ms  a\n  9 ms  c") == 'hl_lines="2"'


def test_two_long_texts_are_shown_around_what_differs():
    lines = ["POST /v1/x", *(f"line {n}" for n in range(200))]
    other = [*lines[:100], "line of the other", *lines[101:]]
    shown = both_ends.apart("\n".join(lines), "\n".join(other))
    around = both_ends.AROUND
    for one, place in zip(shown, ("line 99", "line of the other"), strict=True):
        found = one.splitlines()
        assert found[:2] == ["POST /v1/x", "…"]
        assert place in found
        assert len(found) == 2 + 2 * around + 1 + 1
    assert both_ends.apart("a", "b") == ("a", "b")


def test_of_a_long_document_the_place_is_shown():
    data = {"tools": [{"name": "x" * 900}, {"name": "", "more": "y" * 900}]}
    shown = exchange_text.body_text(json.dumps(data).encode(), "$.tools[1].name")
    assert shown.startswith('… tools.1:\n{\n  "name": "",')
    result = json.dumps({"id": 1, "result": data}).encode()
    assert exchange_text.body_text(result, "$.tools[1].name") == shown.replace("… ", "… result.")
    assert exchange_text.cut("z" * 1_600).endswith("\n… (+100)")
    assert exchange_text.body_text(b"[" * 100_000, None).startswith("[[[")
    assert exchange_text.body_text(b"\xff\x00", None) == "\ufffd "


def test_of_a_long_list_the_names_can_be_shown():
    tools = [{"x": "y" * 900, "name": each} for each in ("a", "b")]
    data = {"tools": tools, "tags": ["a"], "ttlMs": 1}
    shown = exchange_text.body_text(json.dumps(data).encode(), None, names_only=True)
    listed = '    { "name": "a", … },\n    { "name": "b", … }\n'
    assert shown == f'{{\n  "tools": [\n{listed}  ],\n  "tags": [\n    "a"\n  ],\n  "ttlMs": 1\n}}'


def test_a_right_answer_has_the_id_of_the_request():
    wrong = {}
    for clause, held in seen()["clauses"].items():
        asked = re.search(r'^  "id": (.+),$', held["request"], re.M)
        told = re.findall(r'^  "id": (.+?),?$', held.get("good", ""), re.M)
        if asked and '"jsonrpc"' in held["request"] and told and asked[1] not in told:
            wrong[clause] = (asked[1], told)
    assert wrong == {}


def test_an_answer_gets_the_id_of_the_other_request():
    made = [Exchange(1, "run", StdioRequest(b'{"id": %d}' % n), None, None, 0, 0) for n in (7, 8)]
    assert exchange_text.with_id('{"id": 7, "x": 17}', *made) == '{"id": 8, "x": 17}'


def test_what_a_server_sends_before_its_answer_is_shown():
    asks, ends = {"id": "a", "method": "roots/list"}, {"id": 1, "result": {}}
    answer = Answer(0, (), json.dumps(ends).encode(), (asks, ends))
    made = Exchange(1, "run", StdioRequest(b'{"id": 1}'), answer, None, 0.0, 0.0)
    shown = exchange_text.answer_text(made, None, set())
    assert shown.index("roots/list") < shown.index("result")


def test_ports_and_dates_are_replaced():
    text = exchange_text.plain("http://127.0.0.1:40123/x 2026-11-23T10:11:12.5Z localhost:5123")
    assert text == "http://127.0.0.1:8000/x 2026-01-01T00:00:00Z localhost:8000"


def test_a_day_that_does_not_exist_stays():
    assert exchange_text.plain("2036-02-30T10:00:00Z") == "2036-02-30T10:00:00Z"


def test_a_link_to_the_playground_holds_the_document():
    to = in_playground("atdf/error.md", {"a": "é" * 50})
    path, _, packed = to.partition("#text=")
    assert path == "../../playground/"
    assert re.fullmatch(r"[\w-]+", packed)
    read = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    assert json.loads(zlib.decompress(read, -15)) == {"a": "é" * 50}


def test_both_answers_show_the_same_part():
    long = "y" * 900
    at, two = "$.r[0].b", json.dumps({"r": [{"b": long}], "n": long}).encode()
    one = json.dumps({"r": [{"b": "z"}]}).encode()
    assert exchange_text.body_text(one, at, two) == '… r:\n[\n  {\n    "b": "z"\n  }\n]'
    assert exchange_text.body_text(two, at, one).startswith('… r:\n[\n  {\n    "b": "yyy')


def test_what_one_answer_has_instead_is_shown():
    bad = json.dumps({"r": {"wrong": "w", "x": "y" * 1_600}}).encode()
    good = json.dumps({"r": {"right": "r", "x": "y" * 1_600}}).encode()
    assert exchange_text.body_text(bad, "$.r.wrong", good) == '… r.wrong:\n"w"'
    assert exchange_text.body_text(good, "$.r.wrong", bad) == '… r:\n{\n  "right": "r"\n}'


def test_a_name_that_is_sent_twice_is_shown_twice():
    assert exchange_text.body_text(b'{"a": [], "a": 1}', None) == '{\n  "a": [],\n  "a": 1\n}'


def test_an_id_that_two_errors_share_shows_a_defect():
    first, second = ("00000000-0000-4000-8000-00000000000" + each for each in "12")
    assert is_same(f"{first}\n{second}", f"{second}\n{first}")
    assert not is_same(f"{first}\n{first}", f"{first}\n{second}")
    assert marks(f"{first}\na\n{first}", f"{first}\na\n{second}") == 'hl_lines="3"'


def test_dates_that_differ_become_days_that_differ():
    text = exchange_text.plain("2030-02-03T10:00:00Z 2030-02-02T10:00:00Z", "2030-02-01T10:00:00Z")
    assert text == "2026-01-03T00:00:00Z 2026-01-02T00:00:00Z"
