import io
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.kit.drive.progress import RunDriven
from conformance.kit.model.fault import FaultLog
from conformance.kit.model.results import (
    Claim,
    Finding,
    Item,
    LeftOut,
    LevelState,
    Rate,
    SessionResult,
    Shortage,
)
from conformance.kit.model.step import Step
from conformance.kit.report.html.page import Page
from conformance.kit.report.levels import session_level
from conformance.kit.report.progress import Progress, confirms_line, ends_line, progress_line
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import replay_line
from conformance.kit.report.summary import Summary
from conformance.kit.report.terminal import Terminal
from conformance.kit.report.words import level_name, number, percent, sentence
from conformance.kit.report.write import badge, write_files
from conformance.spec.messages import LANGUAGES, message
from conformance.spec.vocabulary import Binding, Level, Missing, Requirement, Verdict
from tests.kit.report.sample import exchanges, run_result, said, sample_words, session
from tests.kit.samples import HTTP, STDIO
from tests.root import ROOT


@pytest.fixture(autouse=True)
def _words() -> Iterator[None]:
    with sample_words():
        yield


def lines(made: SessionResult, language: str = "en", *, page: str = "", **more) -> list[str]:
    parts = Terminal(page).parts(Report(made, language, **more))
    return "".join(parts).removesuffix("\n").split("\n")


def summary(made: SessionResult, language: str = "en", **more) -> str:
    return "".join(Summary().parts(Report(made, language, **more)))


def with_items(items) -> SessionResult:
    sample = session()
    return replace(sample, runs=(replace(sample.runs[0], items=tuple(items)),))


def failing(count: int) -> SessionResult:
    item = session().runs[0].items[0]
    finding = Finding(said("It broke."), case="http/x/y")
    return with_items(
        replace(item, clause=f"X-Y-{n:03d}", verdict=Verdict.FAIL, findings=(finding,))
        for n in range(count)
    )


def test_failures_are_grouped_by_clause_with_one_line_and_the_command_to_replay_it():
    text = lines(session(), options=("--target", "http://h"))
    at = next(n for n, line in enumerate(text) if line.startswith("ATDF-ERR-007"))
    assert text[at] == (
        "ATDF-ERR-007  fail  hotel_reservation, flight_search  (http, mcp-2026-07-28)"
    )
    assert text[at + 1] == "    The error names room_type, and `guests` was broken."
    assert text[at + 2].startswith(
        "    Also found in 2 more cases: `hotel_reservation` · `check_out`, `flight_search`"
    )
    case = "http/hotel_reservation/above-maximum/guests"
    assert text[at + 3].strip() == replay_line(["--target", "http://h"], case)
    assert sum(line.startswith("ATDF-ERR-007") for line in text) == 1


def test_what_is_said_of_a_place_in_an_answer_names_the_place():
    item = session().runs[0].items[0]
    wrong = message("documents.keyword.type", value="null", expected="string")
    finding = Finding(wrong, case="http/x/y", path="$.items[0].speed")
    made = with_items([replace(item, clause="X-Y-000", verdict=Verdict.FAIL, findings=(finding,))])
    begin = "$.items[0].speed: Expected a value"
    assert lines(made)[1].strip().startswith(begin)
    assert ".speed: Expected a value" in summary(made)


def test_a_failure_of_some_runs_names_them():
    made = failing(1)
    other = replace(made.runs[0], run=replace(made.runs[0].run, id="stdio"), items=())
    assert "X-Y-000  fail  (http)" in lines(replace(made, runs=(*made.runs, other)))


def test_a_failure_of_every_run_names_none():
    assert "X-Y-000  fail" in lines(failing(1))


def test_at_most_twenty_groups_are_shown_and_the_rest_counted():
    text = lines(failing(25))
    assert sum(line.startswith("X-Y-") for line in text) == 20
    assert "The report has 5 more findings." in text


def test_tools_left_out_are_named_with_the_option_that_includes_them():
    text = "\n".join(lines(session()))
    assert "Tools called: 4, left out: 1" in text
    assert "cancel_booking: It says that it is destructive: --include-tool" in text


