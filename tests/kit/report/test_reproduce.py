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

words = st.lists(st.text(st.sampled_from("a \\'\"\u2018\u2019;=$(\n~"), max_size=8), min_size=1)


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
