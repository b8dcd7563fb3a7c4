"""Makes all files that the site serves for download: the content and the path of each.

    for each in downloads(source, frozen(root)):
        write(site / each.path, each.content)

Paths are relative to the root of the site. The content depends only on the source and the
released files, and the archive has a fixed time. So two builds make the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.spec.vocabulary import DownloadKind
from scripts.generator.ages import changes_json
from scripts.generator.build import Source, as_bytes, outputs
from scripts.generator.editors import editor_catalog
from scripts.generator.load import Json
from scripts.generator.locks import number, released_names
from scripts.generator.schemas import Schema, schema_json
from scripts.generator.texts import LANGUAGES

INDEX, SUMS, ARCHIVE = "schema/index.json", "schema/SHA256SUMS", "schema/all.zip"
LATEST = "latest"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP archive can have."""


@dataclass(frozen=True, slots=True)
class Download:
    """One file of the site.

    `spec`, `version` and `document` name what it is about, if that is one. `language` is the
    language of its texts; None if it has all three or none. `same_as` is the path of another file
    with the same bytes.
    """

    path: str
    content: bytes
    kind: DownloadKind
    spec: str | None = None
    version: str | None = None
    document: str | None = None
    language: str | None = None
    same_as: str | None = None

    @property
    def sha256(self) -> str:
        """The SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    def as_json(self) -> dict[str, Json]:
        """Return its entry in the index, without empty members."""
        made = {
            "path": self.path,
            "kind": self.kind.value,
            "spec": self.spec,
            "version": self.version,
            "document": self.document,
            "language": self.language,
            "same_as": self.same_as,
            "bytes": len(self.content),
            "sha256": self.sha256,
        }
        return {name: value for name, value in made.items() if value is not None}


def frozen(root: Path) -> dict[str, bytes]:
    """Return the released files below `root`, by path."""
    return {name: (root / name).read_bytes() for name in released_names(root)}


def downloads(source: Source, held: Mapping[str, bytes] | None = None) -> tuple[Download, ...]:
    """Return all files by path; `held` has released files that the source no longer makes."""
    single = sorted(_single(source, held or {}), key=lambda each: each.path)
    index = Download(INDEX, _index(source, single), DownloadKind.INDEX)
    listed = [*single, index]
    sums = _sums(listed)
    # The index lists all files except the sums and the archive. The archive's sums omit the
    # archive.
    inside = Download(SUMS, sums, DownloadKind.SUMS)
    archive = Download(ARCHIVE, _archive([*listed, inside]), DownloadKind.ARCHIVE)
    outside = Download(SUMS, _sums([*listed, archive]), DownloadKind.SUMS)
    return tuple(sorted([*listed, outside, archive], key=lambda each: each.path))


def _single(source: Source, held: Mapping[str, bytes]) -> Iterator[Download]:
    versions = _latest(source.schemas)
    for schema in source.schemas:
        about = (schema.spec, schema.version, schema.name)
        for language in LANGUAGES:
            before = "" if language == "en" else f"{language}/"
            path = before + schema.file
            value = schema_json(schema, source.project.id_base, source.vocabularies, language)
            first = Download(path, as_bytes(value), DownloadKind.SCHEMA, *about, language)
            yield first
            if versions[schema.spec, schema.name] != schema.version:
                continue
            folder = f"{before}schema/{schema.spec}/{LATEST}"
            yield _copy(first, f"{folder}/{schema.name}.schema.json", DownloadKind.LATEST)
            for alias, target in source.project.aliases.items():
                if target == f"{schema.spec}/{schema.name}":
                    yield _copy(first, f"{before}schema/{alias}", DownloadKind.ALIAS)
    yield from _editors(source, versions)
    made = outputs(source)
    yield from _clauses(source, made)
    yield from _changes(source)
    yield from _examples(source, made)
    for path, content in held.items():
        if path not in made:
            spec, version = path.split("/")[1:3]
            if path.endswith("/clauses.json"):
                yield Download(path, content, DownloadKind.CLAUSES, spec, version)
            else:
                name = path.rpartition("/")[2].partition(".")[0]
                yield Download(path, content, DownloadKind.SCHEMA, spec, version, name, "en")


def _editors(source: Source, versions: Mapping[tuple[str, str], str]) -> Iterator[Download]:
    """Yield the catalogs for editors, one per language: they find a file's schema by its name."""
    latest = [each for each in source.schemas if versions[each.spec, each.name] == each.version]
    base, words = source.project.id_base, source.vocabularies
    for language in LANGUAGES:
        before = "" if language == "en" else f"{language}/"
        texts = {f"{s.spec}/{s.name}": schema_json(s, base, words, language) for s in latest}
        places = {
            f"{s.spec}/{s.name}": f"{base}/{before}schema/{s.spec}/{LATEST}/{s.name}.schema.json"
            for s in latest
        }
        value = editor_catalog(texts, places)
        path = f"{before}schema/catalog.json"
        yield Download(path, as_bytes(value), DownloadKind.EDITOR, language=language)


def _clauses(source: Source, made: Mapping[str, bytes]) -> Iterator[Download]:
    for spec, version in source.project.versions.items():
        path = f"schema/{spec}/{version}/clauses.json"
        first = Download(path, made[path], DownloadKind.CLAUSES, spec, version)
        yield first
        yield _copy(first, f"schema/{spec}/{LATEST}/clauses.json", DownloadKind.LATEST)


def _changes(source: Source) -> Iterator[Download]:
    """Yield the changes of each specification: its changelog, its errata, the age of each field."""
    for spec, version in source.project.versions.items():
        value = changes_json(source, spec, version)
        yield Download(f"schema/{spec}/changes.json", as_bytes(value), DownloadKind.CHANGES, spec)


def _examples(source: Source, made: Mapping[str, bytes]) -> Iterator[Download]:
    for path, content in made.items():
        before, _, rest = path.partition("fixtures/examples/")
        if before or not rest:
            continue
        spec, _, name = rest.partition("/")
        version = source.project.versions[spec]
        there = f"schema/{spec}/{version}/examples/{name}"
        yield Download(there, content, DownloadKind.EXAMPLE, spec, version)


def _copy(first: Download, path: str, kind: DownloadKind) -> Download:
    about = (first.spec, first.version, first.document, first.language)
    return Download(path, first.content, kind, *about, same_as=first.path)


def _latest(schemas: Iterable[Schema]) -> dict[tuple[str, str], str]:
    """Return the latest version of each document, by specification and name."""
    found: dict[tuple[str, str], str] = {}
    for schema in schemas:
        key = (schema.spec, schema.name)
        found[key] = max(found.get(key, schema.version), schema.version, key=number)
    return found


def _index(source: Source, files: Iterable[Download]) -> bytes:
    return as_bytes(
        {
            "id_base": source.project.id_base,
            "legacy_labels": source.project.legacy_labels,
            "files": [each.as_json() for each in files],
        }
    )


def _sums(files: Iterable[Download]) -> bytes:
    listed = sorted(files, key=lambda each: each.path)
    return "".join(f"{each.sha256}  {each.path}\n" for each in listed).encode()


def _archive(files: Iterable[Download]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for each in sorted(files, key=lambda each: each.path):
            entry = zipfile.ZipInfo(each.path, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every system
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, each.content)
    return whole.getvalue()
