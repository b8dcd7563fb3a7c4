"""Clauses: each with all facts about it, and all of them in one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.kit.model.run import KNOWN_VERSIONS, MODERN
from conformance.spec.vocabulary import Era, Requirement
from scripts.generator.clauses import Clause
from scripts.website.clause_words import NAME as WORDS
from scripts.website.pages.context import CONFORMANCE, Context, up
from scripts.website.pages.facets import facets_of, group, level_of
from scripts.website.pages.kit import catches
from scripts.website.pages.markdown import code, escaped, filtered, heading, link, page, table

ALL = f"{CONFORMANCE}/clauses.md"


def told(context: Context, clauses: Iterable[Clause], level: int) -> Iterator[str]:
    """Yield each clause under a heading, in the order of ids."""
    for clause in sorted(clauses, key=lambda each: each.id):
        yield heading(level, clause.id, clause.id.lower())
        yield from sentences(context, clause)
        yield f"{facts(context, clause, context.clause_page(clause))}\n{{ .facts }}"
        if clause.why is not None:
            yield context.said("why", reason=context.prose(clause.why))
        if caught := catches().get(clause.id):
            faults = f"{up(context.clause_page(clause))}{CONFORMANCE}/faults.md"
            listed = ", ".join(link(code(each), f"{faults}#fault-{each}") for each in caught)
            yield f"{context.said('catches', faults=listed)}\n{{ .facts }}"
        yield from quotes(context, clause)
        more = context.own_page(clause, context.clause_page(clause), context.said("clause_more"))
        yield f"{more}\n{{ .facts }}"


def quotes(context: Context, clause: Clause) -> Iterator[str]:
    """Yield the sentences of other standards that a clause is based on."""
    source = clause.facts.get("source")
    if not source:
        return
    yield _quoted(context.said("rests_on", url=source["url"]), source["quote"])
    for other in source.get("others", ()):
        to = ((v, other["url"].replace("{version}", v)) for v in other["versions"])
        links = ", ".join(f"[{version}]({url})" for version, url in to)
        if other["quote"] == source["quote"]:
            yield f"{context.said('same_versions', links=links)}\n{{ .facts }}"
        else:
            yield _quoted(context.said("other_versions", links=links), other["quote"])


def sentences(context: Context, clause: Clause) -> Iterator[str]:
    """Yield the text of a clause; for a group, each requirement with an anchor."""
    if not clause.parts:
        yield f"{escaped(context.text(clause.text))}\n{{ .clause }}"
    for number, part in enumerate(clause.parts, 1):
        name = f"{clause.id}.{number}"
        yield f"**{name}** {context.prose(part)}\n{{ .clause #{clause.id.lower()}-{number} }}"


def _quoted(said: str, quote: str) -> str:
    lines = "\n".join(f"> {line}" for line in escaped(quote).splitlines())
    return f"{said}\n{{ .facts }}\n\n{lines}"


def facts(context: Context, clause: Clause, here: str) -> str:
    """Return a clause's requirement, its level, where it applies, and how it is checked.

    The links are for the page `here`.
    """
    held = clause.facts
    said = [f"**{_binding(context, clause)}**", _status(context, clause)]
    if name := level_of(context, clause):
        said.append(context.said("level", level=name))
    elif held["requirement"] == Requirement.SHOULD:
        said.append(context.said("level_none"))
    said += _where(context, clause, here)
    said.append(_how(context, clause))
    return " · ".join(said)


def _status(context: Context, clause: Clause) -> str:
    """Return the status of a clause, and the version that introduced it."""
    version = clause.facts.get("version") or context.source.project.versions[clause.spec]
    return context.said(f"status_{clause.facts.get('status', 'draft')}", version=version)


def _binding(context: Context, clause: Clause) -> str:
    word = context.requirement(clause.facts["requirement"])
    raised = clause.facts.get("where_claimed")
    if raised is None:
        return word
    more = context.said("where_claimed", requirement=context.requirement(raised))
    return f"{word} ({more})"


def _where(context: Context, clause: Clause, here: str) -> Iterator[str]:
    applies = clause.facts.get("applies_to", {})
    names = applies.get("bindings", ())
    known = context.source.vocabularies["binding"]
    if names and len(names) < len(known.values):  # all of them together limit nothing
        links = (context.word_link(known, name, here) for name in names)
        yield context.said("only_bindings", names=", ".join(links))
    if versions := clause_versions(context, clause):
        yield versions
    if applies.get("claimed"):
        yield context.said("only_claimed")
    if "offers" in applies:
        yield context.said(f"only_{applies['offers']}")
    if "openapi" in applies:
        yield context.said("only_openapi" if applies["openapi"] else "not_only_openapi")


def clause_versions(context: Context, clause: Clause) -> str:
    """Return the versions of MCP that a clause is limited to; empty if it has no such limit."""
    applies = clause.facts.get("applies_to", {})
    eras = applies.get("eras", tuple(Era))
    first, last = applies.get("since", KNOWN_VERSIONS[0]), applies.get("until", KNOWN_VERSIONS[-1])
    held = [
        each
        for each in KNOWN_VERSIONS
        if first <= each <= last and (Era.MODERN if each >= MODERN else Era.LEGACY) in eras
    ]
    if len(held) == len(KNOWN_VERSIONS):
        return ""
    if held[-1] == KNOWN_VERSIONS[-1]:
        return context.said("mcp_since", version=held[0])
    if len(held) == 1:
        return context.said("mcp_only", version=held[0])
    if held[0] == KNOWN_VERSIONS[0]:
        return context.said("mcp_until", version=held[-1])
    return context.said("mcp_between", first=held[0], last=held[-1])


def _how(context: Context, clause: Clause) -> str:
    how = _checked(context, clause)
    return how if clause.excluded is not None else context.said("checked_by", how=how)


def _checked(context: Context, clause: Clause) -> str:
    if clause.excluded is not None:
        return context.said("not_checked", why=context.prose(clause.excluded))
    words = {each.value: each for each in context.source.vocabularies["verified"].values}
    return context.prose(words[clause.facts["verified"]].text)


def of_document(context: Context, spec: str, document: str) -> list[Clause]:
    """Return the clauses on the page of a document."""
    here = f"{spec}/{document}.md"
    return [each for each in context.source.clauses if context.clause_page(each) == here]


def others(context: Context, spec: str) -> bytes | None:
    """Return the page of a specification's clauses without a document; None if there are none."""
    here = f"{spec}/clauses.md"
    own = [each for each in context.source.clauses if context.clause_page(each) == here]
    if not own:
        return None
    about = context.said("other_clauses_about", spec=context.spec_title(spec))
    parts = [escaped(about)]
    for name in sorted({group(each) for each in own}):
        parts.append(heading(2, name, f"group-{name.lower()}"))
        parts += told(context, (each for each in own if group(each) == name), 3)
    return page(context.said("other_clauses"), "clauses", about, parts)


def _with_versions(context: Context, clause: Clause) -> str:
    """Return the sentence of a clause, with the versions of MCP that it is limited to."""
    said, versions = context.prose(clause.text), clause_versions(context, clause)
    return f"{said} *({versions})*" if versions else said


def everything(context: Context) -> bytes:
    """Return the page that reports link to: every clause in one table, anchored by its id."""
    listed = sorted(context.source.clauses, key=lambda each: each.id)
    excluded = sum(each.excluded is not None for each in listed)
    count, tested = len(listed), len(listed) - excluded
    intro = context.said("all_clauses_intro", count=count, tested=tested, excluded=excluded)
    names = ("clause", "requirement", "needed_for", "says")
    head = [context.said(name) for name in names]
    rows = (
        [
            context.own_page(each, ALL, each.id, id=each.id.lower()),
            _binding(context, each),
            level_of(context, each) or "–",
            _with_versions(context, each),
        ]
        for each in listed
    )
    about = context.said("all_clauses_about")
    facets = facets_of(context, [[each] for each in listed])
    found = filtered(facets, context.filter_words(), f"../../assets/{WORDS}")
    parts = [intro, found, table(head, rows)]
    return page(context.said("all_clauses"), "all-clauses", about, parts, hide="toc")
