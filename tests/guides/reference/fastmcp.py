"""Two of the tools of `mcp-python.py`, on a server of FastMCP: one has unions, one has defaults."""

import sys

import atdf_errors
from fastmcp import FastMCP

atdf_errors.Server = FastMCP
from tools import server  # noqa: E402

server.add_middleware(atdf_errors.Checked())
for name in ("hotel_reservation", "flight_booking", "schedule_event"):
    server.local_provider.remove_tool(name)

if __name__ == "__main__":
    server.run(transport="http", port=int(sys.argv[1]), host_origin_protection="auto")
