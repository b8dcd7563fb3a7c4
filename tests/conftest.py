"""What the tests of more than one file share."""

import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from fixtures.servers.start import forked_by, nursery
from scripts.website.npm import npm_file
from tests.kit.sessions import starting
from tests.needs import LACKS, lacking, need_program

_IN_A_BROWSER = ("kit/report/test_browser.py", "site/test_browser.py")
collect_ignore = [] if find_spec("playwright") else list(_IN_A_BROWSER)
LONGEST = 240
"""Seconds that a test may take on a slow machine."""
settings.register_profile("any machine", deadline=None)  # a busy one stops anywhere for a while
settings.load_profile("any machine")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts a command in the background like that, and servers under test would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
NEEDED = {"axe", "chromium", "dictionaries", "node"}
"""Fixtures for what a clone does not have."""


def pytest_report_header():
    if collect_ignore:
        return f"not made for this machine: Playwright; left out: {', '.join(collect_ignore)}"
    return None


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here not in item.path.parents:
            continue
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONGEST))
        if NEEDED & set(item.fixturenames):
            item.add_marker("needs")
    items.sort(key=lambda item: item.get_closest_marker("waits") is None)  # else they end last


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    why = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
    if why.startswith(f"Skipped: {LACKS}") and not item.get_closest_marker("needs"):
        report.outcome, report.longrepr = "failed", f"{why}: mark this test with `needs`"
    return report


@pytest.fixture(scope="session")
def kit():
    """Starts sessions of the kit as a user does, and gives their exit code and what they said."""
    with starting() as sessions:
        yield sessions


@pytest.fixture(scope="module")
def chromium():
    """A browser, closed at the end of the module: while it runs, no other loop can."""
    if not find_spec("playwright"):
        lacking("Playwright, which is not made for this machine")
    from tests.browser import launched

    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def node():
    """Where Node is."""
    return need_program("node")


@pytest.fixture(scope="module")
def axe():
    """The script of axe-core, which npm fetches the first time."""
    need_program("npm")
    try:
        return npm_file("axe").read_text("utf-8")
    except RuntimeError as error:
        lacking(f"axe-core: {error}")


@pytest.fixture(scope="session")
def _nursery():
    with nursery() as at:
        yield at


@pytest.fixture(scope="module")
def forked(_nursery):
    """Have the servers of a module forked: loading one takes longer than most questions to it."""
    forked_by(_nursery)
    yield
    forked_by(None)
