"""The reference server, for the guides whose clients call it."""

from __future__ import annotations

import pytest

from fixtures.servers.start import listening


@pytest.fixture(scope="module")
def server():
    """Where it listens."""
    with listening() as target:
        yield target
