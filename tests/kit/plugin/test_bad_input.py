"""What a user sees for every kind of bad input: one clear sentence or a finding, and the code."""

import asyncio
import json
import re
import shlex
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.kit.report import write as report
from conformance.kit.report.clause_listing import explained
from conformance.spec.clauses import clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import Era, Offer, Scope
from tests.kit.peers import always, close, hang, offering, serving, unused_url, whole

FILES = set(report.FILES) - {"test_replay.py"}  # which only a failure makes
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "description": "A number."}},
    "required": ["n"],
}
GOOD = {"name": "good", "description": "Counts.", "inputSchema": SCHEMA}


@contextmanager
def listening(answer):
    """A server of single bytes in a thread of its own; gives its URL."""
    started, over = threading.Event(), threading.Event()
    urls = []

    async def main():
        async with serving(answer) as peer:
            urls.append(peer.url)
            started.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    started.wait()
    try:
        yield urls[0]
    finally:
        over.set()
        thread.join()


def stdio(code):
    """A target that runs this code with Python."""
    return "stdio:" + shlex.join([sys.executable, "-c", code])


def sentence(ran, *words):
    """Check that a session was refused with one sentence and nothing else; gives it."""
    assert ran.code == 4, ran.said
    assert ran.out == "", ran.out
    lines = [line for line in ran.err.splitlines() if line.strip()]
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("ERROR: ")
    assert "Traceback" not in ran.said
    said = lines[0].removeprefix("ERROR: ")
    assert all(word in said for word in words), said
    assert said.count("..") == 0
    return said


def refused(kit, tmp_path, target, *args):
    return kit("conformance", "--target", target, "--report", str(tmp_path / "out"), *args)


ODD_SERVERS = {
    "not HTTP": (always(b"SSH-2.0-OpenSSH\r\n\r\n", then=close), ["does not speak HTTP", "port"]),
    "closes": (close, ["does not speak HTTP"]),
    "HTML": (always(whole(b"<html>", "Content-Type: text/html")), ["HTML", "API"]),
    "401": (always(whole(b"", status="401 X")), ["credentials", "--bearer-env"]),
    "redirect": (
        always(whole(b"", "Location: https://example.org/x", status="302 X")),
        ["https://example.org/x", "does not follow"],
    ),
    "404": (always(whole(b"{}", status="404 X")), ["status 404", "usual paths"]),
    "not JSON": (always(whole(b"{", "Content-Type: application/json")), ["not JSON"]),
}


@pytest.mark.parametrize("kind", list(ODD_SERVERS))
def test_a_server_that_is_no_target_is_one_sentence(kit, tmp_path, kind):
    answer, words = ODD_SERVERS[kind]
    with listening(answer) as url:
        sentence(refused(kit, tmp_path, url), url, *words)


def test_a_server_that_says_nothing_is_one_sentence_within_its_time(kit, tmp_path):
    with listening(hang) as url:
        ran = refused(kit, tmp_path, url, "--request-timeout", "1")
    sentence(ran, "did not answer", "--request-timeout")


def test_a_server_that_is_not_there_is_one_sentence(kit, tmp_path):
    url = unused_url()
    sentence(refused(kit, tmp_path, url), url, "the connection was refused", "running")


def earlier(tmp_path):
    """The report of an earlier session, where the next one writes its own."""
    (tmp_path / "out").mkdir()
    for name in FILES:
        (tmp_path / "out" / name).write_text("")
    return tmp_path / "out"


STAYS = {
    "en": "The earlier report in {} stays",
    "es": "El informe anterior de {} se conserva",
    "pt": "O relatório anterior em {} permanece",
}
OUTDATED = {"en": "outdated", "es": "desactualizado", "pt": "desatualizado"}
BADGE = {"schemaVersion": 1, "label": "agent formats", "message": "guarded", "color": "yellow"}


