"""The reference server over plain HTTP: every error in the envelope, every answer with CORS."""

import json
import subprocess

import httpx2
import pytest

from fixtures.servers.resources import RESOURCES
from fixtures.servers.start import REFERENCE, command, listening
from fixtures.servers.tools import TOOLS

pytestmark = pytest.mark.usefixtures("forked")

JSON = {"content-type": "application/json"}
INVOKE = "/tools/get_booking/invoke"


@pytest.fixture(scope="module")
def client():
    with listening() as url, httpx2.Client(base_url=url) as http:
        yield http


def test_the_manifest_leads_to_every_tool(client):
    (path,) = [
        each["path"]
        for each in client.get("/manifest").json()["resources"]
        if each["type"] == "tool"
    ]
    catalog = client.get(path).json()
    assert [tool["name"] for tool in catalog["tools"]] == [tool.name for tool in TOOLS]
    assert "nextCursor" not in catalog


def test_a_tool_is_found_by_its_name(client):
    assert client.get("/tools/get_booking").json()["invocation"]["endpoint"] == INVOKE


def test_another_resource_type_has_no_tools(client):
    assert client.get("/tools?resource_type=prompt").json()["tools"] == []


def test_each_resource_is_listed_once_and_found_by_its_id(client):
    listed = [
        (each["path"], found)
        for each in client.get("/manifest").json()["resources"]
        if each["type"] != "tool"
        for found in client.get(each["path"]).json()["resources"]
    ]
    assert [found for _, found in listed if found["resource_type"] == "tool"] == []
    assert sorted(found["resource_id"] for _, found in listed) == sorted(
        each["resource_id"] for each in RESOURCES
    )
    for path, found in listed:
        assert client.get(f"{path}/{found['resource_id']}").json() == found


def test_the_server_is_well(client):
    assert client.get("/health").status_code == 200


BROKEN = [
    ("GET", "/nope", None, {}, 404, "not-found"),
    ("GET", "/", None, {}, 404, "not-found"),
    ("GET", "/tools/nope", None, {}, 404, "not-found"),
    ("POST", "/tools/nope/invoke", b"{}", JSON, 404, "not-found"),
    ("PUT", "/tools", b"{}", JSON, 405, "method-not-allowed"),
    ("GET", INVOKE, None, {}, 405, "method-not-allowed"),
    ("BREW", "/manifest", None, {}, 405, "method-not-allowed"),
    ("POST", INVOKE, b"{", JSON, 400, "malformed-request"),
    ("POST", INVOKE, b"", JSON, 400, "malformed-request"),
    ("POST", INVOKE, b'{"a": NaN}', JSON, 400, "malformed-request"),
    ("POST", INVOKE, b'{"a": 1e999}', JSON, 400, "malformed-request"),
    ("POST", INVOKE, b'{"a": ' + b"9" * 5000 + b"}", JSON, 400, "malformed-request"),
    ("POST", INVOKE, b'{"a": 1, "a": 2}', JSON, 400, "malformed-request"),
    ("POST", INVOKE, b'{"a": "\\ud800"}', JSON, 400, "malformed-request"),
    ("POST", INVOKE, b"\xff\xfe{", JSON, 400, "malformed-request"),
    ("POST", INVOKE, b'{"a":' * 100_000, JSON, 400, "malformed-request"),
    ("POST", INVOKE, b"{}", {"content-type": "text/plain"}, 415, "unsupported-media-type"),
    ("POST", INVOKE, b"{}", {"content-type": "application/json; charset=latin-1"}, 415,
     "unsupported-media-type"),
    ("POST", INVOKE, b"{}", {}, 415, "unsupported-media-type"),
    ("POST", INVOKE, b"[]", JSON, 422, "validation-error"),
    ("POST", INVOKE, b"null", JSON, 422, "validation-error"),
    ("POST", INVOKE, b'"' + b"x" * 5_000_000 + b'"', JSON, 413, "payload-too-large"),
    ("GET", "/tools?cursor=nope", None, {}, 400, "validation-error"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "headers", "status", "kind"), BROKEN)
def test_an_error_is_an_envelope(client, method, path, body, headers, status, kind):
    answer = client.request(method, path, content=body, headers=headers)
    (error,) = answer.json()["errors"]
    assert error["type"].endswith(f"/{kind}")
    assert answer.status_code == (422 if "cursor" in path else status)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert error["tool_name"] == ("get_booking" if path == INVOKE else
                                  "nope" if path.startswith("/tools/nope") else None)  # fmt: skip


def test_a_wrong_method_is_told_the_right_ones(client):
    assert client.delete("/tools").headers["allow"] == "GET, HEAD, OPTIONS"
    assert client.get(INVOKE).headers["allow"] == "POST, OPTIONS"


def test_a_preflight_has_the_headers_of_an_answer(client):
    preflight = client.options("/tools", headers={"origin": "http://localhost:9"})
    answer = client.get("/tools", headers={"origin": "http://localhost:9"})
    cors = [name for name in answer.headers if name.startswith("access-control-")]
    assert preflight.status_code == 204
    assert cors
    assert all(preflight.headers[name] == answer.headers[name] for name in cors)


def test_an_accepted_call_is_json(client):
    answer = client.post(INVOKE, json={"booking_id": "BK-00000001"})
    assert answer.status_code == 200
    assert answer.json()["status"] == "confirmed"


def test_no_two_errors_have_the_same_instance(client):
    told = [client.post(INVOKE, json={}).json()["errors"][0]["instance"] for _ in range(20)]
    assert len(set(told)) == 20


def test_an_unknown_token_is_asked_for_another_in_the_header(client):
    answer = client.post(INVOKE, json={}, headers={"authorization": "Bearer nope"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_deep_argument_is_answered(client):
    deep = json.loads("[" * 400 + "]" * 400)
    answer = client.post("/tools/validate_data/invoke", json={"data": {"a": deep}, "schema": {}})
    assert answer.status_code == 200


def test_the_server_says_that_it_is_ready_and_ends_when_told():
    process = subprocess.Popen(command(REFERENCE, "--port", "0"), stdout=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"reference ready at http://127.0.0.1:")
    process.terminate()
    assert process.wait(5) == 0
    assert process.stdout.read() == b""


def test_a_port_that_is_taken_is_said_in_one_sentence():
    with listening() as url:
        port = url.rsplit(":", 1)[1]
        done = subprocess.run(
            command(REFERENCE, "--port", port), capture_output=True, text=True, check=False
        )
    assert done.returncode == 1
    assert "try --port 0" in done.stderr
    assert "Traceback" not in done.stderr
