"""What a case is about is said in words, for every scenario that a planner can name."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases import deviations, members
from conformance.kit.cases import plan as named
from conformance.kit.cases.baseline import GIVEN
from conformance.kit.cases.drawn import VALID
from conformance.kit.cases.random import negate
from conformance.kit.schema.string_formats import FORMATS
from conformance.kit.verdicts.sent_words import scenario_words
from conformance.spec.messages import LANGUAGES
from fixtures.servers.tools import TOOLS
from tests.kit.samples import HTTP

MAKERS = ("Deviation", "Negation", "whole", "valid_whole", "branch")


def _named_in(module: ModuleType) -> set[str]:
    """The scenarios that a module gives to what makes cases, those that it writes whole."""
    found = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        maker = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        given = node.args[0] if maker != "branch" else node.args[1]
        if maker in MAKERS and isinstance(given, ast.Constant):
            found.add(str(given.value))
    return found


PUT_TOGETHER = {
    *(
        f"{name}-{end}"
        for name in ("enum", "const")
        for end in ("neighbour", "case", "space", "empty")
    ),
    *(f"{chance}format-{name}" for chance in ("", "random-") for name in FORMATS),
    *(f"near-miss-number-for-{name}" for name in ("date", "date-time")),
    "near-miss-date-for-date-time",
    "near-miss-date-time-for-date",
    *(f"wrong-type-{kind}" for kind, _ in deviations.WRONG_TYPE_SAMPLES),
    *("enum-value", "const", "most-items", "several-items", "branch-2", "baseline"),
    *(negate.TYPE, VALID),
}
STANDING = set().union(*map(_named_in, (deviations, members, named, negate)))


def test_the_scenarios_are_found():
    assert len(STANDING) > 50
    assert {"below-minimum", "missing", "arguments-null", "random-pattern", "filled-in"} <= STANDING


@pytest.mark.parametrize("scenario", sorted(STANDING | PUT_TOGETHER))
def test_each_scenario_has_words_in_each_language(scenario):
    words = scenario_words(scenario)
    assert words is not None
    for language in LANGUAGES:
        said = words.words(language)
        assert said
        assert scenario not in said or scenario.isalpha()
        assert "{" not in said


def test_what_the_planner_names_for_the_reference_tools_has_words():
    scenarios = set()
    for one in TOOLS:
        tool = Tool(one.name, one.input_schema, ToolForm.CATALOG, {})
        scenarios |= {case.scenario for case in named.plan(tool, HTTP, one.example).cases}
    assert len(scenarios) > 50
    assert [each for each in scenarios if scenario_words(each) is None] == []


def test_a_value_in_the_name_stands_in_the_words():
    assert scenario_words("format-date-time").words("pt") == "uma string sem o formato `date-time`"
    assert scenario_words("near-miss-yes").words("es") == "`yes` en lugar de `true` o `false`"


def test_what_is_drawn_by_chance_says_so():
    assert scenario_words("random-above-maximum").words() == (
        "a number above the maximum, drawn at random"
    )


def test_a_scenario_of_another_kit_has_none():
    assert scenario_words("of-the-future") is None


def test_an_example_of_the_schema_is_not_called_one_that_the_user_gave():
    assert scenario_words("example").words() == "an example of the schema"
    assert "--examples" in scenario_words(GIVEN).words()