@pytest.mark.parametrize("language", list(STAYS))
def test_a_wrong_target_leaves_the_earlier_report_and_marks_its_badge(kit, tmp_path, language):
    folder = earlier(tmp_path)
    (folder / "badge.json").write_text(json.dumps(BADGE))
    ran = refused(kit, tmp_path, unused_url(), "--language", language)
    assert (ran.code, ran.out) == (4, "")
    error, stays = (line for line in ran.err.splitlines() if line)
    assert error.startswith("ERROR: ")
    assert stays.startswith(STAYS[language].format(folder))
    assert {path.name for path in folder.iterdir()} == FILES
    marked = json.loads((folder / "badge.json").read_text())
    assert marked["message"] == f"guarded ({OUTDATED[language]})"
    assert marked == {**BADGE, "message": marked["message"], "color": "lightgrey"}
    refused(kit, tmp_path, unused_url(), "--language", language)
    assert json.loads((folder / "badge.json").read_text()) == marked


NO_TOOL = {
    "en": ("`{}` names `goood`, and no target has such a tool", "; did you mean good?"),
    "es": (
        "`{}` nombra `goood`, y ningún objetivo tiene una herramienta así",
        "; ¿quiso decir good?",
    ),
    "pt": (
        "`{}` nomeia `goood`, e nenhum alvo tem uma ferramenta assim",
        "; você quis dizer good?",
    ),
}


@pytest.mark.parametrize(
    ("option", "value", "language"),
    [
        ("--include-tool", "goood", "en"),
        ("--include-tool", "goood", "es"),
        ("--exclude-tool", "goood", "pt"),
        ("--invoke", "goood=POST /x", "en"),
    ],
)
def test_a_tool_that_no_target_has_is_one_sentence_before_any_call(
    kit, tmp_path, option, value, language
):
    folder, called = earlier(tmp_path), []
    with offering([GOOD], lambda *_: called.append(1) or (200, {})) as url:
        ran = refused(kit, tmp_path, url, option, value, "--language", language)
    assert (ran.code, ran.out, called) == (4, "", [])
    said, meant = NO_TOOL[language]
    assert ran.err.splitlines()[0] == f"ERROR: {said.format(option)}{meant}"
    assert {path.name for path in folder.iterdir()} == FILES


def test_a_pattern_may_not_include_nothing_beside_a_name_that_fits(kit, tmp_path):
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--include-tool", "good", "--include-tool", "b*")
    assert (ran.code, "names `b*`, and no target" in sentence(ran)) == (4, True)


def test_a_pattern_may_exclude_nothing(kit, tmp_path):
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--exclude-tool", "delete_*", "--plan")
    assert ran.code == 0, ran.said


@pytest.mark.parametrize("options", [(), ("-k", "no-such-clause")])
def test_a_session_that_checks_nothing_leaves_no_empty_folder(kit, tmp_path, options):
    with offering([GOOD], lambda *_: (200, {})) as url:
        target = url if options else unused_url()
        ran = kit("conformance", "--target", target, *options, cwd=tmp_path)
    assert ran.code in {4, 5}
    assert not (tmp_path / "conformance-report").exists()


def test_a_record_that_is_not_there_costs_the_earlier_report_nothing(kit, tmp_path):
    folder = earlier(tmp_path)
    before = sorted(folder.iterdir())
    ran = kit("conformance", "--judge", str(folder / "typo.ndjson"), "--report", str(folder))
    assert (ran.code, "typo.ndjson cannot be checked" in ran.err) == (4, True), ran.said
    assert sorted(folder.iterdir()) == before


def test_a_folder_of_tests_that_is_none_is_told_with_the_earlier_report_too(kit, tmp_path):
    folder = earlier(tmp_path)
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, str(tmp_path / "none"))
    assert ran.code == 4
    assert ran.err.count(f"The earlier report in {folder} stays") == 1


