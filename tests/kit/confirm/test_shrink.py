"""What fails at random: shown by the smallest call that fails, and remembered for the next time."""

import json
import os
import threading
from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from conformance.formats.schema import extended, instances
from conformance.formats.schema.ecma import patterns
from conformance.kit.cases import database as remembered
from conformance.kit.cases import drawn as by_chance
from conformance.kit.cases import valid_values as values
from conformance.kit.cases.database import (
    LIBRARIES,
    MODULES,
    Memory,
    Remembered,
    digest_of,
    generator,
)
from conformance.kit.cases.drawn import Drawn, is_by_chance
from conformance.kit.cases.random import negate, plan
from conformance.kit.config.secrets import Redactor
from conformance.kit.confirm import shrink
from conformance.kit.confirm.shrink import MOST_CALLS
from conformance.kit.drive.channel import open_channel
from conformance.kit.model.case import CaseKind
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.settings import Settings
from conformance.kit.plugin.plan_listing import planned
from conformance.kit.record.exchanges import ExchangeWriter, read_exchanges
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from tests.kit.peers import offering
from tests.kit.samples import HTTP, TOOL

NOTE = {
    "name": "note",
    "description": "Keeps a note.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": 200, "description": "The note."},
            "stars": {"type": "integer", "minimum": 0, "maximum": 9, "description": "How good."},
            "open": {"type": "boolean", "description": "For all to read."},
        },
        "required": ["text"],
        "additionalProperties": False,
    },
}
CRASHES = "ATDF-CALL-005", "note"
ACCEPTED = "ATDF-CALL-001", "note"


def is_valid(call):
    return (
        isinstance(call, dict)
        and call.keys() <= {"text", "stars", "open"}
        and isinstance(call.get("text"), str)
        and len(call["text"]) <= 200
        and type(call.get("stars", 0)) is int
        and 0 <= call.get("stars", 0) <= 9
        and isinstance(call.get("open", True), bool)
    )


def sound(name, call):
    return (200, {"ok": True}) if is_valid(call) else (400, {"detail": "wrong"})


def fails_at_middling_lengths(name, call):
    """A fault that no named scenario meets: they keep to the ends of a range."""
    return (500, {}) if is_valid(call) and 60 <= len(call["text"]) < 120 else sound(name, call)


def takes_what_is_far_too_large(name, call):
    far = is_valid({**call, "stars": 0}) if isinstance(call, dict) else False
    if far and type(call.get("stars")) is int and call["stars"] > 50:
        return 200, {"ok": True}
    return sound(name, call)


class Driven:
    """A session with such a server, and its items by clause and tool."""

    def __init__(self, call, url, *, memory=None, tool=NOTE, **settings):
        chapter = load("conformance.atdf")
        self.session = Session(Settings(targets=(url,), profiles=("http",), **settings))
        self.session.memory = memory
        self.session.discover((url,))
        self.asked = self.session.questions(list(chapter.tests))
        self.session.drive()
        judged = self.session.judge(self.asked)
        self.items = {(q.clause.id, q.tool): judged[n] for n, q in enumerate(self.asked)}

    def shown(self, key):
        """The case that the first finding of an item shows."""
        return self.session.recorder.by_id[self.items[key].findings[0].exchange].case

    @property
    def cases(self):
        """Every case that was sent, each time that it was, in the order of the numbers."""
        sent = sorted(self.session.recorder.by_id.values(), key=lambda each: each.id)
        return [each.case for each in sent if each.case is not None]

    @property
    def simpler(self):
        """The simpler cases that were sent."""
        return [case for case in self.cases if case.id.smallest]


def session(call, **more):
    with offering([more.get("tool", NOTE)], call) as url:
        return Driven(call, url, **more)


@pytest.fixture(scope="module")
def crashing():
    return session(fails_at_middling_lengths)


def test_what_fails_by_chance_is_shown_by_the_smallest_call_that_fails(crashing):
    assert crashing.items[CRASHES].verdict is Verdict.FAIL
    assert crashing.shown(CRASHES).arguments == {"text": "a" * 60}
    assert "a" * 20 in crashing.items[CRASHES].findings[0].message.words()


def test_few_calls_are_spent_on_it_and_the_smallest_is_sent_twice_more(crashing):
    assert 3 <= len(crashing.simpler) <= MOST_CALLS
    smallest = crashing.shown(CRASHES).id
    assert Counter(case.id for case in crashing.simpler)[smallest] == 3


def test_a_value_that_was_let_through_is_shown_as_near_to_the_bound_as_it_is():
    found = session(takes_what_is_far_too_large)
    shown = found.shown(ACCEPTED)
    assert (found.items[ACCEPTED].verdict, shown.arguments["stars"]) == (Verdict.FAIL, 51)
    assert shown.violation.keywords == ("maximum",)
    assert "open" not in shown.arguments


