"""Sessions with servers that the kit starts: which process lives when, and which call is blamed."""

import json
import shlex
import sys
from collections import Counter

import pytest

from conformance.kit.drive.discovery import mcp as discovery
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.script import CLOSE, INITIALIZE, LOOKED
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.run import MODERN
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.transport.stdio_connection import EXIT_GRACE
from conformance.kit.verdicts.checks import load, packages
from conformance.spec.vocabulary import Era, Verdict
from fixtures.servers.start import REFERENCE, command

pytestmark = pytest.mark.waits

FAILED = {Verdict.FAIL, Verdict.WARN, Verdict.FLAKY}
COUNT = {
    "name": "count",
    "description": "Counts.",
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
    "inputSchema": {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9, "description": "No."}},
        "required": ["n"],
        "additionalProperties": False,
    },
}
OTHER = {**COUNT, "name": "other"}
SERVER = """
import json, os, sys, time
tools = json.loads(sys.argv[1])

def answer(name, given):
    n = given.get("n") if isinstance(given, dict) else None
    good = type(n) is int and 1 <= n <= 9 and len(given) == 1
    {odd}
    text = "ok" if good else "n is a whole number from 1 to 9"
    return {{"content": [{{"type": "text", "text": text}}], "isError": not good}}

for line in sys.stdin.buffer:
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        continue
    if not isinstance(asked, dict) or asked.get("jsonrpc") != "2.0":
        continue
    method, params = asked.get("method"), asked.get("params") or {{}}
    if not isinstance(asked.get("id"), (int, str)):
        continue
    reply = {{"jsonrpc": "2.0", "id": asked["id"]}}
    if method == "initialize":
        reply["result"] = {{"protocolVersion": "2025-11-25", "capabilities": {{"tools": {{}}}},
                           "serverInfo": {{"name": "s", "version": "1"}}}}
    elif method == "tools/list":
        reply["result"] = {{"tools": tools}}
    elif method == "tools/call":
        reply["result"] = answer(params["name"], params.get("arguments"))
    elif method == "ping" and {pings}:
        reply["result"] = {{}}
    else:
        reply["error"] = {{"code": -32601, "message": "Method not found"}}
    print(json.dumps(reply), flush=True)
"""


def target_of(odd, tools=(COUNT, OTHER), *, pings=True):
    """A server in which a call does something odd before it is answered."""
    code = SERVER.format(odd=odd, pings=pings)
    return "stdio:" + shlex.join([sys.executable, "-c", code, json.dumps(tools)])


def judged(target, chapters=("atdf",), eras=(Era.LEGACY,), **more):
    """The session and its items, by clause and tool."""
    settings = Settings(targets=(target,), profiles=("mcp",), **{"max_examples": 0, **more})
    session, tests = Session(settings), []
    for chapter in chapters:
        loaded = load(f"conformance.{chapter}")
        session.scripts.extend(loaded.scripts)
        tests += loaded.tests
    session.discover((target,), eras)
    asked = session.questions(tests)
    session.drive()
    items = session.judge(asked)
    return session, {(q.run, q.clause.id, q.tool): items[n] for n, q in enumerate(asked)}


def found(items):
    """What is broken, by clause and tool, with the scenarios that show it."""
    return {
        (clause, tool): {f.case.split("/")[2] for f in item.findings if f.case}
        for (_, clause, tool), item in items.items()
        if item.verdict in FAILED
    }


HANGS = 'if name == "count" and n == 10: time.sleep(600)'


@pytest.mark.slow
def test_the_call_that_silences_its_process_is_blamed_and_no_other():
    session, items = judged(target_of(HANGS), request_timeout=1.0)
    assert found(items) == {("ATDF-CALL-006", "count"): {"above-maximum"}}
    (evidence,) = session.evidence().values()
    assert not evidence.silenced
    late = [call for call in evidence.calls if call.exchange.trouble is Trouble.TIMEOUT]
    assert {call.case.arguments["n"] for call in late} == {10}
    sent = Counter(call.case.tool for call in evidence.calls)
    assert sent["count"] == sent["other"]
    kept = session.recorder.by_id.values()
    ends = [e for e in kept if e.step == CLOSE and e.trouble is Trouble.TIMEOUT]
    assert ends
    assert all(e.elapsed < EXIT_GRACE for e in ends)  # no grace for what is known to hang


@pytest.mark.slow
def test_a_session_finds_what_the_replay_of_one_case_finds():
    _, items = judged(target_of(HANGS), request_timeout=1.0)
    ((_, clause, tool),) = (key for key, item in items.items() if item.verdict in FAILED)
    (finding,) = items[next(key for key in items if key[1:] == (clause, tool))].findings
    _, again = judged(target_of(HANGS), request_timeout=1.0, replay=finding.case)
    assert found(again) == found(items)


@pytest.mark.slow
def test_calls_that_are_late_behind_each_other_are_sent_again_alone():
    """A server that works one call at a time; its first calls give no warning."""
    odd = "answer.calls = getattr(answer, 'calls', 0) + 1; time.sleep(0.9 * (answer.calls > 6))"
    session, items = judged(target_of(odd), request_timeout=1.6)
    assert found(items) == {}
    assert items[session.found[0].run.id, "ATDF-CALL-006", "count"].verdict is Verdict.PASS
    (evidence,) = session.evidence().values()
    assert {call.exchange.trouble for call in evidence.calls} == {None}


