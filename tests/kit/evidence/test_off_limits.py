"""Nothing that the kit sends reaches a destructive tool that is left out, whatever it is for."""

from itertools import count
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.http.scripts import NO_TOOL
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.off_limits import OffLimits
from conformance.kit.evidence.safety import off_limits as left_alone
from conformance.kit.evidence.safety import why_left_out
from conformance.kit.model.exchange import HttpRequest, StdioRequest
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.transport.binding import to_bytes
from conformance.kit.transport.bindings import binding_of
from conformance.kit.verdicts.checks import load
from conformance.mcp.script_wire import UNKNOWN_TOOL, odd_requests
from conformance.spec.vocabulary import Verdict
from tests.kit.evidence.test_destructive import careful
from tests.kit.peers import answering
from tests.kit.samples import HTTP, MCP, web

SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}}
DESTROYS = {"annotations": {"destructiveHint": True}}


def item(name, path=None, method="POST", schema=SCHEMA, **more):
    called = {"invocation": {"method": method, "endpoint": path}} if path else {}
    return {"name": name, "description": "d", "inputSchema": schema, **called, **more}


def off_limits(run, *items, **more):
    found = OffLimits()
    source = Source.MCP if run is MCP else Source.ATDF
    asked = Settings(**more)
    kept = left_alone(tools_of({"tools": list(items)}, source).tools, run, asked)
    found.add(*kept, careful=asked.allow_calls is not AllowCalls.ALL)
    return found


@st.composite
def spellings(draw):
    """A path that some server takes for `/admin/purge`."""
    steps = []
    for step in ("admin", "purge"):
        letters = (draw(st.sampled_from([c, c.upper(), f"%{ord(c):02x}"])) for c in step)
        ends = ["", ";a=1", "%3Fa", "%23a", "%00", "%20", *([".", ".json"] * (step == "purge"))]
        steps += ["".join(letters) + draw(st.sampled_from(ends))]
        steps += draw(st.sampled_from([[], [""], ["."], ["x", ".."], ["%2e"], ["index.php"]]))
    path = "/" + "/".join(steps)
    path = path.replace("p", draw(st.sampled_from(["p", "\uff50"])))
    return quote(path) if draw(st.booleans()) else path


@given(spellings())
@settings(max_examples=60, deadline=None)
def test_a_path_that_is_written_in_another_way_is_the_same_route(path):
    page = {"tools": [item("purge", "/admin/purge", **DESTROYS), item("other", path)]}
    found = [Discovered(HTTP, tools_of(page, Source.ATDF).tools)]
    (one,) = careful(found, [web(200, page)])
    assert [why_left_out(tool, HTTP, Settings()) is None for tool in one.tools] == [False, False]
    held = off_limits(HTTP, page["tools"][0])
    assert held.holds(HttpRequest("POST", HTTP.endpoint.rstrip("/") + path))


@pytest.mark.parametrize(
    ("first", "last"),
    [('"annotations":{"destructiveHint":true}', '"annotations":{"readOnlyHint":true}'),
     ('"annotations":{"destructiveHint":true,"destructiveHint":false}', '"title":"t"'),
     ('"annotations":{"readOnlyHint":true}', '"annotations":{"destructiveHint":"true"}')],
)  # fmt: skip
@pytest.mark.parametrize("stream", [False, True])
def test_of_a_member_that_is_there_twice_the_one_counts_that_warns(first, last, stream):
    tool = f'{{"name":"purge","inputSchema":{{}},{first},{last}}}'
    body = f'{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool}]}}}}'
    body = f"event: message\ndata: {body}\n\n" if stream else body
    looked = web(200, body.encode())
    found = [Discovered(MCP, tools_of({"tools": [item("purge")]}, Source.MCP).tools)]
    (one,) = careful(found, [looked])
    assert why_left_out(one.tools[0], MCP, Settings()) is not None


@pytest.mark.parametrize("given", [{"headers": (("X-HTTP-Method-Override", "delete"),)},
                                   {"headers": (("x-method-override", "PUT"),)},
                                   {"url": "http://127.0.0.1:1/a?b=1&_method=DELETE"},
                                   {"body": b'{"b": 1, "_method": "Delete"}'}])  # fmt: skip
def test_no_request_asks_for_another_method_in_place_of_its_own(given):
    request = HttpRequest(**{"method": "POST", "url": "http://127.0.0.1:1/a", **given})
    assert off_limits(HTTP, item("a", "/a")).holds(request)
    assert not off_limits(HTTP, item("a", "/a"), allow_calls=AllowCalls.ALL).holds(request)


