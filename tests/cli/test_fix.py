"""`validate --fix` shows a diff first, and writes only what it showed."""

import copy
import errno
import io
import json
import os
import tracemalloc

import pytest

from conformance.cli.documents import fixes
from conformance.cli.validate import main
from conformance.formats.text.edits import edited, laid_out
from conformance.formats.text.json_text import WrittenNumber
from conformance.formats.text.yaml_text import LONGEST
from conformance.formats.validate.mechanical import corrected
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import Requirement

TOOL = {"name": "t", "description": "d", "inputSchema": {"type": "object"}}


def text_of(data, indent=4):
    return json.dumps(data, indent=indent) + "\n"


@pytest.fixture
def file(tmp_path):
    made = tmp_path / "tool.json"
    made.write_text(text_of({**TOOL, "version": 1.5}), encoding="utf-8")
    return made


def test_a_diff_is_shown_and_nothing_is_written(file, capsys):
    before = file.read_bytes()
    assert main([str(file), "--fix"]) == 1
    said = capsys.readouterr()
    assert '-    "version": 1.5\n+    "version": "1.5"\n' in said.out
    assert said.out.count("\n-") == 1
    assert "--write" in said.err
    assert file.read_bytes() == before


def test_what_was_shown_is_written_and_then_there_is_nothing_left(file, capsys):
    assert main([str(file), "--fix", "--write"]) == 0
    assert file.read_text(encoding="utf-8") == text_of({**TOOL, "version": "1.5"})
    capsys.readouterr()
    assert main([str(file), "--fix"]) == 0
    assert capsys.readouterr().out == ""
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_file_that_changes_while_it_is_corrected_is_left_as_it_is(file, capsys, monkeypatch):
    def slow(*given):
        file.write_text("[]\n", encoding="utf-8")  # an editor saves another text meanwhile
        return edited(*given)

    monkeypatch.setattr(fixes, "edited", slow)
    assert main([str(file), "--fix", "--write"]) == 2
    assert file.read_text(encoding="utf-8") == "[]\n"
    assert "changed while it was corrected" in capsys.readouterr().err


def test_a_file_of_the_longest_name_is_written(file):
    long = file.with_name("é" * 120 + "x" * 8 + ".json")
    file.rename(long)
    assert main([str(long), "--fix", "--write"]) == 0
    assert json.loads(long.read_bytes())["version"] == "1.5"


def test_a_link_stays_a_link_and_its_file_is_written(file, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(file)
    assert main([str(link), "--fix", "--write"]) == 0
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == text_of({**TOOL, "version": "1.5"})


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-be", "utf-32", "utf-32-le", "utf-8-sig"])
def test_a_file_in_another_encoding_stays_as_it_is_and_is_named(file, capsys, coding):
    before = text_of({**TOOL, "version": 1.5}).encode(coding)
    file.write_bytes(before)
    assert main([str(file), "--fix", "--write"]) == 2
    assert file.read_bytes() == before
    assert "only in JSON in plain UTF-8" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named_in_one_sentence(file, capsys, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    before = file.read_bytes()
    assert main([str(file), "--fix", "--write"]) == 2
    assert capsys.readouterr().err == f"{file}: The file could not be written: permission denied.\n"
    assert file.read_bytes() == before


def test_standard_input_is_not_said_to_be_written(capsys, monkeypatch):
    text = text_of({**TOOL, "version": 1.5}).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["-", "--fix", "--write"]) == 2
    said = capsys.readouterr()
    assert '+    "version": "1.5"' in said.out
    assert said.err == "-: Standard input cannot be changed. Name the file.\n"


def test_to_write_needs_what_is_fixed(file, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([str(file), "--write"])
    assert "--write needs --fix" in capsys.readouterr().err


@pytest.mark.parametrize(
    "more",
    [["--as", "error"], ["--format", "json"], ["--as", "event-stream", "--manifest", "m.json"]],
)
def test_a_fix_takes_no_option_that_it_would_ignore(file, capsys, more):
    with pytest.raises(SystemExit, match="2"):
        main([str(file), "--fix", *more])
    assert "--fix takes none of --as" in capsys.readouterr().err


def test_nothing_of_a_document_acts_on_a_terminal_or_a_ci_system(file, capsys):
    document = {**TOOL, "description": "##vso[task.setvariable]\x1b[2J", "version": 1}
    file.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    main([str(file), "--fix"])
    shown = capsys.readouterr().out
    assert "version" in shown
    assert "##vso[" not in shown
    assert "\x1b" not in shown


YAML_TOOL = "# mine\nname: t\ndescription: d  # short\nversion: 1.10\ninputSchema: {type: object}\n"
WHOLE = 'schema_version: "1.0.0"\n'
YAML_RESOURCE = "# mine\nresource_id: r\nresource_type: custom\ndescription: d\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (YAML_TOOL, YAML_TOOL.replace("1.10", '"1.10"')),
        ("tools: [{name: t, version: 2}]\n", 'tools: [{name: t, version: "2"}]\n'),
        (
            YAML_TOOL + "examples:\n  - goal: g  # mine\n    input_values: {}\n",
            YAML_TOOL.replace("1.10", '"1.10"') + "examples:\n  - name: g  # mine\n    input: {}\n",
        ),
        (YAML_RESOURCE, YAML_RESOURCE.replace("resource_id", f"{WHOLE}resource_id")),
        (f"schema_version: 1.0\n{YAML_RESOURCE}", f"{WHOLE}{YAML_RESOURCE}"),
        (
            "resources:\n  - resource_id: r\n    resource_type: custom\n    description: d\n",
            f"resources:\n  - {WHOLE}    resource_id: r\n    resource_type: custom\n"
            "    description: d\n",
        ),
    ],
)
def test_yaml_keeps_its_comments_and_its_digits(tmp_path, before, after):
    file = tmp_path / "tool.yaml"
    file.write_text(before, encoding="utf-8")
    assert main([str(file), "--fix", "--write"]) == 0
    assert file.read_text(encoding="utf-8") == after
    assert main([str(file), "--fix"]) == 0


