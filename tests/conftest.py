"""What the tests of more than one file share."""

from importlib.util import find_spec

import pytest

from fixtures.servers.start import forked_by, nursery
from tests.kit.sessions import starting

_IN_A_BROWSER = (
    "scripts/measure/test_bench_report.py",
    "kit/report/test_browser.py",
    "site/test_browser.py",
)
collect_ignore = [] if find_spec("playwright") else list(_IN_A_BROWSER)


def pytest_report_header():
    if collect_ignore:
        return f"not made for this machine: Playwright; left out: {', '.join(collect_ignore)}"
    return None


@pytest.fixture(scope="session")
def kit():
    """Starts sessions of the kit as a user does, and gives their exit code and what they said."""
    with starting() as sessions:
        yield sessions


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
