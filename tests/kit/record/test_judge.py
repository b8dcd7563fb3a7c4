"""`--judge`: a recorded session judged again gives the same verdicts, and says what it lacks."""

import json
import math
from collections import Counter
from dataclasses import replace
from html import unescape

import pytest

from conformance.kit.config.secrets import Redactor
from conformance.kit.confirm.confirm import repeat
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.spill import ROOM, Spill
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.record import index
from conformance.kit.record.exchanges import ExchangeWriter, read_exchanges
from conformance.kit.record.index import Unreadable
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from fixtures.servers.start import FAULTY, REFERENCE, listening
from tests.kit.peers import offering
from tests.kit.plugin.test_bad_input import GOOD
from tests.kit.samples import envelope, error

pytestmark = pytest.mark.usefixtures("forked")

CHAPTERS = [load(f"conformance.{name}") for name in ("atdf", "http", "mcp")]
TESTS = [test for chapter in CHAPTERS for test in chapter.tests]
SECRET = "the-s3cret-of-a-header"
SETTINGS = Settings(
    allow_calls=AllowCalls.ALL,
    include_tools=("hotel_*",),
    headers=(("X-Api-Key", SECRET),),
    credentials=(SECRET,),
)


def verdicts(items):
    """What was said, by clause, run and tool."""
    return {
        (item.clause, item.run, item.tool): (item.verdict, [f.message for f in item.findings])
        for item in items.values()
    }


def recorded(url, path, settings):
    """Judge a server as the plugin does; gives the verdicts, and the record in `path`."""
    session = Session(settings)
    session.scripts = [script for chapter in CHAPTERS for script in chapter.scripts]
    session.discover((url,))
    with ExchangeWriter(
        path, kit="1", started=session.started, redact=Redactor([SECRET]),
        more=session.first_line(),
    ) as writer:  # fmt: skip
        for exchange in session.recorder.by_id.values():
            writer.write(exchange)
        session.recorder.listeners.append(writer.write)
        asked = session.questions(TESTS)
        session.drive()
        items = session.judge(asked)
        writer.last = session.last_line()
    return verdicts(items), [run.level for run in session.results(asked, items).runs]


def again(path, **given):
    """Judge the record; gives the verdicts and the levels."""
    session = Session(Settings(), **given)
    session.recall(read_exchanges(path))
    asked = session.questions(TESTS)
    items = session.judge(asked)
    return verdicts(items), [run.level for run in session.results(asked, items).runs]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """The record of a faulty server that is gone by now, and what was said of it."""
    path = tmp_path_factory.mktemp("faulty") / "exchanges.ndjson"
    with listening(FAULTY, "--fault", "true-for-an-integer") as url:
        said = recorded(url, path, replace(SETTINGS, profiles=("http",)))
    return path, said


