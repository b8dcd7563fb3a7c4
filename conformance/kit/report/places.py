"""Where a row's message holds: runs, tools, parameters and scenarios, with nothing said twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.kit.model.results import Finding
from conformance.kit.report.fold import Place, Row
from conformance.kit.report.label import finding_label
from conformance.kit.report.safe_text import ticked
from conformance.kit.report.view import View
from conformance.kit.report.words import number
from conformance.spec.messages import Message

PLACES = 20
"""Places listed in one row."""

_SENTENCE_END = ". "


@dataclass(frozen=True, slots=True)
class _Line:
    """What is said of one place in a list; the runs in which it holds are folded."""

    tool: str | None
    parameter: str | None
    scenario: str | None
    message: Message | None


def place_label(place: Place, view: View) -> str:
    """Give the run, the tool and what was sent, of one place."""
    label = finding_label(place.finding, view) if place.finding else ""
    parts = (view.text(place.item.run), _name(place.item.tool, view), label)
    return " · ".join(part for part in parts if part)


def _name(tool: str | None, view: View) -> str:
    return "" if tool is None else view.name(tool)


def places(row: Row, view: View) -> str:
    """Give the list of the tools, runs and parameters where a row's message holds."""
    lines: dict[_Line, Finding | None] = {}
    runs: dict[_Line, dict[str, None]] = {}
    for place in row.places:
        line = _line(place)
        lines.setdefault(line, place.finding)
        runs.setdefault(line, {})[place.item.run] = None
    shown = list(lines)[:PLACES]
    words = dict(zip(shown, _words(shown, view), strict=True)) if _differ(shown) else {}
    groups: dict[tuple[str, str], list[str]] = {}
    for line in shown:
        finding = lines[line]
        told = (finding_label(finding, view) if finding else "", words.get(line, ""))
        where = (" · ".join(map(view.text, runs[line])), _name(line.tool, view))
        groups.setdefault(where, []).append(": ".join(part for part in told if part))
    body = "".join(_listed(groups))
    if len(lines) > PLACES:
        count = number(len(lines) - PLACES, view.language)
        body += f"<li>{view.say('report.more', count=count)}</li>"
    head = view.say("report.html.places")
    return f'<section><h3>{head}</h3><ul class="places">{body}</ul></section>'


def _line(place: Place) -> _Line:
    finding, tool = place.finding, place.item.tool
    if finding is None:
        return _Line(tool, None, None, None)
    return _Line(tool, finding.parameter, finding.scenario, finding.message)


def _listed(groups: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    """The places of one tool in the same runs stand below one head."""
    plain: dict[str, list[str]] = {}
    for (runs, tool), told in groups.items():
        if not any(told):
            plain.setdefault(runs, []).append(tool)
            continue
        head = " · ".join(part for part in (f'<span class="meta">{runs}</span>', tool) if part)
        if len(told) == 1:
            yield f"<li>{head} · {told[0]}</li>"
        else:
            yield f"<li>{head}<ul>{''.join(f'<li>{each}</li>' for each in told)}</ul></li>"
    for runs, tools in plain.items():
        names = ", ".join(tool for tool in tools if tool)
        parts = (f'<span class="meta">{runs}</span>', names)
        yield f"<li>{' · '.join(part for part in parts if part)}</li>"


def _differ(lines: Iterable[_Line]) -> bool:
    """Whether the messages say more than what was sent and where, which stands there anyhow."""
    said = set()
    for line in lines:
        if line.message is not None:
            own = (v for _, v in line.message.values if v != line.parameter and not _is_sent(v))
            said.add((line.message.id, tuple(own)))
    return len(said) > 1


def _is_sent(value: str | Message) -> bool:
    return isinstance(value, Message) and value.id.startswith(("call.", "step."))


def _words(lines: Sequence[_Line], view: View) -> Iterator[str]:
    """Give what each line says, without the sentence with which all of them end."""
    said = [line.message.words(view.language) if line.message else "" for line in lines]
    ends = {text.rpartition(_SENTENCE_END)[1:] for text in said}
    shared = len(said) > 1 and len(ends) == 1 and all(next(iter(ends)))
    for text in said:
        kept = text.rpartition(_SENTENCE_END)[0] + "." if shared else text
        yield ticked(view.text(kept, 300))
