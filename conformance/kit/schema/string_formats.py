"""The string formats that the kit knows, with valid, unusual and broken values of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from conformance.spec.vocabulary import AtdfFormat

ATDF_FORMATS: Final = tuple(AtdfFormat)
"""The four formats that ATDF names. All others are annotations."""

SOMEDAY: Final = datetime(2035, 6, 1, 10, 0, tzinfo=UTC)
"""The current time if none is given. It is late enough for every booking."""


_TUESDAY: Final = 1


@dataclass(frozen=True, slots=True)
class Format:
    """How to make values of a format.

    `make` returns the n-th valid value for a current time. `broken` holds (name, value) pairs.
    `extremes` are valid but unusual: a name, and a function from the current time to the value.
    """

    make: Callable[[int, datetime], str]
    broken: tuple[tuple[str, str], ...]
    extremes: tuple[tuple[str, Callable[[datetime], str]], ...] = ()


def a_month_ahead(now: datetime) -> datetime:
    """Return the last Tuesday that is at most 30 days after `now`.

    Many services are closed on some days of the week, and what the kit finds must not depend on the
    day on which it looks. Some take bookings for a month at most.
    """
    then = now + timedelta(days=30)
    return then - timedelta(days=(then.weekday() - _TUESDAY) % 7)


def _day(index: int, now: datetime) -> datetime:
    """Return the n-th day, from a Tuesday a month ahead. Later properties get later days."""
    start = a_month_ahead(now.astimezone(UTC)).replace(hour=12, minute=0, second=0)
    return start + timedelta(days=index)


def _told(form: str, now: datetime, *, days: int) -> str:
    """Return the time that is `days` away from `now`. Rules about dates often depend on today."""
    return (now.astimezone(UTC) + timedelta(days=days)).strftime(form)


def _always(text: str, _now: datetime) -> str:
    return text


def _filled(text: str, index: int, _now: datetime) -> str:
    """Return the n-th text of a template: `{n}` is the number, and `{i}` a number that fits in a
    byte.
    """
    return text.format(n=index or "", i=index % 200 + 1)


def has_no_offset(text: str) -> bool:
    """Return whether a text is a day or a time of a day that does not say in which zone."""
    try:
        return datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


FORMATS: Final[dict[str, Format]] = {
    "email": Format(
        partial(_filled, "user{n}@example.com"),
        (("without-at", "user.example.com"),),
    ),
    "idn-email": Format(
        partial(_filled, "user{n}@example.com"),
        (("without-at", "user.example.com"),),
    ),
    "date": Format(
        lambda index, now: _day(index, now).strftime("%Y-%m-%d"),
        (
            ("impossible-day", "2036-02-30"),
            ("month-13", "2035-13-01"),
            ("day-first", "15/06/2035"),
        ),
        (
            ("today", partial(_told, "%Y-%m-%d", days=0)),
            ("yesterday", partial(_told, "%Y-%m-%d", days=-1)),
            ("leap-day", partial(_always, "2036-02-29")),
            ("first-year", partial(_always, "0001-01-01")),
            ("last-year", partial(_always, "9999-12-31")),
        ),
    ),
    "date-time": Format(
        lambda index, now: _day(index, now).strftime("%Y-%m-%dT%H:%M:%SZ"),
        (
            ("without-offset", "2035-06-15T10:00:00"),
            ("impossible-day", "2036-02-30T10:00:00Z"),
            ("words", "tomorrow at noon"),
        ),
        (
            ("now", partial(_told, "%Y-%m-%dT%H:%M:%SZ", days=0)),
            ("a-day-ago", partial(_told, "%Y-%m-%dT%H:%M:%SZ", days=-1)),
            ("leap-day", partial(_always, "2036-02-29T10:00:00Z")),
            ("first-year", partial(_always, "0001-01-01T00:00:00Z")),
            ("last-year", partial(_always, "9999-12-31T23:59:59Z")),
            ("furthest-east", partial(_always, "2035-06-15T10:00:00+14:00")),
            ("furthest-west", partial(_always, "2035-06-15T10:00:00-14:00")),
        ),
    ),
    "time": Format(
        lambda index, now: f"{(10 + index) % 24:02d}:30:00Z",
        (("hour-25", "25:00:00Z"), ("words", "half past ten")),
    ),
    "duration": Format(
        lambda index, now: f"P{index + 1}D", (("words", "one day"), ("without-p", "1D"))
    ),
    "uri": Format(
        partial(_filled, "https://example.com/{n}"),
        (("without-scheme", "example.com/page"), ("with-space", "https://example.com/a b")),
    ),
    "uri-reference": Format(partial(_filled, "/page{n}"), (("backslash", "\\\\example\\page"),)),
    "iri": Format(
        partial(_filled, "https://example.com/{n}"), (("without-scheme", "example.com/page"),)
    ),
    "iri-reference": Format(partial(_filled, "/page{n}"), (("backslash", "\\\\example\\page"),)),
    "uri-template": Format(
        partial(_filled, "https://example.com/{{id}}{n}"), (("open-brace", "/{id"),)
    ),
    "uuid": Format(
        lambda index, now: f"123e4567-e89b-42d3-a456-{0x426614174000 + index:012x}",
        (
            ("with-a-g", "g23e4567-e89b-42d3-a456-426614174000"),
            ("too-short", "123e4567-e89b-42d3-a456"),
        ),
    ),
    "hostname": Format(partial(_filled, "host{n}.example.com"), (("with-space", "host example"),)),
    "idn-hostname": Format(
        partial(_filled, "host{n}.example.com"), (("with-space", "host example"),)
    ),
    "ipv4": Format(
        partial(_filled, "192.0.2.{i}"), (("part-256", "192.0.2.256"), ("words", "localhost"))
    ),
    "ipv6": Format(partial(_filled, "2001:db8::{i}"), (("with-a-g", "2001:db8::g"),)),
    "regex": Format(partial(_filled, "^a{n}$"), (("open-bracket", "["),)),
    "json-pointer": Format(partial(_filled, "/a{n}"), (("without-slash", "a/b"),)),
    "relative-json-pointer": Format(partial(_filled, "1/a{n}"), (("without-number", "/a"),)),
}
"""The formats by name. A test checks that no valid value equals a broken one."""
