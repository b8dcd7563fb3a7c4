"""The documentation of earlier releases stays, and the newest is the one that people get."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import PurePosixPath

import pytest
from markdown import Markdown

from scripts.generator.build import load_source, read_source
from scripts.generator.texts import LANGUAGES
from scripts.website.archive import LIST, add_archive, archived
from scripts.website.layout import ROOT
from scripts.website.pages.context import Context
from scripts.website.pages.releases import RELEASES, releases_page
from scripts.website.render import BuildError


@pytest.fixture(scope="module")
def source():
    return read_source(load_source(ROOT))[0]


def built(folder, version):
    """The least that a built site has."""
    for language in LANGUAGES:
        own = folder if language == "en" else folder / language
        for page in ("", f"{LIST}/"):
            (own / page).mkdir(parents=True, exist_ok=True)
            (own / page / "index.html").write_text(f"{version} {language}")
        (own / "assets").mkdir()
        (own / "assets" / "site.css").write_text(".af-old { display: none; }\n")
    for name in ("404.html", "robots.txt", "sitemap.xml"):
        (folder / name).write_text(version)
    return folder


@pytest.fixture
def kept(tmp_path):
    """An archive of two releases, and the site of the newer one."""
    for version in ("0.9.0", "0.10.0"):
        built(tmp_path / "archive" / version, version)
    site = built(tmp_path / "site", "0.10.0")
    add_archive(site, "0.10.0", tmp_path / "archive")
    return site


def links(context, version, kept):
    text = releases_page(context, version, kept).decode().partition("---\n\n")[2]
    html = Markdown(extensions=["tables"]).convert(text)
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag == "a":
                found.append(dict(attrs)["href"])

    Reader().feed(html)
    return found, re.findall(r"\|\s*([^|]+?)\s*\|$", text, re.MULTILINE)[2:]


def target(base, address):
    parts = []
    for part in PurePosixPath(base, address).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def test_before_the_first_release_there_is_one_version_and_it_says_so(source, tmp_path):
    assert archived(tmp_path / "none") == []
    site = built(tmp_path / "site", "0.1.0")
    before = sorted(site.rglob("*"))
    add_archive(site, "0.1.0", tmp_path / "none")
    assert sorted(site.rglob("*")) == before
    assert links(Context(source, "en", {}), "0.1.0", []) == (["../index.md"], ["not released yet"])


def test_versions_are_ordered_as_numbers_newest_first(kept, tmp_path):
    assert archived(tmp_path / "archive") == ["0.10.0", "0.9.0"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_leads_to_each_version_in_the_language_of_the_reader(source, kept, language):
    found, states = links(Context(source, language, {}), "0.10.0", ["0.10.0", "0.9.0"])
    assert len(found) == len(states) == 2
    assert states[0] != states[1]
    own = "" if language == "en" else f"{language}/"
    assert found[0] == "../index.md"
    assert target(f"{own}{LIST}", found[1]) == f"0.9.0/{own}".rstrip("/")
    assert (kept / target(f"{own}{LIST}", found[1]) / "index.html").read_text() == (
        f"0.9.0 {language}"
    )


def test_what_is_not_released_yet_is_not_the_newest_release(source):
    found, states = links(Context(source, "en", {}), "0.11.0", ["0.10.0"])
    assert states == ["in development", "an earlier release"]
    assert len(found) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_newest_is_the_default_and_each_release_keeps_its_address(kept, language):
    own = "" if language == "en" else language
    assert (kept / own / "index.html").read_text() == f"0.10.0 {language}"
    for version in ("0.9.0", "0.10.0"):
        assert (kept / version / own / "index.html").read_text() == f"{version} {language}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("version", ["0.9.0", "0.10.0"])
def test_the_list_of_a_kept_version_leads_to_the_newest_list(kept, language, version):
    own = "" if language == "en" else f"{language}/"
    page = kept / version / own / LIST / "index.html"
    [address] = re.findall(r"url=([^\"]+)\"", page.read_text())
    assert target(f"{version}/{own}{LIST}", address) == f"{own}{LIST}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_an_earlier_version_says_that_there_is_a_newer_one(kept, language):
    own = "" if language == "en" else language
    shown = ".af-old { display: inline; }"
    assert shown in (kept / "0.9.0" / own / "assets" / "site.css").read_text()
    assert shown not in (kept / "0.10.0" / own / "assets" / "site.css").read_text()
    assert shown not in (kept / own / "assets" / "site.css").read_text()


def test_what_speaks_for_the_whole_site_is_not_kept_twice(kept):
    for name in ("404.html", "robots.txt", "sitemap.xml"):
        assert (kept / name).is_file()
        assert list(kept.glob(f"*/{name}")) == []


@pytest.mark.parametrize("name", ["latest", "1.0", "0.1.0-rc1", "es"])
def test_a_folder_that_is_no_version_stops_the_build(tmp_path, name):
    built(tmp_path / name, name)
    with pytest.raises(BuildError, match=re.escape(name)):
        archived(tmp_path)


def test_a_version_without_pages_stops_the_build(tmp_path):
    (tmp_path / "0.1.0").mkdir()
    with pytest.raises(BuildError, match=r"0\.1\.0"):
        archived(tmp_path)


def test_the_header_of_every_page_leads_to_the_list():
    header = (ROOT / "docs" / "theme" / "partials" / "alternate.html").read_text()
    assert f'href="{{{{ own }}}}/{RELEASES.removesuffix(".md")}/"' in header
    assert "config.extra.version" in header