@pytest.mark.parametrize(
    ("language", "one", "several"),
    [
        ("en", "a: is not marked read-only", "a, b: are not marked read-only"),
        ("es", "a: no está marcada", "a, b: no están marcadas"),
        ("pt", "a: não está marcada", "a, b: não estão marcadas"),
    ],
)
def test_a_reason_speaks_of_as_many_tools_as_it_is_told_of(language, one, several):
    why = message("kit.left_out.read_only", how="--allow-calls all")
    for tools, words in (("a", one), ("ab", several)):
        left = tuple(LeftOut(name, why) for name in tools)
        run = replace(session().runs[0], tools_left_out=left)
        report = Report(replace(session(), runs=(run,)), language)
        for reporter in (Terminal(), Summary(), Page("1", [])):
            text = re.sub(r"<[^>]*>|\\|`", "", "".join(reporter.parts(report)))
            assert words in " ".join(text.split()), reporter.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_flaky_is_explained_once(language):
    words = message("report.flaky").words(language)
    text = "".join(Terminal().parts(Report(session(), language)))
    assert text.count(words) == 1
    items = tuple(i for i in session().runs[0].items if i.verdict is not Verdict.FLAKY)
    calm = replace(session(), runs=(replace(session().runs[0], items=items),))
    assert words not in "".join(Terminal().parts(Report(calm, language)))


def test_clauses_verified_are_counted():
    assert any(
        line.startswith("Clauses verified: 3 of 12. Not verified for ") for line in lines(session())
    )


def test_the_level_comes_last_with_what_keeps_it_from_the_next_and_then_the_report():
    text = lines(session(), page="conformance-report/report.html")
    assert text[-6:] == [
        "Level: Guarded",
        "    What keeps it from Explained:",
        f"      ATDF-ERR-007  fail  {sentence('ATDF-ERR-007', 'en')}",
        "      ATDF-ERR-007  not verified",
        "          validate_data: not verified: no call of this tool was accepted; "
        "give one with --examples",
        "Report: conformance-report/report.html",
    ]


@pytest.mark.parametrize(("language", "folder"), [("en", ""), ("es", "es/")])
@pytest.mark.parametrize(
    ("binding", "part"), [(Binding.HTTP, "http"), (Binding.STDIO, "mcp"), (Binding.MCP, "mcp")]
)
def test_a_server_that_does_not_claim_atdf_is_led_to_the_guides(language, folder, binding, part):
    sample = session()
    runs = tuple(
        replace(run, run=replace(run.run, binding=binding), claims_atdf=False)
        for run in sample.runs
    )
    unclaimed = replace(sample, runs=runs)
    address = f"https://agent-formats.github.io/{folder}guides/#{part}"
    assert f"{{ #{part} }}" in (ROOT / f"docs/{language}/guides/index.md").read_text("utf-8")
    assert any(line.endswith(address) for line in lines(unclaimed, language))
    assert f"<{address}>" in summary(unclaimed, language)


def test_a_clause_that_could_not_be_judged_says_why_it_keeps_the_level_down():
    sample = session()
    items = [item for item in sample.runs[0].items if item.verdict is Verdict.NOT_VERIFIED]
    level = {Level.EXPLAINED: LevelState(reached=False, missing=("ATDF-CALL-001",))}
    run = replace(sample.runs[0], items=tuple(items), levels=level)
    why = "not verified: no call of this tool was accepted; give one with --examples"
    text = lines(replace(sample, runs=(run,)))
    at = text.index("      ATDF-CALL-001  not verified")
    assert text[at + 1] == f"          {items[0].tool}: {why}"


def test_the_level_is_that_of_the_weakest_full_run():
    sample = session()
    runs = (
        sample.runs[0],
        run_result(sample.runs[1].run, Level.NONE),
        run_result(sample.runs[1].run, None),
    )
    assert "Level: none" in lines(replace(sample, runs=runs))
    assert badge(replace(sample, runs=runs))["color"] == "red"


def test_a_clean_session_says_so_without_findings():
    sample = session()
    items = [replace(item, verdict=Verdict.PASS, findings=()) for item in sample.runs[0].items]
    text = lines(with_items(items))
    assert not any(line.startswith("ATDF-") for line in text)


def test_control_characters_of_the_target_are_written_out():
    item = session().runs[0].items[0]
    finding = Finding(said("\x1b]0;owned\x07 \u202e"), case="a\x1b[2J")
    item = replace(item, tool="\x1b[31m", verdict=Verdict.FAIL, findings=(finding,))
    text = "\n".join(lines(with_items([item])))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"\x1b[31m" in text


