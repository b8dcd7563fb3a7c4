"""The command line that validates: what it says of any input, and its exit code."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from conformance.cli import validate as validate_command
from conformance.cli.validate import main
from conformance.formats.text.json_text import LARGEST
from conformance.spec.vocabulary import META_KEY_EARLIER, META_KEY_NAME, MetaKey
from tests.root import ROOT

EXAMPLES = ROOT / "fixtures" / "examples"
TOOL = {"name": "t", "description": "d", "inputSchema": {"type": "object"}}
CATALOG = json.dumps({"tools": [TOOL]})


@pytest.fixture
def said(capsys):
    def run(*arguments):
        code = main([str(each) for each in arguments])
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def said_all(capsys):
    def run(*arguments):
        code = main([str(each) for each in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_valid_file_is_named_with_its_document_and_the_rule_that_decided(said, file):
    code, text = said(file("a.json", CATALOG))
    assert code == 0
    assert "atdf catalog 1.0, recognized by tools: valid" in text


def test_one_dialect_is_not_called_several(said):
    _, text = said(EXAMPLES / "ardf/valid/dialect-bare.json")
    assert "written in the dialect bare-invocation: valid" in text


def test_a_problem_stands_with_line_path_words_and_clause(said, file):
    tool = '{"name": "t",\n   "description": "",\n   "inputSchema": {"type": "object"}}'
    bad = f'{{"tools": [\n  {tool}]}}'
    code, text = said(file("a.json", bad))
    assert code == 1
    assert "3:4  $.tools[0].description  error: The text is empty." in text
    assert "[ATDF-TOOL-002]" in text


def test_a_warning_alone_leaves_the_exit_code_at_zero(said):
    code, text = said(EXAMPLES / "ardf/invalid/template-variable-unused.json")
    assert code == 0
    assert "warning: " in text


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("bom.json", b"\xef\xbb\xbf" + CATALOG.encode(), 0, "valid"),
        ("utf16.json", CATALOG.encode("utf-16"), 1, "UTF-16"),
        ("latin.json", CATALOG.replace('"d"', '"\u00e9"').encode("latin-1"), 2, "0xe9"),
        ("tabs.yaml", "tools:\n\t- name: t\n", 2, "with a tab"),
        ("twice.json", CATALOG.replace('"name"', '"name": "s", "name"'), 1, "appears twice"),
        ("deep.json", '{"tools": ' + "[" * 10_000 + "]" * 10_000 + "}", 2, "deep"),
        (
            "nan.json",
            CATALOG.replace('"d"', "\n NaN"),
            2,
            '2:2  $  error: Not every reader of JSON can read "NaN" as a number',
        ),
        ("huge.json", '{"a": "1e999",\n"b": 1e999}', 2, "2:6  $  error: Not every reader"),
        ("long.json", '{"a":\n' + "7" * 5000 + "}", 2, "2:1  $  error: "),
        ("twice.yaml", "tools: []\ntools: []\n", 1, "2:1  $.tools  error: "),
        ("cut.json", CATALOG[:-3], 2, "ends"),
        ("empty.json", "", 2, "empty"),
        ("two.json", '{"tools": [], "errors": []}', 2, "two documents"),
        ("unknown.json", '{"a": 1}', 2, "Unrecognized document"),
        (
            "network.json",
            CATALOG.replace('"object"', '"object", "$ref": "https://example.com/s.json"'),
            1,
            "ATDF-TOOL-005",
        ),
        ("future.yaml", "{tool_id: a, description: b, schema_version: '9.1'}", 1, "ATDF-DESC-007"),
    ],
)
def test_strange_input_is_said_in_words(said, file, name, content, code, words):
    found, text = said(file(name, content))
    assert found == code, text
    assert words in text
    assert "Traceback" not in text


def test_a_file_that_is_too_large_is_not_read(said, tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(LARGEST + 100_000_000)
    code, text = said(path)
    assert code == 2
    assert "large" in text


def test_the_rest_of_a_batch_goes_on_after_what_cannot_be_used(said, file, tmp_path):
    good, bad = file("good.json", CATALOG), file("bad.json", "{")
    code, text = said(tmp_path / "none.json", bad, good)
    assert code == 2
    assert "no such file" in text
    assert "3 read: 1 valid, 0 not valid, 2 not checked" in text


def test_a_pipe_is_refused_and_not_waited_for(said, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert said(tmp_path / "pipe")[0] == 2


def test_a_directory_is_read_in_depth_and_other_files_are_passed_over(said, file, tmp_path):
    (tmp_path / "a" / ".hidden").mkdir(parents=True)
    file("a/tool.yaml", "name: t\ndescription: d\ninputSchema: {type: object}\n")
    file("a/package.json", '{"version": 1}')
    file("a/notes.txt", "hello")
    file("a/.hidden/x.json", "{")
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")
    code, text = said(tmp_path)
    assert code == 0
    assert "package.json: not a known document; ignored" in text
    assert "2 read: 1 valid" in text


def test_a_directory_without_any_document_is_unusable(said, file, tmp_path):
    assert said(tmp_path)[0] == 2
    file("package.json", "{}")
    assert said(tmp_path)[0] == 2


def test_a_document_is_judged_as_what_it_is_said_to_be(said, file):
    code, text = said(file("a.json", CATALOG), "--as", "error")
    assert code == 1
    assert "ATDF-ERR-001" in text


def test_standard_input_may_be_json_or_yaml(monkeypatch, said):
    for raw in (CATALOG.encode(), b"tools: []\n"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        assert said("-")[0] == 0


def test_a_fault_in_yaml_has_the_line_of_the_file(said, file):
    code, text = said(
        file("a.yml", "tools:\n- name: ''\n  description: d\n  inputSchema: {type: object}")
    )
    assert code == 1
    assert "2:3  $.tools[0].name" in text


def test_an_answer_with_its_headers_is_read_and_its_lines_are_those_of_the_file(said, file):
    head = "HTTP/1.1 422 Unprocessable Content\r\ncontent-type: application/json\r\n\r\n"
    for name in ("answer.txt", "answer.json", "answer"):
        code, text = said(file(name, head + '{\r\n "errors": [\r\n  {"title": "x"}\r\n ]\r\n}'))
        assert code == 1
        assert "atdf error 1.0" in text
        assert "  6:3  $.errors[0]  error: `type` is missing." in text
    code, text = said(file("refused.txt", head + '{"detail": [{"loc": ["body", "guests"]}]}'))
    assert code == 2
    assert "An error, but not an ATDF error" in text
    assert "How to write the error: https://agent-formats.github.io/guides/error-design/" in text


def test_json_output_is_one_object_with_a_place_for_each_problem(said):
    code, text = said(EXAMPLES / "ardf", "--format", "json")
    held = json.loads(text)
    index = json.loads((EXAMPLES / "ardf/index.json").read_text(encoding="utf-8"))
    by_file = {Path(each["file"]).stem: each for each in held["files"]}
    assert code == 1
    for entry in index["invalid"]:
        if by_file[entry["id"]]["document"] == entry["document"]:
            found = [(p["path"], p["clause"]) for p in by_file[entry["id"]]["problems"]]
            assert (entry["at"], entry["breaks"]) in found
    assert held["summary"]["files"] == len(held["files"])
    assert all(p["line"] for each in held["files"] for p in each["problems"])


def sarif(said, *files):
    code, text = said(*files, "--format", "sarif")
    log = json.loads(text)
    (run,) = log["runs"]
    return code, log, run


def test_sarif_output_names_each_rule_that_a_result_uses(said):
    code, _, run = sarif(said, EXAMPLES / "ardf/invalid")
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert code in (1, 2)
    assert run["results"]
    assert len(set(rules)) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")


def test_sarif_output_has_the_structure_that_its_standard_requires(said, file):
    """The required members of SARIF 2.1.0, and the limits of those that are used."""
    strange = file("a b.json", "{")
    _, log, run = sarif(said, EXAMPLES / "atdf/invalid", strange)
    assert log["version"] == "2.1.0"
    assert log["$schema"].startswith("https://")
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    driver = run["tool"]["driver"]
    assert driver["name"]
    for rule in driver["rules"]:
        assert rule["id"]
        assert rule.get("shortDescription", {"text": "x"})["text"]
        assert rule.get("helpUri", "https://").startswith("https://")
    for result in run["results"]:
        assert result["message"]["text"]
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        uri = urlsplit(physical["artifactLocation"]["uri"])
        assert uri.scheme == "file"
        assert " " not in uri.path
        assert Path(unquote(uri.path)).is_file()
        region = physical.get("region", {"startLine": 1, "startColumn": 1})
        assert min(region.values()) >= 1


def test_sarif_output_of_nothing_wrong_is_a_run_without_results(said, file):
    code, _, run = sarif(said, file("a.json", CATALOG))
    assert (code, run["results"]) == (0, [])


def test_sarif_output_names_a_file_as_it_was_named(said, file, monkeypatch, tmp_path):
    file("a b.json", "{")
    monkeypatch.chdir(tmp_path)
    _, _, run = sarif(said, "a b.json")
    physical = run["results"][0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "a%20b.json"


def test_a_long_run_says_how_far_it_is_and_names_few_of_the_valid(said_all, tmp_path, monkeypatch):
    monkeypatch.setattr(validate_command, "PROGRESS_SECONDS", 0.0)
    for number in range(120):
        (tmp_path / f"{number}.json").write_text(CATALOG, encoding="utf-8")
    code, out, err = said_all(tmp_path)
    assert code == 0
    assert "60 files read" in err
    assert out.count(": valid") == 50
    assert "70 more files are valid or ignored" in out
    assert "120 read: 120 valid" in out


@pytest.mark.parametrize("language", ["es", "pt"])
def test_all_is_said_in_the_language_that_is_asked_for(said, language):
    _, english = said(EXAMPLES / "ardf/invalid")
    _, other = said(EXAMPLES / "ardf/invalid", "--language", language)
    assert len(english.splitlines()) == len(other.splitlines())
    assert " error: " not in other or language == "es"
    assert "not valid" not in other


def test_a_name_that_a_terminal_could_act_on_is_not_printed_as_it_is(said, tmp_path):
    path = tmp_path / "a\x1b[2J.json"
    path.write_text(CATALOG, encoding="utf-8")
    assert "\x1b" not in said(path)[1]


def test_the_command_runs_from_any_directory(tmp_path):
    done = subprocess.run(
        [Path(sys.executable).with_name("agent-formats"), "validate", str(EXAMPLES / "atdf/valid")],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 not valid" in done.stdout


@pytest.mark.parametrize("text", ["data: {}\n\ndata: [DONE]\n", "\nevent: a\r\ndata: x\r\n\r\n"])
def test_a_text_of_events_without_a_name_of_one_is_said_to_be_a_stream(said, file, text):
    code, out = said(file("a.txt", text))
    assert code == 2
    assert "--as event-stream" in out
    for other in ("data: {}\nstatus: x\n", "data: 1\n" * 50_000 + "x"):
        assert "--as event-stream" not in said(file("a.txt", other))[1]


def test_a_stream_under_another_name_has_the_limit_of_a_stream(said, file):
    for name in ("a.txt", "a.sse"):
        code, out = said(file(name, "data: {}\n" * 200_001))
        assert code == 2
        assert "Split it" in out


def test_an_older_name_that_fix_would_change_is_a_note(said, tmp_path):
    file = tmp_path / "tool.json"
    old = {**TOOL, "examples": [{"goal": "g", "input_values": {}}]}
    file.write_text(json.dumps(old, indent=1))
    code, out = said(file)
    assert code == 0
    assert "$.examples[0].goal  note: `goal` is an earlier name of `name`" in out
    assert "$.examples[0].input_values  note: `input_values` is an earlier name of `input`" in out
    assert "Errors: 0. Warnings: 0." in out
    _, told = said(file, "--format", "json")
    notes = json.loads(told)["files"][0]["notes"]
    assert [(each["pointer"], each["level"]) for each in notes] == [
        ("/examples/0/goal", "note"),
        ("/examples/0/input_values", "note"),
    ]
    results = json.loads(said(file, "--format", "sarif")[1])["runs"][0]["results"]
    assert {each["level"] for each in results} == {"note"}


def test_what_is_in_the_form_of_the_specification_has_no_note(said, tmp_path):
    file = tmp_path / "tool.json"
    file.write_text(json.dumps({**TOOL, "examples": [{"name": "g", "input": {}}]}))
    assert "note" not in said(file)[1]


NO_ENVELOPE = {"errors": [{"detail": "Which one?"}]}
TEXT = {"type": "text", "text": "No."}
HELD = {
    '$._meta["io.github.agent-formats/error"].errors[0]': {
        "content": [TEXT], "_meta": {META_KEY_NAME[MetaKey.ERROR]: NO_ENVELOPE},
    },
    '$._meta["agent-formats/error"].errors[0]': {
        "content": [TEXT], "_meta": {META_KEY_EARLIER[MetaKey.ERROR]: NO_ENVELOPE},
    },
    "$.structuredContent.errors[0]": {"content": [TEXT], "structuredContent": NO_ENVELOPE},
    "$.content[1].text.errors[0]": {
        "content": [TEXT, {"type": "text", "text": json.dumps(NO_ENVELOPE)}],
    },
}  # fmt: skip


@pytest.mark.parametrize("place", HELD)
@pytest.mark.parametrize("framed", [False, True])
def test_the_error_in_the_result_of_a_call_is_judged_at_its_place(said, file, place, framed):
    result = {**HELD[place], "isError": True}
    answer = {"jsonrpc": "2.0", "id": 1, "result": result} if framed else result
    code, text = said(file("a.json", json.dumps(answer)))
    place = place.replace("$", "$.result", 1) if framed else place
    assert (code, "atdf error" in text, f"{place}  error" in text) == (1, True, True)


NO_RESULTS = [
    {"role": "user", "content": [{"type": "text", "text": "hi"}]},
    {"content": [{"type": "text", "text": "hi"}, {"type": "paragraph"}]},
    {"name": "page", "content": [{"type": "paragraph"}]},
    {"content": []},
    {"content": [None, 5, []]},
]
"""Values with `content`, none of them from a tool of MCP."""


@pytest.mark.parametrize(
    ("content", "heading", "sentence"),
    [
        ('{"content": [{"type": "text", "text": "No."}], "isError": true}',
         "another format, which this command does not check", "MCP allows this"),
        ('{"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"t": 1}}}',
         "another format, which this command does not check", "The result of an MCP tool call."),
        ('{"content": [{"type": "text", "text": "A."}], "resultType": "complete", "_meta": {}}',
         "another format, which this command does not check", "The result of an MCP tool call."),
        ('{"mcpServers": {}}', "another format, which this command does not check", "MCP client"),
        ('{"swagger": "2.0"}', "another format, which this command does not check", "OpenAPI"),
        ('{"color": "red"}', "not a known document", "/start/reader/#recognise"),
        ('{"name": "t"}', "not a known document", "lacks"),
        *((json.dumps(each), "not a known document", "") for each in NO_RESULTS),
        ("[1]", "not a known document", "Expected a document"),
        ('{"color": ', "unusable", "JSON"),
    ],
)  # fmt: skip
def test_the_heading_says_why_there_is_no_verdict(said, file, content, heading, sentence):
    code, text = said(file("a.json", content))
    assert code == 2
    first, second, summary = text.splitlines()
    assert first.endswith(f"a.json: {heading}")
    assert sentence in second
    assert "0 not valid, 1 not checked" in summary
