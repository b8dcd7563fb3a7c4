"""The benchmarks that are kept: their shape, what they count, and the page that is made of them."""

import json
import re
from datetime import UTC, datetime

import pytest
from jsonschema import Draft202012Validator

from fixtures.servers.faults import FAULTS
from scripts import bench, survive
from scripts.compare import MEASURES
from scripts.compare import keep as keep_pairs
from scripts.generator.build import load_source, read_source
from scripts.generator.texts import LANGUAGES
from scripts.measure import survival
from scripts.measure.figures import GOALS, Figure, read, told
from scripts.measure.figures import save as save_speed
from scripts.peers import claims, official, schemathesis
from scripts.peers.document import (
    Comparison,
    Pair,
    Sound,
    Speed,
    Tried,
    renew_speed,
    save,
    written,
)
from scripts.peers.trials import wardrobe_faults
from scripts.website.pages.benchmarks import BENCHMARKS, benchmarks_page
from scripts.website.pages.context import Context
from scripts.website.pages.vocabularies import homes
from tests.kit.sessions import ROOT

FILES = sorted(BENCHMARKS.glob("*.json"))
WHERE = {
    (schemathesis.NAME, "reference"): {each.name for each in claims.visible(schemathesis.NAME)},
    (official.NAME, "furnished"): {each.name for each in claims.visible(official.NAME)},
    (schemathesis.NAME, "wardrobe"): set(wardrobe_faults()),
}


def closed(**properties):
    required = list(properties)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def many(items, least=0):
    return {"type": "array", "items": items, "minItems": least}


TEXT, COUNT, RATE = (
    {"type": "string", "minLength": 1},
    {"type": "integer", "minimum": 0},
    {"type": "number", "exclusiveMinimum": 0},
)
TRIED = closed(
    fault=TEXT,
    claimed={"type": "boolean"},
    ours={"type": "boolean"},
    theirs={"type": "boolean"},
    by=many(TEXT),
)
PEERS = closed(
    kind={"const": "peers"},
    date={"type": "string", "format": "date"},
    machine=closed(processors=COUNT, system=TEXT, load={"type": "number", "minimum": 0}),
    versions={"type": "object", "additionalProperties": TEXT, "minProperties": 4},
    processes={"type": "integer", "minimum": 1},
    seed={"type": "integer"},
    method=many(TEXT, 4),
    speed={
        "oneOf": [
            closed(ours=many(RATE, 1), theirs=many(RATE, 1)),
            closed(
                ours=many(RATE, 1),
                theirs=many(RATE, 1),
                date={"type": "string", "format": "date"},
                load={"type": "number", "minimum": 0},
            ),
        ]
    },
    sound=many(
        closed(
            kit=TEXT,
            server=TEXT,
            alarms=COUNT,
            requests=COUNT,
            seconds=RATE,
            processor=RATE,
            lacking=COUNT,
        ),
        1,
    ),
    pairs=many(closed(peer=TEXT, server=TEXT, visible=COUNT, claimed=COUNT, tried=many(TRIED)), 1),
)
PAIRS = closed(
    kind={"const": "pairs"},
    date={"type": "string", "format": "date"},
    machine=closed(processors=COUNT, system=TEXT, load={"type": "number", "minimum": 0}),
    versions={"type": "object", "additionalProperties": TEXT, "minProperties": 1},
    before=TEXT,
    after=TEXT,
    measures=closed(
        **{name: closed(before=many(RATE, 3), after=many(RATE, 3)) for name in MEASURES}
    ),
)
SURVIVAL = closed(
    kind={"const": "survival"},
    date={"type": "string", "format": "date"},
    machine=closed(processors=COUNT, system=TEXT, load={"type": "number", "minimum": 0}),
    versions={"type": "object", "additionalProperties": TEXT, "minProperties": 1},
    limits=closed(megabytes=RATE, seconds=RATE, work=RATE),
    sessions=many(
        closed(
            name=TEXT,
            binding=TEXT,
            seconds=RATE,
            work=RATE,
            megabytes=RATE,
            code=COUNT,
            wrong={"type": "string"},
        ),
        1,
    ),
)


def comparison():
    made = Comparison({"Python": "3", "Node": "24", "schemathesis": "1", "official": "2"})
    made.speed = Speed((900.0, 1000.0, 1100.0), (100.0, 100.0, 200.0))
    made.sound = [Sound("agent-formats", "reference over MCP", 0, 2700, 10.0, 5.0)]
    pair = Pair(schemathesis.NAME, "reference", 211, 107)
    pair.tried = [
        Tried("no-health", claimed=True, ours=True, theirs=False),
        Tried("empty-name", claimed=True, ours=True, theirs=True, by=("check GET /tools 200",)),
    ]
    made.pairs = [pair]
    return made


