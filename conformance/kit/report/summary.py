"""Writes `summary.md`: the session on one page, for the page of a CI job.

Every text of the target is inert in Markdown here. A tool's name cannot become a link, a heading, a
table cell or a tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.kit.model.results import RunResult
from conformance.kit.report.exit import outcome
from conformance.kit.report.findings import Group, groups, refusal
from conformance.kit.report.lacking import Lack, also, lacks
from conformance.kit.report.levels import (
    all_items,
    answered_line,
    capped,
    clauses_verified,
    counts,
    ended_early,
    guides_for,
    left_out,
    left_out_title,
    may_claim,
    misleading,
    next_level,
    no_tools,
    rests_on_documents,
    run_standing_name,
    standing_name,
    tools_spared,
    unverified,
    weakest_run,
)
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import again_line, wider
from conformance.kit.report.safe_text import in_markdown
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
    requirement_name,
    rule,
    verdict_name,
    verified_words,
    waiver_words,
    why_must,
)
from conformance.spec.vocabulary import Verdict

GROUPS = 20
"""The most groups that are shown; the page gives the number of the others."""

_SENTENCE = 1_000
"""The most characters of our own sentences. Quotes of the target in them are shortened before."""

TOOLS = 8
"""The most names in a list of tools; the page gives the number of the others."""


class Summary:
    """Writes the page. The outcome comes first, because CI gates look for it."""

    name = "summary.md"

    def parts(self, report: Report) -> Iterator[str]:
        """Yield the page, line by line."""
        for line in _Page(report).lines():
            yield f"{line}\n"


class _Page:
    """Writes the parts of the page from one report."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.session = report.session
        self.language = report.language
        self.say = report.say

    def text(self, text: str, limit: int = 200) -> str:
        return in_markdown(self.report.text(text, limit), None)

    def name(self, name: str) -> str:
        """Return a short name for a sentence. The whole sentence is made inert later."""
        return self.report.text(name, 60)

    def lines(self) -> Iterable[str]:
        session = self.session
        targets = dict.fromkeys(run.run.target for run in session.runs)
        level = standing_name(session, self.language)
        yield f"## {self.say('report.title')}: {', '.join(map(self.text, targets)) or NOTHING}"
        yield ""
        yield from self.outcome()
        yield from self.uncalled()
        yield f"**{self.say('report.level.label')}: {level}**"
        for run in {run.claims: run for run in session.runs}.values():
            for told in claims_told(run, self.language, self.text):
                yield f"\n{told}"
        if session.selection:
            yield f"\n{self.say('report.selection')}"
            if session.selected:
                asked = self.text(session.selected, 600)
                yield f"{self.say('report.selected')} <code>{asked}</code>"
        if early := ended_early(session, self.language):
            yield f"\n⚠ {early}"
        for error in session.kit_errors[:GROUPS]:
            yield f"\n⚠ {self.say('report.kit-error')} {self.text(error)}"
        yield from self.missing()
        yield from self.findings()
        yield from self.misleading()
        yield from self.waivers()
        yield from self.runs()
        yield from self.verdicts()
        yield from self.tools_left_out()
        yield ""
        seconds = duration(session.duration, self.language)
        yield self.say("report.summary.foot", seconds=seconds, kit=session.kit, seed=session.seed)

    def outcome(self) -> Iterable[str]:
        ended = self.report.ended
        words = outcome(self.session, ended, self.language) if ended else ""
        if ended and words:
            yield f"**{ended.sign} {self.text(words, 600)}**"
            yield ""

    def uncalled(self) -> Iterable[str]:
        if not rests_on_documents(self.session):
            return
        yield f"**{self.say('report.uncalled')}**"
        more = wider(self.report)
        if more is not None:
            after = f" {self.say(more.after)}" if more.after else ""
            yield f"<br>{self.say(more.before)} <code>{self.text(more.line, 1000)}</code>{after}"
        yield ""

    def missing(self) -> Iterable[str]:
        run = weakest_run(self.session)
        upper = next_level(run) if run else None
        if run is None or upper is None:
            return
        reason = capped(run)
        if reason is not None:
            yield ""
            yield self.say("report.capped", reason=reason)
        found = lacks(run, upper)
        if found:
            yield ""
            yield self.say("report.keeps-from", level=level_name(upper, self.language))
            yield ""
        for lack in found[:GROUPS]:
            yield f"- {self.lack(lack)}"
        if len(found) > GROUPS:
            more = number(len(found) - GROUPS, self.language)
            yield f"- {self.say('report.more', count=more)}"
        none = no_tools(run)
        if none is not None:
            yield f"\n{self.text(none.words(self.language), 400)}"
        if may_claim(run):
            how = self.say("report.how", url=f"<{guides_for(run, self.language)}>")
            yield f"\n{self.say('report.not-claimed')} {how}"

    def lack(self, lack: Lack) -> str:
        if lack.reason is None:
            must = why_must(lack.clauses[0], lack.verdict, self.session.runs, self.language)
            return f"{self.clause(lack.clauses[0])} {must}".rstrip()
        name = verdict_name(lack.verdict, self.language) if lack.verdict else ""
        where = f"{self.names(lack.tools)}: " if lack.tools else ""
        words = self.text(lack.reason.of(len(lack.tools)).words(self.language), 400)
        more = self.text(also(lack, self.language, self.name), _SENTENCE)
        words += f" {more}" if more else ""
        links = ", ".join(self.link(clause) for clause in lack.clauses)
        return f"{name} · {where}{words} ({links})"

    def link(self, id: str) -> str:
        found = rule(id, self.language)
        return f"[{id}]({found.url})" if found else self.text(id)

    def clause(self, id: str) -> str:
        found = rule(id, self.language)
        return f"[{id}]({found.url}): {found.text}" if found else self.text(id)

    def runs(self) -> Iterable[str]:
        yield ""
        yield f"### {self.say('report.html.standing')}"
        heads = ("run", "level", "repair", "named", "said", "requests")
        yield ""
        yield "| " + " | ".join(self.say(f"report.column.{head}") for head in heads) + " |"
        yield "| --- | --- | ---: | ---: | ---: | ---: |"
        for result in self.session.runs:
            yield "| " + " | ".join(self.run_cells(result)) + " |"

    def run_cells(self, result: RunResult) -> Iterable[str]:
        yield self.text(result.run.id)
        yield run_standing_name(result, self.session, self.language)
        yield percent(result.repair.rate, self.language)
        yield percent(result.explain.names_parameter, self.language)
        yield percent(result.explain.says_what_is_right, self.language)
        yield number(result.requests, self.language)

    def verdicts(self) -> Iterable[str]:
        found = counts(all_items(self.session))
        parts = [
            f"{verdict_name(verdict, self.language)} {number(count, self.language)}"
            for verdict, count in found.items()
            if count
        ]
        counted = clauses_verified(self.session), unverified(self.session)
        yield ""
        yield self.text(verified_words(*counted, self.language, self.name), _SENTENCE)
        yield ""
        yield " · ".join(parts) or NOTHING

    def findings(self) -> Iterable[str]:
        shown = groups(self.session, (Verdict.KIT_ERROR, Verdict.FAIL, Verdict.FLAKY, Verdict.WARN))
        if not shown:
            return
        yield ""
        yield f"### {self.say('report.findings')}"
        yield ""
        apart = False
        for group in shown[:GROUPS]:
            if group.superseded and not apart:
                apart = True
                what = "counted" if self.report.fail_on_superseded else "apart"
                yield f"\n{self.say(f'report.superseded.{what}')}\n"
            yield from self.group(group)
        if len(shown) > GROUPS:
            more = number(len(shown) - GROUPS, self.language)
            yield f"- {self.say('report.more', count=more)}"

    def group(self, group: Group) -> Iterable[str]:
        first = group.items[0]
        name = verdict_name(group.verdict, self.language)
        tools = self.names(group.tools)
        where = f" · {tools}" if tools else ""
        if len(self.session.runs) > 1:
            where += f" · {self.names(group.runs)}"
        clauses = ", ".join(f"**{self.link(clause)}**" for clause in group.clauses)
        must = requirement_name(first.requirement, self.language)
        yield f"- {clauses} · {must} · {name}{where}"
        finding = group.finding
        if finding is None:
            return
        yield f"  <br>{self.text(finding.words(self.language), 400)}"
        more = others(group.told, self.language, self.name)
        if more:
            yield f"  <br>{self.text(more, _SENTENCE)}"
        for other in group.also:
            if other.finding is not None:
                words = self.text(other.finding.words(self.language), 400)
                yield f"  <br>{self.text(other.clause)}: {words}"
        quoted = refusal(finding, self.report)
        if quoted:
            said = in_markdown(quoted, None)
            yield f"  <br>{self.say(answered_line(self.session), said=said)}"
        again = again_line(self.report, finding)
        if again is not None:
            yield f"  <br><code>{self.text(self.report.redact(again), 400)}</code>"

    def names(self, tools: tuple[str, ...]) -> str:
        return listed(tools, TOOLS, self.language, lambda tool: self.text(tool, 60))

    def misleading(self) -> Iterable[str]:
        found = misleading(self.session)
        if found:
            yield f"\n{self.say('report.misleading')}\n"
        for each in found[:TOOLS]:
            words = misleading_words(each, self.language, self.name)
            yield f"- {self.text(words, _SENTENCE)}"
        if len(found) > TOOLS:
            more = number(len(found) - TOOLS, self.language)
            yield f"- {self.say('report.more', count=more)}"

    def waivers(self) -> Iterable[str]:
        if not self.session.waivers:
            return
        yield ""
        yield f"### {self.say('report.waivers')}: {self.text(self.session.waivers_file)}"
        yield ""
        stale_first = sorted(self.session.waivers, key=lambda used: used.stale is None)
        for used in stale_first[:GROUPS]:
            sign = "⚠ " if used.stale is not None else ""
            yield f"- {sign}{self.text(waiver_words(used, self.language), 600)}"
        if len(stale_first) > GROUPS:
            more = number(len(stale_first) - GROUPS, self.language)
            yield f"- {self.say('report.more', count=more)}"

    def tools_left_out(self) -> Iterable[str]:
        spared = tools_spared(self.session)
        if spared:
            yield ""
            yield self.say("kit.spared", count=len(spared), tools=self.names(spared))
        reasons = left_out(self.session)
        if not reasons:
            return
        yield ""
        yield f"### {self.say(left_out_title(self.session))}"
        yield ""
        for reason, tools in list(reasons.items())[:GROUPS]:
            words = self.text(reason.of(len(tools)).words(self.language), 400)
            yield f"- {self.names(tools)}: {words}"
        if len(reasons) > GROUPS:
            more = number(len(reasons) - GROUPS, self.language)
            yield f"- {self.say('report.more', count=more)}"
