"""The vocabularies, each on a page of the specification whose documents use it first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.generator.build import Source
from scripts.generator.keywords import positions
from scripts.generator.vocabularies import Column, Vocabulary
from scripts.website.pages.context import CONFORMANCE, SPECS, Context, dashed
from scripts.website.pages.markdown import anchored, code, escaped, heading, page, table


def homes(source: Source) -> dict[str, str]:
    """Return the directory whose page shows each vocabulary.

    That is the first specification whose schemas use it. A vocabulary that a column of another uses
    goes with that one. The kit's page has those that no document uses.
    """
    found: dict[str, str] = {}
    for spec in SPECS:
        for schema in source.schemas:
            if schema.spec == spec:
                for _, node in positions(schema.source.data):
                    enum = node.get("enum") if isinstance(node, dict) else None
                    if isinstance(enum, dict):
                        _settle(source, found, enum["$vocabulary"], spec)
    return {name: found.get(name, CONFORMANCE) for name in source.vocabularies}


def _settle(source: Source, found: dict[str, str], name: str, spec: str) -> None:
    if name in found:
        return
    found[name] = spec
    for column in source.vocabularies[name].columns:
        if column.type in source.vocabularies:
            _settle(source, found, column.type, spec)


def vocabularies_page(context: Context, folder: str) -> bytes | None:
    """Return the page with a directory's vocabularies; None if it has none."""
    own = [each for each in _sorted(context) if context.homes[each.name] == folder]
    if not own:
        return None
    here = f"{folder}/vocabularies.md"
    about = context.said("vocabularies_about", spec=context.spec_title(folder))
    parts = [escaped(about)]
    for each in own:
        parts += [
            heading(2, each.name, dashed(each.name)),
            context.prose(each.title),
            _table(context, each, here),
        ]
    return page(context.said("vocabularies"), "vocabularies", about, parts)


def _sorted(context: Context) -> list[Vocabulary]:
    return sorted(context.source.vocabularies.values(), key=lambda each: each.name)


def _table(context: Context, vocabulary: Vocabulary, here: str) -> str:
    head = [context.said("word"), context.said("meaning")]
    head += [code(column.name) for column in vocabulary.columns]
    rows = []
    for value in vocabulary.values:
        cells = [_cell(context, value.columns, column) for column in vocabulary.columns]
        rows.append(
            [anchored(value.value, dashed(vocabulary.name)), context.prose(value.text), *cells]
        )
    made = table(head, rows)
    notes = [
        f"{code(column.name)}: {context.prose(column.text)}{_kind(context, column, here)}"
        for column in vocabulary.columns
    ]
    return "\n\n".join([made, "\n".join(f"- {note}" for note in notes)]) if notes else made


def _kind(context: Context, column: Column, here: str) -> str:
    known = context.source.vocabularies.get(column.type)
    return f" ({context.vocabulary_link(known, here)})" if known else ""


def _cell(context: Context, columns: Mapping[str, Any], column: Column) -> str:
    value = columns[column.name]
    return ", ".join(_word(context, each) for each in (value if column.many else [value]))


def _word(context: Context, value: Any) -> str:
    if isinstance(value, bool):
        return context.said("yes" if value else "no")
    text = str(value)
    return code(f"{text}…" if text.endswith(" ") else text)  # code does not show its last blank
