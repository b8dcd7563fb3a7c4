"""What is put away is read back as it was: the verdicts are those of a session held in memory."""

import gc
import signal
from dataclasses import replace

import pytest

from conformance.kit.confirm.confirm import to_confirm
from conformance.kit.confirm.confirmed import confirmed
from conformance.kit.evidence.evidence import Call
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.spill import ROOM, Spill, cost
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.record.exchanges import ExchangeWriter, read_exchanges
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load, packages
from conformance.kit.verdicts.judge import judge
from conformance.spec.vocabulary import Verdict
from fixtures.servers.start import FAULTY, listening
from tests.kit.drive.test_driving import COUNT, sound
from tests.kit.peers import offering
from tests.kit.record.test_exchanges import exchange

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]

CHAPTERS = [load(name) for name in packages()]
TESTS = [test for chapter in CHAPTERS for test in chapter.tests]
SETTINGS = Settings(
    allow_calls=AllowCalls.ALL, include_tools=("hotel_*", "get_*"), max_examples=3
)  # fmt: skip


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """A session with a faulty server of which nothing but one tool is in memory at a time."""
    path = tmp_path_factory.mktemp("session") / "exchanges.ndjson"
    session = Session(SETTINGS, recorder=Recorder(Spill(room=0)))
    session.scripts = [script for chapter in CHAPTERS for script in chapter.scripts]
    written = []
    with listening(FAULTY, "--fault", "true-for-an-integer") as url:
        session.discover((url,))
        first = list(session.recorder.by_id.values())
        more = session.first_line()
        with ExchangeWriter(path, kit="1", started=session.started, more=more) as writer:
            for one in first:
                writer.write(one)
            session.recorder.listeners.append(written.append)
            session.recorder.listeners.append(writer.write)
            asked = session.questions(TESTS)
            session.drive()
            items = session.judge(asked)
            writer.last = session.last_line()
    return session, asked, items, [*first, *written], path


def in_memory(evidence):
    """The same evidence, every call of it held by a tuple."""
    by_tool = {
        name: replace(
            tool,
            calls=tuple(tool.calls),
            beside=tool.beside and replace(tool.beside, calls=tuple(tool.beside.calls)),
        )
        for name, tool in evidence.by_tool.items()
    }
    return replace(evidence, by_tool=by_tool)


def test_the_verdicts_are_those_of_a_session_held_in_memory(session):
    session, asked, items, *_ = session
    whole = {name: in_memory(one) for name, one in session.evidence().items()}
    before = [judge(question, whole[question.run]) for question in asked]
    after = [
        confirmed(question, item, whole[question.run], session.confirming.repeats)
        if to_confirm(question, item)
        else item
        for question, item in zip(asked, before, strict=True)
    ]
    assert [items[n] for n in range(len(asked))] == after
    failed = {item.clause for item in after if item.verdict is Verdict.FAIL}
    assert failed == {"ATDF-CALL-002"}
    assert Verdict.FLAKY not in {item.verdict for item in after}


def test_the_rates_are_those_of_a_session_held_in_memory(session, monkeypatch):
    session, asked, items, *_ = session
    of_file = session.results(asked, items)
    whole = {name: in_memory(one) for name, one in session.evidence().items()}
    monkeypatch.setattr(Session, "evidence", lambda _: whole)
    assert replace(session.results(asked, items), duration=of_file.duration) == of_file
    assert of_file.runs[0].repair.rate.of > 10


@pytest.mark.parametrize("room", [0, ROOM])
def test_the_record_gives_the_same_verdicts_and_rates(session, room):
    before, asked, items, _, path = session
    session = Session(Settings(), recorder=Recorder(Spill(room)))
    session.recall(read_exchanges(path))
    again = session.questions(TESTS)
    judged = session.judge(again)
    assert [judged[n] for n in range(len(again))] == [items[n] for n in range(len(asked))]
    runs = before.results(asked, items).runs
    assert session.results(again, judged).runs == runs


