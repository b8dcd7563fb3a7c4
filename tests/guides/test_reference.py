"""With nothing but the file to copy, the tools of the reference server are recoverable."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.guides.joined import TO_COPY
from fixtures.guides.play import ROOT, listening
from fixtures.guides.steps import GUIDES, HERE, MODULES
from fixtures.servers.tools import TOOLS
from tests.guides.test_guides import of_levels
from tests.guides.test_values import WAYS, by_way
from tests.needs import need_packages

SERVERS = Path(__file__).with_name("reference")
COPIED = tuple(way for way in WAYS if way != "fastapi")
LOW_LEVEL = "mcp-python-low-level"
"""It shares its file with `mcp-python`, and says no more of a value than its schema does."""
FASTMCP = "fastmcp"
"""Its file has the core of the one of `mcp-python`: nothing else is tried in all ways."""
PARTS = {LOW_LEVEL: slice(3, None, 4), "mcp-typescript-1": slice(1, None, 2),
         "express-zod": slice(1, None, 2)}  # fmt: skip
"""Two ways of each library share the tools: the others have the first, the third and so on."""


@pytest.mark.slow
@pytest.mark.parametrize("way", [*by_way(*COPIED), LOW_LEVEL, FASTMCP])
def test_the_tools_of_the_reference_are_recoverable_and_nothing_fails(way, tmp_path):
    guide = GUIDES[WAYS[way][0] if way in WAYS else way]
    tools = [{"name": t.name, "description": t.description, "input": t.input_schema} for t in TOOLS]
    asked = tools[PARTS.get(way, slice(0, None, 2))]
    (tmp_path / "tools.json").write_text(json.dumps(asked), encoding="utf-8")
    shutil.copy(TO_COPY["mcp-python" if way == LOW_LEVEL else guide.name], tmp_path)
    [server] = SERVERS.glob(f"{way}.*")
    shutil.copy(server, tmp_path / f"main{server.suffix}")
    if way == FASTMCP:
        shutil.copy(SERVERS / "mcp-python.py", tmp_path / "tools.py")
    if guide.node:
        need_packages(HERE)
        shutil.copy(SERVERS / "tools.mjs", tmp_path)
        (tmp_path / "node_modules").symlink_to(MODULES)
    with listening(guide, tmp_path) as target:
        [*runs] = checked(target, tmp_path / "report")
    failed = {each["clause"] for run in runs for each in run["items"] if each["verdict"] == "fail"}
    assert of_levels(failed) == set()
    assert {run["level"] for run in runs if run["level"]} == {"recoverable"}


def checked(target, report):
    """The runs of a session of the kit."""
    command = [Path(sys.executable).with_name("agent-formats"), "check", target]
    options = ["--report", str(report), "-q", "--", "-p", "no:cacheprovider"]
    subprocess.run([*command, *options], cwd=ROOT, env=os.environ, capture_output=True, check=False)
    return json.loads((report / "results.json").read_text(encoding="utf-8"))["runs"]
