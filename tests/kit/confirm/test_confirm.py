"""Confirming as a function: of what was sent again, which findings stand, and which are flaky."""

from dataclasses import replace

import pytest

from conformance.kit.confirm.confirm import Repeats, shown_by, to_confirm
from conformance.kit.confirm.confirmed import confirmed, unconfirmed
from conformance.kit.confirm.shrink import in_smallest_form, of_chance_alone
from conformance.kit.evidence.catalog import TOOLS
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import broken
from conformance.kit.verdicts.judge import Question, judge
from conformance.spec.clauses import clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import Verdict
from tests.kit.samples import (
    accepted,
    called,
    case,
    error,
    judges,
    refused,
    run_evidence,
    tool_evidence,
    web,
)

BAD, GOOD, STATE = (500, {}), (400, {}), (409, {"taken": True})
LIMITED = (400, {"error": "Rate limit reached (10 calls a day)"})
LIMITED_WITH_200 = (200, {"error": "Rate limit reached (10 calls a day)", "upgrade_url": "/pro"})
CRASHES = "ATDF-CALL-005"


def asked(clause=CRASHES):
    test, about = judges()[clause]
    return Question(test, about, "http", "book")


def sent(answer, of=None):
    return called(web(*answer, of=of or case()))


def drawn(answer, **changes):
    """A call that was drawn at random, and its answer."""
    return sent(answer, case(CaseKind.VALID, scenario="random-valid", **changes))


def judged(*calls):
    evidence = run_evidence(tool_evidence(accepted(), *calls))
    return judge(asked(), evidence), evidence


def again(call, *answers):
    """What the same case got when it was sent again."""
    return [web(*answer, of=call.case) for answer in answers]


def stands(repeats, *calls):
    item, evidence = judged(*calls)
    return confirmed(asked(), item, evidence, repeats)


def of(call, *answers):
    return ("http", call.case.id.text), again(call, *answers)


def cases(item):
    return [finding.case for finding in item.findings]


def test_what_is_found_again_each_time_stands():
    call = sent(BAD)
    item = stands(Repeats(dict([of(call, BAD, BAD)])), call)
    assert (item.verdict, cases(item)) == (Verdict.FAIL, [call.case.id.text])


@pytest.mark.parametrize("answers", [(GOOD, GOOD), (GOOD, BAD), (BAD, GOOD)])
def test_what_is_not_found_again_each_time_is_flaky(answers):
    call = sent(BAD)
    assert stands(Repeats(dict([of(call, *answers)])), call).verdict is Verdict.FLAKY


def test_a_repetition_that_is_refused_for_state_confirms():
    call = sent(BAD)
    assert stands(Repeats(dict([of(call, STATE, STATE)])), call).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        ((BAD, LIMITED), Verdict.FAIL),
        ((LIMITED, LIMITED), Verdict.NOT_VERIFIED),
        ((GOOD, LIMITED), Verdict.FLAKY),
        ((BAD, LIMITED_WITH_200), Verdict.FAIL),
        ((LIMITED_WITH_200, LIMITED_WITH_200), Verdict.NOT_VERIFIED),
        ((BAD, (429, {})), Verdict.FAIL),
        (((429, {}), (429, {})), Verdict.NOT_VERIFIED),
        (((401, {}), (503, {})), Verdict.NOT_VERIFIED),
        ((GOOD, (403, {})), Verdict.FLAKY),
    ],
)
def test_a_repetition_above_a_limit_of_calls_proves_nothing(answers, verdict):
    call = sent(BAD)
    assert stands(Repeats(dict([of(call, *answers)])), call).verdict is verdict


def test_a_repetition_that_proves_nothing_is_quoted_since_the_session_went_on():
    call = sent(BAD)
    (finding,) = stands(Repeats(dict([of(call, (429, {"detail": "Slow down."}))])), call).findings
    assert (finding.message.id, finding.exchange) == (
        "kit.not_verified.seen_unclear",
        call.exchange.id,
    )
    assert "Slow down." in finding.message.words("en")


