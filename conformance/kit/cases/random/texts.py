"""Strings drawn by chance: plain ones over many scripts and lengths, and those of each format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from conformance.kit.cases.formats import FORMATS, SOMEDAY

_OWN: Final = "kit-"
"""What our names of formats begin with: the library knows some of the others by itself."""
_LONGEST: Final = 2_000
_SCRIPTS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    " .,;:!?()[]{}<>+-*/=%&@#$'\"\\|~^_`",
    "áàâäãåçéèêëíîïñóôöõøúüßæœðþŁąžőı",
    "абвгдеёжзийклмнопрстуфхцчшщьюяіїє",
    "αβγδεζηθικλμνξοπρςστυφχψωά",
    "אבגדהוזחטיכלמנסעפצקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويى",
    "अआइईउऊकखगघचछजटडणतदनपबमयरलवशसह",
    "กขคงจฉชซญดตถทธนบปผฝพมยรลวศสหอฮ",
    "日月火水木金土東京語漢字中国あいうえおアイウエオ한국어",
    "e\u0301a\u0308o\u0302n\u0303u\u030a",
    "🚀🎉👍🏽👩‍💻🇪🇸❤️𝔘𝕏𐍈𠮷",
    "½²³Ⅷ①٣௧",
)
"""Characters that servers treat differently: one string holds one or two of these kinds."""
_UNSEEN: Final = (
    "\u00a0\u2003\u200b\u200d\u2028\u3000\ufeff",
    "\u202d\u202e\u2066\u2069",
    "\t\n\r",
)
"""Kinds that stand only between others: a blank text is refused by many a good server."""

_SEEN: Final = st.sampled_from(_SCRIPTS)
_OTHER: Final = st.sampled_from((*_SCRIPTS, *_UNSEEN))

Strategy = st.SearchStrategy[str]


def text_name(least: int, most: int) -> str:
    """Name the strings of so many characters, as a format of a normalised schema."""
    return f"{_OWN}text-{least}-{most}"


def format_name(name: str) -> str:
    """Name the strings of a format that the kit knows, as a format of a normalised schema."""
    return f"{_OWN}{name}"


def strategies_for(schema: Any) -> dict[str, Strategy]:
    """Give how to draw each format that a normalised schema names."""
    return {name: _drawn(name.removeprefix(_OWN)) for name in sorted(set(_used(schema)))}


def _used(schema: Any) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        inner = here.values() if isinstance(here, dict) else here
        if isinstance(here, dict) and str(here.get("format", "")).startswith(_OWN):
            yield here["format"]
        waiting.extend(each for each in inner if isinstance(each, dict | list))


def _drawn(name: str) -> Strategy:
    if name.startswith("text-"):
        least, most = name.removeprefix("text-").split("-")
        return texts(int(least), int(most))
    return _FORMATS.get(name, _as_made(name))


def texts(least: int, most: int) -> Strategy:
    """Strings whose lengths are spread evenly over what is allowed, in one or two scripts each.

    Left to itself the library draws short ones: a limit in the middle would not be met.
    """
    return _text(st.integers(least, min(most, max(least, _LONGEST))))


@st.composite
def _text(draw: Callable[[Any], Any], sizes: st.SearchStrategy[int]) -> str:
    size = draw(sizes)
    seen = draw(_SEEN)
    other = draw(_OTHER)
    if size < 3:
        return str(draw(st.text(_one_of(seen), min_size=size, max_size=size)))
    ends = draw(st.text(_one_of(seen), min_size=2, max_size=2))
    inner = draw(st.text(_one_of(seen + other), min_size=size - 2, max_size=size - 2))
    return f"{ends[0]}{inner}{ends[1]}"


@cache
def _one_of(characters: str) -> Strategy:
    """A character; the library takes longer to get ready for it than to draw it."""
    return st.characters(categories=(), include_characters=characters)


def _as_made(name: str) -> Strategy:
    return st.integers(0, 180).map(lambda index: FORMATS[name].make(index, SOMEDAY))


def _whole(expression: str) -> Strategy:
    return st.from_regex(expression, fullmatch=True)


_LABEL: Final = "[a-z][a-z0-9]{0,10}"
_DAYS: Final = st.dates(SOMEDAY.date(), SOMEDAY.date().replace(year=2037)).map(str)
_CLOCK: Final = _whole(r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?")
_OFFSET: Final = st.just("Z") | _whole(r"[+-](0[0-9]|1[0-2]):(00|30|45)")
_FORMATS: Final[dict[str, Strategy]] = {
    "date": _DAYS,
    "time": st.builds("{}{}".format, _CLOCK, _OFFSET),
    "date-time": st.builds("{}T{}{}".format, _DAYS, _CLOCK, _OFFSET),
    "duration": _whole(r"P([1-9][0-9]?D|[1-9]W|[1-9]Y[1-9]M|T[1-9][0-9]?H([1-5]?[0-9]M)?)"),
    "email": _whole(rf"[a-z][a-z0-9]{{0,12}}([._+-][a-z0-9]{{1,8}})?@{_LABEL}\.example\.(com|org)"),
    "uri": _whole(rf"https?://{_LABEL}\.example\.(com|org)(:[1-9][0-9]{{1,3}})?"
                  r"(/[A-Za-z0-9._~-]{1,12}){0,3}(\?[a-z]{1,6}=[a-z0-9]{1,6})?"
                  r"(#[a-z]{1,8})?"),
    "hostname": _whole(rf"{_LABEL}(-[a-z0-9]{{1,6}})?\.example\.(com|org)"),
    "uuid": st.uuids().map(str),
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv6": st.ip_addresses(v=6).map(str),
}  # fmt: skip
"""Formats drawn with more variety than the made ones; nothing odd that good servers may doubt."""
