"""The kit counts what a JSON text takes in memory before it is read."""

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.cli.merge_found import look
from conformance.formats.text.json_text import read
from conformance.formats.text.memory import is_held, wide_texts
from conformance.kit.record.exchanges import ExchangesError, read_exchanges
from tests.thorough import up_to

_SIGNS = st.sampled_from(["a", '"', "\\", "é", "ÿ", "Ω", "字", "\U0001f600", "\ud83d", "\n"])
_TEXTS = st.lists(st.tuples(_SIGNS, st.integers(0, 400)), max_size=6).map(
    lambda parts: "".join(sign * count for sign, count in parts)
)
_EMPTY = sys.getsizeof("\U0001f600")
"""What Python keeps of a text in addition to its characters, and one character."""


@settings(max_examples=up_to(100, 2000))
@given(st.lists(_TEXTS, max_size=6), st.booleans())
def test_a_text_that_is_said_to_be_held_is_no_larger(values, ascii_only):
    text = json.dumps(values, ensure_ascii=ascii_only)
    raw = text.encode("utf-8", "surrogatepass")
    read_again = raw.decode("utf-8", "surrogatepass")
    taken = len(raw) + max(0, sys.getsizeof(read_again) - _EMPTY)
    taken += sum(max(0, sys.getsizeof(each) - _EMPTY) for each in json.loads(read_again))
    assert not is_held(raw, taken - 1)


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b'""' * 1_000_000, []),
        (rb'"\"\\\n\u00e9", ' * 100_000 + "é".encode(), []),
        (b'""' * 1_000_000 + rb'"\u0100"', [(8, 2)]),
        (rb'{"\uD83D\uDE00": "\\\uD83d"}', [(14, 4), (10, 4)]),
        (rb'["\U0001F600", "\\U", "\\ud83d"]', [(12, 4)]),
        (b'["\xff", "\xe5\xad\x97", "\xc3\xa9"]', [(3, 4), (5, 2)]),
        (rb'["\\", "\ud83d', [(7, 4)]),
        (b"\\" * 1_000_001 + rb'\ud83d"', [(1, 1)]),
        (b"", []),
    ],
)
def test_each_wide_text_is_found_and_millions_of_narrow_ones_are_one_step(raw, found):
    assert list(wide_texts(raw)) == found


def test_a_long_text_of_narrow_characters_is_held():
    raw = json.dumps({"a": "x" * 40_000_000, "b": "é字\U0001f600"}).encode()
    assert is_held(raw)


WIDE = ["\U0001f600", "\\ud83d\\ude00"]
LONG = 40_000_000


@pytest.mark.parametrize("wide", WIDE)
def test_a_document_that_one_character_widens_is_refused(wide):
    found = read(f'{{"name": "{"a" * LONG}{wide}"}}'.encode())
    assert not found.readable
    assert [each.message.id for each in found.problems] == ["documents.too_wide"]


@pytest.mark.parametrize("wide", WIDE)
def test_a_result_that_one_character_widens_is_refused(tmp_path, wide):
    (tmp_path / "results.json").write_text(f'{{"kit": "{"a" * LONG}{wide}"}}', encoding="utf-8")
    assert [why.words() for _, why in look([tmp_path]).told] == [
        "it cannot be read: it is too large to be read"
    ]


@pytest.mark.parametrize("wide", WIDE)
def test_a_record_that_one_character_widens_is_refused(tmp_path, wide):
    path = tmp_path / "exchanges.ndjson"
    first = '{"format": 3, "kit": "1", "started": "now"}'
    path.write_text(f'{first}\n{{"id": "{"a" * LONG}{wide}"}}\n', encoding="utf-8")
    with pytest.raises(ExchangesError, match="line 2"):
        read_exchanges(path)
