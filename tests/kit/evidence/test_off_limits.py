"""Nothing that the kit sends reaches a destructive tool that is left out, whatever it is for."""

import re
import unicodedata
from contextlib import suppress
from itertools import count
from urllib.parse import unquote, urljoin, urlsplit

import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.catalog.routes import steps_of
from conformance.http.scripts import NO_TOOL
from conformance.kit.cases.textual import keeps_route
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.off_limits import OffLimits
from conformance.kit.evidence.safety import off_limits as left_alone
from conformance.kit.evidence.safety import why_left_out
from conformance.kit.model.exchange import HttpRequest, StdioRequest
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.transport.binding import to_bytes
from conformance.kit.transport.bindings import binding_of
from conformance.kit.verdicts.checks import load
from conformance.mcp.script_wire import UNKNOWN_TOOL, odd_requests
from conformance.spec.vocabulary import Verdict
from tests.kit.evidence.test_destructive import careful, document
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
    found.add(*kept)
    return found


SIGNS = ["/", "//", "\\", ".", "..", ";", ";a=1", "?", "#", "\0", "\t", " ", "%", "\u00ad", "x"]
WORDS = ["admin", "purge", "items", "1", "things", "cancel", ":", ".json", "{id}", "\uff50urge"]


@st.composite
def spellings(draw):
    """A text of steps and signs, any of which may be escaped, also twice."""
    parts = draw(st.lists(st.sampled_from([*WORDS, *SIGNS, "/"]) | st.text(max_size=2), max_size=8))
    found = ""
    for part in parts:
        part = draw(st.sampled_from([part, part.upper()]))
        times = draw(st.sampled_from([0, 0, 1, 2, 3]))
        for _ in range(times):
            part = "".join(f"%{byte:02x}" for byte in part.encode("utf-8", "surrogatepass"))
        found += part
    return found


def resolved(path):
    """A path without `.` and `..`, as a proxy or a framework makes it."""
    steps = []
    for step in path.split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", "."):
            steps.append(step)
    return "/" + "/".join(steps)


def readings(path):
    """What a server may take a path for: it decodes once or twice, and tidies before or after."""
    waiting, found = [path], {path}
    tidy = [
        unquote, str.lower, resolved, str.strip,
        lambda each: each.replace("\\", "/"), lambda each: re.split(r"[?#\0]", each)[0],
        lambda each: re.sub(";[^/]*", "", each), lambda each: re.sub(r"\.[a-z]*$", "", each),
        lambda each: unicodedata.normalize("NFKC", each), lambda each: re.sub("/+", "/", each),
    ]  # fmt: skip
    while waiting:
        each = waiting.pop()
        more = {one(each) for one in tidy} - found
        found |= more
        waiting += more
    return found


ROUTES = [
    item("purge", "/admin/purge", **DESTROYS), item("log", "/admin/purge.log"),
    item("one", "/items/{id}/purge", **DESTROYS), item("two", "/things/{id}:cancel", **DESTROYS),
]  # fmt: skip
REACHED = re.compile("/admin/purge|/items/[^/]+/purge|/things/[^/]+:cancel")


@given(spellings())
@example("%61dmin/purge/")
@settings(max_examples=300, deadline=None)
def test_no_server_takes_a_path_that_is_sent_for_the_route_of_such_a_tool(path):
    url = f"{HTTP.endpoint}/{path}"
    if not off_limits(HTTP, *ROUTES).holds(HttpRequest("POST", url)):
        read = readings(f"/{urlsplit(url).path.lstrip('/')}")
        assert "/admin/purge.log" in read or not any(map(REACHED.fullmatch, read))


@pytest.mark.parametrize("path", ["/admin/purge", "/Admin//purge/", "/admin/%70urge.json",
                                  "/items/5/PURGE", "/things/5:cancel", "/admin/x/../purge",
                                  "/admin%2Fpurge", "/%2561dmin/purge", "/a%00", "/a;b/c",
                                  "/" + "a" * 20_000, "/" + "\ufdfa" * 20_000])  # fmt: skip
def test_what_may_be_such_a_route_is_not_sent_and_neither_is_what_can_be_read_in_two_ways(path):
    assert off_limits(HTTP, *ROUTES).holds(HttpRequest("POST", HTTP.endpoint + path))


@pytest.mark.parametrize(("method", "path"), [
    ("GET", "/admin/purge"), ("POST", "/admin"), ("POST", "/items/5/keep"), ("POST", "/things/5"),
    ("POST", "/tools/gr%C3%B6%C3%9Fe%20a/invoke"), ("POST", "/items/1/2/purge"),
    ("POST", "/create?next=/admin/purge"), ("POST", "/admin/purge.log"),
])  # fmt: skip
def test_what_is_no_such_route_is_sent(method, path):
    assert not off_limits(HTTP, *ROUTES).holds(HttpRequest(method, HTTP.endpoint + path))


