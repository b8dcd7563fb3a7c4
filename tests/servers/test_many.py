"""The server with very many tools: judged like any other, and nothing is found in it."""

from __future__ import annotations

import json

import pytest

from fixtures.servers.start import listening

pytestmark = pytest.mark.usefixtures("forked")


@pytest.mark.slow
def test_a_server_with_many_tools_is_judged_tool_by_tool(kit, tmp_path):
    with listening("fixtures.servers.many", "--tools", "3") as url:
        ran = kit(
            "conformance", "--target", url, "--profile", "http", "--profile", "atdf",
            "--report", str(tmp_path), "--max-examples", "2",
        )  # fmt: skip
    assert ran.code == 0, ran.said
    (run,) = json.loads((tmp_path / "results.json").read_bytes())["runs"]
    assert run["tools_called"] == ["search_00001", "search_00002", "search_00003"]
    assert run["level"] == "recoverable"
