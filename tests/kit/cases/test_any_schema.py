"""Whatever a tool's input schema is, planning never raises, and ends in so many calls."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.validate.validate import validate
from conformance.kit.cases.baseline import candidates, from_refusal, problem_of
from conformance.kit.cases.phases import all_cases
from conformance.kit.cases.planner import MOST_BYTES
from tests.counting import counting
from tests.kit.cases.any_schema import input_schemas
from tests.kit.samples import HTTP, STDIO
from tests.thorough import FULL, up_to

MOST_CALLS = 20_000_000
"""Calls of functions that planning one tool may take: some seconds, and ten on a slow machine."""
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.timeout(3600 if FULL else 240)
@settings(max_examples=up_to(25, 5000), deadline=None, suppress_health_check=list(HealthCheck))
@given(input_schemas())
def test_planning_ends_within_its_budget_for_every_schema(schema):
    with counting(MOST_CALLS):
        for tool in tools_from(schema):
            planned_of(tool)


def tools_from(schema):
    """The tool of a schema as discovery finds it, if it can be used; what is wrong is said."""
    item = {"name": "t", "description": "d", "inputSchema": schema}
    catalog = {"tools": [item]}
    list(validate(catalog, "catalog"))
    return tools_of(catalog, Source.MCP).tools


def planned_of(tool):
    """All calls of a tool, from each call of its own and from none."""
    assert tool.input_schema["type"] == "object"
    problem_of(tool)
    for run in (HTTP, STDIO):
        for good in (*candidates(tool, (), NOW)[:2], {}):
            planned = all_cases(tool, run, good, seed=0, count=2)
            assert len({case.id for case in planned.calls}) == len(planned.calls)
            assert sum(len(json.dumps(case.arguments)) for case in planned.cases) < 2 * MOST_BYTES
            from_refusal(tool, good, "x must be one of `1`, `b` or YYYY-MM-DD, not a")
