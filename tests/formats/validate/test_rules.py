import time
import unicodedata

import pytest

from conformance.formats.schema.blank import is_blank
from conformance.formats.validate.rules import semantic_problems
from conformance.formats.validate.validate import validate
from conformance.spec.published import validator


def tool(schema=None, **more):
    return {
        "name": "t",
        "description": "d",
        "inputSchema": {"type": "object", **(schema or {})},
        **more,
    }


def descriptor(*inputs, **more):
    return {
        "tool_id": "t",
        "description": "d",
        "when_to_use": "w",
        "how_to_use": {
            "inputs": list(inputs),
            "outputs": {"success": "s", "failure": []},
            **more,
        },
    }


def broken(data, clause=None):
    found = [(each.path, each.clause) for each in validate(data)]
    return [path for path, own in found if own == clause] if clause else found


TEXT = {"type": "string", "description": "d"}


def test_two_tools_with_one_name_are_found_across_both_forms():
    catalog = {"tools": [tool(), descriptor(), {**descriptor(), "tool_id": "other"}]}
    assert broken(catalog) == [("$.tools[1].tool_id", "ATDF-CAT-002")]


def test_an_input_schema_that_is_invalid_is_reported_inside_it():
    schema = {"properties": {"a": {"type": "strng", "description": "d"}}}
    assert broken(tool(schema)) == [("$.inputSchema.properties.a.type", "ATDF-TOOL-004")]


def test_outputs_are_judged_as_a_schema_where_they_are_one():
    outputs = {"type": "object", "properties": {"a": {"minimum": "x"}}}
    assert broken(tool(outputs=outputs)) == [("$.outputs.properties.a.minimum", "ATDF-TOOL-004")]


def test_outputs_in_words_are_no_schema():
    assert broken(tool(outputs={"success": "s", "failure": []})) == []


