"""What the file to copy for FastMCP answers around tools of somebody else's, also mounted ones."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import Annotated

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from pydantic import AfterValidator, BaseModel, Field

from fixtures.guides.joined import TO_COPY
from tests.guides.test_mcp import tools_of


@pytest.fixture(scope="module")
def copied():
    """The file for FastMCP, as a module."""
    spec = importlib.util.spec_from_file_location("atdf_fastmcp", TO_COPY["fastmcp"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def even(number):
    if number % 2:
        raise ValueError("must be even")
    return number


Even = Annotated[int, AfterValidator(even), Field(examples=[4])]


@pytest.fixture
def hotel(copied):
    """A server with tools that refuse, fail or answer."""
    server = FastMCP("hotel")

    @server.tool
    async def book(ctx: Context, beds: Even = 2) -> dict:
        return {"beds": beds}

    @server.tool
    def own() -> str:
        raise copied.Refused(copied.error("conflict", "Sold out", "There is none left."))

    @server.tool
    def said() -> str:
        try:
            raise KeyError("inner")
        except KeyError as cause:
            raise ToolError("Sold out.") from cause

    @server.tool
    def broken() -> str:
        class Inner(BaseModel):
            number: int

        return str(Inner.model_validate({"number": "hunter2"}))

    @server.tool
    def none() -> list[str]:
        return []

    @server.tool
    def plain() -> ToolResult:
        return ToolResult("Done.")

    @server.tool
    async def calls(ctx: Context) -> dict:
        inner = await ctx.fastmcp.call_tool("book", {"beds": 4})
        return inner.structured_content or {}

    return server


@pytest.fixture(params=["", "inside_"])
def prefix(request):
    """With a prefix, the tools are those of a server that is mounted in the one that checks."""
    return request.param


@pytest.fixture
def asked(copied, hotel, prefix):
    """What the server answers to a call, as it is sent to a client."""
    server = hotel
    if prefix:
        server = FastMCP("outer")
        server.mount(hotel, namespace=prefix.removesuffix("_"))
    server.add_middleware(copied.Checked())

    async def of(name, arguments):
        async with Client(server) as client:
            sent = {"name": prefix + name, "arguments": arguments}
            result = await client.call_tool_mcp(**sent)
            return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    return lambda name, arguments=None: asyncio.run(of(name, arguments or {}))


def only(result):
    """The error of an answer that has one."""
    assert result["isError"]
    [error] = result["_meta"]["io.github.agent-formats/error"]["errors"]
    return error


def test_what_the_schema_refuses_is_refused_before_the_tool(asked, prefix):
    result = asked("book", {"beds": "4"})
    assert tools_of(result) == [f"{prefix}book"]
    assert only(result)["suggested_value"] == "4"
    assert asked("book", {"beds": 4})["structuredContent"] == {"beds": 4}
    assert asked("book")["structuredContent"] == {"beds": 2}


def test_what_only_the_model_refuses_is_named_and_corrected_if_it_is_at_hand(asked, prefix):
    error = only(asked("book", {"beds": 3}))
    assert (error["tool_name"], error["parameter_name"]) == (f"{prefix}book", "beds")
    assert error["suggested_value"] == (None if prefix else "2")
    assert error["detail"] == "`beds`: must be even"


def test_a_tool_that_refuses_by_itself_answers_in_the_envelope(asked, prefix):
    assert only(asked("own"))["detail"] == "There is none left."
    assert only(asked("said"))["detail"] == "Sold out."
    assert only(asked("said"))["tool_name"] == f"{prefix}said"


def test_nothing_is_shown_of_a_fault(asked):
    result = asked("broken")
    assert only(result)["detail"] == "The tool failed."
    assert "hunter2" not in str(result)


def test_other_answers_stay_and_no_content_is_there_as_text(asked):
    assert asked("none")["content"][0]["text"] == '{"result":[]}'
    assert asked("plain")["content"][0]["text"] == "Done."
    assert asked("calls")["structuredContent"] == {"beds": 4}
    assert "Unknown tool" in asked("more")["content"][0]["text"]


def test_each_version_of_a_tool_is_checked_by_its_own_schema(copied):
    server = FastMCP("hotel")

    @server.tool(name="book", version="1")
    def first(room: str) -> str:
        return room

    @server.tool(name="book", version="2")
    def second(beds: int) -> str:
        return str(beds)

    server.add_middleware(copied.Checked())

    async def of():
        async with Client(server) as client:
            one = await client.call_tool("book", {"room": "a"}, version="1")
            two = await client.call_tool("book", {"beds": 2})
            return one.data, two.data

    assert asyncio.run(of()) == ("a", "2")
