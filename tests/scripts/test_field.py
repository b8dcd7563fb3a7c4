import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from conformance.spec.clauses import clause_url, clauses
from fixtures.implementations import box, findings, outcome, raw, serve
from fixtures.implementations.corpus import (
    HERE,
    Corpus,
    Environment,
    Kind,
    Server,
    Varying,
    corpus,
)
from fixtures.implementations.findings import Seen, pin, seen
from fixtures.implementations.raw import Reproduction, Talk, reproduced
from fixtures.implementations.scratch import REPOSITORIES, git_repositories
from fixtures.implementations.session import kit
from scripts import field


def git(folder, *arguments):
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repositories(tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch")
    git_repositories(scratch)
    return scratch


def a_server(**changes):
    given = {"name": "s", "kind": Kind.MCP_STDIO, "environment": "e", "language": "Python"}
    return Server(**(given | {"framework": "by hand", "command": ("program",)} | changes))


def results(*items, **changes):
    """A `results.json` of one run with these (clause, tool, verdict)."""
    listed = [
        {
            "clause": clause,
            "tool": tool,
            "verdict": verdict,
            "requirement": "MUST",
            "message": "It broke.",
            "message_id": "finding.x",
            "values": {},
            "more": [],
        }
        for clause, tool, verdict in items
    ]
    run = {"run": "stdio", "items": listed, "level": "none", "counts": {}}
    return {"runs": [run], "kit_errors": []} | changes


def test_every_server_has_a_name_of_its_own():
    names = [each.name for each in corpus().servers]
    assert len(set(names)) == len(names) >= 60


def test_every_server_has_an_environment_that_is_locked():
    for each in corpus().servers:
        assert corpus().environment(each).lock.is_file(), each.name


def test_the_version_of_every_framework_comes_from_the_lock():
    for each in corpus().servers:
        if each.framework_package:
            assert corpus().framework(each)[1][0].isdigit(), each.name


def test_every_package_that_is_checked_is_pinned_to_one_version():
    for each in corpus().servers:
        name, version = corpus().package(each)
        assert name and version[0].isdigit(), each.name


def test_an_application_is_named_by_its_own_framework():
    named = {each.name: corpus().package(each)[0] for each in corpus().servers}
    assert named["fastapi-shop"] == "fastapi"
    assert named["hapi-rooms"] == "@hapi/hapi"
    assert named["flask-books"] == "flask"
    for each in outcome.read():
        assert each["package"] == named[each["name"]], each["name"]


def test_every_lock_and_every_examples_file_belongs_to_the_corpus():
    environments = {each.lock.name for each in corpus().environments}
    assert {path.name for path in (HERE / "locks").iterdir()} == environments
    examples = {each.examples.name for each in corpus().servers}
    assert {path.name for path in HERE.glob("*.examples.yaml")} <= examples


def test_no_lock_names_a_registry():
    for path in (HERE / "locks").iterdir():
        assert "://registry" not in path.read_text(encoding="utf-8"), path.name


def test_every_finding_names_servers_of_the_corpus_and_quotes_its_clause():
    names = {each.name for each in corpus().servers}
    for name, each in findings.findings().items():
        assert each.reproduction.server in names, name
        assert set(each.servers) <= names, name
        clause = clauses()[each.clause]
        assert each.quote == (clause.source.quote if clause.source else clause.text["en"]), name
        assert each.url == (clause.source.url if clause.source else clause_url(clause)), name


def test_no_two_findings_are_of_one_clause_and_cause():
    keys = [each.key for each in findings.findings().values()]
    assert len(set(keys)) == len(keys)


def test_a_reproduction_that_waits_for_silence_shows_that_the_server_is_there():
    for name, each in findings.findings().items():
        server = next(s for s in corpus().servers if s.name == each.reproduction.server)
        heard = any(set(one) - {"silence", "ends"} for one in each.reproduction.seen)
        assert heard or each.reproduction.handshake or server.over_http, name


def test_what_is_seen_is_folded_over_the_versions():
    found = results(("A", "t", "fail"), ("B", None, "warn"), ("C", "t", "pass"))
    found["runs"] *= 2
    assert seen(found) == {Seen("A", "x", "t"), Seen("B", "x")}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "accepted"),
        ({"keywords": "type, enum", "sent": "7"}, "accepted type"),
        ({"step": {"message_id": "step.not-utf8"}}, "accepted not-utf8"),
        (
            {"keywords": {"message": "m", "message_id": "a.b", "values": {"keywords": "format"}}},
            "accepted format",
        ),
    ],
)
def test_a_cause_is_the_word_of_the_message_with_its_keyword_or_step(values, said):
    place = {"message_id": "finding.call.accepted", "values": values}
    assert findings.cause(place) == said