def problems(value, schema=PEERS):
    return [error.message for error in Draft202012Validator(schema).iter_errors(value)]


def test_a_comparison_is_written_in_the_shape_that_is_kept(tmp_path):
    file = tmp_path / "peers.json"
    save(comparison(), file)
    kept = json.loads(file.read_bytes())
    assert problems(kept) == []
    assert [each["fault"] for each in kept["pairs"][0]["tried"]] == ["empty-name", "no-health"]
    assert kept == json.loads(json.dumps(written(comparison(), datetime.now(UTC))))


@pytest.mark.parametrize(
    ("measured", "kept"), [(sorted(GOALS), True), (sorted(GOALS.keys() - {"report_opens"}), False)]
)
def test_a_benchmark_is_kept_only_if_every_goal_was_measured(
    measured, kept, tmp_path, monkeypatch, capsys
):
    file = tmp_path / "speed.json"
    figures = [
        Figure(name, (1.0,), dict.fromkeys(("tools", "few", "many"), 1)) for name in measured
    ]
    monkeypatch.setattr(bench, "KEPT", file)
    for name in (
        "cases_a_second",
        "help_over_bare_start",
        "default_run",
        "small_server",
        "reference_gateway",
        "report",
    ):
        monkeypatch.setattr(bench, name, list)
    monkeypatch.setattr(bench, "drive_over_bare_loop", lambda: figures)
    monkeypatch.setattr(bench, "scale", lambda sizes: [])
    assert bench.main([]) == 0
    assert file.exists() is kept
    assert ("speed.json stays as it was, since not measured: report_opens"
            in capsys.readouterr().out) is not kept  # fmt: skip
    assert bench.main(["--keep", str(tmp_path / "other.json")]) == 0
    assert (tmp_path / "other.json").exists()