def test_a_schema_of_an_older_dialect_is_judged_by_that_dialect():
    draft7 = "http://json-schema.org/draft-07/schema#"
    schema = {"$schema": draft7, "properties": {"a": {**TEXT, "items": [{"type": "string"}]}}}
    assert broken(tool(schema)) == []
    assert broken(tool({**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"}))


def test_a_dialect_that_nobody_knows_is_reported():
    assert broken(tool({"$schema": "urn:mine"})) == [("$.inputSchema.$schema", "ATDF-TOOL-004")]


@pytest.mark.parametrize(
    "reference", ["#/$defs/none", "https://example.com/schema.json", "other.json", "http://["]
)
def test_a_reference_that_leads_nowhere_or_out_is_reported(reference):
    schema = {"properties": {"a": {"$ref": reference, "description": "d"}}}
    assert broken(tool(schema)) == [("$.inputSchema.properties.a.$ref", "ATDF-TOOL-005")]


def test_references_within_the_document_resolve_by_pointer_anchor_and_id():
    schema = {
        "$defs": {
            "a": TEXT,
            "b": {"$anchor": "here", **TEXT},
            "c": {"$id": "https://example.com/c", "$defs": {"d": TEXT}, "$ref": "#/$defs/d"},
        },
        "properties": {
            "p": {"$ref": "#/$defs/a", "description": "d"},
            "q": {"$ref": "#here", "description": "d"},
            "r": {"$ref": "https://example.com/c#/$defs/d", "description": "d"},
        },
    }
    assert broken(tool(schema)) == []


def test_an_example_that_the_input_schema_refuses_is_reported_where_it_is_wrong():
    schema = {"properties": {"n": {"type": "integer", "maximum": 4, "description": "d"}}}
    data = tool(schema, examples=[{"name": "e", "input": {"n": 5}}])
    assert broken(data) == [("$.examples[0].input.n", "ATDF-TOOL-006")]


@pytest.mark.parametrize(("member", "name"), [("input_values", "goal"), ("inputs", "title")])
def test_an_example_under_another_name_is_judged_too(member, name):
    schema = {"properties": {"n": {"type": "integer", "description": "d"}}}
    data = tool(schema, examples=[{name: "e", member: {"n": "x"}}])
    assert broken(data) == [(f"$.examples[0].{member}.n", "ATDF-TOOL-006")]


def test_an_example_with_a_date_that_does_not_exist_is_reported():
    schema = {"properties": {"d": {"type": "string", "format": "date", "description": "d"}}}
    data = tool(schema, examples=[{"name": "e", "input": {"d": "2024-02-30"}}])
    assert broken(data, "ATDF-TOOL-006") == ["$.examples[0].input.d"]


def test_an_example_of_a_union_is_reported_in_the_branch_that_comes_nearest():
    cash = {"type": "object", "required": ["cash"]}
    card = {"properties": {"card": {"properties": {"cvc": {"type": "integer"}}}}}
    schema = {"properties": {"pay": {"oneOf": [cash, card], "description": "d"}}}
    data = tool(schema, examples=[{"name": "e", "input": {"pay": {"card": {"cvc": "x"}}}}])
    assert broken(data, "ATDF-TOOL-006") == ["$.examples[0].input.pay.card.cvc"]


def test_a_type_that_is_not_one_of_the_six_is_a_warning():
    schema = {"properties": {"a": {"type": "null", "description": "d"}}}
    assert broken(tool(schema)) == [("$.inputSchema.properties.a.type", "ATDF-TOOL-007")]


def optional(kind):
    """A parameter as pydantic writes it that may be left out."""
    return {"anyOf": [{"type": kind}, {"type": "null"}], "default": None, "description": "d"}


def test_null_next_to_a_type_is_right():
    listed = {"type": ["string", "null"], "description": "d"}
    assert broken(tool({"properties": {"a": listed, "b": optional("integer")}})) == []


def test_a_type_that_is_not_one_of_the_six_is_told_once_with_all_that_use_it():
    nothing = {"type": "null", "description": "d"}
    rows = {"type": "array", "items": nothing, "description": "d"}
    schema = {"properties": {"a": nothing, "b": nothing, "c": rows}}
    (found,) = semantic_problems("tool", tool(schema))
    assert (found.path, found.clause) == ("$.inputSchema.properties.a.type", "ATDF-TOOL-007")
    assert found.message.words("en").startswith('"null", used in "a", "b", "c", is not one of')


def test_each_type_that_is_not_one_of_the_six_is_told_by_itself():
    schema = {"properties": {"a": {"type": "null", "description": "d"}}}
    data = {"tools": [{**tool(schema), "name": name} for name in ("one", "two")]}
    assert [each.path for each in semantic_problems("catalog", data)] == [
        f"$.tools[{n}].inputSchema.properties.a.type" for n in range(2)
    ]
    inputs = [{"name": n, "type": t, "description": "d"} for n, t in ("ax", "by", "cx")]
    said = [
        each.message.words("en") for each in semantic_problems("descriptor", descriptor(*inputs))
    ]
    assert [words.split(" is not")[0] for words in said] == [
        '"x", used in "a", "c",',
        '"y", used in "b",',
    ]


def test_of_very_many_parameters_with_another_type_some_are_named():
    nothing = {"type": "null", "description": "d"}
    schema = {"properties": {f"p{n:02}": nothing for n in range(40)}}
    (found,) = semantic_problems("tool", tool(schema))
    said = found.message.words("en")
    assert '"p09", …, is not' in said
    assert '"p10"' not in said


def test_an_input_of_an_unknown_type_is_a_warning_in_a_descriptor():
    data = descriptor({"name": "a", "type": "file", "description": "d"})
    assert broken(data) == [("$.how_to_use.inputs[0].type", "ATDF-TOOL-007")]


def test_a_parameter_without_a_description_is_a_warning():
    assert broken(tool({"properties": {"a": {"type": "string"}}})) == [
        ("$.inputSchema.properties.a", "ATDF-TOOL-008")
    ]
    assert broken(descriptor({"name": "a", "type": "string"})) == [
        ("$.how_to_use.inputs[0]", "ATDF-TOOL-008")
    ]


def test_a_description_of_the_definition_that_is_referred_to_will_do():
    schema = {"$defs": {"a": TEXT}, "properties": {"p": {"$ref": "#/$defs/a"}}}
    assert broken(tool(schema)) == []


def test_a_required_name_that_is_not_declared_is_a_warning():
    data = tool({"properties": {"a": TEXT}, "required": ["a", "b"]})
    assert broken(data) == [("$.inputSchema.required[1]", "ATDF-TOOL-009")]


def test_a_branch_may_require_what_is_declared_outside_it():
    schema = {"properties": {"a": TEXT}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert broken(tool(schema)) == []


def test_a_default_that_its_own_schema_refuses_is_a_warning():
    schema = {
        "$defs": {"n": {"type": "integer"}},
        "properties": {"a": {"$ref": "#/$defs/n", "description": "d", "default": "x"}},
    }
    assert broken(tool(schema)) == [("$.inputSchema.properties.a.default", "ATDF-TOOL-009")]


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (tool(version="{version}"), "$.version"),
        ({**tool(), "description": "string"}, "$.description"),
        (tool(tags=["a", "..."]), "$.tags[1]"),
        (tool(when_to_use="string|null"), "$.when_to_use"),
        (
            tool({"properties": {"a": {"type": "string", "description": "string"}}}),
            "$.inputSchema.properties.a.description",
        ),
    ],
)
def test_a_placeholder_left_in_a_tool_is_a_warning(data, path):
    assert broken(data) == [(path, "ATDF-TOOL-012")]


def test_the_name_of_a_type_is_no_placeholder_where_it_is_a_value():
    schema = {"properties": {"kind": {**TEXT, "enum": ["string", "object"], "default": "string"}}}
    data = tool(schema, tags=["object"], examples=[{"name": "e", "input": {"kind": "string"}}])
    assert broken(data) == []


def test_two_inputs_with_one_name_are_reported():
    one = {"name": "a", "type": "string", "description": "d"}
    assert broken(descriptor(one, one)) == [("$.how_to_use.inputs[1].name", "ATDF-DESC-005")]


def test_what_inputs_cannot_hold_is_judged_where_it_is_declared():
    one = {"name": "a", "description": "d", "schema": {"$ref": "#/$defs/none"}}
    data = descriptor(one, input_schema={"allOf": [{"required": 5}]})
    assert broken(data) == [("$.how_to_use.input_schema.allOf[0].required", "ATDF-TOOL-004")]
    assert broken(descriptor(one)) == [("$.how_to_use.inputs[0].schema.$ref", "ATDF-TOOL-005")]


ERROR = {
    "type": "https://example.com/errors/validation-error",
    "title": "t",
    "detail": "d",
    "instance": "/errors/1",
    "tool_name": "t",
}


@pytest.mark.parametrize(
    ("member", "value"),
    [("title", "string"), ("detail", "..."), ("suggested_value", "string|null")],
)
def test_a_placeholder_left_in_an_error_is_a_warning(member, value):
    data = {"errors": [{**ERROR, member: value}]}
    assert broken(data) == [(f"$.errors[0].{member}", "ATDF-ERR-014")]


def test_a_suggestion_or_a_name_may_be_the_name_of_a_type():
    data = {"errors": [{**ERROR, "parameter_name": "object", "suggested_value": "string"}]}
    assert broken(data) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {
            "$defs": {
                f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 4} if i < 30 else {}
                for i in range(31)
            },
            "properties": {"a": {"$ref": "#/$defs/d0", "description": "d"}},
        },
        {"patternProperties": {"(a+)+$": {}}, "default": {"a" * 50 + "!": 1}},
    ],
    ids=["itself", "itself-in-allof", "bomb", "names"],
)
def test_a_schema_that_nobody_can_judge_is_one_problem_in_short_time(schema):
    started = time.process_time()
    found = validate(tool(schema, examples=[{"name": "e", "input": {"a": 1}}]))
    assert [each.keyword for each in found] == ["unjudgeable"]
    assert time.process_time() - started < 5


