"""Schemas of the source: plain JSON Schema 2020-12, with texts in three languages and clauses.

The source adds four things. `title` and `description` are `{en, es, pt}`. `x-clauses` has the
clauses that a position owns; another position of the same clause has `- ref: ID`. `x-document`
names the generated file. `x-status` and `x-since` give the status and first version of a field that
differs from its document. `enum: {$vocabulary: name}` means the words of a vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from conformance.spec.pointer import to_pointer
from scripts.generator.clauses import Clause, read_clause
from scripts.generator.keywords import KEYWORDS, LISTS, MAPS, SINGLE, TEXTS, positions
from scripts.generator.load import Json, Path_, SourceFile
from scripts.generator.place import Place
from scripts.generator.problems import Problem
from scripts.generator.shapes import ANY, TEXT, Each, misshapen
from scripts.generator.texts import Gathered, Text
from scripts.generator.vocabularies import Vocabulary

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_OURS = ("x-document", "x-clauses", "x-status", "x-since")
_AGE = ("x-status", "x-since")
_DOCUMENT = {"spec": str, "version": str, "name": str, "title": TEXT, "status?": str}
_SHAPES = (
    {key: Each(ANY) for key in MAPS}
    | {key: [ANY] for key in LISTS}
    | {"$ref": str, "pattern": str, "x-clauses": [Each(ANY)], "x-status": str, "x-since": str}
)
"""The shapes that the generator depends on; the metaschema checks the rest."""
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_VERSION = re.compile(r"[0-9]+\.[0-9]+")
_CLASS = re.compile(r"\[(?:[^\\\]]|\\.)*\]")
_NOT_EVERYWHERE = re.compile(r"\(\?(?!:)|\\[^\\/\[\](){}.*+?^$|]|[*+?}]\+")
"""Lookaround, named groups, flags, escapes with several meanings, possessive quantifiers."""
_ONE_LINE = {"pattern": "\n"}
_ESCAPE = re.compile(r"\\[^\\/\[\](){}.*+?^$|-]")


@dataclass(frozen=True, slots=True)
class Schema:
    """One schema of the source, and its generated file."""

    source: SourceFile
    spec: str
    version: str
    name: str
    title: Text
    status: str = "draft"

    @property
    def file(self) -> str:
        """The path of the generated file, relative to the root."""
        return f"schema/{self.spec}/{self.version}/{self.name}.schema.json"


def read_schemas(
    sources: Iterable[SourceFile],
    vocabularies: Mapping[str, Vocabulary],
    gathered: Gathered,
) -> tuple[list[Schema], list[Clause]]:
    """Read all schemas, their texts and their clauses; each fault becomes a problem."""
    schemas = []
    clauses: list[Clause] = []
    homes: dict[str, str] = {}
    for source in sources:
        schema = _read_document(source, gathered)
        if schema is None:
            continue
        if schema.file in homes:
            what = f"{homes[schema.file]} becomes the same file."
            gathered.problems.append(source.problem(("x-document",), what, "Rename one."))
        homes[schema.file] = source.file
        schemas.append(schema)
        clauses += _read_positions(schema, vocabularies, gathered)
    return schemas, clauses


def _read_document(source: SourceFile, gathered: Gathered) -> Schema | None:
    document = source.data["x-document"]
    path: Path_ = ("x-document",)
    problems = list(misshapen(source, path, document, _DOCUMENT))
    gathered.problems += problems
    if problems:
        return None
    spec, version, name = (document[key] for key in ("spec", "version", "name"))
    folder = source.file.split("/")[2]
    if spec != folder:
        what = f"`spec` is the folder, `{folder}`."
        gathered.problems.append(source.problem((*path, "spec"), what, "Make them agree."))
    if not _VERSION.fullmatch(version):
        what = f"`{version}` is not a version."
        gathered.problems.append(source.problem((*path, "version"), what, 'Write it like "1.0".'))
    if not _NAME.fullmatch(name):
        what = f"`{name}` is not a name for a file."
        do = "Use lower-case letters, digits and dashes."
        gathered.problems.append(source.problem((*path, "name"), what, do))
    title = gathered.text(source, (*path, "title"), document["title"], f"{_stem(source)}/title")
    status = document.get("status", "draft")
    return None if title is None else Schema(source, spec, version, name, title, status)


def _stem(source: SourceFile) -> str:
    return source.file.removeprefix("schema/source/").removesuffix(".yaml")


def _read_positions(
    schema: Schema, vocabularies: Mapping[str, Vocabulary], gathered: Gathered
) -> list[Clause]:
    source = schema.source
    clauses: dict[str, Clause] = {}
    listed: list[Clause] = []
    again: list[tuple[str, Path_, Path_]] = []
    for path, node in positions(source.data):
        if isinstance(node, bool):
            continue
        relied = {key: _SHAPES.get(key, ANY) for key in node} if isinstance(node, dict) else {}
        problems = list(misshapen(source, path, node, relied))
        gathered.problems += problems
        if problems:
            continue
        place = Place(source, path, vocabularies)
        gathered.problems += _odd_keywords(place, node)
        gathered.problems += _odd_age(place, node)
        for keyword in TEXTS:
            if keyword in node:
                at = (*path, keyword)
                gathered.text(source, at, node[keyword], f"{_stem(source)}#{to_pointer(at)}")
        for index, item in enumerate(node.get("x-clauses", ())):
            at = (*path, "x-clauses", index)
            if item.keys() == {"ref"}:
                again.append((str(item["ref"]), at, path))
                continue
            clause = read_clause(
                source, at, item, vocabularies, gathered, document=schema.name, at=path
            )
            if clause is not None:
                clauses.setdefault(clause.id, clause)
                listed.append(clause)
    more: dict[str, tuple[str, ...]] = {}
    for name, at, path in again:
        if name not in clauses:
            what = f"`ref` names {name}, which no position of this file owns."
            gathered.problems.append(source.problem(at, what, "Name a clause of this file."))
        more[name] = (*more.get(name, ()), to_pointer(path))
    return [replace(clause, at=clause.at + more.get(clause.id, ())) for clause in listed]


def _odd_keywords(place: Place, node: Mapping[str, Json]) -> Iterator[Problem]:
    for keyword in node:
        if keyword not in KEYWORDS and not (
            keyword in ("x-clauses", *_AGE) or (keyword == "x-document" and not place.path)
        ):
            what = f"`{keyword}` is not a keyword of JSON Schema 2020-12 that the source uses."
            yield place.problem(what, "Fix the spelling.", (keyword,))
    if "format" in node and "pattern" not in node:
        what = "`format` stands alone; many validators only note it."
        yield place.problem(what, "Put a `pattern` beside it.", ("format",))
    pattern = node.get("pattern")
    if pattern is not None and pattern.endswith("$") and node.get("not") != _ONE_LINE:
        what = "To some validators `$` also matches before a last line end."
        yield place.problem(what, 'Put `not: {pattern: "\\n"}` beside it.', ("pattern",))
    if pattern is not None and (odd := _means_many_things(pattern)):
        what = f"`{odd}` does not mean the same to every validator."
        yield place.problem(what, "Write the pattern with plain classes and groups.", ("pattern",))
    if not {"if", "not"} & set(map(str, place.path)):
        for keyword in ("anyOf", "oneOf"):
            if keyword in node:
                what = f"A bare `{keyword}` hides the place where a branch is broken."
                do = "Choose the branch with `if`, `then` and `else`."
                yield place.problem(what, do, (keyword,))
    if "enum" in node:
        yield from _odd_enum(place, node["enum"])


def _odd_age(place: Place, node: Mapping[str, Json]) -> Iterator[Problem]:
    """Yield the problems with the status of a field or document, and with its first version."""
    below: Path_ = ("x-status",)
    status = node.get("x-status")
    if not place.path:
        below, status = ("x-document", "status"), node["x-document"].get("status")
    yield from place.odd_word(status, "status", below)
    yield from place.odd_version(node.get("x-since"), _VERSION, '"1.0"', ("x-since",))


def _means_many_things(pattern: str) -> str | None:
    """Return the first part of a pattern that validators interpret differently, or None."""
    inside = [_ESCAPE.search(each) for each in _CLASS.findall(pattern)]
    outside = _NOT_EVERYWHERE.search(_CLASS.sub("x", pattern))
    return next((odd.group() for odd in (outside, *inside) if odd), None)


def _odd_enum(place: Place, value: Json) -> Iterator[Problem]:
    if not isinstance(value, dict) or list(value) != ["$vocabulary"]:
        what = "The values of this `enum` have no descriptions."
        do = "Make a vocabulary, and say `{$vocabulary: name}`."
        yield place.problem(what, do, ("enum",))
    elif (
        not isinstance(value["$vocabulary"], str) or value["$vocabulary"] not in place.vocabularies
    ):
        what = f"There is no vocabulary `{value['$vocabulary']}`."
        do = f"Use one of {', '.join(sorted(place.vocabularies))}."
        yield place.problem(what, do, ("enum",))


def schema_json(
    schema: Schema, id_base: str, vocabularies: Mapping[str, Vocabulary], language: str = "en"
) -> Json:
    """Return the generated schema, with its texts in `language`."""
    head = {
        "$schema": DIALECT,
        "$id": f"{id_base}/{schema.file}",
        "title": schema.title.in_language(language),
    }
    return head | _render(schema.source.data, vocabularies, language)


def _render(node: Json, vocabularies: Mapping[str, Vocabulary], language: str) -> Json:
    if not isinstance(node, dict):
        return node
    made: dict[str, Json] = {}
    words: list[str] = []
    for keyword, value in node.items():
        if keyword in _OURS:
            continue
        if keyword in TEXTS:
            made[keyword] = str(value[language]).strip()
        elif keyword in MAPS:
            made[keyword] = {
                name: _render(child, vocabularies, language) for name, child in value.items()
            }
        elif keyword in LISTS:
            made[keyword] = [_render(child, vocabularies, language) for child in value]
        elif keyword in SINGLE:
            made[keyword] = _render(value, vocabularies, language)
        elif keyword == "enum":
            vocabulary = vocabularies[value["$vocabulary"]]
            made[keyword] = vocabulary.words()
            words = [f"`{w.value}`: {w.text.in_language(language)}" for w in vocabulary.values]
        else:
            made[keyword] = value
    if node.get("x-status") == "deprecated":
        made["deprecated"] = True
    if words:
        made["description"] = " ".join([made.get("description", ""), *words]).strip()
    return made
