"""What to mend first: what failed, each with its one line and the way to its row."""

from __future__ import annotations

from conformance.kit.report.fold import Folded
from conformance.kit.report.levels import groups
from conformance.kit.report.others import others, told_of
from conformance.kit.report.view import View
from conformance.kit.report.words import number
from conformance.spec.vocabulary import Verdict

_MOST = 8


def first(view: View, folded: Folded) -> str:
    """Give the list, the gravest first; empty where nothing failed."""
    graver = (Verdict.KIT_ERROR, Verdict.FAIL, Verdict.FLAKY)
    failed = groups(view.session, graver)
    if not failed:
        return ""
    anchors = folded.anchors()
    lines = []
    for group in failed[:_MOST]:
        anchor = anchors.get((group.clause, group.verdict))
        name = view.text(group.clause)
        link = f'<a href="#{anchor}">{name}</a>' if anchor else f"<b>{name}</b>"
        words = view.words(group.finding.message, 300) if group.finding else ""
        more = others(told_of(group.items), view.language, lambda text: view.text(text, 60))
        words += f" {more}" if more else ""
        tools = ", ".join(view.name(tool, 40) for tool in group.tools[:3])
        if len(group.tools) > 3:
            tools += f" +{number(len(group.tools) - 3, view.language)}"
        where = f' <span class="meta">{tools}</span>' if tools else ""
        lines.append(f"<li>{view.verdict(group.verdict)} {link} {words}{where}</li>")
    if len(failed) > _MOST:
        count = number(len(failed) - _MOST, view.language)
        lines.append(f'<li><a href="#h-findings">{view.say("report.more", count=count)}</a></li>')
    return f'<ul class="missing">{"".join(lines)}</ul>'