def test_a_record_that_was_cut_gives_the_calls_that_it_holds(session, tmp_path):
    before, _, _, written, path = session
    lines = path.read_bytes().splitlines(keepends=True)
    (tmp_path / "cut.ndjson").write_bytes(b"".join(lines[:-1]))
    session = Session(Settings(), recorder=Recorder(Spill(room=0)))
    session.recall(read_exchanges(tmp_path / "cut.ndjson"))
    for name, run in before.driver.evidence.items():
        for tool in run.by_tool:
            own = session.driver.evidence[name].by_tool[tool].calls
            wanted = run.by_tool[tool].calls
            assert {call.exchange.id for call in own} == {call.exchange.id for call in wanted}
    assert len(session.recorder.by_id) == len(written)


def test_every_exchange_is_found_by_its_number(session):
    session, _, _, written, _ = session
    by_id = session.recorder.by_id
    assert dict(by_id) == {one.id: one for one in written}
    assert len(by_id) == len(written) == sum(session.recorder.requests.values())
    assert by_id.get(999_999) is None


def test_no_more_than_the_last_tools_calls_are_in_memory(session):
    session, *_ = session
    runs = session.driver.evidence.values()
    called = [tool for run in runs for tool in run.by_tool.values() if tool.calls]
    assert all(tool.calls[0].tool is tool.tool for tool in called)
    own = {id(tool.tool) for tool in called}
    gc.collect()
    held = [each for each in gc.get_objects() if type(each) is Call and id(each.tool) in own]
    sizes = [len(tool.calls) for tool in called]
    assert 0 < len(held) <= max(sizes) < sum(sizes) / 3


@pytest.fixture
def interruptible():
    """A worker of a parallel run ignores what Ctrl-C sends; a session of the kit does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_leaves_what_was_gathered():
    answered = []
    with offering([COUNT, {**COUNT, "name": "again"}], sound) as url:
        settings = Settings(targets=(url,), profiles=("http",), concurrency=1)
        session = Session(settings, recorder=Recorder(Spill(room=0)))
        session.discover((url,))

        def stop(ended):
            answered.append(ended)
            if len(answered) == 20:
                signal.raise_signal(signal.SIGINT)

        session.recorder.listeners.append(stop)
        session.drive()
    assert session.interrupted
    (run,) = session.driver.evidence.values()
    gathered = {call.exchange.id for tool in run.by_tool.values() for call in tool.calls}
    assert gathered == {one.id for one in answered}
    assert all(tool.cut for tool in run.by_tool.values())


def test_what_is_nested_too_deeply_to_be_written_stays_in_memory():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    vault = Spill(room=0)
    made = exchange()
    odd = replace(made, answer=replace(made.answer, messages=(deep,)))
    kept = vault.keep([odd])
    others = [vault.keep([exchange()]) for _ in range(3)]
    assert kept[0] is odd
    assert [one[0] for one in others] == [exchange()] * 3


def test_what_was_put_away_reads_like_a_tuple():
    vault = Spill(room=0)
    made = [replace(exchange(), id=id) for id in (5, 7, 9)]
    kept, _ = vault.keep(made), vault.keep([exchange()])
    assert (len(kept), list(kept.ids)) == (3, [5, 7, 9])
    assert (list(kept), kept[-1], list(kept[:2])) == (made, made[2], made[:2])
    assert made[1] in kept
    assert not vault.keep([])


def test_what_came_first_stays_in_memory():
    made = [exchange() for _ in range(5)]
    vault = Spill(room=2 * cost(made[0]) + cost(made[0]) // 2)
    kept = [vault.keep([one]) for one in made]
    for _ in range(2):
        same = [its[0] is one for its, one in zip(kept, made, strict=True)]
        assert [its[0] for its in kept] == made
        assert same == [True, True, False, False, False]
        kept[2:] = kept[4], kept[3], kept[2]
        made[2:] = made[4], made[3], made[2]
