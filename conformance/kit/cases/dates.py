"""Moves the dates of an example into the future, keeping their distances."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Final

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_MOMENT: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})?\Z", re.ASCII
)
_AHEAD: Final = timedelta(days=30)
"""How far ahead the earliest date of an example is put: bookable, and still so after a long run."""


def shifted(document: Any, now: datetime) -> Any:
    """Give a copy whose ISO dates and date-times are moved by the same whole weeks.

    The earliest comes to lie at least a month after `now`; an example whose dates all lie ahead
    already stays as it is. Weeks keep the day of the week and the time of day.
    """
    today = now.date()
    days = [found for text in _texts(document) if (found := _day(text)) is not None]
    if not days or min(days) > today + timedelta(days=1):
        return document
    behind = today + _AHEAD - min(days)
    weeks = -(-behind.days // 7)
    return _moved(document, timedelta(weeks=weeks))


def _texts(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict | list):
        for value in document.values() if isinstance(document, dict) else document:
            yield from _texts(value)


def _day(text: str) -> date | None:
    if not (_DATE.match(text) or _MOMENT.match(text)):
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:  # the form of a date, but no day of any calendar: left alone
        return None


def _moved(document: Any, by: timedelta) -> Any:
    if isinstance(document, dict):
        return {name: _moved(value, by) for name, value in document.items()}
    if isinstance(document, list):
        return [_moved(value, by) for value in document]
    if isinstance(document, str):
        day = _day(document)
        if day is not None:
            try:
                return (day + by).isoformat() + document[10:]
            except OverflowError:  # the year 9999 stays where it is
                return document
    return document
