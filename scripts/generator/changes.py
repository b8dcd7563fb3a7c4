"""`<spec>/changes.yaml` and `<spec>/errata.yaml`: the changes of a version, and the corrections.

changes:
  - id: two-forms-of-a-tool       # also the anchor on the site; unique in its specification
    version: "1.0"
    kind: settled                 # a word of the vocabulary `change_kind`
    title: {en: …, es: …, pt: …}
    text: {en: …, es: …, pt: …}
    clauses: [ATDF-TOOL-001]      # optional: the clauses that define it
    examples: [mixed-catalog]     # optional: valid or invalid examples of this specification

errata:                           # without those of examples, which have their own `errata`
  - id: suggestion-without-offset
    where: {en: …, es: …, pt: …}
    as_printed: …
    corrected: …
    why: {en: …, es: …, pt: …}
    clauses: […]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scripts.generator.examples import Example
from scripts.generator.load import Json, Path_, SourceFile
from scripts.generator.shapes import ANY, TEXT, misshapen
from scripts.generator.texts import Gathered, Text
from scripts.generator.vocabularies import Vocabulary

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CHANGE = {
    "id": str,
    "version": str,
    "kind": str,
    "title": TEXT,
    "text": TEXT,
    "clauses?": [str],
    "examples?": [str],
}
_ERRATUM = {
    "id": str,
    "where": TEXT,
    "as_printed": ANY,
    "corrected": ANY,
    "why": TEXT,
    "clauses?": [str],
}


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a specification's changelog; `kind` is a word of `change_kind`."""

    id: str
    spec: str
    version: str
    kind: str
    title: Text
    text: Text
    clauses: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Erratum:
    """One correction of a printed text.

    `where` names the printed text. `example` and `at` (a JSON pointer) locate the correction in an
    example; both are None if no example has it.
    """

    id: str
    spec: str
    where: Text
    as_printed: Json
    corrected: Json
    why: Text
    clauses: tuple[str, ...]
    example: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What an entry may name: clause ids, and each specification's versions and example ids."""

    clauses: frozenset[str]
    examples: Mapping[str, frozenset[str]]
    versions: Mapping[str, frozenset[str]]
    vocabularies: Mapping[str, Vocabulary]


def read_changes(sources: Iterable[SourceFile], known: Known, gathered: Gathered) -> list[Change]:
    """Read the changelogs in the order of the source; each fault becomes a problem."""
    found = []
    for source, path, item in _items(sources, "changes", _CHANGE, gathered):
        spec = source.file.split("/")[2]
        key = f"change:{spec}/{item['id']}"
        title = gathered.text(source, (*path, "title"), item["title"], f"{key}/title")
        text = gathered.text(source, (*path, "text"), item["text"], key)
        kinds = known.vocabularies["change_kind"].words()
        _named(source, path, item, known, gathered)
        if item["kind"] not in kinds:
            what = f"`{item['kind']}` is not in the vocabulary `change_kind`."
            gathered.problems.append(
                source.problem((*path, "kind"), what, f"Use one of {', '.join(kinds)}.")
            )
        if item["version"] not in known.versions.get(spec, ()):
            what = f"{spec} has no version {item['version']}."
            gathered.problems.append(source.problem((*path, "version"), what, "Name one it has."))
        if title is not None and text is not None:
            lists = (tuple(item.get(name, ())) for name in ("clauses", "examples"))
            found.append(
                Change(item["id"], spec, item["version"], item["kind"], title, text, *lists)
            )
    return found


def read_errata(
    sources: Iterable[SourceFile], examples: Iterable[Example], known: Known, gathered: Gathered
) -> list[Erratum]:
    """Read all errata, those of examples first; each fault becomes a problem."""
    found = [erratum for example in examples for erratum in _of_example(example, gathered)]
    for source, path, item in _items(sources, "errata", _ERRATUM, gathered):
        spec = source.file.split("/")[2]
        key = f"erratum:{spec}/{item['id']}"
        where = gathered.text(source, (*path, "where"), item["where"], f"{key}/where")
        why = gathered.text(source, (*path, "why"), item["why"], key)
        _named(source, path, item, known, gathered)
        if item["as_printed"] == item["corrected"]:
            what = "Nothing was corrected."
            gathered.problems.append(source.problem(path, what, "Remove the erratum."))
        if where is not None and why is not None:
            clauses = tuple(item.get("clauses", ()))
            pair = item["as_printed"], item["corrected"]
            found.append(Erratum(item["id"], spec, where, *pair, why, clauses))
    return found


def _of_example(example: Example, gathered: Gathered) -> Iterator[Erratum]:
    for number, item in enumerate(example.errata, 1):
        why = gathered.texts[f"example:{example.spec}/{example.id}/errata{item['at']}"]
        name = f"{example.id}-{number}"
        yield Erratum(
            name, example.spec, example.title, item["as_printed"], item["corrected"], why, (),
            example.id, item["at"],
        )  # fmt: skip


def _items(
    sources: Iterable[SourceFile], member: str, shape: Mapping[str, object], gathered: Gathered
) -> Iterator[tuple[SourceFile, Path_, Mapping[str, Json]]]:
    """Yield each well-formed entry with its place; a repeated id in a file is a problem."""
    for source in sources:
        if member not in source.data:
            continue
        problems = list(misshapen(source, (), source.data, {member: [shape]}))
        gathered.problems += problems
        seen: set[str] = set()
        for index, item in enumerate(() if problems else source.data[member]):
            path: Path_ = (member, index)
            if not _ID.fullmatch(item["id"]):
                what = f"`{item['id']}` is not an id."
                do = "Use lower-case words joined by dashes."
                gathered.problems.append(source.problem((*path, "id"), what, do))
            if item["id"] in seen:
                what = f"The id `{item['id']}` stands twice."
                gathered.problems.append(source.problem((*path, "id"), what, "Rename one."))
            seen.add(item["id"])
            yield source, path, item


def _named(
    source: SourceFile,
    path: Path_,
    item: Mapping[str, Json],
    known: Known,
    gathered: Gathered,
) -> None:
    spec = source.file.split("/")[2]
    of_spec = known.examples.get(spec, frozenset())
    for member, ids, kind in (
        ("clauses", known.clauses, "clause"),
        ("examples", of_spec, f"example of {spec}"),
    ):
        for index, name in enumerate(item.get(member, ())):
            if name not in ids:
                what = f"There is no {kind} {name}."
                at = (*path, member, index)
                gathered.problems.append(source.problem(at, what, "Name one that exists."))
