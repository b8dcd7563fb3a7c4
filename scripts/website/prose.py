"""Parses a page of prose into the parts that a translation must keep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FENCE = re.compile(r"^( *)(`{3,}|~{3,}) *([\w+-]*)[^\n]*\n(.*?)^\1\2`*[ \t]*$", re.DOTALL | re.M)
_HEADING = re.compile(r"^(#{1,6}) +(.*?)(?: +\{ *#([^\s}]+)[^}]*\})?[ \t]*$", re.M)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_HREF = re.compile(r"(?:href|src)=\"([^\"]+)\"")
_CLAUSE = re.compile(r"\b[A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)+-[0-9]{3}\b")
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_EXEMPT = ("mermaid", "text")
"""Languages of code blocks whose text is translated."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading; `anchor` is None if it has no explicit one."""

    level: int
    text: str
    anchor: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Prose:
    """One page: its front matter, and the parts that must be the same in each language."""

    front: dict[str, str]
    text: str
    headings: tuple[Heading, ...]
    links: Counter[str]
    clauses: Counter[str]
    blocks: tuple[tuple[str, str], ...]
    code: frozenset[str]
    named: tuple[tuple[int, str], ...]
    """Every clause that the file names, in prose and in code blocks, with its line."""


def read_prose(text: str) -> Prose:
    """Parse a page; `text` is the whole file."""
    found = _FRONT.match(text)
    front = _pairs(found[1]) if found else {}
    # Removed parts leave their line ends, so that line numbers stay those of the file.
    body = _blank(text[: found.end()]) + text[found.end() :] if found else text
    blocks = tuple(_block(each[3], each[4]) for each in _FENCE.finditer(body))
    prose = _FENCE.sub(lambda each: _blank(each[0]), body)
    headings = tuple(
        Heading(len(each[1]), each[2], each[3], prose.count("\n", 0, each.start()) + 1)
        for each in _HEADING.finditer(prose)
    )
    links = Counter([*_LINK.findall(prose), *_HREF.findall(prose)])
    code = frozenset(" ".join(each[2].split()) for each in _CODE.finditer(prose))
    named = tuple(
        (text.count("\n", 0, each.start()) + 1, each[0]) for each in _CLAUSE.finditer(text)
    )
    clauses = Counter(_CLAUSE.findall(prose))
    return Prose(front, prose, headings, links, clauses, blocks, code, named)


def _pairs(text: str) -> dict[str, str]:
    lines = (line.partition(":") for line in text.splitlines() if not line.startswith((" ", "-")))
    return {key.strip(): value.strip().strip("\"'") for key, _, value in lines}


def _blank(text: str) -> str:
    return "\n" * text.count("\n")


def _block(language: str, content: str) -> tuple[str, str]:
    lines = [line.strip() for line in content.splitlines()]
    return language, "" if language in _EXEMPT else "\n".join(lines)


_MARKUP = (
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"<[^>]+>"),
    re.compile(r"\{[^}\n]*\}"),
    re.compile(r"\]\([^)]*\)|\]\[[^\]]*\]"),
    re.compile(r"https?://\S+"),
)
_STRESSED = re.compile(r"(\*{1,2})(?=[^\s*])(.+?)(?<=[^\s*])\1", re.DOTALL)
_START = re.compile(r"^[ \t]*(?:[-*+>]|\d+\.|#{1,6}|!{3} \w+|\?{3}\+? \w+|=== |\||:)[ \t]*", re.M)


def plain(text: str) -> str:
    """Return `text` without code, markup and addresses, with the same lines."""
    text = _CODE.sub(lambda each: _blank(each[0]) or "…", text)
    for pattern in _MARKUP:
        text = pattern.sub(lambda each: _blank(each[0]) or " ", text)
    return text


def set_off(prose: Prose) -> Iterator[str]:
    """Yield the emphasized texts and the table cells of a page.

    If a translation leaves one unchanged, it is a name that others gave.
    """
    yield from (" ".join(found[2].split()) for found in _STRESSED.finditer(prose.text))
    for line in prose.text.splitlines():
        if line.startswith("|"):
            yield from filter(None, (cell.strip() for cell in plain(line).split("|")))


def paragraphs(prose: Prose) -> Iterator[tuple[int, str]]:
    """Yield the plain words of each paragraph with its first line, without code and addresses."""
    text = plain(prose.text)
    line = 1
    for part in re.split(r"(\n[ \t]*\n)", text):
        words = _START.sub(" ", part)
        words = re.sub(r"[*_|\[\]\"#>]+", " ", words)
        if words.strip():
            yield line + len(part) - len(part.lstrip("\n")), " ".join(words.split())
        line += part.count("\n")
