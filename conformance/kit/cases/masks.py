"""Values in a text: masks such as HH:MM, quoted literals, and listed alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from json import JSONDecoder
from typing import Any, Final

from conformance.kit.schema.string_formats import a_month_ahead

_PARTS: Final = {"YYYY": "%Y", "YY": "%y", "DD": "%d", "HH": "%H", "SS": "%S"}
_MOMENT: Final = "%Y-%m-%dT%H:%M:%SZ"
_PIECE = r"(?:YYYY|yyyy|YY|yy|MM|mm|DD|dd|HH|hh|SS|ss)"
_MASK: Final = re.compile(rf"(?<![A-Za-z]){_PIECE}(?:[-/.:T ]{_PIECE}){{1,20}}Z?(?![A-Za-z])")
_NAMED: Final = (
    (re.compile(r"RFC ?3339", re.I), _MOMENT),
    (re.compile(r"ISO[- ]?8601[^.;]{0,20}(?:date-?time|timestamp)", re.I), _MOMENT),
    (re.compile(r"(?:date-?time|timestamp)[^.;]{0,40}ISO[- ]?8601", re.I), _MOMENT),
    (re.compile(r"ISO[- ]?8601[^.;]{0,10}\bdate\b", re.I), "%Y-%m-%d"),
    (re.compile(r"\bdate\b[^.;]{0,20}ISO[- ]?8601", re.I), "%Y-%m-%d"),
    (re.compile(r"ISO[- ]?8601", re.I), _MOMENT),
    (re.compile(r"24-hour (?:time|format|clock)", re.I), "%H:%M"),
)  # fmt: skip
_QUOTED: Final = re.compile(
    r"""(?<![\w'"`‘“])(?:'([^'\n]{1,80})'|"([^"\n]{1,80})"|`([^`\n]{1,80})`|‘([^’\n]{1,80})’|“([^”\n]{1,80})”)(?!\w)"""
)
_EXAMPLE: Final = re.compile(
    r"(?:\be\.?g\.?,?|\bfor example,?|\bfor instance,?|\bsuch as|\blike|\bi\.e\.,?|\bexample:)\s*",
    re.I,
)
_PARAMETER: Final = re.compile(
    r"\s*(?:[-*]\s+|:param\s+(?:\w+\s+)?)?[`*]{0,2}(?P<name>\w{1,80})[`*]{0,2}\s*"
    r"(?:\([^()\n]{0,80}\)\s*)?:[`*]{0,2}\s+(?P<said>\S.*)"
)
"""A line about a parameter: `name: words`, `name (type): words`, `:param name: words`."""
_OPENS: Final = re.compile(r"[{\[]")
_JSON: Final = JSONDecoder()
_MOST_DOCUMENTS: Final = 8
READ: Final = 20_000
"""The most characters of a text in which values are searched."""
_AHEAD: Final = 320
"""The most characters after a phrase such as `for example` in which the example is searched."""
_BARE: Final = re.compile(r"[^\s,;)\]]{1,80}(?![^\s,;)\]])")
"""A whole word. The beginning of a longer one is not a value, and may be half a secret."""
_CHOICE = r"\w[\w.+-]{0,40}"
_CHOICES: Final = re.compile(
    rf"[(\uff08]({_CHOICE}(?:\s?(?:[,/|\u3001\uff0c]|,? or )\s?{_CHOICE}){{1,30}})[)\uff09]"
)
"""A list in brackets, of ASCII or of full width."""
_SPLIT: Final = re.compile(r",? or |[,/|\u3001\uff0c\s]+")
_NO_CHOICES: Final = frozenset({
    "array", "bool", "boolean", "default", "exclusive", "float", "inclusive", "int", "integer",
    "list", "max", "maximum", "min", "minimum", "none", "null", "number", "object", "optional",
    "required", "str", "string",
})  # fmt: skip
"""Words in brackets that say something of a parameter, and are not its values."""


def from_masks(text: str, now: datetime) -> Iterator[str]:
    """Yield a value a month ahead for each mask in a text (`HH:MM`, `YYYY-MM-DD`, ISO 8601)."""
    when = a_month_ahead(now).replace(hour=14, minute=30, second=0)
    text = searched(text)
    for found in _MASK.finditer(text):
        yield when.strftime(_code(found.group()))
    for expression, code in _NAMED:
        if expression.search(text):
            yield when.strftime(code)


def _code(mask: str) -> str:
    """Return a mask as a `strftime` format. MM after hours means minutes, otherwise months."""
    code: list[str] = []
    clock = False
    for piece in re.split(r"([^A-Za-z]|T|Z)", mask):
        part = piece.upper()
        if part == "HH":
            clock = True
        if part == "MM":
            code.append("%M" if clock else "%m")
        else:
            code.append(_PARTS.get(part, piece))
    return "".join(code)


def literals(text: str) -> Iterator[str]:
    """Yield the values that a text quotes: those named as examples first, then all others.

    A bare word counts only directly after `e.g.` and similar phrases, or in a list in brackets.
    """
    shown: list[str] = []
    bare: list[str] = []
    text = searched(text)
    for lead in _EXAMPLE.finditer(text):
        behind = text[lead.end() : lead.end() + _AHEAD]
        quoted = _QUOTED.match(behind)
        if quoted is not None:
            shown.append(_content(quoted))
            rest = behind[quoted.end() : quoted.end() + 120].split(")")[0]
            shown.extend(_content(each) for each in _QUOTED.finditer(rest))
        else:
            word = _BARE.match(behind)
            if word is not None:
                bare.append(word.group().rstrip(".:'\"`"))
    quoted_anywhere = [_content(each) for each in _QUOTED.finditer(text)]
    lists = (each for each in _CHOICES.findall(text) if not _MASK.search(each))
    for choices in map(_SPLIT.split, lists):
        bare.extend(choices if _NO_CHOICES.isdisjoint(map(str.lower, choices)) else ())
    for each in dict.fromkeys((*shown, *quoted_anywhere, *bare)):
        if each and not _MASK.fullmatch(each):
            yield each


def documents(text: str) -> Iterator[Any]:
    """Yield the JSON objects and arrays in a text, if they hold something."""
    text, at = searched(text), 0
    for _ in range(_MOST_DOCUMENTS):
        found = _OPENS.search(text, at)
        if found is None:
            return
        at = found.end()
        with suppress(ValueError, RecursionError):
            value, at = _JSON.raw_decode(text, found.start())
            if value:
                yield value


def parameters(text: str) -> dict[str, str]:
    """Return what a description says of each parameter, as Python's docstrings do, by its name.

    It is the rest of the line after the name, and the lines below that are indented more.
    """
    said: dict[str, str] = {}
    name, indent = "", 0
    for line in searched(text).splitlines():
        begins = _PARAMETER.match(line)
        depth = len(line) - len(line.lstrip())
        if name and line.strip() and depth > indent:
            said[name] += f" {line.strip()}"
        elif begins is not None and begins["name"] not in said:
            name, indent = begins["name"], depth
            said[name] = begins["said"]
        else:
            name = ""
    return said


def _content(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)


_AROUND: Final = " .'\""
_BRACKETS: Final = (")(", "][", "}{")
_LIST: Final = re.compile(
    r"(?:(?:must|should) be one of|one of|expected|allowed(?: values)?(?: are)?|must be|should be"
    r"|valid (?:values|options)(?: are)?|choose from|options)[:\s]+(.{1,401})",
    re.I | re.S,
)

_LIST_READ: Final = 400
_HALF_A_WORD: Final = re.compile(r"(?<![^\s,|])[^\s,|]*\Z")


def searched(text: str) -> str:
    """Return the beginning of a text in which values are searched, without half a word at its end.

    Half a word is not a value, and may be half a secret.
    """
    return text if len(text) <= READ else _HALF_A_WORD.sub("", text[:READ])


def alternatives(text: str) -> Iterator[str]:
    """Yield the values that a refusal lists as allowed: quoted ones, or else a plain list."""
    for found in _LIST.finditer(searched(text)):
        begun = found.group(1)
        if len(begun) > _LIST_READ:
            begun = _HALF_A_WORD.sub("", begun[:_LIST_READ])
        said = re.split(r"\b(?:received|got|but|instead of|input_value)\b", begun)[0]
        quoted = [_content(each) for each in _QUOTED.finditer(said)]
        if quoted:
            yield from quoted
            continue
        inside = re.match(r"\s*[\[({]([^\])}]+)[\])}]", said)
        listed = inside.group(1) if inside else said.split("\n")[0]
        if "," in listed or "|" in listed:
            words = [_bare(w) for w in re.split(r",|\||\bor\b|\band\b", listed)]
            yield from (w for w in words if w and " " not in w)


def _bare(word: str) -> str:
    """Remove the punctuation around a value, and a closing bracket that it does not open."""
    bare = word.strip(_AROUND)
    for closes, opens in _BRACKETS:
        while bare.endswith(closes) and bare.count(opens) < bare.count(closes):
            bare = bare[:-1].rstrip(_AROUND)
    return bare
