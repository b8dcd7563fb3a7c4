"""The pages with changes, corrections and downloads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from conformance.formats.problem import json_path
from conformance.kit.report.words import decimal
from conformance.spec.pointer import steps_of
from conformance.spec.vocabulary import DownloadKind
from scripts.generator.changes import Change, Erratum
from scripts.generator.downloads import SUMS, Download
from scripts.website.pages.context import Context, up
from scripts.website.pages.markdown import code, escaped, fence, heading, link, page, table

_WHOLE = (DownloadKind.ARCHIVE, DownloadKind.INDEX, DownloadKind.SUMS)
_SINGLE = (
    *(DownloadKind.SCHEMA, DownloadKind.CLAUSES),
    *(DownloadKind.CHANGES, DownloadKind.ALIAS),
)


def changes_page(context: Context, spec: str) -> bytes | None:
    """Return the page with a specification's changes and errata; None if there are none."""
    here = f"{spec}/changes.md"
    changes = [each for each in context.source.changes if each.spec == spec]
    errata = [each for each in context.source.errata if each.spec == spec]
    if not changes and not errata:
        return None
    about = context.said("changes_about", spec=context.spec_title(spec))
    parts = [escaped(about)]
    for version in dict.fromkeys(each.version for each in changes):
        anchor = f"version-{version.replace('.', '-')}"
        parts.append(heading(2, context.said("version", version=version), anchor))
        for each in changes:
            if each.version == version:
                parts += _change(context, each, here)
    if errata:
        parts.append(heading(2, context.said("errata"), "errata"))
        for erratum in errata:
            parts += _erratum(context, erratum, here)
    return page(context.said("changes"), "changes", about, parts)


def _change(context: Context, change: Change, here: str) -> Iterator[str]:
    words = {each.value: each for each in context.source.vocabularies["change_kind"].values}
    yield heading(3, context.text(change.title), change.id)
    yield f"{context.prose(words[change.kind].text)}\n{{ .facts }}"
    yield context.prose(change.text)
    examples = [_example(context, change.spec, name, here) for name in change.examples]
    if links := [*_clauses(context, change.clauses, here), *examples]:
        yield f"{', '.join(links)}\n{{ .facts }}"


def _clauses(context: Context, ids: Iterable[str], here: str) -> list[str]:
    return [context.clause_link(context.clauses[each], here) for each in ids]


def _example(context: Context, spec: str, name: str, here: str) -> str:
    found = next(each for each in context.source.examples if each.spec == spec and each.id == name)
    to = f"{up(here)}{spec}/{found.document}.md#example-{name}"
    return link(context.prose(found.title), to)


def _erratum(context: Context, erratum: Erratum, here: str) -> Iterator[str]:
    steps = [int(each) if each.isdigit() else each for each in steps_of(erratum.at or "")]
    field = f": {code(json_path(steps))}" if steps else ""
    yield heading(3, context.text(erratum.where) + field, f"erratum-{erratum.id}")
    yield context.prose(erratum.why)
    for name, value in (("as_printed", erratum.as_printed), ("corrected", erratum.corrected)):
        yield f"{context.said(name)}:\n\n{_value(value)}"
    links = _clauses(context, erratum.clauses, here)
    if erratum.example is not None:
        links.append(_example(context, erratum.spec, erratum.example, here))
    if links:
        yield f"{', '.join(links)}\n{{ .facts }}"


def _value(value: Any) -> str:
    if isinstance(value, str) and "\n" in value:
        return fence(value, "text")
    return fence(json.dumps(value, ensure_ascii=False, indent=2), "json")


def downloads_page(context: Context, spec: str, files: Iterable[Download]) -> bytes:
    """Return the page with the files of a specification, their sizes and hashes."""
    here = f"{spec}/downloads.md"
    kinds = {each.value: each for each in context.source.vocabularies["download_kind"].values}
    own = [each for each in files if _is_shown(context, each, spec)]
    head = [context.said(name) for name in ("file", "meaning", "size", "sum")]
    rows = []
    for each in sorted(own, key=lambda each: (each.kind not in _WHOLE, each.path)):
        path = in_language(each, context.language)
        rows.append(
            [
                link(code(str(path).removeprefix("schema/")), f"{up(here)}{path}"),
                context.prose(kinds[each.kind.value].text),
                _size(context, len(each.content)),
                f"`{each.sha256}`{{ .sum }}",
            ]
        )
    about = context.said("downloads_about", spec=context.spec_title(spec))
    parts = [escaped(about), table(head, rows), *_checked(context, own)]
    return page(context.said("downloads"), "downloads", about, parts)


def _checked(context: Context, files: Iterable[Download]) -> Iterator[str]:
    """Yield the commands that compare files with their hashes."""
    archive = next(each for each in files if each.kind is DownloadKind.ARCHIVE)
    single = next(each for each in files if each.kind is DownloadKind.SCHEMA)
    yield heading(2, context.said("check_files"), "check")
    yield context.said("check_archive")
    sums = f"unzip -q all.zip\nsha256sum -c --quiet {SUMS}"
    yield fence(f"{_sum_line(archive)}\n{sums}", "sh")
    yield context.said("check_file")
    yield fence(_sum_line(single), "sh")


def _sum_line(each: Download) -> str:
    return f"echo '{each.sha256}  {each.path.rpartition('/')[2]}' | sha256sum -c"


def _is_shown(context: Context, each: Download, spec: str) -> bool:
    if in_language(each, context.language) is None:
        return False
    return each.kind in _WHOLE or (each.spec == spec and each.kind in _SINGLE)


def in_language(each: Download, language: str) -> str | None:
    """Return the path of a file below the root of a language; None if it has another language.

    Files without a language are below each root: a page links to nothing outside its tree.
    """
    if each.language not in (None, language):
        return None
    return each.path if language == "en" else each.path.removeprefix(f"{language}/")


def _size(context: Context, size: int) -> str:
    return f"{decimal(size / 1024, 1, context.language)} KiB" if size >= 1024 else f"{size} B"
