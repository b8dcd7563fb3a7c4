"""What the tests of more than one file share."""

import pytest

from tests.kit_sessions import starting


@pytest.fixture(scope="session")
def kit():
    """Starts sessions of the kit as a user does, and gives their exit code and what they said."""
    with starting() as sessions:
        yield sessions
