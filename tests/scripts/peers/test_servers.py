"""What gives the peers a fair chance: an OpenAPI document that is true, and what they ask for."""

import json

import httpx2
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from fixtures.servers.openapi import document
from fixtures.servers.tools import TOOLS
from scripts.peers.server import PEER, serving

DOCUMENT = document()
REGISTRY = Registry().with_resource("urn:api", DRAFT202012.create_resource(DOCUMENT))
READ = [path for path, held in DOCUMENT["paths"].items() if "get" in held]


def problems(schema, value):
    """What keeps a value from being as a schema of the document says."""

    def absolute(node):
        if isinstance(node, list):
            return [absolute(each) for each in node]
        if not isinstance(node, dict):
            return node
        return {
            key: f"urn:api{value}" if key == "$ref" and isinstance(value, str) else absolute(value)
            for key, value in node.items()
        }

    checker = Draft202012Validator(absolute(schema), registry=REGISTRY)
    return [error.message for error in checker.iter_errors(value)]


@pytest.fixture(scope="module")
def url():
    with serving(PEER) as served:
        yield served.url


@pytest.fixture(scope="module")
def furnished():
    with serving(PEER, "--official-tools") as served:
        yield served.url


def told(operation, answer):
    """What the document says of an answer; fails where it does not know its status."""
    known = operation["responses"][str(answer.status_code)]
    for name, header in known["headers"].items():
        assert not header["required"] or name.lower() in answer.headers
    return known["content"]["application/json"]["schema"]


@pytest.mark.parametrize("path", READ)
def test_what_is_read_is_as_the_document_says(url, path):
    operation = DOCUMENT["paths"][path]["get"]
    values = [
        (each["name"], value)
        for each in operation.get("parameters", [])
        for value in [*each["schema"].get("enum", []), "unknown"]
    ] or [("", "")]
    for name, value in values:
        answer = httpx2.get(url + path.replace(f"{{{name}}}", value))
        assert answer.status_code == (404 if value == "unknown" else 200)
        assert problems(told(operation, answer), answer.json()) == []


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_call_is_described_with_its_example_its_refusal_and_its_answers(url, tool):
    path = f"/tools/{tool.name}/invoke"
    operation = DOCUMENT["paths"][path]["post"]
    media = operation["requestBody"]["content"]["application/json"]
    assert problems(media["schema"], media["example"]) == []
    for body in (media["example"], {}, []):
        answer = httpx2.post(url + path, json=body)
        assert problems(told(operation, answer), answer.json()) == []


def test_examples_that_are_good_today_stand_in_place_of_a_tools_own():
    made = document({"list_devices": {"site": "south"}})
    call = made["paths"]["/tools/list_devices/invoke"]["post"]
    assert call["requestBody"]["content"]["application/json"]["example"] == {"site": "south"}


def posted(url, method, params=None):
    version = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    meta = {**version, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    message["params"] = {**(params or {}), "_meta": meta}
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
    }
    if params and "name" in params:
        headers["mcp-name"] = params["name"]
    return httpx2.post(f"{url}/mcp", json=message, headers=headers, timeout=60).json()


def test_a_furnished_server_holds_what_the_official_kit_asks_for_and_its_own_tools(furnished):
    names = {tool["name"] for tool in posted(furnished, "tools/list")["result"]["tools"]}
    assert {tool.name for tool in TOOLS} < names
    assert {"test_simple_text", "test_error_handling", "test_missing_capability"} <= names
    named = "test_input_required_result_elicitation"
    asked = posted(furnished, "tools/call", {"name": named, "arguments": {}})["result"]
    assert asked["resultType"] == "input_required"
    answers = {key: {"action": "accept", "content": {}} for key in asked["inputRequests"]}
    params = {"name": named, "arguments": {}, "inputResponses": answers}
    assert posted(furnished, "tools/call", params)["result"]["resultType"] == "complete"
    prompts = posted(furnished, "prompts/list")["result"]["prompts"]
    assert {"name": "arg1", "description": "arg1", "required": True} in next(
        each["arguments"] for each in prompts if each["name"] == "test_prompt_with_arguments"
    )


def test_a_state_that_the_server_did_not_write_is_refused(furnished):
    named = "test_input_required_result_tampered_state"
    asked = posted(furnished, "tools/call", {"name": named, "arguments": {}})["result"]
    answers = {key: {"action": "accept", "content": {}} for key in asked["inputRequests"]}
    params = {"name": named, "arguments": {}, "inputResponses": answers}
    forged = {**params, "requestState": asked["requestState"][:-1] + "x"}
    assert posted(furnished, "tools/call", forged)["error"]["code"] == -32602
    params["requestState"] = asked["requestState"]
    assert posted(furnished, "tools/call", params)["result"]["resultType"] == "complete"


def test_requests_are_counted_by_the_server_and_a_fault_is_planted_in_it():
    with serving(PEER, "--fault", "no-health") as served:
        assert httpx2.get(f"{served.url}/health").status_code == 404
        assert json.loads(httpx2.get(f"{served.url}/tools").text)["tools"]
    assert served.answered == 2
