"""Each clause has a page, which is put into the built site without mkdocs."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from html import unescape
from urllib.parse import urljoin

import pytest

from conformance.cli.main import main
from conformance.kit.verdicts.checks import load, packages
from conformance.kit.verdicts.run_result import REPAIR_CLAUSE
from conformance.spec.clauses import clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import NeededFor, Offer, Requirement, Scope
from scripts.generator.texts import LANGUAGES
from scripts.website.clause_pages import ClausePages
from scripts.website.clause_words import NAME, clause_words
from scripts.website.pages.clause_page import MARKS, TEMPLATE
from scripts.website.render import BuildError
from tests.needs import need_site
from tests.site.made import made_once

_COMMAND = re.compile(r"^agent-formats .*$", re.MULTILINE)


@pytest.fixture(scope="module")
def made():
    return made_once().clauses


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_clause_has_a_page_with_its_sentence(made, language):
    for clause in clauses().values():
        text = made[f"{language}/conformance/clauses/{clause.id.lower()}.md"].decode()
        assert f"# {clause.id} {{ #{clause.id.lower()} }}" in text
        assert "{{ ." not in text
        links = re.findall(r"\]\(([^)]+)\)", text)
        assert any("clauses.md" in each for each in links)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_clause_about_calls_that_is_shown_over_http_says_what_holds_over_mcp(made, language):
    names = ("clause_exchange_mcp", "remedy_mcp")
    both = {clause.id for clause in clauses().values() if not clause.applies_to.bindings}
    for clause in clauses():
        text = made[f"{language}/conformance/clauses/{clause.lower()}.md"].decode()
        over_http = clause in both and re.search(r"^POST /tools/\w+/invoke$", text, re.MULTILINE)
        for each in names:
            for parts in (False, True):
                said = message(f"site.{each}{'_parts' if parts else ''}")
                before = said.words(language).partition("{clause}")[0]
                its = bool(over_http) and clause.startswith("RT-") is parts
                assert (before in text) is its, clause
        if over_http and not clause.startswith("RT-"):
            assert text.count('/clauses/mcp-atdf-002/">MCP-ATDF-002</a>') == 2, clause


@pytest.mark.parametrize(("clause", "several"), [("ATDF-CALL-003", True), ("ATDF-CALL-009", False)])
def test_an_exchange_that_is_one_case_of_several_says_so(made, clause, several):
    text = made[f"en/conformance/clauses/{clause.lower()}.md"].decode()
    assert ("This is one case of several: [the defects below](#faults)" in text) is several


@pytest.mark.parametrize("offer", Offer)
def test_a_clause_about_an_offer_says_that_it_applies_only_there(made, offer):
    said = message(f"site.only_{offer}")
    for clause in clauses().values():
        for language in LANGUAGES:
            text = made[f"{language}/conformance/clauses/{clause.id.lower()}.md"].decode()
            words = f" · {said.words(language)} · "
            assert (words in text) is (clause.applies_to.offers is offer), clause.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_clause_names_a_level_only_if_it_can_block_it(made, language):
    none = message("site.level_none").words(language)
    named = message("site.level", level="").words(language).strip()
    for clause in clauses().values():
        text = made[f"{language}/conformance/clauses/{clause.id.lower()}.md"].decode()
        must = Requirement.MUST in (clause.requirement, clause.where_claimed)
        of_run = clause.excluded is None and clause.scope is not Scope.DOCUMENT
        blocks = of_run and (must or clause.id == REPAIR_CLAUSE)
        has_level = blocks and clause.needed_for is not NeededFor.PROTOCOL
        assert (f" · {named} " in text) is has_level, clause.id
        should = clause.requirement is Requirement.SHOULD and not has_level
        assert (f" · {none} · " in text) is should, clause.id


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("MCP-RPC-008", "only MCP 2025-03-26"),
        ("MCP-LIFE-004", "MCP 2025-06-18 to 2025-11-25"),
        ("MCP-LIFE-005", "MCP from 2026-07-28 on"),
        ("MCP-LIFE-009", "MCP up to 2025-03-26"),
        ("MCP-LIST-004", "MCP from 2025-11-25 on"),
        ("MCP-LIST-001", None),
        ("HTTP-CALL-001", None),
    ],
)
def test_the_page_and_the_table_say_for_which_versions_of_mcp_a_clause_holds(made, clause, said):
    page = made[f"en/conformance/clauses/{clause.lower()}.md"].decode()
    table = made_once().files["en/conformance/clauses.md"].decode()
    row = next(line for line in table.splitlines() if line.startswith("|") and clause in line)
    if said is None:
        assert " · MCP " not in page
        assert "*(" not in row
    else:
        assert f" · {said} · " in page
        assert f" *({said})*" in row


def test_a_clause_that_is_checked_has_a_command_that_checks_it_alone(made):
    asked = {clause.id for name in packages() for _, clause in load(name).tests}
    for clause in clauses().values():
        text = made[f"en/conformance/clauses/{clause.id.lower()}.md"].decode()
        commands = _COMMAND.findall(text)
        if clause.excluded is not None:
            assert commands == []
        elif clause.id in asked:
            assert [shlex.split(each)[-2:] for each in commands] == [["-k", clause.id]]
        else:
            assert clause.scope is Scope.DOCUMENT or clause.id.startswith("ATDF-RESP"), clause.id
            assert commands[0].startswith("agent-formats validate FILE")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_answers_in_the_language_of_its_page(made, language):
    own = [] if language == "en" else ["--language", language]
    for clause in clauses().values():
        name = f"conformance/clauses/{clause.id.lower()}.md"
        english = _COMMAND.findall(made[f"en/{name}"].decode())
        commands = _COMMAND.findall(made[f"{language}/{name}"].decode())
        assert [each.split() for each in commands] == [each.split() + own for each in english]


def test_the_commands_for_documents_name_kinds_that_there_are(made, capsys):
    pages = [text.decode() for path, text in made.items() if path.startswith("en/")]
    kinds = {each for text in pages for each in re.findall(r"validate FILE --as (\S+)", text)}
    assert len(kinds) > 5
    for kind in kinds:
        assert main(["validate", "/dev/null", "--as", kind]) != 4
    assert "invalid choice" not in capsys.readouterr().err


def test_no_id_of_a_clause_is_within_another():
    held = " ".join(clauses())
    assert [each for each in clauses() if held.count(each) != 1] == []


def test_pages_are_filled_into_the_template(tmp_path):
    pages = {"conformance/clauses/x-001.md": _PAGE.encode()}
    folder = tmp_path / TEMPLATE.removesuffix(".md")
    folder.mkdir(parents=True)
    name, slug, about, content = MARKS
    held = f'<h1 id="{slug}">{name}</h1> {about} <div class="language-text highlight"><pre>'
    (folder / "index.html").write_text(f"{held}{content}</pre></div><p>end</p>")
    clause_pages = ClausePages(pages)
    clause_pages.write(tmp_path)
    text = (tmp_path / "conformance/clauses/x-001/index.html").read_text()
    assert text.startswith('<h1 id="x-001">X-001</h1> A &quot;b&quot; <p>Text ')
    assert '<a href="../../../atdf/error/#a">l</a>' in text
    assert '<a href="../../../conformance/">m</a>' in text
    assert '<a href="https://x.example/y.md">n</a>' in text
    assert text.endswith("<p>end</p>")
    assert not folder.exists()
    (record,) = clause_pages.records()
    assert record["location"] == "conformance/clauses/x-001/"
    assert record["text"] == "A &quot;b&quot; <p>A server MUST.</p>"


_PAGE = """---
description: "A \\"b\\""
---

