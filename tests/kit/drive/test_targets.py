"""Several targets, and several addresses of one: what is checked once, and where it is recorded."""

import pytest

from conformance.formats.tool.tool import Invocation
from conformance.kit.evidence.script import INITIALIZE, LOOKED
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.transport.http import HttpBinding
from tests.kit.peers import answering

VERSION = "2025-11-25"
TOOL = {"name": "book", "description": "D", "inputSchema": {"type": "object"}}
INFO = {"serverInfo": {"name": "s", "version": "1"}, "capabilities": {"tools": {}}}


def both(method, path, body, headers):
    """A server that has one tool over HTTP, and over MCP at `/mcp` and `/mcp/`."""
    if path.rstrip("/") == "/mcp":
        return spoken(method, body)
    if path == "/tools":
        return 200, {"tools": [TOOL]}
    return 404, {"detail": "no such path"}


def spoken(method, body, tools=(TOOL,)):
    """What a server of MCP of the handshake era says."""
    if method != "POST":
        return 405, None
    results = {
        "initialize": {"protocolVersion": VERSION, **INFO},
        "tools/list": {"tools": list(tools)},
    }
    if "id" not in body:
        return 202, None
    said = {"jsonrpc": "2.0", "id": body["id"]}
    if body["method"] not in results:
        return 200, {**said, "error": {"code": -32601, "message": "no such method"}}
    return 200, {**said, "result": results[body["method"]]}


def looked(answer, *addresses, **more):
    """A session that has looked at these addresses of a server."""
    with answering(answer) as url:
        named = {"localhost": url.replace("127.0.0.1", "localhost")}
        targets = tuple(named.get(each, url + each) for each in addresses)
        session = Session(Settings(**{"targets": targets, "request_timeout": 30.0, **more}))
        session.discover(targets)
    return session


def runs(session):
    return [one.run.id for one in session.found]


@pytest.mark.parametrize(
    "addresses",
    [("",), ("", "/mcp"), ("", "/mcp/"), ("", "/"), ("", "localhost"), ("", "/mcp", "localhost")],
)
def test_an_endpoint_is_checked_once_however_many_addresses_lead_to_it(addresses):
    assert runs(looked(both, *addresses)) == ["http", "mcp-2025-11-25"]


@pytest.mark.parametrize("given", ["/mcp", "/mcp/"])
@pytest.mark.parametrize("known", ["/mcp", "/mcp/"])
def test_mcp_is_found_where_a_server_knows_its_path_only_with_or_without_a_last_slash(given, known):
    def strict(method, path, body, _):
        return spoken(method, body) if path == known else (404, {"detail": "no such path"})

    (found,) = looked(strict, given).found
    assert found.run.endpoint.endswith(known)


def test_a_catalog_is_not_mixed_with_what_an_earlier_target_was_asked():
    session = looked(both, "/mcp", "")
    (http,) = [one.run for one in session.found if not one.run.version]
    own = [e for e in session.recorder.by_id.held if (e.run, e.script) == (http.id, LOOKED)]
    assert own
    assert not [each.request.url for each in own if "/mcp" in each.request.url]


def test_what_is_asked_at_another_path_is_no_evidence_of_the_run():
    session = looked(both, "")
    (mcp,) = [one.run for one in session.found if one.run.version]
    own = [e.request.url for e in session.recorder.by_id.held if e.run == mcp.id]
    assert set(own) == {mcp.endpoint}


def test_a_handshake_is_recorded_in_the_run_that_it_settled_on():
    session = looked(both, "")
    shaken = [e for e in session.recorder.by_id.held if e.step == INITIALIZE and e.answer.body]
    assert [e.run for e in shaken if e.answer.status == 200] == ["mcp-2025-11-25"]


def test_two_servers_with_one_name_each_have_a_run():
    with answering(both) as first, answering(both) as second:
        session = Session(Settings(targets=(first, second)))
        session.discover((first, second))
    assert runs(session) == ["http", "mcp-2025-11-25", "http-2", "mcp-2025-11-25-2"]


def of_today_without_discover(method, path, body, headers):
    """A server that lists its tools in any version, and does not know `server/discover`."""
    if path.rstrip("/") != "/mcp" or (body or {}).get("method") == "initialize":
        return 404, {"detail": "no such path"}
    status, said = spoken(method, body)
    if "result" in (said or {}):
        said["result"]["resultType"] = "complete"
    return status, said


def test_a_version_asked_for_by_name_is_checked_where_the_server_lists_its_tools_in_it():
    session = looked(of_today_without_discover, "/mcp", spec_versions=("2026-07-28",))
    assert runs(session) == ["mcp-2026-07-28"]


def test_a_version_asked_for_by_name_is_not_assumed_of_a_server_that_lists_nothing_in_it():
    def older(method, path, body, headers):
        if headers["MCP-Protocol-Version"] == "2026-07-28":
            return 400, {"detail": "no such version"}
        return both(method, path, body, headers)

    assert runs(looked(older, "", spec_versions=("2026-07-28",))) == ["http"]


def with_routes(**routes):
    """The routes of a catalog's tools, as a session calls them, with such `--invoke` options."""
    tools = [{**TOOL, "name": name} for name in ("one", "two", "three")]
    tools[1]["invocation"] = {"endpoint": "/own", "method": "POST"}
    session = looked(lambda *asked: listing(tools, *asked), "", invoke=routes, profiles=("http",))
    (found,) = session.found
    speaker = HttpBinding.of(found.run, session.settings)
    return [speaker.route(tool)[1].removeprefix(found.run.endpoint) for tool in found.tools]


def listing(tools, method, path, body, headers):
    return (200, {"tools": tools}) if path == "/tools" else (404, {"detail": "no such path"})


def test_a_tool_is_called_where_the_command_line_says():
    named = with_routes(**{"one": ("POST", "/a/{tool}"), "two": ("GET", "/b")})
    assert named == ["/a/one", "/b", "/tools/three/invoke"]


def test_a_route_for_all_other_tools_leaves_those_alone_that_name_one():
    named = with_routes(**{"": ("POST", "/do/{tool}"), "three": ("GET", "/c")})
    assert named == ["/do/one", "/own", "/c"]


def test_a_catalog_takes_its_routes_from_the_openapi_document_beside_it():
    answer = {"200": {"description": "ok", "content": {"application/json": {"schema": {}}}}}
    operation = {"operationId": "book", "responses": answer}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/api/book": {"post": operation}},
    }

    def documented(method, path, body, headers):
        if path == "/openapi.json":
            return 200, document
        return listing([TOOL], method, path, body, headers)

    (found,) = looked(documented, "").found
    assert [tool.invocation for tool in found.tools] == [Invocation("/api/book", "POST")]
