"""Simpler calls: what is tried in their place, and that the smallest that fails comes out."""

from dataclasses import replace

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.drawn import Drawn, case_of, drawn_of, smaller
from conformance.kit.cases.plan import Plan
from conformance.kit.cases.random.plan import with_chance
from conformance.kit.cases.shrink import smaller_calls
from conformance.kit.model.case import CaseKind, Strictness
from conformance.kit.model.case_id import CaseId
from fixtures.servers.tools import TOOLS
from tests.kit.samples import HTTP

ID = CaseId("http", "book", "i")
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 60},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "days": {"type": "array", "items": {"type": "string", "format": "date"}, "minItems": 1},
    },
    "required": ["name"],
}
TOOL = Tool("book", SCHEMA, ToolForm.CATALOG, {})


def smallest(arguments, fails, *, known=None, needed=(), broken=None, bound=False):
    """What is left when every simpler call that fails was taken; and what was tried."""
    tried, best = [], arguments
    steps = smaller_calls(arguments, known or {}, needed, broken, bound=bound)
    candidate = next(steps, None)
    while candidate is not None:
        tried.append(candidate)
        best = candidate if fails(candidate) else best
        try:
            candidate = steps.send(fails(candidate))
        except StopIteration as done:
            return done.value, tried
    return best, tried


def test_what_is_not_needed_is_left_out():
    call = {"a": 1, "b": "x", "c": [1], "d": True, "e": None}
    assert smallest(call, lambda c: "d" in c)[0] == {"d": True}


def test_two_that_fail_only_together_stay_together():
    call = dict.fromkeys("abcdefgh", True)
    assert set(smallest(call, lambda c: {"b", "g"} <= set(c))[0]) == {"b", "g"}


def test_what_is_needed_gets_the_value_of_the_good_call_and_stands_last():
    found, _ = smallest(
        {"who": "zzz", "n": 7}, lambda c: c.get("n", 0) > 4, known={"who": "Ada"}, needed={"who"}
    )
    assert list(found.items()) == [("n", 5), ("who", "Ada")]


@pytest.mark.parametrize(
    ("value", "fails", "least"),
    [
        (4100, lambda v: v >= 3200, 3200),
        (-77, lambda v: v <= -13, -13),
        (3.75, lambda v: v > 1, 2),
        (0.5, lambda v: 0 < v < 1, 0.5),
        ("abcאdef", lambda v: "א" in v, "א"),
        ("x" * 70, lambda v: 40 <= len(v) < 80, "a" * 40),
        ([4, 1, 9, 2, 9], lambda v: {1, 2} <= set(v), [1, 2]),
        ([[1, 2], [3, 4]], lambda v: any(4 in each for each in v), [[4]]),
        ({"a": {"b": 5, "c": 1}, "d": 1}, lambda v: v.get("a", {}).get("b", 0) > 2,
         {"a": {"b": 3}}),
        (True, lambda v: v is True, True),
        (None, lambda v: v is None, None),
    ],
)  # fmt: skip
def test_a_value_becomes_as_small_as_it_can_and_still_fail(value, fails, least):
    found, _ = smallest({"p": value}, lambda c: "p" in c and fails(c["p"]))
    assert found == {"p": least}


def test_where_nothing_simpler_fails_the_call_stays_as_it_is():
    call = {"a": "text", "b": [1, {"c": 2.5}]}
    assert smallest(call, lambda c: c == call)[0] == call


def test_the_search_ends_soon_whatever_is_said():
    call = {"text": "x" * 500, "number": 10**6, "items": list(range(30))}
    for answer in (True, False):
        _, tried = smallest(call, lambda _, answer=answer: answer)
        assert len(tried) < 250


def test_what_is_broken_on_purpose_stays_and_what_is_around_it_goes():
    call = {"a": 1, "deep": {"bad": "kq", "b": 2, "list": [1]}}
    found, tried = smallest(call, lambda _: True, broken=("deep", "bad"))
    assert found == {"deep": {"bad": "kq"}}
    assert all(one["deep"]["bad"] == "kq" for one in tried)


def test_in_an_array_the_broken_item_keeps_its_place():
    call = {"list": [{"a": 1}, {"a": "kq", "b": 2}]}
    found, _ = smallest(call, lambda _: True, broken=("list", 1, "a"))
    assert found == {"list": [{"a": 1}, {"a": "kq"}]}


def test_a_value_beyond_a_bound_comes_nearer_to_it():
    call = {"n": 900}
    found, _ = smallest(call, lambda c: c["n"] > 41, broken=("n",), bound=True)
    assert found == {"n": 42}
    call = {"list": [1, {"n": 900}]}
    found, _ = smallest(call, lambda c: c["list"][1]["n"] > 41, broken=("list", 1, "n"), bound=True)
    assert found == {"list": [1, {"n": 42}]}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_drawn_case_is_made_again_of_what_is_known_of_it(tool):
    own = Tool(tool.name, tool.input_schema, ToolForm.CATALOG, {})
    cases = with_chance(Plan(()), own, HTTP, tool.example, seed=3, count=10).cases
    assert {case.kind for case in cases} == {CaseKind.VALID, CaseKind.BROKEN}
    for case in cases:
        assert case_of(drawn_of(case), own, HTTP) == case


@pytest.mark.parametrize(
    "drawn",
    [
        Drawn(ID, "random-valid", {"name": "x"}),
        Drawn(ID, "random-valid", {"name": "xx", "count": 12}),
        Drawn(ID, "random-too-short", {"name": "xx"}, "/name", "xxx"),
        Drawn(ID, "random-too-short", {"name": "x", "count": 0}, "/name", "xxx"),
        Drawn(ID, "random-type", {"name": "xx", "days": []}, "/days/0", "2027-01-01"),
        Drawn(ID, "random-type", {"name": "xx"}, "/gone/deeper", 1),
    ],
    ids=["broken", "broken-elsewhere", "valid", "twice-broken", "no-item", "no-place"],
)
def test_what_is_neither_valid_nor_broken_at_its_place_alone_is_no_case(drawn):
    assert case_of(drawn, TOOL, HTTP) is None


def test_a_missing_parameter_is_blamed_where_it_is_missing():
    case = case_of(Drawn(ID, "random-missing", {"count": 3}, "/name", "Ada", True), TOOL, HTTP)
    assert (case.violation.parameter, case.violation.sent_absent) == ("name", True)
    assert (case.strictness, case.repairable) == (Strictness.STRICT, False)


def test_a_smaller_call_has_an_id_of_its_own_beneath_that_of_the_first():
    first = Drawn(
        CaseId("r", "book", "random-valid", "1"), "random-valid", {"name": "Ada", "count": 3}
    )
    ids = {smaller(first, arguments).id.text for arguments in ({"name": "Ada"}, {"name": "aa"})}
    assert len(ids) == 2
    assert all(id.startswith(f"{first.id}/smallest-") for id in ids)
    assert smaller(first, {"name": "Ada"}) == replace(
        first, id=smaller(first, {"name": "Ada"}).id, arguments={"name": "Ada"}
    )
