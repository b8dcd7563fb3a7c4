"""IRIs are checked without the grammar that takes a second to load."""

import subprocess
import sys
import tracemalloc

import pytest
from jsonschema import Draft4Validator, Draft7Validator, Draft202012Validator

from conformance.spec.format_checker import format_checker


@pytest.mark.parametrize(
    ("value", "conforms"),
    [
        ("http://\u00e9.example/", True),
        ("https://example.org/a?b=\u65e5\u672c#c", True),
        ("urn:agent:1", True),
        ("a b", False),
        ("/a/b", False),
        ("\\\\example\\page", False),
        ("http://[::1", False),
        ("\ud800", False),
        (3, True),
    ],
)
def test_an_iri_is_told_from_other_strings(value, conforms):
    assert format_checker(Draft202012Validator).conforms(value, "iri") is conforms


@pytest.mark.parametrize(
    ("value", "conforms"), [("a/b", True), ("\u00e9", True), ("", True), ("\\a", False)]
)
def test_a_reference_may_be_relative(value, conforms):
    assert format_checker(Draft7Validator).conforms(value, "iri-reference") is conforms


def test_a_dialect_keeps_its_own_formats():
    assert format_checker(Draft4Validator).conforms("not an iri", "iri") is True
    assert format_checker(Draft202012Validator).conforms("x", "uuid") is False
    assert format_checker(Draft4Validator).conforms("x", "uuid") is True
    assert format_checker(Draft4Validator).conforms("2026-02-30T00:00:00Z", "date-time") is False


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ("uri", "a b"),
        ("iri", "a b"),
        ("uri-reference", "a b"),
        ("uri-template", "{"),
        ("regex", "("),
    ],
)
def test_the_format_of_a_text_that_would_fill_the_memory_is_not_checked(form, wrong):
    tracemalloc.start()
    try:
        assert format_checker(Draft202012Validator).conforms("a:" + "/a" * 2_000_000, form)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert not format_checker(Draft202012Validator).conforms(wrong, form)


def test_the_kit_loads_no_grammar():
    code = "import sys, conformance.kit.plugin.hooks; print('rfc3987_syntax' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
