"""A build of the site says what is wrong, and gives the same bytes every time."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from scripts import build_site
from scripts.website import layout, render, stage
from scripts.website.layout import LANGUAGES, expanded, read_layout
from scripts.website.pages.made import Made
from scripts.website.render import BuildError
from scripts.website.theme import mend_theme


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A site of one page in a folder of its own, with the real configuration."""
    work = tmp_path / "build"
    work.mkdir()
    (tmp_path / "mkdocs.yml").write_bytes((layout.ROOT / "mkdocs.yml").read_bytes())
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "theme").symlink_to(layout.THEME)
    for module in (render, stage):
        monkeypatch.setattr(module, "STAGED", work / "docs")
    monkeypatch.setattr(render, "WORK", work)
    monkeypatch.setattr(render, "ROOT", tmp_path)
    monkeypatch.setattr(stage, "DOCS", tmp_path / "none")

    def build(text):
        files = {f"{each}/index.md": text.encode() for each in LANGUAGES}
        staged = stage.stage(["index.md"], files, {})
        return render.render(["index.md"], staged, "https://example.org/", strict=True)

    return build


@pytest.mark.slow
def test_two_builds_of_the_same_pages_are_the_same_bytes(small):
    def all_files(folders):
        return {
            (language, file.relative_to(folder).as_posix()): file.read_bytes()
            for language, folder in folders.items()
            for file in folder.rglob("*")
            if file.is_file() and not file.name.startswith("sitemap")
        }

    text = "# Home { #home }\n\nSome text.\n"
    first = all_files(small(text))
    assert all_files(small(text)) == first
    assert len(first) > 20


WRONG = """# Home { #home }

[Gone](gone.md) and [back](#home)
![Gone](gone.png), [gone](#nowhere)
[gone](index.md#no), [gone](gone.md) again
"""


def test_a_link_that_leads_nowhere_stops_the_build_with_its_page_and_line(small):
    with pytest.raises(BuildError) as caught:
        small(WRONG)
    told = {
        (line.partition(": ")[0], re.search(r"'([^']+)'", line)[1])
        for line in str(caught.value).splitlines()
    }
    assert told == {
        (f"docs/{language}/index.md:{line}", part)
        for language in LANGUAGES
        for line, part in (
            (3, "gone.md"), (4, "gone.png"), (4, "#nowhere"), (5, "index.md#no"), (5, "gone.md"),
        )
    }  # fmt: skip


def test_a_file_that_a_page_shows_and_nobody_has_stops_the_build_with_its_line(small):
    with pytest.raises(BuildError) as caught:
        small('# Home { #home }\n\n```py\n--8<-- "no/such.py"\n```\n')
    first = str(caught.value).splitlines()[0]
    assert first.startswith("docs/en/index.md:4: Snippet at path 'no/such.py'")
    assert "Traceback" not in str(caught.value)


@pytest.fixture
def planted(tmp_path, monkeypatch, capsys):
    """Builds with one page of the project changed, and gives what is said before any rendering."""
    docs = tmp_path / "docs"
    shutil.copytree(layout.DOCS, docs)
    for name, value in (("DOCS", docs), ("ROOT", tmp_path)):
        monkeypatch.setattr(build_site, name, value)
    (tmp_path / "mkdocs.yml").write_bytes((layout.ROOT / "mkdocs.yml").read_bytes())
    monkeypatch.setattr(build_site, "made_pages", lambda: Made({}, {}))
    monkeypatch.setattr(build_site, "samples", dict)
    monkeypatch.setattr(build_site, "npm_file", lambda _: layout.ROOT / "mkdocs.yml")
    monkeypatch.setattr(build_site, "stage", lambda *_: stage.Staged({}, ()))

    def planted(page, old, new):
        file = docs / page
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        assert build_site.main([]) == 1
        line = text.count("\n", 0, text.find(old)) + 1
        return line, capsys.readouterr().err.splitlines()

    return planted


def test_a_stale_translation_stops_the_build_with_its_page(planted):
    _, said = planted("en/conformance/ci.md", "start your server,", "start the server,")
    assert [line.partition(": ")[0] for line in said] == [
        "docs/es/conformance/ci.md:1",
        "docs/pt/conformance/ci.md:1",
    ]
    assert "has changed since" in said[0]


