"""The text that marks content is noticed in whatever pieces it comes."""

from __future__ import annotations

import json

import pytest

from conformance.formats.text.marker import Marker

MARK = "afn-7:one"


def chunk(text, **more):
    return f"data: {json.dumps({'choices': [{'delta': {'content': text, **more}}]})}\n\n"


def came(*parts):
    """The number of the part with which the mark came; None if it never came."""
    marker = Marker(MARK)
    seen = [marker.comes_with(part.encode()) for part in parts]
    return seen.index(True) if True in seen else None


@pytest.mark.parametrize(
    ("parts", "last"),
    [
        ([chunk("Well, "), chunk(f"{MARK} two")], 1),
        ([chunk(letter) for letter in f"{MARK} two"], len(MARK) - 1),
        ([chunk("afn-"), ": a comment\n\n", chunk("", role="x"), chunk("7:one")], 3),
        ([*(chunk("afn-7:o") + chunk("ne"))], None),
        (['{"content": "afn-', '7:one"}'], 1),
        (['data: {"content": "afn\\u002d7:', 'one"}\n\n'], 1),
        (['event: Delta\ndata: {"content": "afn-7"}\n\n',
          'event: Delta\ndata: {"content": ":one"}\n\n'], 1),
    ],
    ids=["whole", "letters", "with others between", "bytes", "no stream", "escaped", "named"],
)  # fmt: skip
def test_a_mark_is_noticed_with_its_last_piece(parts, last):
    assert came(*parts) == (len(parts) - 1 if last is None else last)


@pytest.mark.parametrize(
    "parts",
    [
        [chunk("afn-7", reasoning=":one")],
        ['data: {"model": "afn-7"}\n\n', 'data: {"content": ":one"}\n\n'],
        ['event: Thinking\ndata: {"text": "afn-7"}\n\n',
         'event: Delta\ndata: {"text": ":one"}\n\n'],
        ["data: " + "[" * 100_000 + "\n\n", "data: afn-7\n\n", "data: :one\n\n"],
        ["data: " + "[" * 50 + '"afn-7"' + "]" * 50 + "\n\n"] * 2,
    ],
    ids=["other members", "other events", "other names", "no JSON", "too deep"],
)  # fmt: skip
def test_parts_of_different_texts_are_no_mark(parts):
    assert came(*parts) is None


def test_of_many_members_a_bounded_number_is_kept():
    many = json.dumps({f"m{n}": "afn-7" for n in range(1_000)})
    rest = json.dumps({f"m{n}": ":one" for n in range(200, 1_000)})
    assert came(f"data: {many}\n\n", f"data: {rest}\n\n") is None
    assert came(f"data: {many}\n\n", 'data: {"m99": ":one"}\n\n') == 1


def test_an_empty_mark_never_comes():
    assert not Marker("").comes_with(b"data: x\n\n")
