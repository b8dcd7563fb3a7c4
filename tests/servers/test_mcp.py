"""The reference server as an MCP server, in both eras, over HTTP and standard input and output."""

import json
import signal
import subprocess

import httpx2
import mcp_types.methods
import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from fixtures.servers.start import REFERENCE, command, listening
from fixtures.servers.tools import TOOLS
from tests.servers.test_faults import EXAMPLES, heard, message, modern

pytestmark = pytest.mark.usefixtures("forked")

STATELESS = "2026-07-28"
SHIFTED = {
    "hotel_reservation": {"check_in": "2035-01-15T14:00:00Z", "check_out": "2035-01-17T12:00:00Z"},
    "flight_booking": {"departure_date": "2035-03-01", "return_date": "2035-03-08"},
}


@pytest.fixture(scope="module")
def url():
    with listening() as base:
        yield base


@pytest.fixture
def client(url):
    accept = {"accept": "application/json, text/event-stream"}
    with httpx2.Client(base_url=url, headers=accept, timeout=20) as http:
        yield http


def opened(client, version="2025-11-25"):
    """Open a session; gives its headers and the result of initialize."""
    who = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    answer = client.post("/mcp", json=message("initialize", {**who, "protocolVersion": version}))
    session = {"mcp-session-id": answer.headers["mcp-session-id"]}
    if version >= "2025-06-18":
        session["mcp-protocol-version"] = version
    done = client.post("/mcp", headers=session, json=message("notifications/initialized",
                                                             number=None))  # fmt: skip
    assert (done.status_code, done.content) == (202, b"")
    return session, answer.json()["result"]


def asked(client, version, method, **params):
    """Ask in the era of a version; gives the whole answer in JSON."""
    if version == STATELESS:
        return client.post("/mcp", **modern(method, **params)).json()
    session, _ = opened(client, version)
    return client.post("/mcp", headers=session, json=message(method, params)).json()


def holds(method, version, result):
    shape = mcp_types.methods.SERVER_RESULTS[(method, version)]
    TypeAdapter(shape).validate_python(result, strict=True, by_name=False)


@pytest.mark.parametrize("version", [STATELESS, "2025-11-25", "2025-06-18", "2025-03-26"])
def test_the_list_has_the_form_of_its_version(client, version):
    result = asked(client, version, "tools/list")["result"]
    holds("tools/list", version, result)
    assert [tool["name"] for tool in result["tools"]] == [tool.name for tool in TOOLS]
    assert ("outputSchema" in result["tools"][0]) is (version >= "2025-06-18")


@pytest.mark.parametrize("version", [STATELESS, "2025-11-25"])
def test_the_schemas_are_those_of_the_http_catalog(client, version):
    catalog = client.get("/tools").json()["tools"]
    listed = asked(client, version, "tools/list")["result"]["tools"]
    for over_http, over_mcp in zip(catalog, listed, strict=True):
        assert over_mcp["inputSchema"] == over_http["inputSchema"]
        carried = over_mcp["_meta"]["io.github.agent-formats/atdf"]
        assert all(carried[key] == over_http[key] for key in carried)


@pytest.mark.parametrize("version", [STATELESS, "2025-11-25"])
@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS if tool.name != "cancel_booking"])
def test_an_accepted_call_conforms_to_its_output_schema(client, version, tool):
    arguments = {**EXAMPLES[tool], **SHIFTED.get(tool, {})}
    result = asked(client, version, "tools/call", name=tool, arguments=arguments)["result"]
    holds("tools/call", version, result)
    schema = next(one.output_schema for one in TOOLS if one.name == tool)
    Draft202012Validator(schema).validate(result["structuredContent"])
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["isError"] is False


@pytest.mark.parametrize("version", [STATELESS, "2025-11-25", "2025-03-26"])
@pytest.mark.parametrize("arguments", [None, {}, {"booking_id": 5}])
def test_a_refused_call_is_a_result_with_the_envelope(client, version, arguments):
    result = asked(client, version, "tools/call", name="get_booking",
                   **({"arguments": arguments}))["result"]  # fmt: skip
    holds("tools/call", version, result)
    envelope = json.loads(result["content"][0]["text"])
    assert result["isError"] is True
    assert envelope["errors"][0]["tool_name"] == "get_booking"
    assert "structuredContent" not in result
    if version >= "2025-06-18":
        assert result["_meta"]["io.github.agent-formats/error"] == envelope


