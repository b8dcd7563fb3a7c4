"""URIs of a target are split in bounded time, whatever their hosts are."""

import time
import tracemalloc

import pytest

from conformance.formats.schema.schemas import schema_faults
from conformance.formats.schema.uri import urljoin, urlsplit
from conformance.formats.tool.errors import error_type
from conformance.kit.model.loopback import is_loopback, same_server

ACCENTS = "\u0301\u0316" * 60_000
"""Each of the two moves past all others of the other kind, where a library puts them in order."""
LONG = f"http://a{ACCENTS}"


def refuses(reads, *given):
    """Whether an address is refused."""
    with pytest.raises(ValueError, match="host is too long"):
        reads(*given)
    return True


HOSTS = [
    lambda: refuses(urlsplit, LONG),
    lambda: refuses(urlsplit, f"ht\ttp:/\n/a{ACCENTS}/b"),
    lambda: refuses(urljoin, "http://a", f"//a{ACCENTS}"),
    lambda: refuses(urljoin, LONG, "b"),
    lambda: error_type(LONG) is None,
    lambda: not is_loopback(LONG),
    lambda: schema_faults({"$id": LONG}),
    lambda: schema_faults({"$id": LONG}, is_whole=True),
    lambda: schema_faults({"$defs": {"a": {"$id": LONG}}}),
    lambda: schema_faults({"$schema": "http://json-schema.org/draft-04/schema#", "id": LONG}),
    lambda: schema_faults({"$schema": LONG}),
    lambda: schema_faults({"$ref": LONG}),
]


@pytest.mark.parametrize("reads", HOSTS)
def test_a_host_of_accents_takes_no_time(reads):
    began = time.process_time()
    assert reads()
    assert time.process_time() - began < 2


@pytest.mark.parametrize("value", ["http://[", LONG])
def test_a_member_that_is_no_id_in_its_dialect_is_not_judged(value):
    text = {"type": "string", "description": "é"}
    assert schema_faults({"properties": {"a": {"id": value}, "id": text}}) == ()


@pytest.mark.parametrize(
    "read", [urlsplit, lambda url: urljoin(url, "b"), is_loopback, lambda url: same_server(url, "")]
)
def test_long_addresses_are_not_kept(read):
    """Each call of a tool with a long route has another one."""
    tracemalloc.start()
    try:
        for number in range(300):
            read(f"http://127.0.0.1/{'a' * 100_000}/{number}/")
        assert tracemalloc.get_traced_memory()[0] < 3_000_000
    finally:
        tracemalloc.stop()


def test_a_long_path_and_a_host_of_another_alphabet_are_read_as_usual():
    assert urlsplit(f"http://a/{'é' * 5000}").path == f"/{'é' * 5000}"
    assert urlsplit("https://müller.example/a").hostname == "müller.example"
    assert urljoin("http://a/b/", "c") == "http://a/b/c"