def test_an_everyday_pattern_for_names_is_judged():
    schema = {"patternProperties": {"^x-[a-z]+(-[a-z]+)*$": {"type": "integer"}}}
    data = tool(schema, examples=[{"name": "e", "input": {"x-one-two": "1"}}])
    assert broken(data) == [("$.examples[0].input.x-one-two", "ATDF-TOOL-006")]


def test_a_pattern_that_never_ends_does_not_hold_up_the_validation():
    schema = {"properties": {"a": {**TEXT, "pattern": "^(a+)+$"}}}
    started = time.process_time()
    data = tool(schema, examples=[{"name": "e", "input": {"a": "a" * 60 + "!"}}])
    assert broken(data) == []
    assert time.process_time() - started < 5


def test_a_tool_tells_at_most_ten_problems_by_one_rule():
    schema = {"properties": {f"p{i}": {"type": "string"} for i in range(500)}}
    assert len(broken(tool(schema))) == 10


@pytest.mark.parametrize("version", ["3.0.0", "1.0", "1.1.0", "latest"])
def test_a_resource_of_another_version_is_told_what_was_found_and_what_to_write(version):
    data = {"schema_version": version, "resource_id": "r", "resource_type": "custom"}
    [found] = validate({**data, "description": "d"})
    assert (found.path, found.clause) == ("$.schema_version", "ARDF-RES-002")
    assert f'"{version}" is not a known version. Write `1.0.0`' in found.message.words()