def test_every_binding_refuses_with_the_same_words(client):
    arguments = {"guests": "2", "room_type": "Double"}
    plain = client.post("/tools/hotel_reservation/invoke", json=arguments).json()["errors"]
    refused = asked(client, STATELESS, "tools/call", name="hotel_reservation", arguments=arguments)[
        "result"
    ]
    over_mcp = refused["_meta"]["io.github.agent-formats/error"]
    said = [message("tools/call", {"name": "hotel_reservation", "arguments": arguments,
                                   "_meta": modern("x")["json"]["params"]["_meta"]})]  # fmt: skip
    output, _ = heard(REFERENCE, said=said)
    on_stdio = json.loads(output)["result"]["_meta"]["io.github.agent-formats/error"]
    same = [
        [(error["type"], error["detail"], error["parameter_name"]) for error in errors]
        for errors in (plain, over_mcp["errors"], on_stdio["errors"])
    ]
    assert same[0] == same[1] == same[2]


@pytest.mark.parametrize("version", [STATELESS, "2025-11-25"])
def test_an_unknown_tool_is_invalid_params(client, version):
    answer = asked(client, version, "tools/call", name="nope", arguments={})
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("version", [STATELESS, "2025-11-25"])
def test_an_unknown_cursor_is_invalid_params(client, version):
    assert asked(client, version, "tools/list", cursor="nope")["error"]["code"] == -32602


def test_discovery_names_the_version(client):
    result = asked(client, STATELESS, "server/discover")["result"]
    holds("server/discover", STATELESS, result)
    assert result["supportedVersions"] == [STATELESS]


REFUSED = [
    (modern("ping"), 404, -32601),
    (modern("initialize"), 404, -32601),
    (modern("tools/list", version="1999-01-01"), 400, -32022),
    ({**modern("tools/list"), "headers": {"mcp-method": "tools/list"}}, 400, -32020),
    ({**modern("tools/list"), "headers": {"mcp-protocol-version": STATELESS}}, 400, -32020),
    ({"json": message("tools/list"),
      "headers": {"mcp-protocol-version": STATELESS, "mcp-method": "tools/list"}}, 400, -32602),
    ({"content": b"{", "headers": {"content-type": "application/json"}}, 400, -32700),
    ({"content": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": NaN}}',
      "headers": {"content-type": "application/json"}}, 400, -32700),
    ({"json": []}, 400, -32600),
    ({"json": [message("ping")]}, 400, -32600),
    ({"json": {"id": 1, "method": "ping"}}, 400, -32600),
    ({"json": message("ping"), "headers": {"mcp-session-id": "nope"}}, 404, -32600),
    ({"json": message("ping"), "headers": {"origin": "https://example.com"}}, 403, -32600),
    ({"json": message("ping"), "headers": {"origin": "http://localhost.example.com"}}, 403, -32600),
    ({"json": message("ping"), "headers": {"origin": "null"}}, 403, -32600),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "status", "code"), REFUSED)
def test_a_request_that_breaks_the_protocol_is_refused(client, request_, status, code):
    answer = client.post("/mcp", **request_)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    sent = request_.get("json")
    assert answer.json()["id"] == (sent.get("id") if isinstance(sent, dict) else None)


def test_a_local_origin_is_welcome(client):
    request = modern("tools/list")
    request["headers"]["origin"] = "http://127.0.0.1:3000"
    answer = client.post("/mcp", **request)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "http://127.0.0.1:3000"


def test_get_and_delete_are_not_of_the_stateless_era(client):
    for method in ("GET", "DELETE"):
        answer = client.request(method, "/mcp", headers={"mcp-protocol-version": STATELESS})
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(("version", "agreed"), [("2025-06-18", "2025-06-18"),
                                                 ("1999-01-01", "2025-11-25")])  # fmt: skip
def test_a_known_version_is_agreed_to_and_no_other(client, version, agreed):
    assert opened(client, version)[1]["protocolVersion"] == agreed


