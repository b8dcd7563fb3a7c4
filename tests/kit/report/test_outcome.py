"""What a gate reads first: whether it conforms, and what keeps it from the next level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.kit.model.results import (
    Advice,
    Finding,
    Item,
    LevelState,
    Rate,
    Unnamed,
    UsedWaiver,
    Waiver,
)
from conformance.kit.report.exit import Ended, Exit, outcome
from conformance.kit.report.html.matrix import matrix
from conformance.kit.report.html.page import cards, render
from conformance.kit.report.lacking import Lack, lacks
from conformance.kit.report.reporter import Report
from conformance.kit.report.summary import Summary
from conformance.kit.report.terminal import Terminal
from conformance.spec.messages import message
from conformance.spec.vocabulary import Level, Requirement, Verdict
from tests.kit.report.sample import TOOLS, sample_words, session

BROKEN = Ended(Exit.BROKEN)
LEFT_OUT = message("kit.left_out.destructive", how="--allow-calls all")


@pytest.fixture(autouse=True)
def _words() -> Iterator[None]:
    with sample_words():
        yield


def summary(made, language="en", **more):
    return "".join(Summary().parts(Report(made, language, **more)))


def masthead(report):
    return render("masthead.html", report)


def top(report):
    return render("top.html", report)


def shown_matrix(report):
    return render("matrix.html", report, shown=matrix(report.session))


def waived(stale):
    reason = message("sample.raw", text="kept") if stale else None
    return UsedWaiver(Waiver("ATDF-ERR-007", "later"), 1, reason)


def test_what_is_broken_is_counted_by_clause():
    assert outcome(session(), BROKEN, "en") == "It does not conform. 2 clauses are broken."
    assert outcome(session(), BROKEN, "es") == "No es conforme. Se incumplen 2 cláusulas."


def test_a_warning_counts_where_it_fails_the_session():
    ended = replace(BROKEN, fail_on_should=True)
    assert "3 clauses" in outcome(session(), ended, "en")


def test_a_stale_waiver_and_a_missed_level_are_told():
    stale = replace(session(), runs=(), waivers=(waived(stale=True), waived(stale=False)))
    assert outcome(stale, BROKEN, "en") == "It does not conform. 1 waiver is stale."
    missed = message("kit.exit.level_missed", level="explained")
    said = outcome(replace(session(), runs=()), replace(BROKEN, why=missed), "en")
    assert said == "It does not conform. The level asked for, explained, was not reached."


def test_what_conforms_says_so_and_what_was_not_decided_says_why():
    holds = replace(session(), runs=(one_run(item("A-B-001", Verdict.PASS)),))
    assert (
        outcome(holds, Ended(Exit.CONFORMANT), "en")
        == "It conforms. None of the MUST clauses failed."
    )
    assert outcome(session(), Ended(Exit.INTERRUPTED), "en") == ""
    nothing = message("kit.exit.nothing_judged", reason="x")
    assert outcome(session(), Ended(Exit.NOTHING_JUDGED, nothing), "en") == (
        "Too little could be checked: x."
    )


def test_what_could_not_be_verified_does_not_conform_in_green():
    open_ = item("A-B-002", Verdict.NOT_VERIFIED, message("sample.silent"))
    conformant = Ended(Exit.CONFORMANT)
    partly = replace(session(), runs=(one_run(item("A-B-001", Verdict.PASS), open_),))
    told = "None of the MUST clauses failed. Some clauses could not be verified."
    assert outcome(partly, conformant, "en") == told
    assert conformant.kind(partly) == "not_verified"
    assert 'class="outcome v-not_verified"' in masthead(Report(partly, ended=conformant))
    should = replace(open_, requirement=Requirement.SHOULD)
    whole = replace(session(), runs=(one_run(item("A-B-001", Verdict.PASS), should),))
    assert outcome(whole, conformant, "en").startswith("It conforms.")
    assert conformant.kind(whole) == "pass"


def test_without_a_failure_the_warnings_are_what_to_fix_first():
    warned = item("A-B-001", Verdict.WARN, message("sample.silent"))
    failed = item("A-B-002", Verdict.FAIL, message("sample.status", status=500))
    alone = replace(session(), runs=(one_run(warned),))
    both = replace(session(), runs=(one_run(warned, failed),))
    assert first(Report(alone)) == (True, True)
    assert first(Report(alone, fail_on_should=True)) == (True, False)
    assert first(Report(both)) == (True, False)
    assert first(Report(replace(session(), runs=(one_run(),)))) == (False, False)


def first(report):
    """Whether the page says what to fix first, and whether it says that these are warnings."""
    page = top(report)
    return 'id="h-first"' in page, "This warning is about a SHOULD clause" in page


def test_what_conforms_by_a_waiver_says_so():
    kept = item("A-B-001", Verdict.WAIVED)
    runs = (one_run(kept, replace(kept, tool="u"), item("A-B-002", Verdict.PASS)),)
    conformant = Ended(Exit.CONFORMANT)
    assert outcome(replace(session(), runs=runs), conformant, "en") == (
        "It conforms. 1 clause is broken, and a waiver accepts it."
    )


def test_the_outcome_is_the_first_line_of_the_summary_and_the_head_of_the_page():
    assert summary(session(), ended=BROKEN).splitlines()[2] == (
        "**✕ It does not conform. 2 clauses are broken.**"
    )
    assert 'class="outcome v-fail"' in masthead(Report(session(), ended=BROKEN))
    assert "outcome" not in masthead(Report(session()))


def test_the_summary_tells_what_was_found_before_how_the_runs_fared():
    said = summary(session())
    assert said.index("### Findings") < said.index("| Run |")
    assert said.count("[ATDF-ERR-007](https://") >= 1


def one_run(*items, missing=("A-B-001", "A-B-002", "A-B-003")):
    run = session().runs[0]
    levels = {**run.levels, Level.EXPLAINED: LevelState(False, missing)}
    return replace(run, items=items, levels=levels)


def item(clause, verdict, reason=None, tool="t"):
    findings = (Finding(reason),) if reason else ()
    return Item(clause, Requirement.MUST, "http", tool, verdict, findings)


def test_clauses_that_one_reason_keeps_from_being_judged_stand_in_one_line():
    run = one_run(
        item("A-B-001", Verdict.NOT_VERIFIED, LEFT_OUT),
        item("A-B-002", Verdict.FAIL, message("sample.silent")),
        item("A-B-003", Verdict.NOT_VERIFIED, LEFT_OUT),
        item("A-B-003", Verdict.NOT_VERIFIED, LEFT_OUT, tool="u"),
    )
    assert lacks(run, Level.EXPLAINED) == (
        Lack(Verdict.FAIL, ("A-B-002",)),
        Lack(Verdict.NOT_VERIFIED, ("A-B-001", "A-B-003"), LEFT_OUT, ("t", "u")),
    )


def test_clauses_in_one_line_are_in_the_order_of_their_ids():
    ids = ("A-B-010", "A-B-001", "A-B-002")
    run = one_run(*(item(id, Verdict.NOT_VERIFIED, LEFT_OUT) for id in ids), missing=ids)
    (lack,) = lacks(run, Level.EXPLAINED)
    assert lack.clauses == ("A-B-001", "A-B-002", "A-B-010")


def test_a_warning_in_the_way_says_what_it_is_about_and_nothing_to_judge_is_left_out_beside_it():
    silent = message("sample.silent")
    warned = item("A-B-002", Verdict.WARN, silent)
    nothing = [item(f"A-B-00{n}", Verdict.NOT_APPLICABLE, LEFT_OUT) for n in (1, 3)]
    assert lacks(one_run(*nothing, warned), Level.EXPLAINED) == (
        Lack(Verdict.WARN, ("A-B-002",), silent, ("t",)),
    )
    alone = Lack(Verdict.NOT_APPLICABLE, ("A-B-001", "A-B-003"), LEFT_OUT, ("t",))
    missing = ("A-B-001", "A-B-003")
    assert lacks(one_run(*nothing, missing=missing), Level.EXPLAINED) == (alone,)


def status(said):
    return message("sample.raw", text=said)


def of_several_tools():
    """A run that lacks one clause for four tools, each with an answer of its own."""
    names = ("book", "charge", "refund", "search_<b>")
    items = [item("A-B-001", Verdict.NOT_VERIFIED, status(name[0]), name) for name in names]
    return one_run(*items, missing=("A-B-001",))


def test_every_tool_that_lacks_a_clause_is_there_whatever_the_words_of_its_own_reason():
    assert lacks(of_several_tools(), Level.EXPLAINED) == (
        Lack(
            Verdict.NOT_VERIFIED,
            ("A-B-001",),
            status("b"),
            ("book",),
            ("charge", "refund", "search_<b>"),
        ),
    )


def test_the_terminal_the_page_and_the_summary_name_the_tools_that_lack_a_clause():
    sample = replace(session(), runs=(of_several_tools(),))
    page = top(Report(sample)).split("</section>")[0]
    assert '<span class="meta">and 3 more tools: ' in page
    assert '<bdi class="tool">search_&lt;b&gt;</bdi>' in page
    said = "".join(Terminal().parts(Report(sample)))
    assert "and 3 more tools: `charge`, `refund`, `search_<b>`" in said
    assert r"y 3 herramientas más: \`charge\`, \`refund\`, \`search\_&#60;b&#62;\`" in summary(
        sample, "es"
    )


def test_reasons_of_different_kinds_are_told_one_by_one():
    silent = message("sample.silent")
    run = one_run(
        item("A-B-001", Verdict.NOT_VERIFIED, LEFT_OUT),
        item("A-B-001", Verdict.NOT_VERIFIED, silent, tool="u"),
        missing=("A-B-001",),
    )
    assert {(lack.reason, lack.tools) for lack in lacks(run, Level.EXPLAINED)} == {
        (LEFT_OUT, ("t",)),
        (silent, ("u",)),
    }


def test_a_waived_bound_stands_in_the_way_beside_what_was_not_verified():
    silent = message("sample.silent")
    run = one_run(
        item("A-B-001", Verdict.WAIVED, silent, tool="u"),
        item("A-B-001", Verdict.NOT_VERIFIED, LEFT_OUT),
        item("A-B-001", Verdict.PASS, tool="v"),
        missing=("A-B-001",),
    )
    assert lacks(run, Level.EXPLAINED) == (
        Lack(Verdict.NOT_VERIFIED, ("A-B-001",), LEFT_OUT, ("t",)),
        Lack(Verdict.WAIVED, ("A-B-001",), silent, ("u",)),
    )


def test_runs_that_lack_a_clause_for_other_tools_have_a_card_each():
    one = one_run(item("A-B-001", Verdict.NOT_VERIFIED, LEFT_OUT), missing=("A-B-001",))
    other = replace(
        one,
        run=replace(one.run, id="other"),
        items=(item("A-B-001", Verdict.NOT_VERIFIED, LEFT_OUT, tool="u"),),
    )
    assert len(cards((one, other))) == 2
    assert len(cards((one, replace(one, run=other.run)))) == 1


def test_a_clause_without_a_verdict_still_stands_there():
    assert lacks(one_run(missing=("A-B-009",)), Level.EXPLAINED) == (Lack(None, ("A-B-009",)),)


def test_the_page_and_the_summary_tell_the_reason_once_and_with_its_tool():
    sample = session()
    run = one_run(
        *(item(f"A-B-00{n}", Verdict.NOT_VERIFIED, LEFT_OUT, "cancel_it") for n in (1, 2, 3))
    )
    sample = replace(sample, runs=(run,))
    words = LEFT_OUT.words("en").split(";")[0]
    assert top(Report(sample)).split("</section>")[0].count(words) == 1
    assert summary(sample).partition("### The level, and what comes next")[0].count(words) == 1
    assert f"cancel\\_it: {words}" in summary(sample)


def panel(**changes):
    run = session().runs[0]
    run = replace(run, repair=replace(run.repair, **changes))
    return render("repair.html", Report(session(), "pt"), run=run)


def test_what_became_of_the_mistakes_is_one_bar_with_its_words():
    made = panel(steps={1: 38, 2: 3}, stuck=4, wrong=2, none_given=5)
    ends = made.partition('class="bar whole"')[2]
    assert ends.partition("</svg>")[0].count("<rect") == 5
    assert "corrigidos em 2 chamadas: 3" in ends
    assert "sugestão inválida: 2" in ends


def test_no_bar_is_drawn_of_parts_that_are_not_all_known_or_of_one():
    assert "bar whole" not in panel(steps={})
    assert "com sugestão, mas nenhuma chamada aceita: 4" in panel(steps={})
    assert "legend" not in panel(steps={1: 52}, stuck=0, wrong=0, none_given=0)


def refusals(*found, of=84):
    run = session().runs[0]
    explain = replace(run.explain, unnamed=found, names_parameter=Rate(of - len(found), of))
    return render("explain.html", Report(session(), "es"), run=replace(run, explain=explain))


def test_refusals_that_do_not_name_the_parameter_are_shown_with_what_they_name():
    other = Unnamed("pattern", "a<b>", "http/a/no-match/p", "p", ("q<i>",), "q <script> is wrong")
    made = refusals(other, replace(other, named=(), said=""))
    said = made.partition("Rechazos que no nombran el parámetro")[2]
    assert "nombra: <code>q&lt;i&gt;</code>" in said
    assert "<q>q &lt;script&gt; is wrong</q>" in said
    assert "http/a/no-match/p" in said
    assert "no nombra ningún parámetro" in said
    assert "más" not in said
    assert "Rechazos" not in refusals()


def test_of_refusals_that_do_not_name_the_parameter_each_keyword_has_its_own_first():
    many = [Unnamed("type", "t", f"c{n}", "p", (), "") for n in range(12)]
    said = refusals(*many, Unnamed("pattern", "t", "c12", "p", (), "")).partition("Rechazos")[2]
    assert said.count("<li>") == 11
    assert "c12" in said
    assert "y 3 más" in said


def test_advice_needs_no_click_unless_there_is_much_of_it():
    few = tuple(Advice(f"k{n}", "t", "p", None, "v") for n in range(4))
    assert "<details open>" in panel(advice=few)
    assert "<details open>" not in panel(advice=few + few)


def test_the_matrix_folds_the_clauses_that_nothing_breaks():
    shown, folded = shown_matrix(Report(session())).split("<details>")[:2]
    assert "ATDF-ERR-007" in shown
    assert "ATDF-CALL-001" not in shown
    assert "clauses without a failure" in folded
    assert "ATDF-CALL-001" in folded
    assert all(tool in shown for tool in TOOLS)


def matrix_of(*items, missing):
    made = replace(session(), runs=(one_run(*items, missing=missing),))
    return shown_matrix(Report(made)).partition("<details>")


def test_the_matrix_hides_no_unverified_clause_that_stands_in_the_way_of_a_level():
    shown, _, folded = matrix_of(
        item("A-B-001", Verdict.NOT_VERIFIED, LEFT_OUT),
        item("A-B-002", Verdict.NOT_VERIFIED, LEFT_OUT),
        item("A-B-003", Verdict.PASS),
        missing=("A-B-001",),
    )
    assert "A-B-001" in shown
    assert "A-B-001" not in folded
    assert "A-B-002" in folded
    assert "A-B-003" in folded
    whole, _, rest = matrix_of(
        item("A-B-001", Verdict.NOT_VERIFIED, LEFT_OUT, None),
        item("A-B-003", Verdict.PASS, tool=None),
        missing=("A-B-001",),
    )
    assert "A-B-001" in whole
    assert "A-B-003" in rest


def test_the_page_of_a_session_whose_time_was_up_says_so():
    late = top(Report(replace(session(), interrupted=True, time_up=True)))
    assert "Time ran out." in late and "The session was interrupted" not in late


def test_the_page_of_an_interrupted_session_says_so_in_place_of_the_level():
    cut = Report(replace(session(), interrupted=True))
    whole = Report(session())
    assert '<p class="badge l-null">' in masthead(cut)
    assert "<strong>interrupted</strong>" in masthead(cut)
    assert 'class="ladder"' in top(whole) and 'class="ladder"' not in top(cut)
    assert "protocol only" not in top(cut)


def test_thousands_of_waivers_make_neither_the_summary_nor_the_terminal_long():
    """A code host shows no summary above a megabyte. What is stale comes first: it is a failure."""
    many = (*(waived(stale=False),) * 3_000, waived(stale=True))
    told = replace(session(), waivers=many, kit_errors=("An error.",) * 3_000)
    lines = summary(told).splitlines()
    assert sum("An error" in line for line in lines) == 20
    shown = [line for line in lines if "later" in line]
    assert len(shown) == 20
    assert shown[0].startswith("- ⚠")
    assert "- and 2,981 more" in lines
    stale = replace(told, waivers=(waived(stale=True),) * 3_000)
    assert len(list(Terminal("").lines(Report(stale, "en")))) < 200
