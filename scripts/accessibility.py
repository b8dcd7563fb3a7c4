"""Looks for accessibility problems on every page of the built site, with axe.

    python -m scripts.accessibility [--only TEXT] [--width 390]

It checks both color schemes at one window width, which takes about an hour for all pages. It prints
each finding, and exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import sync_playwright

from scripts.website.layout import SITE
from scripts.website.npm import npm_file
from scripts.website.reading import findings
from scripts.website.serve import serving


def main(arguments: Sequence[str]) -> int:
    """Run the check; return 0 without findings, 1 with findings, and 2 for bad usage."""
    parser = argparse.ArgumentParser(prog="accessibility", description=__doc__)
    parser.add_argument("--only", default="", help="the pages whose address holds this text")
    parser.add_argument("--width", type=int, default=1280, help="of the window, in pixels (1280)")
    chosen = parser.parse_args(arguments)
    pages = sorted(
        page.relative_to(SITE).as_posix().removesuffix("index.html")
        for page in SITE.rglob("*.html")
        if page.name != "404.html"  # it has addresses from the root of a host
    )
    pages = [each for each in pages if chosen.only in each]
    if not pages:
        print("There is no such page of a built site: run make site-build.", file=sys.stderr)
        return 2
    axe = npm_file("axe").read_text(encoding="utf-8")
    wrong = 0
    with serving(SITE) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": chosen.width, "height": 900})
        for each in pages:
            for rule, places in findings(page, address + each, axe).items():
                wrong += 1
                print(f"/{each}: {rule}, {len(places)} places, such as {places[0]}", flush=True)
        browser.close()
    print(f"{len(pages)} pages, {wrong} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