NO_FOLDER = {
    "a file": ("a file", "it is a file, not a directory"),
    "below a file": ("a file/out", "a part of the path is not a directory"),
    "a system's own": ("/proc/x", ""),
    "one that takes nothing": ("/proc", ""),
    "one below a device": ("/dev/zero/x", "a part of the path is not a directory"),
}


@pytest.mark.parametrize("kind", list(NO_FOLDER))
def test_a_report_that_can_be_written_nowhere_is_one_sentence(kit, tmp_path, kind):
    path, word = NO_FOLDER[kind]
    if not Path(path).is_absolute():
        (tmp_path / "a file").write_text("mine")
    elif not Path("/proc").exists():
        pytest.skip("there is no folder here that takes nothing from anybody")
    folder = str(tmp_path / path)
    ran = kit("conformance", "--target", unused_url(), "--report", folder)
    sentence(ran, folder, word, "--report")
    assert kind.startswith(("a system", "one")) or (tmp_path / "a file").read_text() == "mine"


@pytest.mark.parametrize(
    ("language", "word"), [("es", "El informe no se puede"), ("pt", "O relatório não pode")]
)
def test_that_a_report_can_be_written_nowhere_is_said_in_the_language(
    kit, tmp_path, language, word
):
    (tmp_path / "f").write_text("")
    said = sentence(kit("conformance", "--report", str(tmp_path / "f"), "--language", language))
    assert said.startswith(word)


@pytest.mark.parametrize("name", ["results.json", "report.html", "exchanges.ndjson"])
def test_a_folder_where_a_file_of_the_report_belongs_is_told_before_anything_is_removed(
    kit, tmp_path, name
):
    folder = earlier(tmp_path)
    (folder / name).unlink()
    (folder / name).mkdir()
    ran = refused(kit, tmp_path, unused_url())
    assert "it is a directory" in sentence(ran, name, "--report")
    assert {path.name for path in folder.iterdir()} == FILES
    assert (folder / "badge.json").read_text() == ""


@pytest.mark.parametrize("option", ["--markers", "--fixtures", "--cache-show", "--collect-only"])
def test_what_judges_nothing_of_itself_leaves_the_earlier_report(kit, tmp_path, option):
    folder = earlier(tmp_path)
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = kit("conformance/ardf", "--target", url, "--report", str(folder), option)
    assert str(folder) not in ran.said
    assert {path.name for path in folder.iterdir()} == FILES


def test_tls_that_is_none_is_one_sentence(kit, tmp_path):
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url.replace("http:", "https:"))
    sentence(ran, "TLS", "http://")


