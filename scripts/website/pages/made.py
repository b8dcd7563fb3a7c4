"""All generated pages of all languages, and the files that they link to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scripts.generator.build import Source, as_bytes, load_source, outputs, read_source
from scripts.generator.problems import SourceError
from scripts.generator.schemas import schema_json
from scripts.generator.texts import LANGUAGES
from scripts.website.layout import ROOT
from scripts.website.pages import clauses, kit
from scripts.website.pages.context import CONFORMANCE, SPECS, Context
from scripts.website.pages.documents import document_page
from scripts.website.pages.vocabularies import homes, vocabularies_page


@dataclass(frozen=True, slots=True)
class Made:
    """`files` by path, which begins with the language; `menu` lists the pages of each folder."""

    files: dict[str, bytes]
    menu: dict[str, list[str]]


def made_pages() -> Made:
    """Make everything; raises `SourceError` where the source is broken."""
    source, problems = read_source(load_source(ROOT))
    if problems:
        raise SourceError(problems)
    files: dict[str, bytes] = {}
    menu: dict[str, list[str]] = {}
    for language in LANGUAGES:
        context = Context(source, language, homes(source))
        pages = dict(_pages(context))
        files |= {f"{language}/{path}": content for path, content in pages.items()}
        menu = {}
        for path in pages:
            menu.setdefault(path.partition("/")[0], []).append(path)
        files |= {f"{language}/{path}": content for path, content in _files(source, language)}
    return Made(files, menu)


def _pages(context: Context) -> Iterator[tuple[str, bytes]]:
    """Give each page by its path, in the order of the menu."""
    for spec in SPECS:
        for schema in context.source.schemas:
            if schema.spec == spec:
                yield f"{spec}/{schema.name}.md", document_page(context, schema)
        yield from _if_any(f"{spec}/clauses.md", clauses.others(context, spec))
        yield from _if_any(f"{spec}/vocabularies.md", vocabularies_page(context, spec))
    yield clauses.ALL, clauses.everything(context)
    yield f"{CONFORMANCE}/options.md", kit.options_page(context)
    yield f"{CONFORMANCE}/faults.md", kit.faults_page(context)
    yield f"{CONFORMANCE}/implementations.md", kit.implementations_page(context)
    yield from _if_any(f"{CONFORMANCE}/benchmarks.md", kit.benchmarks_page(context))
    vocabularies = vocabularies_page(context, CONFORMANCE)
    yield from _if_any(f"{CONFORMANCE}/vocabularies.md", vocabularies)


def _if_any(path: str, content: bytes | None) -> Iterator[tuple[str, bytes]]:
    if content is not None:
        yield path, content


def _files(source: Source, language: str) -> Iterator[tuple[str, bytes]]:
    """Give the schemas with their texts in `language`, and what else is downloaded."""
    for schema in source.schemas:
        value = schema_json(schema, source.project.id_base, source.vocabularies, language)
        yield schema.file, as_bytes(value)
    if language == "en":
        for path, content in outputs(source).items():
            if path.startswith("schema/") and path.endswith("/clauses.json"):
                yield path, content
