"""What a test needs that a clone does not have: a browser, Node, or what a command builds.

Without it, a test is skipped, and pytest says why; in CI it fails. Such a test has the marker
`needs`, by which CI runs all of them once everything is there: `make test ARGS='-m needs'`.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from scripts.website.layout import SITE
from tests.root import ROOT

LACKS = "lacks "
"""How the reason of such a skip begins."""


def lacking(what: str) -> NoReturn:
    """End a test that cannot run here, for want of `what`."""
    if os.environ.get("CI") == "true":
        pytest.fail(LACKS + what)
    pytest.skip(LACKS + what)


def need_program(name: str) -> str:
    """Give where a program is."""
    found = shutil.which(name)
    return found or lacking(name)


def need_packages(folder: Path) -> None:
    """Ask for Node, and for the packages of a folder."""
    need_program("node")
    if not (folder / "node_modules").is_dir():
        lacking(f"packages of Node: run `npm ci` in {folder.relative_to(ROOT)}")


def need_site() -> Path:
    """Give where the site is built."""
    if not (SITE / "sitemap.xml").exists():
        lacking("the built site: run `make site-build`")
    return SITE
