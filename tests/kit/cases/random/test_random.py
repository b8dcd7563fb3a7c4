"""The random phase: what is drawn from a schema, and that it is the same for the same seed."""

import json
import os
import re
import subprocess
import sys
from math import prod

import hypothesis
import pytest
from jsonschema import Draft202012Validator

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.baseline import candidates
from conformance.kit.cases.plan import Plan, plan
from conformance.kit.cases.random.drawable import normalised
from conformance.kit.cases.random.plan import with_chance
from conformance.kit.model.case import CaseKind
from conformance.kit.schema.string_formats import FORMATS, SOMEDAY
from conformance.kit.schema.view import view_of
from conformance.spec.format_checker import format_checker
from conformance.spec.pointer import to_pointer
from fixtures.servers.tools import TOOLS
from tests.kit.samples import HTTP
from tests.kit.sessions import ROOT

TREE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "inside": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
    },
    "required": ["name"],
}
SCHEMAS = {
    "tuple": {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False,
              "type": "array", "minItems": 2},
    "counted": {"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 5},
                "minContains": 2, "minItems": 2},
    "unevaluated": {"allOf": [{"properties": {"a": {"type": "string"}}}], "type": "object",
                    "properties": {"b": {"type": "integer"}}, "unevaluatedProperties": False},
    "tree": {"$ref": "#/$defs/tree"},
    "letters": {"type": "string", "pattern": r"^[A-Z]{3}-\d{2}$"},
    "either": {"oneOf": [{"type": "integer", "minimum": 3}, {"type": "string", "maxLength": 4}]},
    "chosen": {"if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["more"]},
               "type": "object", "properties": {"kind": {"enum": ["a", "b"]},
                                                "more": {"type": "integer"}},
               "required": ["kind"]},
    "negated": {"type": "integer", "not": {"multipleOf": 3}},
    "table": {"type": "object", "additionalProperties": {"type": "boolean"}},
    **{f"format_{name}": {"type": "string", "format": name} for name in FORMATS},
}  # fmt: skip
"""One parameter each, alone in its tool: what the library draws wrongly, or not at all."""


def tool_of(schema):
    return Tool("t", schema, ToolForm.CATALOG, {})


def drawn(schema, *, seed=0, count=25):
    tool = tool_of(schema)
    baseline = candidates(tool, (), SOMEDAY)[0]
    return with_chance(Plan(()), tool, HTTP, baseline, seed=seed, count=count)


def one(name, schema, **more):
    return drawn(
        {
            "type": "object",
            "properties": {name: schema},
            "required": [name],
            "$defs": {"tree": TREE},
            **more,
        }
    )


def values(made, name):
    return [c.arguments[name] for c in made.cases if c.kind is CaseKind.VALID]


def leaves(value):
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_drawn_is_valid_or_broken_at_its_place_as_the_validator_says(name):
    made = one("p", SCHEMAS[name])
    schema = {"type": "object", "properties": {"p": SCHEMAS[name]}, "required": ["p"],
              "$defs": {"tree": TREE}}  # fmt: skip
    judge = Draft202012Validator(schema, format_checker=format_checker(Draft202012Validator))
    assert {case.kind for case in made.cases} == {CaseKind.VALID, CaseKind.BROKEN}
    for case in made.cases:
        assert judge.is_valid(case.arguments) is (case.kind is CaseKind.VALID), case
        if case.kind is CaseKind.BROKEN:
            path = next(iter(judge.iter_errors(case.arguments))).absolute_path
            assert case.violation.pointer.startswith(to_pointer(tuple(path)))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_tools_of_the_reference_yield_all_that_is_asked_for(tool):
    made = tool_of(tool.input_schema)
    cases = with_chance(Plan(()), made, HTTP, tool.example, seed=0, count=25).cases
    members = tool.input_schema["properties"].values()
    there_are = prod(len(member.get("enum", range(100))) for member in members)
    assert sum(case.kind is CaseKind.VALID for case in cases) >= min(21, there_are - 1)
    assert sum(case.kind is CaseKind.BROKEN for case in cases) >= 5


@pytest.mark.parametrize("pattern", [r"^[^@\s]+@[^@\s]+$", r"^\S{3,9}$", r"^\D+$", r"^\W+$"])
@pytest.mark.parametrize("optional", [False, True])
def test_what_is_drawn_for_a_pattern_is_found_by_it_in_every_dialect(pattern, optional):
    text = {"type": "string", "pattern": pattern}
    schema = {"type": "object", "properties": {"x": text}, "required": ["x"]}
    if optional:
        schema["properties"]["x"] = {"anyOf": [text, {"type": "null"}]}
    cases = drawn(schema, count=100).cases
    sent = {c.arguments["x"] for c in cases if c.kind is CaseKind.VALID and c.arguments["x"]}
    assert len(sent) > 20
    assert not [each for each in sent if not re.search(pattern, each)]


