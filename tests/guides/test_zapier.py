"""The integration for Zapier: Zapier's own library validates it, and runs it."""

from __future__ import annotations

import json

import pytest

from fixtures.guides.steps import HERE
from tests.guides.booking import BOOKING, NAMELESS, node
from tests.root import ROOT

FOLDER = HERE / "zapier"

pytestmark = pytest.mark.needs


def ran(server, given):
    return node("zapier_action.mjs", given={"base": server, "input": given}, packages=FOLDER)


@pytest.fixture(scope="module")
def good(server):
    return ran(server, BOOKING)


def test_the_definition_and_its_computed_fields_are_what_zapier_publishes(good):
    assert good["faults"] == []


def test_the_fields_come_from_the_schema_of_the_tool(good):
    fields = {field["key"]: field for field in good["fields"]}
    assert set(fields) == {*BOOKING, "accept_suggestions"}
    assert fields["guests"]["type"] == "integer"
    assert fields["check_in"]["type"] == "datetime"
    assert fields["room_type"]["choices"] == ["single", "double", "suite"]
    assert all(fields[name]["required"] and fields[name]["helpText"] for name in BOOKING)


def test_a_good_call_gives_what_the_tool_gives(good):
    assert good["data"]


@pytest.mark.parametrize(
    "given",
    [
        BOOKING | {"guests": 9, "room_type": "Double"},
        BOOKING | {"guests": "9"},
        BOOKING | {"guests": "2"},
        BOOKING | {"guests": [9]},
        NAMELESS,
    ],
    ids=["two", "text", "number as text", "list", "missing"],
)
def test_a_refused_call_is_repaired_where_that_was_asked_for(server, given):
    assert ran(server, given | {"accept_suggestions": True})["data"]


def test_the_action_stops_where_nothing_is_suggested(server):
    told = ran(server, BOOKING | {"pets": 1, "accept_suggestions": True})
    assert "pets" in told["error"]["message"]


def test_the_action_shows_a_person_what_was_wrong_where_nothing_was_asked_for(server):
    told = ran(server, BOOKING | {"guests": 9})["error"]
    assert "guests" in told["message"]
    assert (told["code"], told["status"]) == ("InvalidData", 422)


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_the_page_names_the_version_that_runs(language):
    wanted = json.loads((FOLDER / "package.json").read_text("utf-8"))["dependencies"]
    page = ROOT / "docs" / language / "guides" / "zapier.md"
    assert wanted["zapier-platform-core"] in page.read_text("utf-8")
