"""The end of a session on the terminal: what failed, what was not checked, and the level.

It is short: a line for a group, a line for its reason, and the number of groups left off. Control
characters in a target's text are escaped, so that they cannot move the cursor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.formats.problem import shown
from conformance.kit.model.results import Finding, RunResult, UsedWaiver
from conformance.kit.report.findings import Group, groups, refusal, sent_in
from conformance.kit.report.lacking import Lack, also, lacks
from conformance.kit.report.levels import (
    all_items,
    answered_line,
    capped,
    clauses_verified,
    counts,
    ended_early,
    guides_for,
    is_rated,
    left_out,
    may_claim,
    misleading,
    next_level,
    no_tools,
    offers_tools,
    resources_listed,
    rests_on_documents,
    run_standing_name,
    session_level,
    shortages,
    tools_called,
    tools_spared,
    unverified,
    weakest_run,
)
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import again_line, explain_line, wider
from conformance.kit.report.safe_text import visible
from conformance.kit.report.words import (
    NOTHING,
    claims_told,
    duration,
    level_name,
    listed,
    misleading_words,
    number,
    others,
    percent,
    say,
    sentence,
    verdict_name,
    verified_words,
    waiver_words,
    why_must,
)
from conformance.kit.transport.bindings import traits_of
from conformance.spec.messages import as_code
from conformance.spec.vocabulary import Level, Missing, Verdict

GROUPS = 20
"""The most groups that are shown; the report has the others."""

_TOOLS = 5
_RUNS = 6
_REASONS = 5
_MISSING = 8
_COMMAND = 2_000
"""The most characters of a command. An incomplete command would be useless, so this is a lot."""
_TOLD = 1_000
"""The most characters of our own sentences. Quotes of the target in them are shortened before."""
_OUTSIDE = (Missing.NETWORK, Missing.SERVICE, Missing.DATABASE)
_SHUT_IN = dict.fromkeys(_OUTSIDE, "report.shortage.sandbox")
_SHUT_IN[Missing.FILES] = "report.shortage.sandbox-files"
"""What a server may lack because the sandbox shuts it in."""
_PAINT = {
    Verdict.FAIL: {"red": True},
    Verdict.KIT_ERROR: {"red": True, "bold": True},
    Verdict.FLAKY: {"yellow": True},
    Verdict.WARN: {"yellow": True},
    Verdict.NOT_VERIFIED: {"yellow": True},
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line and its markup, in the form that pytest's terminal writer takes."""

    text: str
    markup: tuple[str, ...] = ()


class Terminal:
    """Writes the end of a session; `page` is the path of `report.html`, if it was written."""

    name = "terminal"

    def __init__(self, page: str = "") -> None:
        self.page = page

    def parts(self, report: Report) -> Iterator[str]:
        """Yield the lines as plain text."""
        yield from (f"{line.text}\n" for line in self.lines(report))

    def lines(self, report: Report) -> Iterator[Line]:
        """Yield the lines with their markup."""
        writer = _Summary(report)
        yield from writer.uncalled()
        yield from writer.findings()
        yield from writer.misleading()
        yield from writer.looked_at()
        yield from writer.standing()
        if self.page:
            # The path may contain a directory name from a repository.
            yield Line(report.say("report.terminal.report", path=visible(self.page, None)))


