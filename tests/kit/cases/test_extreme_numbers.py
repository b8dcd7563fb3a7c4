"""A schema with extreme numbers is planned, or refused by name; planning never raises otherwise."""

import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.baseline import candidates
from conformance.kit.cases.plan import plan
from conformance.kit.cases.planner import MOST_BYTES
from conformance.kit.cases.random.plan import with_chance
from conformance.kit.schema.unusable_schema import SchemaProblem
from tests.counting import counting
from tests.kit.samples import HTTP
from tests.thorough import every, up_to

EXTREMES = st.sampled_from(
    [1.7976931348623157e308, 1e308, 1e307, 5e-324, 1e-300, 0.01, 1e23, 0, -0.0, 1, 2**53 + 1,
     10**400, -1e308, -(10**400)]
)  # fmt: skip
NUMERIC = st.fixed_dictionaries(
    {"type": st.sampled_from(["number", "integer"])},
    optional={
        "minimum": EXTREMES,
        "maximum": EXTREMES,
        "exclusiveMinimum": EXTREMES,
        "exclusiveMaximum": EXTREMES,
        "multipleOf": EXTREMES.filter(lambda number: number > 0),
    },
)


@pytest.mark.slow
@settings(
    max_examples=up_to(100, 2000),
    deadline=None,
    suppress_health_check=[HealthCheck.nested_given],  # drawing uses the library as well
)
@given(NUMERIC)
@example({"type": "number", "maximum": 1e308, "multipleOf": 1e307})
@example({"type": "number", "minimum": 1e308, "multipleOf": 1e308})
def test_planning_ends_for_every_range(schema):
    tool = Tool("t", _inputs(schema), ToolForm.CATALOG, {})
    with suppress(SchemaProblem):  # what cannot be planned is named, and nothing else is raised
        for good in candidates(tool, (), datetime.now(UTC))[:1]:
            planned = plan(tool, HTTP, good)
            drawn = with_chance(planned, tool, HTTP, good, seed=0, count=2)
            assert len({case.id for case in drawn.cases}) == len(drawn.cases)


SIZES = st.sampled_from([0, 1, 3, 1e3, 100_000, 2_000_000, 2**31, 2**63, 1e308, 10**400])
COUNTED = st.recursive(
    st.one_of(
        NUMERIC,
        st.fixed_dictionaries(
            {"type": st.just("string")}, optional={"minLength": SIZES, "maxLength": SIZES}
        ),
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner},
            optional={"minItems": SIZES, "maxItems": SIZES, "uniqueItems": st.booleans()},
        ),
        st.fixed_dictionaries(
            {"type": st.just("object"), "additionalProperties": inner},
            optional={"minProperties": SIZES, "maxProperties": SIZES},
        ),
        st.fixed_dictionaries(
            {"prefixItems": st.just([{"type": "null"}]), "contains": inner},
            optional={"minContains": SIZES, "maxContains": SIZES},
        ),
    ),
    max_leaves=3,
)


@pytest.mark.slow
@settings(
    max_examples=up_to(25, 2000), deadline=None, suppress_health_check=[HealthCheck.nested_given]
)
@given(COUNTED)
@example({"type": "string", "minLength": 10**400})
@example({"type": "array", "items": {"type": "string", "minLength": 100_000}, "minItems": 1e3})
def test_planning_ends_for_every_size(schema):
    tool = Tool("t", _inputs(schema), ToolForm.CATALOG, {})
    found = candidates(tool, (), datetime.now(UTC))
    for good in (*found[:1], {}):
        planned = plan(tool, HTTP, good)
        drawn = with_chance(planned, tool, HTTP, good, seed=0, count=2)
        assert len({case.id for case in drawn.cases}) == len(drawn.cases)
        assert sum(len(json.dumps(case.arguments)) for case in drawn.cases) < 2 * MOST_BYTES


MOST_CALLS = 20_000_000
"""Calls of functions that planning one tool may take: some tens of seconds on a slow machine."""
VERY_MUCH = {
    "references that fan out": {
        "anyOf": [{"$ref": "#"}, {"$ref": "#/properties/x"}], "uniqueItems": True,
    },
    "items without an end": {
        "type": "array", "items": {"enum": [[], {}, 1e308]}, "minItems": 1e308,
    },
    "a thousand members": {"type": "object", "minProperties": 1000},
    "a thousand members by a pattern": {
        "type": "object", "minProperties": 1000, "patternProperties": {"^a": True},
    },
    "a thousand texts": {
        "type": "object", "minProperties": 1000,
        "additionalProperties": {"type": "string", "maxLength": 10**400},
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", every(2, [*VERY_MUCH]))
def test_planning_ends_within_its_budget(name):
    with counting(MOST_CALLS), suppress(SchemaProblem):
        for cases in planned_of(VERY_MUCH[name]):
            assert len({case.id for case in cases}) == len(cases)
            assert sum(len(json.dumps(case.arguments)) for case in cases) < 2 * MOST_BYTES


def planned_of(schema):
    """The cases of a tool whose one parameter has a schema, from its own call and from none."""
    tool = Tool("t", _inputs(schema), ToolForm.CATALOG, {})
    found = candidates(tool, (), datetime.now(UTC))
    for_each = []
    for good in (*found[:1], {}):
        planned = plan(tool, HTTP, good)
        for_each.append(with_chance(planned, tool, HTTP, good, seed=0, count=2).cases)
    return for_each


@pytest.mark.parametrize("price", [19.99, 3.51, 1234567.89])
def test_a_price_is_valid_as_it_is_written(price):
    tool = Tool("t", _inputs({"type": "number", "multipleOf": 0.01}), ToolForm.CATALOG, {})
    (first, *_) = candidates(tool, ({"x": price},), datetime.now(UTC))
    assert first == {"x": price}


def _inputs(schema):
    return {"type": "object", "properties": {"x": schema}, "required": ["x"]}
