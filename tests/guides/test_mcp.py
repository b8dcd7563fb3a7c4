"""What the files to copy for the MCP SDKs answer around a tool of somebody else's."""

from __future__ import annotations

import asyncio
import datetime
import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from mcp.types import CallToolResult

from fixtures.guides.joined import TO_COPY
from fixtures.guides.steps import HERE, MODULES
from tests.needs import need_packages

CALL = {"name": "order", "arguments": {}}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The file for the Python SDK, as a module."""
    file = shutil.copy(TO_COPY["mcp-python"], tmp_path_factory.mktemp("copied"))
    spec = importlib.util.spec_from_file_location("atdf_errors", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refuse(copied):
    raise copied.Refused(copied.error("conflict", "Sold out", "There is none left."))


def tools_of(result):
    """The names of the tools in the errors of an answer, which says each of them twice."""
    meta = result["_meta"]["io.github.agent-formats/error"]
    assert json.loads(result["content"][0]["text"]) == meta
    return [error["tool_name"] for error in meta["errors"]]


def called(copied, run):
    """What a tool answers whose function is `run`."""
    server = copied.Server("own")
    server.add_tool(run, "order")
    return answer(asyncio.run(server.call_tool("order", {})))


def guarded(copied, run):
    """What a tool of a guarded low-level server answers."""
    server = SimpleNamespace(middleware=[])
    copied.guard(server, SimpleNamespace(name="order", input_schema={"type": "object"}))

    async def next_of(ctx):
        return run()

    ctx = SimpleNamespace(method="tools/call", params=CALL)
    return answer(asyncio.run(server.middleware[0](ctx, next_of)))


def answer(result):
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


@pytest.mark.parametrize("way", [called, guarded])
def test_an_error_of_a_tool_that_names_none_names_the_tool(copied, way):
    assert tools_of(way(copied, lambda: refuse(copied))) == ["order"]
    assert tools_of(way(copied, lambda: 1 / 0)) == ["order"]


@pytest.mark.parametrize("way", [called, guarded])
def test_an_error_that_is_made_by_hand_names_the_tool(copied, way):
    def by_hand():
        raise copied.Refused({"type": "https://x.example/y", "title": "t", "detail": "d"})

    assert tools_of(way(copied, by_hand)) == ["order"]


def test_a_refusal_that_a_tool_returns_has_its_errors(copied):
    error = copied.error("conflict", "Sold out", "There is none left.")
    assert tools_of(answer(copied.refusal(error))) == [None]
    assert tools_of(answer(copied.refusal(error, tool="order"))) == ["order"]


def no_list() -> list[str]:
    return []


def no_value() -> None:
    return None


@pytest.mark.parametrize(("run", "value"), [(no_list, []), (no_value, None)])
def test_what_has_no_content_is_there_as_text_too(copied, run, value):
    result = called(copied, run)
    assert result["structuredContent"] == {"result": value}
    assert [json.loads(block["text"]) for block in result["content"]] == [{"result": value}]


def test_a_result_of_a_tools_own_is_written_as_the_sdk_does_and_stays_as_it_is(copied):
    data = {"day": datetime.date(2031, 5, 20), "share": float("nan")}
    own = CallToolResult.model_construct(content=(), structured_content=data, is_error=False)

    def run() -> CallToolResult:
        return own

    [block] = called(copied, run)["content"]
    assert json.loads(block["text"]) == {"day": "2031-05-20", "share": None}
    assert own.content == ()


@pytest.mark.needs
@pytest.mark.slow
@pytest.mark.parametrize("name", ["mcp-typescript", "mcp-typescript-1"])
def test_an_error_of_a_tool_that_names_none_names_the_tool_in_typescript(name, tmp_path):
    need_packages(HERE)
    shutil.copy(TO_COPY[name], tmp_path)
    (tmp_path / "node_modules").symlink_to(MODULES)
    command = [MODULES / ".bin" / "tsx", Path(__file__).with_name("mcp_own.mjs")]
    done = subprocess.run(
        command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert tools_of(json.loads(done.stdout)) == ["order"]
