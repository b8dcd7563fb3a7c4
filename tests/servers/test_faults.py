"""The faulty servers: each differs from the reference, where its table says so."""

import asyncio
import base64
import json
import re
import subprocess
from datetime import UTC, datetime
from functools import cache

import httpx2
import pytest

from fixtures.servers.bindings.app import application
from fixtures.servers.core.behaviour import Behaviour
from fixtures.servers.core.service import Service
from fixtures.servers.core.store import Store
from fixtures.servers.faults import FAULTS, rare
from fixtures.servers.resources import COLLECTIONS, RESOURCES, uri
from fixtures.servers.start import FAULTY, REFERENCE, command, listening
from fixtures.servers.tools import TOOLS
from tests.scripts.proof.test_sample import SAMPLE
from tests.servers.test_repair import CASES, THEN

pytestmark = pytest.mark.usefixtures("forked")

FATAL = {"hangs-at-an-empty-text", "dies-at-an-empty-text", "dies-at-bad-json", "dies-at-a-batch"}
UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
LATER = "2025-03-09T10:00:00Z"
ODD = [
    ("hotel_reservation", {"guest_name": "Á" * 100}),
    ("hotel_reservation", {"guest_name": "José"}),
    ("hotel_reservation", {"guests": 4, "room_type": "suite"}),
    ("hotel_reservation", {"check_in": "2025-01-15"}),
    ("hotel_reservation", {"check_in": "2025-02-30T10:00:00Z", "check_out": LATER}),
    ("hotel_reservation", {"guests": 1.5}),
    ("hotel_reservation", {"guest_name": "x" * 121}),
    ("flight_booking", {"origin": "MADX"}),
    ("flight_booking", {"cabin": "business"}),
    ("flight_booking", {"departure_date": datetime.now(UTC).date().isoformat()}),
    ("quote_shipment", {"insured": "yes"}),
    ("get_booking", {"booking_id": "nope"}),
    ("search_database", {"limit": None}),
    ("search_database", {"query": "São"}),
    ("search_database", {"query": ""}),
    ("search_database", {"limit": 100}),
]  # fmt: skip
EXAMPLES = {tool.name: tool.example for tool in TOOLS}


def calls(tools):
    """The calls that are made of some tools: good ones, broken ones, odd ones."""
    for name in tools or EXAMPLES:
        yield name, EXAMPLES[name]
        for left_out in EXAMPLES[name]:
            yield name, {key: value for key, value in EXAMPLES[name].items() if key != left_out}
        for case in CASES if tools else CASES[::97]:
            if case.values[0].name == name:
                yield name, case.values[4]
        for odd, change in ODD:
            if odd == name:
                yield name, {**EXAMPLES[name], **change}
        yield name, EXAMPLES[name]
        yield name, []
        yield name, None


async def http_talk(client, tools):
    """Everything that is asked over plain HTTP."""
    for path in ("/manifest", "/health", "/tools/get_booking", "/tools/nope", "/nope", "/prompts"):
        yield await client.get(path)
    yield await client.get("/tool_schemas.json")
    for arguments in ({}, {"site": "south"}, {"site": "harbour"}, {"site": "north", "limit": 3}):
        for more in ({}, {"server_data": "on"}, {"server_data": "off"}, {"session_id": "other"}):
            asked = {**arguments, **more}
            yield await client.post("/tools/list_devices/invoke", json=asked)
    named = {"agent-formats-call-meta": json.dumps({"tool_call_id": "call-1"})}
    for header in (named, {"prefer": "respond-async"}):
        answer = await client.post(
            "/tools/diagnose_alarm/invoke", json={"alarm": "heat"}, headers=header
        )
        yield answer
        answer = await client.post(
            "/tools/list_devices/invoke", json={"site": "north"}, headers=header
        )
        yield answer
    for _ in range(3):
        yield await client.get(answer.headers.get("location", "/calls/none"))
    for path in (
        "/manifest",
        "/.well-known/agent-formats",
        *COLLECTIONS.values(),
        "/custom/nope",
        "/custom?resource_type=tool",
    ):
        yield await client.get(path)
    for one in RESOURCES:
        yield await client.get(f"{COLLECTIONS[one['resource_type']]}/{one['resource_id']}")
    cursor = None
    for _ in range(5):
        answer = await client.get("/tools", params={"cursor": cursor} if cursor else {})
        yield answer
        cursor = answer.json().get("nextCursor")
        if not cursor:
            break
    yield await client.get("/tools")
    yield await client.options("/tools")
    yield await client.put("/tools")
    yield await client.post("/tools/get_booking/invoke", content=b"{", headers={
        "content-type": "application/json"})  # fmt: skip
    yield await client.post("/tools/get_booking/invoke", content=b"x", headers={
        "content-type": "text/plain"})  # fmt: skip
    yield await client.post("/tools/list_devices/invoke", json={"site": "north", "limit": 10**400})
    yield await client.post("/tools/nope/invoke", json={})
    token = {"authorization": "Bearer demo-read-only"}
    yield await client.post("/tools/hotel_reservation/invoke", json={}, headers=token)
    for name, arguments in calls(tools):
        yield await client.post(f"/tools/{name}/invoke", json=arguments)


