"""What no import shows: what chapters call, and that everything runs from anywhere.

import-linter holds the imports (`make check`).
"""

import ast
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.schema.instances import Unjudgeable, errors_of
from conformance.formats.schema.schemas import schema_faults
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.formats.validate.validate import validate
from conformance.kit.cases.baseline import candidates
from conformance.kit.cases.plan import plan
from conformance.kit.verdicts.checks import packages
from tests.kit.samples import HTTP
from tests.kit.sessions import ROOT
from tests.thorough import every

HOUSE = ROOT / "conformance"
CHAPTERS = [name.rpartition(".")[2] for name in packages()]
TOUCHES = {"open", "exec", "eval", "input", "__import__", "breakpoint"}
"""Built-in functions by which a chapter would reach beyond its evidence."""
IN_AND_OUT = {"read_text", "read_bytes", "write_text", "write_bytes", "unlink", "system", "popen"}


def files(*folders):
    return sorted(path for folder in folders for path in (HOUSE / folder).rglob("*.py"))


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_the_walls_are_looked_at_where_the_code_is():
    assert len(files("formats")) > 10
    assert len(files("kit")) > 40
    assert all(len(files(chapter)) > 2 for chapter in CHAPTERS)


def test_the_linter_reads_every_module_of_every_room():
    """A directory that is excluded by its name is excluded at every depth."""
    command = [sys.executable, "-m", "ruff", "check", "--show-files", str(HOUSE)]
    seen = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    missed = set(HOUSE.rglob("*.py")) - set(map(Path, seen.splitlines()))
    assert {path.name for path in missed} == {"vocabulary.py"}


def test_the_repository_holds_no_symbolic_link():
    """It leads to what only one machine has, and systems differ in what they make of it."""
    command = ["git", "ls-files", "--stage"]
    kept = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [line for line in kept.splitlines() if line.startswith("120000 ")] == []


def test_a_module_has_at_most_400_lines():
    modules = [*HOUSE.rglob("*.py"), *(ROOT / "scripts").rglob("*.py")]
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules}
    assert [path.name for path, lines in lengths.items() if lines > 400] == ["vocabulary.py"]


def test_chapters_call_nothing_that_reads_or_writes():
    found = []
    for path in files(*CHAPTERS):
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if isinstance(called, ast.Name) and called.id in TOUCHES:
                found.append((path.name, called.id))
            if isinstance(called, ast.Attribute) and called.attr in IN_AND_OUT:
                found.append((path.name, called.attr))
    assert found == []


def test_only_one_module_splits_an_address_by_the_library():
    """The library takes hours for a host of a megabyte: `formats/schema/uri.py` refuses it."""
    split = re.compile(
        r"^from urllib(?:\.parse import .*\burl(?:split|join|parse|defrag)| import)", re.M
    )
    by = [each.name for each in files("kit", "formats", "cli", "convert", *CHAPTERS)
          if split.search(each.read_text(encoding="utf-8"))]  # fmt: skip
    assert by == ["uri.py"]


@pytest.mark.slow
def test_only_targets_start_a_server():
    allowed = {"conformance/kit/transport/stdio_connection.py"}
    makers = {
        path.relative_to(ROOT).as_posix()
        for path in files("kit", "formats", *CHAPTERS)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr.startswith("create_subprocess")
    }
    assert makers == allowed


TESTS = sorted((ROOT / "tests").rglob("*.py"))
PATCHES = {"setattr", "delattr", "getattr", "hasattr", "object"}
"""Calls that take the name of what they read or change as text."""
DOCUMENTED = {"os._exit"}


def private(name):
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def called_name(node):
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def private_names(path):
    """What a test names of others that they keep to themselves: imported, read, or patched."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [*(getattr(node, "module", None) or "").split(".")]
            names += [part for alias in node.names for part in alias.name.split(".")]
        elif isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
            names = [] if own or ast.unparse(node) in DOCUMENTED else [node.attr]
        elif isinstance(node, ast.Call) and called_name(node) in PATCHES:
            texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
            names = [part for text in texts if isinstance(text, str) for part in text.split(".")]
        else:
            continue
        yield from (f"{path.name}:{node.lineno} {name}" for name in names if private(name))


def test_no_test_names_what_is_private():
    assert len(TESTS) > 150
    assert [each for path in TESTS for each in private_names(path)] == []


def sleeps(path):
    """Where a file sleeps, except to let the loop go round."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom):
            found = any(alias.name == "sleep" for alias in node.names)
        else:
            found = isinstance(node, ast.Call) and called_name(node) == "sleep"
            found = found and [ast.unparse(each) for each in node.args] != ["0"]
        if found:
            yield f"{path.name}:{node.lineno}"


