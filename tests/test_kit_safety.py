"""Which tools are called: where the server is, what it says of the tool, and what was allowed."""

from dataclasses import replace

import pytest

from conformance.formats.tool import Annotations, Invocation
from conformance.formats.vocabulary import Binding
from conformance.kit.loopback import is_loopback
from conformance.kit.run import Run
from conformance.kit.safety import why_left_out
from conformance.kit.settings import AllowCalls, Settings
from tests.kit_samples import HTTP, MCP, STDIO, TOOL

REMOTE = Run("mcp", "https://example.org", Binding.MCP, "https://example.org/mcp", "2026-07-28")
OURS = replace(STDIO, endpoint="python -m fixtures.servers.reference --stdio")
PLAIN = TOOL
READ = replace(TOOL, annotations=Annotations(read_only=True))
READ_CLOSED = replace(TOOL, annotations=Annotations(read_only=True, open_world=False))
READ_OPEN = replace(TOOL, annotations=Annotations(read_only=True, open_world=True))
DESTROYS = replace(TOOL, annotations=Annotations(destructive=True))
SAFE = replace(TOOL, safe=True)
GETS = replace(TOOL, invocation=Invocation("/book", "GET"))
TASK = replace(TOOL, task_required=True)


def reason(tool, run, allow=AllowCalls.AUTO, **more):
    found = why_left_out(tool, run, Settings(allow_calls=allow, **more))
    return found.id.rpartition(".")[2] if found is not None else None


@pytest.mark.parametrize(
    ("tool", "run", "why"),
    [
        (PLAIN, HTTP, None),
        (READ, HTTP, None),
        (DESTROYS, HTTP, "destructive"),
        (PLAIN, MCP, None),
        (DESTROYS, MCP, "destructive"),
        (PLAIN, OURS, None),
        (DESTROYS, OURS, "destructive"),
        (PLAIN, STDIO, "read_only"),
        (READ, STDIO, None),
        (READ_OPEN, STDIO, "read_only"),
        (SAFE, STDIO, None),
        (DESTROYS, STDIO, "read_only"),
        (PLAIN, REMOTE, "read_only"),
        (READ, REMOTE, "read_only"),
        (READ_CLOSED, REMOTE, None),
        (READ_OPEN, REMOTE, "read_only"),
        (SAFE, REMOTE, None),
        (GETS, REMOTE, None),
    ],
)
def test_by_default_what_may_be_called_hangs_on_where_the_server_runs(tool, run, why):
    assert reason(tool, run) == why


@pytest.mark.parametrize("run", [HTTP, MCP, STDIO, OURS, REMOTE])
@pytest.mark.parametrize("tool", [PLAIN, READ_OPEN, DESTROYS])
def test_all_allows_every_tool_everywhere(tool, run):
    assert reason(tool, run, AllowCalls.ALL) is None


@pytest.mark.parametrize("run", [HTTP, MCP, STDIO, OURS, REMOTE])
@pytest.mark.parametrize("tool", [PLAIN, READ_CLOSED, SAFE])
def test_none_allows_no_tool_anywhere(tool, run):
    assert reason(tool, run, AllowCalls.NONE) == "none"


@pytest.mark.parametrize("run", [HTTP, MCP, STDIO, OURS, REMOTE])
@pytest.mark.parametrize(
    ("tool", "why"), [(PLAIN, "read_only"), (READ, "read_only"), (READ_CLOSED, None), (SAFE, None)]
)
def test_read_only_is_as_strict_here_as_elsewhere(tool, why, run):
    assert reason(tool, run, AllowCalls.READ_ONLY) == why


@pytest.mark.parametrize("allow", list(AllowCalls))
def test_the_command_line_s_globs_come_before_everything(allow):
    assert reason(READ_CLOSED, HTTP, allow, exclude_tools=("b*",)) == "not_selected"


def test_an_included_tool_still_has_to_be_allowed():
    assert reason(DESTROYS, HTTP, include_tools=("book",)) == "destructive"


@pytest.mark.parametrize("allow", list(AllowCalls))
def test_a_tool_that_has_to_be_called_as_a_task_is_never_called(allow):
    assert reason(TASK, HTTP, allow) == "task_required"


@pytest.mark.parametrize(
    "endpoint",
    ["https://example.org/book", "http://127.0.0.1:2/book", "//example.org/book",
     "https://127.0.0.1:1/book"],
)  # fmt: skip
def test_an_endpoint_on_another_host_or_port_is_never_called(endpoint):
    elsewhere = replace(TOOL, invocation=Invocation(endpoint))
    assert reason(elsewhere, HTTP, AllowCalls.ALL) == "other_host"


@pytest.mark.parametrize("endpoint", ["/api/book", "api/book", "http://127.0.0.1:1/x"])
def test_an_endpoint_on_the_target_is_called(endpoint):
    assert reason(replace(TOOL, invocation=Invocation(endpoint)), HTTP) is None


@pytest.mark.parametrize("endpoint", ["http://[", "http://127.0.0.1:99999/x"])
def test_an_endpoint_that_is_no_address_is_never_called(endpoint):
    assert reason(replace(TOOL, invocation=Invocation(endpoint)), HTTP) == "other_host"


@pytest.mark.parametrize(
    "url", ["http://localhost", "http://a.localhost:8", "http://127.0.0.1", "http://127.9.9.9",
            "http://[::1]:80/x"],
)  # fmt: skip
def test_this_machine_is_loopback(url):
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    ["http://localhost.example.org", "http://10.0.0.1", "http://127.0.0.1.example.org",
     "http://[::2]", "http://0.0.0.0.1", "http://127.0.0.1@example.org"],
)  # fmt: skip
def test_another_machine_is_not(url):
    assert not is_loopback(url)
