"""The built site in a real browser, served below a path as Pages serves a project."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from conformance.formats.validate.validate import validate
from conformance.kit.report.safe_text import is_plain
from fixtures.servers.hostility.catalogs import EVIL
from scripts.generator.texts import LANGUAGES
from scripts.website import report_picture
from scripts.website.layout import current
from scripts.website.reading import findings
from scripts.website.serve import serving
from tests.browser import Seen, opened, settle
from tests.needs import need_site

PAGES = (
    "",
    "atdf/error/",
    "conformance/benchmarks/",
    "conformance/clauses/",
    "conformance/clauses/http-err-001/",
    "conformance/options/",
    "playground/",
    "runtime/concepts/",
)
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}

_SHIFTED = """() => new Promise((done) =>
    new PerformanceObserver(
        (list) => done(list.getEntries().reduce((sum, each) => sum + each.value, 0)))
        .observe({type: 'layout-shift', buffered: true}) || setTimeout(done, 300, 0))"""
"""How far things have moved since the page was opened."""

pytestmark = [pytest.mark.slow, pytest.mark.needs]


@pytest.fixture(scope="module")
def site() -> Path:
    return need_site()


@pytest.fixture(scope="module")
def address(site) -> Iterator[str]:
    with serving(site) as address:
        yield address


@pytest.fixture
def visit(chromium, address):
    contexts = []

    def visit(path: str, **options) -> tuple[Page, Seen]:
        page, seen = opened(chromium, address + path, **options)
        contexts.append(page.context)
        return page, seen

    yield visit
    for context in contexts:
        context.close()


def start(language: str) -> str:
    return "" if language == "en" else f"{language}/"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_asks_another_host_or_complains(visit, address, language):
    page, seen = visit(start(language))
    for path in PAGES:
        page.goto(address + start(language) + path)
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    settle(page)
    outside = [url for url in seen.requests if not url.startswith((address, "blob:", "data:"))]
    assert outside == []
    assert seen.errors == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_page_is_wider_than_the_window(visit, address, size):
    page, _ = visit("", viewport=size)
    for path in (*PAGES, "es/atdf/error/", "pt/conformance/clauses/"):
        page.goto(address + path)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, path


@pytest.mark.parametrize(
    ("language", "query", "page_of"),
    [
        ("es", "validacion", None),
        ("es", "validación", None),
        ("pt", "validacao", None),
        ("en", "suggested_value", "atdf/"),
        ("es", "suggested_value", "atdf/"),
        ("pt", "suggested_value", "atdf/"),
        ("en", "ATDF-ERR-004", "conformance/clauses/atdf-err-004/#"),
        ("es", "atdf-err-004", "conformance/clauses/atdf-err-004/#"),
        ("pt", "ATDF-ERR-004", "conformance/clauses/atdf-err-004/#"),
    ],
)
def test_search_finds(visit, language, query, page_of):
    page, _ = visit(f"{start(language)}?q={query}")
    results = page.locator(".md-search-result__link")
    expect(results.first).to_be_visible(timeout=15_000)
    links = [each.get_attribute("href").partition("?")[0] for each in results.all()]
    assert all(f"/agent-formats/{start(language)}" in urljoin(page.url, each) for each in links)
    if page_of:
        hrefs = [urljoin(page.url, each.get_attribute("href")) for each in results.all()]
        plain = [each.partition("?")[0] + "#" + each.partition("#")[2] for each in hrefs]
        assert any(page_of in each for each in plain), plain[:5]


@pytest.mark.parametrize("language", LANGUAGES)
def test_search_answers_a_text_that_came_without_a_key(visit, language):
    page, seen = visit(start(language))
    page.wait_for_function("window.document$")  # the theme's script comes after the first paint
    box = page.locator("[data-md-component=search-query]")
    box.focus()
    results = page.locator(".md-search-result__link")
    for text, found in (("suggested_value", "atdf/"), ("ATDF-ERR-004", "atdf-err-004")):
        box.evaluate(
            "(each, text) => { each.value = text;"
            " each.dispatchEvent(new InputEvent('input', {bubbles: true})); }",
            text,
        )
        expect(results.first).to_have_attribute("href", re.compile(found), timeout=15_000)
    assert seen.errors == []


@pytest.mark.parametrize(
    ("language", "query", "marked"),
    [("es", "clausula", "cláusula"), ("pt", "codigo", "código")],
)
def test_what_was_searched_for_is_marked_on_the_page(visit, language, query, marked):
    page, seen = visit(f"{start(language)}?q={query}")
    page.locator(".md-search-result__link").first.click(timeout=15_000)
    page.wait_for_url(f"**h={query}*")
    expect(page.locator("article mark").first).to_have_text(re.compile(marked, re.IGNORECASE))
    assert seen.errors == []


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_landing_page_shows_the_first_command_without_scrolling(visit, language, size):
    page, _ = visit(start(language), viewport=size)
    command = page.locator("article pre").first
    expect(command).to_contain_text("uvx agent-formats check http://127.0.0.1:8000")
    assert page.evaluate("scrollY") == 0
    copy = command.locator("button")
    expect(copy).to_be_visible()
    for each in (command, copy):
        box = each.bounding_box()
        assert box["y"] + box["height"] <= size["height"]
    picture = page.locator("article a:has(img.shot)")
    assert picture.get_attribute("href") == "sample-report/report.html"
    picture.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('img.shot').naturalWidth > 0")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_repair_on_the_landing_page_moves_only_where_motion_is_wanted(visit, motion):
    page, _ = visit("", reduced_motion=motion)
    items = page.locator(".repair li")
    names = items.evaluate_all("each => each.map((li) => getComputedStyle(li).animationName)")
    assert names == ["none" if motion == "reduce" else "af-step"] * 4
    seen = items.evaluate_all("each => each.map((li) => getComputedStyle(li).visibility)")
    assert seen == ["visible"] * 4  # from the start: a card that fills up looks unfinished


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_ways_on_the_landing_page_are_in_one_row_and_lead_to_the_guides(visit, language):
    page, _ = visit(start(language), viewport={"width": 1440, "height": 900})
    ways = page.locator(".ways .md-button")
    tops = ways.evaluate_all("all => all.map((each) => each.offsetTop)")
    assert len(tops) == 3
    assert len(set(tops)) == 1
    assert ways.nth(1).get_attribute("href") == "guides/"


@pytest.mark.parametrize("language", LANGUAGES)
def test_quick_start_is_the_first_page_of_get_started(visit, language):
    page, _ = visit(start(language), viewport={"width": 1440, "height": 900})
    page.locator(".md-tabs__link").nth(1).click()
    page.wait_for_url("**/conformance/quick-start/")
    expect(page.locator(".md-tabs__item--active")).to_have_count(1)
    expect(page.locator(".md-tabs__item").nth(1)).to_have_class(re.compile("active"))


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_the_language_switch_stays_on_the_page(visit, script):
    page, _ = visit("atdf/error/", java_script_enabled=script)
    for language in ("es", "pt", "en"):
        page.click(f".af-languages a[hreflang={language}]")
        assert page.url.endswith(f"/agent-formats/{start(language)}atdf/error/")
        assert page.get_attribute("html", "lang") == language


def test_dark_is_chosen_by_the_system_and_by_the_button(visit):
    page, _ = visit("", color_scheme="dark")
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.click("label.md-header__button[for^=__palette]:visible")
    expect(body).to_have_attribute("data-md-color-scheme", "default")


@pytest.mark.parametrize("path", ["runtime/concepts/", "es/conformance/", "pt/atdf/"])
def test_a_diagram_is_read_without_a_script_and_cuts_no_word(visit, path):
    page, seen = visit(path, java_script_enabled=False)
    figures = page.locator("figure.diagram > svg[role=img], .diagram__wide > svg[role=img]")
    assert figures.count() > 0
    for number in range(figures.count()):
        expect(figures.nth(number)).to_be_visible()
    cut = figures.locator("text:not(.said, .title)").evaluate_all(
        "(all) => all.filter((text) => { const [a, b] = [text, text.previousElementSibling]"
        ".map((each) => each.getBBox());"
        " return a.x < b.x + 2 || a.x + a.width > b.x + b.width - 2; })"
        ".map((text) => text.textContent)"
    )
    assert cut == []
    assert [url for url in seen.requests if "mermaid" in url] == []
    assert seen.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_words_of_a_diagram_stand_out_from_its_boxes_and_from_the_page(visit, scheme):
    page, _ = visit("runtime/concepts/", color_scheme=scheme)
    low = page.evaluate(
        """() => {
          const canvas = document.createElement("canvas").getContext("2d");
          const paint = (under, color) => {
            for (const each of [under, color]) {
              canvas.fillStyle = each;
              canvas.fillRect(0, 0, 1, 1);
            }
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
              const value = part / 255;
              return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            });
          };
          const light = ([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          const ground = getComputedStyle(document.body).backgroundColor;
          return [...document.querySelectorAll(".diagram text")].map((text) => {
            const box = text.previousElementSibling;
            const own = /^(rect|path)$/.test(box?.tagName) ? getComputedStyle(box).fill : "none";
            const below = own === "none" ? ground : own;
            const color = getComputedStyle(text).fill;
            const [a, b] = [light(paint(ground, below)), light(paint(below, color))];
            return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text.textContent];
          }).filter(([contrast]) => contrast < 4.5);
        }"""
    )
    assert low == []


def test_a_wide_diagram_is_moved_on_a_phone_and_the_page_is_not(visit):
    page, _ = visit("runtime/concepts/", viewport=PHONE)
    wide = page.locator("figure.diagram").evaluate_all(
        "(all) => all.filter((each) => each.scrollWidth > each.clientWidth).length"
    )
    assert wide > 0
    page.wait_for_function(
        "() => [...document.querySelectorAll('figure.diagram')].every("
        "(each) => (each.scrollWidth > each.clientWidth) === (each.tabIndex === 0))"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    sizes = page.locator(".diagram text").evaluate_all(
        "(all) => all.map((text) => parseFloat(getComputedStyle(text).fontSize)"
        " * text.getScreenCTM().a)"
    )
    assert min(sizes) >= 12


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_four_levels_are_seen_at_the_same_time(visit, language, size):
    page, _ = visit(f"{start(language)}conformance/levels/", viewport=size)
    frame = page.locator("figure.diagram").first
    pictures = frame.locator("svg[role=img]").filter(visible=True)
    expect(pictures).to_have_count(1)
    assert pictures.locator("text").count() == 4
    assert frame.evaluate("each => each.scrollWidth <= each.clientWidth")
    edges = pictures.bounding_box()
    assert edges["x"] >= 0 and edges["x"] + edges["width"] <= size["width"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_header_shows_the_version_and_leads_to_the_list(visit, size):
    page, _ = visit("es/atdf/error/", viewport=size)
    title = page.locator(".md-header__topic:first-child .md-ellipsis").first
    assert title.evaluate("each => each.scrollWidth <= each.clientWidth")
    expect(page.locator(".af-old")).to_be_hidden()
    page.click(".af-version")
    page.wait_for_url("**/es/about/releases/")
    expect(page.locator("article table")).to_contain_text(current())
    page.locator("article td a").first.click()
    page.wait_for_url("**/agent-formats/es/")


@pytest.mark.parametrize("path", ["atdf/all/", "es/runtime/all/"])
def test_a_specification_is_printed_alone_and_nothing_is_cut(visit, path):
    page, _ = visit(path, viewport={"width": 673, "height": 1000}, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    shown = page.evaluate(
        "() => [...document.querySelectorAll('header, nav, footer, .md-tabs, .md-sidebar,"
        " .headerlink, .md-code__nav')].filter((each) => each.getClientRects().length)"
        ".map((each) => each.className)"
    )
    assert shown == []
    cut = page.evaluate(
        """() => {
          const right = document.querySelector("article").getBoundingClientRect().right + 1;
          return [...document.querySelectorAll("article :is(table, pre, pre > code, svg)")].filter(
            (each) => each.getBoundingClientRect().right > right
              || (each.tagName === "CODE" && each.scrollWidth > each.clientWidth + 1)
          ).map((each) => each.textContent.trim().slice(0, 60));
        }"""
    )
    assert cut == []
    told = page.locator("article :is(p, li) > a[href]:not([href^='#'], .headerlink)").evaluate_all(
        "(all) => all.map((each) => [getComputedStyle(each, '::after').content, each.href])"
    )
    assert len(told) > 50
    silent = [href for content, href in told if "<http" not in content and len(href) < 150]
    assert silent == []
    light = page.evaluate(
        "() => [getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('article p')).color]"
        ".map((each) => Number(each.match(/\\d+/)[0]))"
    )
    assert light[0] > 200 > 100 > light[1]
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) > 10


def test_a_page_is_read_without_the_index_of_the_search(visit):
    page, seen = visit("atdf/error/")
    page.wait_for_function("window.document$")
    settle(page)
    assert [url for url in seen.requests if "search_index" in url] == []
    assert page.evaluate("performance.getEntriesByType('layout-shift').length") == 0


STILL = ("", "es/", "conformance/quick-start/", "guides/fastapi/", "conformance/benchmarks/")
EXPLORERS = ("pt/conformance/clauses/", "conformance/messages/")


@pytest.mark.parametrize("path", STILL + EXPLORERS)
def test_the_first_screen_stays_still_on_a_phone(visit, path):
    page, _ = visit(path, viewport=PHONE)
    page.wait_for_function("window.document$")
    settle(page)
    moved = page.evaluate(_SHIFTED)
    assert moved < 0.05


def test_code_is_copied(visit):
    page, _ = visit("conformance/quick-start/", permissions=["clipboard-read", "clipboard-write"])
    block = page.locator(".highlight", has=page.locator("pre")).first
    wanted = block.locator("code").inner_text().strip()
    block.hover()
    block.locator("[data-clipboard-target], .md-clipboard, .md-code__button").first.click()
    page.wait_for_function(
        "async wanted => (await navigator.clipboard.readText()).trim() === wanted", arg=wanted
    )


def test_code_that_is_opened_or_too_wide_is_reached_by_keys(visit):
    page, _ = visit("atdf/error/", viewport=PHONE)
    page.wait_for_load_state("networkidle")
    folded = page.locator("details:not([open]) pre > code").first
    assert folded.locator("xpath=..").get_attribute("data-equipped") is None
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    page.wait_for_function("!document.querySelector('pre:not([data-equipped]) > code')")
    page.wait_for_function(
        "() => [...document.querySelectorAll('pre > code')].every(each =>"
        " (each.scrollWidth > each.clientWidth) === (each.tabIndex === 0))"
    )


def linked(text: str) -> str:
    """Give the end of a link that holds a text."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(text.encode()) + packer.flush()
    return "#text=" + base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")