def test_a_secret_is_not_shown():
    item = session().runs[0].items[0]
    finding = Finding(said("hunter2hunter2"))
    item = replace(item, verdict=Verdict.FAIL, findings=(finding,))
    made = with_items([item])
    hide = {"redact": lambda text: text.replace("hunter2hunter2", "«secret-1»")}
    assert "«secret-1»" in "\n".join(lines(made, **hide))
    assert "hunter2" not in "\n".join(lines(made, **hide)) + summary(made, **hide)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_all_words(language):
    text = "\n".join(lines(session(), language, page="r"))
    assert "{" not in text + summary(session(), language)


def warned(*clauses: str) -> list[Item]:
    finding = Finding(said("It broke."), case="http/x/y")
    one = replace(session().runs[0].items[0], verdict=Verdict.WARN, findings=(finding,))
    return [replace(one, clause=clause) for clause in clauses]


def test_what_breaks_a_should_is_told_where_it_fails_the_session():
    told = "\n".join(lines(with_items(warned("MCP-CALL-003")), fail_on_should=True))
    assert "MCP-CALL-003  warning" in told
    assert "It broke." in told


def test_what_breaks_a_should_is_told_in_two_lines_with_its_tools_and_what_was_found():
    first, second = warned("MCP-CALL-003", "MCP-CALL-003")
    told = lines(with_items([replace(first, tool="add"), replace(second, tool="list")]))
    at = told.index("MCP-CALL-003  warning  add, list")
    assert told[at + 1] == "    It broke."
    assert not told[at + 2].startswith(" ")


def test_a_warning_says_in_which_call_it_was_seen_unless_what_was_found_does():
    (item,) = warned("MCP-CALL-003")
    (found,) = item.findings
    silent = replace(item, findings=(replace(found, exchange=17),))
    told = lines(with_items([silent]), exchange=exchanges().get)
    assert any(line.startswith("    Seen in the call with ") for line in told)
    sent = str(exchanges()[17].case.violation.sent)
    values = {"parameter": exchanges()[17].case.violation.parameter, "sent": f'"{sent}"'}
    telling = replace(found, exchange=17, message=message("call.with", **values))
    told = lines(with_items([replace(item, findings=(telling,))]), exchange=exchanges().get)
    assert not any("Seen in" in line for line in told)


@pytest.mark.parametrize(
    ("run", "words", "shown"),
    [
        ("http", "It broke.", True),
        ("http", "POST /tools/hotel_reservation/invoke broke.", False),
        ("mcp-2026-07-28", "It broke.", False),
    ],
)
def test_a_request_that_no_case_sent_is_named_where_each_tool_has_a_route(run, words, shown):
    sent = replace(exchanges()[17], case=None, script="http_wire", step=Step("not-json"), run=run)
    for verdict in (Verdict.WARN, Verdict.FAIL):
        (item,) = warned("MCP-CALL-003")
        found = Finding(said(words), exchange=17)
        made = with_items([replace(item, verdict=verdict, findings=(found,))])
        both = replace(made, runs=(*made.runs, replace(session().runs[1], items=())))
        told = lines(both, exchange={17: sent}.get)
        route = "    Seen in `POST /tools/hotel_reservation/invoke`"
        assert (route in told) is shown


def test_what_was_found_is_followed_by_the_line_that_explains_it():
    told = lines(with_items(warned("MCP-CALL-003")))
    (line,) = (line for line in told if "explain" in line)
    assert line.startswith("What a clause asks, and why: ")
    assert line.endswith("agent-formats explain MCP-CALL-003")
    assert "explain" not in "\n".join(lines(with_items([])))


def test_a_sentence_of_ours_is_not_cut():
    long = Finding(message("kit.fault", where="x", fault="y", what="z" * 400))
    made = replace(session().runs[0].items[0], verdict=Verdict.FAIL, findings=(long,))
    assert any("z" * 400 in line for line in lines(with_items([made])))


def test_tools_that_are_not_named_are_counted_in_words():
    items = [replace(one, tool=f"t{n}") for n, one in enumerate(warned(*["MCP-CALL-003"] * 7))]
    head = "MCP-CALL-003  warning  t0, t1, t2, t3, t4 and 2 more in the report"
    assert head in lines(with_items(items))


def test_warnings_come_after_failures_and_within_the_same_limit():
    failed = failing(18).runs[0].items
    told = lines(with_items([*warned("MCP-CALL-003", "MCP-CALL-005", "MCP-RPC-005"), *failed]))
    named = [line.split()[0] for line in told if line.startswith(("X-Y-", "MCP-"))]
    assert named[-3:] == ["X-Y-017", "MCP-CALL-003", "MCP-CALL-005"]
    assert "The report has one more finding." in told


