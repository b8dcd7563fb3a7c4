"""The bill of materials names what the product needs, and nothing that only its developers need."""

import json

from scripts.sbom import bill


def test_it_lists_what_is_needed_with_hashes_and_nothing_else():
    document = json.loads(bill())
    assert document["bomFormat"] == "CycloneDX"
    assert document["metadata"]["component"]["name"] == "agent-formats"
    parts = {part["name"]: part for part in document["components"]}
    assert {"jsonschema", "pydantic", "pydantic-core", "pytest", "h11"} <= set(parts)
    assert not {"ruff", "mypy", "pip-audit", "mkdocs"} & set(parts)
    assert all(part["hashes"] and part["purl"].startswith("pkg:pypi/") for part in parts.values())
    below = {each["ref"]: each.get("dependsOn", []) for each in document["dependencies"]}
    own = below[document["metadata"]["component"]["bom-ref"]]
    assert parts["pydantic"]["bom-ref"] in own
    assert parts["pydantic-core"]["bom-ref"] not in own
