"""The tools of the reference server, as tools.json has them; a call that is accepted is done."""

import json
import sys
from pathlib import Path

import uvicorn
from atdf_errors import error, guard, refusal
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

TOOLS = [
    Tool(name=tool["name"], description=tool["description"], input_schema=tool["input"])
    for tool in json.loads(Path("tools.json").read_text("utf-8"))
]


async def list_tools(ctx, params):
    return ListToolsResult(tools=TOOLS)


async def call_tool(ctx, params):
    if params.name not in {tool.name for tool in TOOLS}:
        wrong = error("not-found", "Unknown tool", "No tool has this name.")
        return refusal(wrong, tool=params.name)
    return CallToolResult(content=[TextContent(type="text", text="Done.")])


server = Server("reference", version="1.0.0", on_list_tools=list_tools, on_call_tool=call_tool)
guard(server, *TOOLS)

if __name__ == "__main__":
    uvicorn.run(server.streamable_http_app(), port=int(sys.argv[1]))
