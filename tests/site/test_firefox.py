"""The main pages of the built site in Firefox, where it is installed.

Playwright speaks to a Firefox of its own alone, which no registry carries. This is the machine's.
"""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from scripts.website.serve import serving
from tests.needs import need_packages, need_program, need_site
from tests.root import ROOT

HERE = ROOT / "tests" / "firefox"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def seen():
    """What Firefox saw, and the address of the site."""
    firefox = shutil.which("firefox-esr") or need_program("firefox")
    need_packages(HERE)
    with serving(need_site()) as address:
        command = ["node", HERE / "visit.js", firefox, address]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        yield json.loads(done.stdout), address


@pytest.mark.needs
def test_firefox_shows_the_pages_without_an_error_and_asks_no_other_host(seen):
    told, _ = seen
    assert told["errors"] == []
    assert told["outside"] == []
    assert all(told["titles"].values())


@pytest.mark.needs
def test_firefox_checks_searches_and_chooses(seen):
    told, address = seen
    assert "one problem" in told["verdict"]
    assert told["shared"] == '{"errors": []}'
    assert told["found"].startswith(f"{address}atdf/error/")
    assert 0 < told["rows"] == int(told["shown"].split()[0])
