"""Options: each unusable one is a sentence of what, where and what to do; the rest are settings."""

from pathlib import Path

import pytest

from conformance.cli.check import parser
from conformance.kit.config.options import OPTIONS, given_in, with_defaults
from conformance.kit.config.settings import OptionUnusable, settings_of
from conformance.kit.model.settings import AllowCalls
from conformance.spec.messages import LANGUAGES
from conformance.spec.vocabulary import Level

HERE = "http://127.0.0.1:8000"


def settings(*args, folder="/here"):
    """The settings that a command line gives."""
    given = given_in(vars(parser().parse_args([str(arg) for arg in args])))
    return settings_of(with_defaults(given), Path(folder))


def refusal(*args):
    """The sentence with which a command line is refused."""
    with pytest.raises(OptionUnusable) as refused:
        settings(*args)
    return str(refused.value)


@pytest.mark.parametrize("option", ["--concurrency", "--max-time", "--request-timeout"])
@pytest.mark.parametrize("number", ["0", "-1"])
def test_numbers_have_to_be_positive(option, number):
    assert option in refusal(option, number)


@pytest.mark.parametrize("number", ["nan", "inf"])
@pytest.mark.parametrize("option", ["--max-time", "--request-timeout", "--rate"])
def test_a_number_that_is_none_is_refused(option, number):
    assert option in refusal(option, number)


def test_a_rate_below_zero_is_refused():
    assert "--rate" in refusal("--rate", "-0.5")


def test_a_rate_of_zero_sets_no_limit():
    assert settings("--rate", "0").rate == 0


def test_a_port_that_is_none_is_named():
    assert "99999" in refusal("--target", "http://127.0.0.1:99999")


@pytest.mark.parametrize(
    "target",
    ["localhost:8000", "foo", "", "ftp://example.org", "http://",
     "http://[::1", "https://exa mple.org", "http://x\n"],
)  # fmt: skip
def test_what_is_no_target_is_refused_with_the_forms_that_are(target):
    said = refusal("--target", target)
    assert "http://" in said
    assert "stdio:" in said


@pytest.mark.parametrize(
    "target", [HERE, "https://example.org/mcp", "http://[::1]:8/x", "stdio:uvx mcp-server-time"]
)
def test_what_is_a_target_is_taken(target):
    assert settings("--target", target).targets == (target,)


@pytest.mark.parametrize("target", ["stdio:", "stdio:  ", "stdio:'open"])
def test_a_command_that_a_shell_could_not_read_is_refused(target):
    assert "stdio:uvx" in refusal("--target", target)


def test_a_tool_cannot_be_both_included_and_excluded():
    assert "get_*" in refusal("--include-tool", "get_*", "--exclude-tool", "get_*")


@pytest.mark.parametrize("option", ["--include-tool", "--exclude-tool"])
def test_more_patterns_than_can_be_looked_at_are_refused(option):
    names = [word for n in range(1_000) for word in (option, f"name-{n}")]
    patterns = [word for n in range(101) for word in (option, f"name-{n}-*")]
    assert settings(*names, *patterns[2:])
    assert "at most 100 patterns" in refusal(*names, *patterns)


@pytest.mark.parametrize("level", ["guarded", "explained", "recoverable"])
def test_a_level_that_rests_on_calls_contradicts_no_calls(level):
    assert level in refusal("--level", level, "--allow-calls", "none")


GATEWAY = ("--gateway", "openai+http://127.0.0.1:4000/v1")


@pytest.mark.parametrize(
    ("level", "targets", "others"),
    [
        ("faithful", (), "described, guarded, explained, recoverable"),
        ("resilient", ("--target", HERE), "described, guarded, explained, recoverable"),
        ("guarded", GATEWAY, "faithful, honest, resilient"),
        ("honest", (*GATEWAY, "--target", HERE), "described, guarded, explained, recoverable"),
    ],
)
def test_a_level_that_no_such_target_has_is_refused_before_anything_is_called(
    level, targets, others
):
    said = refusal("--level", level, *targets)
    assert level in said
    assert others in said


@pytest.mark.parametrize(("level", "targets"), [("honest", GATEWAY), ("guarded", ())])
def test_a_level_of_the_target_is_taken(level, targets):
    assert settings("--level", level, *targets).level is Level(level)


