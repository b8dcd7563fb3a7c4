"""The page of what was tried names servers and tests that are there."""

import re
from datetime import date

import pytest

from fixtures.gateways.hostile import HOSTILE
from fixtures.servers.hostility.table import table
from scripts.generator.build import load_source, read_source
from scripts.generator.texts import LANGUAGES
from scripts.website.layout import ROOT
from scripts.website.pages.attacks import HAND, LIMITS, attacks_page, tried
from scripts.website.pages.context import Context
from scripts.website.pages.vocabularies import homes


def test_each_idea_is_tried_by_a_server_or_a_file_of_tests_that_is_there():
    servers = {*table(), *HOSTILE}
    kept = [each for each in tried() if each["by"] not in (HAND, LIMITS)]
    missing = [each["by"] for each in kept
               if each["by"] not in servers and not (ROOT / each["by"]).is_file()]  # fmt: skip
    assert missing == []
    assert {each["outcome"] for each in kept} == {"held", "fixed"}
    assert {frozenset(each) for each in kept} == {frozenset(("by", "outcome", *LANGUAGES))}
    ideas = [each["en"] for each in tried()]
    assert len(ideas) == len(set(ideas))


def test_an_idea_that_no_test_holds_was_tried_on_a_day_and_did_not_work():
    by_hand = [each for each in tried() if each["by"] == HAND]
    assert by_hand
    assert {each["outcome"] for each in by_hand} == {"held"}
    assert {frozenset(each) for each in by_hand} == {
        frozenset(("by", "date", "outcome", *LANGUAGES))
    }
    for each in by_hand:
        assert date.fromisoformat(each["date"]).isoformat() == each["date"]


def test_an_idea_that_no_promise_covers_is_among_the_limits():
    limits = [each for each in tried() if LIMITS in (each["by"], f"{each['outcome']}s")]
    assert {(each["by"], each["outcome"]) for each in limits} == {(LIMITS, "limit")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_promise_of_the_threat_model_names_tests_that_are_there(language):
    page = (ROOT / "docs" / language / "conformance" / "security.md").read_text("utf-8")
    rows = page.partition("{ #promises }")[2].partition("{ #limits }")[0].splitlines()
    promises = [row for row in rows if row.startswith("| ")][1:]
    assert len(promises) == 22
    for row in promises:
        named = re.findall(r"`(?:make )?([a-z_.]+)`", row.split(" | ")[-1])
        assert named, row
        files = [each for each in named if each != "survive"]
        assert [each for each in files if not [*(ROOT / "tests").rglob(each)]] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_each_idea_in_its_language(language):
    source, _ = read_source(load_source(ROOT))
    context = Context(source, language, homes(source))
    rows = [line for line in attacks_page(context).decode().splitlines() if line.startswith("| ")]
    assert len(rows) == len(tried()) + 2
    hand = sum(each["by"] == HAND for each in tried())
    said = context.said("attacks_hand", date="").split(".")[1]
    assert sum(said in row for row in rows) == hand
    fixed = sum(context.said("attacks_fixed") in row for row in rows)
    assert fixed == sum(each["outcome"] == "fixed" for each in tried())
