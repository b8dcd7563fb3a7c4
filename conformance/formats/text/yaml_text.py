"""Reads YAML 1.2 as JSON values, with their lines.

It makes values from the node tree. So a date stays a string, `no` is a word, repeated names are
found, and neither aliases nor merge keys can fill the memory.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import ComposerError
from ruamel.yaml.constructor import RoundTripConstructor, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scanner import RoundTripScanner, Scanner, ScannerError

from conformance.formats.problem import Place, shown
from conformance.formats.text.source_lines import Position, nearest, position_at
from conformance.spec.messages import Message, message

LONGEST = 4 * 1024 * 1024
"""The most characters of a YAML text: the parser takes seconds for each million."""

_MOST_MARKS = 300_000
"""The most line ends, commas, colons, dashes and brackets. Each may mean a value, which takes 700
bytes while a text is read.
"""
_MARKS = ("\n", "\r", "\x85", "\u2028", "\u2029", ",", ": ", "- ", "? ", "[", "{")
_MOST_VALUES = 1_000_000
_MOST_CHARACTERS = 8 * LONGEST
"""The most characters of all values together: each alias of a long string counts again."""
_DEEPEST = 300
_ANOTHER = re.compile(r"---(\s.*)?")
_TABBED = re.compile(r" *\t")
_TAG = "tag:yaml.org,2002:"


_VERSION = (1, 2)
"""The version for all texts. With `%YAML 1.1`, a text could turn `no` into a boolean, and `%YAML
1.3` would stop the parser.
"""


class _Resolver(VersionedResolver):
    @property
    def processing_version(self) -> tuple[int, int]:
        """The version that decides how plain words become values."""
        return _VERSION


class _Scanner(Scanner):
    """A scanner that reports where a number in an escape or a directive is too large."""

    def fetch_more_tokens(self) -> Any:
        """Read the next token."""
        try:
            return super().fetch_more_tokens()
        except (OverflowError, ValueError) as error:
            raise ScannerError(None, None, str(error), self.reader.get_mark()) from error


class _RoundTripScanner(_Scanner, RoundTripScanner):
    """The same for a reader that keeps the lines."""


class _Unmerged:
    """Merges no mapping into another, because ruamel would do so without a limit. `<<` is refused.

    Of documents, `Members` merges the mappings.
    """

    def flatten_mapping(self, _node: Any) -> Any:
        """Return nothing to merge."""
        return []


class _Constructor(_Unmerged, SafeConstructor):
    """Makes values without merge keys."""


class TextConstructor(_Unmerged, RoundTripConstructor):
    """Keeps the lines, and reads dates, numbers and booleans as text.

    A number may be too long to be written again.
    """


for _kind in ("timestamp", "int", "float", "bool"):
    TextConstructor.add_constructor(
        f"{_TAG}{_kind}", lambda reader, node: reader.construct_scalar(node)
    )


class _Reader(YAML):
    def __init__(self, typ: str) -> None:
        super().__init__(typ=typ, pure=True)
        self.Constructor = TextConstructor if typ == "rt" else _Constructor
        self.Resolver = _Resolver
        self.Scanner = _RoundTripScanner if typ == "rt" else _Scanner

    @property
    def version(self) -> tuple[int, int]:
        """The version of every text."""
        return _VERSION

    @version.setter
    def version(self, _: Any) -> None:
        """Ignore the version that a text declares."""


def quiet_reader(kind: str = "safe") -> YAML:
    """Return a reader that prints no warnings: the text would decide what they show."""
    reader = _Reader(kind)
    reader.composer.warn_double_anchors = False  # YAML allows a second anchor with the same name
    return reader


def is_too_much(text: str) -> bool:
    """Return whether a YAML text may have more values than the limit."""
    return len(text) > _MOST_MARKS and sum(map(text.count, _MARKS)) > _MOST_MARKS


class YamlFault(Exception):
    """The text cannot be read: a keyword for the reason, the message, and the position."""

    def __init__(self, keyword: str, said: Message, position: Position | None = None) -> None:
        self.keyword = keyword
        self.message = said
        self.position = position
        super().__init__(said.id)


def yaml_value(text: str) -> tuple[Any, list[Place]]:
    """Return the JSON value of a YAML text, and the places of members with a repeated name.

    Raises `YamlFault` if it is not YAML or has something that JSON lacks, and `RecursionError` if
    it is too deep.
    """
    root = _composed(text)
    members = Members()
    twice: list[Place] = []
    around: list[Node] = []
    count = characters = 0

    def value_of(node: Node, place: Place) -> Any:
        nonlocal count, characters
        count += 1
        if isinstance(node, ScalarNode):
            characters += len(node.value)
        deep = len(place) > _DEEPEST
        if deep and node not in around:  # no alias contains itself
            raise RecursionError
        if deep or count > _MOST_VALUES or characters > _MOST_CHARACTERS:
            raise _too_much(node)
        if isinstance(node, ScalarNode):
            return _scalar(node)
        around.append(node)
        made = object_of(node, place) if isinstance(node, MappingNode) else list_of(node, place)
        around.pop()
        return made

    def list_of(node: Node, place: Place) -> list[Any]:
        return [value_of(each, (*place, i)) for i, each in enumerate(node.value)]

    def object_of(node: MappingNode, place: Place) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, inner in members.of(node):
            name = _name(key)
            if name in made:
                twice.append((*place, name))
            made[name] = value_of(inner, (*place, name))
        return made

    return value_of(root, ()), twice


class Members:
    """The members of mappings, with those that `<<` merges into them.

    YAML 1.1 has this merge key, and many write it. A member of the mapping itself comes before a
    merged one of the same name. Each merged member counts, because a short text could merge
    mappings that merge mappings, without end.
    """

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[Node, Node]]] = {}
        self._under_way: set[int] = set()
        self._count = 0

    def of(self, node: MappingNode) -> list[tuple[Node, Node]]:
        """Return the members of a mapping. Raises `YamlFault` if they are too many."""
        if not any(merged(key, inner) for key, inner in node.value):
            return list(node.value)
        if id(node) not in self._known:
            if id(node) in self._under_way:
                raise _too_much(node)  # it merges itself
            self._under_way.add(id(node))
            self._known[id(node)] = self._of_both(node)
        return self._known[id(node)]

    def _of_both(self, node: MappingNode) -> list[tuple[Node, Node]]:
        own = [each for each in node.value if not merged(*each)]
        names = {_name(key) for key, _ in own}
        found: dict[str, tuple[Node, Node]] = {}
        for source in (source for each in node.value for source in merged(*each)):
            for each in self.of(source):
                self._count += 1
                if self._count > _MOST_VALUES:
                    raise _too_much(node)
                if (name := _name(each[0])) not in names:
                    found.setdefault(name, each)
        return [*found.values(), *own]


def merged(key: Node, inner: Node) -> list[MappingNode]:
    """Return the mappings that a member merges into its own one: those under `<<` without quotes.

    Under another value, `<<` is an ordinary name.
    """
    if not isinstance(key, ScalarNode) or key.value != "<<" or key.style:
        return []
    given: list[Node] = inner.value if isinstance(inner, SequenceNode) else [inner]
    sources = [each for each in given if isinstance(each, MappingNode)]
    return sources if len(sources) == len(given) else []


def _too_much(node: Node) -> YamlFault:
    said = message("documents.yaml.too_much", limit=_MOST_VALUES, characters=_MOST_CHARACTERS)
    return YamlFault("size", said, _start(node))


def yaml_positions(text: str, wanted: Iterable[Place]) -> dict[Place, Position]:
    """Return the position of each wanted place in a valid YAML text, or the nearest around it."""
    asked = set(wanted)
    near = {place[:length] for place in asked for length in range(len(place) + 1)}
    known = dict(_positions(_composed(text), near))
    return {place: known[nearest(place, known)] for place in asked}


def _positions(root: Node, near: set[Place]) -> Iterator[tuple[Place, Position]]:
    """Yield the positions of the places in `near`; aliases could make all places endless."""
    members = Members()
    waiting: list[tuple[Place, Node, Node]] = [((), root, root)]
    while waiting:
        place, named, node = waiting.pop()
        yield place, _start(named)
        below: list[tuple[Place, Node, Node]] = []
        if isinstance(node, MappingNode):
            below = [((*place, _name(key)), key, inner) for key, inner in members.of(node)]
        elif isinstance(node, SequenceNode):
            below = [((*place, i), each, each) for i, each in enumerate(node.value)]
        # In the order of the text, so that the last position of a repeated name counts.
        waiting += reversed([each for each in below if each[0] in near])


def _composed(text: str) -> Node:
    if len(text) > LONGEST:
        raise YamlFault("size", message("documents.yaml.too_long", limit=LONGEST))
    if is_too_much(text):
        raise YamlFault("size", message("documents.too_many", limit=_MOST_MARKS))
    try:
        root: Node | None = quiet_reader().compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Position(mark.line + 1, mark.column + 1) if mark is not None else Position(1, 1)
        raise YamlFault("syntax", _not_yaml(text, where, error), where) from error
    except ReaderError as error:
        where = position_at(text, error.position)
        character = f"U+{error.character:04X}"
        words = {"line": where.line, "column": where.column, "character": character}
        raise YamlFault("syntax", message("documents.yaml.character", **words), where) from error
    if root is None:
        raise YamlFault("syntax", message("documents.empty"))
    return root


def _not_yaml(text: str, where: Position, error: MarkedYAMLError) -> Message:
    """Return the message about a text that is not YAML; two causes have a special message."""
    if isinstance(error, ComposerError) and _ANOTHER.fullmatch(_line(text, where)):
        return message("documents.yaml.another", line=where.line)
    if _TABBED.match(_line(text, where)) and repr("\t") in str(error.problem):
        return message("documents.yaml.tab", line=where.line)
    return message("documents.not_yaml", line=where.line, column=where.column)


def _line(text: str, where: Position) -> str:
    lines = text.splitlines()
    return lines[where.line - 1] if where.line <= len(lines) else ""


def _name(key: Node) -> str:
    if not isinstance(key, ScalarNode):
        raise YamlFault("syntax", message("documents.yaml.name"), _start(key))
    return str(key.value)


def _start(node: Node) -> Position:
    return Position(node.start_mark.line + 1, node.start_mark.column + 1)


def _scalar(node: ScalarNode) -> Any:
    """Return the JSON value of a scalar; a tag without a JSON type (a timestamp) is a string."""
    text = str(node.value)
    try:
        match str(node.tag).removeprefix(_TAG):
            case "null":
                return None
            case "bool":
                return text.lower() == "true"
            case "int":
                based = text.lstrip("+-").startswith(("0o", "0x"))
                number = int(text.replace("_", ""), 0 if based else 10)
                str(number)  # raises if it has too many digits to be written in base 10
                return number
            case "float":
                return _finite(text)
            case _:
                return text
    except ValueError as error:
        said = message("documents.no_number", word=shown(text))
        raise YamlFault("number", said, _start(node)) from error


def _finite(text: str) -> float:
    number = float(text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))
    if not math.isfinite(number):
        raise ValueError(text)
    return number