@pytest.mark.parametrize("place", ["{id}", "{a{b}}", "{a/b}", "{a?b}", "%7Bid%7D", "{}", "{a}-{b}"])
def test_a_place_for_a_value_may_have_any_name(place):
    held = off_limits(HTTP, item("purge", f"/items/{place}/purge", **DESTROYS))
    assert held.holds(HttpRequest("POST", f"{HTTP.endpoint}/items/5-6/purge"))
    assert not held.holds(HttpRequest("POST", f"{HTTP.endpoint}/items/5-6/keep"))


def test_where_nothing_is_off_limits_every_path_is_sent():
    assert not off_limits(HTTP, item("a")).holds(HttpRequest("POST", f"{HTTP.endpoint}/a%2F../b"))


VALUES = {"type": "object", "properties": {"id": {"type": "string"}, "to": {"type": "string"}}}


@given(spellings() | st.text(), st.sampled_from(["GET", "POST"]))
@settings(max_examples=300, deadline=None)
def test_whatever_its_values_are_a_call_stays_on_its_own_route(value, method):
    (tool,) = tools_of({"tools": [item("x", "/a/{id}/b/{to}", method, VALUES)]}, Source.ATDF).tools
    given = {"id": value, "to": value}
    if keeps_route(tool, HTTP, given):
        path = urlsplit(binding_of(HTTP, Settings()).call(tool, given).url).path
        assert all(re.fullmatch("/a/[^/]+/b/[^/]+", each) for each in readings(path))


@given(spellings())
def test_what_is_looked_at_is_what_is_sent(path):
    url = urljoin(HTTP.endpoint, f"/{path.lstrip('/')}")
    with suppress(httpx2.InvalidURL):
        sent = httpx2.URL(url).raw_path.decode("ascii").partition("?")[0]
        looked = steps_of(urlsplit(url).path)
        assert looked is None or looked == steps_of(sent)


@pytest.mark.parametrize("target", ["http://127.0.0.1:1/a%2Fb;c", "http://127.0.0.1:1/Api/"])
def test_the_path_of_a_target_may_be_any_and_routes_are_behind_it(target):
    held = OffLimits()
    held.begin_at([target])
    base = target.rstrip("/")
    held.add(["purge"], [("POST", "/purge"), ("POST", f"{base}/tools/drop/invoke")], [])
    assert not held.holds(HttpRequest("POST", f"{base}/mcp"))
    assert held.holds(HttpRequest("POST", f"{base}/purge"))
    assert held.holds(HttpRequest("POST", f"{base}/tools/Drop/invoke"))
    assert held.holds(HttpRequest("POST", f"{base}/x/../purge"))


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


@pytest.mark.parametrize(
    "name",
    [
        "caf\u00e9",
        "cafe\u0301",
        " CAF\u00c9 ",
        "\uff43af\u00e9",
        "ca\u200bf\u00e9",
        "\ufeffcaf\u00e9\u00ad",
        "c\0af\u00e9 \u2060",
    ],
)
def test_a_name_that_a_server_may_fold_to_that_of_such_a_tool_is_its_name(name):
    called = {"method": "tools/call", "params": {"name": name}}
    held = off_limits(MCP, item("caf\u00e9", **DESTROYS))
    assert held.holds(StdioRequest(to_bytes(called)))
    found = [item("caf\u00e9", **DESTROYS), item(name)]
    (one,) = careful([Discovered(MCP, tools_of({"tools": found}, Source.MCP).tools)], [])
    assert why_left_out(one.tools[-1], MCP, Settings()) is not None


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
    held.add((), [*routes, ("POST", "/{tenant}/a7/purge")], ())
    assert held.holds(HttpRequest("POST", "http://127.0.0.1:1/a19999/x/b"))
    assert held.holds(HttpRequest("POST", "http://127.0.0.1:1/a9/a7/purge"))
    assert not held.holds(HttpRequest("POST", "http://127.0.0.1:1/a9/a8/purge"))


def test_thousands_of_routes_with_other_texts_around_a_place_are_looked_up_together():
    held = OffLimits()
    held.add((), [("POST", f"/a{n}-{{id}}-z/{{to}}") for n in range(15_000)], ())
    for n in range(300):
        assert held.holds(HttpRequest("POST", f"http://127.0.0.1:1/a{n}-x-z/y"))
        assert not held.holds(HttpRequest("POST", f"http://127.0.0.1:1/a{n}-x-y/z"))
        assert not held.holds(HttpRequest("POST", f"http://127.0.0.1:1/z/{n}"))


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