def test_each_place_of_an_item_is_seen():
    made = results(("A", "t", "fail"))
    place = {"message": "", "message_id": "finding.y", "values": None}
    made["runs"][0]["items"][0]["more"] = [place]
    assert seen(made) == {Seen("A", "x", "t"), Seen("A", "y", "t")}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(findings, "FINDINGS", tmp_path)
    findings.findings.cache_clear()
    yield tmp_path
    findings.findings.cache_clear()


_FINDING = """clause: A
cause: x
quote: It must.
url: https://example.org
reproduction:
  server: s
  seen: []
servers: {}
"""


def test_pinning_writes_what_has_a_file_and_gives_what_has_none(folder):
    (folder / "a.yaml").write_text(_FINDING)
    now = [Seen("A", "x", "GET /x"), Seen("A", "x", "u"), Seen("B", "x")]
    assert pin("s", now) == [Seen("B", "x")]
    assert findings.pinned("s") == set(now[:2])
    assert pin("s", []) == []
    assert findings.pinned("s") == frozenset()
    assert (folder / "a.yaml").read_text() == _FINDING


def test_a_new_finding_and_a_finding_that_is_gone_are_both_wrong(folder):
    (folder / "a.yaml").write_text(_FINDING.replace("servers: {}", "servers:\n  s: [t]"))
    made = field.Outcome(a_server(), results=results(("B", "t", "fail")))
    field.compare(made)
    assert made.wrong == ["Not pinned: B x t.", "Gone, but pinned: A x t."]


def test_a_finding_that_varies_is_wrong_neither_when_it_comes_nor_when_it_goes(folder):
    (folder / "a.yaml").write_text(_FINDING.replace("servers: {}", "servers:\n  s: [t]"))
    varying = Varying(clause="A", cause="x", why="It writes a file.")
    server = a_server(varies=(varying,))

    def wrong(*found):
        made = field.Outcome(server, results=results(*found))
        field.compare(made)
        return made.wrong

    assert wrong(("A", "u", "fail"), ("A", "v", "fail")) == []
    assert wrong() == []
    assert wrong(("A", "u", "fail"), ("B", "t", "fail")) == ["Not pinned: B x t."]


def test_a_session_without_a_level_or_with_an_error_of_the_kit_is_wrong(folder):
    made = field.Outcome(a_server(), results=results(kit_errors=["boom"]))
    made.results["runs"][0]["level"] = None
    field.compare(made)
    assert made.wrong == [
        "The kit had 1 errors of its own.",
        "The session ended without a result.",
    ]


def test_the_command_of_a_server_has_its_placeholders_filled_in(tmp_path):
    server = a_server(command=("node", "apps/x.js", "--port={port}", "{scratch}"))
    words = serve.command(server, tmp_path, tmp_path / "s", 8)
    assert words[1:] == [str(HERE / "apps/x.js"), "--port=8", str(tmp_path / "s")]


def test_the_kit_is_told_what_the_corpus_says_of_a_server(tmp_path):
    server = a_server(exclude={"t": "why"}, variables={"DIR": "x"}, options=("--profile", "mcp"))
    words = kit(server, ["a", "b"], tmp_path)
    pairs = list(pairwise(words))
    for pair in (
        ("--target", "b"),
        ("--exclude-tool", "t"),
        ("--env", "DIR"),
        ("--profile", "mcp"),
    ):
        assert pair in pairs