# X-001 { #x-001 }

Text [l](../../atdf/error.md#a) [m](../../conformance/index.md) [n](https://x.example/y.md)

> A server MUST.
"""


def test_a_template_without_its_marks_stops_the_build(tmp_path):
    folder = tmp_path / TEMPLATE.removesuffix(".md")
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("<html></html>")
    with pytest.raises(BuildError, match="CLAUSE-ID"):
        ClausePages({}).write(tmp_path)


_TAG = re.compile(r"<[a-z][^<>]*>")
_LINK = re.compile(r"""<a\s[^<>]*?\bhref="([^"]+)""")
_ID = re.compile(r"""\sid="([^"]+)""")


def _links(text):
    """The links of a page as the build writes it. An HTML parser takes half a minute for all."""
    return [unescape(link) for link in _LINK.findall(text)]


def _ids(text):
    return {unescape(name) for tag in _TAG.findall(text) for name in _ID.findall(tag)}


def test_links_and_ids_are_found_in_tags_alone():
    text = '<p id="a b">&lt;a href="x"&gt; id="no"</p><a class="c" href="y?a=1&amp;b=2" id="d">'
    assert (_links(text), _ids(text)) == (["y?a=1&b=2"], {"a b", "d"})


@pytest.mark.needs
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_built_pages_link_to_places_that_are_there(language):
    site = need_site()
    start = "" if language == "en" else f"{language}/"
    seen: dict[str, set[str]] = {}
    for name in clauses():
        at = f"{start}conformance/clauses/{name.lower()}/"
        text = (site / at / "index.html").read_text("utf-8")
        assert not any(mark in text for mark in MARKS)
        assert f'rel="canonical" href="https://agent-formats.github.io/{at}"' in text
        for other in LANGUAGES:
            assert re.search(rf'href="[./]*[a-z/]*{at[len(start) :]}" hreflang="{other}"', text)
        for link in _links(text):
            if "://" in link or "#text=" in link:  # a document for the playground
                continue
            path, _, anchor = urljoin(f"/{at}", link).lstrip("/").partition("#")
            if path not in seen:
                file = site / path / "index.html" if path.endswith("/") or not path else site / path
                seen[path] = _ids(file.read_text("utf-8"))
            assert not anchor or anchor in seen[path], (at, link)


@pytest.mark.needs
def test_the_pages_are_in_the_sitemap():
    site = need_site()
    listed = (site / "sitemap.xml").read_text("utf-8")
    assert listed.count("/conformance/clauses/atdf-err-004/</loc>") == len(LANGUAGES)
    assert MARKS[1] not in listed


@pytest.mark.needs
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_table_of_clauses_searches_beyond_its_rows_is_light(language):
    site = need_site()
    file = (site if language == "en" else site / language) / "assets" / NAME
    held = json.loads(file.read_text("utf-8"))
    assert held.keys() == {each.lower() for each in clauses()}
    assert len(gzip.compress(file.read_bytes())) < 48 * 1024


def test_a_row_is_found_by_words_of_its_page_and_by_those_people_use_for_them():
    pages = {f"a-{n}": (f"row{n}", f"<p>row{n} all Ácido{n}</p>") for n in range(4)}
    pages["b"] = ("row", '<p>all credentials</p><pre><span class="x">code</span></pre>')
    held = json.loads(clause_words(pages, "en"))
    assert held["a-1"] == "acido1"
    assert held["b"] == "authentication credential credentials login password"