def test_where_no_simpler_call_can_be_made_nothing_is_opened_to_make_it(monkeypatch):
    """A process took seconds to start for each of a hundred tools, and was asked nothing."""
    opened = []

    async def opening(run, context):
        opened.append(run.id)
        return await open_channel(run, context)

    monkeypatch.setattr(shrink, "open_channel", opening)
    text = NOTE["inputSchema"]["properties"]["text"]
    alone = {"type": "object", "properties": {"text": text}, "required": ["text"]}
    named = [7, True, ["abc", 7], {"key": "value"}, None]

    def takes_other_types(name, call):
        odd = call.get("text", "") if isinstance(call, dict) else ""
        return sound(name, call) if isinstance(odd, str) or odd in named else (200, {})

    found = session(takes_other_types, tool={**NOTE, "inputSchema": alone})
    assert is_by_chance(found.shown(ACCEPTED))
    assert opened == []


def test_where_a_named_scenario_shows_it_nothing_smaller_is_looked_for():
    assert session(lambda *_: (200, {"ok": True})).simpler == []


def test_a_server_without_a_fault_is_asked_nothing_more():
    assert session(sound).simpler == []


def test_a_server_that_fails_now_and_then_ends_the_search_in_time():
    lock, seen = threading.Lock(), Counter()

    def moody(name, call):
        with lock:
            seen["calls"] += 1
            moment = seen["calls"] % 3
        return (
            (500, {}) if moment and is_valid(call) and len(call["text"]) > 20 else sound("", call)
        )

    found = session(moody)
    assert len(found.simpler) <= MOST_CALLS * len(found.items)
    assert found.items[CRASHES].verdict in {Verdict.FAIL, Verdict.FLAKY}


def test_a_server_that_fails_once_for_each_call_has_nothing_to_make_smaller():
    lock, seen = threading.Lock(), set()

    def once(name, call):
        with lock:
            first = repr(call) not in seen
            seen.add(repr(call))
        return (500, {}) if first and fails_at_middling_lengths(name, call)[0] == 500 else (
            sound(name, call))  # fmt: skip

    found = session(once)
    assert found.items[CRASHES].verdict is Verdict.FLAKY
    assert found.simpler == []


def test_where_the_smallest_does_not_fail_again_the_call_that_did_is_shown():
    lock, seen = threading.Lock(), Counter()

    def forgives(name, call):
        if fails_at_middling_lengths(name, call)[0] != 500:
            return sound(name, call)
        with lock:
            seen[repr(call)] += 1
            again = seen[repr(call)] > 1
        plain = set(call["text"]) == {"a"}
        return sound(name, call) if plain and again else (500, {})

    found = session(forgives)
    assert found.items[CRASHES].verdict is Verdict.FAIL
    assert found.simpler != []
    assert not found.shown(CRASHES).id.smallest


def test_a_simpler_call_that_fails_in_another_way_is_not_taken_for_the_same():
    def falls(name, call):
        status, body = fails_at_middling_lengths(name, call)
        return None if status == 500 and set(call["text"]) == {"a"} else (status, body)

    found = session(falls)
    assert found.items[CRASHES].verdict is Verdict.FAIL
    assert set(found.shown(CRASHES).arguments["text"]) != {"a"}
    assert found.items[CRASHES].findings[0].message.id == "finding.call.status_of_valid"


def test_a_recorded_session_shows_the_same_smallest_call(crashing, tmp_path):
    session, path = crashing.session, tmp_path / "exchanges.ndjson"
    with ExchangeWriter(path, kit=session.kit, started=session.started,
                        redact=Redactor(), more=session.first_line()) as writer:  # fmt: skip
        for exchange in session.recorder.by_id.values():
            writer.write(exchange)
        writer.last = session.last_line()
    again = Session(Settings())
    again.recall(read_exchanges(path))
    judged = again.judge(crashing.asked)
    items = {(q.clause.id, q.tool): judged[n] for n, q in enumerate(crashing.asked)}
    assert items[CRASHES].findings[0] == crashing.items[CRASHES].findings[0]


def drawn_first(found):
    """The first case that was sent, other than the valid calls."""
    return next(case for case in found.cases if case.kind is not CaseKind.BASELINE)


def test_what_failed_is_sent_first_the_next_time_and_not_made_smaller_again(tmp_path):
    memory = Memory(tmp_path)
    with offering([NOTE], fails_at_middling_lengths) as url:
        first = Driven(fails_at_middling_lengths, url, memory=memory)
        second = Driven(fails_at_middling_lengths, url, memory=memory, seed=7)
        plan = list(planned(second.session.found, second.session.settings, memory))
    smallest = first.shown(CRASHES)
    assert drawn_first(first).id != smallest.id
    assert drawn_first(second) == smallest == second.shown(CRASHES)
    assert {case.id for case in second.simpler} == {smallest.id}
    assert plan[1] == f"  accept  {smallest.id}"


