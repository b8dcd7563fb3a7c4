"""All generated pages of all languages, and the files that they link to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fixtures.guides.joined import JOINED, TO_COPY
from scripts.generator.build import load_source, read_source
from scripts.generator.downloads import Download, downloads, frozen
from scripts.generator.problems import SourceError
from scripts.generator.texts import LANGUAGES
from scripts.website.archive import archived
from scripts.website.layout import ROOT, current
from scripts.website.pages import (
    attacks,
    benchmarks,
    clause_page,
    clauses,
    deviations,
    ecosystem,
    kit,
    messages,
    playground,
)
from scripts.website.pages.context import CONFORMANCE, SPECS, Context
from scripts.website.pages.documents import document_page
from scripts.website.pages.glossary import glossary_page
from scripts.website.pages.history import changes_page, downloads_page, in_language
from scripts.website.pages.llms import FILE, llms_txt
from scripts.website.pages.releases import RELEASES, releases_page
from scripts.website.pages.seeds import SEEDS, seeds_page
from scripts.website.pages.vocabularies import homes, vocabularies_page
from scripts.website.pages.whole import NAME, whole_page


@dataclass(frozen=True, slots=True)
class Made:
    """The pages and files by path, which starts with the language.

    `menu` lists the pages of each directory. `clauses` are pages that mkdocs does not see; their
    address is their path.
    """

    files: dict[str, bytes]
    menu: dict[str, list[str]]
    clauses: dict[str, bytes] = field(default_factory=dict)


def made_pages() -> Made:
    """Make all pages; raises `SourceError` if the source has faults."""
    source, problems = read_source(load_source(ROOT))
    if problems:
        raise SourceError(problems)
    held = downloads(source, frozen(ROOT))
    files: dict[str, bytes] = {}
    menu: dict[str, list[str]] = {}
    of_clauses: dict[str, bytes] = {}
    for language in LANGUAGES:
        context = Context(source, language, homes(source))
        pages = dict(_pages(context, held))
        files[f"{language}/{FILE}"] = llms_txt(context, pages)
        files |= {f"{language}/{path}": content for path, content in pages.items()}
        files[f"{language}/{clause_page.TEMPLATE}"] = clause_page.template_page()
        for path, content in clause_page.clause_pages(context):
            of_clauses[f"{language}/{path}"] = content
        menu = {}
        for path in (each for each in pages if "/" in each):
            menu.setdefault(path.partition("/")[0], []).append(path)
        for path, content in playground.scripts(source, language):
            files[f"{language}/{path}"] = content
        for guide, file in TO_COPY.items():
            folder = "guides" if file == JOINED else f"guides/{guide}"
            files[f"{language}/{folder}/{file.name}"] = file.read_bytes()
        for each in held:
            there = in_language(each, language)
            if there is not None:
                files[f"{language}/{there}"] = each.content
    return Made(files, menu, of_clauses)


def _pages(context: Context, files: tuple[Download, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield each page with its path, in the order of the menu."""
    for spec in SPECS:
        own = dict(_of_spec(context, spec))
        yield from own.items()
        yield f"{spec}/{NAME}.md", whole_page(context, spec, own)
        yield from _if_any(f"{spec}/changes.md", changes_page(context, spec))
        yield f"{spec}/downloads.md", downloads_page(context, spec, files)
    yield "playground.md", playground.playground_page(context)
    yield clauses.ALL, clauses.everything(context)
    yield f"{CONFORMANCE}/options.md", kit.options_page(context)
    yield f"{CONFORMANCE}/faults.md", kit.faults_page(context)
    yield messages.PAGE, messages.messages_page(context)
    yield deviations.PAGE, deviations.deviations_page(context)
    yield ecosystem.ECOSYSTEM, ecosystem.ecosystem_page(context)
    yield ecosystem.IMPLEMENTATIONS, ecosystem.implementations_page(context)
    yield attacks.ATTACKS, attacks.attacks_page(context)
    yield from _if_any(f"{CONFORMANCE}/benchmarks.md", benchmarks.benchmarks_page(context))
    yield "about/glossary.md", glossary_page(context)
    yield RELEASES, releases_page(context, current(), archived())
    yield SEEDS, seeds_page(context)
    vocabularies = vocabularies_page(context, CONFORMANCE)
    yield from _if_any(f"{CONFORMANCE}/vocabularies.md", vocabularies)


def _of_spec(context: Context, spec: str) -> Iterator[tuple[str, bytes]]:
    """Yield the generated pages of a specification's one-page edition."""
    for schema in context.source.schemas:
        if schema.spec == spec:
            yield f"{spec}/{schema.name}.md", document_page(context, schema)
    yield from _if_any(f"{spec}/clauses.md", clauses.others(context, spec))
    yield from _if_any(f"{spec}/vocabularies.md", vocabularies_page(context, spec))


def _if_any(path: str, content: bytes | None) -> Iterator[tuple[str, bytes]]:
    if content is not None:
        yield path, content