@pytest.mark.parametrize(
    ("url", "given", "expected"),
    [("/create?_method=GET", {}, False), ("/items?_method=get", {}, True),
     ("/items", {"headers": (("X-HTTP-Method-Override", "HEAD"),)}, True),
     ("/items", {"body": b'{"_method": "GET"}'}, True), ("/items", {"method": "HEAD"}, True),
     ("/items", {}, False), ("/items", {"body": b'{"_method": "mean"}'}, False),
     ("/create", {"headers": (("X-Original-URL", "/purge"),)}, True),
     ("/create", {"headers": (("X-Rewrite-Url", "http://127.0.0.1/Purge"),)}, True),
     ("/create?rest_route=/purge", {}, True), ("/create?rest_route=/items", {}, False),
     ("/create", {"headers": (("X-Original-URL", " /purge"),)}, True),
     ("/create", {"headers": (("X-Original-URL", "%252Fpurge"),)}, True),
     ("/create?r=purge", {}, True), ("/create?r=purges", {}, False),
     ("/create", {"body": b'{"_METHOD": "DELETE"}'}, True),
     ("/create", {"body": b'{"all": [{"method": "GET", "url": "/items"}]}'}, True),
     ("/create", {"body": b'{"all": [{"method": "POST", "url": "/purge"}]}'}, True),
     ("/create", {"body": b'{"all": [{"method": "PUT", "url": "/things/5"}]}'}, True),
     ("/create", {"body": b'{"all": [{"method": "POST", "url": "/things/5"}]}'}, False),
     ("/create", {"body": b'{"word": "purge"}'}, False),
     ("/" + "a" * 20_000, {}, True), ("/create?a=" + "a" * 70_000, {}, True)],
)  # fmt: skip
def test_a_request_that_asks_for_another_method_or_path_counts_as_that_one(url, given, expected):
    """Only where a destructive tool is: elsewhere, such a word is a value like any other."""
    listed = item("items", "/items", "GET", **DESTROYS)
    one = item("thing", "/things/{id}", "PUT", **DESTROYS)
    held = off_limits(HTTP, listed, one, item("purge", "/purge", **DESTROYS), item("create"))
    url = HTTP.endpoint.rstrip("/") + url
    assert held.holds(HttpRequest(**{"method": "POST", "url": url, **given})) is expected


def test_a_tool_at_the_route_of_a_destructive_one_that_is_asked_by_head_is_so_itself():
    purge, look = item("purge", "/purge", "GET", **DESTROYS), item("look", "/purge", "HEAD")
    found = [Discovered(HTTP, tools_of({"tools": [purge, look]}, Source.ATDF).tools)]
    (one,) = careful(found, [web(200, {"tools": [purge, look]})])
    assert [why_left_out(tool, HTTP, Settings()) is None for tool in one.tools] == [False, False]


def test_a_message_that_calls_such_a_tool_is_off_limits_by_its_body_and_by_its_header():
    held = off_limits(MCP, item("purge ö", **DESTROYS), item("add"))

    def message(name):
        params = {"name": name, "arguments": {}}
        return to_bytes({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})

    assert held.holds(StdioRequest(message("purge ö")))
    assert not held.holds(StdioRequest(message("add")))
    assert held.holds(StdioRequest(b"[" + message("add") + b"," + message("purge ö") + b"]"))
    other = (("Mcp-Name", "=?base64?cHVyZ2Ugw7Y=?="),)
    assert held.holds(HttpRequest("POST", MCP.endpoint, other, message("add")))


def test_a_tool_that_is_listed_in_one_way_alone_may_be_offered_in_the_other_too():
    called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "purge"}}
    by_http = off_limits(HTTP, item("purge", "/admin/purge", **DESTROYS))
    assert by_http.holds(HttpRequest("POST", MCP.endpoint, (), to_bytes(called)))
    by_mcp = off_limits(MCP, item("purge", **DESTROYS))
    assert by_mcp.holds(HttpRequest("POST", f"{HTTP.endpoint}/tools/purge/invoke"))
    assert not by_mcp.holds(HttpRequest("POST", f"{HTTP.endpoint}/tools/add/invoke"))


def test_of_thousands_of_routes_with_places_those_are_looked_at_whose_steps_fit():
    held = OffLimits()
    routes = [("POST", f"/a{n}/{{id}}/b") for n in range(20_000)]
    held.add((), [*routes, ("POST", "/{tenant}/a7/purge")], (), careful=True)
    assert held.holds(HttpRequest("POST", "http://127.0.0.1:1/a19999/x/b"))
    assert held.holds(HttpRequest("POST", "http://127.0.0.1:1/a9/a7/purge"))
    assert not held.holds(HttpRequest("POST", "http://127.0.0.1:1/a9/a8/purge"))
    query = "&".join(f"q{n}=/b{n}/c/b" for n in range(1000))
    assert not held.holds(HttpRequest("POST", f"http://127.0.0.1:1/do?{query}"))


