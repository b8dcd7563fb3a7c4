"""Operations that need the same components: each is made once, and their size has a limit."""

import ast

import pytest

from conformance.formats.catalog import openapi_schema
from conformance.formats.catalog.openapi import operations
from conformance.formats.schema import schemas
from conformance.kit.schema.view import view_of

PART = {"type": "object", "properties": {"n": {"type": "integer"}}}
FAULTY = {"type": "object", "properties": {"n": {"type": "no such type"}}}


def document(count, components, first="every"):
    """A document of so many operations, each of which needs a component."""
    media = {"application/json": {"schema": {"$ref": f"#/components/schemas/{first}"}}}
    operation = {
        "requestBody": {"required": True, "content": media},
        "responses": {"200": {"description": "d", "content": media}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {f"/x{number}": {"post": operation} for number in range(count)},
        "components": {"schemas": components},
    }


def joined(count, part=PART):
    names = [f"c{number}" for number in range(count)]
    refs = {name: {"$ref": f"#/components/schemas/{name}"} for name in names}
    every = {"type": "object", "properties": refs}
    return {**dict.fromkeys(names, part), "every": every}


def test_operations_share_the_components_that_they_need():
    first, second = operations(document(2, joined(3))).tools
    for name in ("c0", "c1", "c2", "every"):
        parts = [next(iter(t.raw["answers"].values()))["$defs"][name] for t in (first, second)]
        assert parts[0] is parts[1]


def test_an_operation_that_needs_too_much_is_left_out_and_the_others_are_not(monkeypatch):
    monkeypatch.setattr(openapi_schema, "LONGEST", 500)
    large = document(1, joined(100))
    large["paths"]["/small"] = document(1, joined(1))["paths"]["/x0"]
    large["paths"]["/small"]["post"] = {"responses": {"200": {"description": "d"}}}
    found = operations(large)
    assert [tool.name for tool in found.tools] == ["POST /small"]
    assert [(name, why.id) for name, why in found.left_out] == [
        ("POST /x0", "kit.left_out.openapi_size")
    ]


def test_operations_that_need_too_much_in_all_are_left_out(monkeypatch):
    monkeypatch.setattr(openapi_schema, "MOST_IN_ALL", 50_000)
    found = operations(document(100, joined(5)))
    assert 0 < len(found.tools) < 100
    assert {why.id for _, why in found.left_out} == {"kit.left_out.openapi_size"}
    assert len(found.tools) + len(found.left_out) == 100


@pytest.mark.parametrize("count", [1, 3])
def test_a_component_that_is_not_valid_is_told_of_each_operation(count):
    found = operations(document(count, joined(2, FAULTY)))
    assert {each.tool for each in found.problems} == {f"POST /x{n}" for n in range(count)}
    assert {each.message.id for each in found.problems} == {"documents.schema.type"}


def test_a_definition_of_many_schemas_is_checked_once(monkeypatch):
    checked = []
    quick = schemas.quick

    class Counting:
        def __init__(self, made):
            self._made = made

        def iter_errors(self, schema):
            checked.append(schema)
            return self._made.iter_errors(schema)

    monkeypatch.setattr(
        schemas, "quick", lambda kind: lambda *a, **k: Counting(quick(kind)(*a, **k))
    )
    part = {"type": "object", "title": "only here", "properties": {"n": {"type": "whole"}}}
    for number in range(20):
        schema = {"title": f"{number} only here", "$ref": "#/$defs/a", "$defs": {"a": part}}
        assert len(schemas.schema_faults(schema)) == 1
    assert checked.count(part) == 1


@pytest.mark.parametrize(
    ("part", "place", "keyword"),
    [
        ({"type": "no such type"}, ("$defs", "a", "type"), "type"),
        (7, ("$defs", "a"), "a"),
        ({"properties": {"b": []}}, ("$defs", "a", "properties", "b"), "b"),
    ],
)
def test_a_fault_in_a_definition_has_its_place_in_the_whole(part, place, keyword):
    (fault,) = schemas.schema_faults({"$defs": {"a": part}})
    assert (fault.place, fault.keyword, fault.clause) == (place, keyword, "ATDF-TOOL-004")


ODD = (7, "x", None, [], [[]], [{}], {"a": {}}, [None, 7])


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_what_is_of_another_type_than_it_should_be_costs_no_other_operation(odd):
    made = document(1, {})
    sent = {"type": "object", "properties": {"n": {}}}
    parameters = ({"name": odd, "in": "query", "schema": {}}, {"name": "n", "in": odd},
                  {"name": "n", "in": "query", "schema": {"type": odd}, "style": odd},
                  {"name": "n", "in": "query", "schema": {"$defs": odd}})  # fmt: skip
    bodies = ({**sent, "required": odd}, {**sent, "$defs": odd}, {"properties": odd}, odd)
    answer = {"responses": {"200": {"description": "d"}}}
    paths = {f"/p{n}": {"get": {**answer, "parameters": [each]}}
             for n, each in enumerate(parameters)}  # fmt: skip
    paths |= {f"/b{n}": {"post": {**answer, "tags": odd, "requestBody": {
        "required": True, "content": {"application/json": {"schema": each}}}}}
        for n, each in enumerate(bodies)}  # fmt: skip
    paths["/odd"] = {"get": odd, "post": {"responses": odd, "security": odd}}
    paths["/good"] = {"get": {**answer, "operationId": "good"}}
    found = operations({**made, "paths": paths})
    assert "good" in [each.name for each in found.tools]


@pytest.mark.parametrize("odd", ["x" * 5_000, "half\ud800"])
def test_an_operation_without_a_usable_name_has_that_of_its_route_or_is_left_out(odd):
    answer = {"responses": {"200": {"description": "d"}}}
    named = (("a", odd), (odd, odd), (odd + "b", "b"))
    paths = {f"/{name}": {"get": {**answer, "operationId": id}} for name, id in named}
    found = operations({**document(0, {}), "paths": paths})
    assert [tool.name for tool in found.tools] == ["GET /a", "b"]
    assert [why.id for _, why in found.left_out] == ["kit.left_out.openapi_name"]
    assert len(found.left_out[0][0]) < 300


REQUEST = "#/paths/~1x0/post/requestBody/content/application~1json/schema"


@pytest.mark.parametrize(
    "reference",
    [
        REQUEST,
        REQUEST.replace("~", "%7E"),
        "#/components/parameters/p/schema",
        "#/components/parameters/list/content/0/schema",
        "#/components/schemas/every/properties/c0",
        "#/components/schemas/with%60tick",
    ],
)
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_a_reference_may_lead_to_any_place_of_the_document(reference, version):
    found = document(1, {**joined(1), "with`tick": PART})
    found["openapi"] = version
    found["components"]["parameters"] = {
        "p": {"name": "p", "in": "query", "schema": PART},
        "list": {"content": [{"schema": PART}]},
    }
    media = {"application/json": {"schema": {"$ref": reference}}}
    found["paths"]["/other"] = {
        "post": {
            "requestBody": {"required": True, "content": media},
            "responses": {"200": {"description": "d"}},
        }
    }
    catalog = operations(found)
    assert (catalog.left_out, catalog.problems) == ((), ())
    assert catalog.tools[-1].name == "POST /other"
    view = view_of(catalog.tools[-1].input_schema)
    call = {"c0": {"n": 1}} if reference in {REQUEST, REQUEST.replace("~", "%7E")} else {"n": 1}
    own = call if "body" not in catalog.tools[-1].input_schema["properties"] else {"body": call}
    assert view.accepts(own)
    broken = str(own).replace("1}", "'x'}")
    assert not view.accepts(ast.literal_eval(broken))


def test_places_within_each_other_are_copied_within_a_limit(monkeypatch):
    monkeypatch.setattr(openapi_schema, "LONGEST", 2_000)
    places = ["#/components" + "/not" * depth for depth in range(20)]
    found = document(1, {"every": {"anyOf": [{"$ref": place} for place in places]}})
    inner = {"title": "x" * 500}
    for _ in range(20):
        inner = {"not": inner}
    found["components"] |= inner
    catalog = operations(found)
    assert [why.id for _, why in catalog.left_out] == ["kit.left_out.openapi_size"]


def test_a_reference_with_half_of_a_character_is_a_problem_and_no_crash():
    catalog = operations(document(1, {"every": {"$ref": "#/paths/\ud800"}}))
    assert [one.clause for one in catalog.problems] == ["HTTP-OAS-001"]


@pytest.mark.parametrize("reference", ["#named", "#", "other.json#/x"])
def test_a_reference_by_a_name_is_not_said_to_lead_to_nothing(reference):
    found = document(1, {"every": {"$ref": reference}, "own": {"$anchor": "named"}})
    catalog = operations(found)
    assert catalog.problems == ()
    assert [why.id for _, why in catalog.left_out] == ["kit.left_out.openapi_elsewhere"]


@pytest.mark.parametrize("reference", ["#/components/parameters/p/schema", "#/$defs/a", "#named"])
def test_a_schema_that_is_written_anew_alone_keeps_its_references(reference):
    made = openapi_schema.modern({"nullable": True, "items": {"$ref": reference}})
    assert made == {"items": {"$ref": reference}}