@pytest.mark.parametrize(("lacks", "method"), [("inputSchema", 5), ("description", "post")])
def test_a_declaration_that_cannot_be_used_says_what_destroys_all_the_same(lacks, method):
    purge = item("purge", "/purge", **DESTROYS, when_to_use=5)
    del purge[lacks]
    purge["invocation"]["method"] = method
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
    [("POST", "/items/1/purge", True), ("POST", "/items/ab/PURGE/", True),
     ("POST", "/items/%7B/purge", True), ("GET", "/items/1/purge", False),
     ("POST", "/items/1/keep", False), ("POST", "/items/all/purge", False)],
)  # fmt: skip
def test_a_route_with_a_place_is_off_limits_with_any_value_except_at_the_route_of_another_tool(
    method, path, expected
):
    purge = item("purge", "/items/{id}/purge", **DESTROYS)
    held = off_limits(HTTP, purge, item("all", "/items/all/purge"))
    assert held.holds(HttpRequest(method, HTTP.endpoint.rstrip("/") + path)) is expected


def test_what_one_target_offers_at_a_route_says_nothing_of_another_target():
    held = off_limits(HTTP, item("one", "/items/{id}", **DESTROYS), item("search", "/items/search"))
    assert not held.holds(HttpRequest("POST", f"{HTTP.endpoint}/items/search"))
    assert held.holds(HttpRequest("POST", "http://127.0.0.1:2/items/search"))


def unusable(method, **more):
    """An OpenAPI document whose operation at `/purge` is not a tool: it answers with a page.

    The other one leads there.
    """
    page = {"200": {"description": "ok", "content": {"text/html": {}}}}
    described = document("/hop", name="hop")
    described["paths"]["/purge"] = {method: {"operationId": "purge", "responses": page}, **more}
    return described


def left_alone_of(described, *, sent):
    """What is off limits of a server with this document, after a whole session with it."""

    def answer(method, path, body, headers):
        sent.append((method, path))
        if path == "/openapi.json":
            return 200, described
        return (307, {}, {"Location": "/purge"}) if path == "/hop" else (404, {})

    with answering(answer) as url:
        session = Session(Settings(profiles=("http",), max_examples=0))
        session.discover((url,))
        session.drive()
    return session.shared.off_limits


def test_an_operation_that_is_no_tool_is_left_alone_if_it_changes_things():
    held = left_alone_of(unusable("put"), sent=[])
    assert held.holds(HttpRequest("PUT", f"{HTTP.endpoint}/purge"))


def test_an_operation_that_is_no_tool_and_asks_for_another_method_is_left_alone():
    described, sent = unusable("post", parameters=[{"$ref": "#/components/parameters/m"}]), []
    asks = {"name": "X-HTTP-Method-Override", "in": "header", "schema": {}}
    described["components"] = {"parameters": {"m": asks}}
    left_alone_of(described, sent=sent)
    assert ("POST", "/hop") in sent
    assert ("POST", "/purge") not in sent


@pytest.mark.parametrize(("denied", "held"), [(None, True), (False, False)])
def test_what_a_tool_denies_of_such_an_operation_is_not_left_alone(denied, held):
    page = {"tools": [item("purge", "/purge", "PUT", annotations={"destructiveHint": denied})]}

    def answer(method, path, body, headers):
        pages = {"/tools": page, "/openapi.json": unusable("put")}
        return (200, pages[path]) if path in pages else (404, {})

    with answering(answer) as url:
        session = Session(Settings(profiles=("http",)))
        session.discover((url,))
        assert session.shared.off_limits.holds(HttpRequest("PUT", f"{url}/purge")) is held


def test_a_tool_that_denies_what_an_operation_of_its_name_seems_to_be_is_called():
    """The operation itself is left out; a message that calls the tool is sent."""
    held = OffLimits()
    called = to_bytes({"method": "tools/call", "params": {"name": "purge"}})
    held.add(["purge"], [("DELETE", f"{HTTP.endpoint}/purge")], [])
    held.allow(["purge"], MCP.endpoint)
    assert not held.holds(HttpRequest("POST", MCP.endpoint, (), called))
    assert held.holds(HttpRequest("DELETE", f"{HTTP.endpoint}/purge"))
    assert held.holds(HttpRequest("POST", "http://127.0.0.1:2/mcp", (), called))
    assert held.holds(StdioRequest(called))


def test_the_sandbox_of_one_target_opens_nothing_at_another_that_runs_already():
    purge = item("purge", "/purge", "POST", 7, **DESTROYS)
    with answering(lambda method, path, body, headers: (200, {"tools": [purge, item("a")]})) as url:
        session = Session(Settings(profiles=("http",), sandbox=True))
        session.runs.found.clear()
        session.discover((url,))
        assert session.shared.off_limits.holds(HttpRequest("POST", f"{url}/purge"))


def test_a_tool_that_has_the_name_of_none_is_not_called():
    page = {"tools": [item(NO_TOOL, **DESTROYS), item("add")]}
    called_at(page, unsent=("POST", f"/tools/{NO_TOOL}/invoke"))
    held = off_limits(MCP, item(UNKNOWN_TOOL, **DESTROYS))
    odd = odd_requests(binding_of(MCP, Settings()), count(1))
    assert [step for step, request in odd if held.holds(request)] == ["unknown-tool"]
