"""Makes the search of the site: its script, and a record for each section and each row.

Only rows with an anchor have a record.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.website.layout import DOCS
from scripts.website.npm import npm_file
from scripts.website.pages.clause_page import TEMPLATE
from scripts.website.pages.whole import NAME as WHOLE
from scripts.website.render import BuildError

_WORKER = "assets/javascripts/workers/search.*.min.js"
_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)"')
_ROW = re.compile(r'<tr>\s*<td><a id="([^"]+)"></a><code>(.*?)</code>(.*?)</tr>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_LISTS = {
    "clauses",
    "changes",
    "original-texts",
    "implementations",
    "attacks",
    "faults",
    "deviations",
    "downloads",
    "messages",
    "vocabularies",
}
"""Pages that list everything: the page about a thing answers a question better."""
_LESS = 0.5
_LISTED = 0.3
_QUOTED = 0.1
_QUESTIONS = "start/questions"
"""The page whose sections are questions in people's words."""
_MESSAGES = "messages"
"""The page whose rows match if most words of a message are searched."""
_TEMPLATE = f"{TEMPLATE.removesuffix('.md')}/"
_EXPORT = re.compile(r"\bexport (?=const |function )")
_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)


def add_search(folder: Path, language: str, clauses: list[dict[str, Any]]) -> None:
    """Write the records of a built language, and replace the theme's script.

    `clauses` are the records of the pages that mkdocs does not know; they replace the clauses'
    sections. Raises `BuildError` if the theme has changed.
    """
    workers = list(folder.glob(_WORKER))
    if len(workers) != 1:
        raise BuildError(f"The theme has changed: {_WORKER} is not there once.")
    index = folder / "search" / "search_index.json"
    read = json.loads(index.read_text(encoding="utf-8"))
    anchors = {each["location"].strip("/").rpartition("/")[2] for each in clauses}
    read["docs"] = [
        each
        for each in _records(folder, read["docs"])
        if each["location"].partition("#")[2] not in anchors
    ] + [{**each, "boost": _LESS} for each in clauses]
    index.write_text(json.dumps(read, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    workers[0].write_text(search_script(language), encoding="utf-8")


def search_script(language: str) -> str:
    """Return the script: MiniSearch, the language's stemmer and words, and our code."""
    words, synonyms = (
        json.loads((DOCS / "search" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("stop-words", "synonyms")
    )
    stemmer = npm_file("stemmers", f"dist/{language}.js").read_text(encoding="utf-8")
    return "\n".join(
        [
            f"const STOP_WORDS = {json.dumps(words[language].split(), ensure_ascii=False)};",
            f"const SYNONYMS = {json.dumps(synonyms[language], ensure_ascii=False)};",
            f"const stem = (() => {{{_EXPORT.sub('', stemmer)};return stemmer}})();",
            _MAP.sub("", npm_file("minisearch").read_text(encoding="utf-8")),
            (DOCS / "search" / "worker.js").read_text(encoding="utf-8"),
        ]
    )


def _records(folder: Path, docs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the records without those of the one-page editions, which repeat other pages."""
    for doc in docs:
        page, _, anchor = doc["location"].partition("#")
        if page.strip("/").endswith(f"/{WHOLE}") or page == _TEMPLATE:
            continue
        less = {"boost": _LISTED} if page.strip("/").rpartition("/")[2] in _LISTS else {}
        asked = {"asked": True} if anchor and page.strip("/") == _QUESTIONS else {}
        doc = {**doc, **less, **asked}
        if anchor:
            yield doc
            continue
        text = (folder / page / "index.html").read_text(encoding="utf-8")
        about = _DESCRIPTION.search(text)
        yield {**doc, "about": html.unescape(about[1])} if about else doc
        quoted = page.strip("/").rpartition("/")[2] == _MESSAGES
        for row in _ROW.finditer(text):
            cells = row[3].split("</td>\n<td>")[1:]
            told = " ".join(cells[:1] if quoted else cells)
            meaning = " ".join(_TAG.sub(" ", told).split())
            record = {"location": f"{page}#{row[1]}", "title": row[2], "text": meaning, "row": True}
            yield record | less | ({"quoted": True, "boost": _QUOTED} if quoted else {})
