import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Answer, Trouble
from conformance.kit.model.performance import Moment
from conformance.kit.model.step import Mark, Step
from conformance.kit.record.exchanges import ExchangesError, ExchangeWriter, read_exchanges
from conformance.spec.vocabulary import Seen
from tests.kit.report.sample import case, exchange, exchanges


def written(path: Path, *made, redact=None):
    file = path / "exchanges.ndjson"
    with ExchangeWriter(file, kit="0.1.0", started="now", redact=redact) as writer:
        for each in made:
            writer.write(each)
    return file


def test_what_is_written_is_read_back_equal(tmp_path):
    made = tuple(exchanges().values())
    recording = read_exchanges(written(tmp_path, *made))
    assert tuple(recording.exchanges) == made
    assert recording.complete


def test_a_file_that_is_too_long_gets_the_beginning_of_each_long_header(tmp_path, monkeypatch):
    """A target that gives a long session id has it sent with each request."""
    session = (("Mcp-Session-Id", "s" * 60_000),)
    made = [exchange(n) for n in range(3)]
    made = [replace(e, request=replace(e.request, headers=session)) for e in made]
    monkeypatch.setattr("conformance.kit.record.exchanges.MOST_WRITTEN", 70_000)
    file = written(tmp_path, *made)
    assert file.stat().st_size < 130_000
    kept = [e.request.headers[0][1] for e in read_exchanges(file).exchanges]
    assert kept[:2] == ["s" * 60_000] * 2
    assert kept[2].startswith("s" * 1000)


def test_every_kind_of_body_is_read_back_equal(tmp_path):
    bodies = (b"", b"plain", "ñ \u202e".encode(), b"\xff\x00\xfe", b"\xc3(", b'{"a": "\\ud800"}')
    made = tuple(exchange(n, body=body) for n, body in enumerate(bodies))
    recording = read_exchanges(written(tmp_path, *made))
    assert tuple(recording.exchanges) == made


def test_lone_surrogates_and_huge_numbers_in_arguments_survive(tmp_path):
    odd = replace(case(), arguments={"a": "\ud800", "b": 10**400, "c": [None, True, 1.5]})
    recording = read_exchanges(written(tmp_path, exchange(of=odd, body=b"{}")))
    assert recording.exchanges[0].case == odd


def test_trouble_and_confirming_are_read_back(tmp_path):
    made = replace(
        exchange(), answer=None, trouble=Trouble.TIMEOUT, trouble_detail="10 s", confirms=3
    )
    assert read_exchanges(written(tmp_path, made)).exchanges[0] == made


@pytest.mark.parametrize(
    "body", [b"x" * 100_000, "ñ".encode() * 50_000, random.Random(1).randbytes(100_000)]
)
def test_a_long_body_is_kept_whole_and_compressed(tmp_path, body):
    file = written(tmp_path, exchange(body=body))
    line = json.loads(file.read_text().splitlines()[1])["answer"]["body"]
    assert set(line) == {"deflate"}
    assert len(line["deflate"]) < len(body) * 1.4
    assert list(read_exchanges(file).exchanges) == [exchange(body=body)]


def test_long_messages_are_kept_whole_and_compressed(tmp_path):
    made = replace(exchange(), answer=Answer(messages=({"a": "x" * 100_000}, [1], None)))
    file = written(tmp_path, made)
    assert file.stat().st_size < 10_000
    assert list(read_exchanges(file).exchanges) == [made]


def test_what_unfolds_beyond_any_answer_is_refused(tmp_path, monkeypatch):
    file = written(tmp_path, exchange(body=b"x" * 100_000))
    monkeypatch.setattr("conformance.kit.model.written.LONGEST_BODY", 99_999)
    with pytest.raises(ExchangesError, match="line 2"):
        read_exchanges(file)


def test_a_file_that_was_cut_is_recognised(tmp_path):
    file = written(tmp_path, exchange(1), exchange(2))
    data = file.read_bytes()
    file.write_bytes(data[: data.rindex(b'{"exchanges"') - 40])
    recording = read_exchanges(file)
    assert not recording.complete
    assert [each.id for each in recording.exchanges] == [1]


def test_a_file_without_its_footer_is_recognised(tmp_path):
    file = written(tmp_path, exchange(1))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    recording = read_exchanges(file)
    assert (recording.complete, len(recording.exchanges)) == (False, 1)


def test_a_file_of_which_a_line_was_taken_is_not_complete(tmp_path):
    file = written(tmp_path, exchange(1), exchange(2))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0], lines[2], lines[3]]))
    assert not read_exchanges(file).complete


@pytest.mark.parametrize(
    "text",
    ["", "not json\n", "[]\n", '{"format": 1, "kit": "1", "started": ""}\n', '{"kit": "1"}\n'],
)
def test_a_file_of_another_kind_is_refused_with_a_sentence(tmp_path, text):
    file = tmp_path / "exchanges.ndjson"
    file.write_text(text)
    with pytest.raises(ExchangesError, match=r"exchanges\.ndjson"):
        read_exchanges(file)


