"""Each line of a record is JSON that any reader can read, whatever a server says."""

import json
import math
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.kit.model.exchange import Answer
from conformance.kit.model.written import from_strict, strict_json, strict_parts
from conformance.kit.record.exchanges import ExchangeWriter, read_exchanges
from tests.kit.report.sample import exchange

WORDS = ("NaN", "Infinity", "-Infinity", "float:", "float:NaN", "float:-Infinity")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(WORDS), inner),
    max_leaves=20,
)


def strictly(line):
    """The value of a line, as a reader takes it that knows the numbers of JSON alone."""

    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    return json.loads(line, parse_constant=refuse)


@given(st.dictionaries(st.sampled_from(["a", "b"]), VALUES))
def test_any_value_is_written_in_strict_json_and_read_back(value):
    text = strict_json(value)
    assert json.dumps(from_strict(strictly(text))) == json.dumps(value)


@given(st.dictionaries(st.text() | st.sampled_from(WORDS), VALUES))
def test_a_value_in_parts_is_the_same_line(value):
    assert "".join(strict_parts(value)) == strict_json(value)


def test_the_header_of_a_record_takes_little_more_memory_than_the_declarations(tmp_path):
    """An emoji takes twelve characters in ASCII, and the header holds everything twice."""
    tools = [{"tools": [{"description": "😀" * 20_000}] * 60, "documents": [{"tools": []}]}]
    tracemalloc.start()
    ExchangeWriter(tmp_path / "x", kit="1", started="now", more={"found": tools}).close()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (tmp_path / "x").stat().st_size > 60 * 20_000 * 12
    assert most < 5_000_000


@pytest.mark.parametrize("filling", ["", "x" * 100_000], ids=["short", "compressed"])
def test_numbers_that_json_has_not_are_read_back_from_a_record(tmp_path, filling):
    said = {"numbers": [math.inf, -math.inf, 1.5], "text": "float:Infinity", "more": filling}
    made = exchange()
    case = replace(made.case, arguments=said)
    made = replace(made, case=case, answer=Answer(messages=(said, [said]), late=(said,)))
    path = tmp_path / "exchanges.ndjson"
    with ExchangeWriter(path, kit="1", started="now", more={"found": [said]}) as writer:
        writer.write(made)
        writer.last = {"evidence": said}
        assert writer.read(made.id) == made
    for line in path.read_text(encoding="ascii").splitlines():
        strictly(line)
    recording = read_exchanges(path)
    assert list(recording.exchanges) == [made]
    assert (recording.first["found"], recording.last["evidence"]) == ([said], said)
