"""What a call record compares: values as JSON means them."""

import pytest

from conformance.formats.validate.validate import validate

TOOL = {
    "id": "a.b.c", "service": "a", "toolset": "b", "description": "Does c.",
    "payload": {"schema": {"type": "object"}},
}  # fmt: skip
OWN = {"name": "a.b.c", "tool_call_id": "1"}
KIND = {"kind": "k", "schema": {"type": "object"}}


def broken(**record):
    return {each.clause for each in validate({"arguments": {}, **record}, "call-record")}


@pytest.mark.parametrize(
    ("prior", "differs"), [(True, False), (1, True), ([True], True), (1.0, True)]
)
def test_the_prior_input_is_compared_with_what_was_sent(prior, differs):
    hint = {"reason": "invalid_arguments", "tool": "a.b.c", "prior_input": {"f": prior}}
    failed = {**OWN, "error": {"message": "m"}, "retry_hint": hint}
    found = broken(tool=TOOL, arguments={"f": True}, tool_result=failed)
    assert ("RT-HINT-006" in found) is differs


@pytest.mark.parametrize(("got", "obeyed"), [(1, True), (1.0, True), (True, False), ("1", False)])
def test_an_injected_field_is_obeyed_if_the_tool_received_that_value(got, obeyed):
    tool = {**TOOL, "injected": ["user"]}
    sent = {"arguments": {"user": 1}, "received": {"user": got}}
    assert ("RT-INJ-002" in broken(tool=tool, tool_result={**OWN, "result": {}}, **sent)) is obeyed


def served(result, *data):
    entries = [{"kind": "k", "data": each, "source_tool": "a.b.c"} for each in data]
    return {
        "tool": {**TOOL, "server_data": [KIND]},
        "tool_result": {**OWN, "result": result, "server_data": entries},
    }


@pytest.mark.parametrize(
    ("result", "is_shown"),
    [
        ([{"a": 1}], True),
        ([{"a": True}], False),
        ({"x": [[{"a": 1.0}]]}, True),
        ([{"a": 1, "b": 2}], False),
    ],
)
def test_server_data_are_found_wherever_the_model_is_shown_them(result, is_shown):
    assert ("RT-SD-008" in broken(**served(result, {"a": 1}))) is is_shown


@pytest.mark.parametrize(
    ("asked", "by"),
    [
        ({"server_data": "off"}, "server_data"),
        ({}, "server_data_default"),
        ({"server_data": "on"}, None),
    ],
)
def test_server_data_that_are_off_are_found_with_what_switches_them_off(asked, by):
    record = served({}, 1)
    tool = {**record["tool"], "server_data_default": "off"}
    found = validate({**record, "tool": tool, "arguments": asked}, "call-record")
    said = [each.message.words("en") for each in found if each.clause == "RT-SD-006"]
    sentence = f'The server data "k" was sent although `{by}` is `off`. Leave it out.'
    assert said == ([sentence] if by else [])