def stdio_server(tmp_path, code):
    program = tmp_path / "bin" / "program"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport json, sys\nfor line in sys.stdin:\n{code}")
    program.chmod(0o755)
    return a_server()


_ECHO = """    m = json.loads(line)
    if isinstance(m, dict) and m.get('method') == 'initialize':
        print(json.dumps({'id': m['id'], 'result': {}}), flush=True)
    elif isinstance(m, dict) and m.get('method') == 'end':
        sys.exit()
    elif isinstance(m, dict) and 'id' in m:
        print(json.dumps({'id': m['id'], 'result': m['params']}), flush=True)
"""


def talk(tmp_path, wait=1.0, handshake="2025-06-18", **reproduction):
    server = stdio_server(tmp_path, _ECHO)
    made = Reproduction(server="s", handshake=handshake, wait=wait, **reproduction)
    (tmp_path / "scratch").mkdir()
    return made, reproduced(made, server, tmp_path, tmp_path / "scratch")


def test_a_reproduction_sees_an_answer(tmp_path):
    answer = {"id": 1, "result": {"a": [{"b": 2}], "c": "!absent", "d": "~^x.z$"}}
    sent = {"id": 1, "params": {"a": [{"b": 1}, {"b": 2, "e": 3}], "d": "xyz"}}
    made, heard = talk(tmp_path, send=(sent,), seen=({"answer": answer},), wait=20)
    assert heard.shows(made.seen[0])
    assert not heard.shows({"answer": {"id": 1, "result": {"a": [{"b": 3}]}}})
    assert not heard.shows({"answer": {"id": 1, "result": {"d": "!absent"}}})


def test_a_reproduction_sees_silence_and_the_end(tmp_path):
    sent = ({"method": "unknown"}, {"method": "end"}, {"id": 1, "params": {}})
    _, heard = talk(tmp_path, send=sent, seen=({"ends": True},), wait=20)
    assert heard.shows({"ends": True, "silence": {"id": 1}})


def test_a_number_is_not_taken_for_a_boolean():
    heard = Talk(lines=[json.dumps({"a": 1})])
    assert not heard.shows({"answer": {"a": True}})


def test_a_server_that_does_not_start_reproduces_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(raw, "OPENING_SECONDS", 5)
    server = stdio_server(tmp_path, "    sys.exit()\n")
    made = Reproduction(server="s", handshake="2025-06-18", seen=({"ends": True},))
    with pytest.raises(serve.StartError, match="initialize"):
        reproduced(made, server, tmp_path, tmp_path)


def http_server(tmp_path, code):
    program = tmp_path / "bin" / "program"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{code}")
    program.chmod(0o755)
    return a_server(kind=Kind.HTTP, variables={"PORT": "{port}"})


_TEAPOT = """import http.server as h, os
class Teapot(h.BaseHTTPRequestHandler):
    def do_POST(self):
        sent = self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(418)
        self.send_header('X-Sent', 'yes')
        self.end_headers()
        self.wfile.write(sent)
h.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), Teapot).serve_forever()
"""


def test_a_reproduction_over_http_sees_status_header_and_body(tmp_path):
    server = http_server(tmp_path, _TEAPOT)
    sent = {"method": "POST", "path": "/x", "body": {"a": "{scratch}"}}
    made = Reproduction(server="s", send=(sent,), seen=())
    scratch = tmp_path / "work" / "scratch"
    scratch.mkdir(parents=True)
    heard = reproduced(made, server, tmp_path, scratch)
    assert heard.shows({"status": 418, "header": "x-sent", "no_header": "allow"})
    assert heard.shows({"answer": {"a": str(scratch)}})


def test_a_server_over_http_that_exits_is_one_sentence_with_its_last_words(tmp_path):
    server = http_server(tmp_path, "import sys\nsys.exit('the port is taken')\n")
    with (
        pytest.raises(serve.StartError, match="the port is taken"),
        serve.serving(server, tmp_path, tmp_path, tmp_path / "log"),
    ):
        pass


