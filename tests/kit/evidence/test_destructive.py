"""A tool that anything calls destructive is destructive by every transport and at every route."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.catalog.openapi import changing, operations
from conformance.kit.evidence import recorder
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.destructive import TooManyWarned, Warned, as_careful_everywhere
from conformance.kit.evidence.safety import is_spared, why_left_out
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from tests.kit.peers import answering
from tests.kit.samples import HTTP, LEGACY, MCP, rpc, web

SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}}
HINTS = st.sampled_from([True, "true", 1, False, None])
OPENAPI = replace(HTTP, id="openapi", openapi=True)


def item(name, hint, **more):
    hints = {"annotations": {"destructiveHint": hint}} if hint is not None else {}
    return {"name": name, "description": "d", "inputSchema": SCHEMA, **hints, **more}


def document(path, method="post", name="purge"):
    answer = {"200": {"description": "ok", "content": {"application/json": {"schema": {}}}}}
    operation = {"operationId": name, "responses": answer}
    info = {"title": "t", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {path: {method: operation}}}


WAYS = {
    "catalog": lambda hint: (HTTP, {"tools": [item("purge", hint)]}),
    "at its route": lambda hint: (
        HTTP, {"tools": [item("other", hint, invocation={"endpoint": "/purge"})]}
    ),
    "unusable": lambda hint: (HTTP, {"tools": [item("purge", hint, inputSchema=7)]}),
    "tools/list": lambda hint: (MCP, {"tools": [item("purge", hint)]}),
    "another version": lambda hint: (LEGACY, {"tools": [item("Purge", hint)]}),
    "a toolset": lambda hint: (HTTP, {"tools": [item("", hint, id="admin.purge")]}),
    "operation": lambda _: (OPENAPI, document("/purge")),
    "operation of a framework": lambda _: (OPENAPI, document("/purge", name="purge_purge_post")),
}  # fmt: skip


def declared(ways):
    """The runs of what was declared in each way, and the answers that declare it."""
    found, looked = [], []
    for way, hint in ways:
        run, page = WAYS[way](hint)
        if run is OPENAPI:
            tools = operations(page).tools
        else:
            tools = tools_of(page, Source.ATDF if run is HTTP else Source.MCP).tools
        found.append(Discovered(run, tools))
        looked.append(web(200, page) if run.version == "" else rpc({"result": page}, run=run))
    return found, looked


def careful(found, looked):
    return as_careful_everywhere(found, Warned().and_in(each.answer for each in looked))


@given(
    st.lists(st.tuples(st.sampled_from([*WAYS]), HINTS), min_size=1, max_size=4),
    st.sampled_from([AllowCalls.AUTO, AllowCalls.READ_ONLY, AllowCalls.NONE]),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_what_any_declaration_calls_destructive_is_called_in_no_way(ways, allow, sandbox):
    found, looked = declared(ways)
    asked = Settings(allow_calls=allow, sandbox=sandbox)
    said = any(hint not in (False, None) for way, hint in ways if not way.startswith("operation"))
    by_route = {way for way, hint in ways if way == "at its route"}
    for one in careful(found, looked):
        for tool in one.tools:
            of_one_name = tool.name != "other" and not by_route
            if said and (of_one_name or _is_linked(ways)):
                assert why_left_out(tool, one.run, asked) is not None, (tool.name, one.run.id)
            assert why_left_out(tool, one.run, Settings(allow_calls=AllowCalls.ALL)) is None


def _is_linked(ways):
    """Whether the tool of another name is known to be the same: an operation has its route."""
    return any(way.startswith("operation") for way, _ in ways)


@pytest.mark.parametrize("way", [*WAYS])
def test_what_nothing_calls_destructive_is_called(way):
    found, looked = declared([(way, None), ("catalog", False), ("tools/list", False)])
    for one in careful(found, looked):
        assert [why_left_out(tool, one.run, Settings()) for tool in one.tools] in ([], [None])


@pytest.mark.parametrize(("denied", "called"), [(None, False), (False, True)])
def test_a_tool_may_deny_what_its_method_suggests(denied, called):
    page, operation = {"tools": [item("purge", denied)]}, document("/purge", "delete")
    found = [
        Discovered(MCP, tools_of(page, Source.MCP).tools),
        Discovered(OPENAPI, operations(operation).tools),
    ]
    looked = [rpc({"result": page}), web(200, operation)]
    by_mcp, by_document = careful(found, looked)
    assert (why_left_out(by_mcp.tools[0], MCP, Settings()) is None) is called
    reason = why_left_out(by_document.tools[0], OPENAPI, Settings())
    assert reason.id == "kit.left_out.method"


@pytest.mark.parametrize("method", ["PUT", "patch", "Delete"])
@pytest.mark.parametrize(
    ("said", "why"),
    [(None, "kit.left_out.method"), (False, None), (True, "kit.left_out.destructive")],
)
def test_a_tool_of_a_catalog_may_deny_what_its_method_suggests(method, said, why):
    called = {"invocation": {"endpoint": "/rooms", "method": method}}
    found = [
        Discovered(HTTP, tools_of({"tools": [item("purge", said) | called]}, Source.ATDF).tools),
        Discovered(MCP, tools_of({"tools": [item("purge", None)]}, Source.MCP).tools),
    ]
    by_http, by_mcp = careful(found, [])
    reason = why_left_out(by_http.tools[0], HTTP, Settings())
    assert (reason and reason.id) == why
    assert (why_left_out(by_mcp.tools[0], MCP, Settings()) is None) is (why is None)


@pytest.mark.parametrize("place", ["query", "header"])
@pytest.mark.parametrize(
    "name",
    ["_method", "X-HTTP-Method-Override", "x_http_method_override", "_HttpMethod", "$httpMethod"],
)
def test_an_operation_that_takes_its_method_from_an_input_is_destructive_everywhere(place, name):
    page, described = {"tools": [item("purge", None)]}, document("/purge", "post")
    one = {"name": name, "in": place, "schema": {"enum": ["DELETE"], "type": "string"}}
    described["paths"]["/purge"]["post"]["parameters"] = [one]
    found = [
        Discovered(MCP, tools_of(page, Source.MCP).tools),
        Discovered(OPENAPI, operations(described).tools),
    ]
    looked = [rpc({"result": page}), web(200, described)]
    by_mcp, by_document = careful(found, looked)
    assert why_left_out(by_mcp.tools[0], MCP, Settings()) is not None
    reason = why_left_out(by_document.tools[0], OPENAPI, Settings())
    assert reason.id == "kit.left_out.other_method"


ASKS = {"type": "object", "properties": {"_method": {"enum": ["DELETE"]}}}
HIDDEN = [
    {"content": {"application/json": {"schema": ASKS}}},
    {"content": {"application/json": {"schema": {"allOf": [{"type": "object"}, ASKS]}}}},
    {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Asks"}}}},
    {"$ref": "#/components/requestBodies/Asks"},
    {"content": {
        "application/json": {"schema": {"type": "object"}},
        "application/x-www-form-urlencoded": {"schema": ASKS},
    }},
]  # fmt: skip


@pytest.mark.parametrize("answer", ["application/json", "text/html"])
@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("body", HIDDEN)
def test_an_operation_that_takes_its_method_from_its_body_is_destructive(body, required, answer):
    page, described = {"tools": [item("purge", None)]}, document("/purge", "post")
    asked = {"schemas": {"Asks": ASKS}, "requestBodies": {"Asks": HIDDEN[0]}}
    described["components"] = asked
    operation = described["paths"]["/purge"]["post"]
    operation |= {"requestBody": {**body, "required": required},
                  "responses": {"200": {"description": "d", "content": {answer: {}}}}}  # fmt: skip
    own = Discovered(OPENAPI, operations(described).tools)
    found = [Discovered(MCP, tools_of(page, Source.MCP).tools), own]
    called = [one.run.id for one in careful(found, [rpc({"result": page}), web(200, described)])
              for tool in one.tools if why_left_out(tool, one.run, Settings()) is None]  # fmt: skip
    assert called == []
    assert bool(own.tools) is (answer == "application/json")


ONE = {"a": {"type": "string"}}


def taking(media):
    """A document with one operation that takes a body of JSON."""
    described = document("/purge", "post")
    body = {"content": {"application/json": media}}
    described["paths"]["/purge"]["post"]["requestBody"] = body
    return described


@pytest.mark.parametrize(
    "schema",
    [
        {"required": ["_method"], "additionalProperties": {"const": "DELETE"}},
        {"properties": ONE, "dependentRequired": {"a": ["_method"]}},
        {"if": {"required": ["a"]}, "then": {"properties": {"_method": {"const": "DELETE"}}}},
        {"patternProperties": {"^_method$": {"const": "DELETE"}}},
        {"propertyNames": {"enum": ["_method"]}, "minProperties": 1},
        {"enum": [{"_method": "DELETE"}]},
        {"properties": ONE, "default": {"_method": "DELETE"}},
        {"properties": ONE, "examples": [{"_method": "DELETE"}]},
        {"properties": {" .method[]": {"const": "DELETE"}}},
        {"properties": {"a": {"properties": {"_method": {"const": "DELETE"}}}}},
        {"patternProperties": {"^(a|_method)$": {"const": "DELETE"}}},
        {"propertyNames": {"anyOf": [{"pattern": r"^\$method$"}]}, "minProperties": 1},
        {"$ref": "#/components/schemas/Asks"},
    ],
)
def test_an_operation_is_destructive_whose_body_may_get_such_a_name_in_any_way(schema):
    described = taking({"schema": {"type": "object", **schema}})
    described["components"] = {"schemas": {"Asks": {"required": ["_method"]}}}
    (tool,) = operations(described).tools
    assert why_left_out(tool, OPENAPI, Settings()).id == "kit.left_out.other_method"
    assert [name for name, _ in changing(described)] == [tool.name]


@pytest.mark.parametrize("examples", [
    {"example": {"_method": "DELETE"}},
    {"examples": {"one": {"value": {"a": [{"_method": "DELETE"}]}}}},
])  # fmt: skip
def test_an_operation_is_destructive_if_an_example_of_its_body_has_such_a_name(examples):
    described = taking({"schema": {"type": "object"}, **examples})
    (tool,) = operations(described).tools
    assert why_left_out(tool, OPENAPI, Settings()).id == "kit.left_out.other_method"
    assert list(changing(described))


@pytest.mark.parametrize("one", [
    {"enum": ["_method", "x_method"]},
    {"default": "$method"},
    {"examples": ["_method"]},
    {"description": "_method"},
    {"x-method": "POST"},
])  # fmt: skip
def test_a_value_that_is_such_a_name_is_no_input(one):
    described = taking({"schema": {"type": "object", "properties": {"a": {**one}}}})
    (tool,) = operations(described).tools
    assert tool.annotations.destructive is None
    assert not list(changing(described))


@pytest.mark.parametrize("name", ["method", "http_method", "payment_method", "methods"])
def test_an_input_with_an_ordinary_name_does_not_make_an_operation_destructive(name):
    described = document("/pay", "post")
    described["paths"]["/pay"]["post"]["parameters"] = [
        {"name": name, "in": "query", "schema": {"type": "string"}}
    ]
    (tool,) = operations(described).tools
    assert tool.annotations.destructive is None


def test_a_hint_in_the_text_of_a_resource_counts():
    text = json.dumps({"resource_id": "purge", "annotations": {"destructiveHint": True}})
    read = rpc({"result": {"contents": [{"uri": "a", "text": text}]}})
    found, looked = declared([("tools/list", None)])
    (one,) = careful(found, [*looked, read])
    assert why_left_out(one.tools[0], one.run, Settings()).id.endswith("destructive_elsewhere")


HINT = {"destructiveHint": True}


@pytest.mark.parametrize(
    "member",
    [
        HINT,
        {"_meta": HINT},
        {"x-annotations": HINT},
        {"annotations": [HINT]},
        {"annotations": json.dumps(HINT)},
        {"_meta": {"destructive_hint": True}},
        {"annotations": [{"Destructive": "yes"}]},
    ],
)
def test_a_hint_that_is_not_where_it_belongs_counts(member):
    page = {"tools": [{**item("purge", None), **member}, item("other", None)]}
    found = [Discovered(MCP, tools_of(page, Source.MCP).tools)]
    (one,) = careful(found, [rpc({"result": page})])
    left = {tool.name: why_left_out(tool, one.run, Settings()) for tool in one.tools}
    assert left["other"] is None
    assert left["purge"].id == "kit.left_out.destructive_elsewhere"


@pytest.mark.parametrize("name", [
    "destructive_hint", "DestructiveHint", "destructive", "isDestructive", "is_destructive",
    "destructiveHints", "x-destructive",
])  # fmt: skip
@pytest.mark.parametrize("hint", [True, False, "no", "False"])
def test_a_hint_counts_however_its_name_is_spelled(name, hint):
    hints = {name: hint, "readOnlyHint": True}
    (tool,) = tools_of({"tools": [item("purge", None, annotations=hints)]}, Source.MCP).tools
    reason = why_left_out(tool, HTTP, Settings(allow_calls=AllowCalls.AUTO))
    assert (reason is not None) is (hint is not False)


@pytest.mark.parametrize("name", ["nonDestructive", "non_destructive", "not-destructive"])
def test_a_member_that_denies_it_is_no_hint(name):
    hints = {name: True, "readOnlyHint": True}
    page = {"tools": [{**item("read", None, annotations=hints), name: True}]}
    found = [Discovered(HTTP, tools_of(page, Source.MCP).tools)]
    (one,) = careful(found, [web(200, page)])
    assert why_left_out(one.tools[0], HTTP, Settings(allow_calls=AllowCalls.AUTO)) is None


def test_a_hint_that_only_sounds_alike_reassures_of_nothing():
    page = {"tools": [item("purge", None, annotations={"asksBeforeDestructive": False})]}
    (tool,) = tools_of(page, Source.MCP).tools
    assert tool.annotations.destructive is None


WARNS, PLAIN = json.dumps(item("purge", True)), json.dumps(item("purge", None))


@pytest.mark.parametrize(
    "text",
    [
        f'{{"tools": [{WARNS}], "tools": [{PLAIN}]}}',
        f'{{"a": {{"tools": [{WARNS}]}}, "a": {{}}, "tools": [{PLAIN}]}}',
        f'{{"tools": [{PLAIN[:-1]}, "_meta": {{"destructiveHint": true}}, "_meta": {{}}}}]}}',
        f'{{"tools": [{WARNS[:-1]}, "name": "other"}}, {PLAIN}]}}',
        f'{{"tools": [{WARNS[:-1]}, "annotations": {{}}}}, {PLAIN}]}}'.replace(
            "iveH", "ive\\u0048"
        ),
    ],
)
def test_a_hint_counts_in_each_of_two_members_of_one_name(text):
    page = json.loads(text)
    found = [Discovered(HTTP, tools_of(page, Source.ATDF).tools)]
    (one,) = careful(found, [web(200, text.encode())])
    (tool,) = (each for each in one.tools if each.name == "purge")
    assert why_left_out(tool, HTTP, Settings()) is not None


@pytest.mark.parametrize("hint", ["readOnlyHint", "openWorldHint"])
@pytest.mark.parametrize("careless_first", [True, False])
def test_what_one_declaration_warns_of_holds_in_all(hint, careless_first):
    """A tool that another declaration calls harmless may still change things, or cost money."""
    usual = {"readOnlyHint": True, "openWorldHint": False}
    said = [usual, {**usual, hint: not usual[hint]}]
    pages = [{"tools": [item("pay", None, annotations=each)]} for each in said]
    at = {"target": "http://a.example", "endpoint": "http://a.example"}
    one = Discovered(replace(HTTP, **at), tools_of(pages[careless_first], Source.ATDF).tools)
    other = Discovered(replace(MCP, **at), tools_of(pages[not careless_first], Source.MCP).tools)
    told = [(each.tools[0], each.run) for each in careful([one, other], [])]
    if hint == "openWorldHint":
        assert all(is_spared(*each, Settings()) for each in told)
    else:
        left = [why_left_out(*each, Settings()) for each in told]
        assert [each.id for each in left] == ["kit.left_out.read_only"] * 2


def test_a_parameter_that_has_the_name_of_the_hint_is_none():
    schema = {"type": "object", "properties": {"annotations": SCHEMA, "destructiveHint": {}}}
    page = {"tools": [item("purge", None, inputSchema=schema)]}
    found = [Discovered(MCP, tools_of(page, Source.MCP).tools)]
    (one,) = careful(found, [rpc({"result": page})])
    assert why_left_out(one.tools[0], one.run, Settings()) is None


@pytest.mark.parametrize("place", ["/tools", "/tools?cursor=2", "/admin"])
def test_no_route_of_a_document_reaches_a_tool_that_its_catalog_calls_destructive(place):
    called = []
    pages = {
        "/tools": {"tools": [item("harmless", False)], "nextCursor": "2"},
        "/tools?cursor=2": {"tools": [item("more", False)]},
        "/openapi.json": document("/purge", name="wipe"),
    }
    if place == "/admin":
        listing = {"resources": [{"type": "tool", "path": path} for path in ("/tools", "/admin")]}
        pages |= {"/manifest": listing, "/admin": {"tools": []}}
    pages[place]["tools"].append(item("purge", True, invocation={"endpoint": "/purge"}))

    def answer(method, path, body, headers):
        called.append((method, path))
        return (200, pages[path]) if path in pages else (404, {"detail": "nothing is here"})

    chapter = load("conformance.atdf")
    with answering(answer) as url:
        asked = Settings(profiles=("http",), openapi="/openapi.json", max_examples=0)
        session = Session(asked)
        session.scripts.extend(chapter.scripts)
        session.discover((url,))
        session.drive()
    assert ("POST", "/purge") not in called
    assert ("GET", place) in called


def test_no_more_declarations_are_remembered_than_there_is_room_for():
    warned = Warned()
    some = [item(f"purge{number}", True) for number in range(10_000)]
    warned.add({"tools": some})
    warned.add({"tools": some})  # the same again takes no more room
    for number in range(5):
        warned.add({"tools": [item(f"{number}.{n}", True) for n in range(10_000)]})
    with pytest.raises(TooManyWarned):
        warned.add({"tools": [item(f"more.{n}", True) for n in range(100_000)]})
    operation = {"operationId": "x" * 9_000_000, "responses": {}}
    paths = {f"/{number}": {"delete": operation} for number in range(9)}
    with pytest.raises(TooManyWarned):
        Warned().add({"openapi": "3.1.0", "paths": paths})


@pytest.mark.parametrize("limit", ["HELD_CAP", "MOST_WRITTEN"])
def test_a_declaration_counts_for_which_there_was_no_room(limit, monkeypatch):
    """An earlier target may have filled the room."""
    monkeypatch.setattr(recorder, limit, 0)
    called = []
    padding = [item(f"pad{number}", None, title="x" * 1_000) for number in range(100)]
    listing = {"resources": [{"type": "tool", "path": path} for path in ("/tools", "/admin")]}
    pages = {
        ("one", "/manifest"): listing,
        ("one", "/tools"): {"tools": [item("harmless", None)]},
        ("one", "/admin"): {"tools": [*padding, item("purge", True)]},
        ("two", "/tools"): {"tools": [item("purge", None)]},
    }

    def answer_of(target):
        def answer(method, path, body, headers):
            called.append((target, method, path))
            return (200, pages[target, path]) if (target, path) in pages else (404, {})

        return answer

    with answering(answer_of("one")) as one, answering(answer_of("two")) as two:
        session = Session(Settings(profiles=("http",), max_examples=0))
        session.discover((two, one))
        session.drive()
    assert ("one", "POST", "/tools/harmless/invoke") in called
    assert not any(path.startswith("/tools/purge") for _, _, path in called)