def test_no_test_sleeps_to_be_right():
    assert {path.name for path in TESTS if [*sleeps(path)]} == {"waiting.py"}


def test_references_to_the_network_are_never_fetched():
    """`jsonschema` fetches a remote reference unless it is given a registry that does not."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "string"}')

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        remote = {"$ref": f"http://127.0.0.1:{server.server_port}/day.json"}
        schema = {"type": "object", "properties": {"day": remote}, "required": ["day"]}
        example = {"name": "one", "input": {"day": "Monday"}}
        listed = {"name": "t", "description": "T.", "inputSchema": schema, "examples": [example]}
        try:
            validate({"tools": [listed]}, "catalog")
            schema_faults(schema)
            with suppress(Unjudgeable):
                errors_of(schema, {"day": "Monday"})
            for tool in tools_of({"tools": [listed]}, Source.ATDF).tools or (
                Tool("t", schema, ToolForm.CATALOG, listed),
            ):
                candidates(tool, (), datetime.now(UTC))
                plan(tool, HTTP, {"day": "Monday"})
            assert urlopen(remote["$ref"], timeout=5).status == 200  # it could have been
        finally:
            server.shutdown()
    assert asked == ["/day.json"]  # by this test alone


REFERENCE = f"stdio:{sys.executable} -m fixtures.servers.reference --stdio"
QUICK = ("--include-tool", "validate_data", "--profile", "mcp")


@pytest.fixture(scope="module")
def reference():
    """A reference server at a free port, shared by these tests; gives its URL."""
    from fixtures.servers.start import listening

    with listening() as url:
        yield url


@pytest.fixture(scope="module")
def whole(kit, reference, tmp_path_factory):
    """One run of the whole kit, from elsewhere, with `-n 2` and a time-out."""
    folder = tmp_path_factory.mktemp("elsewhere")
    args = (str(HOUSE), "--target", reference, "-n", "2", "--timeout", "200", "--report", "out")
    ran = kit(*args, "--include-tool", "validate_data", "--profile", "http", cwd=folder)
    return ran, folder / "out"


@pytest.mark.slow
def test_the_whole_kit_runs_from_elsewhere_and_reports_there(whole):
    ran, out = whole
    assert ran.code == 0, ran.said
    names = {"report.html", "results.json", "exchanges.ndjson", "junit.xml", "badge.json",
             "summary.md"}  # fmt: skip
    assert names <= {path.name for path in out.iterdir()}


@pytest.mark.slow
def test_n_is_accepted_with_one_line_and_one_process(whole):
    ran, _ = whole
    assert ran.out.count("-n is accepted") == 1
    assert "[gw0]" not in ran.said
    assert "workers" not in ran.said


def test_the_terminal_shows_one_line_before_and_no_dots(whole):
    ran, _ = whole
    lines = ran.out.splitlines()
    assert sum(line.startswith("Checking http://") for line in lines) == 1
    assert not any(re.match(r"[.sxFE]{5}", line) for line in lines)
    assert "test_calls.py" not in ran.out


def test_where_there_is_no_terminal_a_run_says_when_it_begins_and_ends(whole):
    lines = whole[0].out.splitlines()
    assert lines.count("http: begins") == 1
    ends = [
        line for line in lines if re.fullmatch(r"http: \d+ cases, \d+ requests in .+ m?s", line)
    ]
    assert len(ends) == 1


def test_the_level_reached_is_told_with_what_keeps_it_from_the_next(whole):
    assert "Level: Described" in whole[0].out
    assert "What keeps it from Guarded:" in whole[0].out


def test_junit_and_results_tell_of_the_same_items(whole):
    _, out = whole
    results = json.loads((out / "results.json").read_text())
    items = sum(len(run["items"]) for run in results["runs"])
    assert (out / "junit.xml").read_text().count("<testcase ") == items


def test_one_chapter_runs_by_itself(kit, reference, tmp_path):
    ran = kit(
        "conformance/atdf", "--target", reference, *QUICK[:2], "--profile", "http",
        "--report", str(tmp_path),
    )  # fmt: skip
    results = json.loads((tmp_path / "results.json").read_text())
    clauses = {item["clause"] for run in results["runs"] for item in run["items"]}
    assert ran.code == 0, ran.said
    assert {clause.split("-")[0] for clause in clauses} == {"ATDF"}


def test_one_clause_is_selected_by_its_name(kit, reference, tmp_path):
    ran = kit(
        "conformance", "--target", reference, *QUICK[:2], "--profile", "http",
        "-k", "ATDF-ERR-007", "--report", str(tmp_path),
    )  # fmt: skip
    results = json.loads((tmp_path / "results.json").read_text())
    clauses = {item["clause"] for run in results["runs"] for item in run["items"]}
    assert ran.code == 0, ran.said
    assert clauses == {"ATDF-ERR-007"}


def test_a_chapter_runs_from_its_own_folder(kit, reference, tmp_path):
    ran = kit(
        ".", "--target", reference, *QUICK[:2], "--profile", "http", "-k", "ATDF-CAT",
        "--report", str(tmp_path), cwd=HOUSE / "atdf",
    )  # fmt: skip
    assert ran.code == 0, ran.said


def test_the_project_s_own_tests_are_left_alone_by_the_kit(kit):
    ran = kit("tests/kit/report/test_exit.py", "-q", "-p", "no:cacheprovider")
    assert ran.code == 0, ran.said
    assert "conformance" not in ran.out


@pytest.mark.parametrize("plugin", ["pytest_timeout", "xdist", "pytest_playwright", "pytest_html"])
def test_the_plugins_that_the_kit_has_to_live_with_are_installed(plugin):
    __import__(plugin)


def test_help_groups_the_kit_s_options(kit):
    ran = kit("conformance", "--help")
    assert ran.code == 0
    assert "conformance: check an HTTP or MCP server from outside" in ran.out


@pytest.mark.parametrize("option", ["--version", "--markers", "--fixtures"])
def test_what_pytest_answers_by_itself_starts_no_server(kit, option):
    ran = kit("conformance", option)
    assert ran.code in {0, 5}
    assert "Checking" not in ran.out


SCRIPTS = sorted(path.stem for path in (ROOT / "scripts").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_as_a_module_from_the_root(script):
    ran = helped([sys.executable, "-m", f"scripts.{script}"], ROOT)
    assert "usage" in ran


@pytest.mark.slow
@pytest.mark.parametrize("script", every(3, SCRIPTS))
def test_a_script_runs_as_a_file_from_elsewhere(script, tmp_path):
    assert "usage" in helped([sys.executable, str(ROOT / "scripts" / f"{script}.py")], tmp_path)


def helped(command, folder):
    """What a command says to `--help`."""
    ran = subprocess.run(
        [*command, "--help"],
        cwd=folder, check=False, capture_output=True, text=True, timeout=120,
        env={**os.environ, "COLUMNS": "99"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


TAKES_APART = {
    "startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "split",
    "rsplit", "fullmatch", "match", "search",
}  # fmt: skip
ID = re.compile(
    r"\b(?:case|step|run|script|neighbour|wanted|replay)(?:\.id)?(?:\.text)?\)?$"
    r"|\b(?:message|said|words)\.id$"
)
"""An expression that is an id or its text, or what a user typed for one."""


def taken_apart(node):
    """The expressions of which a call takes the text apart."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in TAKES_APART:
        return []
    return [node.func.value, *node.args]


