"""`vocabularies/*.yaml`: closed tables, with typed columns and text in three languages.

    vocabulary: verdict            # the name that a schema uses: `enum: {$vocabulary: verdict}`
    enum: Verdict                  # the name of the Python enum
    title: {en: …, es: …, pt: …}
    columns:                       # optional; each value then has all of them
      fails_run: {type: boolean, text: {en: …, es: …, pt: …}}
    values:
      - {value: pass, fails_run: false, text: {en: …, es: …, pt: …}}

A column's type is boolean, integer, string, `integer[]`, `string[]`, or the name of a vocabulary.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scripts.generator.load import Json, SourceFile
from scripts.generator.problems import Problem
from scripts.generator.shapes import ANY, TEXT, Each, misshapen
from scripts.generator.texts import Gathered, Text

PLAIN_TYPES: Mapping[str, type] = {"boolean": bool, "integer": int, "string": str}
_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_ENUM = re.compile(r"[A-Z][A-Za-z0-9]*")
_SHAPE = {
    "vocabulary": str,
    "enum": str,
    "title": TEXT,
    "columns?": Each({"type": str, "text": TEXT}),
    "values": [Each(ANY)],
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `type` without brackets; with `many`, each cell is a list."""

    name: str
    type: str
    many: bool
    text: Text


@dataclass(frozen=True, slots=True)
class Value:
    """One word of a vocabulary, its meaning, and its columns."""

    value: str
    text: Text
    columns: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A closed table."""

    name: str
    enum: str
    title: Text
    columns: tuple[Column, ...]
    values: tuple[Value, ...]

    @property
    def names(self) -> tuple[str, str]:
        """The names in the source and in Python."""
        return self.name, self.enum

    def words(self) -> list[str]:
        """Return the values, in the order of the source."""
        return [value.value for value in self.values]


def read_vocabularies(sources: Iterable[SourceFile], gathered: Gathered) -> dict[str, Vocabulary]:
    """Read all vocabularies, by name; each fault becomes a problem."""
    found: dict[str, Vocabulary] = {}
    for source in sources:
        vocabulary = _read(source, gathered)
        if vocabulary is None:
            continue
        for key, name in (("vocabulary", vocabulary.name), ("enum", vocabulary.enum)):
            if any(name in each.names for each in found.values()):
                what = f"Another vocabulary is called `{name}` too."
                gathered.problems.append(source.problem((key,), what, "Rename one."))
        found[vocabulary.name] = vocabulary
    for source in sources:
        gathered.problems += _wrong_columns(source, found)
    return found


def _read(source: SourceFile, gathered: Gathered) -> Vocabulary | None:
    data = source.data
    problems = list(misshapen(source, (), data, _SHAPE))
    for index, item in enumerate([] if problems else data["values"]):
        fixed = {key: item[key] for key in ("value", "text") if key in item}
        problems += misshapen(source, ("values", index), fixed, {"value": str, "text": TEXT})
    gathered.problems += problems
    if problems:
        return None
    name = data["vocabulary"]
    before = len(gathered.problems)
    title = gathered.text(source, ("title",), data["title"], f"vocabulary:{name}")
    columns = []
    for column, spec in data.get("columns", {}).items():
        key = f"vocabulary:{name}/columns/{column}"
        text = gathered.text(source, ("columns", column, "text"), spec["text"], key)
        if text is not None:
            kind = spec["type"]
            columns.append(Column(column, kind.removesuffix("[]"), kind.endswith("[]"), text))
    values = []
    for index, item in enumerate(data["values"]):
        key = f"vocabulary:{name}/{item['value']}"
        text = gathered.text(source, ("values", index, "text"), item["text"], key)
        if text is not None:
            rest = {key: cell for key, cell in item.items() if key not in ("value", "text")}
            values.append(Value(item["value"], text, rest))
    gathered.problems += _wrong_words(source)
    if len(gathered.problems) > before or title is None:
        return None
    return Vocabulary(name, data["enum"], title, tuple(columns), tuple(values))


def _wrong_words(source: SourceFile) -> Iterator[Problem]:
    if not _ENUM.fullmatch(source.data["enum"]):
        what = f"`{source.data['enum']}` is not a name for a Python class."
        yield source.problem(("enum",), what, "Write it like ErrorType.")
    words = [item["value"] for item in source.data["values"]]
    for index, word in enumerate(words):
        at = ("values", index, "value")
        if not _VALUE.fullmatch(word):
            what = f"`{word}` is not a word."
            yield source.problem(at, what, "Use letters, digits, dashes and underscores.")
        if word in words[:index]:
            yield source.problem(at, f"The value `{word}` stands twice.", "Keep one.")


def _wrong_columns(source: SourceFile, known: Mapping[str, Vocabulary]) -> list[Problem]:
    name = source.data.get("vocabulary") if isinstance(source.data, dict) else None
    vocabulary = known.get(name) if isinstance(name, str) else None
    if vocabulary is None:
        return []
    problems = []
    for column in vocabulary.columns:
        if column.type not in PLAIN_TYPES and column.type not in known:
            what = f"`{column.type}` is neither a type nor a vocabulary."
            at = ("columns", column.name, "type")
            problems.append(source.problem(at, what, "Use one that exists."))
    for index, value in enumerate(vocabulary.values):
        for key in value.columns.keys() - {column.name for column in vocabulary.columns}:
            what = f"The vocabulary has no column `{key}`."
            problems.append(source.problem(("values", index, key), what, "Declare or drop it."))
        for column in vocabulary.columns:
            if not _fits(value.columns.get(column.name), column, known):
                kind = column.type + ("[]" if column.many else "")
                what = f"`{value.value}` has no {kind} in its column `{column.name}`."
                path = ("values", index, column.name)
                problems.append(source.problem(path, what, "Give it one."))
    return problems


def _fits(cell: Json, column: Column, known: Mapping[str, Vocabulary]) -> bool:
    if column.many:
        return isinstance(cell, list) and all(_is(item, column.type, known) for item in cell)
    return _is(cell, column.type, known)


def _is(cell: Json, kind: str, known: Mapping[str, Vocabulary]) -> bool:
    plain = PLAIN_TYPES.get(kind)
    if plain is not None:
        return type(cell) is plain
    return kind in known and isinstance(cell, str) and cell in known[kind].words()


def vocabulary_texts(vocabularies: Mapping[str, Vocabulary]) -> dict[str, Text]:
    """Return the texts of all values by `vocabulary.<name>.<value>`, for `messages.json`."""
    return {
        f"vocabulary.{vocabulary.name}.{value.value}": value.text
        for vocabulary in vocabularies.values()
        for value in vocabulary.values
    }


def member(word: str) -> str:
    """Return the name of an enum member: `not-found` is `NOT_FOUND`, `date-time` is `DATE_TIME`."""
    name = word.replace("-", "_").upper()
    return f"{name}_" if keyword.iskeyword(name) else name


def vocabulary_py(vocabularies: Mapping[str, Vocabulary]) -> str:
    """Return the text of `conformance/spec/vocabulary.py`: an enum for each vocabulary.

    A column becomes a mapping named after both: `ERROR_TYPE_STATUSES[ErrorType.CONFLICT]`.
    """
    parts = [_HEAD]
    tables = []
    for vocabulary in sorted(vocabularies.values(), key=lambda each: each.name):
        lines = [f"class {vocabulary.enum}(StrEnum):", f'    """{_doc(vocabulary.title.en)}"""', ""]
        for value in vocabulary.values:
            lines.append(f'    {member(value.value)} = "{value.value}"')
            lines.append(f'    """{_doc(value.text.en)}"""')
        parts.append("\n".join(lines) + "\n")
        tables += [_table(vocabulary, column, vocabularies) for column in vocabulary.columns]
    return "\n\n".join(parts) + ("\n\n" + "\n".join(tables) if tables else "")


_HEAD = '''"""The closed vocabularies of the formats and of the kit.

