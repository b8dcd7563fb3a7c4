"""Which cases survive a query string, where every value is text (the kit's section 2)."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from conformance.formats.tool import Tool
from conformance.kit.case import Case
from conformance.kit.cases.applies import applied, member
from conformance.kit.cases.facts import type_of
from conformance.kit.cases.pointer import from_pointer
from conformance.kit.cases.schema import SchemaView


def is_textual(tool: Tool, run_id: str) -> bool:
    """Say whether a tool's arguments travel as text: called with GET, over plain HTTP."""
    plain_http = run_id == "http" or run_id.startswith("http-")
    return plain_http and tool.invocation is not None and tool.invocation.method.upper() == "GET"


def survives(view: SchemaView, case: Case) -> bool:
    """Say whether a case means the same once its values are text.

    A valid case does if it holds nothing but texts, numbers and truth values. A broken one does
    if a parameter is missing, or if no reading of its text is valid: `"2"` in a query is the
    integer 2.
    """
    if case.violation is None:
        return isinstance(case.arguments, dict) and all(map(_is_plain, case.arguments.values()))
    tokens = from_pointer(case.violation.pointer, case.arguments)
    if len(tokens) != 1 or not isinstance(tokens[0], str):
        return False
    if case.violation.sent_absent:
        return True
    sent = case.violation.sent
    if not _is_plain(sent) or isinstance(sent, bool) or sent == "":
        return False
    nodes = member(applied(view, (view.root,), case.arguments).flat, tokens[0])
    text = sent if isinstance(sent, str) else json.dumps(sent)
    readings: list[Any] = [text]
    with suppress(ValueError):  # no JSON: then it is nothing but a text
        readings.append(json.loads(text))
    return not any(view.is_valid(nodes, reading) for reading in readings)


def _is_plain(value: Any) -> bool:
    return type_of(value) in ("string", "integer", "number", "boolean")
