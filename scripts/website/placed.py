"""Adds line numbers to the messages of mkdocs about a page, which have none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

_OF_A_PAGE = re.compile(
    r"(?:WARNING|ERROR) +- +(?:Doc file|Error reading page) '(?P<page>[^']+)'[: ]*(?P<what>.*)"
)
_QUOTED = re.compile(r"'([^']*)'")
_TRACE = "Traceback (most recent call last):"
_PART = r"[\w/.#?%-]"


def placed(said: Iterable[str], staged: Path, docs: Path) -> Iterator[str]:
    """Yield the lines of mkdocs' output, as `docs/en/page.md:7: …` if they are about a page.

    `staged` has the pages that mkdocs read, `docs` the hand-written ones. A traceback after an
    error message is dropped; without such a message, its last line remains.
    """
    lines, seen, named = list(said), Counter[tuple[str, str]](), False
    if _TRACE in lines:
        at = lines.index(_TRACE)
        named = any(line.startswith("ERROR") for line in lines[:at])
        lines = lines[:at] if named else [*lines[:at], lines[-1]]
    for line in lines:
        found = _OF_A_PAGE.match(line)
        if found is None:
            yield line
            continue
        page = found["page"]
        part = (_QUOTED.findall(found["what"]) or [""])[0]
        seen[page, part] += 1
        number = _line(staged / page, part, seen[page, part])
        file = f"{'docs' if (docs / page).exists() else 'build/docs'}/{page}"
        yield f"{file}:{number}: {found['what']}"


def _line(page: Path, part: str, which: int) -> int:
    """Return the line of the `which`-th occurrence of `part`, or of the last one, or 1."""
    if not part or not page.exists():
        return 1
    text = page.read_text(encoding="utf-8")
    alone = re.compile(rf"(?<!{_PART}){re.escape(part)}(?!{_PART})")
    starts = [found.start() for found in alone.finditer(text)]
    return text.count("\n", 0, starts[min(which, len(starts)) - 1]) + 1 if starts else 1