class _Summary:
    """Writes the parts from one report."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.session = report.session
        self.language = report.language
        self.say = report.say
        self.text = report.text

    def uncalled(self) -> Iterable[Line]:
        if rests_on_documents(self.session):
            yield Line(self.say("report.uncalled"), ("yellow", "bold"))
            yield from self.wider()
            yield Line("")

    def wider(self) -> Iterable[Line]:
        more = wider(self.report)
        if more is not None:
            yield Line(f"    {self.say(more.before)}")
            yield Line(f"    {self.text(more.line, _COMMAND)}", ("light",))
            if more.after:
                yield Line(f"    {self.say(more.after)}")

    def findings(self) -> Iterable[Line]:
        if early := ended_early(self.session, self.language):
            yield Line(early, ("yellow",))
        for error in self.session.kit_errors[:GROUPS]:
            yield Line(f"{self.say('report.kit-error')} {self.text(error, 400)}", ("red", "bold"))
        # A warning is printed in full only if it fails the session; otherwise in short.
        wanted = (Verdict.KIT_ERROR, Verdict.FAIL, Verdict.FLAKY, Verdict.WARN)
        found = groups(self.session, wanted)
        apart = False
        for group in found[:GROUPS]:
            if group.superseded and not apart:
                apart = True
                yield self.superseded()
            if group.verdict is Verdict.WARN and not self.report.fail_on_should:
                yield from self.warned(group)
            else:
                yield from self.group(group)
        if len(found) > GROUPS:
            more = number(len(found) - GROUPS, self.language)
            yield Line(self.say("report.terminal.more-findings", count=more))
        if any(group.verdict is Verdict.FLAKY for group in found[:GROUPS]):
            yield Line(self.say("report.flaky"), ("light",))
        if found:
            line = explain_line(found[0].clause, self.language)
            yield Line(self.say("report.explain", line=self.text(line, _COMMAND)), ("light",))
        stale = [used for used in self.session.waivers if used.stale is not None]
        idle = self.idle_waivers()
        yield from self.waivers(stale, "red")
        yield from self.waivers(idle, "yellow")
        if found or stale or idle:
            yield Line("")

    def waivers(self, shown: list[UsedWaiver], color: str) -> Iterable[Line]:
        path = self.text(self.session.waivers_file)
        for used in shown[:GROUPS]:
            words = self.text(waiver_words(used, self.language), 240)
            yield Line(f"{path}: {words}", (color,))
        if len(shown) > GROUPS:
            more = number(len(shown) - GROUPS, self.language)
            yield Line(self.say("report.terminal.more", count=more))

    def idle_waivers(self) -> list[UsedWaiver]:
        """Return waivers that cover nothing and are not stale, if their clause was judged."""
        asked = {item.clause for item in all_items(self.session)}
        idle = (used for used in self.session.waivers if not used.waived and used.stale is None)
        return [used for used in idle if used.waiver.clause in asked]

    def group(self, group: Group) -> Iterable[Line]:
        yield self.head(group, group.clauses)
        finding = group.finding
        if finding is None:
            words = sentence(group.clause, self.language)
            yield Line(f"    {words}")
            return
        yield Line(f"    {self.text(finding.words(self.language), _TOLD)}")
        more = others(group.told, self.language, lambda text: self.text(text, 60))
        if more:
            yield Line(f"    {more}")
        for other in group.also:
            if other.finding is not None:
                words = self.text(other.finding.words(self.language), _TOLD)
                yield Line(f"    {self.text(other.clause)}: {words}")
        if finding.case is None:
            yield from self.seen(finding)
        quoted = refusal(finding, self.report)
        if quoted:
            yield Line(f"    {self.say(answered_line(self.session), said=quoted)}")
        again = again_line(self.report, finding)
        if again is not None:
            yield Line(f"    {self.text(again, _COMMAND)}", ("light",))

    def head(self, group: Group, clauses: Iterable[str]) -> Line:
        name, where = verdict_name(group.verdict, self.language), self.names(group.tools, _TOOLS)
        parts = (", ".join(map(self.text, clauses)), name, where, self.only_in(group))
        return Line("  ".join(filter(None, parts)), tuple(_PAINT[group.verdict]))

    def superseded(self) -> Line:
        """Return the heading of the findings that only superseded versions have."""
        what = "counted" if self.report.fail_on_superseded else "apart"
        return Line(self.say(f"report.superseded.{what}"), ("bold",))

    def only_in(self, group: Group) -> str:
        """Return the group's runs in parentheses; empty if the session has only one run."""
        return f"({self.names(group.runs, _RUNS)})" if len(self.session.runs) > 1 else ""

    def warned(self, group: Group) -> Iterable[Line]:
        yield self.head(group, (group.clause,))
        finding = group.finding
        told = finding.words(self.language) if finding else sentence(group.clause, self.language)
        yield Line(f"    {self.text(told, _TOLD)}")
        if finding is not None:
            yield from self.seen(finding)

    def seen(self, finding: Finding) -> Iterable[Line]:
        """Yield the call or request that shows a finding, if the finding does not name it."""
        sent = sent_in(finding, self.report)
        if sent is not None:
            yield Line(f"    {self.say('report.sent', call=self.text(sent, _TOLD))}")

    def names(self, tools: tuple[str, ...], limit: int) -> str:
        text, more = lambda name: self.text(name, 40), "report.terminal.more"
        return listed(tools, limit, self.language, text, more)

    def codes(self, tools: tuple[str, ...]) -> str:
        """Return names for use within a sentence, each marked as code."""
        text, more = lambda name: as_code(self.text(name, 40)), "report.terminal.more"
        return listed(tools, _TOOLS, self.language, text, more)

    def looked_at(self) -> Iterable[Line]:
        session = self.session
        reasons = left_out(session)
        called = tools_called(session)
        out = len({tool for tools in reasons.values() for tool in tools} - set(called))
        values = {"called": len(called), "left_out": out}
        if any(offers_tools(run) for run in session.runs):
            yield Line(self.say("report.terminal.tools", **values))
        elif reasons:
            yield Line(self.say("report.terminal.providers"))
        for reason, tools in list(reasons.items())[:_REASONS]:
            words = self.text(reason.of(len(tools)).words(self.language), _TOLD)
            yield Line(f"    {self.names(tools, _TOOLS)}: {words}")
        if len(reasons) > _REASONS:
            more = number(len(reasons) - _REASONS, self.language)
            yield Line(f"    {self.say('report.terminal.more', count=more)}")
        if not rests_on_documents(session):
            yield from self.wider()
        if spared := tools_spared(session):
            yield Line(self.say("kit.spared", count=len(spared), tools=self.codes(spared)))
        for one in shortages(session):
            missing = say(f"missing.{one.missing}", self.language)
            names, words = self.codes(one.tools), shown(self.text(one.said, 80))
            line = self.say("report.shortage", missing=missing, said=words, tools=names)
            yield Line(line, ("yellow",))
        for kept in _shut_in(session.runs) if self.report.sandbox else ():
            yield Line(self.say(kept), ("yellow",))
        if resources := resources_listed(session):
            types = ", ".join(f"{kind} {count}" for kind, count in resources.items())
            yield Line(self.say("report.resources", count=sum(resources.values()), types=types))
        counted = clauses_verified(session), unverified(session)
        yield Line(verified_words(*counted, self.language, lambda name: self.text(name, 40)))
        told = ", ".join(
            f"{verdict_name(verdict, self.language)} {number(count, self.language)}"
            for verdict, count in counts(all_items(session)).items()
            if count
        )
        yield Line(self.say("report.terminal.verdicts", counts=told))

    def misleading(self) -> Iterable[Line]:
        """Yield the refusals that name another parameter than the wrong one."""
        found = misleading(self.session)
        if found:
            yield Line(self.say("report.misleading"), ("yellow",))
        for each in found[:_REASONS]:
            words = misleading_words(each, self.language, lambda name: self.text(name, 40))
            yield Line(f"    {words}")
        if len(found) > _REASONS:
            more = number(len(found) - _REASONS, self.language)
            yield Line(f"    {self.say('report.terminal.more', count=more)}")

    def standing(self) -> Iterable[Line]:
        session = self.session
        yield Line("")
        width = max((len(run.run.id) for run in session.runs), default=0)
        for run in session.runs:
            yield Line(self.run(run, width))
        yield from self.rates_told()
        if session.selection:
            yield Line(self.say("report.selection"))
            if session.selected:
                asked = self.text(session.selected, 600)
                yield Line(f"    {self.say('report.selected')} {asked}")
        if session.selection or session.interrupted:
            return
        weakest = weakest_run(session)
        upper = next_level(weakest) if weakest else None
        colour = "green" if weakest is not None and upper is None else "yellow"
        name = level_name(session_level(session), self.language)
        yield Line(f"{self.say('report.level.label')}: {name}", (colour, "bold"))
        if weakest is not None and upper is not None:
            reason = capped(weakest)
            if reason is not None:
                yield Line(f"    {self.say('report.capped', reason=reason)}")
            lacking = lacks(weakest, upper)
            if lacking:
                upper_name = level_name(upper, self.language)
                yield Line(f"    {self.say('report.keeps-from', level=upper_name)}")
                yield from self.missing(lacking)
            if weakest.level is Level.NONE and weakest.claims_atdf:
                yield Line(f"    {self.say('report.claimed')}")
            if (none := no_tools(weakest)) is not None:
                yield Line(f"    {self.text(none.words(self.language), _TOLD)}")
            if may_claim(weakest):
                yield Line(f"    {self.say('report.not-claimed')}")
                yield Line(f"    {self.say('report.how', url=guides_for(weakest, self.language))}")
        for run in {run.claims: run for run in self.session.runs}.values():
            for told in claims_told(run, self.language, lambda name: self.text(name, 40)):
                yield Line(f"    {told}")

    def missing(self, lacking: tuple[Lack, ...]) -> Iterable[Line]:
        for lack in lacking[:_MISSING]:
            clauses = ", ".join(self.text(clause) for clause in lack.clauses)
            name = verdict_name(lack.verdict, self.language) if lack.verdict else ""
            head = f"      {clauses}  {name}"
            if lack.reason is None:  # failures are explained above
                words = self.text(sentence(lack.clauses[0], self.language), 400)
                must = why_must(lack.clauses[0], lack.verdict, self.session.runs, self.language)
                words = f"{must} {words}" if must else words
                yield Line(f"{head}  {words}")
                continue
            where = f"{self.names(lack.tools, _TOOLS)}: " if lack.tools else ""
            yield Line(head)
            told = lack.reason.of(len(lack.tools)).words(self.language)
            yield Line(f"          {where}{self.text(told, _TOLD)}")
            more = also(lack, self.language, lambda tool: self.text(tool, 40))
            if more:
                yield Line(f"          {more}")
        if len(lacking) > _MISSING:
            more = number(len(lacking) - _MISSING, self.language)
            yield Line(f"      {self.say('report.terminal.more', count=more)}")

    def rates_told(self) -> Iterable[Line]:
        """Explain the rates that need it: those below 100%, and those with nothing to count."""
        rated = [run for run in self.session.runs if is_rated(run)]
        repairs = [run.repair.rate.rate for run in rated]
        rates = [r for run in rated for r in (run.explain.names_parameter, run.repair.rate)]
        words = []
        if 0 in repairs:
            words.append(self.say("report.terminal.repair-zero"))
        if any(rate.rate is None for rate in rates):
            words.append(self.say("report.terminal.rate-none", sign=NOTHING))
        if words or any(rate is not None and rate < 1 for rate in repairs):
            yield Line(" ".join((self.say("report.terminal.repair-help"), *words)), ("light",))

    def run(self, run: RunResult, width: int) -> str:
        name = f"{run.run.id:<{width}}  "
        if not (self.session.selection or self.session.interrupted):
            name += f"{run_standing_name(run, self.session, self.language)}  "
        if run.overhead is not None:
            name += self.say("report.overhead", time=duration(run.overhead, self.language))
        if not is_rated(run):
            return name.rstrip()
        return name + self.say(
            "report.terminal.rates",
            repair=percent(run.repair.rate, self.language),
            named=percent(run.explain.names_parameter, self.language),
            said=percent(run.explain.says_what_is_right, self.language),
        )


def _shut_in(runs: Iterable[RunResult]) -> Iterable[str]:
    """Return the messages about what a sandbox keeps from servers that the kit started."""
    lacked = (one for run in runs if traits_of(run.run).starts_process for one in run.shortages)
    return dict.fromkeys(_SHUT_IN[one.missing] for one in lacked if one.missing in _SHUT_IN)