def all_kept(folder):
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def test_what_holds_again_is_forgotten(tmp_path):
    memory = Memory(tmp_path)
    repaired = threading.Event()

    def one_day(name, call):
        return (sound if repaired.is_set() else fails_at_middling_lengths)(name, call)

    with offering([NOTE], one_day) as url:
        Driven(one_day, url, memory=memory)
        assert any(b"000000000001 " in text for text in all_kept(tmp_path))  # of this tool, now
        repaired.set()
        second, third = (Driven(one_day, url, memory=memory) for _ in range(2))
    assert second.simpler != []
    assert third.simpler == []
    assert all_kept(tmp_path) == []


def test_another_schema_makes_a_fresh_start(tmp_path):
    memory = Memory(tmp_path)
    tools = [NOTE]
    with offering(tools, fails_at_middling_lengths) as url:
        Driven(fails_at_middling_lengths, url, memory=memory)
        schema = NOTE["inputSchema"]
        tools[0] = {**NOTE, "inputSchema": {**schema, "title": "Another"}}
        second = Driven(sound, url, memory=memory)
    assert is_by_chance(second.shown(CRASHES))
    assert not is_by_chance(drawn_first(second))


def test_without_random_cases_nothing_is_remembered_or_sent_again(tmp_path):
    memory = Memory(tmp_path)
    with offering([NOTE], fails_at_middling_lengths) as url:
        Driven(fails_at_middling_lengths, url, memory=memory)
        without = Driven(fails_at_middling_lengths, url, memory=memory, max_examples=0)
    assert not any(is_by_chance(case) for case in without.cases)


CALL = Remembered(
    Drawn(CaseId("http", "book", "random-valid", "1"), "random-valid", {"count": 3}), ("A-1", "B-2")
)


def test_what_is_kept_is_recalled_for_its_target_run_and_tool_alone(tmp_path):
    memory = Memory(tmp_path)
    memory.replace(HTTP, TOOL, [], [CALL])
    assert memory.recall(HTTP, TOOL) == [CALL]
    assert memory.recall(replace(HTTP, target="http://other"), TOOL) == []
    assert memory.recall(replace(HTTP, id="openapi"), TOOL) == []
    assert memory.recall(HTTP, replace(TOOL, name="other")) == []


@pytest.mark.timeout(60)
def test_what_a_server_left_among_the_kept_calls_does_not_stop_the_kit(tmp_path):
    memory = Memory(tmp_path)
    memory.replace(HTTP, TOOL, [], [CALL])
    memory.tidy([(HTTP, TOOL)])
    for folder in [path for path in tmp_path.iterdir() if path.is_dir()]:
        os.mkfifo(folder / "pipe")
        (folder / "device").symlink_to("/dev/zero")
        with (folder / "sparse").open("wb") as file:
            file.truncate(2**40)
    assert memory.recall(HTTP, TOOL) == [CALL]
    memory.tidy([(HTTP, TOOL)])


def test_what_was_kept_for_another_schema_is_forgotten(tmp_path):
    memory = Memory(tmp_path)
    memory.replace(HTTP, TOOL, [], [CALL])
    assert memory.recall(HTTP, replace(TOOL, input_schema={"type": "object"})) == []
    assert memory.recall(HTTP, TOOL) == []


def test_what_another_generator_drew_is_forgotten(tmp_path, monkeypatch):
    memory = Memory(tmp_path)
    with monkeypatch.context() as older:
        older.setattr(remembered, "generator", lambda: "older")
        memory.replace(HTTP, TOOL, [], [CALL])
        assert memory.recall(HTTP, TOOL) == [CALL]
    assert memory.recall(HTTP, TOOL) == []
    assert all_kept(tmp_path) == []


def test_a_generator_is_another_one_with_another_module_or_library(tmp_path):
    (tmp_path / "draw.py").write_text("one")
    first = digest_of([tmp_path], {"hypothesis": "1"})
    assert digest_of([tmp_path], {"hypothesis": "1"}) == first
    (tmp_path / "draw.pyc").write_text("made of it")
    assert digest_of([tmp_path], {"hypothesis": "1"}) == first
    assert digest_of([tmp_path], {"hypothesis": "2"}) != first
    (tmp_path / "draw.py").write_text("two")
    assert digest_of([tmp_path], {"hypothesis": "1"}) != first


@pytest.mark.parametrize("module", [by_chance, extended, instances, negate, patterns, plan, values])
def test_the_generator_is_what_draws_and_judges_calls(module):
    assert any(folder in Path(module.__file__).parents for folder in MODULES)
    assert generator() == digest_of(MODULES, {name: version(name) for name in LIBRARIES})