def test_a_target_with_more_tools_than_are_judged_is_told_that_it_has_no_level():
    left = LeftOut("+2", message("kit.left_out.too_many", most=4000, more=2))
    run = replace(session().runs[0], level=Level.NONE, tools_left_out=(left,), levels={})
    made = replace(session(), runs=(run,))
    told = "There is no level: only 4000 tools of a run are checked, and there are 2 more"
    assert any(told in line for line in lines(made))
    assert told in summary(made)


def test_a_session_that_was_interrupted_has_no_level():
    told = lines(replace(session(), interrupted=True))
    assert not any(line.startswith("Level:") for line in told)
    assert any(line.startswith("Level:") for line in lines(session()))


def test_an_interrupted_session_has_no_level_in_the_summary_and_the_badge():
    cut = replace(session(), interrupted=True)
    reached = level_name(session_level(session()), "en")
    told = summary(cut)
    assert "**Level: interrupted**" in told and "The session was interrupted." in told
    assert reached in summary(session()) and reached not in told and "What keeps it" not in told
    assert badge(cut, "es") == {
        "schemaVersion": 1, "label": "agent formats",
        "message": "sesión interrumpida", "color": "lightgrey",
    }  # fmt: skip


def test_a_session_whose_time_was_up_is_not_said_to_have_been_interrupted():
    late = replace(session(), interrupted=True, time_up=True)
    said = "Time ran out. The report shows what was gathered by then."
    for told in ("\n".join(lines(late)), summary(late)):
        assert said in told and "The session was interrupted" not in told


def test_an_empty_session_has_a_summary():
    empty = replace(session(), runs=(), kit_errors=("a fault",))
    assert "Level: not checked" in lines(empty)
    assert "a fault" in summary(empty)
    assert badge(empty)["color"] == "lightgrey"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_run_of_one_case_is_told_as_one():
    told = [ends_line(RunDriven("http", 1, 1, 0.25), language) for language in LANGUAGES]
    assert told[0] == "http: 1 case, 1 request in 250 ms"
    assert told[1:] == [
        "http: 1 caso, 1 petición en 250 ms",
        "http: 1 caso, 1 requisição em 250 ms",
    ]


def test_what_is_sent_again_is_not_told_as_broken():
    assert confirms_line(1, "en").startswith("Confirming 1 possible failure or warning: ")
    assert confirms_line(2, "es").startswith("Se confirman 2 posibles fallos y avisos: ")


def test_progress_is_silent_where_there_is_no_terminal():
    stream = io.StringIO()
    progress = Progress(stream)
    progress.update(1, 2)
    progress.finish()
    assert stream.getvalue() == ""


def test_progress_writes_one_line_over_at_most_ten_times_a_second():
    stream, now = Screen(), iter(n * 0.01 for n in range(200))
    progress = Progress(stream, clock=lambda: next(now))
    for done in range(100):
        progress.update(done, 100)
    assert stream.getvalue().count("\r") <= 11
    assert "\n" not in stream.getvalue()
    progress.finish()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_the_progress_line_tells_the_rate_and_the_time_left():
    assert progress_line(500, 1500, 2.0, "en") == "500 of 1,500 cases · 250/s · 4.0 s left"
    assert progress_line(0, 1500, 2.0, "es") == "0 de 1500 casos · 0/s"


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(Rate(0, 0), "–"), (Rate(999, 1000), "99%"), (Rate(1, 1000), "1%"), (Rate(3, 3), "100%")],
)
def test_a_hundred_per_cent_is_exactly_that(rate, shown):
    assert percent(rate, "en") == shown


def test_thousands_are_marked_as_the_language_does():
    assert [number(1234, one) for one in LANGUAGES] == ["1,234", "1234", "1234"]
    assert number(12345, "es") == "12\u00a0345"


def test_the_summary_keeps_a_hostile_tool_name_in_its_cell():
    item = session().runs[0].items[0]
    name = "x](http://evil)|<img src=x>\n# Heading"
    made = with_items([replace(item, tool=name, verdict=Verdict.FAIL)])
    page = summary(made)
    assert "](http://evil" not in page
    assert "<img" not in page
    assert "\n# Heading" not in page


