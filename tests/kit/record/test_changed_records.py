"""A record that somebody changed is refused in one sentence, whatever is in it."""

import base64
import copy
import json
import math
import random
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from pydantic import ValidationError

from conformance.kit.evidence.declarations import Discovered
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from conformance.kit.model.settings import Settings
from conformance.kit.model.written import codec
from conformance.kit.record import exchanges
from conformance.kit.record.exchanges import ExchangesError, ExchangeWriter, read_exchanges
from conformance.kit.record.index import MALFORMED, as_asked
from tests.thorough import up_to


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """The lines of a small record: the first, an exchange, the last."""
    path = tmp_path_factory.mktemp("record") / "exchanges.ndjson"
    request = HttpRequest(method="POST", url="http://127.0.0.1:9/x", body=b"{}")
    answer = Answer(status=200, body=b'{"a": 1}', messages=({"a": 1},))
    with ExchangeWriter(path, kit="1", started="2026-01-01T00:00:00+00:00") as writer:
        writer.write(Exchange(1, "http", request, answer, None, 0.0, 0.0))
    return [json.loads(line) for line in path.read_text().splitlines()]


def read(folder, lines):
    path = folder / "exchanges.ndjson"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return list(read_exchanges(path).exchanges)


def packed(raw):
    return {"deflate": base64.b64encode(zlib.compress(raw)).decode()}


BODIES = (
    None,
    5,
    "text",
    {},
    {"text": 5},
    {"deflate": 5},
    {"base64": None},
    packed(b"x")["deflate"],
)
MILLIONS = packed(b"[" + b"[]," * 5_000_000 + b"[]]")
MESSAGES = (5, "x", {}, packed(b"5"), packed(b"[" * 100_000), MILLIONS)


@pytest.mark.parametrize("body", [*BODIES, MILLIONS])
def test_a_body_of_another_form_is_refused(tmp_path, lines, body):
    changed = copy.deepcopy(lines)
    changed[1]["answer"]["body"] = body
    with pytest.raises(ExchangesError, match="line 2"):
        read(tmp_path, changed)


@pytest.mark.parametrize("messages", MESSAGES)
def test_messages_of_another_form_are_refused(tmp_path, lines, messages):
    changed = copy.deepcopy(lines)
    changed[1]["answer"]["messages"] = messages
    with pytest.raises(ExchangesError, match="line 2"):
        read(tmp_path, changed)


@pytest.mark.parametrize("number", [-1, 10**30])
def test_a_number_beyond_all_exchanges_is_refused(tmp_path, lines, number):
    changed = copy.deepcopy(lines)
    changed[1]["id"] = number
    with pytest.raises(ExchangesError, match="line 2"):
        read(tmp_path, changed)


@pytest.mark.parametrize("line", [5, None, ["end"], "end"])
def test_a_line_that_is_no_object_is_refused(tmp_path, lines, line):
    with pytest.raises(ExchangesError, match="line 2"):
        read(tmp_path, [lines[0], line, lines[2]])


ASKED = {"profiles": ["http"], "allow_calls": "auto", "replay": None, "seed": 7}


@pytest.mark.parametrize(
    ("name", "value"),
    [("replay", 1.5), ("seed", "x"), ("profiles", 7), ("sandbox", []), ("allow_calls", "most")],
)
def test_settings_of_another_type_are_refused(name, value):
    assert as_asked(Settings(), ASKED).seed == 7
    with pytest.raises(MALFORMED):
        as_asked(Settings(), {**ASKED, name: value})


@pytest.mark.parametrize("place", [0, 1])
def test_a_line_without_end_is_refused(tmp_path, lines, place):
    path = tmp_path / "exchanges.ndjson"
    texts = [json.dumps(line) for line in lines]
    texts[place] = "[" * 200_000
    path.write_text("\n".join(texts) + "\n")
    with pytest.raises(ExchangesError):
        read_exchanges(path)


def test_no_change_of_a_value_raises_anything_else(tmp_path, lines):
    chance = random.Random(7)
    for _ in range(up_to(150, 5000)):
        changed = copy.deepcopy(lines)
        change(chance, chance.choice(changed))
        with suppress(ExchangesError):
            read(tmp_path, changed)


def change(chance, value):
    """Put something else in one place of a JSON value."""
    while isinstance(value, dict | list) and value:
        key = (
            chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        )
        if chance.random() < 0.4 or not isinstance(value[key], dict | list) or not value[key]:
            value[key] = chance.choice([None, -1, 10**30, 1.5, "x", [], {}, True, {"deflate": "x"}])
            return
        value = value[key]


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(exchanges, "LONGEST_LINE", 1_000_000)
    first = b'{"format": %d, "kit": "1", "started": "x"}\n' % exchanges.FORMAT
    path = tmp_path / "exchanges.ndjson"
    path.write_bytes(first + b"0" * 3_000_000)
    with pytest.raises(exchanges.ExchangesError):
        exchanges.read_exchanges(path)
    path.write_bytes(b"0" * 3_000_000)
    with pytest.raises(exchanges.ExchangesError):
        exchanges.read_exchanges(path)


@pytest.mark.parametrize("where", [0, 1])
def test_a_line_of_millions_of_values_is_refused_before_it_fills_the_memory(tmp_path, where):
    lines = [b'{"format": %d, "kit": "1", "started": "x"}' % exchanges.FORMAT, b""]
    lines[where] = b'{"x": [' + b"[]," * 5_000_000 + b"[]]}"
    path = tmp_path / "exchanges.ndjson"
    path.write_bytes(b"\n".join([*lines, b""]))
    tracemalloc.start()
    try:
        with pytest.raises(exchanges.ExchangesError):
            exchanges.read_exchanges(path)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_body_that_unfolds_to_a_gigabyte_is_refused_before_it_fills_the_memory(tmp_path, lines):
    packer = zlib.compressobj(9)
    raw = b"".join(packer.compress(b"0" * 16_000_000) for _ in range(64)) + packer.flush()
    changed = copy.deepcopy(lines)
    changed[1]["answer"]["body"] = {"deflate": base64.b64encode(raw).decode()}
    tracemalloc.start()
    try:
        with pytest.raises(ExchangesError, match="line 2"):
            read(tmp_path, changed)
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()


def test_a_link_to_a_device_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(exchanges, "LONGEST_LINE", 1_000_000)
    path = tmp_path / "exchanges.ndjson"
    path.symlink_to("/dev/zero")
    with pytest.raises(ExchangesError):
        read_exchanges(path)


def test_of_a_list_of_wrong_values_the_first_is_told():
    with pytest.raises(ValidationError) as found:
        codec(Discovered).validate_python({"run": {}, "tools": [0] * 10_000})
    assert found.value.error_count() < 20


@pytest.mark.parametrize("time", [math.inf, -math.inf, math.nan, 1e308, -1e308, "1", True, None])
@pytest.mark.parametrize("place", ["elapsed", "started", "settle", "at"])
def test_a_time_beyond_all_sessions_is_refused(tmp_path, lines, place, time):
    """The report says some times, and sums of them."""
    changed = copy.deepcopy(lines)
    moment = {"seen": "arrived", "at": 0.0}
    changed[1]["timeline"] = [moment]
    assert len(read(tmp_path, changed)) == 1
    places = {"settle": changed[1]["request"], "at": moment}
    places.get(place, changed[1])[place] = time
    with pytest.raises(ExchangesError, match="line 2"):
        read(tmp_path, changed)