def test_what_takes_more_than_a_small_change_is_not_written_in_yaml(tmp_path, capsys):
    file = tmp_path / "tool.yaml"
    text = f"{WHOLE}{YAML_RESOURCE}how_to_use: {{inputs: []}}  # short\n"
    file.write_text(text, encoding="utf-8")
    assert main([str(file), "--fix", "--write"]) == 2
    assert "YAML" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == text


def test_json_keeps_the_lines_that_nothing_is_wrong_with(tmp_path):
    file = tmp_path / "prompt.json"
    text = '{\n  "resource_id": "r", "resource_type": "custom",\n  "description": "d"\n}\n'
    file.write_text(text, encoding="utf-8")
    assert main([str(file), "--fix", "--write"]) == 0
    front = '{\n  "schema_version": "1.0.0",\n  "resource_id"'
    assert file.read_text(encoding="utf-8") == text.replace('{\n  "resource_id"', front)


WRITTEN_BY_HAND = """{ "tools": [

    { "name": "pitch",   "description": "Elige caf\\u00e9 o té",
      "inputSchema": {"type": "object", "properties": { "n": {"maximum": 1.50} }},
      "examples": [ {"goal": "uno", "input_values": {"n": 2e0}, "expected_result": [1,2]},
\t\t{"name": "dos", "input": { }} ],
      "_meta": {"agent-formats/atdf":{"version":"1"},"own":[ ]} }
  ]}"""


def test_json_that_was_written_by_hand_keeps_all_but_its_names(tmp_path):
    file = tmp_path / "tools.json"
    after = WRITTEN_BY_HAND.replace("goal", "name").replace("input_values", "input")
    after = after.replace("expected_result", "output").replace("agent-", "io.github.agent-")
    for end in ("", "\n", "\n\n"):
        for line in ("\n", "\r\n"):
            file.write_bytes(f"{WRITTEN_BY_HAND}{end}".replace("\n", line).encode())
            assert main([str(file), "--fix", "--write"]) == 0
            assert file.read_bytes() == f"{after}{end}".replace("\n", line).encode()


IN_RESOURCE = '"schema_version":"1.0.0","resource_id":"r","resource_type":"tool","description":"é"'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f'{{{IN_RESOURCE},"how_to_use":{{"inputs":[],"own":1.50}}}}',
            f'{{{IN_RESOURCE},"how_to_use":{{"own":1.50,"invocation":{{"inputs": []}}}}}}',
        ),
        (
            f'{{{IN_RESOURCE},\n   "how_to_use": {{\n\t"inputs": []}}\n}}\n',
            f'{{{IN_RESOURCE},\n   "how_to_use": {{\n\t"invocation": {{"inputs": []}}}}\n}}\n',
        ),
        (
            f'{{\n\t{IN_RESOURCE},\n\t"how_to_use": {{\n\t\t"inputs": [\n\t\t],\n\t\t'
            '"own": 1.50\n\t}\n}',
            f'{{\n\t{IN_RESOURCE},\n\t"how_to_use": {{\n\t\t"own": 1.50,\n\t\t"invocation": {{'
            '\n\t\t\t"inputs": []\n\t\t}\n\t}\n}',
        ),
        (
            f'{{\n\t{IN_RESOURCE[25:]},\n\t"own": 1.50\n}}',
            f'{{\n\t"schema_version":"1.0.0",\n\t{IN_RESOURCE[25:]},\n\t"own": 1.50\n}}',
        ),
        ('{"retry_policy":{"strategy":"none"}}\n', '{"strategy":"none"}\n'),
        (
            '{\r\n\t"retry_policy": {"strategy":"none"}\r\n}\r\n',
            '{\r\n\t"strategy": "none"\r\n}\r\n',
        ),
    ],
)
def test_json_is_laid_out_anew_only_where_its_members_change(tmp_path, before, after):
    file = tmp_path / "resource.json"
    file.write_bytes(before.encode())
    assert main([str(file), "--fix", "--write"]) == 0
    assert file.read_bytes().decode() == after
    assert main([str(file), "--fix"]) == 0


