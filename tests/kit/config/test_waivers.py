"""Waivers: what is accepted for now is listed and fails nothing; a stale one fails."""

import json
from datetime import date

import pytest

from conformance.kit.config.waivers import WaiversUnusable, read_waivers, waive
from conformance.kit.model.results import Item, Waiver
from conformance.kit.model.run import Run
from conformance.spec.vocabulary import Binding, Requirement, Verdict
from tests.counting import counting
from tests.kit.peers import offering
from tests.kit.plugin.test_bad_input import GOOD

TODAY = date(2026, 11, 21)
CLAUSE = "ATDF-CALL-001"
RUNS = {"http": (Run("http", "http://h", Binding.HTTP, "http://h"), ("a", "b"))}


def item(verdict, tool="a", clause=CLAUSE):
    return Item(clause, Requirement.MUST, "http", tool, verdict)


def waived(items, **waiver):
    """The verdicts after one waiver, and the id of the message that calls it stale."""
    given = Waiver(**{"clause": CLAUSE, "reason": "known", **waiver})
    after, (used,) = waive(items, [given], RUNS, TODAY)
    return [one.verdict for one in after], used.stale and used.stale.id


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.WARN])
def test_what_is_broken_is_waived_with_its_reason(verdict):
    after, (used,) = waive([item(verdict)], [Waiver(CLAUSE, "known")], RUNS, TODAY)
    assert (after[0].verdict, after[0].waiver_reason) == (Verdict.WAIVED, "known")
    assert (used.waived, used.stale) == (1, None)


def test_a_waiver_of_one_tool_leaves_the_others_failing():
    verdicts, _ = waived([item(Verdict.FAIL), item(Verdict.FAIL, "b")], tool="b")
    assert verdicts == [Verdict.FAIL, Verdict.WAIVED]


@pytest.mark.parametrize(
    "verdict", [Verdict.NOT_VERIFIED, Verdict.NOT_APPLICABLE, Verdict.FLAKY, Verdict.KIT_ERROR]
)
def test_what_could_not_be_judged_keeps_the_waiver(verdict):
    assert waived([item(verdict)]) == ([verdict], None)


def test_a_waiver_of_what_passes_is_stale():
    assert waived([item(Verdict.PASS)]) == ([Verdict.PASS], "kit.waivers.kept")


def test_one_tool_that_still_fails_keeps_the_waiver_of_all():
    assert waived([item(Verdict.PASS), item(Verdict.FAIL, "b")])[1] is None


def test_a_waiver_of_a_tool_that_is_gone_is_stale():
    assert waived([item(Verdict.FAIL)], tool="gone") == ([Verdict.FAIL], "kit.waivers.no_tool")


def test_of_a_tool_that_its_run_lacks_a_waiver_does_not_say_that_the_target_lacks_it():
    given = Waiver(CLAUSE, "known", tool="c", run="http")
    runs = {**RUNS, "mcp": (Run("mcp", "http://h", Binding.MCP, "http://h/mcp"), ("c",))}
    _, (used,) = waive([item(Verdict.FAIL)], [given], runs, TODAY)
    assert used.stale.words() == "the run http has no tool `c`"


def test_a_waiver_of_a_run_that_is_gone_is_stale():
    assert waived([item(Verdict.FAIL)], run="stdio") == ([Verdict.FAIL], "kit.waivers.no_run")


@pytest.mark.parametrize("clause", ["MCP-VER-001", "HTTP-ERR-006"])
def test_a_clause_that_does_not_apply_keeps_its_waiver_whatever_the_reason(clause):
    items = [item(Verdict.NOT_APPLICABLE, None, clause)]
    assert waived(items, clause=clause) == ([Verdict.NOT_APPLICABLE], None)


def test_a_waiver_that_covers_nothing_is_named_at_the_end(kit, tmp_path, careless):
    """Of another binding, and not claimed here: both are named, and neither is a failure."""
    path = tmp_path / "w.yaml"
    ids = ("MCP-RPC-008", "ATDF-CALL-009")
    path.write_text("".join(f"- {{clause: {id}, reason: later}}\n" for id in ids))
    chosen = ["conformance", "--target", careless, "--report", str(tmp_path / "out")]
    ran = kit(*chosen, "--waivers", str(path), "-k", "MCP-RPC-008 or ATDF-CAT-001")
    assert ran.code == 0, ran.said
    named = [line for line in ran.out.splitlines() if line.startswith(f"{path}: ")]
    assert named == [
        f"{path}: line 1, MCP-RPC-008 (everywhere): later; it covers nothing in this session"
    ]
    assert "stale" not in ran.out


def test_a_waiver_past_its_day_waives_nothing_and_is_stale():
    assert waived([item(Verdict.FAIL)], until="2026-11-20") == (
        [Verdict.FAIL], "kit.waivers.over",
    )  # fmt: skip


def test_a_waiver_holds_on_its_last_day():
    assert waived([item(Verdict.FAIL)], until="2026-11-21") == ([Verdict.WAIVED], None)


def test_a_waiver_of_a_clause_that_was_not_selected_is_left_alone():
    assert waived([item(Verdict.PASS, clause="ATDF-CALL-002")], tool="gone")[1] is None


GOOD_FILE = """# Known findings
- clause: ATDF-CALL-001
  reason: the new server comes in May
- clause: ATDF-CALL-002
  tool: good
  run: http
  reason: "a number: as text"
  until: 2099-12-31
"""


def test_a_file_is_read_with_its_lines(tmp_path):
    path = tmp_path / "waivers.yaml"
    path.write_text(GOOD_FILE)
    assert read_waivers(path) == (
        Waiver("ATDF-CALL-001", "the new server comes in May", 2),
        Waiver("ATDF-CALL-002", "a number: as text", 4, "good", "http", "2099-12-31"),
    )