def test_nothing_that_another_branch_reads_leniently_is_drawn_to_be_refused():
    branches = [{"type": "integer"}, {"type": "string"}, {"type": "boolean"}]
    for some in (branches[:2], branches[1::-1], [branches[2], {"type": "integer", "minimum": 2}]):
        sent = [c.arguments["p"] for c in one("p", {"anyOf": some}, count=200).cases
                if c.kind is CaseKind.BROKEN]  # fmt: skip
        assert len(sent) > 10
        assert not [each for each in sent if isinstance(each, bool) or each in (0, 1)]


def test_without_bounds_numbers_texts_and_arrays_stay_small():
    made = one("p", {"type": "array", "items": {"type": ["number", "string"]}})
    found = [each for value in values(made, "p") for each in leaves(value)]
    assert max(map(len, values(made, "p"))) == 3
    assert all(abs(each) <= 100 for each in found if isinstance(each, int | float))
    assert max(len(each) for each in found if isinstance(each, str)) in range(16, 33)


def test_lengths_are_spread_over_what_is_allowed():
    lengths = sorted(len(v) for v in values(one("p", {"type": "string", "maxLength": 400}), "p"))
    assert any(each > 300 for each in lengths) and any(100 < each < 300 for each in lengths)


def test_references_that_never_end_are_followed_three_levels_deep():
    def depth(value):
        return 1 + max((depth(each) for each in value.get("inside", ())), default=0)

    assert max(map(depth, values(one("p", SCHEMAS["tree"]), "p"))) == 3


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string", "pattern": r"^\p{Lu}+$"}, "pattern at / in p"),
        ({"type": "string", "format": "unheard-of"}, "format unheard-of at / in p"),
        (SCHEMAS["counted"], "minContains at / in p"),
        ({"description": "Anything."}, "a schema without a type at / in p"),
        (
            {
                "type": "object",
                "properties": {
                    "q": {
                        "type": "object",
                        "properties": {"r": {"type": "null"}},
                        "unevaluatedProperties": False,
                    }
                },
            },
            "unevaluatedProperties at /properties/q in p",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_rewritten_is_named(schema, said):
    assert said in drawn({"type": "object", "properties": {"p": schema}}).skipped


def test_of_an_endless_enum_some_are_drawn_from_its_whole_length():
    choices = [str(n) for n in range(20_000)]
    view = view_of({"properties": {"p": {"enum": choices}}})
    kept = normalised(view, view.root).schema["properties"]["p"]["enum"]
    assert len(kept) == 200
    assert {len(choice) for choice in kept} >= {1, 5}
    assert set(kept) <= set(choices)
    assert values(one("p", {"enum": choices}), "p")


def test_of_a_thousand_parameters_some_are_drawn_anew_and_the_others_named_as_left_out():
    names = [f"p{n}" for n in range(1000)]
    made = drawn({"type": "object", "properties": {name: {"type": "string"} for name in names}})
    assert made.skipped == ("950 of 1000 parameters",)
    called = {name for case in made.cases for name in case.arguments}
    assert {name for name in called if int(name[1:]) % 20} == set()
    assert len(called) > 25


TOO_LARGE = "a call of more than 2000 values"


@pytest.mark.parametrize("more", [{}, {"contains": {"minimum": 5}}])
def test_what_cannot_be_drawn_keeps_the_other_parameters_from_nothing(more):
    endless = {"type": "array", "items": {"type": "integer"}, "minItems": 100_000, **more}
    properties = {"p": endless, "q": {"type": "integer", "minimum": 1, "maximum": 90}}
    made = drawn({"type": "object", "properties": properties, "required": ["q"]})
    assert len(set(values(made, "q"))) > 5
    assert made.skipped[0].endswith(" in p") if more else made.skipped == (f"{TOO_LARGE} in p",)


NEVER = {
    "email": ({"type": "string", "format": "email", "maxLength": 12}, "format, maxLength"),
    "date": ({"type": "string", "minLength": 30, "format": "date"}, "minLength, format"),
    "uri": ({"type": "string", "format": "uri", "minLength": 200}, "format, minLength"),
    "three booleans": (
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3},
        "items, uniqueItems, minItems",
    ),
}


@pytest.mark.parametrize("name", NEVER)
def test_what_never_comes_up_is_named_and_costs_the_other_parameters_nothing(name):
    schema, said = NEVER[name]
    others = {f"q{n}": {"type": "integer", "minimum": 0, "maximum": 9} for n in range(2)}
    never = {"type": "object", "properties": {"p": schema, **others}, "required": ["q0"]}
    without = {"type": "object", "properties": others, "required": ["q0"]}
    made = drawn(never, count=50)
    assert made.skipped == (f"{said} at / in p",)
    assert values(made, "q0") == values(drawn(without, count=50), "q0")