@pytest.mark.parametrize("page", ["start/reader.md", "conformance/waivers.md"])
def test_a_clause_that_there_is_not_stops_the_build_with_its_page_and_line(planted, page):
    old = {"start/reader.md": "ATDF-ERR-004", "conformance/waivers.md": "ATDF-CALL-003"}[page]
    line, said = planted(f"en/{page}", old, "ATDF-ERR-999")
    assert f"docs/en/{page}:{line}: There is no clause ATDF-ERR-999. Name one of" in "\n".join(said)


def test_a_theme_whose_files_have_changed_stops_the_build(tmp_path):
    for language in ("x", "es", "pt"):
        scripts = tmp_path / language / "assets/javascripts"
        (scripts / "workers").mkdir(parents=True)
        (scripts / "workers" / "search.1.min.js").write_text("")
        (scripts / "bundle.1.min.js").write_text("something else")
    with pytest.raises(BuildError, match=r"bundle\.1\.min\.js does not hold"):
        mend_theme(tmp_path)


def test_the_menu_has_the_pages_of_the_source_and_not_the_missing_ones():
    nav = ["index.md", {"ATDF": ["atdf/index.md", {"Documents": "atdf/*"}]}, {"About": ["a/b.md"]}]
    made = expanded(nav, {"atdf": ["atdf/error.md"]}, {"a/b.md"})
    assert made == ["index.md", {"ATDF": ["atdf/index.md", {"Documents": ["atdf/error.md"]}]}]


def test_each_section_of_the_menu_has_a_name_in_each_language():
    from mkdocs.utils.yaml import get_yaml_loader, yaml_load

    with (layout.ROOT / "mkdocs.yml").open("rb") as stream:
        config = yaml_load(stream, get_yaml_loader())
    own_names = {"ATDF", "ARDF"}
    titles = {title for title in _titles(read_layout().nav) if title not in own_names}
    languages = config["plugins"]["i18n"]["languages"]
    for language in languages:
        if language["locale"] != "en":
            assert set(language["nav_translations"]) == titles, json.dumps(sorted(titles))


def _titles(nav):
    for item in nav if isinstance(nav, list) else ():
        if isinstance(item, dict):
            for title, inside in item.items():
                yield title
                yield from _titles(inside)


def test_a_page_of_the_menu_that_nobody_wrote_stops_the_build_and_is_named(monkeypatch, capsys):
    nav = ["index.md", {"About": ["about/governance.md"]}]
    monkeypatch.setattr(build_site, "read_layout", lambda: layout.Layout(nav, "https://x.example/"))
    monkeypatch.setattr(build_site, "made_pages", lambda: Made({}, {}))
    monkeypatch.setattr(build_site, "samples", dict)
    monkeypatch.setattr(build_site, "npm_file", lambda _: layout.ROOT / "mkdocs.yml")
    monkeypatch.setattr(
        build_site, "stage", lambda *_: stage.Staged({}, ("pt/about/governance.md",))
    )
    monkeypatch.setattr(build_site, "disagreeing_translations", list)
    assert build_site.main([]) == 1
    menu = (layout.ROOT / "mkdocs.yml").read_text("utf-8").splitlines()
    line = menu.index("      - about/governance.md") + 1
    assert f"mkdocs.yml:{line}: docs/pt/about/governance.md is missing" in capsys.readouterr().err


def test_a_command_prints_what_its_page_shows():
    page = b'```sh\nagent-formats check X\n```\n\n```text\n--8<-- "output.es.txt"\n```\n'
    assert b"check X --language es\n" in stage.in_language("es/guides/a.md", page)
    asked = page.replace(b"check X\n", b"check X --language es\n")
    assert b"es --language" not in stage.in_language("es/guides/a.md", asked)
    assert stage.in_language("en/guides/a.md", page.replace(b".es", b"")) == page.replace(
        b".es", b""
    )
    alone = b"```sh\nagent-formats check X\n```\n"
    assert stage.in_language("es/guides/a.md", alone) == alone
    converted = page.replace(b"check X", b"convert X --to ardf")
    assert b"--to ardf --language es\n" in stage.in_language("es/guides/a.md", converted)
    provider = b"agent-formats provider --scenario stall\n"
    assert stage.in_language("pt/a.md", provider) == provider[:-1] + b" --language pt\n"
    assert stage.in_language("en/a.md", provider) == provider
