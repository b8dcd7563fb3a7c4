"""Draws the picture of the landing page: the top of the very report that it opens."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

NAME: Final = "report.png"
SIZE: Final = (1120, 760)
ARGUMENTS: Final = ("--no-sandbox", "--disable-gpu", "--no-first-run")


def report_pictures(reports: Mapping[str, Path]) -> dict[str, bytes]:
    """Return the picture of each report, by its key. A picture is kept next to its report.

    Empty if there is no browser. The site then shows the pictures that are in the repository.
    """
    missing = {key: folder for key, folder in reports.items() if not (folder / NAME).exists()}
    try:
        _draw(missing)
    except Exception as error:
        said = str(error).partition("\n")[0]
        print(f"The landing page shows an older picture of a report: {said}", file=sys.stderr)
        return {}
    return {key: (folder / NAME).read_bytes() for key, folder in reports.items()}


def _draw(reports: Mapping[str, Path]) -> None:
    if not reports:
        return
    chromium = shutil.which("chromium")
    if chromium is None:
        raise FileNotFoundError("there is no chromium")
    # Playwright is not made for every system that can build the site.
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    width, height = SIZE
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        for folder in reports.values():
            page.goto((folder / "report.html").as_uri())
            page.screenshot(path=folder / NAME)
        browser.close()
