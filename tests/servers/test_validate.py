"""The reference server's validators: what the fast one accepts, the strict one accepts."""

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.phases import all_cases
from conformance.kit.model.run import Run
from conformance.spec.vocabulary import Binding
from fixtures.servers.core import validate
from fixtures.servers.tools import TOOLS

RUN = Run("http", "", Binding.HTTP, "")
ODD = ("\ud800", 10**400, float("nan"), 1e308, -0.0, 2.0, True, None, [], {}, "a\n", "１２")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_fast_validator_accepts_nothing_that_the_strict_one_refuses(monkeypatch, tool):
    planned = Tool(tool.name, tool.input_schema, ToolForm.CATALOG, raw={})
    cases = all_cases(planned, RUN, tool.example, seed=1, count=20).cases
    given = [case.arguments for case in cases]
    names = tool.input_schema["properties"]
    given += [{**tool.example, name: odd} for name in names for odd in ODD]
    fast = validate.checker(tool.input_schema)
    with monkeypatch.context() as patched:
        patched.setattr(validate, "surely_valid", lambda *_: False)
        strict = [fast(one) for one in given]
    assert [fast(one) for one in given] == strict
    assert {bool(found) for found in strict} == {True, False}