Generated from `schema/source/vocabularies/` by `scripts/generate.py`: edit the source, not this.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final
'''


def _doc(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


def _table(vocabulary: Vocabulary, column: Column, vocabularies: Mapping[str, Vocabulary]) -> str:
    enum = vocabularies[column.type].enum if column.type in vocabularies else None
    plain = {"boolean": "bool", "integer": "int", "string": "str"}
    kind = enum or plain[column.type]
    if column.many:
        kind = f"tuple[{kind}, ...]"
    name = f"{vocabulary.name}_{column.name}".upper().replace("-", "_")
    lines = [f"{name}: Final[Mapping[{vocabulary.enum}, {kind}]] = MappingProxyType(", "    {"]
    for value in vocabulary.values:
        cell = value.columns[column.name]
        cells = [_cell(item, enum) for item in (cell if column.many else [cell])]
        shown = cells[0] if not column.many else f"({', '.join(cells)}{',' * (len(cells) == 1)})"
        lines.append(f"        {vocabulary.enum}.{member(value.value)}: {shown},")
    return "\n".join([*lines, "    }", ")", f'"""{_doc(column.text.en)}"""', ""])


def _cell(cell: Json, enum: str | None) -> str:
    return f"{enum}.{member(str(cell))}" if enum else repr(cell)