ODD_COMMANDS = {
    "none": ("stdio:no-such-command --x", ["no command no-such-command"]),
    "ends": (stdio("import sys; sys.exit('no paper left')"), ["exit code 1", "no paper left"]),
    "ends with a hint": (
        stdio(
            "import sys; sys.exit('no such package\\n  | looked everywhere\\nhint: look again.')"
        ),
        ["“no such package” and, at the end, “hint: look again”"],
    ),
    "ends by an exception": (stdio("None.x"), ["wrote “AttributeError: "]),
    "ends by an exception of Node": (
        stdio(
            "import sys; sys.exit('node:internal/cjs/loader:1210\\n  throw err;\\n\\n'"
            "'Error: Cannot find module x\\n    at Module.load (loader:1207)\\n\\nNode.js v20.1.0')"
        ),
        ["wrote “Error: Cannot find module x”"],
    ),
    "ends by an exception of Node that it caught": (
        stdio(
            "import sys; sys.exit('Demo mode\\nFatal error: Error: No bindings. Tried:\\n'"
            "'  > /a.node\\n    at open (/b.js:1:2) {\\n  tries: [\\n    /a.node\\n  ]\\n}')"
        ),
        ["wrote “Fatal error: Error: No bindings. Tried:”"],
    ),
    "ends by an exception whose words begin on the next line": (
        stdio(
            "import sys; sys.exit('Error: \\nNo \"sharp\"\\n\\nLook here:\\n    at open (/b.js)')"
        ),
        ['wrote “Error: No "sharp"”'],
    ),
    "ends by a panic of Rust": (
        stdio(
            "import sys; sys.exit(\"thread 'main' (12) panicked at src/a.rs:2:5:\\n\""
            "'no key\\nnote: use RUST_BACKTRACE=1')"
        ),
        ["wrote “thread 'main' (12) panicked at src/a.rs:2:5: no key”"],
    ),
    "ends with a log": (
        stdio(
            "import sys; sys.exit('[DEBUG] No .env file\\n2026-11-28 10:00:00,1 [ERROR] No URL\\n'"
            "'[INFO] Error counting is over\\n[INFO] Stopped')"
        ),
        ["wrote “2026-11-28 10:00:00,1 [ERROR] No URL” and, at the end, “[INFO] Stopped”"],
    ),
    "ends below a log in columns": (
        stdio(
            "import sys; sys.exit('[10:00] INFO  Failed:\\n   NewConnectionError(\"HTTPConnec\\n'"
            "'   tion(host)\\nno server at port 8888')"
        ),
        ["at the end, “no server at port 8888”"],
    ),
    "noise": (stdio("while True: print('hello')"), ["more than the kit reads", "hello"]),
    "refuses": (
        stdio(
            "import json, sys\n"
            "for line in sys.stdin:\n"
            "    print(json.dumps({'jsonrpc': '2.0', 'id': json.loads(line).get('id'),"
            " 'error': {'code': -32601, 'message': 'not here'}}), flush=True)"
        ),
        ["not here"],
    ),
}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[pytest.mark.slow] * (k == "noise")) for k in ODD_COMMANDS],
)
def test_a_command_that_is_no_server_is_one_sentence(kit, tmp_path, kind):
    target, words = ODD_COMMANDS[kind]
    sentence(refused(kit, tmp_path, target), *words)


@pytest.mark.parametrize(
    ("language", "word"), [("es", "No se puede llegar"), ("pt", "Não foi possível acessar")]
)
def test_the_sentence_is_in_the_language_asked_for(kit, tmp_path, language, word):
    sentence(refused(kit, tmp_path, unused_url(), "--language", language), word)


def test_a_target_s_words_cannot_move_the_cursor(kit, tmp_path):
    evil = always(whole(b"", "Location: https://x/\x1b[2J\x1b[31m", status="302 X"))
    with listening(evil) as url:
        ran = refused(kit, tmp_path, url)
    assert "\x1b" not in ran.said


def test_a_target_s_words_cannot_repeat_a_secret(kit, tmp_path):
    evil = always(whole(b"", "Location: https://x/?t=very-s3cr3t", status="302 X"))
    with listening(evil) as url:
        ran = kit(
            "conformance", "--target", url, "--bearer-env", "T", env={"T": "very-s3cr3t"},
        )  # fmt: skip
    assert "very-s3cr3t" not in ran.said
    assert "«secret-1»" in ran.said


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--target", "localhost:8000"], ["localhost:8000", "http://"]),
        (["--target", "stdio:"], ["stdio:"]),
        (["--include-tool", "a", "--exclude-tool", "a"], ["--include-tool", "--exclude-tool"]),
        (["--level", "guarded", "--allow-calls", "none"], ["--level", "--allow-calls"]),
        (["--concurrency", "0"], ["--concurrency"]),
        (["--examples", "/no/such/file"], ["/no/such/file"]),
        (["--bearer-env", "NO_SUCH_VARIABLE"], ["NO_SUCH_VARIABLE"]),
        (["--explain", "ATDF-ERRR-007"], ["ATDF-ERRR-007", "ATDF-ERR-007"]),
        (["--explain", "NOPE-1"], ["NOPE-1 (the list is at", "/conformance/clauses/"]),
        (["--explain", "NOPE-1", "--language", "pt"], ["a lista está em", "/pt/conformance/"]),
    ],
    ids=" ".join,
)
def test_options_that_cannot_be_used_are_one_sentence(kit, args, words):
    sentence(kit("conformance", *args), *words)