def test_the_badge_is_a_shields_endpoint():
    assert badge(session()) == {
        "schemaVersion": 1,
        "label": "agent formats",
        "message": "Guarded, 2 clauses broken",
        "color": "orange",
    }


def test_a_badge_is_green_only_where_nothing_is_broken():
    sample = session()
    run = run_result(sample.runs[0].run, Level.RECOVERABLE)
    assert badge(replace(sample, runs=(run,)))["color"] == "orange"
    whole = replace(run, items=tuple(i for i in run.items if i.verdict is not Verdict.FAIL))
    assert badge(replace(sample, runs=(whole,)), "es") == {
        "schemaVersion": 1,
        "label": "agent formats",
        "message": "Recuperable",
        "color": "brightgreen",
    }


def test_the_files_are_written_into_a_new_folder(tmp_path):
    failed = FaultLog()
    files = write_files(Report(session()), tmp_path / "a" / "b", failed=failed)
    assert not failed.noted
    assert {file.name for file in files} >= {"results.json", "badge.json", "summary.md"}
    assert "test_replay.py" not in {file.name for file in files}  # nothing can be sent again
    assert all(file.stat().st_size for file in files)


def broken_at(*parameters: str) -> SessionResult:
    item = session().runs[0].items[0]
    findings = tuple(Finding(said("It broke."), parameter=each) for each in parameters)
    return with_items([replace(item, verdict=Verdict.FAIL, findings=findings)])


@pytest.mark.parametrize(
    ("language", "more"),
    [
        ("en", "    Also found in 2 more cases: `n`, `to`"),
        ("es", "    También en 2 casos más: `n`, `to`"),
        ("pt", "    Também em mais 2 casos: `n`, `to`"),
    ],
)
def test_a_group_says_how_many_more_there_are_and_where(language, more):
    text = lines(broken_at("from", "n", "to"), language)
    assert text[2] == more


def test_a_place_that_was_told_already_is_not_told_again():
    assert "more" not in lines(broken_at("from", "from"))[2]


def test_a_single_finding_has_nothing_beside_it():
    assert not any("more" in line for line in lines(broken_at("from")))


def test_a_handful_of_places_is_named():
    text = lines(broken_at(*"abcdefghijk"))
    assert text[2] == "    Also found in 10 more cases: `b`, `c`, `d`, `e`, `f`, …"


def test_places_are_told_apart_by_their_tools():
    one = broken_at("n").runs[0].items[0]
    items = [replace(one, tool=tool) for tool in "xy"]
    assert lines(with_items(items))[2] == "    Also found in one more case: `y` · `n`"


def test_a_tool_alone_is_not_told_after_a_place_of_it():
    one = broken_at("n").runs[0].items[0]
    whole = replace(one, findings=(Finding(said("It broke.")),), tool="y")
    items = [replace(one, tool=tool) for tool in "xy"]
    told = lines(with_items([*items, whole]))[2]
    assert told == "    Also found in 2 more cases: `y` · `n`"


@pytest.mark.parametrize(("count", "more"), [(2, ": `http/x/y-1`"), (3, "")])
def test_the_only_other_case_is_named_if_nothing_else_tells_it_apart(count, more):
    item = session().runs[0].items[0]
    found = (
        Finding(said("It broke."), case=f"http/x/y-{n}", scenario=str(n)) for n in range(count)
    )
    told = lines(with_items([replace(item, verdict=Verdict.FAIL, findings=tuple(found))]))[2]
    assert told == f"    Also found in {'one more case' if count == 2 else '2 more cases'}{more}"


def test_the_summary_for_a_job_says_how_many_more_there_are():
    assert r"<br>Also found in one more case: \`n\`" in summary(broken_at("from", "n"))


def test_what_is_missing_around_the_server_is_one_line_with_the_tools_of_all_runs():
    sample = session()
    other = Shortage(Missing.NETWORK, "fetch failed", ("search",))
    made = replace(sample, runs=(sample.runs[0], replace(sample.runs[1], shortages=(other,))))
    (line,) = [
        line for line in lines(made) if line.startswith("Missing in the server's environment")
    ]
    assert line == (
        'Missing in the server\'s environment: the network (the server said "EAI_AGAIN <b>"). '
        "Calls that failed because of it count in no rate, and prove nothing about "
        f"`{sample.runs[0].shortages[0].tools[0]}`, `search`."
    )
    (line,) = [line for line in lines(made, "pt") if line.startswith("Falta no ambiente")]
    assert "a rede" in line


