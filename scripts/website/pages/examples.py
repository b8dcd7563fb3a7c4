"""Valid and invalid examples; an invalid one shows the error at its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from conformance.formats.problem import Problem
from conformance.formats.text.json_text import positions_of, read
from conformance.formats.validate.validate import validate
from scripts.generator.examples import Example
from scripts.generator.patch import apply, resolve
from scripts.generator.schemas import Schema
from scripts.website.pages.context import Context
from scripts.website.pages.markdown import escaped, fence, folded, heading, json_fence

WHOLE = 42
"""The most lines of a document that is shown whole; a longer one shows lines around the error."""
AROUND = 8
"""The number of lines before and after the error."""


def examples(context: Context, schema: Schema, here: str) -> Iterator[str]:
    """Yield the examples of a document as Markdown: the valid ones, then the invalid ones."""
    own = [
        each
        for each in context.source.examples
        if each.spec == schema.spec and each.document == schema.name
    ]
    valid = [each for each in own if each.valid]
    invalid = [each for each in own if not each.valid]
    if valid:
        yield heading(3, context.said("valid"), "valid")
        yield context.said("valid_intro")
        for each in valid:
            shown = json_fence(in_words(context, each))
            yield folded(context.text(each.title), shown, f"example-{each.id}")
    if invalid:
        yield heading(3, context.said("invalid"), "invalid")
        yield context.said("invalid_intro")
        for each in invalid:
            shown = with_error(context, each, here)
            yield folded(context.text(each.title), shown, f"example-{each.id}")


def in_words(context: Context, example: Example) -> Any:
    """Return the data with its texts translated, where the text is still the translated one."""
    base = example
    if example.from_ is not None:
        base = next(
            each
            for each in context.source.examples
            if each.spec == example.spec and each.id == example.from_
        )
    places = base.text.get(context.language, {})
    changes = [
        {"op": "replace", "path": at, "value": text}
        for at, text in places.items()
        if _at(example.data, at) == _at(base.data, at) is not None
    ]
    return apply(example.data, changes)


def _at(data: Any, pointer: str) -> Any:
    try:
        return resolve(data, pointer)
    except ValueError:
        return None


def with_error(context: Context, example: Example, here: str) -> str:
    """Return an invalid example with its wrong line marked, and the error."""
    text = json.dumps(in_words(context, example), ensure_ascii=False, indent=2)
    found = broken(example, json.loads(text))
    reading = read(text.encode())
    line = positions_of(reading, {found.place})[found.place].line
    clause = context.clauses[str(example.breaks)]
    words = escaped(found.message.words(context.language))
    where = context.said("line", line=line)
    shown, first = _around(text.split("\n"), line)
    marks = f'linenums="{first}" hl_lines="{line - first + 1}"'
    return (
        f"{fence(shown, 'json', marks)}\n\n"
        f"**{where}**, `{found.path}`: {words} {context.clause_link(clause, here)}\n{{ .error }}"
    )


def broken(example: Example, data: Any) -> Problem:
    """Return the problem that the example is about; the generator has checked that it exists."""
    return next(
        each
        for each in validate(data, example.document)
        if (each.path, each.keyword, each.clause) == (example.at, example.keyword, example.breaks)
    )


def _around(lines: list[str], line: int) -> tuple[str, int]:
    if len(lines) <= WHOLE:
        return "\n".join(lines), 1
    first = max(1, line - AROUND)
    return "\n".join(lines[first - 1 : line + AROUND]), first