def message(method, params=None, number=1):
    body = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    return body if number is None else {**body, "id": number}


def modern(method, number=1, version="2026-07-28", meta=META, **params):
    meta = {**meta, "io.modelcontextprotocol/protocolVersion": version}
    headers = {"mcp-protocol-version": version, "mcp-method": method}
    if "name" in params or "uri" in params:
        headers["mcp-name"] = params.get("name", params.get("uri"))
    if isinstance(found := (params.get("arguments") or {}).get("collection"), str | int | float):
        found = str(found).lower() if isinstance(found, bool) else str(found)
        safe = found.isprintable() and found == found.strip() and found.isascii()
        headers["mcp-param-collection"] = found if safe else "=?base64?" + b64(found) + "?="
    return {"json": message(method, {**params, "_meta": meta}, number), "headers": headers}


def b64(text):
    return base64.b64encode(text.encode()).decode()


def without(request, name):
    return {**request, "headers": {k: v for k, v in request["headers"].items() if k != name}}


async def modern_talk(client, tools):
    """Everything that is asked over MCP of 2026-07-28."""
    listed = modern("tools/list")
    scripts = [
        listed, modern("server/discover"), listed, modern("tools/list", cursor="nope"),
        modern("nope"), modern("ping"), modern("tools/call", name="nope", arguments={}),
        modern("tools/list", version="1999-01-01"), without(listed, "mcp-method"),
        without(listed, "mcp-protocol-version"), modern("tools/list", meta={}),
        {**listed, "headers": {**listed["headers"], "origin": "https://example.com"}},
    ]  # fmt: skip
    good = modern("tools/call", name="get_booking", arguments=EXAMPLES["get_booking"])
    scripts.append({**good, "headers": {**good["headers"], "mcp-name": "other"}})
    encoded = {**good["headers"], "mcp-name": f"=?base64?{b64('get_booking')}?="}
    scripts.append({**good, "headers": encoded})
    search = modern("tools/call", name="search_database", arguments=EXAMPLES["search_database"])
    scripts.append({**search, "headers": {**search["headers"], "mcp-param-collection": "airports"}})
    for arguments in ({}, {"site": "south"}, {"site": "harbour"}, {"site": "north", "limit": 3}):
        for more in ({}, {"server_data": "on"}, {"server_data": "off"}, {"session_id": "other"}):
            asked = {**arguments, **more}
            scripts.append(modern("tools/call", name="list_devices", arguments=asked))
    named = {**META, "io.github.agent-formats/call_meta": {"tool_call_id": "call-1"}}
    scripts.append(
        modern("tools/call", meta=named, name="list_devices", arguments={"site": "north"})
    )
    scripts.append(modern("resources/list"))
    scripts += [modern("resources/read", uri=uri(one["resource_id"])) for one in RESOURCES]
    scripts.append(modern("resources/read", uri=uri("not-there")))
    for request in scripts:
        yield await client.post("/mcp", **request)
    for number, (name, arguments) in enumerate(calls(tools), 2):
        yield await client.post("/mcp", **modern("tools/call", number, name=name,
                                                 arguments=arguments))  # fmt: skip
    yield await client.post("/mcp", **listed)


