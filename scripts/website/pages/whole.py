"""The one-page edition: a specification with numbered sections, to print and to cite.

Its sections are the specification's pages, without their examples, and its part of the page on
security and privacy. The name of the page is put before each anchor, except the anchors of clauses,
so that all pages cite a clause in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from scripts.website.layout import DOCS
from scripts.website.pages.context import Context
from scripts.website.pages.markdown import escaped, heading, link, page, table

NAME = "all"
"""The name of the page, in the directory of its specification."""

_AUTHORED = {
    "atdf": ("index", "concepts"),
    "ardf": ("index", "concepts"),
    "runtime": ("index", "concepts", "profiles"),
    "bindings": ("http", "mcp", "server-profile"),
}
"""The hand-written pages of each specification, in order."""
_ELSEWHERE = frozenset({"changes", "downloads"})
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING = re.compile(r"^(#{1,5}) (.*) \{ #([\w.-]+) \}$")
_CLAUSE = re.compile(r"[a-z]+(?:-[a-z]+)+-\d{3}")
_NEXT_TO_IT = re.compile(r"\]\((?=[\w-]+\.md)")
"""The start of a link to a page of the same directory."""
_INSIDE = re.compile(r"\]\(#([\w.-]+)\)")
_ID = re.compile(r'\bid="([\w.-]+)"')
_DEEPEST = 6


def whole_page(context: Context, spec: str, made: Mapping[str, bytes]) -> bytes:
    """Return the one-page edition of a specification; `made` has its generated pages by path."""
    title = context.said("whole", spec=context.spec_title(spec))
    about = context.said("whole_about", spec=context.spec_title(spec))
    version = context.source.project.versions[spec]
    parts = [
        f"{escaped(about)}\n{{ .lead }}",
        f"{context.said('status_draft', version=version)}\n{{ .facts }}",
        context.said("key_words"),
    ]
    names = [path.partition("/")[2].removesuffix(".md") for path in made]
    sections = [(name, _authored(context, spec, name)) for name in _AUTHORED[spec]]
    sections += [
        (name, made[f"{spec}/{name}.md"].decode()) for name in names if name not in _ELSEWHERE
    ]
    sections.append(("considerations", _considerations(context, spec)))
    for number, (name, text) in enumerate(sections, 1):
        parts.append("\n".join(_section(text, name, number, context.said("examples"))))
    parts.append(heading(2, f"{len(sections) + 1}. {context.said('references')}", "references"))
    parts += references(context, spec)
    return page(title, NAME, about, parts, hide="navigation, toc")


def _authored(context: Context, spec: str, name: str) -> str:
    return (DOCS / context.language / spec / f"{name}.md").read_text(encoding="utf-8")


def _considerations(context: Context, spec: str) -> str:
    """Return the part of the page on security and privacy about the specification."""
    file = DOCS / context.language / "about" / "considerations.md"
    head, *sections = _FRONT.sub("", file.read_text(encoding="utf-8")).split("\n## ")
    title = head.strip().splitlines()[0]
    kept = [
        each.partition("\n")[2] if f"{{ #{spec} }}" in each.partition("\n")[0] else f"\n## {each}"
        for each in sections
        if any(f"{{ #{anchor} }}" in each.partition("\n")[0] for anchor in (spec, "privacy"))
    ]
    return _NEXT_TO_IT.sub("](../about/", "\n".join([title, *kept]))


def _section(text: str, name: str, number: int, examples: str) -> Iterator[str]:
    """Yield the lines of a page as a numbered section, one level deeper, without its examples."""
    below = 0
    fenced = False
    for line in _FRONT.sub("", text).splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        found = None if fenced else _HEADING.match(line)
        if found is None:
            yield line if fenced else _moved(line, name)
            continue
        level, words, anchor = len(found[1]), found[2], found[3]
        if level == 2 and anchor == "examples":
            yield f"{link(examples, f'{name}.md#examples')}"
            return
        if level == 1:
            yield _heading(2, f"{number}. {words}", name)
        else:
            below += level == 2
            mark = f"{number}.{below} " if level == 2 else ""
            yield _heading(min(level + 1, _DEEPEST), mark + words, _anchor(anchor, name))


def _heading(level: int, text: str, anchor: str) -> str:
    """Return a heading; its text must be Markdown."""
    return f"{'#' * level} {text} {{ #{anchor} }}"


def _moved(line: str, name: str) -> str:
    line = _INSIDE.sub(lambda found: f"](#{_anchor(found[1], name)})", line)
    return _ID.sub(lambda found: f'id="{_anchor(found[1], name)}"', line)


def _anchor(anchor: str, name: str) -> str:
    return anchor if _CLAUSE.fullmatch(anchor) else f"{name}--{anchor}"


def references(context: Context, spec: str) -> Iterator[str]:
    """Yield the references of the specification: the normative ones, then the informative ones."""
    head = [context.said(f"reference_{column}") for column in ("name", "date")]
    for kind in ("normative", "informative"):
        listed = [
            each
            for each in context.source.project.references
            if spec in each.specs and each.kind == kind
        ]
        if listed:
            yield f"**{context.said(f'references_{kind}')}**"
            yield table(head, ([link(escaped(each.title), each.url), each.date] for each in listed))
