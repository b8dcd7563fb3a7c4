"""A page for each document: its fields, its clauses, its examples and its file."""

from __future__ import annotations

import json

from scripts.generator.ages import age_of
from scripts.generator.schemas import Schema
from scripts.website.layout import DOCS
from scripts.website.pages.clauses import of_document, told
from scripts.website.pages.context import Context, up
from scripts.website.pages.examples import examples, in_words
from scripts.website.pages.fields import field_tables, said_age
from scripts.website.pages.markdown import code, escaped, heading, page
from scripts.website.pages.shown_fields import lines_of
from scripts.website.pages.tried import in_playground, opening

_CONCEPTS = "concepts.md"


def document_page(context: Context, schema: Schema) -> bytes:
    """Return the page of a document, at `<spec>/<name>.md`."""
    here = f"{schema.spec}/{schema.name}.md"
    about = schema.source.data["description"][context.language].strip()
    file = context.said(
        "schema_file", name=code(schema.file.rpartition("/")[2]), link=up(here) + schema.file
    )
    age, whole = said_age(context, age_of(schema)), context.source.project.versions[schema.spec]
    if schema.version != whole:
        url = f"{up(here)}about/versions.md#numbers"
        file += f" {context.said('version_own', version=whole, url=url)}"
    parts = [
        f"{escaped(about)}\n{{ .lead }}",
        f"{context.said('version', version=schema.version)}: {age}. {file}\n{{ .facts }}",
        heading(2, context.said("fields"), "fields"),
        f"{context.said('fields_age', age=age)}{_explained(context, schema)}"
        f"{_tried(context, schema, here)}\n{{ .facts }}",
        *field_tables(context, schema, here),
    ]
    if clauses := of_document(context, schema.spec, schema.name):
        parts += [heading(2, context.said("clauses"), "clauses"), *told(context, clauses, 3)]
    if shown := list(examples(context, schema, here)):
        parts += [heading(2, context.said("examples"), "examples"), *shown]
    return page(context.text(schema.title), schema.name, about, parts)


def _explained(context: Context, schema: Schema) -> str:
    """Return a link to the page of concepts of the specification; empty without such a page."""
    known = (DOCS / context.language / schema.spec / _CONCEPTS).is_file()
    return f" {context.said('fields_concepts', link=_CONCEPTS)}" if known else ""


def _tried(context: Context, schema: Schema, here: str) -> str:
    """Return a link that opens a valid example in the playground; empty without one.

    It is the example with the most fields, and the link has the line of each.
    """
    own = (each for each in context.source.examples if each.document == schema.name)
    valid = [in_words(context, each) for each in own if each.spec == schema.spec and each.valid]
    if not valid:
        return ""
    shown = max(valid, key=lambda each: len(lines_of(schema, each)))
    lines = {
        "lines": json.dumps(lines_of(schema, shown), separators=(",", ":")),
        "words": context.said("field_shown", name="{name}"),
    }
    link = opening(in_playground(here, shown), context.said("field_try"), lines)
    return f" {context.said('field_tried', link=link)}"