DRAFT = "https://json-schema.org/draft/2020-12/schema"


def put(page: Page, text: str) -> None:
    page.evaluate(
        "text => { const at = document.getElementById('playground-text'); at.value = text;"
        " at.dispatchEvent(new Event('input')); }",
        text,
    )


def test_the_playground_says_what_is_wrong_and_where(visit):
    page, _ = visit("es/playground/")
    verdict, state = page.locator(".playground__verdict"), page.locator("#playground")
    put(page, '{\n "errors": [\n  {"title": "x"}\n ]\n}')
    expect(state).to_have_attribute("data-state", "invalid")
    first = page.locator(".playground__problems li").first
    expect(first).to_contain_text("Línea 3")
    assert "/es/conformance/clauses/atdf-err-" in urljoin(
        page.url, page.locator(".playground__problems a").first.get_attribute("href")
    )
    page.select_option("#playground-example", "0")
    expect(state).to_have_attribute("data-state", "valid")
    expect(verdict).to_contain_text("Catálogo ATDF 1.0")
    listed = [{"name": "a", "description": "b", "inputSchema": {"type": "object"}}]
    put(page, json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": listed}}))
    expect(verdict).to_contain_text("Las herramientas MCP se comprueban como herramientas de ATDF.")
    expect(page.locator("#playground-as option", has_text="(recorded-stream)")).to_have_count(1)


LOADED = "() => performance.getEntriesByType('resource').map((each) => each.name)"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_rows_of_the_clauses_are_chosen(visit, size):
    page, seen = visit("pt/conformance/clauses/?find=erro&group=MCP-CALL", viewport=size)
    rows, shown = page.locator("article tbody tr:visible"), page.locator(".filter__shown")
    expect(page.locator("#filter-find")).to_have_value("erro")
    expect(shown).to_contain_text(re.compile(r"^\d+ de \d{3} linhas$"))
    page.wait_for_load_state("networkidle")  # more words are fetched, then more rows may fit
    assert 0 < rows.count() == int(shown.inner_text().split()[0])
    assert all(each.startswith("MCP-CALL-") for each in rows.all_inner_texts())
    page.select_option("#filter-requirement", "DEVE")
    page.fill("#filter-find", "zzz")
    expect(rows).to_have_count(0)
    expect(page).to_have_url(re.compile("find=zzz.*requirement=DEVE"))
    page.fill("#filter-find", "")
    assert rows.count() > 0
    clear = page.locator(".filter__clear")
    clear.press("Enter")
    expect(shown).to_contain_text(re.compile(r"^(\d+) de \1 linhas$"))
    expect(clear).to_be_hidden()
    for facet in ("spec", "level", "binding", "method"):
        few, all_ = page.locator(f"#filter-{facet}"), rows.count()
        few.select_option(index=1)
        assert 0 < rows.count() < all_, facet
        few.select_option(index=0)
    assert seen.errors == []


SOUGHT = {
    "en": {"time zone": "ATDF-ENH-002", "password": "ATDF-ERR-013"},
    "es": {"zona horaria": "ATDF-ENH-002", "contraseña": "ATDF-ERR-013"},
    "pt": {"fuso horário": "ATDF-ENH-002", "senha": "ATDF-ERR-013"},
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rows_of_the_clauses_are_found_by_what_their_pages_say(visit, language):
    page, seen = visit(f"{start(language)}conformance/clauses/")
    assert not any("words.json" in each for each in page.evaluate(LOADED))
    rows = page.locator("article tbody tr:visible")
    sought = {"additionalProperties": "ATDF-CALL-002", **SOUGHT[language]}
    for text, clause in sought.items():
        page.fill("#filter-find", text)
        expect(rows.locator(f"a:text-is('{clause}')")).to_have_count(1)
        assert rows.count() < 30, text
    assert seen.errors == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_phone_the_rows_of_the_clauses_name_the_level_and_no_label_breaks(visit, language):
    page, _ = visit(f"{start(language)}conformance/clauses/", viewport=PHONE)
    heads = page.locator("article thead th").all_text_contents()
    cells = page.locator("article tbody tr").first.locator("td")
    told = cells.evaluate_all("(all) => all.map((each) => each.dataset.column ?? null)")
    assert told == [None, None, *heads[2:]]
    assert heads[2] in cells.nth(2).evaluate("each => getComputedStyle(each, '::before').content")
    high = page.locator(".filter label").evaluate_all("(all) => all.map((e) => e.offsetHeight)")
    assert len(set(high)) == 1


def test_the_numbers_of_the_lines_follow_a_text_that_a_paste_scrolled(visit):
    page, _ = visit("playground/")
    text, numbers = page.locator("#playground-text"), page.locator(".playground__lines")
    text.focus()
    page.keyboard.insert_text("x\n" * 60)
    expect(page.locator("#playground")).to_have_attribute("data-state", "unknown")
    scrolled = "at => at.scrollTop"
    assert numbers.evaluate(scrolled) == text.evaluate(scrolled) > 0


def test_a_pasted_text_is_shown_from_the_beginning_of_its_lines(visit):
    allowed = ["clipboard-read", "clipboard-write"]
    page, _ = visit("playground/", viewport=PHONE, permissions=allowed)
    text = page.locator("#playground-text")
    answer = f"HTTP/1.1 422 X\n\n[{'2,' * 400}3]"
    page.evaluate("answer => navigator.clipboard.writeText(answer)", answer)
    text.focus()
    page.keyboard.press("Control+v")
    expect(text).to_have_value(re.compile(r"3\]$"))
    settle(page)
    assert text.evaluate("at => at.scrollLeft") == 0


def test_the_playground_turns_yaml_into_json(visit):
    page, seen = visit("playground/")
    state, turn = page.locator("#playground"), page.locator(".playground__turn")
    put(page, "errors:\n  - title: x\n")
    expect(turn).to_be_visible()
    turn.press("Enter")
    expect(page.locator("#playground-text")).to_have_value(
        json.dumps({"errors": [{"title": "x"}]}, indent=2)
    )
    expect(state).to_have_attribute("data-state", "invalid")
    expect(turn).to_be_hidden()
    assert seen.errors == []


def test_the_playground_checks_yaml_at_its_own_lines(visit):
    page, seen = visit("playground/")
    put(page, "# a tool\nname: t\ndescription: d\ninputSchema:\n  type: string\n")
    first = page.locator(".playground__problems li").first
    expect(first).to_contain_text("Line 5, column 3, $.inputSchema.type")
    put(page, "name: t\ndescription: 'd\n")
    expect(first).to_contain_text("not YAML")
    put(page, "info:\n  title: t\n   version: 1\n")
    expect(first).to_contain_text("Align the keys")
    put(page, "x: &x\n  type: string\nname: t\ndescription: d\ninputSchema:\n  <<: *x\n")
    expect(first).to_contain_text("$.inputSchema.type")
    expect(first).to_contain_text("Line 5, column 1")
    put(page, 'event: a\ndata: {"x": 1}\n\nevent: b\ndata: {"y":\n')
    expect(page.locator(".playground__problems li").last).to_contain_text("Line 5: This is not")
    assert seen.errors == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_playground_corrects_yaml_as_it_is_written(visit, language):
    page, seen = visit(f"{start(language)}playground/")
    put(
        page,
        "# mine\nname: t\ndesciption: d\nversion: 1.10 # the first\ninputSchema:\n  type: object\n"
        "  properties:\n    side: {enum: [north], description: s}\n"
        "examples: [{name: a, input: {side: nort}}]\n",
    )
    items, fixes = page.locator(".playground__problems li"), page.locator(".playground__fix")
    expect(items).to_have_count(3)
    expect(items.nth(0)).to_contain_text("description")
    expect(items.nth(1)).to_contain_text("1.10")
    expect(items.nth(2)).to_contain_text("ATDF-TOOL-006")
    for left in (2, 1, 0):
        fixes.first.click()
        expect(items).to_have_count(left)
    expect(page.locator("#playground")).to_have_attribute("data-state", "valid")
    expect(page.locator("#playground-text")).to_have_value(
        '# mine\nname: t\ndescription: d\nversion: "1.10" # the first\ninputSchema:\n'
        "  type: object\n"
        "  properties:\n    side: {enum: [north], description: s}\n"
        'examples: [{name: a, input: {side: "north"}}]\n'
    )
    assert seen.errors == []


def test_the_playground_corrects_and_converts_with_the_keyboard_alone(visit):
    page, seen = visit("playground/", permissions=["clipboard-read", "clipboard-write"])
    state, text = page.locator("#playground"), page.locator("#playground-text")
    put(page, "{'name': 't', 'description': 'd', 'inputSchema': {'type': 'objekt',},}")
    turn = page.locator(".playground__turn")
    expect(turn).to_be_visible()
    expect(turn).to_be_enabled()
    turn.press("Enter")
    expect(state).to_have_attribute("data-state", "invalid")
    page.locator(".playground__fix").press("Enter")
    expect(state).to_have_attribute("data-state", "valid")
    expect(text).to_have_value(
        '{"name": "t", "description": "d", "inputSchema": {"type": "object"}}'
    )
    page.select_option("#playground-to", "openai")
    made = page.locator(".playground__made pre")
    expect(made).to_contain_text('"parameters"')
    copy = page.locator(".playground__made button")
    copy.press("Enter")
    expect(copy).to_have_text("Copied")
    assert json.loads(page.evaluate("navigator.clipboard.readText()")) == {
        "type": "function",
        "function": {"name": "t", "description": "d", "parameters": {"type": "object"}},
    }
    page.select_option("#playground-to", "openapi")
    expect(made).to_have_text("agent-formats convert document.json --to openapi")
    put(page, "")
    expect(page.locator(".playground__convert")).to_be_hidden()
    assert seen.errors == []


@pytest.mark.parametrize("width", [390, 1440])
def test_the_playground_shifts_nothing(visit, width):
    page, _ = visit("playground/")
    page.set_viewport_size({"width": width, "height": 844})
    for text in ('{"errors": [{"title": "x"}]}', '{"openapi": "3.1.0", "paths": {}}'):
        put(page, text)
        for again in (True, False):
            expect(page.locator("#playground")).to_have_attribute(
                "data-state", re.compile("invalid|foreign")
            )
            if again:
                page.reload()
        assert page.evaluate(_SHIFTED) < 0.1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_an_empty_playground_offers_its_examples_where_the_problems_will_be(visit, language, size):
    page, seen = visit(f"{start(language)}playground/", viewport=size)
    offered = page.locator(".playground__problems button")
    assert offered.count() == page.locator("#playground-example option").count() - 1
    gap = page.evaluate(
        """() => document.querySelector(".playground__beyond").getBoundingClientRect().top
            - document.querySelector(".playground__problems").getBoundingClientRect().bottom"""
    )
    assert 0 <= gap < 40
    assert page.locator("#playground ~ p").count() == 0  # which a document would leave far below
    expect(page.locator(".playground__beyond")).to_contain_text("agent-formats validate")
    offered.nth(1).click()
    expect(page.locator("#playground")).to_have_attribute("data-state", re.compile("valid"))
    expect(page.locator("#playground-text")).to_be_focused()
    put(page, "")
    expect(offered).not_to_have_count(0)
    assert seen.errors == []


@pytest.mark.parametrize(
    ("language", "word"), [("en", "Warning"), ("es", "Aviso"), ("pt", "Aviso")]
)
def test_the_playground_counts_warnings_apart_from_problems(visit, language, word):
    page, _ = visit(f"{start(language)}playground/")
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}
    tool = {"name": "a", "description": "d", "inputSchema": schema}
    verdict, items = page.locator(".playground__verdict"), page.locator(".playground__problems li")
    put(page, json.dumps(tool, indent=1))
    expect(items).to_have_count(2)
    expect(verdict).to_contain_text(f"{word}s: 2.")
    put(page, json.dumps(tool | {"name": 7}, indent=1))
    expect(items).to_have_count(3)
    expect(verdict).to_contain_text(f"{word}s: 2.")
    expect(items.locator("em")).to_have_text([f"{word}:"] * 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_playground_begins_with_the_verdict_on_a_document_of_another_standard(visit, language):
    page, _ = visit(f"{start(language)}playground/")
    verdict, state = page.locator(".playground__verdict"), page.locator("#playground")
    info = {"title": "T", "version": "1"}
    put(page, json.dumps({"openapi": "3.1.0", "info": info, "paths": {}}))
    expect(state).to_have_attribute("data-state", "valid")
    expect(verdict).to_have_text(re.compile(r"^OpenAPI 3\.1\.0: .* err"))
    put(page, json.dumps({"openapi": "3.1.0", "info": {}, "paths": {}}))
    expect(state).to_have_attribute("data-state", "invalid")
    expect(verdict).to_have_text(re.compile(r"^OpenAPI 3\.1\.0: 2 problem"))
    put(page, json.dumps({"$schema": DRAFT, "properties": {"a": {"type": "strng"}}}))
    expect(verdict).to_have_text(re.compile(r"^JSON Schema: (one|un|um) problem"))


@pytest.mark.parametrize(
    ("text", "option", "anchor"),
    [
        ("- clause: ATDF-CALL-003\n  reason: Known.\n", "--waivers", "#waivers"),
        ("create_permit:\n  - {plate: ABC}\n", "--examples", "#option-examples"),
    ],
)
def test_the_playground_says_what_a_file_of_the_kit_is_for(visit, text, option, anchor):
    page, seen = visit("es/playground/")
    put(page, text)
    expect(page.locator(".playground__verdict")).to_contain_text(option)
    page.locator(".playground__verdict a").click()
    expect(page.locator(anchor)).to_be_visible()
    assert seen.errors == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_playground_names_a_misspelled_key_and_corrects_it(visit, language):
    page, _ = visit(f"{start(language)}playground/")
    tool = {"name": "a", "description": "d", "inputSchema": {"type": "object"}, "titel": "A"}
    put(page, json.dumps(tool, indent=1))
    hint = page.locator(".playground__problems li")
    expect(hint).to_have_count(1)
    expect(hint).to_contain_text("title")
    expect(hint.locator("em")).not_to_be_empty()
    expect(page.locator("#playground")).to_have_attribute("data-state", "valid")
    hint.locator(".playground__fix").click()
    expect(hint).to_have_count(0)
    assert json.loads(page.locator("#playground-text").input_value())["title"] == "A"
    put(page, "name: a\ndescription: d\ninputSchema:\n type: object\n required: [b]\n")
    expect(hint).to_contain_text("ATDF-TOOL-009")


def test_the_playground_reads_an_answer_with_its_headers(visit):
    page, _ = visit("es/playground/")
    head = "HTTP/1.1 422 Unprocessable Content\r\nserver: x\r\n\r\n"
    put(page, head + '{\r\n "errors": [\r\n  {"title": "x"}\r\n ]\r\n}\r\n')
    expect(page.locator("#playground")).to_have_attribute("data-state", "invalid")
    expect(page.locator(".playground__verdict")).to_contain_text("Error ATDF 1.0")
    expect(page.locator(".playground__problems li").first).to_contain_text("Línea 6")
    put(page, head + "{'errors': []}")
    expect(page.locator(".playground__turn")).to_be_visible()


def test_the_playground_keeps_the_text_across_languages(visit):
    page, _ = visit("playground/")
    put(page, '{"errors": []}')
    expect(page.locator("#playground")).to_have_attribute("data-state", "invalid")
    page.goto(urljoin(page.url, "../es/playground/"))
    expect(page.locator("#playground-text")).to_have_value('{"errors": []}')
    page.reload()
    expect(page.locator("#playground-text")).to_have_value('{"errors": []}')


def test_a_row_of_a_field_shows_the_field_in_the_playground(visit):
    page, seen = visit("es/atdf/error/")
    link = page.locator("tr", has=page.locator("#field-errors-detail, [id$='-detail']")).first
    assert "detail" in (link.locator("a.shown-field").get_attribute("aria-label") or "")
    link.locator("a.shown-field").click()
    expect(page.locator("#playground")).to_have_attribute("data-state", "valid")
    chosen = page.evaluate(
        "() => { const at = document.getElementById('playground-text');"
        " return at.value.slice(at.selectionStart, at.selectionEnd); }"
    )
    assert chosen.strip().startswith('"detail": ')
    assert seen.errors == []


def test_a_link_of_the_playground_holds_its_text(visit):
    page, _ = visit("playground/", permissions=["clipboard-read", "clipboard-write"])
    text = '{"errors": [{"title": "ñandú <b>"}]}'
    put(page, text)
    page.locator(".playground__share").click()
    page.wait_for_url("**#text=*")
    link = page.url
    assert page.evaluate("navigator.clipboard.readText()") == link
    expect(page.get_by_text("The text is sent to no server.")).to_be_visible()
    expect(page.locator(".playground__verdict")).to_contain_text("problem")  # and it stays
    other, seen = visit("pt/playground/" + link.partition("playground/")[2])
    expect(other.locator("#playground-text")).to_have_value(text)
    assert all("#" not in url and "text=" not in url for url in seen.requests)


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 5_000_000,
        "\t" * 5_000_000,
        "e" + "\u0301" * 2_000_000,
        ("e" + "\u0301" * 19_000 + "\n") * 130,
        "a\u05d0" * 1_500_000,
        "a\x7f" * 700_000,
        "\u202ea\u202cb" * 400_000,
    ],
    ids=["lines", "tabs", "accents", "accents in lines", "directions", "controls", "overrides"],
)
def test_a_link_that_takes_long_to_lay_out_does_not_hold_the_page(visit, text):
    page, seen = visit(f"playground/{linked(text)}")
    expect(page.locator(".playground__verdict")).to_contain_text("200,000 lines")
    assert page.input_value("#playground-text") == ""
    assert seen.errors == []