@pytest.mark.parametrize(
    ("code", "is_id"),
    [
        ("case.id.startswith('a')", True),
        ("exchange.case.id.text.rpartition('/')", True),
        ("str(exchange.step).endswith('-1')", True),
        ("(exchange.step or '').startswith('list')", True),
        ("exchange.run.endswith('-2')", True),
        ("wanted.startswith(f'{run}/')", True),
        ("PATTERN.fullmatch(case.id.text)", True),
        ("finding.message.id.startswith('kit.')", True),
        ("step.place.startswith('/')", False),
        ("run.version.split('-')", False),
        ("url.startswith('http')", False),
    ],
)
def test_what_takes_an_id_apart_is_recognized(code, is_id):
    assert bool(ids_taken_apart(ast.parse(code))) is is_id


def ids_taken_apart(tree):
    """The expressions in some code that take an id apart."""
    found = []
    for node in ast.walk(tree):
        for each in taken_apart(node) if isinstance(node, ast.Call) else []:
            parts = each.values if isinstance(each, ast.BoolOp) else [each]
            found += [ast.unparse(node) for part in parts if ID.search(ast.unparse(part))]
    return found


def test_nothing_is_read_out_of_the_text_of_an_id():
    """What an id means is a field of `Step`, `CaseId`, `Run` or `Message`, which make the texts."""
    found = {
        path.relative_to(ROOT).as_posix(): hits
        for path in files("kit", *CHAPTERS)
        if (hits := ids_taken_apart(tree(path)))
    }
    assert set(found) == {"conformance/kit/model/case_id.py"}, found
