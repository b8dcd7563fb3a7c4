"""A page for each clause: all facts about it, what breaks it, and how to check only this clause.

mkdocs does not see these many pages: `scripts/website/clause_pages.py` adds them.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from functools import cache

from conformance.kit.verdicts.checks import load, packages
from conformance.spec.vocabulary import Requirement, Scope
from scripts.generator.clauses import Clause
from scripts.generator.texts import LANGUAGES
from scripts.website.pages.clauses import ALL, facts, quotes, sentences
from scripts.website.pages.context import CLAUSE_FOLDER, CONFORMANCE, Context, up
from scripts.website.pages.exchanges import exchange, fault_sentence
from scripts.website.pages.kit import catches
from scripts.website.pages.markdown import code, escaped, fence, heading, link, page
from scripts.website.pages.remedies import remedy

MARKS = ("CLAUSE-ID", "clause-slug", "CLAUSE-ABOUT", "CLAUSE-CONTENT")
"""The marks in the template for the id, its anchor, the sentence, and the rest."""
TEMPLATE = f"{CLAUSE_FOLDER}/{MARKS[1]}.md"
_GATEWAY = "conformance.gateway"
_SERVED = "http://127.0.0.1:8000"
_STARTED = "'stdio:python server.py'"
_BEHIND = "openai+http://127.0.0.1:4000/v1"


def clause_pages(context: Context) -> Iterator[tuple[str, bytes]]:
    """Yield each clause's page with its path, in the order of ids."""
    listed = sorted(context.source.clauses, key=lambda each: each.id)
    before: tuple[Clause | None, ...] = (None, *listed[:-1])
    after: tuple[Clause | None, ...] = (*listed[1:], None)
    for clause, one, other in zip(listed, before, after, strict=True):
        yield clause_path(clause), _page(context, clause, (one, other))


def template_page() -> bytes:
    """Return the page that mkdocs builds for all clauses.

    Its content is a block of code, so that the theme adds what a page with code needs.
    """
    name, slug, about, content = MARKS
    return page(name, slug, about, [fence(content, "text")], hide="navigation, toc")


def clause_path(clause: Clause) -> str:
    """Return the path of a clause's page."""
    return f"{CLAUSE_FOLDER}/{clause.id.lower()}.md"


def _page(context: Context, clause: Clause, beside: tuple[Clause | None, Clause | None]) -> bytes:
    here = clause_path(clause)
    parts = [
        *sentences(context, clause),
        f"{facts(context, clause, here)}\n{{ .facts }}",
        *([context.said("why", reason=context.prose(clause.why))] if clause.why else ()),
        *_shown(context, clause, here),
        *quotes(context, clause),
        *exchange(context, clause, here, others=len(catches().get(clause.id, ())) > 1),
        *remedy(context, clause, here),
        *_faults(context, clause, here),
        *_alone(context, clause),
        _neighbors(context, beside, here),
    ]
    return page(clause.id, clause.id.lower(), context.text(clause.text), [_way(context), *parts])


def _way(context: Context) -> str:
    """Return the breadcrumbs of the page."""
    steps = [(f"{CONFORMANCE}/index.md", "kit_name"), (ALL, "clauses")]
    to = up(f"{CLAUSE_FOLDER}/.")
    links = (link(escaped(context.said(name)), to + path) for path, name in steps)
    return f"{' › '.join(links)}\n{{ .facts .way }}"


def _shown(context: Context, clause: Clause, here: str) -> Iterator[str]:
    """Yield the link to the clause's chapter, and the examples that break it."""
    chapter = f"{up(here)}{context.clause_page(clause)}#{clause.id.lower()}"
    links = [link(context.said("clause_chapter"), chapter)]
    links += [
        link(
            context.prose(each.title), f"{up(here)}{each.spec}/{each.document}.md#example-{each.id}"
        )
        for each in context.source.examples
        if each.breaks == clause.id and clause.facts["requirement"] != Requirement.MAY
    ]
    yield context.said("clause_seen_chapter", chapter=links[0])
    if links[1:]:
        yield context.said("clause_broken_by")
        yield "\n".join(f"- {each}" for each in links[1:])


def _faults(context: Context, clause: Clause, here: str) -> Iterator[str]:
    caught = catches().get(clause.id)
    if not caught:
        return
    yield heading(2, context.said("clause_faults"), "faults")
    yield context.said("clause_faults_intro")
    faults = f"{up(here)}{CONFORMANCE}/faults.md"
    told: dict[str, list[str]] = {}
    for each in caught:
        said = fault_sentence(context, each, clause.id)
        told.setdefault(said, []).append(link(code(each), f"{faults}#fault-{each}"))
    yield "\n".join(
        f"- {', '.join(names)}{f': {said}' if said else ''}" for said, names in told.items()
    )


def _alone(context: Context, clause: Clause) -> Iterator[str]:
    """Yield the command that checks only this clause."""
    command = _command(clause)
    if command is None:
        return
    yield heading(2, context.said("clause_alone"), "run")
    yield context.said("clause_validate" if command.startswith("agent-formats v") else "clause_run")
    own = "" if context.language == LANGUAGES[0] else f" --language {context.language}"
    yield fence(f"{command}{own}", "sh")


def _command(clause: Clause) -> str | None:
    if clause.excluded is not None:
        return None
    chapter = _chapters().get(clause.id)
    if chapter is None:
        name = clause.document if clause.facts["scope"] == Scope.DOCUMENT else None
        return f"agent-formats validate FILE{f' --as {name}' if name else ''}"
    if chapter == _GATEWAY:
        return f"agent-formats check --gateway {_BEHIND} -k {clause.id}"
    applies = clause.facts.get("applies_to", {})
    bindings = applies.get("bindings", ())
    target = _SERVED
    if bindings and "http" not in bindings:
        target = f"{_SERVED}/mcp" if "mcp" in bindings else _STARTED
    claimed = " --profile atdf" if applies.get("claimed") else ""
    return f"agent-formats check {target}{claimed} -k {clause.id}"


@cache
def _chapters() -> Mapping[str, str]:
    """Return the kit's chapter of each clause, by the clause's id."""
    return {clause.id: name for name in packages() for _, clause in load(name).tests}


def _neighbors(context: Context, beside: tuple[Clause | None, Clause | None], here: str) -> str:
    words = ("clause_before", "clause_after")
    links = (
        link(f"{context.said(word)}: {each.id}", f"{up(here)}{clause_path(each)}")
        for word, each in zip(words, beside, strict=True)
        if each is not None
    )
    named = html.escape(context.said("clauses"), quote=True)
    return (
        f'<nav class="beside" aria-label="{named}" markdown="1">\n\n{" · ".join(links)}\n\n</nav>'
    )
