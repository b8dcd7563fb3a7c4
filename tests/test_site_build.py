"""A build of the site says what is wrong, and gives the same bytes every time."""

from __future__ import annotations

import json

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Home { #home }\n\n[Gone](gone.md)\n", "gone.md"),
        ("# Home { #home }\n\n[Gone](#nowhere)\n", "#nowhere"),
    ],
)
def test_a_link_that_leads_nowhere_stops_the_build_and_is_named(small, text, said):
    with pytest.raises(BuildError) as caught:
        small(text)
    assert said in str(caught.value)
    assert "en/index.md" in str(caught.value)


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
    nav = ["index.md", {"About": ["about/nobody.md"]}]
    monkeypatch.setattr(build_site, "read_layout", lambda: layout.Layout(nav, "https://x.example/"))
    monkeypatch.setattr(build_site, "made_pages", lambda: Made({}, {}))
    monkeypatch.setattr(build_site, "samples", dict)
    monkeypatch.setattr(build_site, "npm_file", lambda _: layout.ROOT / "mkdocs.yml")
    monkeypatch.setattr(build_site, "stage", lambda *_: stage.Staged({}, ("pt/about/nobody.md",)))
    assert build_site.main([]) == 1
    assert "docs/pt/about/nobody.md is missing" in capsys.readouterr().err
