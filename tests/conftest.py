"""What the tests of more than one file share."""

import pytest

from fixtures.servers.start import forked_by, nursery
from tests.kit_sessions import starting


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
