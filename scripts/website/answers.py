"""Measures search and playground of the served site in Chromium, and how much Home loads."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

from scripts.website.layout import ROOT

_TOOLS = ROOT / "fixtures" / "examples" / "atdf" / "valid" / "hotel-catalog.json"
_BYTES = 100 * 1024
_QUERIES = ("suggested_value", "retry", "ATDF-ERR-004", "manifest", "enum")
_SEARCH = """async (words) => {
  const input = document.querySelector(".md-search__input");
  const list = document.querySelector(".md-search-result__list");
  const took = [];
  for (const word of words) {
    const began = performance.now();
    const answered = new Promise((resolve) => {
      const watch = new MutationObserver(() => { watch.disconnect(); resolve(); });
      watch.observe(list, { childList: true });
    });
    input.value = word;
    input.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
    await answered;
    took.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return took;
}"""
_VERDICTS = """async (texts) => {
  const root = document.getElementById("playground");
  const area = document.getElementById("playground-text");
  const took = [];
  for (const text of texts) {
    let began;
    const answered = new Promise((resolve) => {
      const watch = new MutationObserver(() => {
        if (root.dataset.state === "busy") began = performance.now();
        else { watch.disconnect(); resolve(root.dataset.state); }
      });
      watch.observe(root, { attributeFilter: ["data-state"] });
    });
    area.value = text;
    area.dispatchEvent(new Event("input"));
    await answered;
    document.body.getBoundingClientRect();  // laid out, ready to be painted
    took.push(performance.now() - began);
  }
  return took;
}"""


def answer_times(address: str) -> tuple[float, float]:
    """Return the median milliseconds of a search, and of a verdict of the playground.

    The playground gets a document of 100 KB. `address` is that of the site.
    """
    with _browsing() as page:
        return median(_searched(page, address)), median(_judged(page, address))


def scrolled_kib(address: str) -> float:
    """Return how many KiB a page loads, compressed, until it has been scrolled to its end."""
    with _browsing() as page:
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        sizes: list[float] = []
        network.on("Network.loadingFinished", lambda e: sizes.append(e["encodedDataLength"]))
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(address)
        for _ in range(100):
            page.mouse.wheel(0, 400)
            page.wait_for_timeout(50)
        page.wait_for_load_state("networkidle")
        return sum(sizes) / 1024


@contextmanager
def _browsing() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page()
        browser.close()


def _searched(page: Page, address: str) -> list[float]:
    page.goto(address)
    page.wait_for_function("window.document$")
    page.click(".md-search__input")
    page.keyboard.type("the")  # loads the index
    page.locator(".md-search-result__link").first.wait_for()
    took: list[float] = page.evaluate(_SEARCH, list(_QUERIES))
    return took


def _judged(page: Page, address: str) -> list[float]:
    page.goto(f"{address}playground/")
    page.locator("#playground[data-state=empty]").wait_for()
    texts = [_large(faulty=number % 2 == 1) for number in range(8)]
    took: list[float] = page.evaluate(_VERDICTS, texts)
    return took


def _large(*, faulty: bool) -> str:
    """Return a catalog of 100 KB; in a faulty one, a tool has no description."""
    catalog = json.loads(_TOOLS.read_text(encoding="utf-8"))
    tool: dict[str, Any] = catalog["tools"][0]
    tools: list[dict[str, Any]] = []
    while len(json.dumps(catalog | {"tools": tools}, indent=2)) < _BYTES:
        tools.append(tool | {"name": f"{tool['name']}_{len(tools)}"})
    if faulty:
        del tools[len(tools) // 2]["description"]
    return json.dumps(catalog | {"tools": tools}, indent=2)
