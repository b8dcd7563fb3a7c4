"""The guides keep what they promise: each step, from an empty folder, reaches its level."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.spec.clauses import clauses
from conformance.spec.messages import catalog
from conformance.spec.vocabulary import NeededFor
from fixtures.guides.joined import made
from fixtures.guides.play import play
from fixtures.guides.steps import GUIDES, HERE, LANGUAGES, output
from tests.needs import need_packages
from tests.thorough import FULL


def by_name(*names):
    """Parameters for guides: the marker of those that need Node goes with them."""
    return [pytest.param(name, marks=[pytest.mark.needs] * GUIDES[name].node) for name in names]


def marks_of(guide, step):
    """One step of one guide is soon played: the others take long."""
    soon = (guide.name, step) == ("fastapi", 1)
    return [pytest.mark.needs] * guide.node + [pytest.mark.slow] * (not soon)


FIRST = {"fastapi": 1}
STEPS = [
    pytest.param(guide, step, id=f"{guide.name}-{step}", marks=marks_of(guide, step))
    for name, guide in GUIDES.items()
    for step in (range(1, len(guide.levels) + 1) if FULL else {FIRST.get(name, len(guide.levels))})
]
"""The last step of each guide, and of one the first; with `FULL=1` all."""


@pytest.mark.slow
@pytest.mark.parametrize(("guide", "step"), STEPS)
def test_a_step_reaches_its_level_and_its_page_shows_what_the_kit_says(guide, step):
    if guide.node:
        need_packages(HERE)
    played = play(guide, step)
    assert played.level is guide.levels[step - 1], played.output
    shown = (guide.folder(step) / output("en")).read_text(encoding="utf-8")
    named = re.findall(r"^([A-Z]+(?:-[A-Z]+)+-\d+)  fail", shown, re.MULTILINE)
    assert of_levels(named) == of_levels(played.broken), "stale: run `make guides`"


def of_levels(ids):
    """Leave the clauses of MCP itself out: no guide is about what an SDK makes of them."""
    return {id for id in ids if clauses()[id].needed_for is not NeededFor.PROTOCOL}


def test_the_files_to_copy_are_those_of_their_parts():
    for path, text in made().items():
        assert path.read_text(encoding="utf-8") == text, "run python -m fixtures.guides.joined"


EVERY = [
    pytest.param(guide, step, id=f"{guide.name}-{step}")
    for guide in GUIDES.values()
    for step in range(1, len(guide.levels) + 1)
]


@pytest.mark.parametrize(("guide", "step"), EVERY)
def test_the_output_of_a_step_says_the_same_in_each_language(guide, step):
    said = {
        language: (guide.folder(step) / output(language)).read_text(encoding="utf-8")
        for language in LANGUAGES
    }
    clause = re.compile(r"^ *([A-Z]+(?:-[A-Z]+)+-\d+)  ", re.MULTILINE)
    found = {language: clause.findall(text) for language, text in said.items()}
    assert found["es"] == found["pt"] == found["en"], "run `make guides`"
    assert len(set(said.values())) == len(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_shows_what_the_kit_says_in_the_language_of_the_page(language):
    pages = (HERE.parents[1] / "docs" / language).rglob("*.md")
    shown = [
        name
        for page in pages
        for name in re.findall(r'--8<-- ".*/(output[.\w]*\.txt)"', page.read_text("utf-8"))
    ]
    assert shown
    assert set(shown) == {output(language)}


def test_each_shown_address_of_this_machine_is_the_one_of_the_page():
    for guide in GUIDES.values():
        for step in range(1, len(guide.levels) + 1):
            for language in LANGUAGES:
                text = (guide.folder(step) / output(language)).read_text("utf-8")
                assert set(re.findall(r"127\.0\.0\.1:(\d+)", text)) <= {"8000"}, guide


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shown_line_that_explains_a_clause_answers_in_the_language_of_the_page(language):
    shown = [
        line.split("agent-formats ")[1].split()
        for guide in GUIDES.values()
        for step in range(1, len(guide.levels) + 1)
        for line in (guide.folder(step) / output(language)).read_text("utf-8").splitlines()
        if "agent-formats explain " in line
    ]
    assert shown
    spoken = [] if language == "en" else ["--language", language]
    assert all(words[2:] == spoken for words in shown), "run `make guides`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shown_sentence_has_the_words_that_the_kit_says_today(language):
    texts = [said[language] for said in catalog().values()]
    shapes = [
        re.compile(".*".join(map(re.escape, parts)))
        for parts in (
            re.split(r"\{[^{}]*\}", text.replace("{{", "").replace("}}", "")) for text in texts
        )
        if sum(map(len, parts)) > 20  # `{value}` alone is the shape of anything
    ]
    for guide in GUIDES.values():
        for step in range(1, len(guide.levels) + 1):
            shown = (guide.folder(step) / output(language)).read_text("utf-8")
            for said in re.findall(r"(?m)^ {4}(\S.*\.)$", shown):
                assert any(shape.fullmatch(said) for shape in shapes), f"run `make guides`: {said}"


def test_every_step_of_a_guide_is_played():
    for guide in GUIDES.values():
        folders = {folder.name for folder in guide.folder(1).parent.glob("step-*")}
        assert folders == {f"step-{n}" for n in range(1, len(guide.levels) + 1)}


@pytest.mark.parametrize(
    ("given", "form", "made", "language"),
    [
        ("atdf", "ardf", "atdf-to-ardf", "en"),
        *(("mcp", "descriptor", "mcp-to-descriptor", language) for language in LANGUAGES),
    ],
)
def test_the_pages_on_migration_show_what_the_converter_writes(given, form, made, language):
    folder = HERE / "convert"
    program = Path(sys.executable).with_name("agent-formats")
    command = [program, "convert", folder / f"{given}.json", "--to", form]
    command += [] if language == "en" else ["--language", language]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parents[1])
    assert json.loads(done.stdout) == json.loads((folder / f"{made}.json").read_text("utf-8"))
    notes = folder / (f"{made}.txt" if language == "en" else f"{made}.{language}.txt")
    assert done.stderr == (notes.read_text("utf-8") if notes.exists() else "")
