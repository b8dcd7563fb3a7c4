"""OpenAPI descriptions and JSON Schemas with and without faults, for the validator and the page."""

from __future__ import annotations

from typing import Any

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_6 = "http://json-schema.org/draft-06/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


def schema(dialect: Any = None, /, **members: Any) -> dict[str, Any]:
    """A schema of objects, with these members."""
    named = {} if dialect is None else {"$schema": dialect}
    return {"type": "object", "properties": {}, **named, **members}


SCHEMAS: tuple[dict[str, Any], ...] = (
    schema(DRAFT_4, **{"properties": {"a": {"minimum": 1, "exclusiveMinimum": True}}}),
    schema(DRAFT_4, **{"properties": {"a": {"exclusiveMinimum": True}}}),
    schema(DRAFT_4, **{"properties": {"a": {"exclusiveMinimum": 3}}}),
    schema(DRAFT_4, **{"required": []}),
    schema(DRAFT_4, **{"properties": {"a": {"multipleOf": 0}}}),
    schema(DRAFT_4, **{"properties": {"a": {"multipleOf": 1}}}),
    schema(DRAFT_4, **{"properties": {"a": True}}),
    schema(DRAFT_4, **{"properties": {"a": {"type": "strng"}}}),
    schema(DRAFT_4, **{"properties": {"a": {"enum": []}, "b": {"dependencies": {"a": []}}}}),
    schema(DRAFT_4, **{"properties": {"a": {"$ref": "#/definitions/x"}}}),
    schema(
        DRAFT_4,
        **{
            "id": "http://x.test/s",
            "properties": {
                "a": {"$ref": "http://x.test/s#/properties/a"},
                "b": {"id": "#foo"},
                "c": {"$ref": "#foo"},
                "d": {"$ref": "#bar"},
            },
        },
    ),
    schema(
        DRAFT_6,
        **{"properties": {"a": {"exclusiveMinimum": True}, "b": True, "c": {"examples": 3}}},
    ),
    schema(DRAFT_6, **{"properties": {"a": {"const": None, "contains": 3}}}),
    schema(DRAFT_7, **{"properties": {"a": {"if": 3}, "b": {"dependencies": {"a": ["b", "b"]}}}}),
    schema(DRAFT_7, **{"properties": {"b": {"dependencies": {"a": ["b"]}}}}),
    schema(
        DRAFT_2019,
        **{
            "properties": {
                "a": {"$recursiveRef": 3},
                "b": {"$recursiveAnchor": "x"},
                "c": {"dependentRequired": {"a": [1]}},
            }
        },
    ),
    schema(
        DRAFT_2019,
        **{
            "properties": {
                "a": {"$anchor": "x"},
                "b": {"$ref": "#x"},
                "c": {"$ref": "#y"},
                "d": {"$recursiveRef": "#"},
            }
        },
    ),
    schema(
        DRAFT_2020,
        **{"properties": {"a": {"dependencies": {"a": ["b"]}}, "c": {"dependencies": {"a": 3}}}},
    ),
    schema(
        **{
            "properties": {
                "a": {"$dynamicRef": "#x"},
                "b": {"$dynamicAnchor": "x"},
                "c": {"$dynamicRef": "#q"},
            }
        }
    ),
    schema("https://example.com/meta", **{"title": "T"}),
    schema(3, **{}),
    schema(
        **{
            "properties": {
                "a": {"$ref": "#/$defs/x"},
                "b": {"$ref": "#/$defs/y%20z"},
                "c": {"$ref": "#/properties/a~1b"},
                "a/b": {"type": "string"},
            },
            "$defs": {"y z": {}},
        }
    ),
    schema(
        **{
            "properties": {
                "a": {"$ref": "other.json"},
                "b": {"$ref": "http://x.test/y"},
                "c": {"$ref": "#/allOf/0"},
                "d": {"$ref": "#/allOf/1"},
            },
            "allOf": [{}],
        }
    ),
    schema(
        **{
            "$id": "https://x.test/a/b.json",
            "properties": {
                "a": {"$ref": "c.json"},
                "b": {"$ref": "/a/b.json"},
                "c": {"$ref": "b.json#/$defs/x"},
            },
            "$defs": {
                "x": {
                    "$id": "c.json",
                    "$defs": {"q": {}},
                    "properties": {"z": {"$ref": "#/$defs/q"}, "w": {"$ref": "#/$defs/x"}},
                }
            },
        }
    ),
    schema(
        **{
            "properties": {
                "a": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
                "b": {"$ref": "http://json-schema.org/draft-07/schema#"},
            }
        }
    ),
    schema(
        **{
            "properties": {
                "default": {"default": {"$ref": "#/x"}},
                "enum": {"enum": [{"$ref": "#/x"}]},
            }
        }
    ),
    {
        "title": "T",
        "type": "object",
        "properties": {"a": {"type": "integer", "title": "A"}},
        "description": "d",
    },
    {"$schema": DRAFT_7, "properties": {"a": {"minLength": -1}}},
    schema("http://json-schema.org/draft-07/schema", **{}),
)


