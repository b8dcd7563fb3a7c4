"""A file that a repository brings is refused in one sentence, however much it holds."""

import json
import os
import threading
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.cli import check, merge_found
from conformance.formats.text.yaml_text import quiet_reader
from conformance.kit.config import given_files
from conformance.kit.config.examples import ExamplesUnusable, read_examples
from conformance.kit.config.given_files import FileTooMuch, given_text, given_yaml
from conformance.kit.config.options import with_defaults
from conformance.kit.config.settings import (
    OptionUnusable,
    settings_of,
)
from conformance.kit.config.settings_file import filled_in
from conformance.kit.config.waivers import WaiversUnusable, read_waivers
from conformance.kit.model.settings import Settings
from conformance.kit.plugin.report_place import mark_outdated
from conformance.spec.messages import message
from tests.counting import counting
from tests.thorough import up_to

NAMED = "# agent-formats\n"
"""A project file without the name of the kit's table is not read."""
LEVELS = "[" * 5_000
ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
CIRCLE = "good: &a [*a, *a]\n"
CLOSED = "good: " + "[" * 310 + "]" * 310
DOUBLES = "good: [&a0 {a: 1}]\n" + "".join(
    f"a{n}: &a{n} {{a{n}: 1, <<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 40)
)
KINDS = {"levels": LEVELS[:1_000], "closed levels": CLOSED, "aliases": ALIASES, "a circle": CIRCLE,
         "merges that double": DOUBLES}  # fmt: skip


def policy(path):
    given = with_defaults({"gateway": ["openai+http://127.0.0.1:1/v1"], "gateway_policy": path})
    return settings_of(given, path.parent)