@pytest.mark.parametrize(
    "args", [["--level", "best"], ["--concurrency", "x"], ["--no-such-option"], ["--rate", "x"]]
)
def test_options_that_pytest_refuses_have_its_words_and_the_same_code(kit, args):
    ran = kit("conformance", *args)
    assert ran.code == 4
    assert "Traceback" not in ran.said


def test_a_clause_is_explained_without_a_target(kit):
    ran = kit("conformance", "--explain", "ATDF-ERR-007")
    assert ran.code == 0
    assert "parameter_name" in ran.out
    assert "test session starts" not in ran.out
    for fact in ("Requirement", "Counts for", "Applies to", "claim ATDF", "How it is checked",
                 "/clauses/atdf-err-007/"):  # fmt: skip
        assert fact in ran.out


@pytest.mark.parametrize("language", ["es", "pt"])
def test_every_clause_can_be_explained(language):
    for clause in clauses().values():
        said = explained(clause, language)
        for part in clause.parts or [clause.text]:
            assert part[language] in said
        assert f"/clauses/{clause.id.lower()}/" in said


@pytest.mark.parametrize("language", ["es", "pt"])
def test_of_whom_a_clause_asks_it_is_said_in_words(language):
    label = message("kit.explain.where").words(language)
    for clause in clauses().values():
        lines = explained(clause, language).splitlines()
        said = next((line for line in lines if line.startswith(label)), "")
        assert (said == "") == (clause.scope is Scope.DOCUMENT), clause.id
        assert not {"stdio", "mcp", *Era, *Offer} & set(re.findall(r"\w+|[≥≤]", said)), said


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("MCP-CALL-001", "MCP over HTTP, MCP over standard input and output"),
        ("HTTP-OAS-004", "plain HTTP; targets that declare nothing but an OpenAPI document"),
        (
            "HTTP-DISC-001",
            "plain HTTP; targets that declare something other than an OpenAPI document",
        ),
    ],
)
def test_a_clause_names_each_limit_and_no_other(clause, expected):
    lines = explained(clauses()[clause], "en").splitlines()
    (said,) = [line for line in lines if line.startswith("Applies to ")]
    assert said.removeprefix("Applies to").strip() == expected


def accepts(name, arguments):
    """A tool that keeps to its schema."""
    sound = isinstance(arguments, dict) and set(arguments) == {"n"} and type(arguments["n"]) is int
    return (200, {"ok": True}) if sound else (400, {"n": "an integer"})


def judged(kit, tmp_path, tools, *args, call=accepts, manifest=True):
    """A whole session with a catalog; gives what was said, and the verdicts by clause and tool."""
    with offering(tools, call, manifest=manifest) as url:
        ran = refused(kit, tmp_path, url, *args)
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    items = {(i["clause"], i["tool"]): i for run in results["runs"] for i in run["items"]}
    assert "Traceback" not in ran.said
    return ran, items


BAD_TOOLS = {
    "no schema": ({"name": "bad", "description": "d"}, "ATDF-TOOL-003", "inputSchema"),
    "schema of no object": (
        {**GOOD, "name": "bad", "inputSchema": {"type": "string"}},
        "ATDF-TOOL-003",
        "object",
    ),
    "invalid schema": (
        {**GOOD, "name": "bad", "inputSchema": {**SCHEMA, "properties": {"n": {"type": "x"}}}},
        "ATDF-TOOL-004",
        "type",
    ),
    "remote reference": (
        {
            **GOOD,
            "name": "bad",
            "inputSchema": {**SCHEMA, "properties": {"n": {"$ref": "https://example.org/n.json"}}},
        },
        "ATDF-TOOL-005",
        "https://example.org/n.json",
    ),
}


