"""The guides keep what they promise: each step, from an empty folder, reaches its level."""

from __future__ import annotations

import os
import re
import shutil

import pytest

from conformance.formats.clauses import clauses
from conformance.formats.vocabulary import NeededFor
from fixtures.guides.play import play
from fixtures.guides.steps import GUIDES, MODULES, OUTPUT
from tests.thorough import every

STEPS = [
    pytest.param(guide, step, id=f"{guide.name}-{step}")
    for guide in GUIDES.values()
    for step in every(4, range(1, len(guide.levels) + 1))
]
"""The first step and the last; with `FULL=1` all."""


def need_node():
    missing = shutil.which("node") is None or not MODULES.is_dir()
    if missing and os.environ.get("CI") == "true":
        pytest.fail("Node's packages are missing: run `npm ci` in fixtures/guides.")
    if missing:
        pytest.skip("needs Node: run `npm ci` in fixtures/guides")


@pytest.mark.parametrize(("guide", "step"), STEPS)
def test_a_step_reaches_its_level_and_its_page_shows_what_the_kit_says(guide, step):
    if guide.node:
        need_node()
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
