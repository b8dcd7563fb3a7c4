"""One server over several bindings: the calls that it answers otherwise over one than another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.kit.model.results import Finding, Item
from conformance.kit.report.clause_text import rule
from conformance.kit.report.fold import Folded
from conformance.kit.report.levels import GRAVITY, all_items
from conformance.kit.report.safe_text import in_html, ticked
from conformance.kit.report.view import View
from conformance.kit.report.words import number
from conformance.spec.messages import Message
from conformance.spec.vocabulary import Verdict

CLAUSE = "ATDF-PAR-001"

_COMPARED = {Verdict.PASS, Verdict.FAIL, Verdict.WARN, Verdict.WAIVED, Verdict.FLAKY}
_MOST = 12
_CALLS = 3

Value = str | Message


@dataclass(frozen=True, slots=True)
class _Difference:
    """What is said of a tool's calls on the two sides; its calls and runs are folded."""

    tool: str
    there: Value
    other: Value
    here: Value


def parity(view: View, folded: Folded) -> str:
    """Give how many calls were compared, and each difference; empty where none were compared."""
    items = [i for i in all_items(view.session) if i.clause == CLAUSE and i.verdict in _COMPARED]
    if not items:
        return ""
    count = sum(len(item.findings) for item in items)
    checked = sum(item.checked for item in items)
    values = {
        name: number(n, view.language) for name, n in (("checked", checked), ("count", count))
    }
    head = f"<p>{view.say('report.html.parity-count', **values)}</p>"
    if not count:
        return head
    calls, runs = _folded(items)
    lines = [_line(each, list(calls[each]), list(runs[each]), view) for each in list(calls)[:_MOST]]
    if len(calls) > _MOST:
        more = view.say("report.more", count=number(len(calls) - _MOST, view.language))
        lines.append(f"<li>{more}</li>")
    return f'{head}{_rule(items, view, folded)}<ul class="missing sides">{"".join(lines)}</ul>'


def _folded(
    items: Iterable[Item],
) -> tuple[dict[_Difference, dict[Value, None]], dict[_Difference, dict[Value, None]]]:
    """The calls and the runs of each difference, each once, in order."""
    calls: dict[_Difference, dict[Value, None]] = {}
    runs: dict[_Difference, dict[Value, None]] = {}
    for item in items:
        for finding in item.findings:
            said = _values(finding)
            one = _Difference(item.tool or "", said["there"], said["other"], said["here"])
            calls.setdefault(one, {})[said["case"]] = None
            runs.setdefault(one, {})[said["run"]] = None
    return calls, runs


def _values(finding: Finding) -> dict[str, Value]:
    """What the finding says; what an older file leaves out is empty."""
    return dict.fromkeys(("case", "here", "run", "there", "other"), "") | dict(
        finding.message.values
    )


def _line(one: _Difference, calls: list[Value], runs: list[Value], view: View) -> str:
    names = ", ".join(_words(call, view) for call in calls[:_CALLS])
    if len(calls) > _CALLS:
        more = view.say("report.more", count=number(len(calls) - _CALLS, view.language))
        names += f' <span class="meta">{more}</span>'
    sides = ((one.other, one.there), (", ".join(_plain(run) for run in runs), one.here))
    told = "".join(
        f"<div><dt><code>{_words(run, view)}</code></dt><dd>{_words(said, view)}</dd></div>"
        for run, said in sides
    )
    return f"<li>{view.name(one.tool, 40)} · {names}<dl>{told}</dl></li>"


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _words(value: Value, view: View) -> str:
    said = value.words(view.language) if isinstance(value, Message) else value
    return ticked(view.text(said, 300))


def _rule(items: Iterable[Item], view: View, folded: Folded) -> str:
    """The sentence of the clause, and the way to the row that shows the calls themselves."""
    found = rule(CLAUSE, view.language)
    anchors = folded.anchors()
    held = {item.verdict for item in items} - {Verdict.PASS}
    gravest = min(held, key=GRAVITY.index, default=Verdict.PASS)
    anchor = anchors.get((CLAUSE, gravest))
    name = f'<a href="#{anchor}">{CLAUSE}</a>' if anchor else f"<b>{CLAUSE}</b>"
    text = ticked(in_html(found.text, None)) if found else ""
    return f'<p class="meta">{name} {text}</p>'