def edited(path, tmp_path, edit):
    """A copy of the record with its lines changed."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    copy = tmp_path / "exchanges.ndjson"
    copy.write_text("".join(json.dumps(line) + "\n" for line in edit(lines)))
    return copy


def test_the_record_of_a_faulty_server_gives_the_same_verdicts(faulty):
    path, said = faulty
    assert again(path) == said
    assert {key[0] for key, (verdict, _) in said[0].items() if verdict is Verdict.FAIL} == {
        "ATDF-CALL-002"
    }


@pytest.mark.parametrize("profile", ["http", pytest.param("mcp", marks=pytest.mark.slow)])
def test_the_record_of_the_reference_gives_the_same_verdicts(tmp_path, profile):
    path = tmp_path / "exchanges.ndjson"
    with listening(REFERENCE) as url:
        said = recorded(url, path, replace(SETTINGS, profiles=(profile,)))
    assert again(path) == said
    assert not {Verdict.FAIL, Verdict.WARN} & {verdict for verdict, _ in said[0].values()}
    assert SECRET not in path.read_text()


def test_a_failure_that_was_not_confirmed_is_not_verified(faulty, tmp_path):
    def unconfirmed(lines):
        lines[-1]["repeats"] = {"cases": [], "scripts": [], "gone": []}
        return [line for line in lines if not line.get("confirms")]

    path, _ = faulty
    found, _ = again(edited(path, tmp_path, unconfirmed))
    verdict, messages = next(v for k, v in found.items() if k[0] == "ATDF-CALL-002" and k[2])
    assert (verdict, messages[0].id) == (Verdict.NOT_VERIFIED, "kit.not_verified.seen_once")


def test_of_a_session_that_is_cut_while_it_confirms_what_was_confirmed_stands(
    tmp_path, monkeypatch
):
    async def cut_after_the_first(failed, *others):
        assert len(failed) > 1
        await repeat(failed[:1], *others)
        raise TimeoutError

    monkeypatch.setattr("conformance.kit.confirm.confirming.repeat", cut_after_the_first)
    path = tmp_path / "exchanges.ndjson"
    several = replace(SETTINGS, profiles=("http",), include_tools=("hotel_*", "flight_*"))
    with listening(FAULTY, "--fault", "error-with-status-200") as url:
        said = recorded(url, path, several)
    about = [v for k, v in said[0].items() if k[0] == "HTTP-ERR-001"]
    stood = Counter(verdict for verdict, _ in about)
    assert stood[Verdict.FAIL] == 1
    later = [messages[0].id for verdict, messages in about if verdict is Verdict.NOT_VERIFIED]
    assert "kit.not_verified.seen_once" in later
    assert again(path) == said


def test_what_only_a_newer_kit_sends_was_not_recorded(faulty, tmp_path):
    def older(lines):
        own = lines[-1]["evidence"]["http"]["scripts"]
        del own["http_wire"]
        lines[-1]["scripts"].remove("http_wire")
        return lines

    path, said = faulty
    found, _ = again(edited(path, tmp_path, older))
    lacking = {key for key in found if found[key] != said[0][key]}
    assert ("HTTP-ERR-006", "http", None) in lacking
    assert {found[key][0] for key in lacking} == {Verdict.NOT_VERIFIED}
    assert {found[key][1][0].id for key in lacking} == {"kit.not_verified.not_recorded"}


@pytest.mark.parametrize(("runs", "tools"), [(1, 4000), (3, 1500), (300, 5), (401, 0)])
def test_a_record_with_more_tools_or_runs_than_fit_in_memory_is_refused(
    faulty, tmp_path, runs, tools
):
    def many(lines):
        [found] = lines[0]["found"]
        found["tools"] = [{**found["tools"][0], "name": f"t{n}"} for n in range(tools)]
        lines[0]["found"] = [
            {**found, "run": {**found["run"], "id": f"run-{n}"}} for n in range(runs)
        ]
        return lines

    with pytest.raises(Unreadable, match="more than 4000 tools together"):
        again(edited(faulty[0], tmp_path, many))


@pytest.mark.parametrize("where", ["calls", "scripts", "cases", "playings", "smallest"])
def test_a_record_that_lists_one_call_again_and_again_is_refused(
    faulty, tmp_path, monkeypatch, where
):
    # Each of the cases fits into memory, and all of them do not fit on the disk.
    monkeypatch.setattr(index, "MOST_LISTED" if where == "cases" else "MOST_TOGETHER", 1 << 20)

    def doubled(lines):
        last = lines[-1]
        own = last["evidence"]["http"]
        tool = next(iter(own["tools"].values()))
        many = tool["calls"][:1] * 6_000
        if where == "calls":
            tool["calls"] = many
        elif where == "scripts":
            own["scripts"]["http_wire"] = many
        elif where == "cases":
            last["repeats"]["cases"] = [["http", f"c{n}", many[:100]] for n in range(50)]
        elif where == "playings":
            last["repeats"]["scripts"] = [["http", "http_wire", [many]]]
        else:
            last["repeats"]["smallest"] = [["http", "x", "c", many]]
        return lines

    with pytest.raises(Unreadable, match="MB or more together"):
        again(edited(faulty[0], tmp_path, doubled))


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999])
def test_a_file_that_was_cut_accuses_nobody_and_passes_nothing_by_calls(faulty, tmp_path, kept):
    path, _ = faulty
    text = path.read_bytes()
    copy = tmp_path / "exchanges.ndjson"
    copy.write_bytes(text[: int(len(text) * kept)])
    assert not read_exchanges(copy).complete
    found, _ = again(copy)
    count = Counter(verdict for verdict, _ in found.values())
    assert count[Verdict.FAIL] == 0
    calls = {v for k, (v, _) in found.items() if k[0].startswith("ATDF-CALL") and k[2]}
    assert calls <= {Verdict.NOT_VERIFIED, Verdict.NOT_APPLICABLE}


def long_answers(name, arguments):
    """Accepts a number with more than a record keeps, and refuses anything else in an envelope."""
    given = arguments.get("n") if isinstance(arguments, dict) else None
    if isinstance(given, int) and not isinstance(given, bool):
        return 200, {"answer": "x" * 100_000}
    return 422, envelope(error(parameter="n", tool_name="good"))


@pytest.mark.parametrize("room", [0, ROOM])
def test_long_answers_are_judged_again_as_they_were(tmp_path, room):
    path = tmp_path / "exchanges.ndjson"
    with offering([GOOD], long_answers, manifest=True) as url:
        said = recorded(url, path, Settings(profiles=("http",), max_examples=0))
    assert path.stat().st_size < 1_000_000
    assert said[0][("HTTP-ERR-001", "http", "good")][0] is Verdict.PASS  # its body has to be read
    assert again(path, recorder=Recorder(Spill(room))) == said


def test_numbers_that_json_has_not_are_judged_again_as_they_were(tmp_path):
    path = tmp_path / "exchanges.ndjson"
    odd = {**GOOD, "limits": [math.inf, -math.inf, math.nan, "float:NaN"]}

    def answers(name, arguments):
        status, said = long_answers(name, arguments)
        return status, {**said, "limit": math.nan}

    with offering([odd], answers, manifest=True) as url:
        said = recorded(url, path, Settings(profiles=("http",), max_examples=0))
    for line in path.read_text(encoding="ascii").splitlines():
        json.loads(line, parse_constant=pytest.fail)
    assert again(path) == said


@pytest.mark.slow
def test_a_session_of_a_record_needs_no_server_and_ends_alike(kit, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    with offering([GOOD], lambda *_: (200, {"ok": True}), manifest=True) as url:
        live = kit("conformance", "--target", url, "--report", str(first), "--seed", "7")
    record = first / "exchanges.ndjson"
    ran = kit("conformance", "--judge", str(record), "--report", str(second))
    assert ran.code == live.code == 1, ran.said
    ours, theirs = (json.loads((each / "results.json").read_text()) for each in (first, second))
    assert ours["runs"] == theirs["runs"]
    assert theirs["seed"] == 7
    assert record.exists()
    page = (second / "report.html").read_text()  # rows are inside comments: no `--` as such
    assert "check TARGET " in unescape(page), "what a record names is named again by its reader"
    replays = [(each / "test_replay.py").read_text() for each in (first, second)]
    compile(replays[1], "test_replay.py", "exec")
    assert replays[0].replace(url, "http://TARGET") == replays[1]
    assert "What was sent" in (second / "report.html").read_text()

    kit("conformance", "--judge", str(record), "--report", str(first), "--language", "pt")
    assert record.exists()
    record.write_bytes(record.read_bytes()[:-100])
    ran = kit("conformance", "--judge", str(record), "--report", str(second))
    assert ran.code == 2
    assert "is incomplete" in ran.out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is no such file"),
        ("hello", "does not begin with the line"),
        ('{"format": 2, "kit": "x", "started": "x"}\n', "format 2, and this kit reads format 3"),
        ('{"format": 99}\n', "format 99"),
        ('{"format": 3, "kit": "x", "started": "x"}\n', "lacks what this kit needs"),
        ('{"format": 3, "kit": "x", "started": "x"}\n{}\n', "line 2"),
    ],
)
def test_a_file_that_cannot_be_judged_is_one_sentence(kit, tmp_path, text, words):
    path = tmp_path / "record"
    if text is not None:
        path.write_text(text)
    ran = kit("conformance", "--judge", str(path), "--report", str(tmp_path / "out"))
    assert ran.code == 4
    assert words in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_a_record_takes_the_place_of_a_target(kit, tmp_path):
    ran = kit("conformance", "--judge", "x", "--target", "http://h")
    assert ran.code == 4
    assert "replaces --target" in ran.err
