"""Reads YAML 1.2 as plain JSON values, with the line of each value.

A round-trip loader would return subclasses of dict and list, and a date for `2025-01-15`. The
source is JSON written in YAML, so this module makes the values from the node tree: mappings with
string keys, sequences, and JSON scalars.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from conformance.spec.pointer import to_pointer
from scripts.generator.problems import Problem, SourceError

Json = Any
Path_ = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One YAML file: its path relative to the root, its value, and the line of each place in it."""

    file: str
    data: Json
    lines: Mapping[Path_, int]

    def problem(self, path: Path_, what: str, do: str) -> Problem:
        """Return a problem at `path`, with the line of the nearest place that the file has."""
        place = path
        while place and place not in self.lines:
            place = place[:-1]
        return Problem(self.file, self.lines.get(place, 1), to_pointer(path), what, do)


def load(root: Path, files: Iterable[Path]) -> list[SourceFile]:
    """Read YAML files below `root`, in order; the value of an empty file is None.

    Raises `SourceError` for a file that is not UTF-8 or not YAML, that has a key twice, or that has
    a value that JSON lacks.
    """
    asked = [(file.relative_to(root).as_posix(), file.read_bytes()) for file in files]
    if len(_PARSED) > _REMEMBERED:
        _PARSED.clear()
    fresh = [each for each in asked if each not in _PARSED]
    for each, parsed in zip(fresh, _parsed(fresh), strict=True):
        _PARSED[each] = parsed
    read = [_PARSED[each] for each in asked]
    problems = [problem for each in read if isinstance(each, list) for problem in each]
    if problems:
        raise SourceError(problems)
    return [each for each in read if isinstance(each, SourceFile)]


_Named = tuple[str, bytes]
_PARSED: dict[_Named, SourceFile | list[Problem]] = {}
"""A cache: parsing takes most of the generator's time, and tests run it often."""

_REMEMBERED = 4096
"""The most files in the cache; a process that reads more has changed the same files repeatedly."""

_MANY = 100
"""The fewest files for which other processes help: each takes a tenth of a second to start."""


def _parsed(files: list[_Named]) -> list[SourceFile | list[Problem]]:
    workers = min(4, os.cpu_count() or 1)
    if len(files) < _MANY or workers == 1:
        return [_tried(each) for each in files]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(_tried, files, chunksize=len(files) // (4 * workers) + 1))


def _tried(file: _Named) -> SourceFile | list[Problem]:
    try:
        return _parse(*file)
    except SourceError as error:
        return error.problems


def _parse(name: str, content: bytes) -> SourceFile:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(
            [Problem(name, 0, "", f"The file is not UTF-8 ({error.reason}).", "Save it as UTF-8.")]
        ) from error
    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        what = f"The file is not YAML: {error.problem or error.context}."
        raise SourceError([Problem(name, line, "", what, "Fix the syntax there.")]) from error
    except RecursionError:
        what = "It is nested too deeply."
        raise SourceError([Problem(name, 0, "", what, "Write it flat.")]) from None
    except YAMLError as error:
        what = f"The file is not YAML: {str(error).splitlines()[0]}."
        raise SourceError([Problem(name, 0, "", what, "Fix the syntax.")]) from error
    if node is None:
        return SourceFile(name, None, {})
    lines: dict[Path_, int] = {}
    problems: list[Problem] = []
    try:
        value = _value(name, node, (), lines, problems)
    except RecursionError:
        what = "A value contains itself, or it is nested too deeply."
        raise SourceError([Problem(name, 0, "", what, "Write it flat.")]) from None
    if problems:
        raise SourceError(problems)
    return SourceFile(name, value, lines)


def _value(
    file: str, node: Node, path: Path_, lines: dict[Path_, int], problems: list[Problem]
) -> Json:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if isinstance(node, MappingNode):
        made: dict[str, Json] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            at = (*path, key)
            if key in made:
                what = f"The key `{key}` stands twice in one mapping."
                problems.append(
                    Problem(file, key_node.start_mark.line + 1, to_pointer(at), what, "Keep one.")
                )
            lines[at] = key_node.start_mark.line + 1
            made[key] = _value(file, value_node, at, lines, problems)
        return made
    if isinstance(node, SequenceNode):
        return [
            _value(file, item, (*path, index), lines, problems)
            for index, item in enumerate(node.value)
        ]
    assert isinstance(node, ScalarNode)
    try:
        return _scalar(node.tag, node.value)
    except ValueError as error:
        problems.append(
            Problem(
                file, line, to_pointer(path), f"JSON has no value {error}.", "Quote it, or drop it."
            )
        )
        return None


def _scalar(tag: object, text: str) -> Json:
    """Return the JSON value of a scalar; a tag without a JSON type (a timestamp) is a string."""
    match str(tag).removeprefix(_TAG):
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            digits = text.replace("_", "")
            return int(digits, 0 if digits[:2] in ("0o", "0x") else 10)
        case "float":
            number = float(text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))
            if not math.isfinite(number):
                raise ValueError(text)
            return number
        case _:
            return text
