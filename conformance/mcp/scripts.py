"""The scripts of this chapter, in the order in which they are played.

The three that list the tools come together, so that only the connection differs between them.
"""

from __future__ import annotations

from conformance.mcp import script_http, script_lifecycle, script_lists, script_wire

mcp_lists = script_lists.mcp_lists
mcp_alone = script_lifecycle.mcp_alone
mcp_lists_again = script_lists.mcp_lists_again
mcp_handshake = script_lifecycle.mcp_handshake
mcp_initialize = script_lifecycle.mcp_initialize
mcp_requests = script_lifecycle.mcp_requests
mcp_headers = script_http.mcp_headers
mcp_parameters = script_http.mcp_parameters
mcp_removed = script_http.mcp_removed
mcp_origin = script_http.mcp_origin
mcp_session = script_http.mcp_session
mcp_tasks = script_lists.mcp_tasks
mcp_batch = script_wire.mcp_batch
mcp_wire = script_wire.mcp_wire
mcp_versions = script_lifecycle.mcp_versions