def test_no_more_is_kept_than_of_the_last_tools(tmp_path, monkeypatch):
    monkeypatch.setattr(remembered, "MOST_TOOLS", 3)
    memory = Memory(tmp_path)
    tools = [replace(TOOL, name=f"t{n}") for n in range(5)]

    def keep(*some):
        for tool in some:
            memory.replace(HTTP, tool, [], [CALL])
        memory.tidy([(HTTP, tool) for tool in some])

    def kept():
        return [tool.name for tool in tools if memory.recall(HTTP, tool)]

    for tool in tools[:3]:
        keep(tool)
    keep(tools[0])  # so that it is not the oldest any more
    assert kept() == ["t0", "t1", "t2"]
    keep(tools[3])
    assert kept() == ["t0", "t2", "t3"]
    keep(*tools)
    assert len(kept()) == 3
    for tool in tools:
        memory.replace(HTTP, tool, memory.recall(HTTP, tool), [])
    memory.tidy([(HTTP, tool) for tool in tools])
    assert all_kept(tmp_path) == []


def test_no_secret_is_kept_and_no_target_can_be_read(tmp_path):
    memory = Memory(tmp_path, Redactor(["hush-hush"]))
    run = replace(HTTP, target="http://user:hush-hush@host-name")
    secret = Remembered(
        Drawn(CaseId("http", "book", "i"), "random-valid", {"token": "hush-hush"}), ("A-1",)
    )
    memory.replace(run, TOOL, [], [CALL, secret])
    assert memory.recall(run, TOOL) == [CALL]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    written = b"".join(path.read_bytes() + str(path).encode() for path in files)
    assert b"hush" not in written
    assert b"host-name" not in written


@pytest.mark.parametrize("junk", [b"", b"[]", b"{}", b"\xff", b'{"schema": 1, "call": {}}'])
def test_what_cannot_be_read_is_passed_over(tmp_path, junk):
    memory = Memory(tmp_path)
    memory.replace(HTTP, TOOL, [], [CALL])
    for path in tmp_path.rglob("*"):
        if path.is_file() and b"random-valid" in path.read_bytes():
            path.write_bytes(junk)
    assert memory.recall(HTTP, TOOL) == []


@pytest.mark.parametrize(
    "changed", [{"pointer": 5}, {"scenario": None}, {"id": {"run": 5}}, {"id": []}, {"more": 1}]
)
def test_a_call_of_another_form_is_passed_over(tmp_path, changed):
    """A repository may bring a cache."""
    memory = Memory(tmp_path)
    memory.replace(HTTP, TOOL, [], [CALL])
    for path in tmp_path.rglob("*"):
        if path.is_file() and b"random-valid" in path.read_bytes():
            value = json.loads(path.read_bytes())
            path.write_text(json.dumps({**value, "call": {**value["call"], **changed}}))
    assert memory.recall(HTTP, TOOL) == []


def test_a_folder_that_cannot_be_written_to_remembers_nothing(tmp_path):
    (tmp_path / "file").write_text("no folder")
    memory = Memory(tmp_path / "file" / "folder")
    memory.replace(HTTP, TOOL, [], [CALL])
    assert memory.recall(HTTP, TOOL) == []


@pytest.mark.slow
def test_the_command_line_keeps_it_in_pytest_s_cache_until_that_is_cleared(kit, tmp_path):
    def smallest(*more):
        report = str(tmp_path / "report")
        with_cache = ("-o", f"cache_dir={tmp_path / 'cache'}", "--report", report, *more)
        ran = kit("conformance/atdf", "--target", url, "-k", "ATDF-CALL-005", *with_cache)
        assert ran.code == 1, ran.said
        sent = read_exchanges(tmp_path / "report" / "exchanges.ndjson").exchanges
        return {e.case.id for e in sent if e.case and e.confirms is None}

    with offering([NOTE], fails_at_middling_lengths) as url:
        sent = [smallest(), smallest(), smallest("--max-examples", "30", "--cache-clear")]
    assert [any(id.smallest for id in ids) for ids in sent] == [False, True, False]


def test_what_is_kept_in_no_form_of_ours_is_forgotten(tmp_path):
    memory = Memory(tmp_path)
    with offering([NOTE], fails_at_middling_lengths) as url:
        Driven(fails_at_middling_lengths, url, memory=memory)
        before = len(all_kept(tmp_path))
        for path in tmp_path.rglob("*"):
            if path.is_file():
                path.write_bytes(b"[" * 100_000)
        again = Driven(fails_at_middling_lengths, url, memory=memory)
    assert before > 0
    assert again.shown(CRASHES)