def test_a_server_gets_no_other_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "secret")
    server = http_server(tmp_path, "import os, sys\nsys.exit(','.join(sorted(os.environ)))\n")
    with (
        pytest.raises(serve.StartError) as caught,
        serve.serving(server, tmp_path, tmp_path, tmp_path / "log"),
    ):
        pass
    assert "PORT" in str(caught.value)
    assert "SOME_TOKEN" not in str(caught.value)


def test_a_box_has_no_network_and_one_directory_to_write_in(tmp_path):
    reason = box.why_not(tmp_path / "tried")
    if reason:
        pytest.skip(reason)
    (tmp_path / "in").mkdir()
    code = "touch kept; touch ../../out; ip -brief address; echo $$"
    words = box.boxed(["sh", "-c", code], tmp_path, tmp_path / "in")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (tmp_path / "in" / "kept").is_file()
    assert "Read-only file system" in done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()[:-1]] == ["lo"]


def test_a_machine_that_makes_no_box_is_told_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no `unshare`" in box.why_not(tmp_path)


def test_what_is_kept_of_a_session_has_one_entry_for_each_clause_and_cause(monkeypatch):
    made = results(("A", "t", "fail"), ("A", "u", "warn"), ("A", "t", "fail"))
    counts = dict.fromkeys(("pass", "fail", "warn", "flaky", "not_verified"), 1)
    made["runs"][0] |= {
        "counts": counts,
        "version": "2025-06-18",
        "claims_atdf": False,
        "explain": None,
        "tools_called": ["t"],
        "tools_left_out": [],
        "requests": 3,
    }
    made["started"] = "2026-11-21T10:00:00Z"
    environment = Environment(name="e", registry="pypi", packages=("p[x]==1.2",))
    monkeypatch.setattr(
        outcome, "corpus", lambda: Corpus(environments=(environment,), servers=(a_server(),))
    )
    kept = outcome.kept(a_server(), made, 3.4)
    assert (kept["package"], kept["version"], kept["date"]) == ("p", "1.2", "2026-11-21")
    assert [each["tools"] for each in kept["findings"]] == [["t", "u"]]


def test_the_repository_to_read_has_a_staged_and_an_unstaged_change(repositories):
    assert "+three" in git(repositories / "read", "diff", "--cached")
    assert "+four" in git(repositories / "read", "diff")


def test_each_repository_has_two_commits_and_a_second_branch(repositories):
    for name in REPOSITORIES:
        assert git(repositories / name, "rev-list", "--count", "main") == "2"
        assert "side" in git(repositories / name, "branch")


def test_a_commit_leaves_something_to_commit(repositories):
    for _ in range(2):
        git(repositories / "commit", "commit", "--quiet", "--message", "x")
        assert "log.txt" in git(repositories / "commit", "diff", "--cached", "--name-only")


def test_the_scratch_repositories_do_not_depend_on_the_users_own_settings(tmp_path, monkeypatch):
    settings = tmp_path / "gitconfig"
    settings.write_text("[commit]\n\tgpgsign = true\n[user]\n\tsigningkey = nothing\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    git_repositories(tmp_path / "scratch")
    assert git(tmp_path / "scratch", "rev-list", "--count", "main") == "2"


def test_a_name_that_is_not_in_the_corpus_is_a_wrong_command_line(capsys):
    assert field.main(["--only", "no-such-server"]) == 2
    assert "no-such-server" in capsys.readouterr().out


def test_the_parts_make_up_the_corpus(capsys):
    names = []
    for part in ("1/3", "2/3", "3/3"):
        assert field.main(["--list", "--part", part]) == 0
        names += capsys.readouterr().out.split()
    assert sorted(names) == sorted(each.name for each in corpus().servers)


def test_the_state_that_is_kept_is_of_servers_of_the_corpus():
    assert {each["name"] for each in outcome.read()} <= {each.name for each in corpus().servers}
    assert Path(outcome.FIELD).is_file()