def called_at(page, *, unsent, redirects=()):
    """What a server over HTTP with this catalog was sent by a whole session, which is judged."""
    called = []

    def answer(method, path, body, headers):
        called.append((method, path))
        if path == "/tools":
            return (200, page)
        if path in redirects:
            return (307, {}, {"Location": redirects[path]})
        return (404, {}) if path == "/manifest" else (200, {"n": 1})

    chapters = [load(f"conformance.{name}") for name in ("atdf", "http")]
    with answering(answer) as url:
        session = Session(Settings(profiles=("http",), max_examples=2))
        session.scripts.extend(each for chapter in chapters for each in chapter.scripts)
        session.discover((url,))
        called.clear()
        session.drive()
        asked = session.questions([test for chapter in chapters for test in chapter.tests])
        verdicts = {item.verdict for item in session.judge(asked).values()}
    assert called
    assert unsent not in called
    assert Verdict.KIT_ERROR not in verdicts


VERB = {
    "type": "object", "properties": {"verb": {"enum": ["purge"], "type": "string"}},
    "required": ["verb"],
}  # fmt: skip


METHOD = {
    "type": "object", "properties": {"_method": {"enum": ["DELETE"], "type": "string"}},
    "required": ["_method"],
}  # fmt: skip


def test_no_body_asks_for_a_method_that_changes_things():
    called_at({"tools": [item("add"), item("do", "/do", schema=METHOD)]}, unsent=("POST", "/do"))


@pytest.mark.parametrize(
    ("destroys", "other", "unsent"),
    [(("/tools/purge", "GET"), item("add"), ("GET", "/tools/purge")),
     (("/items", "GET"), item("create", "/items"), ("GET", "/items")),
     (("/purge", "POST"), item("do", "/{verb}", schema=VERB), ("POST", "/purge"))],
)  # fmt: skip
def test_neither_a_script_nor_a_value_in_a_path_reaches_it(destroys, other, unsent):
    called_at({"tools": [item("purge", *destroys, **DESTROYS), other]}, unsent=unsent)


def test_no_redirect_leads_to_it():
    page = {"tools": [item("purge", "/purge", **DESTROYS), item("hop", "/hop")]}
    called_at(page, unsent=("POST", "/Purge"), redirects={"/hop": "/Purge"})


@pytest.mark.parametrize("lacks", ["inputSchema", "description"])
def test_a_declaration_that_cannot_be_used_says_what_destroys_all_the_same(lacks):
    purge = item("purge", "/purge", **DESTROYS, when_to_use=5)
    del purge[lacks]
    called_at({"tools": [purge, item("hop", "/hop")]}, unsent=("POST", "/Purge"),
              redirects={"/hop": "/Purge"})  # fmt: skip


DEEP = {
    "type": "object", "required": ["id", "verb"],
    "properties": {
        "id": {"type": "integer", "minimum": 1, "maximum": 1},
        "verb": {"enum": ["purge"], "type": "string"},
    },
}  # fmt: skip


def test_a_value_in_a_path_reaches_no_route_that_has_a_place_for_a_value_itself():
    purge = item("purge", "/items/{id}/purge", **DESTROYS)
    page = {"tools": [purge, item("do", "/items/{id}/{verb}", schema=DEEP)]}
    called_at(page, unsent=("POST", "/items/1/purge"))


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [("POST", "/items/1/purge", True), ("POST", "/items/a%2Fb/PURGE/", True),
     ("POST", "/items/%7B/purge", True), ("GET", "/items/1/purge", False),
     ("POST", "/items/1/keep", False), ("POST", "/items/all/purge", False)],
)  # fmt: skip
def test_a_route_with_a_place_is_off_limits_with_any_value_except_at_the_route_of_another_tool(
    method, path, expected
):
    purge = item("purge", "/items/{id}/purge", **DESTROYS)
    held = off_limits(HTTP, purge, item("all", "/items/all/purge"))
    assert held.holds(HttpRequest(method, HTTP.endpoint.rstrip("/") + path)) is expected


def test_a_tool_that_has_the_name_of_none_is_not_called():
    page = {"tools": [item(NO_TOOL, **DESTROYS), item("add")]}
    called_at(page, unsent=("POST", f"/tools/{NO_TOOL}/invoke"))
    held = off_limits(MCP, item(UNKNOWN_TOOL, **DESTROYS))
    odd = odd_requests(binding_of(MCP, Settings()), count(1))
    assert [step for step, request in odd if held.holds(request)] == ["unknown-tool"]
