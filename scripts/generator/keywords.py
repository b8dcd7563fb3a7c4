"""The keywords of JSON Schema 2020-12, and those that contain other schemas.

The generator walks keywords, not keys: `properties` may have a member that is named `description`.
"""

from __future__ import annotations

from collections.abc import Iterator

from scripts.generator.load import Json, Path_

MAPS = ("properties", "patternProperties", "$defs", "dependentSchemas")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLE = (
    "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
IN_PLACE = ("allOf", "anyOf", "oneOf", "then", "else", "if", "not")
"""The keywords whose subschemas are about the same value, not about a part of it."""
TEXTS = ("title", "description")
OTHERS = (
    "$ref", "$comment", "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum",
    "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems",
    "uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties", "required",
    "dependentRequired", "format", "default", "examples", "deprecated", "readOnly", "writeOnly",
)  # fmt: skip
KEYWORDS = frozenset((*MAPS, *LISTS, *SINGLE, *TEXTS, *OTHERS))


def children(schema: Json) -> Iterator[tuple[Path_, Json]]:
    """Yield each schema directly inside `schema`, with the steps to it."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in MAPS and isinstance(value, dict):
            for name, child in value.items():
                yield (keyword, name), child
        elif keyword in LISTS and isinstance(value, list):
            for index, child in enumerate(value):
                yield (keyword, index), child
        elif keyword in SINGLE:
            yield (keyword,), value


def positions(schema: Json, path: Path_ = ()) -> Iterator[tuple[Path_, Json]]:
    """Yield `schema` and every schema inside it, at any depth, each with its path."""
    yield path, schema
    for steps, child in children(schema):
        yield from positions(child, (*path, *steps))
