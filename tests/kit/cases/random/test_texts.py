"""Texts drawn at random: their lengths and letters, and the parts that those of a format have."""

from __future__ import annotations

import re
from datetime import date
from ipaddress import IPv4Address, IPv6Address
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator

from conformance.kit.cases.random.chance import Chance, Maker
from conformance.kit.cases.random.texts import (
    NAME,
    format_name,
    format_of,
    formats_in,
    is_own,
    text_name,
    texts,
)
from conformance.kit.schema.string_formats import FORMATS, SOMEDAY
from conformance.spec.format_checker import format_checker

CHECKER = format_checker(Draft202012Validator)
LABEL = r"[a-z][a-z0-9]{0,10}"
DOMAIN = r"\.example\.(com|org)"


def drawn(make: Maker, count: int = 2000) -> list[str]:
    chance, found = Chance(0), []
    for _ in range(count):
        chance.begin()
        found.append(make(chance))
    return found


def test_a_call_of_many_letters_has_short_texts_from_then_on():
    chance = Chance(0)
    lengths = [len(texts(1, 2_000)(chance)) for _ in range(1_000)]
    assert set(lengths[-500:]) == {1}
    assert sum(lengths) < 60_000


def test_a_very_long_text_repeats_itself():
    (found,) = drawn(texts(900_000, 10**400), 1)
    assert len(found) == 900_000


def parts(name: str, expression: str) -> list[set[str | None]]:
    """Give the texts in each group of a pattern that all texts of a format match."""
    matched = [re.fullmatch(expression, each, re.ASCII) for each in drawn(made_of(name), 5000)]
    assert all(matched)
    return [set(group) for group in zip(*(one.groups() for one in matched if one), strict=True)]


def made_of(name: str) -> Maker:
    return format_of(format_name(name))


def between(low: int, high: int) -> set[str]:
    return {str(each) for each in range(low, high + 1)}


def padded(low: int, high: int) -> set[str]:
    return {each.zfill(2) for each in between(low, high)}


@pytest.mark.parametrize("name", FORMATS)
def test_texts_of_a_format_are_valid_and_differ(name):
    found = drawn(made_of(name), 60)
    assert all(CHECKER.conforms(each, name) for each in found)
    assert len(set(found)) > 20


def test_our_names_of_formats_are_told_from_those_of_others():
    assert is_own(text_name(1, 2)) and is_own(format_name("date"))
    assert not [each for each in ("date", None, "text-1-2", "") if is_own(each)]
    assert {len(each) for each in drawn(format_of(text_name(2, 5)))} == {2, 3, 4, 5}
    assert drawn(format_of(format_name("date")), 3) == drawn(format_of("date"), 3)


NAMED = format_name("name")


def test_the_formats_of_a_schema_are_found_at_any_depth_in_order():
    schema = {
        "format": text_name(3, 3),
        "properties": {"format": {"format": "date"}, "a": {"items": [{"format": NAMED}]}},
        "anyOf": [True, {"not": {"format": text_name(1, 1)}}],
    }  # fmt: skip
    found = formats_in(schema)
    assert list(found) == [NAMED, text_name(1, 1), text_name(3, 3)]
    assert {len(each) for each in drawn(found[text_name(3, 3)], 9)} == {3}
    assert formats_in({"type": "integer"}) == {}


def test_lengths_are_spread_evenly_and_end_where_a_call_would_grow_too_long():
    assert {len(each) for each in drawn(texts(0, 6))} == set(range(7))
    lengths = [len(each) for each in drawn(texts(0, 100_000), 400)]
    assert 1900 < max(lengths) <= 2000
    assert sum(each < 1000 for each in lengths) in range(150, 250)
    assert {len(each) for each in drawn(texts(2500, 9000), 20)} == {2500}


def test_a_text_is_of_one_script_or_two_and_begins_and_ends_with_a_letter_that_is_seen():
    unseen = "\u00a0\u2003\u200b\u3000\ufeff\u202d\u202e\t\n\r"
    found = drawn(texts(3, 30))
    assert not [each for each in found if each[0] in unseen or each[-1] in unseen]
    assert any(set(each) & set(unseen) for each in found)
    assert {each[0] for each in found} >= set("azAZ09é")
    assert {each[-1] for each in found} >= set("azAZ09é")
    plain = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")
    alone, mixed = re.compile(r"[a-z]{3,}"), re.compile(r"[a-z](?=.*[A-Z])[a-zA-Z]*[a-z]")
    assert any(alone.fullmatch(each) for each in found)
    assert any(mixed.fullmatch(each) for each in found)
    assert any(each[1] in unseen for each in drawn(texts(3, 3)))
    for size in (1, 2):
        short = drawn(texts(size, size), 3000)
        assert not [each for each in short if set(each) & set(unseen)]
        assert sum(bool(plain.fullmatch(each)) for each in short) > 3000 * 3 / 15 * 0.8


def test_of_other_formats_half_a_year_of_values_is_drawn():
    expected = {FORMATS["regex"].make(index, SOMEDAY) for index in range(181)}
    assert set(drawn(made_of("regex"), 5000)) == expected


