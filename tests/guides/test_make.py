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
_SUGGESTED = re.compile(
    r'\{\{ifempty\(first\(map\(2\.data\.errors; "suggested_value"; "parameter_name"; "(\w+)"\)\); '
    r"1\.(\w+)\)\}\}"
)


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
    assert set(module.get("parameters", {})) <= {"authenticationType"}


def test_each_id_is_there_once_and_each_reference_names_a_module():
    assert len(BY_ID) == len(list(modules()))
    named = re.findall(r"[{(; ](\d+)\.\w", json.dumps(BLUEPRINT))
    assert set(map(int, named)) == {1, 2}


def test_a_router_has_routes_and_the_filters_are_on_their_first_modules():
    [router] = [module for module in modules() if module["module"] == "builtin:BasicRouter"]
    assert router["mapper"] is None
    assert "filter" not in router
    for route in router["routes"]:
        [[condition]] = route["flow"][0]["filter"]["conditions"]
        assert condition["o"] in {"number:less", "number:greaterorequal"}


def called(server, module, filled):
    """Make the call of a module of HTTP, whose body was filled in."""
    mapper = module["mapper"]
    assert (mapper["method"], mapper["contentType"]) == ("post", "json")
    given = json.loads(filled(mapper["jsonStringBodyContent"]))
    return httpx2.post(mapper["url"].replace(BASE, server), json=given)


@pytest.mark.parametrize("left", [None, "room_type", "guests"])
def test_the_second_call_repairs_the_first(server, left):
    set_by = {each["name"]: each["value"] for each in BY_ID[1]["mapper"]["variables"]}
    if left:
        set_by[left] = {"room_type": "suite", "guests": "2"}[left]

    def first(text):
        return re.sub(r"\{\{1\.(\w+)\}\}", lambda found: set_by[found[1]], text)

    refused = called(server, BY_ID[2], first)
    assert refused.status_code == 422
    assert BY_ID[2]["mapper"]["stopOnHttpError"] is False
    suggested = {}
    for error in refused.json()["errors"]:
        suggested.setdefault(error["parameter_name"], error["suggested_value"])

    def again(text):
        assert all(name == same for name, same in _SUGGESTED.findall(text))
        return _SUGGESTED.sub(lambda found: suggested.get(found[1]) or set_by[found[1]], text)

    assert called(server, BY_ID[5], again).status_code == 200
