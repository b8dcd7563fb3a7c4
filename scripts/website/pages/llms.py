"""`llms.txt`: every page of a language in one list, with its address and its description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from scripts.website.layout import DOCS
from scripts.website.pages.context import Context
from scripts.website.pages.whole import NAME

FILE = "llms.txt"
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_DESCRIPTION = re.compile(r"^description: (.+)$", re.MULTILINE)
_TITLE = re.compile(r"^# (.*?)(?: \{ #[\w.-]+ \})?$", re.MULTILINE)
_DEFAULT = "en"


def llms_txt(context: Context, made: Mapping[str, bytes]) -> bytes:
    """Return the list of a language; the one-page editions come first."""
    pages = {path: content.decode() for path, content in made.items()}
    for file in sorted((DOCS / context.language).rglob("*.md")):
        path = file.relative_to(DOCS / context.language).as_posix()
        pages[path] = file.read_text(encoding="utf-8")
    base = context.source.project.id_base + (
        "" if context.language == _DEFAULT else f"/{context.language}"
    )
    whole = [path for path in pages if path.endswith(f"/{NAME}.md")]
    rest = sorted(path for path in pages if path not in whole)
    lines = ["# Agent Formats", "", f"> {context.said('llms_about')}", ""]
    lines += [f"## {context.said('llms_whole')}", "", *_listed(base, whole, pages), ""]
    lines += [f"## {context.said('llms_pages')}", "", *_listed(base, rest, pages)]
    return ("\n".join(lines) + "\n").encode()


def _listed(base: str, paths: list[str], pages: Mapping[str, str]) -> Iterator[str]:
    for path in paths:
        text = pages[path]
        front, title = _FRONT.search(text), _TITLE.search(text)
        described = _DESCRIPTION.search(front[1]) if front else None
        if title is None or described is None:
            continue
        said = described[1]
        said = json.loads(said) if said.startswith('"') else said
        yield f"- [{title[1]}]({base}/{_address(path)}): {said}"


def _address(path: str) -> str:
    """Return the address of a page: `atdf/tool.md` is served at `atdf/tool/`."""
    return path.removesuffix("index.md") if path.endswith("index.md") else f"{path[:-3]}/"
