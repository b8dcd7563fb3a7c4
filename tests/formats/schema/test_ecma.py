"""Patterns of a target: ECMA's meaning, no match without end, and texts made from them."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from unittest.mock import Mock

import pytest

from conformance.formats.schema.ecma import patterns, process
from conformance.formats.schema.ecma.process import LimitedMatcher

JUDGED = [
    (r"^\d+$", "12", True),
    (r"^\d+$", "١٢", False),
    (r"^\w+$", "é", False),
    (r"^a$", "a\n", False),
    (r"^\s$", "\u00a0", True),
    ("^[^]$", "\n", True),
    (r"^\u{1F600}$", "😀", True),
    (r"^A\x42\u0043$", "ABC", True),
    (r"^(?<year>\d{4})$", "2024", True),
    (r"^a{,2}$", "a{,2}", True),
    (r"^a{2}$", "aa", True),
    (r"^[\w.-]+$", "a-b.c", True),
    (r"^(?!root)[a-z]+$", "root", False),
    (r"^(a)\1$", "aa", True),
    (r"^\/api\/", "/api/x", True),
    (r"colou?r", "the color", True),
    (r"^(?:ab)+$", "abab", True),
    (r"(?<=a)b", "ab", True),
    (r"(?<!a)b", "ab", False),
    (r"\bend\b", "the end", True),
    (r"\bend\b", "the ending", False),
    (r"^\D\W\S$", "a-b", True),
    (r"^\D\W\S$", "1-b", False),
    (r"^\t\cA$", "\t\x01", True),
    (r"^[\b]$", "\x08", True),
    (r"^[a-\d]$", "-", True),
    (r"^[\w-.]+$", "a-b.c", True),
    (r"^[\w-z]$", "-", True),
    (r"^[\w-z]$", "`", False),
    (r"^[^\s-]$", "-", False),
    (r"^[\s\S]$", "\n", True),
    (r"^[^\S\n]$", " ", True),
    (r"^[^\S\n]$", "\n", False),
    (r"^[^\W_]$", "_", False),
    (r"^a{1,3}?$", "aa", True),
]


@pytest.mark.parametrize(("expression", "text", "found"), JUDGED)
def test_a_pattern_means_what_ecma_says(expression, text, found):
    assert patterns.matches(expression, text) is found


@pytest.mark.parametrize("letter", "dws")
def test_a_class_in_brackets_holds_what_its_opposite_does_not(letter):
    for char in map(chr, (*range(0x3100), *range(0xFE00, 0x10000), 0x10FFFF)):
        inside = patterns.matches(rf"^[\{letter.upper()}]$", char)
        assert inside is not patterns.matches(rf"^[\{letter}]$", char), hex(ord(char))


@pytest.mark.parametrize(
    "expression",
    [
        r"^\p{L}+$",
        "[",
        "(",
        "a**",
        r"(?>a)",
        r"\k<x>",
        "x" * 9999,
        "a)",
        "+a",
        "^*",
        r"\xZZ",
        r"\u{110000}",
        r"\y",
        "a{3,2}",
        "a{2000}",
        "a+?*",
        "(" * 60 + ")" * 60,
    ],
)
def test_what_is_not_read_here_is_not_judged(expression):
    assert patterns.matches(expression, "a") is None


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("(a+)+$", "a" * 50 + "!"),
        (r"^(\w+\s?)*$", "a" * 50 + "!"),
        ("a?" * 40 + "a" * 40, "a" * 40 + ""),
        ("(a|aa)+$", "a" * 60 + "!"),
        ("(x+x+)+y", "x" * 60),
    ],
)
def test_a_catastrophic_pattern_ends_in_time(expression, text):
    begun = time.monotonic()
    assert patterns.matches(expression, text) in (None, True)
    assert time.monotonic() - begun < 8


def test_the_worker_answers_again_after_it_was_killed():
    matcher = LimitedMatcher(limit=0.3)
    assert matcher.search("(a+)+$", "a" * 50 + "!") is None
    assert matcher.search("(b+)+$", "bbb") is True
    matcher.close()


@pytest.mark.skipif(sys.platform != "linux", reason="no other system limits it")
def test_the_worker_ends_before_a_match_fills_the_memory():
    asked = json.dumps(["^((a)|(b))*$", "a" * 4_000_000 + "!"]).encode() + b"\n"
    worker = Path(process.__file__).with_name("worker.py")
    with subprocess.Popen(
        [sys.executable, "-I", worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as started:  # fmt: skip
        said, trace = started.communicate(asked, timeout=60)
    assert said == b""
    assert b"MemoryError" in trace


def test_a_worker_that_ended_is_not_waited_for():
    matcher = LimitedMatcher(limit=30.0)
    begun = time.monotonic()
    assert matcher.search("^((a)|(b))*$", "a" * 4_000_000 + "!") is None
    assert time.monotonic() - begun < 15
    assert matcher.search("(b+)+$", "bbb") is True
    matcher.close()


class Ends(BaseException):
    """What ends a search from outside, such as an alarm."""


def test_no_search_gets_the_answer_to_an_earlier_one(monkeypatch):
    matcher = LimitedMatcher(limit=5.0)
    with monkeypatch.context() as patched:
        patched.setattr("conformance.formats.schema.ecma.process.STARTING", 0.0)
        assert matcher.search("a", "b") is None  # it started too slowly
    assert matcher.search("(b+)+", "a") is False
    with monkeypatch.context() as patched:
        patched.setattr(queue.Queue, "get", Mock(side_effect=Ends))
        with pytest.raises(Ends):
            matcher.search("(a+)+", "a")
    assert matcher.search("(c+)+", "a") is False
    matcher.close()


def test_a_pattern_that_ran_out_of_time_is_not_tried_again():
    matcher = LimitedMatcher(limit=0.3)
    matcher.search("(a+)+$", "a" * 50 + "!")
    begun = time.monotonic()
    assert matcher.search("(a+)+$", "a" * 51 + "!") is None
    assert time.monotonic() - begun < 0.1
    matcher.close()


def test_thousands_of_slow_patterns_take_no_more_time_than_a_few():
    matcher = LimitedMatcher(limit=0.2, patience=0.5)
    begun = time.monotonic()
    for number in range(1000):
        assert matcher.search(f"(a+)+{number}$", "a" * 50 + "!") is None
    assert time.monotonic() - begun < 30  # a minute for each three hundred, without a bound
    matcher.close()


@pytest.mark.parametrize(
    "expression",
    [
        r"^[a-z0-9-]+$", r"^\d{4}-\d{2}-\d{2}$", "^[A-Z]{3}$", r"^#[0-9a-fA-F]{6}$", "foo",
        r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$", r"^v\d+\.\d+\.\d+$", "^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$",
        "^(SELECT|INSERT) ", r"^[\x20-\x7e]*$", r"\.(jpg|png)$", r"^\S[\s\S]*\S$|^\S$|^$",
        r"^[\w-\.]+@([\w-]+\.)+[\w-]{2,4}$",
    ],
)  # fmt: skip
def test_a_text_is_made_from_a_simple_pattern(expression):
    made = patterns.samples(expression, 1, None)
    assert made
    assert all(patterns.matches(expression, text) for text in made)


@pytest.mark.parametrize(("least", "most"), [(8, 8), (5, 12), (0, 3)])
def test_a_made_text_keeps_to_the_lengths(least, most):
    made = patterns.samples("^[a-z]+$", least, most)
    assert made
    assert all(least <= len(text) <= most for text in made)


@pytest.mark.parametrize("expression", ["^(?=.*[A-Z])(?=.*[0-9]).{8,}$", r"^\p{L}$"])
def test_a_pattern_that_looks_ahead_is_not_filled_in(expression):
    assert patterns.samples(expression, 0, None) == []


def test_a_text_that_misses_a_pattern_is_near_a_valid_one():
    assert patterns.misses("^[A-Z]{3}$", "ABC")[:2] == ["ABC!", "!ABC"]


def test_the_texts_of_a_server_are_not_kept():
    matcher = LimitedMatcher(limit=30.0)
    try:
        matcher.search("b", "a")
        tracemalloc.start()
        for number in range(20):
            assert matcher.search("(a+)+b", f"{number}b" * 200_000) is False
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        matcher.close()
    assert kept < 2_000_000
