import re

import pytest

from conformance.formats.problem import json_path, quoted, shown
from conformance.spec import messages
from conformance.spec.messages import Message, message
from conformance.spec.pointer import to_pointer
from tests.root import ROOT

FORMATS = ROOT / "conformance" / "formats"


def sources():
    return sorted(FORMATS.rglob("*.py"))


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_each_sentence_that_the_code_names_is_in_the_source(path):
    named = set(re.findall(r'"(documents\.[a-z_.]+[a-z])"', path.read_text(encoding="utf-8")))
    assert named <= set(messages.catalog())


def test_a_sentence_takes_values_that_look_like_placeholders_as_they_are(monkeypatch):
    catalog = {"x": {"en": "{a} and {b}, {{so}} {c}"}}
    monkeypatch.setattr(messages, "catalog", lambda: catalog)
    assert message("x", a="{b}", b=2).words() == "{b} and 2, {so} {c}"


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 calls, in all 0"), (1, "one call, in all 1"), (21, "21 calls, in all 21")],
)
def test_a_count_of_one_has_words_of_its_own(monkeypatch, count, said):
    catalog = {"x": {"en": "{n|one call|# calls}, in all {n}"}}
    monkeypatch.setattr(messages, "catalog", lambda: catalog)
    assert message("x", n=count).words() == said


def test_a_sentence_in_a_sentence_is_said_in_the_same_language(monkeypatch):
    catalog = {"x": {"en": "after {what}", "es": "tras {what}"}, "y": {"en": "all", "es": "todo"}}
    monkeypatch.setattr(messages, "catalog", lambda: catalog)
    assert message("x", what=message("y")).words("es") == "tras todo"


def test_an_unknown_sentence_is_an_error_of_the_code():
    with pytest.raises(KeyError):
        Message("documents.nowhere").words()


def test_a_path_quotes_names_that_are_no_words():
    place = ("tools", 0, "a b", 'say "x"', "naïve", "_meta", "$ref")
    assert json_path(place) == '$.tools[0]["a b"]["say \\"x\\""]["naïve"]._meta.$ref'
    assert to_pointer(("a/b", 0, "c~d")) == "/a~1b/0/c~0d"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", '"a"'),
        (None, "null"),
        ({"a": [1, True]}, '{"a": [1, true]}'),
        ("x" * 200, '"' + "x" * 79 + '…"'),
        ("\x1b[31m</script>", '"\\u001b[31m</script>"'),
        ("\ud800", '"\\ud800"'),
        ({1, 2}, "set"),
    ],
)
def test_a_value_is_shown_short_and_safe(value, expected):
    assert shown(value) == expected


def test_a_number_that_cannot_be_written_is_not_written():
    assert shown(10**10_000) == "…"


def test_a_value_of_any_size_is_shown_at_once():
    assert len(shown([list(range(1000))] * 10_000)) <= 81
    assert len(shown({"k" * 10_000_000: 1})) <= 81
    assert len(json_path(("k" * 10_000_000,))) < 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("No  room\nhere", '"No room here"'),
        ('{\n  "error": "no room"\n}', '“{ "error": "no room" }”'),
        ('{"error": "' + "no room " * 20, '“{"error": "' + "no room " * 8 + "no…”"),
        ('a\x1b[2J"', '“a\\u001b[2J"”'),
    ],
    ids=["text", "JSON", "long", "controls"],
)
def test_what_a_server_said_is_quoted_on_one_line_without_escapes(text, said):
    assert quoted(text) == said
