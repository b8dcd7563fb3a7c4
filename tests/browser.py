"""A page in a real browser, and what it does that nobody asked for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.needs import lacking

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def launched() -> Iterator[Browser]:
    """Start Chromium; a test is skipped where there is none."""
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=ARGUMENTS
            )
        except Error as error:
            lacking(f"Chromium: {error.message.splitlines()[0]}")
        yield browser
        browser.close()


@dataclass
class Seen:
    """What a page asked for, and what it said and complained about."""

    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    failed: dict[str, str | None] = field(default_factory=dict)


def opened(browser: Browser, url: str, **context: Any) -> tuple[Page, Seen]:
    """Open a page in a context of its own, which ends with the browser."""
    page = browser.new_context(**context).new_page()
    seen = Seen()
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("requestfailed", lambda request: seen.failed.update({request.url: request.failure}))
    page.on("console", lambda said: seen.errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))

    def closed(dialog) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", closed)
    page.goto(url)
    return page, seen


def settle(page: Page) -> None:
    """Wait until the page has nothing under way: neither a request nor a frame to paint."""
    page.wait_for_load_state("networkidle")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