@pytest.mark.parametrize(
    "text",
    ["e" + "\u0301" * 900_000, "\t" * 900_000, "\n" * 250_000],
    ids=["accents", "tabs", "lines"],
)
def test_a_pasted_text_that_takes_long_to_lay_out_is_not_shown_again(visit, text):
    page, _ = visit("playground/")
    put(page, '{"errors": []}')
    expect(page.locator("#playground")).to_have_attribute("data-state", "invalid")
    page.evaluate("document.getElementById('playground-text').style.display = 'none'")
    put(page, text)  # it is not laid out here: only what is kept of it is of interest
    page.wait_for_function("sessionStorage.getItem('agent-formats.playground') === ''")
    page.locator(".playground__share").first.click()
    expect(page.locator(".playground__verdict")).to_contain_text("200,000 lines")
    assert "#" not in page.url
    page.reload()
    expect(page.locator("#playground")).to_have_attribute("data-state", "empty")


def test_a_text_that_an_older_version_of_the_page_kept_does_not_hold_it(visit):
    page, _ = visit("playground/")
    page.evaluate(
        "sessionStorage.setItem('agent-formats.playground', 'e' + '\u0301'.repeat(900000))"
    )
    page.reload()
    expect(page.locator("#playground")).to_have_attribute("data-state", "empty")


