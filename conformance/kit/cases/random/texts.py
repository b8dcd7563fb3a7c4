"""Random strings: plain ones of many scripts and lengths, and those of each format."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Final
from uuid import UUID

from conformance.kit.cases.random.chance import Chance, Maker, TooLarge, run
from conformance.kit.schema.string_formats import FORMATS, SOMEDAY

_OWN: Final = "kit-"
"""The prefix of the kit's names of formats, because the library knows some of the plain names."""
_TEXTS: Final[dict[str, Maker]] = {}
_NAMED: Final[dict[str, str]] = {}
"""The kit's names of formats: `_TEXTS` has makers by length, `_NAMED` all other formats."""
NAME: Final = "name"
"""The format of invented names of members."""
_LONGEST: Final = 2_000
_MOST_MADE: Final = 1_000_000
"""The most characters of a drawn text. If a schema asks for more, none is drawn."""
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
"""Characters that servers treat differently. One string has characters of one or two kinds."""
_UNSEEN: Final = (
    "\u00a0\u2003\u200b\u200d\u2028\u3000\ufeff",
    "\u202d\u202e\u2066\u2069",
    "\t\n\r",
)
"""Kinds that are only used between others, because many good servers refuse a blank text."""
_OTHERS: Final = (*_SCRIPTS, *_UNSEEN)


def text_name(least: int, most: int) -> str:
    """Return a format for strings of `least` to `most` characters, for a normalized schema.

    Their maker is stored separately, because the schema has only room for the name.
    """
    name = f"{_OWN}text-{least}-{most}"
    _TEXTS.setdefault(name, texts(least, most))
    return name


def format_name(name: str) -> str:
    """Return the name that a normalized schema has for a format that the kit knows."""
    own = f"{_OWN}{name}"
    _NAMED[own] = name
    return own


def formats_in(schema: Any) -> dict[str, Maker]:
    """Return the maker of each of the kit's formats that a normalized schema names."""
    return {name: format_of(name) for name in sorted(set(_used(schema)))}


def is_own(name: object) -> bool:
    """Return whether a name is one of the kit's names of formats."""
    return isinstance(name, str) and (name in _TEXTS or name in _NAMED)


def format_of(name: str) -> Maker:
    """Return a maker of texts for one of the kit's formats."""
    if name in _TEXTS:
        return _TEXTS[name]
    name = _NAMED.get(name, name)
    return _FORMATS.get(name) or _as_made(name)


def _used(schema: Any) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        inner = here.values() if isinstance(here, dict) else here
        if isinstance(here, dict) and is_own(here.get("format", "")):
            yield here["format"]
        waiting.extend(each for each in inner if isinstance(each, dict | list))


def texts(least: int, most: int) -> Maker:
    """Return a maker of strings with evenly spread lengths, each in one or two scripts."""
    longest = min(most, max(least, _LONGEST))

    def made(chance: Chance) -> str:
        if least > _MOST_MADE:
            raise TooLarge(f"a text of more than {_MOST_MADE} characters")
        size = chance.length(least, longest)
        seen = chance.choice(_SCRIPTS)
        if size < 3:
            return run(chance, seen, size, size)
        inner = run(chance, seen + chance.choice(_OTHERS), size - 2, size - 2)
        return f"{chance.choice(seen)}{inner}{chance.choice(seen)}"

    return made


def _as_made(name: str) -> Maker:
    return lambda chance: FORMATS[name].make(chance.randint(0, 180), SOMEDAY)


def _name(chance: Chance) -> str:
    return f"{chance.choice(_LOWER)}{run(chance, _WORD + '_', 0, 15)}"


def _label(chance: Chance) -> str:
    return f"{chance.choice(_LOWER)}{run(chance, _WORD, 0, 10)}"


def _domain(chance: Chance) -> str:
    return f".example.{chance.choice(('com', 'org'))}"


def _seldom(chance: Chance, text: str) -> str:
    return text if chance.whether() else ""


def _day(chance: Chance) -> str:
    return str(_FIRST + timedelta(days=chance.randint(0, (_LAST - _FIRST).days)))


def _time(chance: Chance) -> str:
    hour, minute, second = chance.randint(0, 23), chance.randint(0, 59), chance.randint(0, 59)
    part = _seldom(chance, f".{run(chance, _DIGITS, 1, 6)}")
    sign, hours, minutes = chance.choice("+-"), chance.randint(0, 12), chance.choice((0, 30, 45))
    offset = _seldom(chance, f"{sign}{hours:02}:{minutes:02}") or "Z"
    return f"{hour:02}:{minute:02}:{second:02}{part}{offset}"


def _duration(chance: Chance) -> str:
    few, many = chance.randint(1, 9), chance.randint(1, 99)
    minutes = _seldom(chance, f"{chance.randint(0, 59)}M")
    return chance.choice((f"P{many}D", f"P{few}W", f"P{few}Y{few}M", f"PT{many}H{minutes}"))


def _email(chance: Chance) -> str:
    more = _seldom(chance, f"{chance.choice('._+-')}{run(chance, _WORD, 1, 8)}")
    return f"{_label(chance)}{more}@{_label(chance)}{_domain(chance)}"


def _uri(chance: Chance) -> str:
    port = _seldom(chance, f":{chance.randint(10, 9999)}")
    path = "".join(f"/{run(chance, _PATH, 1, 12)}" for _ in range(chance.randint(0, 3)))
    query = _seldom(chance, f"?{run(chance, _LOWER, 1, 6)}={run(chance, _WORD, 1, 6)}")
    fragment = _seldom(chance, f"#{run(chance, _LOWER, 1, 8)}")
    scheme = chance.choice(("http", "https"))
    return f"{scheme}://{_label(chance)}{_domain(chance)}{port}{path}{query}{fragment}"


def _hostname(chance: Chance) -> str:
    return f"{_label(chance)}{_seldom(chance, f'-{run(chance, _WORD, 1, 6)}')}{_domain(chance)}"


def _ipv6(chance: Chance) -> str:
    return str(IPv6Address(chance.choice((0, _DOCUMENTS)) | chance.getrandbits(96)))


_LOWER: Final = "abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"
_WORD: Final = _LOWER + _DIGITS
_PATH: Final = f"{_WORD}{_LOWER.upper()}._~-"
_FIRST: Final = SOMEDAY.date()
_LAST: Final = _FIRST.replace(year=2037)
_DOCUMENTS: Final = int(IPv6Address("2001:db8::"))
_FORMATS: Final[dict[str, Maker]] = {
    NAME: _name,
    "date": _day,
    "time": _time,
    "date-time": lambda chance: f"{_day(chance)}T{_time(chance)}",
    "duration": _duration,
    "email": _email,
    "uri": _uri,
    "hostname": _hostname,
    "uuid": lambda chance: str(UUID(int=chance.getrandbits(128), version=4)),
    "ipv4": lambda chance: str(IPv4Address(chance.getrandbits(32))),
    "ipv6": _ipv6,
}
"""Formats with more variety than in the plan, but no odd values that good servers may refuse."""
