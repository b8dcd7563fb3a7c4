"""What a schema does to the libraries below, beyond the exceptions that they promise."""

import pytest

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.formats.schema.instances import Unjudgeable, errors_of
from conformance.formats.schema.schemas import schema_faults

AGAIN = {"type": ["string", "object"], "if": {"type": "object"}, "then": {"$ref": "#/$defs/y"}}
"""Of itself, without an end: each fourth depth of the stack is one at which a part in Rust ends."""


def below(levels, work):
    """Work that is done so many levels further down the stack."""
    return below(levels - 1, work) if levels else work()


@pytest.mark.parametrize("levels", range(8))
def test_a_schema_without_an_end_is_beyond_judging_at_each_depth_of_the_stack(levels, capfd):
    schema = {"$defs": {"y": AGAIN}, "$ref": "#/$defs/y"}
    with pytest.raises(Unjudgeable):
        below(levels, lambda: errors_of(schema, {"a": 1}))
    assert capfd.readouterr().err == "", "the part in Rust writes to the terminal itself"


def test_another_interrupt_stays_what_it_is():
    with pytest.raises(KeyboardInterrupt), ends_in_recursion_error():
        raise KeyboardInterrupt


@pytest.mark.parametrize("more", [{}, {"unevaluatedProperties": False}])
@pytest.mark.parametrize("pattern", [r"\u{1F600}", r"\cA", "[[:alpha:]]"])
def test_names_by_a_pattern_that_python_reads_otherwise_are_beyond_judging(pattern, more):
    with pytest.raises(Unjudgeable):
        errors_of({"patternProperties": {pattern: {}}, **more}, {"a": 1})


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"$id": "http://[::1", "type": "object"}, ("$id",)),
        ({"properties": {"a": {"$id": "http://["}}}, ("properties", "a", "$id")),
    ],
)
def test_an_id_that_is_no_uri_is_told_with_its_value_and_its_place(schema, place):
    (fault,) = schema_faults(schema)
    assert fault.place == place
    assert '`$id` cannot be "http://[' in fault.message.words()


DRAFT_4 = "http://json-schema.org/draft-04/schema#"


@pytest.mark.parametrize(
    ("inner", "keyword"),
    [
        ({"$schema": DRAFT_4, "oneOf": [False, {}]}, "$schema"),
        ({"$schema": DRAFT_4, "id": 7}, "$schema"),
        ({"$id": "http://x/y", "dependencies": {"a": {"$id": "http://["}}}, "$id"),
    ],
)
def test_what_another_dialect_forbids_within_a_schema_is_a_fault_of_this_tool(inner, keyword):
    schema = {"type": "object", "properties": {"n": inner}}
    assert [each.place[-1] for each in schema_faults(schema)] == [keyword]
    good = {"name": "good", "inputSchema": {"type": "object"}}
    found = tools_of({"tools": [{"name": "odd", "inputSchema": schema}, good]}, Source.MCP)
    assert [tool.name for tool in found.tools] == ["good"]
