"""A file for `--examples`: the tools without an accepted call, ready to edit."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ruamel.yaml import YAML

from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence
from conformance.kit.model.case import CaseKind
from conformance.kit.model.written import mapped
from conformance.kit.report.reporter import Report
from conformance.kit.report.safe_text import visible
from conformance.kit.transport.binding import to_text

_SHOWN = 3
"""The most calls that are shown with their answers, for each tool."""
_LONGEST = 300
"""The most characters of a call or an answer in a comment."""
_UNFOLDED = 2**31
"""Line width that prevents folding: ruamel.yaml may add a space where it folds a quoted text."""


def without_baseline(evidence: Iterable[RunEvidence]) -> dict[str, ToolEvidence]:
    """Return the tools that the kit wanted to call, but no run had an accepted baseline call."""
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
    """Return the YAML file: each tool with its last tried call, and the answers as comments."""
    blocks = [_comment(report.say("report.examples.head"))]
    for name, tool in tools.items():
        tried = _tried(tool)
        arguments = tried[-1].case.arguments if tried else {}
        block = "".join(map(_comment, _told(tried, tool, report)))
        call = _finite(arguments) if isinstance(arguments, dict) else {}
        blocks.append(block + _yaml(report.redact(name), [mapped(call, report.redact)]))
    return "\n".join(blocks)  # redacted in parts: redaction may undo escapes


def _finite(arguments: Any) -> Any:
    """Return arguments with null in place of numbers such as NaN, with which no file is read."""
    return json.loads(json.dumps(arguments), parse_constant=lambda _: None)


def _tried(tool: ToolEvidence) -> list[Call]:
    return [call for call in tool.of(CaseKind.BASELINE) if call.case.neighbour is None]


def _told(tried: list[Call], tool: ToolEvidence, report: Report) -> Iterator[str]:
    told: dict[tuple[str, str], None] = {}  # a call may be sent twice, and refused alike
    for call in reversed(tried):
        said = call.reading.text or str(call.reading.status or call.exchange.trouble or "")
        told.setdefault((_shown(to_text(call.case.arguments), report), _shown(said, report)))
    for sent, said in islice(told, _SHOWN):
        yield report.say("report.examples.tried", call=sent)
        yield report.say("report.examples.said", said=said)
    if not tried:
        yield report.say("report.examples.nothing", reason=_shown(tool.unplanned, report))


def _shown(text: str, report: Report) -> str:
    return report.text(text, _LONGEST)


def _comment(text: str) -> str:
    return f"# {_readable(text)}\n"


def _readable(text: str) -> str:
    """Escape the two characters that YAML does not allow."""
    return text.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def _yaml(name: str, calls: list[Any]) -> str:
    """Return the calls of a tool as YAML, on several lines so that people can edit them.

    If the text has commands for a CI system, or characters that are invisible or change the
    direction of text, it is written as escaped JSON on one line. YAML can read that.
    """
    made = YAML(typ="safe", pure=True)
    made.default_flow_style = False
    made.allow_unicode = to_text({name: calls}).isprintable()  # otherwise some would be line breaks
    made.width = _UNFOLDED
    stream = io.StringIO()
    made.dump({name: calls}, stream)
    text = stream.getvalue()
    if visible(text, None, lines=True) == text:
        return text
    key, value = (visible(json.dumps(each, ensure_ascii=False), None) for each in (name, calls))
    return _readable(f"? {key}\n: {value}\n")
