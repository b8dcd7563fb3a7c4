"""Which tools are called: where the server is, what it says of the tool, and what was allowed."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.tool.tool import Annotations, Invocation, ToolForm
from conformance.kit.config.options import with_defaults
from conformance.kit.config.secrets import Redactor
from conformance.kit.config.settings import OptionUnusable, settings_of
from conformance.kit.evidence import safety
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.safety import is_called_unasked, is_spared, why_left_out
from conformance.kit.model.loopback import is_loopback
from conformance.kit.model.run import Run
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.plugin.quiet import warning
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Binding
from tests.kit.peers import offering
from tests.kit.samples import HTTP, MCP, STDIO, TOOL
from tests.root import ROOT

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
        (READ_OPEN, STDIO, None),
        (SAFE, STDIO, None),
        (DESTROYS, STDIO, "destructive"),
        (PLAIN, REMOTE, "read_only"),
        (READ, REMOTE, None),
        (READ_CLOSED, REMOTE, None),
        (READ_OPEN, REMOTE, None),
        (SAFE, REMOTE, None),
        (GETS, REMOTE, None),
    ],
)
def test_by_default_what_may_be_called_hangs_on_where_the_server_runs(tool, run, why):
    assert reason(tool, run) == why


@pytest.mark.parametrize(
    ("tool", "run", "spared"),
    [
        (READ, STDIO, True),
        (READ_OPEN, STDIO, True),
        (READ_CLOSED, STDIO, False),
        (READ, REMOTE, True),
        (READ_CLOSED, REMOTE, False),
        (SAFE, REMOTE, False),
        (GETS, REMOTE, False),
        (replace(SAFE, annotations=Annotations(open_world=True)), REMOTE, True),
        (READ, HTTP, False),
        (PLAIN, HTTP, False),
        (READ_OPEN, HTTP, True),
        (READ, OURS, False),
    ],
)
def test_what_may_reach_beyond_its_server_is_spared_unless_asked_for(tool, run, spared):
    assert is_spared(tool, run, Settings()) is spared
    assert not is_spared(tool, run, Settings(allow_calls=AllowCalls.ALL))


@pytest.mark.parametrize("tool", [READ, READ_OPEN])
def test_in_the_sandbox_nothing_is_beyond_the_server(tool):
    assert not is_spared(tool, STDIO, Settings(sandbox=True))
    assert is_spared(tool, REMOTE, Settings(sandbox=True))


HINTS = st.sampled_from([True, False, None, "true", "false", "yes", 1, 0, 0.5, "", [], [False], {}])
ANNOTATIONS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("readOnlyHint", "destructiveHint", "openWorldHint", "idempotentHint"), HINTS
    ),
)
DECLARED = st.fixed_dictionaries(
    {"name": st.just("book"), "inputSchema": st.just({"type": "object"})},
    optional={
        "annotations": ANNOTATIONS,
        "safe": HINTS,
        "endpoint": st.just("/book"),
        "method": st.sampled_from(["GET", "POST", "PUT", "DELETE"]),
    },
)
RUNS = st.sampled_from([HTTP, MCP, STDIO, OURS, REMOTE])
ASKED = st.fixed_dictionaries(
    {"sandbox": st.booleans()},
    optional={
        "include_tools": st.sampled_from([("book",), ("other",)]),
        "exclude_tools": st.sampled_from([("book",), ("other",)]),
    },
)


@given(DECLARED, st.sampled_from([Source.ATDF, Source.MCP]), RUNS, ASKED)
@settings(max_examples=400, deadline=None)
def test_a_narrower_option_calls_no_tool_that_a_wider_one_leaves_out(declared, source, run, asked):
    (tool,) = tools_of({"tools": [declared]}, source).tools
    called = [
        why_left_out(tool, run, Settings(allow_calls=allow, **asked)) is None
        for allow in (AllowCalls.NONE, AllowCalls.READ_ONLY, AllowCalls.AUTO, AllowCalls.ALL)
    ]
    assert called == sorted(called)
    assert not called[0]
    hints = declared.get("annotations", {})
    in_sandbox = asked["sandbox"] and run in (STDIO, OURS)
    if hints.get("destructiveHint", False) not in (False, None) and not in_sandbox:
        assert called[:3] == [False] * 3
    if called[1]:
        read = hints.get("readOnlyHint") is True or declared.get("safe") is True
        assert read or declared.get("method") == "GET"


@pytest.mark.parametrize("allow", list(AllowCalls))
def test_a_gateway_is_called_by_every_option_but_none(allow):
    given = {"gateway": ["openai+http://127.0.0.1:1/v1"], "allow_calls": allow.value}
    if allow is AllowCalls.NONE:
        with pytest.raises(OptionUnusable, match="leaves nothing to check"):
            settings_of(with_defaults(given), Path())
    else:
        assert settings_of(with_defaults(given), Path()).allow_calls is allow


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
    ("tool", "why"), [(PLAIN, "read_only"), (READ, "open_world"), (READ_CLOSED, None), (SAFE, None)]
)
def test_read_only_is_as_strict_here_as_elsewhere(tool, why, run):
    assert reason(tool, run, AllowCalls.READ_ONLY) == why


@pytest.mark.parametrize(
    ("run", "allow", "more", "choice"),
    [
        (REMOTE, AllowCalls.AUTO, {}, "all"),
        (REMOTE, AllowCalls.READ_ONLY, {}, "all"),
        (HTTP, AllowCalls.READ_ONLY, {}, "auto"),
        (STDIO, AllowCalls.READ_ONLY, {"sandbox": True}, "auto"),
    ],
)
def test_the_reason_names_the_least_that_includes_the_tool(run, allow, more, choice):
    found = why_left_out(PLAIN, run, Settings(allow_calls=allow, **more))
    assert found.words().endswith(f"--allow-calls {choice}")


@pytest.mark.parametrize("tool", [PLAIN, DESTROYS])
def test_the_reason_names_the_sandbox_first_if_the_system_has_it(monkeypatch, tool):
    monkeypatch.setattr(safety.sys, "platform", "linux")
    found = why_left_out(tool, STDIO, Settings())
    assert found.words().endswith("with --sandbox or --allow-calls all")
    assert "--sandbox" not in why_left_out(DESTROYS, HTTP, Settings()).words()
    monkeypatch.setattr(safety.sys, "platform", "darwin")
    assert "--sandbox" not in why_left_out(tool, STDIO, Settings()).words()


def test_an_operation_is_left_out_for_its_method_because_it_cannot_be_marked():
    posts = replace(TOOL, form=ToolForm.OPENAPI, invocation=Invocation("/book", "POST"))
    assert reason(posts, REMOTE) == "may_change"
    said = why_left_out(posts, REMOTE, Settings()).words()
    assert said.startswith("its calls use `POST`, which may change things")


@pytest.mark.parametrize("tool", [PLAIN, READ_OPEN, DESTROYS])
def test_every_tool_is_called_in_the_sandbox(tool):
    assert reason(tool, STDIO, sandbox=True) is None
    assert not is_called_unasked(tool, STDIO, Settings(sandbox=True))


def test_a_server_that_runs_already_is_in_no_sandbox():
    assert reason(DESTROYS, HTTP, sandbox=True) == "destructive"
    assert reason(PLAIN, REMOTE, sandbox=True) == "read_only"


def test_who_asks_for_fewer_calls_gets_them_in_the_sandbox_too():
    assert reason(PLAIN, STDIO, AllowCalls.READ_ONLY, sandbox=True) == "read_only"
    assert reason(READ_CLOSED, STDIO, AllowCalls.NONE, sandbox=True) == "none"


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
    "url", ["http://localhost", "http://127.0.0.1", "http://127.9.9.9",
            "http://[::1]:80/x"],
)  # fmt: skip
def test_this_machine_is_loopback(url):
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    ["http://localhost.example.org", "http://a.localhost:8", "http://10.0.0.1", "http://127.0.0.1.example.org",
     "http://[::2]", "http://0.0.0.0.1", "http://127.0.0.1@example.org", "http://127.1", "http://2130706433",
     "http://0x7f000001", "http://0177.0.0.1", "http://localhost.", "http://１２７.0.0.1", "http://①②⑦.⓪.⓪.①"],
)  # fmt: skip
def test_another_machine_is_not(url):
    assert not is_loopback(url)


@pytest.mark.parametrize(
    "command",
    [
        "python -m fixtures.servers.reference --stdio",
        "/srv/.venv/bin/python3.11 -m fixtures.servers.faulty --stdio --fault x",
    ],
)
def test_a_server_of_this_project_is_known_by_how_and_where_it_is_started(
    command, tmp_path, monkeypatch
):
    monkeypatch.chdir(ROOT)
    assert reason(PLAIN, replace(STDIO, endpoint=command)) is None
    (tmp_path / "fixtures" / "servers").mkdir(parents=True)  # of another project
    monkeypatch.chdir(tmp_path)
    assert reason(PLAIN, replace(STDIO, endpoint=command)) == "read_only"


@pytest.mark.parametrize(
    "command",
    [
        "npx some-server --config fixtures.servers.yaml",
        "some-server python -m fixtures.servers.reference",
        "python -m some_server -m fixtures.servers.reference",
        "python -c fixtures.servers.reference",
        "ssh host python -m fixtures.servers.reference",
        "fixtures.servers.reference",
        "python -m 'fixtures.servers.reference",
        "",
    ],
)
def test_a_command_that_only_holds_the_name_is_somebody_else_s(command):
    assert reason(PLAIN, replace(STDIO, endpoint=command)) == "read_only"


@pytest.mark.parametrize(
    ("tool", "run", "allow", "unasked"),
    [
        (PLAIN, HTTP, AllowCalls.AUTO, True),
        (READ, HTTP, AllowCalls.AUTO, False),
        (SAFE, HTTP, AllowCalls.AUTO, False),
        (GETS, HTTP, AllowCalls.AUTO, False),
        (DESTROYS, HTTP, AllowCalls.AUTO, False),
        (replace(TOOL, annotations=Annotations(destructive=False)), HTTP, AllowCalls.AUTO, False),
        (PLAIN, HTTP, AllowCalls.ALL, False),
        (PLAIN, HTTP, AllowCalls.READ_ONLY, False),
        (PLAIN, STDIO, AllowCalls.AUTO, False),
    ],
)
def test_a_tool_that_says_nothing_is_known_for_one(tool, run, allow, unasked):
    assert is_called_unasked(tool, run, Settings(allow_calls=allow)) is unasked


def test_tools_that_say_nothing_are_named_before_they_are_called():
    found = [Discovered(HTTP, (TOOL, replace(TOOL, name="read", annotations=READ.annotations)))]
    said = warning(found, Settings(), Redactor())
    assert "book" in said
    assert "read," not in said
    assert "--allow-calls read-only" in said
    assert warning(found, Settings(allow_calls=AllowCalls.ALL), Redactor()) == ""


def test_without_calls_the_scripts_are_played_that_call_no_tool():
    called = []

    def call(name, arguments):
        called.append(name)
        return 404, {}

    chapter = load("conformance.http")
    with offering([{"name": "count", "inputSchema": {"type": "object"}}], call) as url:
        session = Session(Settings(profiles=("http",), allow_calls=AllowCalls.NONE))
        session.scripts.extend(chapter.scripts)
        session.discover((url,))
        session.drive()
    (evidence,) = session.evidence().values()
    assert {"unknown-path", "unknown-tool"} <= {step.name for step in evidence.steps("http_wire")}
    assert {"health", "one"} <= {step.name for step in evidence.steps("http_look_around")}
    assert "count" not in called