def test_the_link_that_was_followed_last_is_shown(visit):
    """One that takes longer to unfold was shown in place of it."""
    page, _ = visit("playground/")
    long, short = (linked(each) for each in ("[" + "1, " * 900_000 + "1]", '{"errors": []}'))
    page.evaluate(f"location.hash = {long!r}; setTimeout(() => (location.hash = {short!r}))")
    expect(page.locator("#playground")).to_have_attribute("data-state", "invalid")
    page.wait_for_timeout(1500)
    assert page.input_value("#playground-text") == '{"errors": []}'


@pytest.mark.parametrize("hash", ["#text=", "#text=%%%", "#text=AAAA", "#text=" + "A" * 5000])
def test_a_broken_link_of_the_playground_shows_an_empty_text(visit, hash):
    page, seen = visit("playground/" + hash)
    expect(page.locator("#playground")).to_have_attribute("data-state", "empty")
    assert seen.errors == []


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "42",
        '{"unknown": 1}',
        "[" * 5000,
        '{"errors": "<img src=x onerror=window.hurt=1>", "<script>window.hurt=1</script>": 1}',
        '{"__proto__": {"hurt": 1}, "tools": [{"constructor": {"prototype": {"hurt": 1}}}]}',
        json.dumps({"tools": [{"name": EVIL, EVIL: EVIL, "inputSchema": {"$ref": "#", EVIL: 1}}]}),
        json.dumps({"tools": [{"inputSchema": {"pattern": "^(a+)+$", "default": "a" * 60 + "!"}}]}),
        '{"errors": [' + "1" * 100_000 + ", 1e999, -0]}",
    ],
)
def test_the_playground_has_words_for_whatever_is_pasted(visit, text):
    page, seen = visit("playground/")
    put(page, text)
    expect(page.locator("#playground")).to_have_attribute(
        "data-state", re.compile("unknown|invalid")
    )
    expect(page.locator(".playground__verdict")).not_to_have_text("")
    assert page.evaluate("window.hurt") is None
    assert page.evaluate("({}).hurt") is None, "the prototype of all objects"
    assert page.title() != "pwned"
    assert (seen.errors, seen.dialogs) == ([], [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_playground_says_once_what_it_does_not_know(visit, language):
    page, _ = visit(f"{'' if language == 'en' else f'{language}/'}playground/")
    put(page, '{"unknown": 1}')
    expect(page.locator("#playground")).to_have_attribute("data-state", "unknown")
    (found,) = validate({"unknown": 1})
    expect(page.locator(".playground__verdict")).to_have_text(found.message.words(language))
    expect(page.locator(".playground__problems li")).to_have_count(0)


def converted(page, text, to):
    """What the playground shows of a text in another form."""
    put(page, text)
    page.select_option("#playground-to", to)
    shown = page.locator(".playground__made pre")
    expect(shown).to_be_visible()
    return shown.text_content()


def test_the_playground_shows_no_form_that_is_too_long(visit):
    page, seen = visit("playground/")
    tool = {
        "name": "a",
        "description": "d",
        "inputSchema": {"type": "object", "default": [1] * 250_000},
    }
    said = converted(page, json.dumps(tool), "mcp")
    assert said == "agent-formats convert document.json --to mcp"
    assert seen.errors == []


def test_the_playground_writes_out_what_nobody_sees_in_another_form(visit):
    page, _ = visit("playground/")
    tool = {"name": "a", "description": "d\u202eevil\u2066", "inputSchema": {"type": "object"}}
    said = converted(page, json.dumps(tool, ensure_ascii=False), "openai")
    assert json.loads(said)["function"]["description"] == tool["description"]
    assert is_plain(said)


def test_the_playground_stays_awake_with_ten_megabytes(visit):
    page, _ = visit("playground/")
    page.evaluate(
        "() => { const at = document.getElementById('playground-text');"
        " at.value = '['.repeat(10 * 1024 * 1024); at.dispatchEvent(new Event('input')); }"
    )
    expect(page.locator(".playground__verdict")).to_contain_text("5 MB")


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ('JSON.stringify({ errors: [{ title: "x".repeat(4e6) }] })', "invalid", "error"),
        (
            "JSON.stringify({ errors: Array(300).fill(1) })",
            "invalid",
            "ATDF error 1.0: 300 problems",
        ),
        ("JSON.stringify({ errors: Array(1e5).fill(1) })", "invalid", "more than 1000 problems"),
        ("JSON.stringify({ a: 1 }).repeat(2)", "unknown", ""),
        (
            "JSON.stringify({ tools: [{ ['k'.repeat(2.4e6)]: Array(1000).fill(1) }] })",
            "unknown",
            "could not be checked here",
        ),
        (
            "`tools: x\\n${'k'.repeat(2e6)}:\\n` + '- 1\\n'.repeat(9e4)",
            "unknown",
            "",
        ),
        (
            """'a: &a "' + "x".repeat(1e6) + '"\\nb: [' + Array(600).fill("*a") + ']'""",
            "unknown",
            "",
        ),
    ],
    ids=[
        "one long string",
        "many problems",
        "very many problems",
        "two documents",
        "a long key",
        "a long key in YAML",
        "a text that YAML repeats",
    ],
)
def test_the_playground_stays_awake_with_what_is_large(visit, text, state, said):
    page, seen = visit("playground/")
    page.evaluate(
        "text => { const at = document.getElementById('playground-text');"
        " at.value = text; at.dispatchEvent(new Event('input')); }",
        page.evaluate(text),
    )
    expect(page.locator("#playground")).to_have_attribute("data-state", state, timeout=15_000)
    expect(page.locator(".playground__verdict")).to_contain_text(said)
    assert page.locator(".playground__problems li").count() <= 100
    assert seen.errors == []


