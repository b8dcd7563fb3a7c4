"""The status of each document and each field, and the version that introduced it.

A document has the status and the version of its `x-document`. A field has those of its document,
except where it has `x-status` or `x-since`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.spec.pointer import to_pointer
from scripts.generator.build import Source
from scripts.generator.changes import Change, Erratum
from scripts.generator.keywords import positions
from scripts.generator.load import Json
from scripts.generator.schemas import Schema


@dataclass(frozen=True, slots=True)
class Age:
    """A word of the vocabulary `status`, and the version that introduced the document or field."""

    status: str
    since: str


def age_of(schema: Schema, node: Json = None) -> Age:
    """Return the age of a document, or of the field that `node` declares in it."""
    said = node if isinstance(node, dict) else {}
    return Age(said.get("x-status", schema.status), said.get("x-since", schema.version))


def changes_json(source: Source, spec: str, version: str) -> Json:
    """Return the content of a specification's `changes.json`."""
    return {
        "spec": spec,
        "version": version,
        "changes": [_change(each) for each in source.changes if each.spec == spec],
        "errata": [_erratum(each) for each in source.errata if each.spec == spec],
        "documents": [
            {
                "document": schema.name,
                "version": schema.version,
                "status": schema.status,
                "fields": list(_fields(schema)),
            }
            for schema in source.schemas
            if schema.spec == spec
        ],
    }


def _fields(schema: Schema) -> Iterator[Json]:
    """Yield the fields of a document, each with its place in the schema."""
    for path, node in positions(schema.source.data):
        conditional = {"if", "not"} & {step for step in path if isinstance(step, str)}
        declared = node.get("properties", {}) if isinstance(node, dict) else {}
        for name, child in {} if conditional else declared.items():
            age = age_of(schema, child)
            at = to_pointer((*path, "properties", name))
            yield {"field": name, "at": at, "status": age.status, "since": age.since}


def _change(change: Change) -> Json:
    return {
        "id": change.id,
        "version": change.version,
        "kind": change.kind,
        "title": change.title.as_json(),
        "text": change.text.as_json(),
        "clauses": list(change.clauses),
        "examples": list(change.examples),
    }


def _erratum(erratum: Erratum) -> Json:
    made = {
        "id": erratum.id,
        "where": erratum.where.as_json(),
        "as_printed": erratum.as_printed,
        "corrected": erratum.corrected,
        "why": erratum.why.as_json(),
        "clauses": list(erratum.clauses),
        "example": erratum.example,
        "at": erratum.at,
    }
    return {name: value for name, value in made.items() if value is not None}