def test_what_was_never_sent_again_is_not_verified_unless_the_server_is_gone():
    call = sent(BAD)
    item = stands(Repeats(), call)
    assert (item.verdict, cases(item)) == (Verdict.NOT_VERIFIED, [call.case.id.text])
    assert [(f.message.id, f.exchange) for f in item.findings] == [
        ("kit.not_verified.seen_once", call.exchange.id)
    ]
    item = stands(Repeats(gone={"http"}), call)
    assert (item.verdict, cases(item)) == (Verdict.FAIL, [call.case.id.text])


def test_what_was_seen_while_looking_around_is_never_sent_again_and_stands():
    seen = replace(
        web(200, {"tools": []}),
        case=None,
        script=LOOKED,
        step=Step(TOOLS, place="/tools", number=1),
    )
    evidence = run_evidence(scripts={LOOKED: (seen,)})
    test, about = judges()["ATDF-CAT-001"]
    question = Question(test, about, "http", None)
    finding = Finding(message("finding.call.closed"), exchange=seen.id)
    item = Item("ATDF-CAT-001", about.requirement, "http", None, Verdict.FAIL, (finding,))
    assert to_confirm(question, item) == [finding]
    assert confirmed(question, item, evidence, Repeats()) == item


def test_of_many_the_first_three_cases_are_asked_again_each_once():
    calls = [sent(BAD) for _ in range(5)]
    item, _ = judged(*calls)
    twice = replace(item, findings=(item.findings[0], *item.findings))
    assert [f.case for f in to_confirm(asked(), twice)] == [c.case.id.text for c in calls[:3]]


def test_with_the_flaky_ones_go_those_that_were_not_asked_again():
    calls = [sent(BAD) for _ in range(5)]
    repeats = Repeats(
        dict([of(calls[0], BAD, BAD), of(calls[1], GOOD, BAD), of(calls[2], BAD, BAD)])
    )
    assert cases(stands(repeats, *calls)) == [calls[0].case.id.text, calls[2].case.id.text]


def test_where_all_three_stand_so_do_the_others():
    calls = [sent(BAD) for _ in range(5)]
    repeats = Repeats(dict(of(call, BAD, BAD) for call in calls[:3]))
    assert len(cases(stands(repeats, *calls))) == 5


@pytest.mark.parametrize("verdict", [v for v in Verdict if v not in {Verdict.FAIL, Verdict.WARN}])
def test_only_what_failed_is_asked_again(verdict):
    item, _ = judged(sent(BAD))
    assert to_confirm(asked(), replace(item, verdict=verdict)) == []
    assert len(to_confirm(asked(), replace(item, verdict=Verdict.WARN))) == 1


def test_a_clause_about_repetition_is_not_asked_again():
    item, _ = judged(sent(BAD))
    unrepeated = next(each for each in clauses().values() if not each.confirm)
    assert to_confirm(replace(asked(), clause=unrepeated), item) == []


def test_of_a_recording_what_was_never_sent_again_is_not_confirmed():
    call, other = sent(BAD), sent(BAD)
    item, evidence = judged(call, other)
    known = Repeats(dict([of(call, BAD, BAD)]))
    assert unconfirmed(asked(), item, evidence, Repeats())
    assert not unconfirmed(asked(), item, evidence, known)
    assert not unconfirmed(asked(), item, evidence, Repeats(gone={"http"}))
    assert not unconfirmed(asked(), judged(sent(GOOD))[0], evidence, Repeats())


def test_a_step_of_a_script_stands_if_the_script_shows_it_again_each_time():
    def look(run):
        for exchange in run.steps("probe").values():
            if exchange.answer.status == 500:
                yield broken(exchange, "finding.call.status", status=500, case="x")

    def played(*answers):
        steps = [replace(web(*a), case=None, script="probe", step=Step("s", number=n))
                 for n, a in enumerate(answers)]  # fmt: skip
        return tuple(steps)

    question = replace(asked(), test=replace(asked().test, judge=look), tool=None,
                       clause=replace(asked().clause, scope="target"))  # fmt: skip
    evidence = run_evidence(scripts={"probe": played(GOOD, BAD)})
    item = judge(question, evidence)
    assert [finding.case for finding in item.findings] == [None]
    for second, verdict in ((played(GOOD, BAD), Verdict.FAIL), (played(BAD, GOOD), Verdict.FLAKY),
                            (played(GOOD, GOOD), Verdict.FLAKY)):  # fmt: skip
        repeats = Repeats(scripts={("http", "probe"): [played(GOOD, BAD), second]})
        assert confirmed(question, item, evidence, repeats).verdict is verdict
    assert unconfirmed(question, item, evidence, Repeats())
    assert not unconfirmed(question, item, evidence, repeats)