def test_a_number_is_the_text_that_it_is(tmp_path):
    path = tmp_path / "waivers.yaml"
    path.write_text(f"- {{clause: ATDF-CALL-001, reason: 0x{'f' * 5000}, tool: 1.50, run: true}}")
    assert read_waivers(path) == (
        Waiver("ATDF-CALL-001", "0x" + "f" * 5000, 1, "1.50", "true"),
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "# the last one was repaired in May\n", "---\n", "[]"])
def test_a_file_whose_last_waiver_was_taken_out_holds_none(tmp_path, text):
    path = tmp_path / "waivers.yaml"
    path.write_text(text)
    assert read_waivers(path) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("clause: x", ["list of waivers"]),
        ("- [1", ["line 1, column 5"]),
        ("- a\n---\n- b", ["more than one YAML document", "the second begins in line 2:"]),
        ("- x", ["line 1", "a clause and a reason"]),
        ("!x\n[a]", ["line 1", "a clause and a reason"]),
        ("- reason: x", ["line 1", "lacks its clause"]),
        ("\n- clause: ATDF-CALL-001", ["line 2", "lacks its reason"]),
        ("- {clause: ATDF-CALL-001, reason: ''}", ["lacks its reason"]),
        ("- {clause: ATDF-CALL-0001, reason: x}", ["line 1", "similar: ATDF-CALL-001"]),
        ("- {clause: ATDF-CALL-001, reason: x, tol: y}", ["cannot have tol", "clause, tool"]),
        ("- {clause: ATDF-CALL-001, reason: x, until: soon}", ["2027-01-31", "soon"]),
        ("\n- {clause: ATDF-CALL-001, reason: x, until: 2027-13-45}", ["line 2", "2027-13-45"]),
        ("\n- {clause: ATDF-CALL-001, reason: x, until: 2027-02-30}", ["line 2", "not 2027-02-30"]),
        ("- {clause: ATDF-CALL-001, reason: x, until: 0x" + "f" * 5000 + "}", ["line 1", "0xff"]),
        ("- {clause: 0x" + "f" * 5000 + ", reason: x}", ["line 1", "0xff"]),
        ("- {clause: ATDF-CALL-001, reason: x, until: " + "9" * 5000 + "}", ["line 1", "2027-01"]),
        (b"\xff\xfe\x00", ["not text in UTF-8"]),
        (b"- \x00\x01", ["not text in UTF-8"]),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path, text, words):
    path = tmp_path / "waivers.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(WaiversUnusable) as refused:
        read_waivers(path)
    said = refused.value.words.words()
    assert all(word in said for word in ["waivers.yaml", *words]), said
    assert "\n" not in said


@pytest.fixture(scope="module")
def careless():
    """A server that takes all that it is given, so that two clauses are broken."""
    with offering([GOOD], lambda *_: (200, {"ok": True}), manifest=True) as url:
        yield url


def test_a_misspelt_clause_ends_the_session_before_anything_is_sent(kit, tmp_path):
    (tmp_path / "w.yaml").write_text("- {clause: ATDF-CALL-01, reason: x}")
    ran = kit("conformance", "--waivers", str(tmp_path / "w.yaml"), "--language", "es")
    assert ran.code == 4
    assert "línea 1: no existe la cláusula ATDF-CALL-01" in ran.said


@pytest.mark.slow
def test_a_session_with_waivers(kit, tmp_path, careless):
    """Without them it fails; with them it doesn't, and lists them; with one too many it fails."""
    report, path = tmp_path / "out", tmp_path / "w.yaml"
    args = ["conformance/atdf", "--target", careless, "--report", str(report)]
    assert kit(*args).code == 1
    items = json.loads((report / "results.json").read_text())["runs"][0]["items"]
    broken = sorted({one["clause"] for one in items if one["verdict"] == "fail"})
    path.write_text("".join(f"- {{clause: {id}, reason: soon repaired}}\n" for id in broken))

    args += ["--waivers", str(path)]
    ran = kit(*args)
    assert ran.code == 0, ran.said
    results = json.loads((report / "results.json").read_text())
    assert [one["stale"] for one in results["waivers"]] == [None] * len(broken)
    assert {
        one["waiver_reason"] for one in results["runs"][0]["items"] if one["verdict"] == "waived"
    } == {"soon repaired"}
    for name in ("report.html", "summary.md"):
        text = (report / name).read_text()
        assert "Waivers" in text
        assert "soon repaired" in text
    assert "waived: soon repaired" in (report / "junit.xml").read_text()

    with path.open("a") as file:
        file.write("- {clause: ATDF-TOOL-001, tool: good, reason: no longer}\n")
    ran = kit(*args)
    assert ran.code == 1
    line = len(broken) + 1
    assert f"w.yaml: line {line}, ATDF-TOOL-001 (good): no longer; stale:" in ran.out
    assert f"stale_waiver[ATDF-TOOL-001-{line}]" in (report / "junit.xml").read_text()


def test_a_file_of_thousands_of_waivers_does_not_look_at_each_item_for_each_of_them():
    items = [item(Verdict.FAIL, tool) for tool in map(str, range(1_000))]
    runs = {"http": (RUNS["http"][0], tuple(map(str, range(1_000))))}
    given = [Waiver(CLAUSE, "known")] * 1_000
    given += [Waiver(CLAUSE, "known", tool=str(n)) for n in range(500, 1_500)]
    with counting(most=300_000):
        after, used = waive(items, given, runs, TODAY)
    assert {one.verdict for one in after} == {Verdict.WAIVED}
    assert [one.waived for one in used] == [1_000, *[0] * 1_999]
    assert [one.stale is not None for one in used] == [False] * 1_500 + [True] * 500