NUMBERS = '{"maximum": 12345678901234567890123.10, "minimum": -1.50E+3}'
SCHEMA = f'"inputSchema": {{"properties": {{"a": {NUMBERS}}}}}'
EARLIER = '"examples": [{"goal": "g", "input_values": {"a": 2.50}}],'


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ("", ['"1.10"', "12345678901234567890123.10", "-1.50E+3", "\n\t"]),
        (EARLIER, ['"1.10"', "12345678901234567890123.10", "-1.50E+3", '"a": 2.50']),
    ],
)
def test_json_keeps_its_digits(tmp_path, more, kept):
    file = tmp_path / "tool.json"
    text = f'{{"name": "t",\n\t"version": 1.10, {more} {SCHEMA}}}'
    file.write_text(text, encoding="utf-8")
    assert main([str(file), "--fix", "--write"]) == 0
    after = file.read_text(encoding="utf-8")
    assert [each for each in kept if each not in after] == []
    assert main([str(file), "--fix"]) == 0


@pytest.mark.parametrize("written", ["1", "1.0", "1.00", '"1"', '"1.0"'])
def test_a_short_version_of_a_resource_becomes_the_full_one(tmp_path, written):
    file = tmp_path / "resource.json"
    text = (
        '{"resource_id": "r", "resource_type": "custom", "description": "d", "schema_version": %s}'
    )
    file.write_text(text % written, encoding="utf-8")
    assert main([str(file), "--fix", "--write"]) == 0
    assert file.read_text(encoding="utf-8") == text % '"1.0.0"'


def test_a_copy_of_a_number_keeps_its_digits():
    assert copy.deepcopy([WrittenNumber("1.10")])[0].written == "1.10"


def test_a_text_of_more_values_than_the_reader_may_keep_gets_no_small_change():
    assert edited(f"[{'0,' * 310_000}0]", None, None) is None
    assert edited("0" * (LONGEST + 1), None, None) is None


def test_json_of_more_values_than_the_reader_may_keep_is_corrected_all_the_same(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("conformance.formats.text.edits.LONGEST", 100)
    file = tmp_path / "tool.json"
    file.write_text(json.dumps({**TOOL, "version": 1.5, "title": "t" * 100}), encoding="utf-8")
    assert main([str(file), "--fix", "--write"]) == 0
    assert json.loads(file.read_text(encoding="utf-8"))["version"] == "1.5"


def test_a_text_that_is_written_anew_is_not_kept_in_pieces():
    data = [0] * 400_000
    tracemalloc.start()
    try:
        text = laid_out(data, "[\n  0\n]", 0, 7)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert json.loads(text) == data
    assert most < 8 * len(text)


def test_one_value_that_two_places_share_is_changed_in_one_way_or_not():
    assert edited("[&a 1, &b 2]", [1, 2], ["1", "2"]) is None
    assert edited("a: &v {version: 1}\nb: *v\n", {"a": {"version": 1}, "b": {"version": 1}},
                  {"a": {"version": "1"}, "b": {"version": "one"}}) is None  # fmt: skip


def test_nothing_to_correct_is_said(tmp_path, capsys):
    file = tmp_path / "tool.json"
    file.write_text(text_of(TOOL), encoding="utf-8")
    assert main([str(file), "--fix"]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err.count("nothing to correct automatically")) == ("", 1)


@pytest.mark.parametrize(
    "document",
    [
        {**TOOL, "version": 2},
        {**TOOL, "examples": [{"goal": "g", "input_values": {}, "expected_result": "r"}]},
        {"tools": [{**TOOL, "version": 1.0}]},
        {
            "resource_id": "r",
            "resource_type": "tool",
            "description": "d",
            "how_to_use": {"inputs": []},
        },
        {"retry_policy": {"strategy": "none"}},
    ],
)
def test_a_document_is_valid_once_it_is_corrected(document):
    made = corrected(document)
    assert made != document
    assert [each for each in validate(made) if each.requirement is Requirement.MUST] == []
    assert corrected(made) == made


@pytest.mark.parametrize("document", [TOOL, {"tools": 5}, {"a": 1}, [1], {"resources": [3]}])
def test_what_has_no_such_fault_stays_as_it_is(document):
    assert corrected(document) == document


def test_a_text_whose_lines_are_like_hundreds_of_others_is_shown_as_one_change(tmp_path, capsys):
    values = [1000 + n * 7919 % 150 for n in range(20_000)]
    tool = {"name": "t", "version": 1, "inputSchema": {"type": "object", "enum": values}}
    lines = json.dumps({"tools": [tool]}, indent=1).split("\n")
    before = [f"  {line}" if n % 2 and n > 9 else line for n, line in enumerate(lines)]
    file = tmp_path / "tools.json"
    file.write_text("\n".join(before))
    assert main(["--fix", str(file)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert len([line for line in shown if line.startswith("@@")]) == 1
    gone = [line[1:] for line in shown[3:] if line.startswith("-")]
    assert gone and all(line in before for line in gone)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "t\\ud800", "description": "d", "version": 1.5, "inputSchema": {}}',
        '{"name": "t", "description": "d", "version": 1e400, "inputSchema": {"type": "object"}}',
        '{"name": "t", "description": "d", "version": 1.5, "inputSchema": {"maximum": -1e999}}',
    ],
)
def test_what_cannot_be_written_again_is_left_as_it_is(tmp_path, text, capsys):
    file = tmp_path / "tool.json"
    file.write_text(text)
    assert main([str(file), "--fix", "--write"]) == 2
    assert file.read_text() == text
    assert capsys.readouterr().out == ""


