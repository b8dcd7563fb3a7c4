"""Turns the files of the source into the generated files, all in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.generator.changes import Change, Erratum, Known, read_changes, read_errata
from scripts.generator.clauses import Clause, clauses_json, read_clause_files, twice
from scripts.generator.examples import Example, index_json, read_examples
from scripts.generator.glossary import Word, read_glossary
from scripts.generator.load import Json, SourceFile, load
from scripts.generator.messages import messages_json, read_messages
from scripts.generator.problems import Problem, SourceError
from scripts.generator.project import Project, read_project
from scripts.generator.reasons import with_reasons
from scripts.generator.schemas import Schema, read_schemas, schema_json
from scripts.generator.seeds import Seeds, read_seeds
from scripts.generator.texts import Gathered, Text
from scripts.generator.vocabularies import (
    Vocabulary,
    read_vocabularies,
    vocabulary_py,
    vocabulary_texts,
)

SOURCE = "schema/source"
VOCABULARY = "conformance/spec/vocabulary.py"
MESSAGES = "conformance/spec/messages.json"


@dataclass(frozen=True, slots=True)
class Source:
    """The content of the whole source."""

    project: Project
    vocabularies: Mapping[str, Vocabulary]
    messages: Mapping[str, Text]
    schemas: tuple[Schema, ...]
    clauses: tuple[Clause, ...]
    examples: tuple[Example, ...]
    texts: Mapping[str, Text]
    changes: tuple[Change, ...] = ()
    errata: tuple[Erratum, ...] = ()
    glossary: tuple[Word, ...] = ()
    seeds: Seeds = field(default_factory=Seeds)


def read_source(files: Iterable[SourceFile]) -> tuple[Source, list[Problem]]:
    """Read all files of the source; return their content, and the problems in them.

    Raises `SourceError` if `project.yaml` is missing.
    """
    gathered = Gathered()
    known: dict[str, list[SourceFile]] = {
        kind: []
        for kind in (
            "project", "glossary", "vocabulary", "messages", "schema", "clauses", "example",
            "history", "seeds", "why",
        )
    }  # fmt: skip
    specs: dict[str, SourceFile] = {}
    for file in files:
        kind = _kind(file)
        if file.data is None and kind != "messages":
            gathered.problems.append(file.problem((), "The file is empty.", "Fill or delete it."))
        elif kind is None:
            what = "The generator does not know what this file is."
            do = "Give it `x-document` or `clauses`, or put it into the folder of its kind."
            gathered.problems.append(file.problem((), what, do))
        else:
            known[kind].append(file)
            if kind in ("schema", "clauses", "example", "history"):
                specs[file.file.split("/")[2]] = file
    if len(known["project"]) != 1:
        raise SourceError([Problem(f"{SOURCE}/project.yaml", 0, "", "It is missing.", "Add it.")])
    project = read_project(known["project"][0], gathered)
    for spec, file in specs.items():
        if project.versions and spec not in project.versions:
            what = f"The folder `{spec}` is no specification of project.yaml."
            gathered.problems.append(file.problem((), what, "Add it there, or move the file."))
    vocabularies = read_vocabularies(known["vocabulary"], gathered)
    messages = read_messages(known["messages"], gathered)
    schemas, clauses = read_schemas(known["schema"], vocabularies, gathered)
    clauses += read_clause_files(known["clauses"], vocabularies, gathered)
    clauses = with_reasons(clauses, known["why"], gathered)
    examples = read_examples(known["example"], clauses, gathered)
    names = Known(
        frozenset(clause.id for clause in clauses),
        {spec: frozenset(e.id for e in examples if e.spec == spec) for spec in project.versions},
        {
            spec: frozenset(s.version for s in schemas if s.spec == spec)
            for spec in project.versions
        },
        vocabularies,
    )
    source = Source(
        project,
        vocabularies,
        messages,
        tuple(schemas),
        tuple(clauses),
        tuple(examples),
        gathered.texts,
        tuple(read_changes(known["history"], names, gathered)),
        tuple(read_errata(known["history"], examples, names, gathered)),
        tuple(read_glossary(known["glossary"], gathered)),
        read_seeds(known["seeds"], gathered),
    )
    return source, gathered.problems + twice(clauses)


def load_source(root: Path) -> list[SourceFile]:
    """Load every YAML file below `schema/source`; raises `SourceError` if one is invalid."""
    return load(root, sorted((root / SOURCE).rglob("*.yaml")))


def _kind(source: SourceFile) -> str | None:
    parts = source.file.split("/")[2:]
    if parts == ["project.yaml"]:
        return "project"
    if parts == ["glossary.yaml"]:
        return "glossary"
    if parts[0] == "vocabularies":
        return "vocabulary"
    if parts[0] in ("messages", "seeds"):
        return parts[0]
    if "examples" in parts[1:-1]:
        return "example"
    if isinstance(source.data, dict) and "x-document" in source.data:
        return "schema"
    if isinstance(source.data, dict) and "clauses" in source.data:
        return "clauses"
    if isinstance(source.data, dict) and "why" in source.data:
        return "why"
    if isinstance(source.data, dict) and {"changes", "errata"} & source.data.keys():
        return "history"
    return None


def outputs(source: Source) -> dict[str, bytes]:
    """Return every generated file, by its path relative to the root."""
    made = {
        VOCABULARY: vocabulary_py(source.vocabularies).encode(),
        MESSAGES: as_bytes(
            messages_json(dict(source.messages), vocabulary_texts(source.vocabularies))
        ),
    }
    for schema in source.schemas:
        made[schema.file] = as_bytes(
            schema_json(schema, source.project.id_base, source.vocabularies)
        )
    for spec, version in source.project.versions.items():
        made[f"schema/{spec}/{version}/clauses.json"] = as_bytes(
            clauses_json(spec, version, source.clauses)
        )
        examples = [example for example in source.examples if example.spec == spec]
        if examples:
            folder = f"fixtures/examples/{spec}"
            made[f"{folder}/index.json"] = as_bytes(index_json(spec, examples))
            made |= {f"{folder}/{each.file}": as_bytes(each.data) for each in examples}
    return made


def as_bytes(value: Json) -> bytes:
    """Return `value` as JSON for the repository: indent 2, UTF-8, one newline at the end."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