@pytest.mark.parametrize("kind", list(BAD_TOOLS))
def test_a_bad_tool_is_a_finding_and_the_others_are_judged(kit, tmp_path, kind):
    tool, clause, word = BAD_TOOLS[kind]
    ran, items = judged(kit, tmp_path, [tool, GOOD], "-k", f"{clause} or ATDF-CALL-001")
    assert ran.code == 1
    assert items[clause, "bad"]["verdict"] == "fail"
    assert word in items[clause, "bad"]["message"]
    assert items["ATDF-CALL-001", "bad"]["verdict"] == "not_verified"
    assert items["ATDF-CALL-001", "good"]["verdict"] == "pass"


@pytest.mark.slow
def test_why_a_tool_was_not_called_says_what_and_where(kit, tmp_path):
    ran, _ = judged(kit, tmp_path, [BAD_TOOLS["no schema"][0], GOOD], "-k", "ATDF-CALL-001")
    assert re.search(r"bad: .*`inputSchema` is missing.*\(\$\.tools\[0\]\)", ran.out)


@pytest.mark.slow
def test_the_same_name_twice_is_a_finding(kit, tmp_path):
    ran, items = judged(kit, tmp_path, [GOOD, GOOD], "-k", "ATDF-CAT-002")
    assert ran.code == 1
    assert "good" in items["ATDF-CAT-002", None]["message"]


@pytest.mark.parametrize("tools", [["x", 3, None], [[]]])
def test_tools_that_are_none_are_findings(kit, tmp_path, tools):
    ran, items = judged(kit, tmp_path, tools, "-k", "ATDF-TOOL or ATDF-CAT")
    assert ran.code == 1
    assert any(clause == "ATDF-CAT-001" or tool == "#1" for clause, tool in items)


def test_an_empty_catalog_is_nothing_to_judge(kit, tmp_path):
    ran, _ = judged(kit, tmp_path, [], "-k", "ATDF-CALL")
    assert ran.code == 5
    assert "no tool was called" in ran.out


@pytest.mark.parametrize(("option", "value"), [("-k", "no_such_clause"), ("-m", "(must)and(may)")])
def test_a_selection_of_nothing_ends_before_any_call(kit, tmp_path, option, value):
    called = []

    def call(name, arguments):
        called.append(name)
        return 200, {}

    with offering([GOOD], call, manifest=True) as url:
        ran = refused(kit, tmp_path, url, option, value)
    assert (ran.code, called) == (5, [])
    told = f"no clause was selected by {shlex.join([option, value])}, so no tool was called."
    assert told in ran.out and "repair rate" not in ran.out
    assert not (tmp_path / "out" / "results.json").exists()


def test_a_tool_s_name_cannot_reach_the_terminal_or_the_page(kit, tmp_path):
    evil = {**GOOD, "name": "</script><script>alert(1)</script>\x1b[31m"}
    ran, _ = judged(kit, tmp_path, [evil], "-v", "--fail-on", "should")
    assert "\x1b[31m" not in ran.said
    assert "<script>alert(1)" not in (tmp_path / "out" / "report.html").read_text()