def by_chance(*calls):
    item, _ = judged(*calls)
    found = of_chance_alone(asked(), item, {c.exchange.id: c.exchange for c in calls})
    return [finding.case for finding in found]


def test_only_where_chance_alone_found_something_a_smaller_call_is_looked_for():
    first, second = drawn(BAD), drawn(BAD)
    assert by_chance(first, second) == [first.case.id.text]
    assert by_chance(first, sent(BAD)) == []
    assert by_chance(sent(BAD, case(scenario="random-enum"))) != []
    assert by_chance(sent(BAD, case(CaseKind.REPAIR, scenario="random-enum"))) == []


def test_each_message_gets_a_smallest_call_of_its_own():
    first, again = drawn(BAD), drawn(BAD)
    gone = case(CaseKind.VALID, scenario="random-valid")
    closed = called(web(0, answered=False, trouble=Trouble.CLOSED, of=gone))
    assert by_chance(first, again, closed) == [first.case.id.text, closed.case.id.text]


def test_a_finding_is_shown_in_its_smallest_form_where_one_is_known():
    call, other = drawn(BAD), drawn(BAD)
    item, evidence = judged(call, other)
    small = web(
        *BAD, of=replace(call.case, id=replace(call.case.id, smallest="1"), arguments={"count": 1})
    )
    repeats = Repeats(smallest={("http", CRASHES, call.case.id.text): (small,)})
    shown = in_smallest_form(asked(), item, evidence, repeats)
    assert cases(shown) == [small.case.id.text, other.case.id.text]
    assert shown.findings[0].exchange == small.id
    elsewhere = Repeats(smallest={("http", "ATDF-CALL-001", call.case.id): (small,)})
    assert in_smallest_form(asked(), item, evidence, elsewhere) == item


def test_a_smaller_call_that_shows_nothing_is_not_shown():
    call = drawn(BAD)
    item, evidence = judged(call)
    fine = web(200, {}, of=replace(call.case, id=replace(call.case.id, smallest="1")))
    repeats = Repeats(smallest={("http", CRASHES, call.case.id.text): (fine,)})
    assert in_smallest_form(asked(), item, evidence, repeats) == item


def test_a_finding_that_was_not_sent_again_does_not_outlive_a_flaky_one():
    calls = [sent(BAD) for _ in range(3)]
    only_first = Repeats(dict([of(calls[0], GOOD, GOOD)]))
    assert stands(only_first, *calls).verdict is Verdict.FLAKY
    limited = Repeats(dict([of(calls[0], GOOD, GOOD), of(calls[1], LIMITED, LIMITED),
                            of(calls[2], BAD, BAD)]))  # fmt: skip
    assert cases(stands(limited, *calls)) == [calls[2].case.id.text]


def stuck():
    """A refusal with a suggestion, and the repaired call, which fails."""
    first = refused(error(suggested_value="9"))
    step = replace(
        first.case,
        id=replace(first.case.id, repair=1),
        kind=CaseKind.REPAIR,
        arguments={"count": 9},
        neighbour=first.case.id,
        step=1,
    )
    return first, called(web(*BAD, of=step))


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        ((BAD, BAD), Verdict.WARN),
        (((200, {"ok": True}), (200, {"ok": True})), Verdict.FLAKY),
        ((BAD, (200, {"ok": True})), Verdict.FLAKY),
    ],
)
def test_of_a_repair_that_led_nowhere_the_last_step_is_sent_again(answers, verdict):
    first, last = stuck()
    evidence = run_evidence(tool_evidence(accepted(), first, last), claims=True)
    question = asked("ATDF-ERR-012")
    item = judge(question, evidence)
    (finding,) = to_confirm(question, item)
    assert (finding.case, shown_by(finding)) == (first.case.id.text, last.exchange.id)
    repeats = Repeats(dict([of(last, *answers)]))
    assert confirmed(question, item, evidence, repeats).verdict is verdict
    assert unconfirmed(question, item, evidence, Repeats(dict([of(first, BAD, BAD)])))
