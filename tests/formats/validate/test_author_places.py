"""What is said of a document names places that its author wrote, and what was left unfilled."""

import pytest

from conformance.formats.runtime.recognition import POLICY_IN_ITS_KEY
from conformance.formats.validate.recognize import Recognition, recognize
from conformance.formats.validate.validate import validate

BACKOFF = {
    "strategy": "exponential_backoff",
    "max_retries": 3,
    "initial_delay_ms": 1000,
    "max_delay_ms": 30000,
    "backoff_multiplier": 2.0,
    "retryable_errors": ["rate_limited"],
}


@pytest.mark.parametrize("document", [{"retry_policy": BACKOFF}, {"retry_policy": None, **BACKOFF}])
def test_a_policy_in_its_key_is_recognized_and_valid(document):
    known = recognize(document)
    assert isinstance(known, Recognition)
    assert (known.document, known.dialects) == ("retry-policy", (POLICY_IN_ITS_KEY,))
    assert validate(document) == []


def test_a_problem_of_a_policy_in_its_key_is_at_its_own_place():
    (found,) = validate({"retry_policy": {**BACKOFF, "max_retries": "3"}})
    assert (found.path, found.clause) == ("$.retry_policy.max_retries", "RT-RTY-001")


def test_a_placeholder_of_an_input_is_where_the_author_wrote_it():
    use = {
        "inputs": [{"name": "day", "type": "string", "description": "..."}],
        "outputs": {"success": "The rooms", "failure": []},
    }
    descriptor = {"tool_id": "t", "description": "d", "when_to_use": "w", "how_to_use": use}
    (found,) = validate(descriptor)
    assert found.path == "$.how_to_use.inputs[0].description"
    use["inputs"] = [{"name": "day", "schema": {"type": "string", "description": "..."}}]
    (found,) = validate(descriptor)
    assert found.path == "$.how_to_use.inputs[0].schema.description"


def tool(**more):
    return {"name": "t", "description": "d", "inputSchema": {"type": "object"}, **more}


@pytest.mark.parametrize(
    ("document", "clause", "paths"),
    [
        (tool(name="string"), "ATDF-TOOL-012", ["$.name"]),
        (tool(name="nombre_herramienta"), "ATDF-TOOL-012", ["$.name"]),
        (tool(tags=["categoria1"]), "ATDF-TOOL-012", ["$.tags[0]"]),
        (tool(name="number"), "ATDF-TOOL-012", []),
    ],
)
def test_the_names_of_the_printed_templates_are_placeholders(document, clause, paths):
    assert [each.path for each in validate(document) if each.clause == clause] == paths


def test_the_names_of_a_printed_error_are_placeholders():
    error = {
        "type": "https://api.example.com/errors/tipo-error",
        "title": "Wrong",
        "detail": "It is wrong.",
        "instance": "urn:uuid:4f2d1e8a-53a1-4f6e-9d42-0d9a4a1f3b10",
        "tool_name": "string",
        "parameter_name": "string",
        "suggested_value": "valor_sugerido",
    }
    found = [each.path for each in validate({"errors": [error]}) if each.clause == "ATDF-ERR-014"]
    at = "$.errors[0]."
    names = ("type", "tool_name", "parameter_name", "suggested_value")
    assert found == [at + name for name in names]
    filled = {**error, "type": "https://a.test/errors/x", "tool_name": "echo"}
    assert validate({"errors": [{**filled, "suggested_value": "a"}]}) == []


def test_a_catalog_inside_a_catalog_is_said_so_and_nothing_else():
    (found,) = validate({"tools": [tool(), {"tools": [tool()]}]})
    assert (found.path, found.clause) == ("$.tools[1]", "ATDF-CAT-001")
    assert found.message.id == "documents.catalog.inside"


@pytest.mark.parametrize(
    ("schema", "warned"),
    [
        ({"type": ["string", "null"]}, False),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, False),
        ({"type": "null"}, True),
        ({"type": ["null"]}, True),
    ],
)
def test_a_nullable_parameter_has_a_known_type(schema, warned):
    properties = {"note": {"description": "A note.", **schema}}
    document = tool(inputSchema={"type": "object", "properties": properties})
    found = {each.clause for each in validate(document)}
    assert ("ATDF-TOOL-007" in found) == warned
