"""Addresses: of a page of a list, whatever its path and its cursor hold."""

import pytest

from conformance.formats.text.address import page_at


@pytest.mark.parametrize(
    ("path", "cursor", "address"),
    [
        ("/tools", None, "/tools"),
        ("/tools", "a b&c", "/tools?cursor=a%20b%26c"),
        ("/tools", "", "/tools?cursor="),
        ("/tools?type=x", None, "/tools?type=x"),
        ("/tools?type=x", "2", "/tools?type=x&cursor=2"),
    ],
)
def test_a_cursor_is_added_to_the_query_that_a_path_has(path, cursor, address):
    assert page_at(path, cursor) == address