async def legacy_talk(client, tools):
    """Everything that is asked over MCP with a handshake."""
    session = {}
    for version in ("2025-06-18", "1999-01-01", "2025-03-26", "2025-11-25"):
        who = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = await client.post(
            "/mcp", json=message("initialize", {**who, "protocolVersion": version})
        )
        yield answer
        session = {"mcp-session-id": answer.headers.get("mcp-session-id", "")}
        if version == "2025-03-26":
            yield await client.post("/mcp", headers=session, json=[message("ping")])
    session["mcp-protocol-version"] = "2025-11-25"
    yield await client.post(
        "/mcp", headers=session, json=message("notifications/initialized", number=None)
    )
    for body in (message("ping"), message("tools/list"), message("tools/list", {"cursor": "nope"}),
                 message("nope"), message("tools/call", {"name": "nope"}),
                 message("resources/list"),
                 message("resources/read", {"uri": uri("not-there")}),
                 *(message("tools/call", {"name": "list_devices", "arguments": arguments,
                                          "_meta": {"io.github.agent-formats/call_meta": meta}})
                   for arguments in ({}, {"site": "south"}, {"site": "harbour"},
                                     {"site": "north", "limit": 3},
                                     {"site": "north", "server_data": "on"},
                                     {"site": "north", "session_id": "other"})
                   for meta in (None, {"tool_call_id": "call-1"})),
                 *(message("resources/read", {"uri": uri(one["resource_id"])})
                   for one in RESOURCES)):  # fmt: skip
        yield await client.post("/mcp", headers=session, json=body)
    odd = {**session, "mcp-protocol-version": "1999-01-01"}
    yield await client.post("/mcp", headers=odd, json=message("tools/list"))
    yield await client.post("/mcp", json=message("tools/list"))
    foreign = {**session, "origin": "https://example.com"}
    yield await client.post("/mcp", headers=foreign, json=message("tools/list"))
    yield await client.get("/mcp", headers={"mcp-protocol-version": "2025-11-25"})
    for number, (name, arguments) in enumerate(calls(tools), 2):
        params = {"name": name, "arguments": arguments}
        yield await client.post("/mcp", headers=session, json=message("tools/call", params, number))
    yield await client.delete("/mcp", headers=session)
    yield await client.post("/mcp", headers=session, json=message("ping"))


TALKS = {("http", "legacy"): http_talk, ("http", "modern"): http_talk,
         ("mcp", "legacy"): legacy_talk, ("mcp", "modern"): modern_talk}  # fmt: skip


def shape(answer, seen):
    """What of an answer can be compared: unique ids are numbered as they come."""

    def number(match):
        return f"#{seen.setdefault(match.group().replace('-', ''), len(seen))}"

    headers = {k: v for k, v in answer.headers.items() if k not in ("content-length", "date")}
    return UUID.sub(number, f"{answer.status_code} {headers} {answer.content!r}")


async def told(behaviour, talk, tools, expected=None):
    """What a server answers; no further than the first answer that is not as expected."""
    service = Service(TOOLS, behaviour, Store(), clock=lambda: THEN, resources=RESOURCES)
    transport = httpx2.ASGITransport(application(service))
    headers = {"accept": "application/json, text/event-stream"}
    seen, heard_so_far = {}, []
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://localhost", headers=headers
    ) as client:
        async for answer in talk(client, tools):
            heard_so_far.append(shape(answer, seen))
            if expected is not None and heard_so_far != expected[: len(heard_so_far)]:
                break
    return heard_so_far


@cache
def reference_told(talk, tools):
    return asyncio.run(told(Behaviour(), talk, tools))


def differs(fault, talk):
    """Say whether a faulty server answers anything other than the reference does."""
    expected = reference_told(talk, fault.tools)
    return asyncio.run(told(fault.apply(Behaviour()), talk, fault.tools, expected)) != expected


NOT_ASKED = {
    "second-reading-refused",
    "initialize-refused-without-versions",
    "get-answered-without-sessions",
    "unknown-method-with-another-code-on-stdio",
    "http-and-mcp-disagree",
    "dies-at-a-long-text",
    "older-result-without-content",
    "oldest-handshake-without-name",
    "fails-at-the-last-year",
    "fails-at-a-whole-float",
    "whole-float-refused",
    "encoding-refused-in-text",
    "malformed-message-refused-in-text",
    "malformed-message-with-another-code",
    "malformed-message-is-a-server-error",
    "fraction-as-id-never-answered",
    "fraction-as-id-rounded",
    "header-name-by-the-letter",
}
"""Faults of requests that the talks below don't make; the sample of the proof has each of them."""

RARE = {fault.name for fault in rare.FAULTS}
"""Faults that only show at random: the tests of the random phase have them."""

TALKED_TO = [
    pytest.param(fault, binding, era, id=f"{fault.name}-{binding}-{era}")
    for fault in FAULTS.values()
    if fault.name not in {*FATAL, *NOT_ASKED, *RARE}
    for binding in fault.bindings
    for era in fault.eras
    if (binding, era) in TALKS and not (binding == "http" and era == "modern")
]


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "binding", "era"), TALKED_TO)
def test_a_fault_shows_where_its_table_says(fault, binding, era):
    assert differs(fault, TALKS[binding, era])


def test_the_reference_does_not_differ_from_itself():
    same = FAULTS["empty-version"]
    unchanged = type(same)("none", (), lambda behaviour: behaviour)
    for talk in (http_talk, modern_talk, legacy_talk):
        assert not differs(unchanged, talk)


