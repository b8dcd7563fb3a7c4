"""A file for `--examples`: the tools whose own calls were not accepted, ready to be edited."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ruamel.yaml import YAML

from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence
from conformance.kit.model.case import CaseKind
from conformance.kit.report.reporter import Report
from conformance.kit.report.safe_text import visible
from conformance.kit.transport.binding import to_text

_SHOWN = 3
"""Calls that are shown with their answers."""
_LONGEST = 300
"""Characters of a call or an answer in a comment."""
_UNFOLDED = 2**31
"""Columns: where a quoted text is folded, ruamel.yaml may add a space to it."""


def without_baseline(evidence: Iterable[RunEvidence]) -> dict[str, ToolEvidence]:
    """The tools that were to be called, and of which no call was accepted in any run."""
    found: dict[str, ToolEvidence] = {}
    accepted: set[str] = set()
    for run in evidence:
        for name, tool in run.by_tool.items():
            if tool.baseline is not None and tool.baseline.reading.accepted:
                accepted.add(name)
            elif tool.calls or (tool.unplanned and tool.left_out is None):
                found.setdefault(name, tool)
    return {name: tool for name, tool in found.items() if name not in accepted}


def examples_text(tools: dict[str, ToolEvidence], report: Report) -> str:
    """The file, in YAML: each tool with the last call that was tried, and what came of all."""
    blocks = [_comment(report.say("report.examples.head"))]
    for name, tool in tools.items():
        tried = _tried(tool)
        arguments = tried[-1].case.arguments if tried else {}
        block = "".join(map(_comment, _told(tried, tool, report)))
        blocks.append(block + _yaml(name, [arguments if isinstance(arguments, dict) else {}]))
    return report.redact("\n".join(blocks))


def _tried(tool: ToolEvidence) -> list[Call]:
    return [call for call in tool.of(CaseKind.BASELINE) if call.case.neighbour is None]


def _told(tried: list[Call], tool: ToolEvidence, report: Report) -> Iterator[str]:
    for call in islice(reversed(tried), _SHOWN):
        yield report.say("report.examples.tried", call=_shown(to_text(call.case.arguments), report))
        said = call.reading.text or str(call.reading.status or call.exchange.trouble or "")
        yield report.say("report.examples.said", said=_shown(said, report))
    if not tried:
        yield report.say("report.examples.nothing", reason=_shown(tool.unplanned, report))


def _shown(text: str, report: Report) -> str:
    return report.text(text, _LONGEST)


def _comment(text: str) -> str:
    return f"# {_readable(text)}\n"


def _readable(text: str) -> str:
    """The text without the two signs that no YAML text may hold, however they are shown."""
    return text.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def _yaml(name: str, calls: list[Any]) -> str:
    """The calls of a tool, in lines for people to change. What would be a command to a CI system,
    or turn a text around, is escaped: as JSON is, which YAML reads, and in one line.
    """
    made = YAML(typ="safe", pure=True)
    made.default_flow_style = False
    made.allow_unicode = to_text({name: calls}).isprintable()  # else some would be line breaks
    made.width = _UNFOLDED
    stream = io.StringIO()
    made.dump({name: calls}, stream)
    text = stream.getvalue()
    if visible(text, None, lines=True) == text:
        return text
    key, value = (visible(json.dumps(each, ensure_ascii=False), None) for each in (name, calls))
    return _readable(f"? {key}\n: {value}\n")