WHITE = [chr(code) for code in range(0x10000) if unicodedata.category(chr(code))[0] in "ZC"]
WHITE = [char for char in WHITE if unicodedata.bidirectional(char) in {"WS", "B", "S"}]
WHITE = [char for char in WHITE if not "\x1c" <= char <= "\x1f"] + ["\u00a0", "\u202f"]


@pytest.mark.parametrize("text", [*WHITE, " ".join(WHITE)], ids=ascii)
def test_a_text_of_white_space_alone_is_blank_everywhere(text):
    assert broken(tool() | {"description": text}) == [("$.description", "ATDF-TOOL-002")]
    assert broken(tool({"properties": {"a": {"type": "string", "description": text}}})) == [
        ("$.inputSchema.properties.a", "ATDF-TOOL-008")
    ]
    assert not validator("tool-error").is_valid({"message": "m", "cause": {"message": text}})
    assert is_blank(text)


@pytest.mark.parametrize("text", ["\x1c", "\u200b", "\ufeff", "a ", "\u3000a\n"], ids=ascii)
def test_a_text_with_anything_else_is_not(text):
    assert broken(tool() | {"description": text}) == []
    assert validator("tool-error").is_valid({"message": text})
    assert not is_blank(text)


def test_a_blank_text_is_called_so():
    [found] = validate(tool() | {"description": "\u3000"})
    assert found.message.words() == "The text has nothing but white space. Write words."


def test_a_number_as_a_version_is_told_once():
    data = {"schema_version": 1.0, "resource_id": "r", "resource_type": "custom"}
    [found] = validate({**data, "description": "d"})
    assert found.keyword == "type"


def test_a_type_that_no_schema_has_is_told_with_those_that_there_are():
    [found] = validate(tool({"properties": {"a": {"type": "int", "description": "d"}}}))
    assert '"int". Write one of `string`, `integer`' in found.message.words()


FLOW = {"steps": [{"step_id": "s", "order": 1, "resource_ref": "other"}]}


