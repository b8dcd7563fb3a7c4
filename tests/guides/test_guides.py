"""The guides keep what they promise: each step, from an empty folder, reaches its level."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.spec.clauses import clauses
from conformance.spec.vocabulary import NeededFor
from fixtures.guides.play import play
from fixtures.guides.steps import GUIDES, HERE, OUTPUT
from fixtures.servers.start import listening
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


def node(script, *arguments, given=None):
    """Run a script of this folder with Node; gives the JSON that it prints."""
    need_packages(HERE)
    command = ["node", Path(__file__).with_name(script), *map(str, arguments)]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("guide", "step"), STEPS)
def test_a_step_reaches_its_level_and_its_page_shows_what_the_kit_says(guide, step):
    if guide.node:
        need_packages(HERE)
    played = play(guide, step)
    assert played.level is guide.levels[step - 1], played.output
    shown = (guide.folder(step) / OUTPUT).read_text(encoding="utf-8")
    named = re.findall(r"^([A-Z]+(?:-[A-Z]+)+-\d+)  fail", shown, re.MULTILINE)
    assert of_levels(named) == of_levels(played.broken), "stale: run `make guides`"


def of_levels(ids):
    """Leave the clauses of MCP itself out: what an SDK makes of them is no subject of a guide."""
    return {id for id in ids if clauses()[id].needed_for is not NeededFor.PROTOCOL}


def test_every_step_of_a_guide_is_played():
    for guide in GUIDES.values():
        folders = {folder.name for folder in guide.folder(1).parent.glob("step-*")}
        assert folders == {f"step-{n}" for n in range(1, len(guide.levels) + 1)}


ZAPIER = HERE.parents[1] / "docs/en/guides/zapier.md"
BOOKING = {
    "guest_name": "Ana Souza",
    "email": "ana@example.com",
    "check_in": "2031-05-20T14:00:00Z",
    "check_out": "2031-05-22T12:00:00Z",
    "room_type": "double",
    "guests": 2,
}


def zapier(server, left_out=(), **given):
    code = re.search(r"```js\n(.*?)```", ZAPIER.read_text("utf-8"), re.DOTALL)[1]
    sent = {k: v for k, v in (BOOKING | given).items() if k not in left_out}
    return node("zapier_action.mjs", given={"code": code, "input": sent, "base": server})


@pytest.mark.needs
def test_the_action_for_zapier_makes_a_good_call(server):
    assert zapier(server)["data"]


@pytest.mark.needs
def test_the_action_for_zapier_follows_suggestions_where_that_was_asked_for(server):
    assert zapier(server, guests=9, room_type="Double", accept_suggestions=True)["data"]


@pytest.mark.needs
@pytest.mark.parametrize("guests", ["9", "2", [9]], ids=str)
def test_the_action_for_zapier_reads_a_suggestion_by_what_the_parameter_takes(server, guests):
    assert zapier(server, guests=guests, accept_suggestions=True)["data"]


@pytest.mark.needs
def test_the_action_for_zapier_adds_what_is_missing(server):
    assert zapier(server, left_out=["email"], accept_suggestions=True)["data"]


@pytest.mark.needs
def test_the_action_for_zapier_stops_where_nothing_is_suggested(server):
    assert "pets" in zapier(server, pets=1, accept_suggestions=True)["error"]


@pytest.mark.needs
def test_the_action_for_zapier_shows_a_person_what_was_wrong_where_it_was_not(server):
    told = zapier(server, guests=9)
    assert "guests" in told["error"]
    assert told["more"] == ["InvalidData", 422]


@pytest.fixture(scope="module")
def server():
    with listening() as target:
        yield target


@pytest.mark.parametrize(
    ("given", "form", "made"),
    [("atdf", "ardf", "atdf-to-ardf"), ("mcp", "descriptor", "mcp-to-descriptor")],
)
def test_the_pages_on_migration_show_what_the_converter_writes(given, form, made):
    folder = HERE / "convert"
    program = Path(sys.executable).with_name("agent-formats")
    command = [program, "convert", folder / f"{given}.json", "--to", form]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parents[1])
    assert json.loads(done.stdout) == json.loads((folder / f"{made}.json").read_text("utf-8"))
    notes = folder / f"{made}.txt"
    assert done.stderr == (notes.read_text("utf-8") if notes.exists() else "")
