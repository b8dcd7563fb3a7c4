"""Takes pictures of the built site into `build/screenshots`, for a person to look at.

    python -m scripts.screenshots [--only NAME …]

Light and dark, on a desktop and on a phone, in three languages. Build the site first.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page, sync_playwright

from scripts.generator.texts import LANGUAGES
from scripts.website.layout import ROOT, SITE, WORK
from scripts.website.serve import serving

OUT = WORK / "screenshots"
VIEWS = {
    "home": "",
    "fields": "atdf/error/",
    "invalid": "atdf/error/#example-error-without-instance",
    "clauses": "conformance/clauses/atdf-err-004/",
    "ecosystem": "conformance/ecosystem/",
    "implementations": "conformance/implementations/",
    "guide": "guides/fastapi/",
    "playground": "playground/",
    "report": "sample-report/report.html",
}
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run"]


def main(arguments: Sequence[str]) -> int:
    """Take the pictures; return 0, or 1 if there is no built site."""
    parser = argparse.ArgumentParser(prog="screenshots", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=sorted(VIEWS), default=sorted(VIEWS))
    parser.add_argument("--language", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    chosen = parser.parse_args(arguments)
    if not (SITE / "index.html").exists():
        print("There is no built site. Run `make site-build` first.", file=sys.stderr)
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    with serving(SITE) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )
        for size, scheme in product(SIZES, SCHEMES):
            width, height = SIZES[size]
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            page = context.new_page()
            for name, language in product(chosen.only, chosen.language):
                start = address if language == "en" else f"{address}{language}/"
                file = OUT / f"{name}-{language}-{size}-{scheme}.png"
                _take(page, start + VIEWS[name], file)
            context.close()
        browser.close()
    print(OUT.relative_to(ROOT))
    return 0


_OPEN = """id => {
  let at = document.getElementById(id).closest("p");
  while (at && at.tagName !== "DETAILS") at = at.nextElementSibling;
  if (at) { at.open = true; at.scrollIntoView({block: "center"}); }
}"""


def _take(page: Page, url: str, file: Path) -> None:
    page.goto(url)
    anchor = url.partition("#")[2]
    if anchor.startswith("example-"):
        page.evaluate(_OPEN, anchor)
    if url.endswith("playground/"):
        page.select_option("#playground-example", "2")
        page.locator(".playground__problems li").first.wait_for()
    page.wait_for_timeout(250)
    page.screenshot(path=file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
