"""The list by which an editor knows the schema of a file from its name: a catalog of Schema Store.

Schema Store, from which most editors take their list, copies such entries. Its own schema for them
is https://json.schemastore.org/schema-catalog.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scripts.generator.load import Json

ENDINGS: Final[Mapping[str, str]] = {
    "atdf/catalog": "atdf",
    "ardf/resource": "ardf",
    "ardf/collection": "ardf-collection",
    "runtime/gateway-policy": "gateway-policy",
    "runtime/provider-manifest": "provider-manifest",
    "runtime/retry-policy": "retry-policy",
    "runtime/toolset-catalog": "toolset-catalog",
}
"""The documents that people write by hand, and what the names of their files end in."""
NOTATIONS: Final = ("json", "yaml", "yml")


def editor_catalog(
    schemas: Mapping[str, Mapping[str, Json]], places: Mapping[str, str]
) -> dict[str, Json]:
    """Give the entries of documents by their schemas; `places` says where each schema is."""
    return {
        "$schema": "https://json.schemastore.org/schema-catalog.json",
        "version": 1,
        "schemas": [
            {
                "name": schemas[document]["title"],
                "description": schemas[document]["description"],
                "fileMatch": [f"*.{ending}.{notation}" for notation in NOTATIONS],
                "url": places[document],
            }
            for document, ending in ENDINGS.items()
            if document in schemas
        ],
    }
