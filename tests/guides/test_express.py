"""What the file to copy for Express answers around a service of somebody else's."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import httpx2
import pytest

from fixtures.guides.play import listening
from fixtures.guides.steps import GUIDES, HERE, MODULES
from tests.needs import need_packages

pytestmark = [pytest.mark.needs, pytest.mark.slow]

OWN = Path(__file__).with_name("express_own.mjs")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    need_packages(HERE)
    folder = tmp_path_factory.mktemp("own")
    own_files(folder)
    with listening(GUIDES["express"], folder) as target, httpx2.Client(base_url=target) as client:
        yield client


def own_files(folder):
    for file in GUIDES["express"].files(2):
        shutil.copy(file, folder)
    (folder / "node_modules").symlink_to(MODULES)
    shutil.copy(OWN, folder / "main.mjs")


def kind(error):
    return error["type"].rpartition("/")[2]


def refused(answer, status):
    [error] = answer.json()["errors"]
    assert answer.status_code == status
    return error


def test_what_only_the_validator_refuses_is_called_invalid_at_its_place(own):
    error = refused(own.post("/parcels", json={"postcode": "90210"}), 422)
    assert (kind(error), error["parameter_name"]) == ("validation-error", "postcode")
    assert "nobody drives there" in error["detail"]


def test_a_rule_of_the_validator_is_tried_with_what_is_suggested(own):
    sent = {"postcode": "53111", "day": "2020-05-20"}
    error = refused(own.post("/parcels", json=sent), 422)
    assert error["parameter_name"] == "day"
    suggested = error["suggested_value"]
    if suggested is not None:
        answer = own.post("/parcels", json=sent | {"day": suggested})
        assert answer.status_code == 500  # what the handler throws: the day is accepted


def test_a_fault_of_the_server_is_in_the_envelope_and_shows_nothing(own):
    answer = own.post("/parcels", json={"postcode": "53111"})
    error = refused(answer, 500)
    assert (kind(error), error["tool_name"]) == ("internal-error", "send")
    assert "hunter2" not in answer.text


@pytest.mark.parametrize("body", ["{}", "null", '"hunter2"', "[7]"])
def test_a_fault_of_what_checks_the_arguments_is_in_the_envelope_and_shows_nothing(own, body):
    answer = own.post("/trimmed", content=body, headers={"content-type": "application/json"})
    error = refused(answer, 500)
    assert (kind(error), error["tool_name"]) == ("internal-error", "trim")
    assert "TypeError" not in answer.text


def test_an_error_of_http_has_the_type_of_its_status(own):
    error = refused(own.post("/late", json={}), 409)
    assert (kind(error), error["tool_name"]) == ("conflict", "late")
    assert error["detail"] == "It is closed."


@pytest.mark.parametrize(("key", "status"), [("none", 401), ("other", 403)])
def test_what_is_refused_before_the_arguments_are_checked_names_the_tool(own, key, status):
    error = refused(own.get("/private", headers={"x-key": key}), status)
    assert error["tool_name"] == "read"


def test_the_methods_of_a_path_are_told(own):
    answer = own.options("/track")
    assert (answer.status_code, answer.headers["allow"]) == (204, "GET")


def test_an_unknown_path_and_a_wrong_method_are_in_the_envelope(own):
    assert kind(refused(own.get("/nowhere"), 404)) == "not-found"
    answer = own.post("/track", json={})
    assert kind(refused(answer, 405)) == "method-not-allowed"
    assert answer.headers["allow"] == "GET"


def test_a_path_that_cannot_be_read_is_told_without_its_values(own):
    answer = own.put("/books/hunter2%ff", json={})
    assert kind(refused(answer, 400)) == "malformed-request"
    assert "hunter2" not in answer.text


def test_a_long_path_does_not_keep_the_server_busy(own):
    began = time.monotonic()
    for step in ("-", "1-", "1", "1-1-"):
        path = f"/days/v1.{step * (8_000 // len(step))}/x"
        assert kind(refused(own.get(path, timeout=60), 404)) == "not-found"
    assert time.monotonic() - began < 10


def test_of_a_path_with_several_parameters_in_a_step_the_tool_is_known(own):
    assert refused(own.get("/days/v1.2026-1-%ff"), 400)["tool_name"] == "day"
    error = refused(own.get("/days/v1.2026-1-x"), 422)
    assert (error["tool_name"], error["parameter_name"]) == ("day", "day")


def test_a_wrong_method_is_told_without_the_values_in_the_path(own):
    error = refused(own.post("/books/hunter2", json={}), 405)
    assert error["detail"] == "/books/:book_id takes PUT, DELETE."


def test_another_media_type_and_a_broken_body_name_the_tool(own):
    for content, media, status in (("a=1", "text/plain", 415), ("{", "application/json", 400)):
        answer = own.post("/parcels", content=content, headers={"content-type": media})
        assert refused(answer, status)["tool_name"] == "send"


@pytest.mark.parametrize("body", ["null", "7", '"a"', "[]"])
def test_json_that_is_no_object_is_invalid_and_not_malformed(own, body):
    answer = own.post("/parcels", content=body, headers={"content-type": "application/json"})
    error = refused(answer, 422)
    assert (kind(error), error["tool_name"]) == ("validation-error", "send")
    assert error["parameter_name"] is None


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("title=123", {"title": "123"}),
        ("title=null", {"title": "null"}),
        ("tags=12&tags=b", {"tags": ["12", "b"]}),
        ("rooms=12&rooms=3", {"rooms": [12, 3]}),
        ("rooms=12", {"rooms": [12]}),
        ("weight=2.5", {"weight": 2.5}),
        ("history=true", {"history": True}),
    ],
)
def test_a_query_is_read_as_its_schema_types_it(own, query, read):
    assert own.get(f"/track?{query}").json() == {"history": False, **read}


@pytest.mark.parametrize(
    ("query", "place", "suggested"),
    [
        ("history=TRUE", "history", "true"),
        ("weight=2,5", "weight", "2.5"),
        ("weight=0", "weight", "0.01"),
        ("more=1", "more", None),
    ],
)
def test_a_query_that_is_refused_is_mended(own, query, place, suggested):
    error = refused(own.get(f"/track?{query}"), 422)
    assert (error["parameter_name"], error["suggested_value"]) == (place, suggested)


def test_path_query_and_body_are_checked_together(own):
    answer = own.put("/books/b1?draft=true", json={"copies": 2})
    assert answer.json() == {"book_id": "b1", "copies": 2, "draft": True}
    error = refused(own.put("/books/b1", json={"copies": 0}), 422)
    assert (error["parameter_name"], error["suggested_value"]) == ("copies", "1")
    assert kind(refused(own.delete("/books/b1"), 409)) == "business-rule"


def test_a_handler_that_reads_the_body_gets_what_was_checked(own):
    whole = {"book_id": "b1", "copies": 1, "draft": False}
    assert own.post("/books?book_id=b1", json={}).json() == whole


def test_the_query_cannot_say_again_what_the_path_or_the_body_says(own):
    for method, path, body in (("PUT", "/books/b1?book_id=b2", {}),
                               ("POST", "/books?book_id=b2", {"book_id": "b1"})):  # fmt: skip
        error = refused(own.request(method, path, json=body), 422)
        assert (error["title"], error["parameter_name"]) == ("Unknown parameter", "book_id")
    answer = own.request("GET", "/track?weight=-1", json={"weight": 1})
    assert refused(answer, 422)["parameter_name"] == "weight"


def test_a_pattern_that_only_the_validator_reads_is_refused_at_its_place(own):
    error = refused(own.get("/track?code=a%20b"), 422)
    assert (kind(error), error["parameter_name"]) == ("validation-error", "code")


def test_arguments_that_are_nested_too_deeply_are_refused(own):
    body = '{"name": "a", "inside": [' * 3000 + "]}" * 3000
    answer = own.post("/nodes", content=body, headers={"content-type": "application/json"})
    error = refused(answer, 422)
    assert (kind(error), error["tool_name"]) == ("validation-error", "node")


def test_the_openapi_document_has_the_parameters_of_path_query_and_body(own):
    document = own.get("/openapi.json").json()
    change = document["paths"]["/books/{book_id}"]["put"]
    assert [(each["name"], each["in"]) for each in change["parameters"]] == [("book_id", "path")]
    body = change["requestBody"]["content"]["application/json"]["schema"]
    assert sorted(body["properties"]) == ["copies", "draft"]
    assert {each["in"] for each in document["paths"]["/track"]["get"]["parameters"]} == {"query"}


def test_a_schema_that_refers_to_itself_is_walked_and_published(own):
    tree = {"name": "a", "inside": [{"name": "b", "inside": [{"name": 7}]}]}
    error = refused(own.post("/nodes", json=tree), 422)
    assert (error["parameter_name"], error["suggested_value"]) == ("inside[0].inside[0].name", "7")
    text = own.get("/openapi.json").text
    assert '"#"' not in text
    assert "#/$defs" not in text


def test_the_routes_of_a_mounted_router_are_published_with_their_whole_paths(own):
    paths = own.get("/openapi.json").json()["paths"]
    assert paths["/api/late"]["get"]["operationId"] == "late_here"
    assert not any(path.startswith("/v1") for path in paths)  # a name is there once
    assert {"get", "post"} <= paths["/any"].keys()
    for path, method, places in (
        ("/api/copies/{number}", "get", {"number": "path"}),
        ("/api/rooms/{room}/shelf", "put", {"room": "path"}),
    ):
        parameters = paths[path][method]["parameters"]
        assert {each["name"]: each["in"] for each in parameters} == places


@pytest.mark.parametrize("mounted", ["/api", "/v1"])
def test_a_mounted_router_refuses_in_the_envelope_like_the_app(own, mounted):
    assert own.get(f"{mounted}/copies/7").json() == {"number": 7}
    error = refused(own.get(f"{mounted}/copies/12"), 422)
    assert (error["tool_name"], error["suggested_value"]) == ("copy", "9")
    assert own.put(f"{mounted}/rooms/4/shelf", json={"rows": 2}).json() == {"room": 4, "rows": 2}
    assert refused(own.get(f"{mounted}/late"), 409)["tool_name"] == "late_here"
    answer = own.post(f"{mounted}/late")
    assert kind(refused(answer, 405)) == "method-not-allowed"
    assert answer.headers["allow"] == "GET"


N = {"n": 1}
OK = (200, None)
CASES = {  # of each app: the tools that install warns of, and calls with (status, tool)
    "routerAll": ("x", [("POST", "/api/x", N, OK), ("POST", "/api/x", "a", (422, "x"))]),
    "appUse": ("x", [("POST", "/x", N, OK), ("POST", "/x", {"n": "1"}, (422, "x"))]),
    "arrayPath": ("", [("POST", "/y", N, OK), ("POST", "/y", "a", (422, "x"))]),
    "regexPath": ("r", [("POST", "/r", N, OK), ("POST", "/r", "a", (422, "r"))]),
    "regexMount": ("z", [("POST", "/v2/z", N, OK), ("POST", "/v2/z", {}, (422, "z"))]),
    "arrayMount": ("", [("POST", "/v2/z", N, OK), ("GET", "/v2/z", None, (405, None))]),
    "flag": ("off", [("POST", "/a", N, OK)]),
    "twoApps": ("", [("POST", "/a", N, OK)]),
    "subApp": ("b", [("POST", "/sub/b", N, OK), ("POST", "/sub/b", {"n": "1"}, (422, "b"))]),
    "order": (
        "",
        [
            ("POST", "/rooms/search", N, (409, "search")),
            ("POST", "/rooms/search", "text", (422, "search")),
            ("POST", "/rooms/7", "text", (422, "get_room")),
            ("GET", "/rooms/me", None, (409, None)),
            ("DELETE", "/rooms/me", None, (409, None)),
        ],
    ),
    "guard": ("", [("POST", "/a", N, (401, "a")), ("POST", "/b", N, (401, None))]),
    "rootWild": (
        "",
        [
            ("GET", "/none/at/all", None, (404, None)),
            ("POST", "/none/at/all", N, (404, None)),
            ("GET", "/none", None, (404, None)),
            ("POST", "/z", N, OK),
        ],
    ),
    "self": ("", [("POST", "/a/z", N, OK), ("POST", "/a/v1/z", N, OK)]),
}


def ended(folder, script, *arguments):
    command = [str(folder / "node_modules/.bin/tsx"), script, *arguments]
    return subprocess.run(
        command, check=True, cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.fixture(scope="module")
def apps(tmp_path_factory):
    need_packages(HERE)
    folder = tmp_path_factory.mktemp("apps")
    own_files(folder)
    shutil.copy(OWN.with_name("express_cases.mjs"), folder / "cases.mjs")
    calls = {name: [call[:3] for call in calls] for name, (_, calls) in CASES.items()}
    return json.loads(ended(folder, "cases.mjs", json.dumps(calls)).stdout)


@pytest.mark.parametrize("name", CASES)
def test_an_app_starts_and_is_checked_whatever_install_finds(apps, name):
    tools, calls = CASES[name]
    assert [tuple(each) for each in apps[name]["answers"]] == [call[3] for call in calls]
    warned = [f"install(app) finds no route of {tools}, so"] if tools else []
    assert [text[: len(warned[0])] for text in apps[name]["warned"]] == warned


def test_each_app_of_the_file_is_tried(apps):
    assert apps.keys() == CASES.keys()


def test_install_says_which_package_follows_a_mounted_router(tmp_path):
    need_packages(HERE)
    own_files(tmp_path)
    said = ended(tmp_path, "main.mjs", "old").stderr
    assert "finds no route of tidy, late_here, copy, so" in said
    assert "npm update router" in said