def test_an_earlier_key_of_meta_gets_its_present_name():
    tool = {"name": "a", "description": "d", "inputSchema": {"type": "object"}}
    data = {"tools": [{**tool, "_meta": {"own": 1, "agent-formats/atdf": {"version": "1"}}}]}
    (made,) = corrected(data)["tools"]
    assert list(made["_meta"]) == ["own", "io.github.agent-formats/atdf"]


def test_a_word_of_a_closed_list_gets_its_case(tmp_path, capsys):
    resource = {
        "schema_version": "1.0.0",
        "resource_id": "greeting",
        "resource_type": "Prompt",
        "description": "Greets a guest.",
        "how_to_use": {"template": {"template": "Hello!"}},
    }
    file = tmp_path / "resource.json"
    file.write_text(text_of(resource), encoding="utf-8")
    assert main([str(file), "--fix", "--write"]) == 0
    assert json.loads(file.read_text(encoding="utf-8")) == {**resource, "resource_type": "prompt"}
    assert capsys.readouterr().out.count("\n-") == 1


def test_a_word_that_no_list_has_in_any_case_is_left():
    resource = {
        "schema_version": "1.0.0",
        "resource_id": "a",
        "resource_type": "prompts",
        "description": "d",
    }
    assert corrected(resource) == resource


def test_what_a_tool_of_mcp_carries_is_corrected_as_well():
    carried = {"version": 1.5, "examples": [{"goal": "g", "input_values": {}}]}
    tool = {**TOOL, "_meta": {"io.github.agent-formats/atdf": carried}}
    for made in (corrected(tool), corrected({"tools": [tool]})["tools"][0]):
        assert made["_meta"]["io.github.agent-formats/atdf"] == {
            "version": "1.5",
            "examples": [{"name": "g", "input": {}}],
        }


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("version: &v 1.0\nx: *v\n", 2),
        ("x: &v 1.0\nversion: *v\n", 2),
        ("x: &v {version: 1.0}\n<<: *v\n", 2),
        ("x: &v {y: 1.0}\n<<: *v\nversion: 1.0\n", 2),
        ("x: &v {y: 1.0}\n'<<': *v\nversion: 1.0\n", 0),
        ("x: {a: &v {y: 1.0}, b: {<<: *v}}\nversion: 1.0\n", 0),
        ("version: !!float 1\n", 0),
        ("? [a, b]\n: c\nversion: 1.0\n", 2),
        ("version: 1.0\n---\nname: u\n", 2),
        ("1: a\ntrue: b\nversion: 1.0\n", 0),
    ],
)
def test_odd_yaml_keeps_what_is_not_corrected_or_is_left_alone(tmp_path, more, code, capsys):
    made = tmp_path / "tool.yaml"
    before = "name: t\ndescription: d\ninputSchema: {type: object}\n" + more
    made.write_text(before, encoding="utf-8")
    assert main([str(made), "--fix", "--write"]) == code
    after = made.read_text(encoding="utf-8")
    kept = [line for line in before.splitlines() if not line.startswith("version")]
    assert [line for line in after.splitlines() if not line.startswith("version")] == kept
    assert code == 0 or after == before
