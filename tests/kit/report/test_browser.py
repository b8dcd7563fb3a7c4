"""The report in a real browser: inert whatever a target says, and usable by everybody."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from conformance.spec.messages import LANGUAGES
from tests.browser import Seen, settle
from tests.browser import opened as browser_page
from tests.kit.report.sample import make_report

pytestmark = pytest.mark.slow

pytest_plugins = ["pytester"]


def opened(browser: Browser, path: Path, **context) -> tuple[Page, Seen]:
    return browser_page(browser, path.as_uri(), **context)


HOSTILE = {"session": "hostile_session()", "exchanges": "hostile_exchanges()"}


def test_a_hostile_target_does_nothing_in_the_readers_browser(chromium, pytester):
    path = make_report(pytester, **HOSTILE)
    page, seen = opened(chromium, path)
    page.click("#open-all")
    settle(page)
    assert seen.requests == [path.as_uri()]
    assert seen.dialogs == []
    assert seen.errors == []
    assert page.locator("img:visible, iframe, object, embed, link").count() == 0
    assert page.locator("script").count() == 1
    handlers = "[...document.querySelectorAll('*')].filter(e => [...e.attributes]"
    assert page.evaluate(f"{handlers}.some(a => a.name.startsWith('on'))).length") == 0


def test_a_hostile_report_is_small_and_says_what_cannot_be_seen(chromium, pytester):
    path = make_report(pytester, **HOSTILE)
    text = path.read_text(encoding="utf-8")
    assert len(text) < 3_000_000
    assert not any(unseen in text for unseen in ("\x1b", "\u202e", "\u2066", "\x00", "\x07"))
    page, _ = opened(chromium, path)
    page.click("#open-all")
    assert "\\u202e" in page.inner_text("body")
    assert "</script><img src=x" in page.inner_text("body")


def test_no_name_changes_the_order_of_the_words_and_numbers_around_it(chromium, pytester):
    """With names in Hebrew, the number of one name was shown next to another."""
    page, _ = opened(chromium, make_report(pytester))
    page.click("#open-all")
    lefts = page.evaluate("""() => {
      const line = document.createElement('p')
      document.querySelector('.detail').append(line)
      for (const text of ['a 404 ', ' 7 ']) {
        const code = document.createElement('code')
        code.textContent = '\u05d0\u05d1\u05d2'
        line.append(text, code)
      }
      return [...line.childNodes].map((each) => {
        const range = document.createRange()
        range.selectNodeContents(each)
        return range.getBoundingClientRect().left
      })
    }""")
    assert lefts == sorted(lefts)
    isolated = "getComputedStyle(each).unicodeBidi === 'isolate'"
    assert page.evaluate(
        f"[...document.querySelectorAll('code, .k, .tool')].every((each) => {isolated})"
    )


def test_accents_of_a_target_stay_within_their_line(chromium, pytester):
    """A hundred of them on one letter were drawn over the level."""
    path = make_report(pytester, session="hostile_session(10, ('a' + chr(0x301) * 300,))")
    page, _ = opened(chromium, path)
    page.click("#open-all")
    shown = page.inner_text("body")
    assert r"\u0301" in shown
    assert not re.search("\u0301{7}", shown)


def test_the_wall_holds_even_for_markup_that_got_through(chromium, pytester):
    path = make_report(pytester)
    text = path.read_text(encoding="utf-8")
    attack = "<img src=http://192.0.2.1/ onerror=alert(1)><script>alert(2)</script>"
    path.write_text(text.replace('<ul class="legend">', attack + '<ul class="legend">'), "utf-8")
    page, seen = opened(chromium, path)
    settle(page)
    assert seen.dialogs == []
    assert seen.failed == {"http://192.0.2.1/": "csp"}
    assert page.locator("#results-table tbody").count() == 27


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_opens_offline_in_its_language_without_a_fault(chromium, pytester, language):
    path = make_report(pytester, language)
    page, seen = opened(chromium, path, offline=True)
    page.click("#open-all")
    assert (seen.requests, seen.errors, seen.dialogs) == ([path.as_uri()], [], [])
    assert page.get_attribute("html", "lang") == language
    shown = page.inner_text("body")
    english = ("Failed", "Passed", "Skipped", "details", "Summary", "Environment", "generated")
    assert [word for word in english if word in shown] == []
    assert "undefined" not in shown


def test_a_row_opens_and_closes_by_click_and_by_keyboard(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester))
    first = page.locator("#results-table tbody").first
    inside = first.locator(".detail")
    assert inside.count() == 0
    first.locator(".c-verdict").click()
    assert inside.is_visible()
    assert first.locator(".open").get_attribute("aria-expanded") == "true"
    first.locator(".open").focus()
    page.keyboard.press("Enter")
    assert not inside.is_visible()
    page.keyboard.press("Space")
    assert inside.is_visible()


def test_a_row_shows_what_was_sent_with_the_broken_spot_what_came_back_and_the_rule(
    chromium, pytester
):
    page, _ = opened(chromium, make_report(pytester))
    first = page.locator("#results-table tbody").first
    first.locator(".open").click()
    assert first.locator("mark").first.inner_text() == "9"
    shown = first.inner_text()
    for expected in (
        "POST http://127.0.0.1:8000/tools/hotel_reservation/invoke",
        "Broken on purpose: a number above the maximum (above-maximum) · in place of 2",
        "422 · application/json · 18 ms",
        "MUST name the input that was refused",
        "curl -i -g",
        "--replay http/hotel_reservation/above-maximum/guests",
        "In exchanges.ndjson, this exchange has the id 17",
    ):
        assert expected in shown


def test_a_flaky_row_says_what_that_means(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester, "pt"))
    row = page.locator("#results-table tbody", has=page.locator('[data-verdict="flaky"]')).first
    row.locator(".open").click()
    assert "falhou, mas nem sempre" in row.inner_text()


def test_a_broken_spot_far_down_is_scrolled_into_sight(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester, exchanges="far_down()"))
    first = page.locator("#results-table tbody").first
    first.locator(".open").click()
    mark, frame = (first.locator(name).first.bounding_box() for name in ("mark", ".pair pre"))
    assert mark
    assert frame
    assert frame["y"] <= mark["y"] <= frame["y"] + frame["height"]


def test_a_missing_parameter_is_shown_as_left_out(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester))
    first = page.locator("#results-table tbody").first
    first.locator(".open").click()
    first.locator("details > summary").first.click()
    assert first.locator("mark").nth(1).inner_text() == '"check_out": left out on purpose'


def test_a_cell_of_the_matrix_leads_to_its_row(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester))
    page.uncheck('.tools-bar input[value="fail"]', force=True)
    assert not page.locator("#r1").is_visible()
    page.locator(".matrix .v-fail a").first.click()
    page.locator("#r1 .detail").wait_for()
    assert page.locator("#r1 .open").evaluate("e => e === document.activeElement")


def test_verdicts_and_words_narrow_the_table_and_say_how_many_are_left(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester))
    assert page.inner_text("#shown") == "Rows shown: 14 of 27"
    page.check('.tools-bar input[value="pass"]', force=True)
    assert page.inner_text("#shown") == "Rows shown: 26 of 27"
    for value in ("pass", "not_verified", "flaky", "waived", "warn"):
        page.uncheck(f'.tools-bar input[value="{value}"]', force=True)
    assert page.inner_text("#shown") == "Rows shown: 2 of 27"
    page.fill("#search", "suggested ERR-009")
    assert page.inner_text("#shown").startswith("Rows shown: 1 of 27 · Also found")
    assert page.locator("#results-table tbody:visible").count() == 1


def test_the_copy_button_copies_the_line_that_is_shown(chromium, pytester):
    page, _ = opened(
        chromium,
        make_report(pytester),
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.locator("#r1 .open").click()
    line = page.locator("#r1 .line").nth(1)
    line.locator("button").click()
    assert page.evaluate("navigator.clipboard.readText()") == line.locator("code").text_content()
    assert line.locator("button").inner_text() == "Copied"


@pytest.mark.parametrize("session", ["session()", "hostile_session(1000)", "many_tools(25)"])
def test_nothing_runs_over_the_edge_of_a_phone(chromium, pytester, session):
    path = make_report(pytester, session=session)
    page, _ = opened(chromium, path, viewport={"width": 360, "height": 740})
    page.click("#open-all")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_headings_are_in_order_and_every_control_has_a_name(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester))
    page.click("#open-all")
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(e => Number(e.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    nameless = page.evaluate(
        """[...document.querySelectorAll('button, input, a, summary')]
        .filter(e => e.checkVisibility())
        .filter(e => !(e.textContent.trim() || e.labels?.[0]?.textContent.trim())).length"""
    )
    assert nameless == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_a_thousand_tools_open_as_few_rows(chromium, pytester):
    path = make_report(pytester, session="many_tools(1000)")
    assert path.stat().st_size < 1_500_000
    page, seen = opened(chromium, path)
    assert page.locator("#results-table tbody").count() == 13
    assert not page.locator(".matrix").is_visible()
    assert seen.errors == []


def test_a_viewer_that_denies_storage_still_shows_the_rows(chromium, pytester):
    path = make_report(pytester)
    page = chromium.new_context().new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', "
        "{configurable: true, get() { throw new DOMException('denied', 'SecurityError') }})"
    )
    page.goto(path.as_uri())
    assert page.locator("#results-table tbody").count() == 27
    assert errors == []


SEARCHED = {
    "alarm": 0,
    "ATDF-ERR-012": 2,  # a clause, whatever its verdict
    "flight_search err-007": 1,  # a tool and a clause, in any order and case
    "passengers[0].name": 1,  # a parameter, of a place that is not the row's first
    "left out on purpose": 1,  # what was sent, within details that are closed
    "drawn number ABOVE the máximum": 0,
    "number ABOVE the máximum": 3,  # how it was broken, whatever the accents
    "peer closed": 1,  # what came back
}


def test_the_search_finds_words_anywhere_in_a_row(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester))
    found = {}
    for words in SEARCHED:
        page.fill("#search", words)
        found[words] = page.locator("#results-table tbody:visible").count()
    assert found == SEARCHED


def test_a_search_puts_no_run_of_marks_in_order(chromium, pytester):
    """To do that takes the square of their number."""
    page, _ = opened(chromium, make_report(pytester))
    page.evaluate(
        "() => { const own = String.prototype.normalize; window.longest = 0;"
        " String.prototype.normalize = function (form) {"
        " for (const [run] of this.matchAll(/\\p{M}+/gu))"
        " window.longest = Math.max(window.longest, run.length);"
        " return own.call(this, form) } }"
    )
    page.fill("#search", "pass\u00e9" + "\u0301\u0316" * 100)
    assert page.evaluate("window.longest") == 0
    page.fill("#search", "hote\u0301l")
    assert page.locator("#results-table tbody:visible").count() > 0


def test_a_search_finds_the_tools_that_a_row_does_not_list(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester, session="many_tools(1000)"))
    page.fill("#search", "tool_0970 ERR-007")
    assert page.inner_text("#shown") == "Rows shown: 1 of 13"
    page.fill("#search", "tool_0970")
    assert page.inner_text("#shown").endswith("under verdicts that are switched off: 11")
    page.fill("#search", "tool_1000")
    assert page.inner_text("#shown") == "Rows shown: 0 of 13"


def test_a_row_that_was_searched_for_opens_with_what_was_found(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester))
    page.fill("#search", "left out on purpose")
    page.locator("#results-table tbody:visible .open").click()
    assert page.locator("mark", has_text="left out on purpose").is_visible()


@pytest.mark.parametrize(
    ("colours", "width"), [("light", 1280), ("dark", 390)], ids=["desk, light", "phone, dark"]
)
def test_nothing_keeps_people_from_reading_a_report(chromium, pytester, axe, colours, width):
    page, _ = opened(
        chromium,
        make_report(pytester),
        bypass_csp=True,  # axe is injected; nothing else could be
        color_scheme=colours,
        viewport={"width": width, "height": 900},
    )
    page.click("#open-all")
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    page.add_script_tag(content=axe)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    told = [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]
    assert told == []


def test_on_a_phone_a_row_names_its_tools_above_what_was_found(chromium, pytester):
    page, _ = opened(chromium, make_report(pytester), viewport={"width": 390, "height": 740})
    row = page.locator("#results-table tbody").first
    tools, finding = (row.locator(name).bounding_box() for name in (".c-tools", ".c-finding"))
    assert row.locator(".tool").first.is_visible()
    assert tools["y"] < finding["y"]
    assert finding["width"] > 300


def test_the_filters_are_kept_behind_the_hash(chromium, pytester):
    path = make_report(pytester)
    page, seen = opened(chromium, path)
    assert "#" not in page.url
    page.fill("#search", "zzzz")
    first = page.locator(".tools-bar input[type=checkbox]").first
    was = first.is_checked()
    first.locator("..").click()
    assert page.url.startswith(path.as_uri() + "#show=")
    assert page.url.endswith("&find=zzzz")
    said = page.inner_text("#shown")
    again, _ = opened(chromium, path)
    again.goto(page.url)
    again.reload()
    assert again.inner_text("#shown") == said
    assert again.locator(".tools-bar input[type=checkbox]").first.is_checked() is not was
    assert seen.errors == []


HASHES = (
    "#show=__proto__.constructor.toString&find=__proto__",
    "#find=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "#find=" + "a+" * 100_000,
    "#find=e" + "%CC%81" * 300_000,
    "#show=" + "fail." * 100_000,
    "#find=%00%ED%A0%80%E2%80%AE",
    "#r0%22]",
    "#r" + "9" * 10_000,
)


@pytest.mark.parametrize("hash", HASHES, ids=lambda hash: hash[:12])
def test_nothing_behind_the_hash_runs_or_holds_the_page(chromium, pytester, hash):
    path = make_report(pytester)
    page, seen = browser_page(chromium, path.as_uri() + hash)
    page.fill("#search", "")
    assert page.locator("#results-table tbody").count() == 27
    assert page.locator("img").count() == 0
    assert (seen.errors, seen.dialogs) == ([], [])