def test_a_plan_calls_nothing_and_writes_no_report(kit, tmp_path):
    called = []
    with offering([GOOD], lambda *_: called.append(1) or (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--plan")
    assert ran.code == 0
    assert "good: " in ran.out
    assert "reject" in ran.out
    assert ran.out.count("`accept`: the server should accept this call.") == 1
    assert called == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("ending", ["wrong-type-string/n", "baseline-1"])
def test_a_plan_of_one_case_lists_that_case_alone(kit, tmp_path, ending):
    other = {**GOOD, "name": "other"}
    with offering([GOOD, other], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--plan", "--replay", f"http/good/{ending}")
    listed = [line for line in ran.out.splitlines() if line.startswith("  ")]
    assert ran.code == 0, ran.said
    assert [line.split()[1] for line in listed] == [f"http/good/{ending}"]
    assert "other" not in ran.out


def test_a_plan_of_a_case_that_is_not_there_is_one_sentence(kit, tmp_path):
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--plan", "--replay", "http/good/no-such-case/n")
    assert ran.code == 4
    assert "This target has no case `http/good/no-such-case/n`" in ran.err


@pytest.mark.slow
def test_versions_of_mcp_where_there_is_none_are_told_to_have_no_effect(kit, tmp_path):
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--spec-version", "2025-11-25", "--allow-calls", "none")
    assert ran.out.count("--spec-version 2025-11-25 has no effect") == 1
    assert ran.code != 4


def test_examples_of_a_tool_that_no_target_has_are_told_in_one_line(kit, tmp_path):
    (tmp_path / "calls.yaml").write_text("old_name: [{a: 1}]\ngood: [{}]\n", encoding="utf-8")
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--plan", "--examples", str(tmp_path / "calls.yaml"))
    told = [line for line in ran.out.splitlines() if "old_name" in line]
    assert len(told) == 1
    assert told[0].endswith("They are not sent. The tools are: `good`.")


def test_a_service_that_completes_chats_is_told_the_option_for_gateways(kit, tmp_path):
    chat = {**GOOD, "invocation": {"endpoint": "/api/v1/chat/completions"}}
    with offering([chat], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--plan", "--allow-calls", "all")
    told = [line for line in ran.out.splitlines() if "--gateway" in line]
    assert len(told) == 1
    assert f"`--gateway openai+{url}/api/v1`" in told[0]


def test_versions_of_mcp_where_nothing_else_is_judged_are_one_sentence(kit, tmp_path):
    with offering([GOOD], lambda *_: (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--spec-version", "2025-11-25", "--profile", "mcp")
    sentence(ran, url, "--spec-version", "2025-11-25")


@pytest.mark.parametrize("versions", [(), ("--spec-version", "2025-11-25")])
def test_a_command_that_starts_no_server_is_told_so_whatever_version_is_asked_for(
    kit, tmp_path, versions
):
    target = stdio("import sys; sys.exit('no paper left')")
    ran = refused(kit, tmp_path, target, *versions)
    sentence(ran, "exit code 1", "no paper left")


def test_collecting_calls_nothing_and_writes_no_report(kit, tmp_path):
    called = []
    with offering([GOOD], lambda *_: called.append(1) or (200, {})) as url:
        ran = refused(kit, tmp_path, url, "--collect-only", "-q")
    assert ran.code == 0
    assert "ATDF-CALL-001-http-good" in ran.out
    assert called == []
    assert not (tmp_path / "out").exists()


def test_a_broken_must_is_told_in_one_line_without_a_traceback(kit, tmp_path):
    ran, _ = judged(kit, tmp_path, [GOOD], call=lambda *_: (200, {}))
    assert ran.code == 1
    assert re.search(r"^ATDF-CALL-001  fail  good$", ran.out, re.MULTILINE)
    assert "FAILURES" not in ran.out
    assert "ClauseFailed" not in ran.out
    assert re.search(r"^Confirming [1-9]\d* possible failures? ", ran.out, re.MULTILINE)


@pytest.mark.slow
def test_stopping_at_the_first_failure_still_reports_everything(kit, tmp_path):
    ran, items = judged(kit, tmp_path, [GOOD], "-x", call=lambda *_: (200, {}))
    assert ran.code == 1
    assert len(items) > 50


@pytest.mark.slow
def test_only_what_failed_last_is_judged_again(kit, tmp_path):
    own = ("-o", f"cache_dir={tmp_path / 'cache'}")
    judged(kit, tmp_path, [GOOD], *own, call=lambda *_: (200, {}))
    _, items = judged(kit, tmp_path, [GOOD], *own, "--lf", call=lambda *_: (200, {}))
    assert {item["verdict"] for item in items.values()} == {"fail"}


def test_reports_go_where_they_are_asked_to(kit, tmp_path):
    page, junit = tmp_path / "page.html", tmp_path / "units.xml"
    judged(
        kit, tmp_path, [GOOD], "-k", "ATDF-CAT", "--html", str(page), "--junit-xml", str(junit)
    )  # fmt: skip
    assert page.exists()
    assert junit.exists()
    assert not (tmp_path / "out" / "report.html").exists()


def test_quietly_only_the_summary_is_shown(kit, tmp_path):
    ran, _ = judged(kit, tmp_path, [GOOD], "-q", "-k", "ATDF-CAT")
    assert "Checking" not in ran.out
    assert "Only a selection was checked" in ran.out


@pytest.mark.slow
def test_loudly_each_item_is_shown(kit, tmp_path):
    ran, _ = judged(kit, tmp_path, [GOOD], "-v", "-k", "ATDF-CAT-001")
    assert re.search(r"ATDF-CAT-001-http\] PASSED", ran.out)


@pytest.mark.slow
def test_time_that_is_up_is_told_with_what_gives_more(kit, tmp_path):
    def slow(name, arguments):
        threading.Event().wait(0.3)
        return accepts(name, arguments)

    ran, items = judged(
        kit, tmp_path, [GOOD], "--max-time", "2", "--concurrency", "1", call=slow
    )  # fmt: skip
    assert ran.code == 2
    assert "--max-time 2" in ran.out
    assert items["ATDF-CALL-001", "good"]["verdict"] == "not_verified"
    assert {path.name for path in (tmp_path / "out").iterdir()} >= FILES


def test_an_interrupt_while_driving_reports_what_was_gathered(kit, tmp_path):
    out = tmp_path / "out"
    with offering([GOOD], accepts, manifest=True) as url:
        ran = kit(
            "conformance", "--target", url, "--report", str(out), "--rate", "5",
            interrupt_when=str(out / "exchanges.ndjson"),
        )  # fmt: skip
    results = json.loads((out / "results.json").read_text())
    assert ran.code == 2, ran.said
    assert "Traceback" not in ran.said
    assert "interrupted" in ran.out
    assert {path.name for path in out.iterdir()} >= FILES
    verdicts = {i["clause"]: i["verdict"] for run in results["runs"] for i in run["items"]}
    assert verdicts["ATDF-CAT-001"] == "pass"
    assert verdicts["ATDF-CALL-001"] == "not_verified"


@pytest.mark.slow
def test_an_interrupt_leaves_no_server_behind(kit, tmp_path):
    mark = f"left-behind-{tmp_path.name}"
    out = tmp_path / "out"
    target = f"stdio:{sys.executable} -m fixtures.servers.reference --stdio"
    ran = kit(
        "conformance", "--target", target, "--report", str(out), "--rate", "5", "--env", "TMPDIR",
        interrupt_when=str(out / "exchanges.ndjson"), env={"TMPDIR": f"/tmp/{mark}"},
    )  # fmt: skip
    assert ran.code == 2, ran.said
    assert mark not in environments()


def environments():
    """The environments of all processes, as far as they can be read."""
    processes = Path("/proc")
    if not (processes / "self" / "environ").exists():
        pytest.skip("there is no list of processes here")
    found = []
    for entry in processes.glob("[0-9]*/environ"):
        try:
            found.append(entry.read_bytes().decode("utf-8", "replace"))
        except OSError:
            continue  # ended meanwhile, or somebody else's
    return "\n".join(found)


def test_one_item_is_judged_by_its_whole_name(kit, tmp_path):
    name = "conformance/atdf/test_calls.py::test_an_invalid_input_is_refused"
    with offering([GOOD], accepts) as url:
        ran = kit(
            f"{name}[ATDF-CALL-001-http-good]", "--target", url, "--report", str(tmp_path),
        )  # fmt: skip
    results = json.loads((tmp_path / "results.json").read_text())
    assert ran.code == 0, ran.said
    assert [len(run["items"]) for run in results["runs"]] == [1]
