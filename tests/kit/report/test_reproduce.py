"""The lines that repeat a call, pasted into shells that read quotes in different ways."""

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.kit.model.exchange import HttpRequest
from conformance.kit.report.reproduce import curl, joined

_SINGLE = re.compile(r"""'([^']*)'|"(?:\\.|[^"\\])*"|[^'"]""", re.DOTALL)
_ENDS_IN_POWERSHELL = set("\u2018\u2019\u201a\u201b")

words = st.lists(
    st.text(st.sampled_from("aD \\'\"\u2018\u2019;=$(\n~&|^%:0C"), max_size=9), min_size=1
)


def inside_single_quotes(line: str) -> list[str]:
    """What a POSIX shell takes as it is."""
    found = list(_SINGLE.finditer(line))
    assert "".join(one[0] for one in found) == line
    return [one[1] for one in found if one[1] is not None]


@given(words)
def test_every_shell_finds_the_same_words(given_words):
    line = joined(given_words)
    assert shlex.split(line) == given_words
    for text in inside_single_quotes(line):
        # fish takes a backslash before another one, or before a quote, for an escape
        assert "\\\\" not in text
        assert not text.endswith("\\")
        assert not _ENDS_IN_POWERSHELL & set(text)


@given(words)
def test_cmd_exe_sees_no_operator_and_no_variable(given_words):
    """It counts double quotes alone: an operator between two of them is a part of the text."""
    line = joined(given_words)
    for n, part in enumerate(line.split('"')):
        assert n % 2 or not set("&|<>^") & set(part)
    for behind in line.split("%")[1:]:
        assert re.match('"|[0-9][0-9A-Fa-f]', behind), line  # no variable begins so


@pytest.mark.parametrize("given", ['%CD:x=%" &calc& ', '%CD:x="%AB &calc&', "%DB_TOKEN%AB"])
def test_cmd_exe_puts_in_no_variable_that_its_name_begins_like_a_byte(given):
    """It puts them in before it counts quotes, and a part of them with others in its place."""
    line = joined(["curl", "-H", f"X: {given}", "http://127.0.0.1:1/%C3%A9%20?a=%DB%20"])
    assert not re.search(r"%[A-Za-z]", line)
    assert shlex.split(line)[2] == f"X: {given}"


def test_what_has_to_stay_readable_does():
    body = b'{"a": "R&D < 5 | 6 ^ 7, it is", "b": "a \\\\ & b"}'
    line = curl(HttpRequest("POST", "http://127.0.0.1:1/a%20b?c=1&d=2", (), body))
    assert line is not None
    assert '--data-raw \'{"a": "R&D < 5 | 6 ^ 7, it is"' in line
    assert line.endswith("--url 'http://127.0.0.1:1/a%20b?c=1'\"&\"'d=2'")


def test_a_body_of_two_lines_is_one_line():
    line = curl(HttpRequest("POST", "http://127.0.0.1:1/", (), b"a\ncalc.exe"))
    assert line is not None
    assert "\n" not in line
    assert line.startswith("printf %s YQpjYWxjLmV4ZQ== | base64 -d | curl ")


def test_a_header_that_ends_in_a_backslash_runs_no_command_in_fish():
    headers = (("A", "\\"), ("B", ";touch made;"), ("C", "\\"))
    line = curl(HttpRequest("GET", "http://127.0.0.1:1/", headers))
    assert line is not None
    assert """'A: '"\\\\" -H 'B: ;touch made;' -H 'C: '"\\\\" """ in line


@pytest.mark.parametrize(
    ("word", "written"),
    [("plain", "plain"), ("=ls", "'=ls'"), ("a=b", "a=b"), ("", "''"), (r"a\n", r"'a\n'")],
)
def test_a_word_is_quoted_only_where_it_has_to_be(word, written):
    assert joined([word]) == written