READERS = {
    "examples": (lambda path: read_examples(str(path), {}, "en"), ExamplesUnusable),
    "waivers": (read_waivers, WaiversUnusable),
    "policy": (policy, OptionUnusable),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_unfolds_without_end_is_refused(tmp_path, reader, kind):
    path = tmp_path / "given.yaml"
    path.write_text(KINDS[kind])
    read, refused = READERS[reader]
    with pytest.raises(refused):
        read(path)


@pytest.mark.parametrize("reader", READERS)
def test_a_version_of_yaml_that_there_is_not_ends_no_session(tmp_path, reader):
    path = tmp_path / "given.yaml"
    path.write_text("%YAML 1.3\n---\nname: 1:30\n")
    read, refused = READERS[reader]
    with pytest.raises(refused):
        read(path)


NO_JSON = {"nan": ".nan", "infinity": "-.inf", "beyond a float": "1e999",
           "a number in base 16": "0x" + "f" * 20_000}  # fmt: skip


@pytest.mark.parametrize("value", NO_JSON.values(), ids=NO_JSON)
@pytest.mark.parametrize("reader", ["examples", "policy"])
def test_what_json_has_not_is_refused(tmp_path, reader, value):
    path = tmp_path / "given.yaml"
    path.write_text(f"good: [{{a: {value}}}]\n")
    read, refused = READERS[reader]
    with pytest.raises(refused):
        read(path)


def test_a_reason_that_is_a_sentence_gets_no_second_full_stop(tmp_path):
    path = tmp_path / "given.yaml"
    path.write_text("good: [{a: .nan}]\n")
    with pytest.raises(ExamplesUnusable) as found:
        read_examples(str(path), {}, "es")
    assert found.value.words.words("es").endswith(" en 64 bits.")


def test_what_yaml_has_beside_json_is_taken_as_it_is_written(tmp_path):
    path = tmp_path / "given.yaml"
    path.write_text("good: [{a: 2026-01-02, b: 2026-01-02T03:04:05Z, 1: !!binary aGk=}]\n")
    call = {"a": "2026-01-02", "b": "2026-01-02T03:04:05Z", "1": "aGk="}
    found = read_examples(str(path), {}, "en")
    assert json.loads(json.dumps(found)) == {"good": [call]}


def test_a_list_of_more_values_than_memory_holds_is_not_read(tmp_path):
    path = tmp_path / "given.yaml"
    path.write_text("good: [" + "x," * 600_000 + "]")
    with pytest.raises(FileTooMuch):
        given_yaml(path, quiet_reader())


@pytest.mark.parametrize("reader", READERS)
def test_a_link_to_a_device_without_end_is_refused(tmp_path, reader):
    path = tmp_path / "given.yaml"
    path.symlink_to("/dev/zero")
    read, refused = READERS[reader]
    with pytest.raises(refused):
        read(path)


@pytest.mark.skipif(not os.path.exists("/dev/ptmx"), reason="needs a device that waits")
@pytest.mark.parametrize("reader", READERS)
def test_a_link_to_a_terminal_on_which_nobody_types_is_refused(tmp_path, reader):
    path = tmp_path / "given.yaml"
    path.symlink_to("/dev/ptmx")
    read, refused = READERS[reader]
    with pytest.raises(refused):
        read(path)


@pytest.mark.parametrize("name", ["agent-formats.toml", "pyproject.toml"])
@pytest.mark.parametrize("text", ["a = " + LEVELS, None])
def test_a_settings_file_without_end_is_refused(tmp_path, name, text):
    path = tmp_path / name
    path.symlink_to("/dev/zero") if text is None else path.write_text(NAMED + text)
    with pytest.raises(OptionUnusable, match=f"{name} cannot be used: it "):
        filled_in({}, tmp_path)


@pytest.mark.parametrize("name", ["agent-formats.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 200_000) + " = 1",
        "[" + " . ".join(["a"] * 200_000) + "]",
        "x = {" + ".".join([r'"\"."'] * 200_000) + " = 1}",
        "x.".join(["'.'."] * 200_000) + "a = 1",
        "".join(f"k{n}.{'a.' * 97}a = 1\n" for n in range(3_000)),
    ],
    ids=["a key", "a table", "in quotes", "of two kinds", "again and again"],
)
def test_a_key_of_many_parts_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(NAMED + text)
    with pytest.raises(OptionUnusable, match=f"{name} cannot be used: it "):
        filled_in({}, tmp_path)


def test_a_large_project_file_is_refused_only_if_it_names_the_kit(tmp_path):
    project = tmp_path / "pyproject.toml"
    project.write_text("[tool.other]\n" + "a = 1 # long\n" * 50_000)
    assert filled_in({}, tmp_path).given == {}
    project.write_text(NAMED + project.read_text())
    with pytest.raises(OptionUnusable, match="it is too large to be read"):
        filled_in({}, tmp_path)


@pytest.mark.parametrize(
    "text",
    ['target = "stdio:' + "a" * 1_000_000 + '"', "header = [" + '"A: b", ' * 20_000 + "]"],
    ids=["a command", "a list"],
)
def test_options_that_take_minutes_to_read_are_refused(tmp_path, text):
    (tmp_path / "agent-formats.toml").write_text(text)
    with pytest.raises(OptionUnusable, match=r"agent-formats\.toml cannot be used: it "):
        filled_in({}, tmp_path)


def test_a_waiver_that_merges_another_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "waivers.yaml"
    path.write_text("- &a {clause: ATDF-ERR-007, reason: x}\n- {<<: *a, tool: b}\n")
    with pytest.raises(WaiversUnusable) as found:
        read_waivers(path)
    assert ", line 2: a waiver cannot have <<; " in found.value.words.words("en")


@pytest.mark.parametrize("text", [LEVELS, '{"message": ' + LEVELS])
def test_a_badge_of_many_levels_is_left_as_it_is(tmp_path, text):
    badge = tmp_path / "badge.json"
    badge.write_text(text)
    mark_outdated(badge, "en")
    assert badge.read_text() == text


def test_a_result_that_never_ends_is_not_read(tmp_path):
    (tmp_path / "results.json").symlink_to("/dev/zero")
    found = merge_found.look([tmp_path])
    assert found.rows == ()
    assert found.told == ((tmp_path / "results.json", message("merge.not_a_file")),)
    with pytest.raises(FileTooMuch):
        given_text(tmp_path / "results.json")


SECRET = "correcthorsebatterystaple"
_PREFIXES = ("", "- ", "key: ", "  ")
_SIGNS = ("", "&", "*", "!", "!!", "'", '"', "[", "%", "%TAG ", "|", ">", "<<: *", "@", "`", "\t")
_SUFFIXES = ("", " x", "'", '"', "]", "\t", " #", " &", " |")
LINES = st.tuples(*map(st.sampled_from, (_PREFIXES, _SIGNS, _SUFFIXES))).map(
    lambda parts: f"{parts[0]}{parts[1]}{SECRET}{parts[2]}\n"
)
ALWAYS = [
    "{0}",
    "key: {0}1\nkey: {0}2\n",
    "a: *{0}",
    "!{0} a",
    "[{0}]",
    "%TAG !{0}! x\n--- !{0}!a b",
]


@pytest.mark.parametrize("reader", READERS)
def test_what_is_said_of_a_file_holds_no_value_of_it(tmp_path, reader):
    """A link may have led to a file of secrets."""
    path = tmp_path / "given.yaml"
    read, refused = READERS[reader]

    def holds(text):
        path.write_text(text)
        try:
            read(path)
        except refused as unusable:
            words = getattr(unusable, "words", None)
            said = str(unusable) if words is None else words.words("en")
            assert SECRET not in said, text

    for text in ALWAYS:
        holds(text.format(SECRET))
    at_random = given(st.lists(LINES, max_size=4).map("".join))(holds)
    settings(max_examples=up_to(60, 2000), deadline=None)(at_random)()


EVIL = "\x1b[2J\u202e##vso[task]x\n::stop-commands::x"


@pytest.mark.parametrize(
    "table",
    [{EVIL: 1}, {"max-time": EVIL}, {"examples": EVIL}, {"waivers": EVIL}, {"invoke": EVIL},
     {"target": EVIL}, {"level": EVIL}, {"gateway": EVIL}],
)  # fmt: skip
def test_what_is_said_of_a_settings_file_is_harmless(tmp_path, monkeypatch, capsys, table):
    ((name, value),) = table.items()
    text = f"{json.dumps(name)} = {json.dumps(value)}\n"
    (tmp_path / "agent-formats.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert check.main([] if {"target", "gateway"} & {name} else ["http://127.0.0.1:1"]) == 4
    said = capsys.readouterr().err
    assert said.count("\n") <= 2
    for mark in ("\x1b", "\u202e", "##vso", "\n::"):
        assert mark not in said


@pytest.mark.parametrize(
    "text", ["seed = 0x" + "f" * 20_000, '"' + "abcdé" * 500_000 + '" = 1', 'waivers = "w.yaml"']
)
def test_what_is_said_of_a_settings_file_is_short(tmp_path, monkeypatch, capsys, text):
    (tmp_path / "agent-formats.toml").write_text(text, "utf-8")
    (tmp_path / "w.yaml").write_text(f"- {{clause: {'ABCD' * 500_000}, reason: x}}", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert check.main(["http://127.0.0.1:1"]) == 4
    said = capsys.readouterr()
    assert 0 < len(said.err + said.out) < 4_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes on this system")
@pytest.mark.parametrize("reader", [*READERS, "settings"])
def test_a_pipe_to_which_nobody_writes_is_refused(tmp_path, monkeypatch, reader):
    monkeypatch.setattr(given_files, "PATIENCE", 0.01)
    path = tmp_path / "agent-formats.toml"
    os.mkfifo(path)
    if reader == "settings":
        with pytest.raises(OptionUnusable, match="nothing came from it"):
            filled_in({}, tmp_path)
        return
    read, refused = READERS[reader]
    with pytest.raises(refused):
        read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes on this system")
def test_a_pipe_to_which_somebody_writes_later_is_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("good: []\n",))
    writer.start()
    assert given_text(path) == "good: []\n"
    writer.join()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("reader", READERS)
def test_an_anchor_that_is_given_again_prints_nothing(tmp_path, reader, capsys):
    path = tmp_path / "given.yaml"
    path.write_text("::error file=a::pwned: &a [{n: 1}]\nb: &a [{n: 2}]\n")
    read, refused = READERS[reader]
    with suppress(refused):
        read(path)
    assert capsys.readouterr() == ("", "")


def test_names_by_the_ten_thousand_are_looked_up():
    """A name is looked up. Of patterns, each is looked at: no more are taken than can be."""
    asked = Settings(exclude_tools=tuple(f"a{n}" for n in range(40_000)))
    assert asked.selects("a")
    with counting(most=100):
        assert asked.selects("b")
        assert not asked.selects("a39999")


def test_a_variable_that_examples_name_again_and_again_fills_no_memory(tmp_path):
    (tmp_path / "calls.yaml").write_text("t:\n- a: " + "${A}" * 2_000)
    environment = {"A": "x" * 5_000}
    with pytest.raises(ExamplesUnusable) as refused:
        read_examples(str(tmp_path / "calls.yaml"), environment, "en")
    assert "too large" in refused.value.words.words()
