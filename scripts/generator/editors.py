"""A catalog for Schema Store: it lets an editor find the schema of a file by the file's name.

Most editors take their list from Schema Store, which copies such entries. Its schema for them is
https://json.schemastore.org/schema-catalog.json.
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
"""The documents that people write by hand, each with the ending of its file names."""
NOTATIONS: Final = ("json", "yaml", "yml")


def editor_catalog(
    schemas: Mapping[str, Mapping[str, Json]], places: Mapping[str, str]
) -> dict[str, Json]:
    """Return the catalog of documents from their schemas; `places` has the URL of each schema."""
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