def test_an_ended_session_is_not_found(client):
    session, _ = opened(client)
    assert client.delete("/mcp", headers=session).status_code == 200
    assert client.post("/mcp", headers=session, json=message("ping")).status_code == 404


def test_an_unknown_version_header_is_refused(client):
    session, _ = opened(client)
    odd = {**session, "mcp-protocol-version": "1999-01-01"}
    assert client.post("/mcp", headers=odd, json=message("ping")).status_code == 400


def test_a_get_in_a_session_opens_an_event_stream(client):
    session, _ = opened(client)
    headers = {**session, "accept": "text/event-stream"}
    with client.stream("GET", "/mcp", headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")


def test_a_batch_is_answered_in_the_version_that_has_them(client):
    session, _ = opened(client, "2025-03-26")
    sent = [message("ping", number="a"), message("tools/list", number=2), {"jsonrpc": "2.0"},
            message("notifications/initialized", number=None)]  # fmt: skip
    answers = client.post("/mcp", headers=session, json=sent).json()
    assert [answer["id"] for answer in answers] == ["a", 2, None]


def test_a_batch_of_notifications_is_accepted_without_a_word(client):
    session, _ = opened(client, "2025-03-26")
    sent = [message("notifications/initialized", number=None)]
    answer = client.post("/mcp", headers=session, json=sent)
    assert (answer.status_code, answer.content) == (202, b"")


def test_a_token_without_the_scope_is_refused_over_mcp(client):
    request = modern("tools/call", name="hotel_reservation", arguments={})
    request["headers"]["authorization"] = "Bearer demo-read-only"
    result = client.post("/mcp", **request).json()["result"]
    assert result["_meta"]["io.github.agent-formats/error"]["errors"][0]["type"].endswith(
        "/authorization"
    )


def test_a_parameter_header_must_agree_with_its_argument(client):
    arguments = EXAMPLES["search_database"]
    request = modern("tools/call", name="search_database", arguments=arguments)
    request["headers"]["mcp-param-collection"] = "airports"
    assert client.post("/mcp", **request).json()["error"]["code"] == -32020


def test_both_eras_are_served_on_one_pair_of_pipes():
    said = [
        message("tools/list", number=1),
        modern("server/discover", 2)["json"],
        message("initialize", {"protocolVersion": "2025-03-26", "capabilities": {},
                               "clientInfo": {"name": "test", "version": "1"}}, 3),
        message("notifications/initialized", number=None),
        [message("ping", number=4), message("tools/list", number=5)],
        modern("tools/list", 6, version="1999-01-01")["json"],
        modern("tools/list", 7)["json"],
    ]  # fmt: skip
    answers = []
    output, ended = heard(REFERENCE, said=said)
    for line in output.splitlines():
        answer = json.loads(line)
        answers += answer if isinstance(answer, list) else [answer]
    by_id = {answer["id"]: answer for answer in answers}
    assert ended
    assert by_id[1]["error"]["code"] == -32602
    assert by_id[2]["result"]["supportedVersions"] == [STATELESS]
    assert by_id[3]["result"]["protocolVersion"] == "2025-03-26"
    assert by_id[4]["result"] == {}
    assert by_id[6]["error"]["code"] == -32022
    assert [tool["name"] for tool in by_id[7]["result"]["tools"]] == list(EXAMPLES)


def test_garbage_on_standard_input_is_survived():
    lines = ["{", "[]", '"x"', "", '{"jsonrpc": "2.0", "id": 1}', "\x00"]
    process = subprocess.Popen(command(REFERENCE, "--stdio"), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
    good = json.dumps(modern("tools/list", 9)["json"])
    output, _ = process.communicate("\n".join([*lines, good, ""]).encode(), 10)
    answers = [json.loads(line) for line in output.splitlines()]
    assert answers[-1]["id"] == 9
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_without_a_traceback(number):
    process = subprocess.Popen(command(REFERENCE, "--stdio"), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    process.stdin.write(json.dumps(modern("tools/list", 1)["json"]).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1  # it is at work
    process.send_signal(number)
    output, errors = process.communicate(timeout=5)
    assert (process.returncode, output) == (0, b"")
    assert b"Traceback" not in errors