def described(version: str = "3.1.0", paths: Any = None, **members: Any) -> dict[str, Any]:
    """A description with these paths."""
    info = {"title": "t", "version": "1"}
    return {"openapi": version, "info": info, "paths": {} if paths is None else paths, **members}


def operation(
    version: str = "3.1.0",
    path: str = "/a",
    item: dict[str, Any] | None = None,
    components: Any = None,
    **members: Any,
) -> dict[str, Any]:
    """A description of one operation, with these members."""
    get = {"responses": {"200": {"description": "d"}}, **members}
    held = {} if components is None else {"components": components}
    return described(version, {path: {"get": get, **(item or {})}}, **held)


def parameter(**members: Any) -> dict[str, Any]:
    """A parameter of the query, with these members."""
    return {"name": "q", "in": "query", "schema": {"type": "string"}, **members}


DESCRIPTIONS: tuple[dict[str, Any], ...] = (
    described(),
    {"openapi": "3.0.3"},
    {"openapi": "3.1.0", "components": {}},
    {"openapi": "3.1.0", "info": {}, "webhooks": {}},
    operation(parameters=[parameter()]),
    operation(parameters=[parameter(schema={"type": "strng"})]),
    operation("3.0.1", parameters=[parameter(schema={"type": "strng", "nullable": True})]),
    operation(
        "3.0.1",
        parameters=[
            parameter(schema={"type": "integer", "minimum": "1", "exclusiveMinimum": True})
        ],
    ),
    operation(
        "3.0.1",
        parameters=[
            parameter(
                schema={"type": "integer", "minimum": 1, "exclusiveMinimum": True, "example": 3}
            )
        ],
    ),
    operation(parameters=[parameter(schema=True)]),
    operation("3.0.0", parameters=[parameter(schema=True)]),
    operation(parameters=[parameter(schema=3)]),
    operation(
        parameters=[
            {"name": "q"},
            {"in": "body", "name": "b", "schema": {}},
            {"in": "query"},
            3,
            None,
        ]
    ),
    operation("3.2.0", parameters=[{"in": "querystring", "name": "b", "content": {}}]),
    operation(path="/a/{id}/{x}", parameters=[{"name": "id", "in": "path", "schema": {}}]),
    operation(
        path="/a/{id}",
        parameters=[{"$ref": "#/components/parameters/I"}],
        components={
            "parameters": {
                "I": {
                    "name": "id",
                    "in": "path",
                    "required": True,
                    "schema": {"type": "integer", "maximum": "x"},
                }
            }
        },
    ),
    operation(path="/a/{id}", parameters=[{"$ref": "#/components/parameters/None"}]),
    operation(
        path="/a/{id}",
        item={"parameters": [{"name": "id", "in": "path", "required": True, "schema": {}}]},
    ),
    operation(requestBody={}),
    operation(
        requestBody={
            "content": {
                "application/json": {"schema": {"type": "object", "required": "a"}},
                "text/plain": {},
            }
        }
    ),
    operation(requestBody={"$ref": "#/components/requestBodies/B"}),
    operation(
        requestBody={"$ref": "#/components/requestBodies/B"},
        components={
            "requestBodies": {
                "B": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}
                }
            },
            "schemas": {
                "S": {
                    "properties": {
                        "a": {"$ref": "#/components/schemas/T"},
                        "default": {"default": {"$ref": "#/nope"}},
                    }
                }
            },
        },
    ),
    operation(
        responses={
            "200": {},
            "404": {"$ref": "other.yaml#/x"},
            "500": {"description": "d", "content": {"application/json": {"schema": {"enum": 3}}}},
        }
    ),
    described(
        "3.0.0",
        {
            "/a": {"get": {"operationId": "x"}, "post": {"operationId": "x", "responses": {}}},
            "/b": {"$ref": "#/paths/~1a"},
            "/c": {"$ref": "#/paths/~1z"},
        },
    ),
    described(
        paths={
            "/a": {"get": {"operationId": "x"}, "query": {"operationId": "x", "responses": {}}},
            "x-y": 3,
        }
    ),
    operation(
        components={
            "schemas": {
                "a": {"$id": "http://x.test", "$ref": "#/$defs/q"},
                "b": {"$ref": "#/components/schemas/a"},
                "c": {
                    "properties": {
                        "$ref": {"type": "string"},
                        "example": {"$ref": "#/components/schemas/zz"},
                    }
                },
            }
        }
    ),
    operation(
        components={
            "schemas": {
                "a": {"x-foo": {"$ref": "#/zz"}, "examples": [{"$ref": "#/zz"}]},
                "d": {"$ref": "#/paths/~1a/get/responses/200"},
                "e": {"$ref": "#/paths/%7E1a"},
                "l": {
                    "allOf": [
                        {"$ref": "#/components/schemas/l/allOf/0"},
                        {"$ref": "#/components/schemas/l/allOf/7"},
                    ]
                },
            }
        }
    ),
    described(paths=[]),
    described(info=None),
    described(components=[]),
    operation(parameters={"x": parameter(schema={"type": 3})}),
    {
        "openapi": "3.1.0",
        "info": "x",
        "paths": {
            "/a": 3,
            "/b": {"get": 3, "post": {"parameters": 3, "responses": 3, "requestBody": 3}},
        },
    },
)
