"""A session with a process that some calls end: what is laid to whom, and what goes on."""

import json
import shlex
import sys
from dataclasses import replace

import pytest

from conformance.kit.drive import channel as channels
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Era, Verdict

pytestmark = pytest.mark.waits

COUNT = {
    "name": "count",
    "description": "Counts.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9, "description": "No."}},
        "required": ["n"],
    },
}
SERVER = """
import json, os, sys
tools = json.loads(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    result = {}
    if asked.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "ends", "version": "1"}}
    elif asked.get("method") == "tools/list":
        result = {"tools": tools}
    elif asked.get("method") == "tools/call":
        if not RIGHT(asked["params"].get("arguments") or {}):
            sys.exit("IndexError: list index out of range")
        result = {"content": [{"type": "text", "text": "1"}]}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
LOCKED = """
if os.path.exists(FLAG):
    sys.exit("database is locked")
"""
OTHER = {**COUNT, "name": "other"}


def session(chapter, right, scripts=(), *, code=SERVER, tools=(COUNT,)):
    """The items by clause, and the engine, of a session with a process that ends at each call
    whose arguments are not `right`.
    """
    code = code.replace("RIGHT", f"(lambda given: {right})")
    asked, items, engine = judged(chapter, code, tools, scripts)
    return {q.clause.id: items[n] for n, q in enumerate(asked)}, engine


def judged(chapter, code, tools, scripts=(), timeout=10.0):
    """The questions, their items by place, and the engine, of a session with this process."""
    command = shlex.join([sys.executable, "-c", code, json.dumps(tools)])
    loaded = load(f"conformance.{chapter}")
    settings = Settings(profiles=("mcp",), max_examples=0, request_timeout=timeout)
    engine = Session(replace(settings, targets=(f"stdio:{command}",)))
    engine.scripts.extend(each for each in loaded.scripts if each.name in scripts)
    engine.discover((f"stdio:{command}",), (Era.LEGACY,))
    asked = engine.questions(list(loaded.tests))
    engine.drive()
    return asked, engine.judge(asked), engine


def test_a_process_that_the_last_call_ended_is_started_anew_for_what_follows(monkeypatch):
    monkeypatch.setattr(channels, "MOST_STARTS", 2)
    items, engine = session("mcp", "given.get('n') == 1", ("mcp_lists",))
    (own,) = (e for e in engine.evidence().values() if e.scripts.get("mcp_lists"))
    assert {exchange.trouble for exchange in own.scripts["mcp_lists"]} == {None}
    assert items["MCP-LIST-001"].verdict is Verdict.PASS


@pytest.mark.slow
def test_who_ended_the_process_is_shown_with_what_was_sent_and_the_last_words():
    items, _ = session("atdf", "False")
    first = items["ATDF-CALL-005"].findings[0].message
    assert first.id == "finding.call.closed_saying"
    for language in ("en", "es", "pt"):
        assert '{"n": 1}' in first.words(language)
        assert "IndexError: list index out of range" in first.words(language)


@pytest.mark.slow
def test_only_the_call_that_ended_the_process_is_told_and_not_those_beside_it():
    items, _ = session("atdf", "given.get('n') != 10")
    told = items["ATDF-CALL-005"]
    assert told.verdict is Verdict.FAIL
    assert {finding.case.split("/")[2] for finding in told.findings} == {"above-maximum"}


@pytest.mark.timeout(60, method="thread")
def test_a_session_with_a_server_that_cannot_be_started_again_ends_and_tells_what_was_not_sent(
    tmp_path,
):
    flag = repr(str(tmp_path / "used"))
    code = SERVER.replace("import json, os, sys", f"import json, os, sys\n{LOCKED}")
    code = code.replace(
        "            sys.exit(", f"            open({flag}, 'w').close(); sys.exit("
    )
    items, engine = session(
        "atdf", "given.get('n') != 10", code=code.replace("FLAG", flag), tools=[COUNT, OTHER]
    )
    (own,) = (e for e in engine.evidence().values() if e.by_tool["count"].calls)
    assert not engine.interrupted
    for tool in own.by_tool.values():
        assert tool.silenced
        assert tool.unsent
    assert items["ATDF-CALL-003"].verdict is not Verdict.PASS


SOMETIMES = SERVER.replace(
    '        if not RIGHT(asked["params"].get("arguments") or {}):',
    """        own = asked["params"]
        count = (own.get("arguments") or {}).get("n")
        with open(LOG, "a") as log:
            log.write(f"{own['name']}-{count}\\n")
        times = open(LOG).read().splitlines().count(f"{own['name']}-{count}")
        if count == 10 and (own["name"] == "other" or times <= 2):""",
)
"""A server that `other` ends each time, and `count` the first two times."""


@pytest.mark.slow
def test_a_tool_that_ended_its_process_alone_is_not_cleared_by_another_that_always_does(tmp_path):
    code = SOMETIMES.replace("LOG", repr(str(tmp_path / "log")))
    assert "times <= 2" in code
    asked, items = judged("atdf", code, [COUNT, OTHER])[:2]
    verdicts = {
        question.tool: items[n].verdict
        for n, question in enumerate(asked)
        if question.clause.id == "ATDF-CALL-005"
    }
    assert verdicts == {"count": Verdict.FLAKY, "other": Verdict.FAIL}


STALLS = """
import json, os, sys
tools, left = json.loads(sys.argv[1]), None
SAID = '''  + Exception Group Traceback (most recent call last):
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | ValidationError: 2 validation errors for Request
arguments
  Input should be a valid dictionary
    For further information visit https://errors.example/dict_type
      +------------------------------------'''
for line in sys.stdin:
    asked = json.loads(line)
    if left is not None:
        left -= 1
        if left <= 0:
            sys.exit(SAID)
        continue
    result = {"content": [{"type": "text", "text": "1"}]}
    if asked.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "stalls", "version": "1"}}
    elif asked.get("method") == "tools/list":
        result = {"tools": tools}
    elif isinstance(asked.get("params", {}).get("arguments"), list):
        left = LINES
        continue
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
"""A server that is silent after `arguments: []`, and ends when it has read LINES more lines."""


@pytest.mark.slow
@pytest.mark.parametrize("lines", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_call_after_which_the_process_ends_late_is_blamed_for_each_tool_and_nothing_else(lines):
    code = STALLS.replace("LINES", str(lines))
    asked, items = judged("atdf", code, [COUNT, OTHER], timeout=1.0)[:2]
    found = {
        (question.clause.id, question.tool): items[n]
        for n, question in enumerate(asked)
        if question.clause.id in {"ATDF-CALL-005", "ATDF-CALL-006"}
    }
    for tool in ("count", "other"):
        own = found["ATDF-CALL-005", tool]
        assert own.verdict is Verdict.FAIL
        assert {finding.case.split("/")[2] for finding in own.findings} == {"arguments-array"}
        assert found["ATDF-CALL-006", tool].verdict is not Verdict.FAIL
        assert "ValidationError: 2 validation errors for Request" in own.findings[0].message.words()
    assert Verdict.FLAKY not in {item.verdict for item in items.values()}
