"""A long text takes a few times its own length of memory, not a step for each repetition in it."""

import tracemalloc

import pytest

from conformance.formats.text.http_answer import split
from conformance.formats.text.source_lines import spots
from conformance.kit.config.secrets import Redactor
from conformance.kit.transport.gateway_connection import NONCE

COUNT = 300_000
READERS = {
    "percent-escapes": (Redactor(["of-a-user-1"]), "%41" * COUNT),
    "headers of an answer": (split, b"HTTP/1.1 200 OK\n" + b"a:\n" * COUNT + b"\n{}"),
    "lines of a command": (split, b"curl " + b"\\\n" * COUNT),
    "escapes in a text": (lambda text: list(spots(text)), '"' + r"\n" * COUNT + '"'),
    "parts of a marker": (NONCE.findall, "afn-a" + "-a" * COUNT),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_long_text_takes_little_memory(reader):
    read, text = READERS[reader]
    tracemalloc.start()
    try:
        read(text)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text)
    finally:
        tracemalloc.stop()