def test_names_begin_with_a_letter_and_are_short():
    (first, rest) = parts(NAME, r"([a-z])([a-z0-9_]*)")
    assert first == set("abcdefghijklmnopqrstuvwxyz")
    assert {len(each or "") for each in rest} == set(range(16))
    assert "_" in "".join(each or "" for each in rest)


def test_days_lie_in_the_years_that_are_booked():
    days = [date.fromisoformat(each) for each in drawn(made_of("date"), 9000)]
    first = SOMEDAY.date()
    assert (min(days), max(days)) == (first, first.replace(year=2037))
    assert len(set(days)) == (max(days) - min(days)).days + 1


def test_times_have_parts_of_a_second_and_offsets_and_some_have_not():
    hour, minute, second, part, zone, sign, hours, minutes = parts(
        "time", r"(\d\d):(\d\d):(\d\d)(\.\d{1,6})?(Z|([+-])(\d\d):(\d\d))"
    )
    assert hour == padded(0, 23)
    assert minute == second == padded(0, 59)
    assert {len(each or ".") - 1 for each in part} == set(range(7))
    assert "Z" in zone and sign == {"+", "-", None}
    assert hours == {*padded(0, 12), None} and minutes == {"00", "30", "45", None}
    both = [each.split("T") for each in drawn(made_of("date-time"))]
    assert all(CHECKER.conforms(day, "date") for day, _ in both)
    assert all(CHECKER.conforms(time, "time") for _, time in both)


@pytest.mark.parametrize("name", ["time", "email", "uri", "hostname", "duration"])
def test_what_is_optional_stands_in_about_half(name):
    optional = {
        "time": r"\.", "email": r"[._+-][a-z0-9]+@", "uri": r":\d", "hostname": "-",
        "duration": r"PT\d+H\d+M",
    }  # fmt: skip
    share = sum(bool(re.search(optional[name], each)) for each in drawn(made_of(name)))
    assert share in (range(200, 300) if name == "duration" else range(900, 1100))


def test_durations_are_of_days_weeks_years_with_months_or_hours():
    days, weeks, years, months, hours, minutes = parts(
        "duration", r"P(?:(\d+)D|(\d+)W|(\d+)Y(\d+)M|T(\d+)H(?:(\d+)M)?)"
    )
    assert days == {*between(1, 99), None} and hours == {*between(1, 99), None}
    assert weeks == years == months == {*between(1, 9), None}
    assert minutes == {*between(0, 59), None}


def test_addresses_of_mail_and_hosts_end_in_domains_that_nobody_has():
    first, more, sign, rest, host, top = parts(
        "email", rf"({LABEL})(([._+-])([a-z0-9]{{1,8}}))?@({LABEL}){DOMAIN}"
    )
    assert {len(each or "") for each in first} == {len(each or "") for each in host}
    assert {len(each or "") for each in host} == set(range(1, 12))
    assert {len(each or "") for each in rest} == set(range(9))
    assert None in more and sign == {*"._+-", None} and top == {"com", "org"}
    label, tail, top = parts("hostname", rf"({LABEL})(-[a-z0-9]{{1,6}})?{DOMAIN}")
    assert {len(each or "-") - 1 for each in tail} == set(range(7))
    assert len(label) > 1000 and top == {"com", "org"}


def test_addresses_of_pages_have_each_part_or_not():
    scheme, _, _, port, path, query, fragment = parts(
        "uri",
        rf"(https?)://({LABEL}){DOMAIN}(:\d{{2,4}})?((?:/[\w.~-]{{1,12}})*)"
        r"(\?[a-z]{1,6}=[a-z0-9]{1,6})?(#[a-z]{1,8})?",
    )
    assert scheme == {"http", "https"}
    numbers = [int(each[1:]) for each in port if each]
    assert min(numbers) < 100 and max(numbers) > 9900
    assert {(each or "").count("/") for each in path} == {0, 1, 2, 3}
    steps = {len(step) for each in path for step in (each or "").split("/")[1:]}
    assert steps == set(range(1, 13))
    asked = [(each or "?=")[1:].split("=") for each in query]
    assert {len(name) for name, _ in asked} == {len(said) for _, said in asked} == set(range(7))
    assert {len(each or "#") - 1 for each in fragment} == set(range(9))


def test_identifiers_and_addresses_of_machines_use_all_their_bits():
    assert {UUID(each).version for each in drawn(made_of("uuid"), 50)} == {4}
    assert len(set(drawn(made_of("uuid"), 500))) == 500
    lowest = sorted(int(IPv4Address(each)) for each in drawn(made_of("ipv4")))
    assert lowest[0] < 2**24 and lowest[-1] > 255 * 2**24
    found = [int(IPv6Address(each)) for each in drawn(made_of("ipv6"))]
    assert {each >> 96 for each in found} == {0, 0x20010DB8}
    assert max(each & (2**96 - 1) for each in found) > 2**95
