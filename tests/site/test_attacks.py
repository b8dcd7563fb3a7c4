"""The page of what was tried names servers and tests that are there."""

import re
from collections import Counter
from datetime import date

import pytest

from fixtures.gateways.hostile import HOSTILE
from fixtures.servers.hostility.table import table
from scripts.generator.build import load_source, read_source
from scripts.generator.texts import LANGUAGES
from scripts.website.layout import ROOT
from scripts.website.pages.attacks import (
    HAND,
    LIMITS,
    SOURCE,
    SURFACES,
    attacks_page,
    ideas,
    names,
    tried,
)
from scripts.website.pages.context import Context
from scripts.website.pages.vocabularies import homes
from scripts.website.wording import LONGEST

ROWS = [row for rows in tried().values() for row in rows]
KEYS = {"by", "outcome", *LANGUAGES}
MOST = 260
"""The most rows of the page, so that one can read it: merge similar ideas into one row."""


def test_each_surface_has_a_file_and_each_file_is_a_surface():
    assert {each.stem for each in SOURCE.glob("*.yaml")} == set(SURFACES)
    assert all(tried().values())


def test_each_idea_is_tried_by_a_server_or_a_file_of_tests_that_is_there():
    servers = {*table(), *HOSTILE}
    kept = [row for row in ROWS if not {HAND, LIMITS} & set(names(row))]
    missing = [each for row in kept for each in names(row)
               if each not in servers and not (ROOT / each).is_file()]  # fmt: skip
    assert missing == []
    assert {row["outcome"] for row in kept} == {"held", "fixed"}
    assert {frozenset(row) - {"ideas"} for row in kept} == {frozenset(KEYS)}
    assert all(len(names(row)) == len(set(names(row))) > 0 for row in kept)


def test_no_idea_is_there_twice_and_the_page_stays_short():
    for language in LANGUAGES:
        said = [row[language] for row in ROWS]
        assert [each for each, count in Counter(said).items() if count > 1] == []
    assert len(ROWS) <= MOST
    assert [row["en"] for row in ROWS if len(row["en"].split()) > LONGEST] == []


def test_a_row_of_several_ideas_says_how_many():
    for row in ROWS:
        assert row.get("ideas", 2) > 1, row["en"]
        if isinstance(row["by"], list):
            assert row["ideas"] > 1, row["en"]
            assert len(row["by"]) > 1, row["en"]


def test_an_idea_that_no_test_holds_was_tried_on_a_day_and_did_not_work():
    by_hand = [row for row in ROWS if HAND in names(row)]
    assert by_hand
    assert {(row["by"], row["outcome"]) for row in by_hand} == {(HAND, "held")}
    assert {frozenset(row) - {"ideas"} for row in by_hand} == {frozenset({"date", *KEYS})}
    for row in by_hand:
        assert date.fromisoformat(row["date"]).isoformat() == row["date"]


def test_an_idea_that_no_promise_covers_is_among_the_limits():
    limits = [row for row in ROWS if LIMITS in (*names(row), f"{row['outcome']}s")]
    assert {(row["by"], row["outcome"]) for row in limits} == {(LIMITS, "limit")}


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
def test_the_page_has_each_row_in_its_language_below_its_surface(language):
    source, _ = read_source(load_source(ROOT))
    context = Context(source, language, homes(source))
    made = attacks_page(context).decode()
    headings = re.findall(r"^## .* \{ #(.*) \}$", made, re.MULTILINE)
    assert tuple(headings) == SURFACES
    rows = [line for line in made.splitlines() if line.startswith("| ")]
    assert len(rows) == len(ROWS) + 2 * len(SURFACES)
    cells = [line.split(" | ") for line in rows if " | " in line]
    said = Counter(each[1] for each in cells)
    for outcome, count in Counter(row["outcome"] for row in ROWS).items():
        assert said[context.said(f"attacks_{outcome}")] == count
    by_hand = {context.said("attacks_hand", date=row["date"]) for row in ROWS if "date" in row}
    assert by_hand <= {each[2].removesuffix(" |") for each in cells}


def test_a_row_names_two_tests_and_says_how_many_more_there_are():
    source, _ = read_source(load_source(ROOT))
    made = attacks_page(Context(source, "en", homes(source))).decode()
    most = max(ROWS, key=lambda row: len(names(row)))
    first, *others = (each.rpartition("/")[2] for each in names(most))
    assert len(others) > 2
    assert f"| `{first}` and {len(others)} more |" in made
    for line in made.splitlines():
        shown = re.findall(r"`(test_\w+\.py)`", line.rpartition(" | ")[2])
        assert len(shown) == len(set(shown)), line


def test_what_no_promise_covers_comes_first_and_what_was_tried_by_hand_last():
    source, _ = read_source(load_source(ROOT))
    made = attacks_page(Context(source, "en", homes(source))).decode()
    for part in made.split("\n## ")[1:]:
        rows = [line for line in part.splitlines() if line.startswith("| ")][2:]
        kinds = [(" | Held | " in row) + 2 * (" | by hand, " in row) - (" | Limit | " in row)
                 for row in rows]  # fmt: skip
        assert kinds == sorted(kinds)


def test_a_row_counts_for_each_of_its_ideas():
    rows = [
        {"outcome": "held", "by": HAND, "ideas": 3},
        {"outcome": "held", "by": ["one", "two"], "ideas": 2},
        {"outcome": "fixed", "by": "one"},
    ]
    assert ideas(rows) == {"held": 5, HAND: 3, "fixed": 1}
    total = ideas(ROWS)
    assert total["held"] + total["fixed"] + total["limit"] == sum(
        row.get("ideas", 1) for row in ROWS
    )