def test_there_is_a_comparison():
    assert "peers.json" in {file.name for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_is_kept_has_its_shape_and_names_faults_that_the_peer_can_see(file):
    kept = json.loads(file.read_bytes())
    if kept["kind"] in ("mutants", "coverage"):
        return  # their own tests look at them
    if kept["kind"] == "pairs":
        assert problems(kept, PAIRS) == []
        return
    if kept["kind"] == "survival":
        assert problems(kept, SURVIVAL) == []
        assert [one.wrong for one in survival.read(kept) if one.wrong] == []
        assert len({one.name for one in survival.read(kept)}) >= 60
        return
    if kept["kind"] == "speed":
        names = {figure.name for figure in read(kept)}
        assert names >= GOALS.keys(), "every goal was measured"
        assert kept["machine"]["load"] >= 0
        return
    assert problems(kept) == []
    for pair in kept["pairs"]:
        names = [each["fault"] for each in pair["tried"]]
        assert len(names) == len(set(names)) <= pair["visible"]
        assert set(names) <= WHERE[pair["peer"], pair["server"]]
        assert all(bool(each["by"]) == each["theirs"] for each in pair["tried"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_a_peer_claims_is_kept_as_the_table_of_claims_has_it(file):
    kept = json.loads(file.read_bytes())
    for pair in kept.get("pairs", []):
        for each in pair["tried"]:
            fault = FAULTS.get(each["fault"])
            expected = (
                each["fault"] not in claims.WARDROBE_UNCLAIMED
                if pair["server"] == "wardrobe"
                else fault is not None and claims.claimed(pair["peer"], fault)
            )
            assert each["claimed"] == expected, each["fault"]


@pytest.fixture(scope="module")
def source():
    found, _ = read_source(load_source(ROOT))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_what_was_found_how_fast_and_how_it_was_measured(tmp_path, source, language):
    save(comparison(), tmp_path / "peers.json")
    context = Context(source, language, homes(source))
    made = benchmarks_page(context, tmp_path).decode()
    lines = made.splitlines()
    row = next(line for line in lines if "211" in line)
    found = context.said("peers_of", found=2, all=2)
    assert [cell.strip() for cell in row.split("|")[3:6]] == ["211", "2", found]
    fast, ratio = {"en": ("1,000", "10.0")}.get(language, ("1000", "10,0"))
    assert ratio in next(line for line in lines if f" {fast} " in line)
    assert all(context.said(f"peers_method_{each}") in made for each in ("servers", "found"))
    assert "`no-health`" in made and "`check GET /tools 200`" in made
    anchors = ("peers", "peers-found", "peers-speed", "peers-sound", "peers-method", "peers-each")
    assert all(f"{{ #{anchor} }}" in made for anchor in anchors)


@pytest.mark.parametrize(("ours", "missed"), [(499.0, True), (500.0, False)])
def test_a_speed_below_its_goal_is_told_with_its_cause(tmp_path, source, ours, missed):
    kept = {**written(comparison()), "speed": {"ours": [ours], "theirs": [100.0]}}
    (tmp_path / "peers.json").write_text(json.dumps(kept))
    context = Context(source, "en", homes(source))
    made = benchmarks_page(context, tmp_path).decode()
    assert (context.said("peers_speed_missed", goal=5) in made) is missed


def test_a_speed_that_was_measured_later_has_its_own_day_and_load(tmp_path, source):
    file = tmp_path / "peers.json"
    save(comparison(), file)
    renew_speed(Speed((1200.0,), (200.0,)), 0.5, file)
    kept = json.loads(file.read_text())
    assert problems(kept) == []
    kept["date"] = "2020-01-01"
    file.write_text(json.dumps(kept))
    made = benchmarks_page(Context(source, "en", homes(source)), tmp_path).decode()
    anew = next(part for part in made.split("\n\n") if "scripts.peers --speed" in part)
    assert kept["speed"]["date"] in anew
    assert "0.5" in anew
    assert "2020-01-01" not in anew


def test_charts_come_first_and_count_what_a_server_was_not_made_to_have_apart(tmp_path, source):
    made = comparison()
    made.sound += [
        Sound(official.NAME, "furnished", 7, 300, 3.0, 2.0),
        Sound(official.NAME, "reference over MCP", 7, 250, 3.0, 2.0, lacking=51),
    ]
    save(made, tmp_path / "peers.json")
    text = benchmarks_page(Context(source, "en", homes(source)), tmp_path).decode()
    charts, tables = text[: text.index("\n| ")], text[text.index("\n| ") :]
    found, alarms, speed = re.findall(r'<figure class="chart">.*?</figure>', charts)
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", found) == [
        ("Agent Formats", "2 of 2"), ("Schemathesis", "1 of 2"),
    ]  # fmt: skip
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", alarms) == [
        ("Agent Formats", "0"), ("MCP conformance kit", "7"),
    ]  # fmt: skip
    assert re.findall("<dd>(.*?)</dd>", speed) == ["1,000", "100"]
    assert "| 7 | 51 |" in tables


def test_the_page_begins_with_what_the_kit_finds(source):
    made = benchmarks_page(Context(source, "en", homes(source))).decode()
    parts = ("peers", "speed", "survival", "mutants", "coverage")
    places = [made.index(f"{{ #{each} }}") for each in parts]
    assert places == sorted(places)


def test_a_comparison_in_several_processes_says_so(tmp_path, source):
    kept = {**written(comparison()), "processes": 3}
    (tmp_path / "peers.json").write_text(json.dumps(kept))
    context = Context(source, "en", homes(source))
    assert context.said("peers_parts", count=3) in benchmarks_page(context, tmp_path).decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_speed_is_told_with_its_goals_and_what_is_missed_with_its_cause(tmp_path, source, language):
    kept = tmp_path / "speed.json"
    measured = [
        Figure("bare", (800.0, 875.0, 900.0)),
        Figure("ratio", (0.5, 0.58, 0.7)),
        Figure("whole", (31.0, 30.0, 29.0)),
        Figure("cases", (2600.0,)),
        Figure("tools_memory", (258.0,), {"tools": 1000}),
    ]
    save_speed(measured, {"Python": "3.11"}, kept)
    made = benchmarks_page(Context(source, language, homes(source)), tmp_path).decode()
    rows = {line for line in made.splitlines() if line.startswith("|")}
    point, thousand = {"en": (".", "1,000")}.get(language, (",", "1000"))
    assert any(f"| 29{point}00 | 30{point}00 | 31{point}00 |" in row for row in rows)
    assert any(thousand in row and "| 258 |" in row for row in rows)
    told = [line for line in made.splitlines() if "30" in line and line not in rows]
    assert any(f"15{point}00" in line for line in told), "as it would be on a machine twice as fast"
    assert any(f"0{point}58" in line for line in made.splitlines() if line not in rows)
    assert made.count(Context(source, language, homes(source)).said("speed_cause_ratio")) == 1
    assert not any("258" in line for line in made.splitlines() if line not in rows)


def test_every_figure_that_the_benchmark_takes_has_words_that_fit_its_table(source):
    names = {name for name in source.messages if name.startswith("site.speed_")}
    assert {f"site.speed_{name}" for name in GOALS} <= names
    line = told(Figure("each_tool", (0.4,), {"few": 100, "many": 1000}))
    assert line.index("0.40") == line.rindex("0.40") - 20


def test_a_file_that_is_no_benchmark_is_named(tmp_path, source):
    (tmp_path / "other.json").write_text(json.dumps({"figures": []}))
    with pytest.raises(ValueError, match=r"other\.json"):
        benchmarks_page(Context(source, "en", homes(source)), tmp_path)


def test_without_a_benchmark_there_is_no_page(tmp_path, source):
    assert benchmarks_page(Context(source, "en", homes(source)), tmp_path) is None


def outcome(name, binding, megabytes, wrong=""):
    return survival.Survived(name, binding, 12.34, 5.67, megabytes, 1, wrong)


LIMITS = {"megabytes": 500, "seconds": 40, "work": 60}


def test_a_part_of_the_hostile_servers_replaces_its_rows_alone(tmp_path):
    file = tmp_path / "survival.json"
    every = [("a", "http"), ("a", "stdio"), ("b", "mcp")]
    both = [outcome("b", "mcp", 90.4), outcome("a", "stdio", 80.6), outcome("gone", "mcp", 1.0)]
    survival.save(both, every, {"Python": "3"}, LIMITS, file)
    survival.save([outcome("a", "stdio", 99.6)], every, {"Python": "3"}, LIMITS, file)
    kept = json.loads(file.read_bytes())
    assert problems(kept, SURVIVAL) == []
    told = [(one.name, one.binding, one.megabytes) for one in survival.read(kept)]
    assert told == [("a", "stdio", 100), ("b", "mcp", 90)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_shows_the_most_that_a_server_took_and_what_was_not_survived(
    tmp_path, source, language
):
    every = [("a", "http"), ("a", "stdio"), ("b", "mcp")]
    rows = [outcome("a", "http", 80.0), outcome("a", "stdio", 90.0), outcome("b", "mcp", 600, "x")]
    survival.save(rows, every, {"Python": "3"}, LIMITS, tmp_path / "survival.json")
    context = Context(source, language, homes(source))
    made = benchmarks_page(context, tmp_path).decode()
    lines = [line.strip() for line in made.splitlines()]
    yes, no = context.said("yes"), context.said("no")
    assert f"| `a` | `http`, `stdio` | 90 | 6 | 12 | {yes} |" in lines
    assert f"| `b` | `mcp` | 600 | 6 | 12 | {no} |" in lines


def test_each_hostile_session_has_figures():
    assert set(survive.every()) == survival.kept()


def test_a_session_that_has_figures_is_not_missing(monkeypatch, tmp_path):
    tried = []
    monkeypatch.setattr(survival, "KEPT", tmp_path / "survival.json")
    monkeypatch.setattr(survive, "attempt", lambda *one: tried.append(one) or outcome(*one, 70.0))
    only = ["--only", "crash", "--only", "dies-at-once", "--keep", "--missing"]
    assert survive.main(only[:2] + only[4:]) == 0
    assert survive.main(only) == 0
    assert tried == [("crash", "stdio"), ("dies-at-once", "stdio")]


def test_survive_keeps_what_it_is_told_to_keep(tmp_path, monkeypatch):
    file = tmp_path / "survival.json"
    monkeypatch.setattr(survive, "attempt", lambda name, binding: outcome(name, binding, 70.0))
    monkeypatch.setattr(survival, "KEPT", file)
    assert survive.main(["--only", "crash"]) == 0
    assert not file.exists()
    assert survive.main(["--only", "crash", "--keep"]) == 0
    assert [one.name for one in survival.read(json.loads(file.read_bytes()))] == ["crash"]


def test_pairs_are_kept_in_their_shape_and_shown_with_their_ratio(tmp_path):
    found = {name: {"before": [1.0, 2.0, 3.0], "after": [4.0, 3.0, 2.0]} for name in MEASURES}
    keep_pairs({"before": "aaaaaaaa", "after": "bbbbbbbb"}, found, tmp_path / "pairs.json")
    kept = json.loads((tmp_path / "pairs.json").read_text())
    assert problems(kept, PAIRS) == []
    source = read_source(load_source(ROOT))[0]
    shown = benchmarks_page(Context(source, "en", homes(source)), tmp_path).decode()
    assert "1.50" in shown