def test_what_comes_up_seldom_is_drawn():
    made = one("p", {"type": "string", "format": "email", "maxLength": 16})
    assert made.skipped == () and len(set(values(made, "p"))) > 1


def test_each_of_several_types_is_drawn_with_what_is_said_of_it():
    made = one("p", {
        "type": ["object", "array", "string", "number", "null"],
        "properties": {"a": {"type": "boolean"}}, "required": ["a"], "additionalProperties": False,
        "items": {"type": "integer"}, "minItems": 1, "maxLength": 5, "minimum": 7,
    })  # fmt: skip
    assert {type(value) for value in values(made, "p")} >= {dict, list, str, float, type(None)}
    assert made.dropped == 0


def test_numbers_of_a_wide_range_are_drawn_near_zero_and_far_from_it():
    for kind, size in (("integer", 2**53), ("number", 1e15)):
        made = one("p", {"type": kind, "minimum": -size, "maximum": size})
        far = sorted(abs(value) for value in values(made, "p"))
        assert far[0] < 10_000 and far[-1] > size / 100, kind


def test_a_range_without_a_whole_number_and_one_of_a_few_steps_are_drawn_from():
    assert len(set(values(one("p", {"type": "number", "minimum": 0.2, "maximum": 0.8}), "p"))) > 10
    steps = {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "multipleOf": 0.25}
    assert {0.25, *values(one("p", steps), "p")} == {0.25, 0.5, 0.75, 1}


def test_members_that_ask_for_others_by_name_get_them():
    made = one("p", {
        "type": "object", "additionalProperties": False, "dependentRequired": {"a": ["b"]},
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    })  # fmt: skip
    assert {tuple(sorted(value)) for value in values(made, "p")} - {()} == {("b",), ("a", "b")}
    assert made.dropped == 0


def test_none_are_drawn_where_none_are_asked_for():
    assert drawn({"type": "object", "properties": {"p": {"type": "string"}}}, count=0) == Plan(())


def test_no_case_is_one_that_a_named_scenario_sends():
    tool = tool_of(TOOLS[0].input_schema)
    named = plan(tool, HTTP, TOOLS[0].example)
    made = with_chance(named, tool, HTTP, TOOLS[0].example, seed=0, count=50)
    sent = [json.dumps(case.arguments, sort_keys=True) for case in made.cases]
    assert len(set(sent)) == len(sent) > len(named.cases)
    assert len({case.id for case in made.cases}) == len(made.cases)


def test_another_seed_draws_other_cases():
    schema = TOOLS[0].input_schema
    ids = [{case.id for case in drawn(schema, seed=seed).cases} for seed in (0, 1)]
    assert len(ids[0] & ids[1]) < len(ids[0]) / 2


ELSEWHERE = """
import json, sys
from fixtures.servers.tools import TOOLS
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.plan import Plan
from conformance.kit.cases.random.drawable import normalised
from conformance.kit.cases.random.plan import with_chance
from conformance.kit.schema.view import view_of
from tests.kit.samples import HTTP
for one in TOOLS:
    tool = Tool(one.name, one.input_schema, ToolForm.CATALOG, {})
    made = with_chance(Plan(()), tool, HTTP, one.example, seed=7, count=10)
    print(json.dumps([[case.id.text, case.arguments] for case in made.cases]))
"""


@pytest.mark.slow
def test_the_same_seed_draws_the_same_in_every_process_and_leaves_no_file(tmp_path):
    said = set()
    for hashing, other in (
        ("1", ""),
        ("2", "import conformance.kit.plugin.hooks, scripts.bench\n"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", other + ELSEWHERE],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": hashing, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        said.add(done.stdout)
    assert len(said) == 1 and len(said.pop()) > 1000
    assert list(tmp_path.iterdir()) == []


def test_the_library_draws_from_every_kind_of_schema_with_the_hypothesis_that_is_installed():
    """A canary: from 6.170.10 on hypothesis-jsonschema broke, and the pin keeps below that."""
    for schema in (
        {"type": ["object", "array"], "patternProperties": {"^a": {"type": "null"}}},
        {"allOf": [{"type": "integer"}, {"minimum": 5}]},
        {"type": ["string", "integer"], "not": {"type": "string"}},
        {"type": "string", "pattern": "^a+$", "minLength": 3},
        {"type": "object", "dependentSchemas": {"a": {"required": ["b"]}},
         "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
    ):  # fmt: skip
        made = drawn({"type": "object", "properties": {"p": schema}})
        assert [c for c in made.cases if c.kind is CaseKind.VALID and "p" in c.arguments]
        assert made.skipped == (), hypothesis.__version__
