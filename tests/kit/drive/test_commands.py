"""What is said of a command that does not start an MCP server."""

import asyncio
import shlex
import sys
import time

import pytest

from conformance.kit.drive.channel import Context
from conformance.kit.drive.discovery import mcp as discovery
from conformance.kit.drive.discovery.discover import discover
from conformance.kit.drive.unusable_target import TargetUnusable, no_list
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Process
from conformance.kit.transport.mcp import LEGACY_VERSIONS
from conformance.kit.transport.sandbox import why_no_sandbox

pytestmark = pytest.mark.waits

LISTENS = """
import http.server, pathlib, sys
with pathlib.Path(sys.argv[1]).open("a") as starts:
    starts.write("x")
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
print(sys.argv[2].format(server.server_port), file=sys.stderr, flush=True)
pathlib.Path(sys.argv[1] + ".port").write_text(str(server.server_port))
server.serve_forever()
"""


def refused(*words, **more):
    """The message about a command, by its id and in words."""
    settings = Settings(**{"request_timeout": 30.0, "start_timeout": 60.0, **more})
    context = Context(settings, Recorder(), time.monotonic() + 600)
    with pytest.raises(TargetUnusable) as unusable:
        asyncio.run(discover("stdio:" + shlex.join(words), context))
    said = unusable.value.words
    return said.id.removeprefix("kit.target."), said.words(settings.language)


def python(code, **more):
    return refused(sys.executable, "-c", code, **more)


@pytest.mark.parametrize("said", ["Serving at http://127.0.0.1:{}/mcp", "Ready."])
@pytest.mark.parametrize("versions", [(), ("2025-11-25",)])
def test_a_command_that_starts_an_http_server_is_told_its_address(
    tmp_path, monkeypatch, said, versions
):
    if said == "Ready." and sys.platform != "linux":
        pytest.skip("only Linux tells at which port a process listens")
    monkeypatch.setattr(discovery, "SILENCE", 0.5)
    limit = 36.0 if "{}" in said else 4.0  # what says nothing gets the whole time
    limits = {"request_timeout": 1.0, "start_timeout": limit, "spec_versions": versions}
    words = (sys.executable, "-c", LISTENS, str(tmp_path / "starts"), said)
    found, told = refused(*words, **limits)
    assert found == "serves_http"
    assert f"http://127.0.0.1:{(tmp_path / 'starts.port').read_text()}" in told
    assert (tmp_path / "starts").read_text() == "x" or "{}" not in said


def test_a_command_that_said_where_it_listens_and_ended_has_its_last_words_said():
    says = "import sys; print('Running at http://127.0.0.1:9/mcp', file=sys.stderr)"
    found, told = python(f"{says}; sys.exit('no key')")
    assert found == "stdio_said"
    assert "no key" in told
    assert "exit code 1" in told


def test_what_a_command_wrote_comes_before_the_reason():
    found, told = python("import sys; sys.exit('set HOTEL_KEY first')")
    assert found == "stdio_said"
    assert told.startswith("The command wrote “set HOTEL_KEY first”")
    assert "exit code 1" in told
    assert "--env" in told
    assert told.count(". ") == 1


def test_of_a_command_that_wrote_nothing_the_reason_is_said():
    found, told = python("import sys; sys.exit(3)")
    assert found == "stdio_failed"
    assert "exit code 3" in told


ENDS_EARLY = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        settled = {"protocolVersion": asked["params"]["protocolVersion"],
                   "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": settled}), flush=True)
    elif asked["method"] == "notifications/initialized":
        sys.exit("cannot write logs/x.log")
    elif "id" in asked:
        error = {"code": -32601, "message": "Method not found"}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}), flush=True)
"""


@pytest.mark.parametrize("versions", [(), ("2025-11-25",)])
def test_a_server_that_ends_after_its_handshake_has_its_last_words_said(versions):
    found, told = python(ENDS_EARLY, spec_versions=versions)
    assert found == "stdio_said"
    assert "“cannot write logs/x.log”" in told
    assert "answered the handshake, and ended with exit code 1" in told


@pytest.mark.parametrize("sign", "-. 1")
def test_a_long_line_of_signs_is_no_work(sign):
    begun = time.monotonic()
    assert no_list(Process(1, f"start\n[{sign * 1_500}]\nend")).said == ("start", "end")
    assert time.monotonic() - begun < 1


AGREES_ONCE = """
import json, sys
results = {"tools/list": {"tools": [
    {"name": "add", "description": "Adds.", "inputSchema": {"type": "object"}}]}}
settled = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
           "serverInfo": {"name": "x", "version": "1"}}
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        if "initialize" in results:
            sys.exit("already initialized")
        results["initialize"] = settled
    error = {"error": {"code": -32601, "message": "Method not found"}}
    found = results.get(asked["method"])
    if "id" in asked:
        said = error if found is None else {"result": found}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | said), flush=True)
"""


@pytest.mark.parametrize("versions", [(), LEGACY_VERSIONS])
def test_a_server_that_ends_at_a_second_handshake_is_asked_in_another_process(versions):
    settings = Settings(request_timeout=30.0, start_timeout=60.0, spec_versions=versions)
    context = Context(settings, Recorder(), time.monotonic() + 600)
    target = "stdio:" + shlex.join((sys.executable, "-c", AGREES_ONCE))
    [found] = asyncio.run(discover(target, context))
    assert found.run.version == "2024-11-05"
    assert [tool.name for tool in found.tools] == ["add"]


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_a_command_that_does_not_exist_is_named(language):
    found, told = refused("no-such-command-here", "--x", language=language)
    assert found == "no_command"
    assert told.count("no-such-command-here") == 2
    assert "--env" not in told


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_in_the_sandbox_what_the_command_wrote_comes_first_too(language):
    if why_no_sandbox() is not None:
        pytest.skip("no sandbox can be made here")
    where = "/usr/never"
    found, told = python(f"open({where!r}, 'w')", sandbox=True, language=language)
    assert found == "sandbox_said"
    assert where in told.split(". ")[0]
    assert "/conformance/safety/#sandbox" in told
    assert told.count(". ") == 1