def test_downloads_are_json_and_have_the_sums_that_are_told(site, address):
    with urlopen(address + "schema/index.json") as answer:
        assert answer.headers["Content-Type"] == "application/json"
        listed = json.load(answer)["files"]
    assert len(listed) > 100
    for each in listed:
        assert hashlib.sha256((site / each["path"]).read_bytes()).hexdigest() == each["sha256"]
    schema = json.loads((site / "es/schema/atdf/1.0/error.schema.json").read_bytes())
    english = json.loads((site / "schema/atdf/1.0/error.schema.json").read_bytes())
    assert schema["$id"] == english["$id"]
    assert schema["description"] != english["description"]


def test_a_keyboard_is_enough(visit):
    page, _ = visit("atdf/error/")
    page.keyboard.press("Tab")
    assert "md-skip" in page.evaluate("document.activeElement.className")
    for _ in range(14):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.hreflang") == "es":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/es/atdf/error/")
    page.wait_for_function("window.document$")  # the theme's script comes after the first paint
    page.keyboard.press("/")
    page.keyboard.type("retry")
    expect(page.locator(".md-search-result__link").first).to_be_visible(timeout=15_000)


@pytest.mark.parametrize(
    "path", ["", "es/atdf/error/", "pt/conformance/clauses/atdf-err-009/", "es/"]
)
def test_a_page_names_itself_in_each_language(site, path):
    text = (site / path / "index.html").read_text("utf-8")
    here = re.search(r'<link rel="canonical" href="([^"]*)"', text)[1]
    named = dict(re.findall(r'<link rel="alternate" hreflang="([^"]*)" href="([^"]*)"', text))
    assert set(named) == {*LANGUAGES, "x-default"}
    assert named["x-default"] == named["en"]
    assert here in named.values()
    english = path.removeprefix("es/").removeprefix("pt/")
    for language in LANGUAGES:
        assert named[language].endswith(f".io/{start(language)}{english}")