def test_a_plan_has_no_answers_to_write():
    assert "--write-examples" in refusal("--plan", "--write-examples", "x.yaml")


def test_described_can_be_reached_without_calls():
    assert settings("--level", "described", "--allow-calls", "none").level is Level.DESCRIBED


@pytest.mark.parametrize(
    "text",
    ["s3cr3t", ": s3cr3t", "  : s3cr3t", "Naïve: s3cr3t", "A B: s3cr3t", "A: x\nB: s3cr3t"],
)  # fmt: skip
def test_a_header_that_is_none_is_refused_without_repeating_it(text):
    said = refusal("--header", text)
    assert "Name: value" in said
    assert "s3cr3t" not in said


def test_headers_are_sent_as_given_in_their_order():
    made = settings("-H", "X-One: 1", "--header", "X-Two:a:b")
    assert made.headers == (("X-One", "1"), ("X-Two", "a:b"))


def test_a_bearer_token_comes_from_the_environment_alone(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "s3cr3t")
    made = settings("--bearer-env", "MY_TOKEN")
    assert made.headers == (("Authorization", "Bearer s3cr3t"),)
    assert any("s3cr3t" in secret for secret in made.secrets)


@pytest.mark.parametrize("option", ["--bearer-env", "--env"])
def test_a_variable_that_is_not_set_is_named_with_its_option(option, monkeypatch):
    monkeypatch.delenv("NOT_THERE", raising=False)
    said = refusal(option, "NOT_THERE")
    assert "NOT_THERE" in said
    assert option in said


@pytest.mark.parametrize("option", ["--bearer-env", "--env"])
@pytest.mark.parametrize("given", ["ghp_s3cr3t", "TOKEN=s3cr3t", "s3cr3t"])
def test_a_value_in_the_place_of_a_name_is_refused_without_repeating_it(option, given):
    said = refusal(option, given)
    assert f"`{option}` takes the name of a variable" in said
    assert "s3cr3t" not in said


@pytest.mark.parametrize("token", ["", " \n", "a\nb", "\u00e9"])
def test_what_no_header_can_hold_is_no_bearer_token(token, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", token)
    assert "`MY_TOKEN` that --bearer-env names is empty" in refusal("--bearer-env", "MY_TOKEN")


def test_a_line_break_behind_a_bearer_token_is_none_of_it(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "s3cr3t\n")
    made = settings("--bearer-env", "MY_TOKEN")
    assert made.headers == (("Authorization", "Bearer s3cr3t"),)


def test_variables_whose_names_speak_of_secrets_are_kept_out_of_every_report(monkeypatch):
    monkeypatch.setenv("SOME_API_TOKEN", "of-the-environment")
    assert "of-the-environment" in settings().secrets


def test_the_addresses_of_options_have_secrets_but_the_name_of_a_file_is_none():
    api, invoke = "http://u:hunter22x@127.0.0.1/api?token=tok998877", "a=POST /a?api_key=key445566"
    made = settings("--target", HERE, "--openapi", api, "--invoke", invoke)
    assert {"hunter22x", "tok998877", "key445566"} <= set(made.secrets)
    made = settings("--target", HERE, "--openapi", "docs/hotel-openapi-v3.1-draft.yaml")
    assert not any("hotel" in each for each in made.secrets)


def test_a_variable_for_a_server_is_a_secret_too(monkeypatch):
    monkeypatch.setenv("PLAIN", "plain-value")
    made = settings("--env", "PLAIN")
    assert made.environment == {"PLAIN": "plain-value"}
    assert "plain-value" in made.secrets


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("POST /api/{tool}", {"": ("POST", "/api/{tool}")}),
        ("get  /x", {"": ("GET", "/x")}),
        ("find=get /items/{id}", {"find": ("GET", "/items/{id}")}),
        ("a=b=POST /x?c=d e /y", {"a=b": ("POST", "/x?c=d e /y")}),
    ],
)
def test_a_route_is_a_method_and_a_path_of_one_tool_or_of_all_others(text, route):
    assert settings("--invoke", text).invoke == route


def test_several_tools_may_each_have_a_route():
    made = settings("--invoke", "a=GET /a", "--invoke", "POST /{tool}", "--invoke", "b=PUT /b")
    assert made.invoke == {"a": ("GET", "/a"), "": ("POST", "/{tool}"), "b": ("PUT", "/b")}


