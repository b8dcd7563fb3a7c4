"""Values that exist on a server, such as ids: tools return them, and other tools ask for them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from conformance.formats.tool.tool import Tool
from conformance.kit.config.secrets import is_secret_name
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of

_MOST_TRIED: Final = 3
"""The most values of a parameter that are tried, and the most of a name that one answer gives."""
_MOST_READ: Final = 2000
"""The most values of an answer that are read, its outer ones first."""
_MOST_NAMES, _MOST_TOOLS = 100, 200
"""The most names of one tool, and the most tools, whose values are remembered."""
_LONGEST: Final = 200
"""The most characters of a text that is taken. An id is shorter."""
_MOST_TEXT: Final = 20_000
"""The most characters of a text that are read."""
_ID: Final = "id"
_REFERENCE: Final = re.compile(r"(?:^|[\W_])(?:id|ID|Id)$|[a-z0-9]I[dD]$")
"""A name whose last word is `id`."""
_BULLET: Final = re.compile(
    r"(?:[-*•]|\d{1,3}[.)])\s+(?:\[[^\]\n]{0,200}\]\((?P<link>[^()\s]{1,200})\)"
    r"|\*{0,2}`(?P<code>[^`\n]{1,200})`|\*\*(?P<bold>[^*\n]{1,200})\*\*"
    r"|(?P<word>[^\s:,]{1,200})(?=$|[:,]|\s[-–—(:]))"
)
"""A line of a list: its link, its code, its bold words, or its only word."""


def words_of(name: str) -> frozenset[str]:
    """Return the words of a name in lower case, each without the `s` of a plural."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return frozenset(word.lower().rstrip("s") for word in words)


_ANY: Final = words_of("all api data get id items key list name path result show slug value")
"""Words that do not tell which things a list holds."""


def items_in(text: str) -> list[str]:
    """Return the items of a text that has one on each line; otherwise an empty list.

    A line is a bullet, or every line is a single word.
    """
    read = text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT].rpartition("\n")[0]
    lines = [line.strip() for line in read.splitlines() if line.strip()]
    bullets = [found for line in lines if (found := _BULLET.match(line)) is not None]
    if bullets:
        return [next(each for each in found.groups() if each is not None) for found in bullets]
    return [] if len(lines) < 2 or any(len(line.split()) > 1 for line in lines) else lines


class SeenValues:
    """The texts and whole numbers in answers, by the name of their member and by tool.

    A name is compared without its punctuation. What is looked up for a parameter is one entry,
    because a tool may have thousands of parameters, and the answers thousands of names.
    """

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}
        """The names in the answers of each tool."""
        self._values: dict[str, dict[str, list[Any]]] = {}
        """The values, by name and by tool."""
        self._ids: dict[str, list[Any]] = {}
        """The first values of members such as `order_id`, by tool."""
        self._listed: dict[str, dict[str, list[Any]]] = {}
        """The first items of lists, by a word that tells what they are, and by tool."""

    def note(self, tool: str, document: Any) -> None:
        """Remember the first values of each name in a JSON value that a tool returned."""
        if not isinstance(document, dict | list):
            return
        if tool not in self._names and len(self._names) >= _MOST_TOOLS:
            return
        own = self._names.setdefault(tool, set())
        of_tool = words_of(tool[:_LONGEST]) - _ANY
        for name, value, is_item in _members(document):
            words = words_of(name) - _ANY
            for word in sorted(words or of_tool) if is_item or not words else ():
                if word in self._listed or len(self._listed) < _MOST_NAMES:
                    _add(self._listed.setdefault(word, {}).setdefault(tool, []), value)
            plain = _plain(name)
            if is_item:
                continue
            if plain not in own and len(own) >= _MOST_NAMES:
                continue
            own.add(plain)
            _add(self._values.setdefault(plain, {}).setdefault(tool, []), value)
            if plain != _ID and _REFERENCE.search(name):
                _add(self._ids.setdefault(tool, []), value)

    def put_into(self, tool: Tool, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield valid arguments with values that exist in place of made ones, at most three times.

        A parameter takes the values of members with its name. A parameter such as `order_id` also
        takes those of a member `id`, and `id` those of a member such as `order_id`. Then come the
        items of lists: `order` takes those of `orders`, and of a tool `list_orders`. Values of a
        tool whose name has more words in common come first.
        """
        words = words_of(tool.name[:_LONGEST])
        near = {other: -len(words & words_of(other[:_LONGEST])) for other in self._names}
        found = {
            name: values
            for name, value in arguments.items()
            if not isinstance(value, dict | list) and (values := self._of(near, name))
        }
        try:
            view = view_of(tool.input_schema)
            for turn in range(max(map(len, found.values()), default=0)):
                own = {name: values[min(turn, len(values) - 1)] for name, values in found.items()}
                if view.accepts({**arguments, **own}):
                    yield {**arguments, **own}
        except SchemaProblem:
            return

    def _of(self, near: Mapping[str, int], parameter: str) -> list[Any]:
        """Return the values for a parameter, most likely ones first. Lower is nearer in `near`."""
        if not _is_short(parameter) or is_secret_name(parameter):
            return []
        plain = _plain(parameter)
        places = [self._values.get(plain, {})]
        if _REFERENCE.search(parameter):
            places.append(self._ids if plain == _ID else self._values.get(_ID, {}))
        places += [self._listed.get(word, {}) for word in sorted(words_of(parameter) - _ANY)]
        found: list[Any] = []
        for place in places:
            for tool in sorted(place, key=near.__getitem__):
                for value in place[tool]:
                    _add(found, value)
                if len(found) == _MOST_TRIED:
                    return found
        return found


def _add(values: list[Any], value: Any) -> None:
    """Add a value that is new, if there is room."""
    if len(values) < _MOST_TRIED and value not in values:
        values.append(value)


def _members(document: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield texts and whole numbers in a document: with the name of their member, or of their list.

    The last value tells whether it is the item of a list.
    """
    waiting, left = deque([("", document)]), _MOST_READ
    while waiting:
        around, here = waiting.popleft()
        is_list = isinstance(here, list)
        inside = ((around, each) for each in here) if is_list else here.items()
        for name, value in inside:
            left -= 1
            if left < 0:
                return
            if isinstance(value, dict | list):
                waiting.append((name, value))
            elif _is_short(name or "-") and _is_short(value):
                yield name, value, is_list


def _is_short(value: Any) -> bool:
    """Return whether a value is a whole number of 64 bits or a text that may be an id."""
    if isinstance(value, str):
        return 0 < len(value) <= _LONGEST
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()