SAID = [
    message("server/discover", {"_meta": META}),
    message("tools/list", {"_meta": META}, 2),
    message("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                           "clientInfo": {"name": "test", "version": "1"}}, 3),
    message("notifications/initialized", number=None),
    message("ping", number=4),
    message("tools/call", {"name": "get_booking", "arguments": EXAMPLES["get_booking"]}, 5),
    message("tools/call", {"name": "get_booking", "arguments": {}, "_meta": META}, 6),
    message("tools/call", {"name": "get_booking", "arguments": EXAMPLES["get_booking"],
                           "_meta": META}, 7),
    message("tools/call", {"name": "search_database", "arguments": {"query": ""}}, 8),
]  # fmt: skip


def heard(*server, end=10, said=SAID):
    """What a server says on its standard output, and whether it ended by itself."""
    text = "".join(json.dumps(one) + "\n" for one in said).encode()
    process = subprocess.Popen(
        command(*server, "--stdio"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        output, _ = process.communicate(text, end)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return output, False
    return output, process.returncode == 0


STDIO_ONLY = [
    name for name, fault in FAULTS.items()
    if fault.bindings == ("stdio",)
    and name not in {*FATAL, *NOT_ASKED, "cold-until-discovered", "ends-behind-its-answer",
                     "noise-behind-a-buffer"}
]  # fmt: skip


@pytest.fixture(scope="module")
def reference_heard():
    return lines(*heard(REFERENCE))


def lines(output, ended):
    return sorted(UUID.sub("#", line) for line in output.decode().splitlines()), ended


@pytest.mark.parametrize("name", STDIO_ONLY)
def test_a_fault_of_standard_output_shows(name, reference_heard):
    assert lines(*heard(FAULTY, "--fault", name, end=4)) != reference_heard


def test_noise_behind_a_buffer_comes_all_at_once_long_after_the_calls_that_wrote_it():
    few = [message("ping", number=number) for number in range(60)]
    output, _ = heard(FAULTY, "--fault", "noise-behind-a-buffer", said=few)
    noisy = [not line.startswith("{") for line in output.decode().splitlines()]
    first = noisy.index(True)
    assert first > 40
    assert noisy[first:].index(False) == sum(noisy) > 40


def test_a_cold_server_refuses_what_comes_before_discovery():
    said = [message("tools/list", {"_meta": META}, 2)]
    output, _ = heard(FAULTY, "--fault", "cold-until-discovered", said=said)
    assert b"-32602" in output


@pytest.mark.parametrize("name", ["dies-at-an-empty-text", "dies-at-a-batch"])
def test_a_deadly_message_ends_the_process(name):
    output, ended = heard(FAULTY, "--fault", name, said=[*SAID, []])
    assert not ended
    assert output.count(b"\n") < len(SAID)


def test_a_process_may_end_behind_its_answer_while_its_input_is_open():
    arguments = EXAMPLES["search_database"]
    call = message("tools/call", {"name": "search_database", "arguments": arguments, "_meta": META})
    process = subprocess.Popen(
        command(FAULTY, "--fault", "ends-behind-its-answer", "--stdio"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with process:
        try:
            process.stdin.write(json.dumps(call).encode() + b"\n")
            process.stdin.flush()
            assert not json.loads(process.stdout.readline())["result"]["isError"]
            assert process.wait(10) == 0
        finally:
            process.kill()


def test_a_hang_answers_nothing_more():
    with listening(FAULTY, "--fault", "hangs-at-an-empty-text") as url:
        with pytest.raises(httpx2.TimeoutException):
            httpx2.post(f"{url}/tools/search_database/invoke", json={"query": ""}, timeout=2)
        with pytest.raises(httpx2.TimeoutException):
            httpx2.get(f"{url}/health", timeout=1)


def test_bad_json_ends_a_deadly_server():
    with listening(FAULTY, "--fault", "dies-at-bad-json") as url:
        kind = {"content-type": "application/json"}
        with pytest.raises(httpx2.TransportError):
            httpx2.post(f"{url}/tools/get_booking/invoke", content=b"{", headers=kind)


def test_the_table_names_every_fault_once():
    printed = subprocess.run(command(FAULTY, "--list"), capture_output=True, text=True, check=True)
    named = [line.split()[0] for line in printed.stdout.splitlines()[1:]]
    assert named == list(FAULTS)
    assert len(named) == len(set(named))


def test_an_unknown_fault_is_refused_in_one_sentence():
    line = command(FAULTY, "--fault", "nope", "--stdio")
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--list names them all" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_fault_takes_more_than_three_others_along():
    for fault in FAULTS.values():
        assert len(fault.collateral) <= 3, fault.name
        assert not set(fault.collateral) & set(fault.clauses), fault.name
        assert all(fault.collateral.values()), fault.name


def test_what_is_not_asked_here_is_in_the_sample_of_the_proof():
    assert {trial.fault for trial in SAMPLE} >= NOT_ASKED
