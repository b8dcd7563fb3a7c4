"""The file for `--examples`: what was tried and refused, in a form that the option takes back."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from conformance.kit.config.examples import read_examples
from conformance.kit.config.options import with_defaults
from conformance.kit.config.secrets import Redactor
from conformance.kit.config.settings import OptionUnusable, settings_of
from conformance.kit.model.case import CaseKind
from conformance.kit.model.results import SessionResult
from conformance.kit.report.examples_file import examples_text, without_baseline
from conformance.kit.report.reporter import Report
from conformance.kit.report.safe_text import visible
from tests.kit.samples import (
    TOOL,
    accepted,
    called,
    case,
    run_evidence,
    tool_evidence,
    web,
)

REPORT = Report(SessionResult("", "", 0.0, 0, ()))


def refused(arguments, said=b'{"detail": "no such city"}', status=404):
    """A baseline call that was refused."""
    return called(web(status, said, of=case(CaseKind.BASELINE, arguments=arguments)))


def written(tmp_path, *runs, report=REPORT):
    """The file's text, and the calls that `--examples` reads in it."""
    text = examples_text(without_baseline(runs), report)
    path = tmp_path / "examples.yaml"
    path.write_text(text, encoding="utf-8")
    return text, read_examples(str(path), {}, "en")


def test_the_last_call_is_there_to_edit_with_what_the_server_said(tmp_path):
    calls = refused({"city": "a"}), refused({"city": "b", "days": 2})
    text, read = written(tmp_path, run_evidence(tool_evidence(*calls)))
    assert read == {"book": ({"city": "b", "days": 2},)}
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert '{"city":"b","days":2}' in comments[1]
    assert "no such city" in comments[2]
    assert '{"city":"a"}' in comments[3]


def test_a_call_that_was_sent_twice_and_refused_alike_is_there_once(tmp_path):
    calls = refused({"city": "a"}), refused({"city": "b"}), refused({"city": "b"})
    text, _ = written(tmp_path, run_evidence(tool_evidence(*calls)))
    assert text.count('{"city":"b"}') == text.count('{"city":"a"}') == 1


def test_a_tool_of_which_a_call_was_accepted_in_some_run_is_not_there():
    bad = run_evidence(tool_evidence(refused({"city": "a"})))
    good = run_evidence(tool_evidence(accepted()))
    assert without_baseline([good]) == {}
    assert without_baseline([bad, good]) == {}
    assert list(without_baseline([bad])) == ["book"]


def test_a_tool_that_was_not_called_is_there_only_if_no_call_could_be_made_up(tmp_path):
    assert without_baseline([run_evidence(tool_evidence())]) == {}
    text, read = written(tmp_path, run_evidence(tool_evidence(unplanned="a $ref leads nowhere")))
    assert read == {"book": ({},)}
    assert "a $ref leads nowhere" in text


def test_no_secret_is_written(tmp_path):
    secret = "s3cret-of-a-header"
    evidence = run_evidence(tool_evidence(refused({"key": secret}, f"bad {secret}".encode())))
    text, _ = written(
        tmp_path, evidence, report=Report(SessionResult("", "", 0, 0, ()), "en", Redactor([secret]))
    )
    assert secret not in text


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@example("\x85", {"\u2028": "\x85\U0001f600"}, "a\nb: c")
@example("no", {"yes": "1e3", "~": "on"}, "# no")
@example("0", {}, "\ufffe")
@example("::error::\uffff", {"::x::\ufffe": "::y::\uffff"}, "0")
@example(
    "0", {"0": {"0000" + "\x1f" * 8 + "\x7f\x7f" + "\U00010000" * 5: "0\x1f\x7f\U000100000 0"}}, "0"
)
@settings(max_examples=50, deadline=None)
@given(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), NAMES)
def test_whatever_a_tool_and_a_server_say_the_file_is_taken_back(name, arguments, said):
    tool = replace(TOOL, name=name)
    call = called(web(400, said.encode(), of=case(CaseKind.BASELINE, arguments=arguments)), tool)
    text = examples_text(without_baseline([run_evidence(tool_evidence(call, tool=tool))]), REPORT)
    assert YAML(typ="safe", pure=True).load(text) == {name: [arguments]}


def options(**given):
    return with_defaults({"target": ["http://127.0.0.1:1"], **given})


def test_no_escape_beside_a_secret_becomes_a_line_of_the_file(tmp_path):
    """A secret behind forty backslashes has no pattern, so all escapes of its text are undone."""
    secret = "s3cr3t-of-the-server"
    name = "\\" * 40 + "u0073" + secret[1:] + "\\u0027: []\\u000apurge:\\u000a- {}\\u000a\\u0027"
    tool = replace(TOOL, name=name)
    call = called(web(404, b"{}", of=case(CaseKind.BASELINE, tool=tool)), tool)
    run = run_evidence(tool_evidence(call, tool=tool))
    text, read = written(tmp_path, run, report=replace(REPORT, redact=Redactor([secret])))
    assert secret[1:] not in text
    assert "purge" not in read
    assert len(read) == 1


def test_a_file_that_is_there_is_not_replaced(tmp_path):
    (tmp_path / "mine.yaml").write_text("mine")
    with pytest.raises(OptionUnusable, match=r"mine\.yaml"):
        settings_of(options(write_examples="mine.yaml"), tmp_path)
    with pytest.raises(OptionUnusable, match="no such file"):
        settings_of(options(write_examples="none/mine.yaml"), tmp_path)
    made = settings_of(options(write_examples="new.yaml"), tmp_path)
    assert made.write_examples == tmp_path / "new.yaml"


HOSTILE = ("::error::x", "a\n::error::x", "x" * 119 + " ::error::x", "##vso[x]", "a ##[x]",
           "\u202ex", "\U000e0041", '"', "\\", "? a", "%YAML 9.9", "a: &x [*x]", "<<")  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_and_no_value_is_a_command_or_unseen_and_all_are_read_back(tmp_path, text):
    arguments = {text: [text, {text: 1.5}]}
    run = run_evidence(tool_evidence(refused(arguments), tool=replace(TOOL, name=text)))
    made, read = written(tmp_path, run)
    assert visible(made, None, lines=True) == made
    assert read == {text: (arguments,)}


def test_a_number_that_json_lacks_does_not_make_the_file_unreadable(tmp_path):
    arguments = {"n": float("nan"), "m": [float("inf"), 1.5]}
    _, read = written(tmp_path, run_evidence(tool_evidence(refused(arguments))))
    assert read == {TOOL.name: ({"n": None, "m": [None, 1.5]},)}
