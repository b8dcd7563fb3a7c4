"""What the site serves for download: every file, its copies, the index, the sums, the archive."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import zipfile
from functools import cache
from pathlib import Path

import pytest

from conformance.spec.vocabulary import DownloadKind
from scripts.generator.build import load_source, read_source
from scripts.generator.downloads import ARCHIVE, INDEX, SUMS, Download, downloads, frozen
from tests.root import ROOT

ALIASES = {
    "atdf_schema.json": "schema/atdf/1.0/descriptor.schema.json",
    "enhanced_atdf_schema.json": "schema/atdf/2.0/enhanced-descriptor.schema.json",
    "enriched_response_schema.json": "schema/atdf/1.0/enriched-response.schema.json",
    "ardf_resource_schema.json": "schema/ardf/1.0/resource.schema.json",
}


@cache
def made() -> dict[str, Download]:
    return {each.path: each for each in downloads(read_source(load_source(ROOT))[0])}


def test_every_committed_schema_and_clause_list_is_served_as_it_is():
    for file in (ROOT / "schema").glob("*/*/*.json"):
        path = file.relative_to(ROOT).as_posix()
        if not path.startswith("schema/source/"):
            assert made()[path].content == file.read_bytes()


@pytest.mark.parametrize("language", ["es", "pt"])
def test_a_schema_in_another_language_differs_in_its_texts_alone(language: str):
    def bare(value: object) -> object:
        if isinstance(value, dict):
            return {
                name: bare(inner)
                for name, inner in value.items()
                if name not in ("title", "description") or not isinstance(inner, str)
            }
        return [bare(each) for each in value] if isinstance(value, list) else value

    path = "schema/atdf/1.0/tool.schema.json"
    english, other = (json.loads(made()[name].content) for name in (path, f"{language}/{path}"))
    assert english != other
    assert english["$id"] == other["$id"]
    assert bare(english) == bare(other)


@pytest.mark.parametrize("alias", list(ALIASES))
def test_a_name_from_before_serves_the_latest_version(alias: str):
    for before in ("", "es/", "pt/"):
        download = made()[f"{before}schema/{alias}"]
        assert download.kind is DownloadKind.ALIAS
        assert download.content == made()[before + ALIASES[alias]].content


def test_latest_is_the_greatest_version_of_each_document():
    newest = made()["schema/atdf/latest/enhanced-descriptor.schema.json"]
    assert newest.same_as == "schema/atdf/2.0/enhanced-descriptor.schema.json"
    assert made()["schema/runtime/latest/clauses.json"].same_as == "schema/runtime/1.0/clauses.json"
    schemas = {d.path for d in made().values() if d.kind is DownloadKind.SCHEMA}
    copied = {d.same_as for d in made().values() if d.kind is DownloadKind.LATEST}
    assert schemas <= copied


def test_every_example_is_served():
    for file in (ROOT / "fixtures/examples").glob("*/*/*.json"):
        spec, kind, name = file.parts[-3:]
        assert made()[f"schema/{spec}/1.0/examples/{kind}/{name}"].content == file.read_bytes()


def test_the_index_lists_every_file_with_its_size_and_sum():
    index = json.loads(made()[INDEX].content)
    listed = {each["path"]: each for each in index["files"]}
    assert listed.keys() == made().keys() - {INDEX, SUMS, ARCHIVE}
    for path, entry in listed.items():
        assert entry["bytes"] == len(made()[path].content)
        assert entry["sha256"] == hashlib.sha256(made()[path].content).hexdigest()
    assert index["legacy_labels"] == {"atdf": {"0.1": "1.0", "0.2": "2.0"}}


def test_the_sums_hold_on_the_site_and_in_the_unpacked_archive(tmp_path: Path):
    for name, files in (
        ("site", {path: each.content for path, each in made().items()}),
        ("archive", _unpacked(made()[ARCHIVE].content)),
    ):
        root = tmp_path / name
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        done = subprocess.run(
            ["sha256sum", "--check", "--quiet", SUMS], cwd=root, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        summed = {line.split("  ")[1] for line in (root / SUMS).read_text().splitlines()}
        assert summed == files.keys() - {SUMS}


def _unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_two_builds_give_the_same_bytes():
    again = downloads(read_source(load_source(ROOT))[0])
    assert [each.sha256 for each in again] == [each.sha256 for each in made().values()]


def test_a_released_file_that_nothing_makes_now_is_served_as_it_was(tmp_path: Path):
    name = "schema/atdf/0.9/error.schema.json"
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(b"{}\n")
    digest = hashlib.sha256(b"{}\n").hexdigest()
    (tmp_path / "schema/released.sha256").write_text(f"{digest}  {name}\n", encoding="utf-8")
    listed = downloads(read_source(load_source(ROOT))[0], frozen(tmp_path))
    (old,) = (each for each in listed if each.path == name)
    assert (old.content, old.version, old.document) == (b"{}\n", "0.9", "error")
