"""The blueprint for Make: the rules that Make publishes for blueprints, and what its calls do.

Make publishes no schema. The rules are those of `scripts/validate.mjs` in its repository
`integromat/make-blueprints`, as far as they are about the modules that are here.
"""

from __future__ import annotations

import json
import re

import httpx2
import pytest

from fixtures.guides.steps import HERE

BLUEPRINT = json.loads((HERE / "make" / "blueprint.json").read_text("utf-8"))
BASE = "https://hotel.example.com"
_GIVEN = re.compile(r"1\.(\w+)")
_SUGGESTED = re.compile(
    r'ifempty\(first\(map\(2\.data\.errors; "suggested_value"; "parameter_name"; "(\w+)"\)\); '
    r"1\.(\w+)\)"
)
_NUMBER = re.compile(r"parseNumber\((.*)\)")
_TEXT = re.compile(r"(\d+)\.json")


def modules(flow=BLUEPRINT["flow"]):
    for module in flow:
        yield module
        for route in module.get("routes", ()):
            yield from modules(route["flow"])


BY_ID = {module["id"]: module for module in modules()}


def test_the_blueprint_has_what_an_import_needs():
    assert set(BLUEPRINT) <= {"name", "description", "flow", "metadata"}
    assert 1 <= len(BLUEPRINT["name"]) <= 120
    assert BLUEPRINT["metadata"]["version"] == 1
    assert isinstance(BLUEPRINT["metadata"]["scenario"], dict)
    assert BLUEPRINT["metadata"]["designer"] == {"orphans": []}
    assert "filter" not in BLUEPRINT["flow"][0]


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: str(module["id"]))
def test_a_module_has_a_name_a_version_and_a_place_and_nothing_of_an_account(module):
    assert re.fullmatch(r"[a-z][a-z0-9-]*:[A-Za-z0-9]+", module["module"])
    assert module["version"] >= 1
    assert set(module["metadata"]) == {"designer"}
    assert set(module["metadata"]["designer"]) == {"x", "y"}
    assert set(module.get("parameters", {})) <= {"authenticationType", "space"}


def test_each_id_is_there_once_and_each_reference_names_a_module():
    assert len(BY_ID) == len(list(modules()))
    named = re.findall(r"[{(; ](\d+)\.\w", json.dumps(BLUEPRINT))
    texts = {module["id"] for module in modules() if module["module"] == "json:TransformToJSON"}
    assert set(map(int, named)) == {1, 2} | texts


def test_a_router_has_routes_and_the_filters_are_on_their_first_modules():
    [router] = [module for module in modules() if module["module"] == "builtin:BasicRouter"]
    assert router["mapper"] is None
    assert "filter" not in router
    for route in router["routes"]:
        [[condition]] = route["flow"][0]["filter"]["conditions"]
        assert condition["o"] in {"number:less", "number:greaterorequal"}


def evaluated(formula, given, suggested):
    """What a formula of the blueprint gives, as Make documents its functions."""
    if found := _NUMBER.fullmatch(formula):
        number = evaluated(found[1], given, suggested)
        assert re.fullmatch(r"-?\d+(\.\d+)?", number), f"not a number: {number}"
        return number
    if found := _SUGGESTED.fullmatch(formula):
        assert found[1] == found[2]
        return suggested.get(found[1]) or given[found[1]]
    if found := _TEXT.fullmatch(formula):
        text = BY_ID[int(found[1])]["mapper"]["object"]
        return json.dumps(evaluated(text.removeprefix("{{").removesuffix("}}"), given, suggested))
    return given[_GIVEN.fullmatch(formula)[1]]


def body(module, given, suggested=()):
    """The text of a call, with its formulas filled in."""
    written = module["mapper"]["jsonStringBodyContent"]
    known = dict(suggested)
    return re.sub(r"\{\{(.*?)\}\}", lambda found: evaluated(found[1], given, known), written)


def called(server, module, *values):
    """Make the call of a module of HTTP."""
    mapper = module["mapper"]
    assert (mapper["method"], mapper["contentType"]) == ("post", "json")
    return httpx2.post(mapper["url"].replace(BASE, server), json=json.loads(body(module, *values)))


def given_by_the_blueprint():
    return {each["name"]: each["value"] for each in BY_ID[1]["mapper"]["variables"]}


@pytest.mark.parametrize("left", [None, "room_type", "guests"])
def test_the_second_call_repairs_the_first(server, left):
    given = given_by_the_blueprint()
    if left:
        given[left] = {"room_type": "suite", "guests": "2"}[left]
    refused = called(server, BY_ID[2], given)
    assert refused.status_code == 422
    assert BY_ID[2]["mapper"]["stopOnHttpError"] is False
    suggested = {}
    for error in refused.json()["errors"]:
        suggested.setdefault(error["parameter_name"], error["suggested_value"])
    assert called(server, BY_ID[5], given, suggested).status_code == 200


@pytest.mark.parametrize("id", [2, 5])
@pytest.mark.parametrize("harm", ['Ana", "guests": 0, "x": "', "a\\", "two\nlines", "{{1.email}}"])
def test_no_argument_and_no_suggestion_becomes_another_argument(id, harm):
    given, names = given_by_the_blueprint(), ("guest_name", "room_type")
    written = body(BY_ID[id], given | dict.fromkeys(names, harm))
    assert json.loads(written) == given | dict.fromkeys(names, harm) | {"guests": 9}
    if id == 5:
        assert json.loads(body(BY_ID[id], given, {"email": harm}))["email"] == harm
        with pytest.raises(AssertionError, match="not a number"):
            body(BY_ID[id], given, {"guests": '1, "email": ""'})
