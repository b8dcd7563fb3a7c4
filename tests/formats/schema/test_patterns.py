import pytest

from conformance.formats.schema.ecma.patterns import is_safe, matches


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("^[A-Z]{3}$", "ABC", True),
        ("^[A-Z]{3}$", "AB", False),
        ("^([a-z]+-)*[a-z]+$", "many-words-that-are-joined-by-dashes", True),
        ("^([a-z]+-)*[a-z]+$", "many-words-that-are-joined-by-dashes!", False),
    ],
)
def test_a_pattern_is_found_or_not(pattern, text, expected):
    assert matches(pattern, text) is expected


@pytest.mark.parametrize("pattern", ["(", "[z-a]", r"\p{L}", "a" * 20_000])
def test_what_is_no_pattern_here_cannot_be_judged(pattern):
    assert matches(pattern, "a") is None


def test_a_match_that_does_not_end_cannot_be_judged():
    assert matches("^(a|aa)+$", "a" * 80 + "!") is None


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|b)*c", "(x{2,}){3}", "a*b*c*d*"])
def test_a_pattern_that_may_take_long_is_not_matched_here(pattern):
    assert not is_safe(pattern, 200)


@pytest.mark.parametrize("pattern", ["^[a-z]+$", r"^\d{4}-\d{2}$", "(optional)?", r"\)+"])
def test_an_everyday_pattern_is_matched_here(pattern):
    assert is_safe(pattern, 100)
