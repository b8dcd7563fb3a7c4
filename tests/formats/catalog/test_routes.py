"""A catalog and an OpenAPI document of one server: which tool is which operation."""

import time

import pytest

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.catalog.openapi import operations
from conformance.formats.catalog.routes import named, routed
from conformance.formats.tool.tool import Input, Invocation, Where

ID = {"type": "integer"}
SCHEMA = {"type": "object", "properties": {"id": ID, "note": {"type": "string"}}}


def catalog(*named_tools, **more):
    listed = [{"name": n, "description": "d", "inputSchema": SCHEMA, **more} for n in named_tools]
    return tools_of({"tools": listed}, Source.ATDF).tools


def document(**paths):
    """The operations of a document: by operationId its method and path, and its parameters."""
    answer = {"200": {"description": "ok", "content": {"application/json": {"schema": {}}}}}
    made = {}
    for name, (method, path, *placed) in paths.items():
        parameters = [{"name": n, "in": where, "required": where == "path", "schema": ID}
                      for n, where in placed]  # fmt: skip
        operation = {"operationId": name, "parameters": parameters, "responses": answer}
        made.setdefault(path, {})[method] = operation
    info = {"title": "t", "version": "1"}
    return operations({"openapi": "3.1.0", "info": info, "paths": made}).tools


def one(tools, operations_of):
    (found,) = routed(tools, operations_of)
    return found


@pytest.mark.parametrize("name", ["find", "find_api_find_post"])
def test_the_document_gives_the_route_of_a_tool_without_one(name):
    tool = one(catalog("find"), document(**{name: ("post", "/api/find")}))
    assert tool.invocation == Invocation("/api/find", "POST")


def test_a_route_of_the_document_may_have_inputs_in_its_path_and_query():
    placed = (("id", "path"), ("note", "query"))
    tool = one(catalog("find"), document(find=("get", "/items/{id}", *placed)))
    inputs = (Input("id", Where.PATH), Input("note", Where.QUERY))
    assert tool.invocation == Invocation("/items/{id}", "GET", inputs)


def test_a_tool_that_names_its_route_keeps_it_and_gets_the_name_of_the_operation():
    own = {"endpoint": "http://127.0.0.1:1/api/find/", "method": "POST"}
    tool = one(catalog("find", invocation=own), document(f1=("post", "/api/find")))
    assert (tool.invocation.endpoint, tool.names) == (own["endpoint"], ("find", "f1"))


def test_the_usual_route_may_be_in_the_document_under_another_name():
    tool = one(catalog("find"), document(f1=("post", "/tools/find/invoke")))
    assert tool.invocation == Invocation("/tools/find/invoke", "POST")
    assert tool.names == ("find", "f1")


def test_an_operation_of_another_name_at_another_route_is_another_thing():
    tool = one(catalog("find"), document(search=("post", "/api/search")))
    assert (tool.invocation, tool.names) == (None, ("find",))


def test_an_operation_gets_the_name_that_a_catalog_has_for_it():
    own = {"endpoint": "/api/find", "method": "POST"}
    (found,) = named(document(f1=("post", "/api/find")), catalog("find", invocation=own))
    assert found.names == ("f1", "find")


def test_thousands_of_tools_and_operations_are_compared_in_seconds():
    tools = catalog(*(f"tool_{n}" for n in range(3000)))
    given = document(**{f"Operation.{n}": ("post", f"/operation{n}") for n in range(2999)},
                     **{"tool_7_make_7_post": ("post", "/make/7")})  # fmt: skip
    began = time.process_time()
    found = routed(tools, given)
    assert time.process_time() - began < 5
    assert [each.name for each in found if each.invocation is not None] == ["tool_7"]