@pytest.mark.parametrize(
    ("missing", "run", "said"),
    [
        (Missing.SERVICE, STDIO, True),
        (Missing.FILES, STDIO, True),
        (Missing.SETTING, STDIO, False),
        (Missing.SERVICE, HTTP, False),
    ],
)
def test_what_a_sandbox_keeps_from_a_server_is_said(missing, run, said):
    sample = session()
    short = (Shortage(missing, "ECONNREFUSED", ("search",)),)
    made = replace(sample, runs=(replace(sample.runs[0], run=run, shortages=short),))
    told = [line for line in lines(made, sandbox=True) if line.startswith("In the sandbox")]
    assert bool(told) == said
    assert not any(line.startswith("In the sandbox") for line in lines(made))


def test_where_nothing_is_missing_nothing_is_said_of_it():
    made = session()
    sound = replace(made, runs=tuple(replace(run, shortages=()) for run in made.runs))
    assert not any("Missing in the server" in line for line in lines(sound))


def test_a_directory_named_like_a_command_is_none_in_the_last_line():
    said = lines(session(), page="/reports/x\n::error::pwned/report.html")
    assert said[-1] == r"Report: /reports/x\n::error::pwned/report.html"


def rated(hits: int, of: int) -> list[str]:
    sample = session().runs[0]
    repair = replace(sample.repair, rate=Rate(hits, of))
    named = Rate(1, 1)
    explain = replace(sample.explain, names_parameter=named, says_what_is_right=named)
    own = replace(sample, repair=repair, explain=explain)
    return lines(replace(session(), runs=(own,)))


@pytest.mark.parametrize(
    ("hits", "of", "said"),
    [
        (0, 3, "At 0%, no suggestion in an error led to a call that was accepted."),
        (0, 0, "– means that there was nothing to count."),
    ],
)
def test_a_rate_that_is_not_plain_is_explained_below_the_runs(hits, of, said):
    told = rated(hits, of)
    (at,) = [n for n, line in enumerate(told) if line.startswith("Repair rate: of the refused")]
    assert told[at].endswith(said)
    assert "repair rate" in told[at - 1]


def test_a_plain_rate_needs_no_explanation():
    assert not any(line.startswith("Repair rate: ") for line in rated(3, 3))


def test_a_rate_below_all_is_explained():
    assert any(line.startswith("Repair rate: of the refused") for line in rated(1, 4))


def of_a_claimed_should(level, *, claims, **more):
    """A session that claims ATDF or not, and fails a SHOULD that a claim makes a MUST."""
    clause, sample = "ATDF-CALL-002", session().runs[0]
    states = {each: LevelState(reached=False, missing=(clause,)) for each in sample.levels}
    wrong = Item(clause, Requirement.MUST, "http", "t", Verdict.FAIL, ())
    own = replace(sample, level=level, levels=states, items=(wrong,), claims_atdf=claims, **more)
    return replace(session(), runs=(own,))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"claims": (Claim("atdf", "1.0"),)}, "The server claims ATDF, so this is a MUST here."),
        (
            {"claims": ()},
            "What the server lists has fields of ATDF, such as `version`. So it claims",
        ),
        ({"claims": (), "declares_atdf": False}, "Its errors have the ATDF envelope, or"),
    ],
)
def test_a_should_that_the_claim_makes_a_must_is_said_to_be_one(how, words):
    claims = how.pop("claims")
    told = of_a_claimed_should(Level.NONE, claims=True, **how)
    told = replace(told, runs=(replace(told.runs[0], claims=claims),))
    assert any(f"fail  {words}" in line for line in lines(told))
    assert words in summary(told)
    page = re.sub(r"</?code>", "`", "".join(Page().parts(Report(told, "en"))))
    assert page.count(words) == 2  # what keeps it from the level, and the row


@pytest.mark.parametrize("claims", [True, False])
def test_where_no_level_is_reached_the_claim_is_named(claims):
    told = lines(of_a_claimed_should(Level.NONE, claims=claims))
    assert any(each.strip().startswith("It claims ATDF, so ") for each in told) is claims


def test_the_counts_of_verdicts_say_what_is_counted():
    (line,) = [line for line in lines(session()) if line.startswith("Verdicts (")]
    assert "each clause has one for each tool or run" in line
    assert "fail 6" in line