@pytest.mark.parametrize("text", ["a=POST /other", "a=GET /a"])
def test_a_tool_has_one_route(text):
    assert "second route" in refusal("--invoke", "a=GET /a", "--invoke", text)


@pytest.mark.parametrize(
    "text", ["/api/{tool}", "POST", "POST api", "P0ST /x", "", "a=POST", "=GET /x"]
)
def test_a_route_that_is_none_is_refused_with_an_example(text):
    assert "POST /api/{tool}" in refusal("--invoke", text)


def examples(tmp_path, text, *args):
    path = tmp_path / "calls.yaml"
    path.write_text(text, encoding="utf-8")
    return settings("--examples", path, *args).examples


def test_known_good_calls_are_read_by_tool(tmp_path):
    found = examples(tmp_path, "a: [{n: 1}, {n: 2}]\nb:\n  - {}\n")
    assert found == {"a": ({"n": 1}, {"n": 2}), "b": ({},)}


def test_known_good_calls_may_be_json(tmp_path):
    assert examples(tmp_path, '{"a": [{"n": 1}]}') == {"a": ({"n": 1},)}


def test_a_variable_in_a_known_good_call_is_filled_in_wherever_it_stands(tmp_path, monkeypatch):
    monkeypatch.setenv("REPO", "/tmp/repo")
    text = "a: [{path: '${REPO}/x', deep: [{p: '${REPO}'}]}]"
    assert examples(tmp_path, text, "--env", "REPO") == {
        "a": ({"path": "/tmp/repo/x", "deep": [{"p": "/tmp/repo"}]},)
    }


def test_a_variable_in_a_known_good_call_has_to_be_named_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setenv("REPO", "/tmp/repo")
    with pytest.raises(OptionUnusable, match="--env REPO"):
        examples(tmp_path, "a: [{path: '${REPO}'}]")


@pytest.mark.parametrize("text", ["", "3", "- a", "a: 3", "a: [1]", "a: {n: 1}", "a: [[]]"])
def test_calls_in_another_shape_are_refused_with_the_shape(text, tmp_path):
    with pytest.raises(OptionUnusable, match="tool names") as refused:
        examples(tmp_path, text)
    assert "calls.yaml" in str(refused.value)


@pytest.mark.parametrize(
    "text", ["a: [", "a: 'x\n", "a: [{n: 1}]\na: []", "\t- a", "a: !!python/object:os.system {}"]
)
def test_a_file_that_is_no_yaml_is_refused_on_one_line_with_the_place(text, tmp_path):
    with pytest.raises(OptionUnusable, match=r"at line \d+, column \d+") as refused:
        examples(tmp_path, text)
    assert "\n" not in str(refused.value)


def test_a_file_of_bytes_that_are_no_text_is_refused(tmp_path):
    (tmp_path / "calls.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OptionUnusable, match=r"calls\.yaml"):
        settings("--examples", tmp_path / "calls.yaml")


@pytest.mark.parametrize("path", ["/no/such/file.yaml", "/"])
def test_a_file_that_cannot_be_read_is_refused(path):
    assert path in refusal("--examples", path)


def test_what_may_be_called_is_auto_for_a_target():
    assert settings("--target", HERE).allow_calls is AllowCalls.AUTO


def test_the_project_s_own_reference_may_be_called_in_full():
    assert settings().allow_calls is AllowCalls.ALL


def test_the_report_lies_where_the_command_was_given():
    assert settings("--report", "out", folder="/somewhere").report == Path("/somewhere/out")


@pytest.mark.parametrize("language", LANGUAGES)
def test_refusals_are_in_the_language_asked_for(language):
    said = refusal("--language", language, "--max-time", "-1")
    word = {"en": "greater", "es": "mayor", "pt": "maior"}[language]
    assert word in said


@pytest.mark.parametrize("option", ["--rate", "--max-examples"])
def test_what_may_be_0_is_refused_below_it(option):
    assert "0 or more" in refusal(option, "-1")


def test_no_option_takes_a_name_that_pytest_or_its_common_plugins_own():
    ours = {flag for option in OPTIONS.values() for flag in option.flags}
    theirs = {"--strict", "--timeout", "-n", "--dist", "--browser", "--html", "--junit-xml", "-k",
              "--headed", "--device", "--output", "--base-url", "--seed"}  # fmt: skip
    assert not ours & (theirs - {"--seed"})
