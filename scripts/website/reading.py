"""Finds accessibility problems of a page with axe, in both color schemes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from playwright.sync_api import Page, TimeoutError

_READY = """() => [...document.querySelectorAll('pre > code, .md-typeset__table')].every(
    (each) => each.scrollWidth <= each.clientWidth || each.tabIndex === 0)"""
"""True when the page has measured its blocks and made the wide ones focusable."""
_STILL = """() => {
  const style = document.createElement("style");
  style.textContent = "*, ::before, ::after { transition: none !important;"
    + " content-visibility: visible !important }";
  document.head.append(style);
  document.querySelectorAll("details").forEach((each, index) => (each.open = index < 2));
}"""
"""Draws what the browser leaves out until it is scrolled to: axe would see it over other parts."""
_ROWS = """(most) => document.querySelectorAll("tbody tr").forEach(
    (row) => row.sectionRowIndex < most || row.remove())"""
_DARK = """() => {
  const { dataset } = document.body;
  if (!dataset.mdColorScheme) return;
  const dark = () => dataset.mdColorScheme === "slate" || (dataset.mdColorScheme = "slate");
  new MutationObserver(dark).observe(document.body, { attributes: true });
  dark();
}"""
"""Keeps the dark scheme: the theme's script loads late, and sets the scheme of the reader."""
_RUN = """(only) => axe.run({
  resultTypes: ["violations"],
  rules: { "target-size": { enabled: true } },
  ...(only && { runOnly: only }),
}).then(({ violations }) => violations.map(
  ({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]))"""
_OF_COLORS = ["color-contrast", "link-in-text-block"]


def findings(
    page: Page, address: str, axe: str, *, rows: int | None = None
) -> dict[str, list[str]]:
    """Return the places that axe reports at an address, by color scheme and rule.

    `axe` is its script, and `rows` how many rows of each table are checked. The second scheme is
    checked only for rules about colors. `evaluate` runs the script despite the page's policy, which
    allows no foreign scripts.
    """
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(address)
    page.evaluate(_STILL)
    if rows is not None:
        page.evaluate(_ROWS, rows)
    with suppress(TimeoutError):  # axe reports it more clearly
        page.wait_for_function(_READY, timeout=5000)
    page.evaluate(axe)
    found = dict(_complaints(page, "light", None))
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.evaluate(_DARK)
    return found | dict(_complaints(page, "dark", _OF_COLORS))


def _complaints(page: Page, scheme: str, only: list[str] | None) -> Iterator[tuple[str, list[str]]]:
    result: list[list[Any]] = page.evaluate(_RUN, only)
    for rule, places in result:
        yield f"{scheme}: {rule}", places