WITHOUT_ID = "print(json.dumps({'jsonrpc': '2.0', 'error': {}}), flush=True)"


@pytest.mark.parametrize(
    "odd",
    ["sys.exit('initialize first')", "confused = True", WITHOUT_ID],
    ids=["ends", "lists no tools afterwards", "answers without an id"],
)
def test_a_server_that_takes_nothing_before_a_handshake_is_found(odd):
    code = SERVER.format(odd="pass", pings=True)
    early = f"    if method == 'server/discover': {odd}\n"
    code = code.replace("    reply = {", f"{early}    reply = {{", 1)
    code = code.replace('method == "tools/list":', 'method == "tools/list" and not confused:')
    code = code.replace("for line in", "confused = False\nfor line in", 1)
    target = "stdio:" + shlex.join([sys.executable, "-c", code, json.dumps([COUNT])])
    session = Session(Settings(targets=(target,), profiles=("mcp",)))
    session.discover((target,))
    assert [(one.run.id, len(one.tools)) for one in session.found] == [("stdio-2025-11-25", 1)]


DISCOVERED = {
    "supportedVersions": [MODERN],
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "s", "version": "1"},
}


def test_a_slow_start_hides_nothing_of_how_a_handshake_is_answered(monkeypatch):
    """A process that is asked in one era while it starts, and then in the other, answers both."""
    monkeypatch.setattr(discovery, "SILENCE", 0.1)
    code = SERVER.format(odd="pass", pings=True)
    answered = f"reply['result'] = {DISCOVERED}"
    code = code.replace(
        'if method == "initialize"',
        f'if method == "server/discover": {answered}\n    elif method == "initialize"',
    )
    code = code.replace("for line in", "time.sleep(0.5)\nfor line in", 1)
    target = "stdio:" + shlex.join([sys.executable, "-c", code, json.dumps([COUNT])])
    spoken = (MODERN, "2025-11-25")
    session = Session(Settings(targets=(target,), profiles=("mcp",), spec_versions=spoken))
    session.discover((target,))
    assert [one.run.id for one in session.found] == [f"stdio-{MODERN}", "stdio-2025-11-25"]
    sent = [e for e in session.recorder.by_id.values() if e.script == LOOKED]
    assert [e.run for e in sent if e.step == INITIALIZE] == [f"stdio-{MODERN}"]


def test_a_process_that_says_nothing_is_told_in_the_language_of_the_session(monkeypatch):
    monkeypatch.setattr(discovery, "SILENCE", 0.1)
    target = "stdio:" + shlex.join([sys.executable, "-c", "import time; time.sleep(60)"])
    session = Session(
        Settings(targets=(target,), spec_versions=(MODERN,), start_timeout=0.5, language="es")
    )
    with pytest.raises(TargetUnusable) as told:
        session.discover((target,))
    assert "no dio ninguna respuesta" in told.value.words.words("es")


LOCKED = """
import fcntl, os, sys
held = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
try:
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.exit("database is locked")
os.set_inheritable(held, True)
open(sys.argv[2], "a").write("started\\n")
os.execvp(sys.argv[3], sys.argv[3:])
"""


@pytest.fixture
def locked(tmp_path):
    """The reference server, of which one process can live at a time, and where it notes starts."""
    words = (sys.executable, "-c", LOCKED, tmp_path / "lock", tmp_path / "starts")
    own = [*map(str, words), *command(REFERENCE, "--stdio")]
    return "stdio:" + shlex.join(own), tmp_path / "starts"


@pytest.mark.slow
def test_a_server_of_which_one_process_can_live_has_no_finding_and_is_started_few_times(locked):
    target, starts = locked
    found_here, items = judged(
        target,
        [package.removeprefix("conformance.") for package in packages()],
        tuple(Era),
        include_tools=("get_booking", "search_database"),
        allow_calls=AllowCalls.ALL,
    )
    assert found(items) == {}
    assert len(found_here.found) == 5
    assert all(one.connected for one in found_here.evidence().values())
    assert len(starts.read_text().splitlines()) <= 8


def test_a_server_without_ping_lives_all_the_same():
    _, items = judged(target_of("pass", pings=False), ("mcp",), request_timeout=5.0)
    lives = [item for (_, clause, _), item in items.items() if clause == "MCP-WIRE-001"]
    assert [item.verdict for item in lives] == [Verdict.PASS]
    failed = {clause for (_, clause, _), item in items.items() if item.verdict is Verdict.FAIL}
    assert failed == {"MCP-PING-001"}


@pytest.mark.slow
def test_an_answer_that_comes_late_is_kept_and_is_not_laid_to_the_next_call():
    odd = "time.sleep(1.5 * (n == 10))"
    session, items = judged(target_of(odd), ("atdf", "mcp"), request_timeout=1.0)
    assert ("MCP-RPC-001", None) not in found(items)
    assert {tool for _, tool in found(items)} <= {None}
    late = [e.answer.late for e in session.recorder.by_id.values() if e.answer is not None]
    assert any(late)


@pytest.mark.slow
def test_no_sentence_says_of_a_call_without_an_answer_that_it_was_refused():
    _, items = judged(target_of("time.sleep(600)"), ("atdf", "mcp"), request_timeout=0.5)
    said = {
        finding.message.words()
        for (_, _, tool), item in items.items()
        for finding in item.findings
        if tool is not None
    }
    assert any("no answer" in words for words in said)
    assert [words for words in said if "refused" in words] == []