def test_what_is_missing_is_told_with_the_values_that_it_can_have():
    data = {"schema_version": "1.0.0", "resource_id": "r", "description": "d"}
    [found] = validate({**data, "resource_type": "workflow", "how_to_use": {"composition": FLOW}})
    assert found.message.words().startswith("`control_flow` is missing. Add it, with one of these")
    assert '"sequential"' in found.message.words()


@pytest.mark.parametrize(
    ("document", "data", "named"),
    [
        ("tool-result", {"name": "n", "tool_call_id": "c"}, "`result` or `error`"),
        ("content", {"format": "text/plain"}, "`template` or `data`"),
        ("localization", {"es": {}}, "`description` or `when_to_use`"),
        ("descriptor", {}, "`tool_id` or `id`"),
    ],
)
def test_a_member_is_told_with_the_one_that_would_do_as_well(document, data, named):
    described = {"description": "d", "when_to_use": "w"}
    used = {"inputs": [], "outputs": {"success": "s", "failure": []}}
    resource = {"schema_version": "1.0.0", "resource_id": "r", "resource_type": "prompt"}
    whole = {
        "content": {**resource, "description": "d", "how_to_use": {"content": data}},
        "localization": {**described, "tool_id": "t", "how_to_use": used, "localization": data},
        "descriptor": {**described, "how_to_use": used},
    }
    of = {"content": "resource", "localization": "enhanced-descriptor"}
    found = validate(whole.get(document, data), of.get(document, document))
    said = [each.message.words() for each in found if each.keyword == "required"]
    assert said == [f"{named} is missing. Add one of them."]


@pytest.mark.parametrize(
    ("document", "data", "said"),
    [
        (
            "tool-result",
            {"name": "n", "tool_call_id": "c", "error": {"message": "m"}, "result": 1},
            "`result` cannot be combined with this `error`. Remove one of the two, "
            "or change `error` if another value of it allows `result`.",
        ),
        (
            "tool-result",
            {"name": "n", "tool_call_id": "c", "error": {"message": "m"}, "bounds": {}},
            "`bounds` cannot be combined with this `error`. Remove one of the two, "
            "or change `error` if another value of it allows `bounds`.",
        ),
        (
            "descriptor",
            {"id": "t", "tool_id": "t"},
            "`tool_id` cannot be combined with this `id`. Remove one of the two, "
            "or change `id` if another value of it allows `tool_id`.",
        ),
        (
            "call-status",
            {"tool_call_id": "c", "status": "running", "tool_result": {}},
            "`tool_result` cannot be combined with this `status`. Remove one of the two, "
            "or change `status` if another value of it allows `tool_result`.",
        ),
    ],
)
def test_a_barred_member_is_told_with_the_one_that_bars_it(document, data, said):
    found = validate(data, document)
    assert [each.message.words() for each in found if each.keyword == "not"] == [said]


@pytest.mark.parametrize(
    ("total", "truncated", "said"),
    [
        (0, True, "0 is too small for these values of `returned`, `truncated`. Write 1 or more, "),
        (4, False, "4 does not fit these values of `returned`, `truncated`. Write 0, "),
    ],
)
def test_a_total_of_nothing_is_told_with_the_numbers_that_decide_it(total, truncated, said):
    bounds = {"returned": 0, "total": total, "truncated": truncated, "refinement_hint": "h"}
    result = {"name": "n", "tool_call_id": "c", "result": [], "bounds": bounds}
    for data, document in ((bounds, "bounds"), (result, "tool-result")):
        found = [each.message.words() for each in validate(data, document)]
        assert f"{said}or change one of the others." in found


def test_an_example_without_a_name_is_not_told_of_a_dialect():
    example = {"input": {}}
    found = validate({**tool({"properties": {}}), "examples": [example]})
    said = [each.message.words() for each in found if each.keyword == "required"]
    assert said == ["`name` is missing. Add it."]
