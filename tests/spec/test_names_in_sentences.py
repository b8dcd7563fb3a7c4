"""A name of code is quoted where a sentence has it, whatever the sentence."""

import pytest

from conformance.spec.messages import CODE, LISTS, as_code, catalog, codes, filled, listed, message


@pytest.mark.parametrize("name", sorted(CODE))
def test_a_name_of_code_is_between_backquotes(name):
    assert filled(f"After {{{name}}} it ended.", {name: "a"}) == "After `a` it ended."


def test_a_template_that_has_the_backquotes_gets_no_more():
    assert filled("`GET {tool}` and `{tool}`", {"tool": "a"}) == "`GET a` and `a`"


def test_words_in_place_of_a_name_are_not_quoted():
    call = message("call.without", parameter="title")
    assert call.words("es") == "la llamada sin `title`"
    assert (
        message("finding.call.silent", case=call)
        .words()
        .startswith("There was no answer in time to the call without `title`, ")
    )


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_the_tool_and_the_parameters_of_a_misleading_refusal_are_quoted(language):
    said = message("report.misleading.of", tool="book", parameter="age", named=codes(["a", "b"]))
    words = said.words(language)
    assert words.startswith("`book`: ")
    assert "`age`" in words
    assert words.endswith("`a`, `b`")


@pytest.mark.parametrize("name", sorted(LISTS))
def test_names_in_a_list_are_plain_as_a_value_and_code_in_a_sentence(name):
    said = message("finding.mcp.ping_full", members=listed(["a", "b"]))
    assert dict(said.values) == {"members": "a, b"}
    assert filled(f"It lacks {{{name}}}.", {name: listed(["a", "b"])}) == "It lacks `a`, `b`."
    assert filled(f"It has {{{name}}}.", {name: listed([])}) == "It has —."


@pytest.mark.parametrize("name", ["", " ", "a`b", "a\nb", "a\x1b[2J"])
def test_a_name_that_backquotes_cannot_hold_is_json_text(name):
    said = as_code(name)
    assert said.startswith('"')
    assert said.isprintable()


def test_a_very_long_name_is_cut():
    assert len(as_code("x" * 1_000_000)) < 300


def test_each_name_of_code_is_in_use():
    held = [each["en"] for each in catalog().values()]
    assert not {name for name in CODE | LISTS if not any(f"{{{name}}}" in each for each in held)}


@pytest.mark.parametrize(
    ("tools", "begins"), [(0, "its baseline call was"), (2, "their baseline calls were")]
)
def test_a_reason_is_about_one_tool_unless_a_report_joins_several(tools, begins):
    reason = message("kit.not_verified.good_call", said="no")
    assert reason.words().startswith("its baseline call was refused")
    assert reason.of(tools).words().startswith(begins)


def test_a_reason_keeps_its_own_value_of_that_name():
    reason = message("finding.gateway.outside_class", told="status 500")
    assert "was answered with status 500" in reason.of(2).words()