def test_an_unknown_address_leads_to_no_other_host(site):
    assert re.findall(r'href="//[^"]*"', (site / "404.html").read_text("utf-8")) == []


def test_a_row_has_a_name_where_its_column_has_none(site):
    text = (site / "index.html").read_text("utf-8")
    assert "<th></th>" not in text
    assert re.search(r'<tr>\s*<th scope="row"', text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_level_on_the_landing_page_is_a_step_higher(visit, language):
    page, _ = visit(start(language), viewport=DESKTOP)
    tops = page.locator(".ladder li").evaluate_all(
        "(all) => all.map((each) => each.getBoundingClientRect().top)"
    )
    assert all(lower - higher > 10 for lower, higher in pairwise(tops))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phone_shows_the_names_of_columns_and_the_whole_commands(visit, language):
    page, _ = visit(start(language), viewport=PHONE)
    told = page.locator("article tbody td").evaluate_all(
        "(all) => all.map((each) => getComputedStyle(each, '::before').content)"
    )
    heads = page.locator("article thead th").all_text_contents()
    assert {each.strip('": ') for each in told} >= set(heads)
    page, _ = visit(f"{start(language)}conformance/quick-start/", viewport=PHONE)
    cut = page.locator(".language-sh pre > code").evaluate_all(
        "(all) => all.filter((each) => each.scrollWidth > each.clientWidth).length"
    )
    assert cut == 0
    head = page.locator("article thead").first.bounding_box()
    assert 10 < head["height"] < 60  # two columns have no other place for their names
    assert head["width"] > 200


def test_the_lines_that_a_guide_adds_are_not_marked_as_wrong(site):
    text = (site / "guides" / "express" / "index.html").read_text("utf-8")
    marked = re.findall(
        r'<div class="([^"]*)highlight"[^>]*>(?:(?!</div>).)*class="hll"', text, re.S
    )
    assert marked
    assert all("good" in each for each in marked)


def test_an_unknown_address_is_answered_in_three_languages(visit):
    page, _ = visit("no/such/page/")
    assert page.locator("article section").count() == 3
    for language in LANGUAGES:
        assert page.locator(f"article section[lang={language}] a").count() == 1


def test_nothing_keeps_people_from_reading(visit, address, axe):
    """On a page of each kind; `scripts.accessibility` looks at all pages, and at whole tables."""
    page, _ = visit("", viewport=DESKTOP)
    pages = ["", "atdf/error/", "es/playground/", "pt/conformance/clauses/", "guides/fastapi/"]
    pages += ["conformance/clauses/atdf-err-009/", "es/conformance/clauses/gw-err-001/"]
    pages += ["conformance/benchmarks/", "pt/runtime/concepts/", "sample-report/report.html"]
    found = {path: findings(page, address + path, axe, rows=20) for path in pages}
    page.set_viewport_size(PHONE)
    phone = [*pages[:3], "about/neighbors/"]
    found |= {f"{path} (phone)": findings(page, address + path, axe, rows=20) for path in phone}
    assert {path: each for path, each in found.items() if each} == {}


def test_every_link_and_anchor_leads_somewhere(site):
    lychee = shutil.which("lychee", path=str(Path(sys.executable).parent))
    command = [lychee, "--offline", "--include-fragments", "--no-progress", "--root-dir", site]
    command += ["--index-files", "index.html", "--exclude-path", "sample-report"]
    command += ["--exclude", "playground/?#text="]  # a document, and no anchor
    done = subprocess.run(
        [*command, "--exclude-path", "404.html", f"{site}/**/*.html"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_two_builds_would_give_one_sitemap_for_all_languages(site):
    text = (site / "sitemap.xml").read_text("utf-8")
    assert text.count("<loc>") == 3 * text.count('hreflang="es"') / 3
    assert "/es/atdf/error/" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_of_the_report_shows_the_report_that_it_opens(visit, language):
    width, height = report_picture.SIZE
    size = {"width": width, "height": height}
    page, _ = visit(f"{start(language)}sample-report/report.html", viewport=size)
    kept = urljoin(page.url, f"../{report_picture.NAME}")
    assert page.screenshot() == page.request.get(kept).body()