def test_a_spoilt_line_is_named(tmp_path):
    file = written(tmp_path, exchange(1))
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], '{"id": 1}', *lines[1:]]) + "\n")
    with pytest.raises(ExchangesError, match="line 2"):
        read_exchanges(file)


@pytest.mark.parametrize("filling", [b"x" * 100_000, b"\xff" * 100_000])
def test_no_secret_is_in_what_is_compressed(tmp_path, filling):
    secret = b"hunter2hunter2"
    made = exchange(body=filling + secret)
    made = replace(made, answer=replace(made.answer, messages=({"a": "x" * 100_000 + "hunter2"},)))
    file = written(tmp_path, made, redact=lambda text: text.replace("hunter2", "«s»"))
    answer = read_exchanges(file).exchanges[0].answer
    coding = "utf-8" if filling.isascii() else "latin-1"
    assert answer.body == filling + "«s»«s»".encode(coding)
    assert answer.messages == ({"a": "x" * 100_000 + "«s»"},)


def test_no_secret_is_written_wherever_it_stands(tmp_path):
    secret = "hunter2hunter2"
    made = exchange()
    leaky = replace(
        made,
        case=replace(made.case, arguments={"a": [secret], secret: 1}),
        request=replace(
            made.request,
            method=secret,
            url=f"http://h/?k={secret}",
            headers=(("Authorization", f"Bearer {secret}"),),
            body=secret.encode() + b"\xff",
        ),
        answer=Answer(
            body=f"you sent {secret}".encode(), messages=({"echo": secret},), noise=(secret,)
        ),
        trouble_detail=secret,
        timeline=(Moment(Seen.ARRIVED, 0.5, 1, secret, "/v1"),),
    )
    file = written(tmp_path, leaky, redact=lambda text: text.replace(secret, "«secret-1»"))
    assert secret.encode() not in file.read_bytes()
    read = read_exchanges(file).exchanges[0]
    assert read.answer is not None
    assert read.answer.body.decode() == "you sent «secret-1»"
    assert read.request.body == "«secret-1»".encode("latin-1") + b"\xff"


def test_the_writer_gives_back_what_it_wrote_before_and_after_it_is_closed(tmp_path):
    file = tmp_path / "exchanges.ndjson"
    writer = ExchangeWriter(file, kit="0.1.0", started="now")
    writer.write(exchange(1))
    assert writer.read(1) == exchange(1)
    writer.write(exchange(2))
    writer.close()
    assert (writer.read(2), writer.read(3)) == (exchange(2), None)
    assert read_exchanges(file).complete


@pytest.mark.parametrize(
    ("body", "messages"),
    [(b'{"a": 1}', ({"a": 1},)), (b"data: [1]\n\ndata: [2]\n\n", ([1], [2])), (b"", ())],
)
def test_messages_nested_too_deeply_to_be_written_are_read_from_the_body(tmp_path, body, messages):
    deep: list = []
    for _ in range(5_000):
        deep = [deep]
    made = replace(exchange(), answer=Answer(body=body, messages=(deep,)))
    for redact in (None, lambda text: text):
        read = read_exchanges(written(tmp_path, made, redact=redact)).exchanges[0]
        assert read.answer == Answer(body=body, messages=messages)


def test_a_file_holds_ascii_only(tmp_path):
    file = written(tmp_path, exchange(body="\x1b[31m \u202e ñ".encode()))
    assert file.read_bytes().isascii()
    assert b"\x1b" not in file.read_bytes()


@pytest.mark.parametrize("count", range(2, 8))
def test_no_line_is_a_command_to_a_ci_system_however_many_signs_precede_it(tmp_path, count):
    evil = "#" * count + "vso[task.x]"
    made = exchange(body=evil.encode())
    file = written(tmp_path, made)
    assert b"##" not in file.read_bytes()
    assert read_exchanges(file).exchanges[0] == made


def test_a_step_is_read_back_part_by_part(tmp_path):
    step = Step("poll", "/a-1 b", 2, "book <x>", "2025-11-25", "model", Mark.AGAIN)
    made = replace(exchange(), case=None, script="s", step=step)
    file = written(tmp_path, made)
    assert json.loads(file.read_text().splitlines()[1])["step"]["text"] == str(step)
    assert read_exchanges(file).exchanges[0] == made


def test_no_secret_is_written_as_a_part_of_a_step(tmp_path):
    step = Step("resource", "kit://hunter2hunter2/a", tool="hunter2hunter2")
    made = replace(exchange(), case=None, script="s", step=step)
    file = written(tmp_path, made, redact=lambda text: text.replace("hunter2hunter2", "«s»"))
    assert "hunter2" not in file.read_text()
    assert read_exchanges(file).exchanges[0].step == replace(step, place="kit://«s»/a", tool="«s»")


def test_the_id_of_a_case_is_read_back_part_by_part(tmp_path):
    id = CaseId("http", "book <x>", "too-long", "a.0", "branch-2-a", 3, "0a1b", 2)
    made = exchange(of=replace(case(), id=id))
    file = written(tmp_path, made)
    assert json.loads(file.read_text().splitlines()[1])["case"]["id"]["text"] == id.text
    found = read_exchanges(file).exchanges[0]
    assert found == made
    assert found.case.id.parts == id.parts
