"""Which cases keep their meaning in a query, a header or a path, where every value is text."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

from conformance.formats.catalog.routes import is_one_step
from conformance.formats.tool.tool import Invocation, Tool, Where
from conformance.kit.cases.deviations import WHOLE_FLOAT
from conformance.kit.cases.near_misses import TRUTH
from conformance.kit.model.case import Case, Expectation
from conformance.kit.model.run import Run
from conformance.kit.schema.applies import applied, member
from conformance.kit.schema.constraints import type_of
from conformance.kit.schema.places import from_pointer
from conformance.kit.schema.view import SchemaView
from conformance.kit.transport.binding import to_text
from conformance.kit.transport.bindings import traits_of

_IN_BODY = frozenset({Where.BODY, Where.WHOLE})
_PATH_PART = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*")
"""A text that stays one part of a path on every server. `.` and `..` do not."""
_PATH_WORD = re.compile(r"[A-Za-z0-9_~-]+")
"""A text in which no server finds the name of a format, as some do in `7.5`."""
_HEADER_VALUE = re.compile(r"[!-~]+(?: [!-~]+)*+")


def textual(tool: Tool, run: Run) -> Invocation | None:
    """Return how a tool is called, if inputs travel as text or it takes no body. Over MCP: None."""
    called = tool.invocation
    if called is None or traits_of(run).speaks_mcp:
        return None
    as_text = any(one.where not in _IN_BODY for one in called.inputs)
    return called if as_text or not called.takes_body else None


def is_one_value(tool: Tool, run: Run) -> bool:
    """Whether the arguments are sent as one JSON value, which may then be no object.

    If each input has a place of its own, nothing of a null or a list would be sent.
    """
    called = tool.invocation
    if called is None or traits_of(run).speaks_mcp:
        return True
    return called.takes_body and all(one.where is not Where.WHOLE for one in called.inputs)


def in_text(view: SchemaView, called: Invocation, case: Case) -> Case | None:
    """Return the case as it is sent where values are text; None if its meaning is lost.

    For a valid text that makes an unusual path, every answer is right. Without a body, `arguments`
    itself has no form that could be wrong.
    """
    if survives(view, called, case):
        return case
    unusual = replace(case, expects=Expectation.ANSWER)
    valid = case.violation is None and case.expects is Expectation.ACCEPT
    return unusual if valid and survives(view, called, unusual) else None


def survives(view: SchemaView, called: Invocation, case: Case) -> bool:
    """Return whether a case keeps its meaning when some of its values are sent as text.

    A valid case does if all of these are strings, numbers or booleans, or arrays of such values in
    a query, where each item is sent alone. A broken case does if a parameter is missing, or if no
    reading of its text is valid: `"2"` in a query is the integer 2. In a path no value can be
    missing, and a wrong value is a word that no other route of the server takes.
    """
    if case.violation is None:
        extreme = case.expects is Expectation.ANSWER or case.scenario == WHOLE_FLOAT
        return _is_sendable(called, case.arguments, any_path=extreme)
    tokens = from_pointer(case.violation.pointer, case.arguments)
    if not tokens or not isinstance(tokens[0], str):
        return False
    where = called.place_of(tokens[0])
    if where in _IN_BODY:
        return _is_sendable(called, case.arguments)
    if len(tokens) != 1:
        return False
    if where is Where.PATH and (called.shares_path or case.violation.sent_absent):
        return False
    if case.violation.sent_absent:
        return True
    sent = case.violation.sent
    if not _is_plain(sent) or isinstance(sent, bool) or sent == "":
        return False
    nodes = member(applied(view, (view.root,), case.arguments).flat, tokens[0])
    text = sent if isinstance(sent, str) else json.dumps(sent)
    form = {Where.HEADER: _HEADER_VALUE, Where.PATH: _PATH_WORD}.get(where)
    if form is not None and form.fullmatch(text) is None:
        return False
    readings: list[Any] = [text]
    with suppress(ValueError):  # not JSON, so it can only be a string
        readings.append(json.loads(text))
    if text.lower() in TRUTH:
        readings.append(TRUTH[text.lower()])
    if where is Where.QUERY:  # an array is sent as its items: one value may be an array of one
        readings += [[reading] for reading in readings]
    return not any(view.is_valid(nodes, reading) for reading in readings)


def _is_sendable(called: Invocation, arguments: Any, *, any_path: bool = False) -> bool:
    """Return whether each value that is sent as text can be.

    With `any_path`, the case is an extreme one. A float without a fraction then counts as an
    integer, but its text (`1.0`) does not. A text in a path may have spaces and letters of any
    language, but only in a GET request.
    """
    if not isinstance(arguments, dict):
        return False
    placed = ((called.place_of(name), given) for name, given in arguments.items())
    for where, value in ((at, each) for at, given in placed for each in _values(at, given)):
        if where in _IN_BODY:
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        if not _is_plain(value) or (any_path and _is_whole_float(value)):
            return False
        if where is Where.PATH and _PATH_PART.fullmatch(text) is None:
            readable = any_path and called.method.upper() == "GET"
            if not readable or not is_one_step(text):
                return False
        if where is Where.HEADER and _HEADER_VALUE.fullmatch(text) is None:
            return False
    return True


def _values(where: Where, value: Any) -> list[Any]:
    """Return what is sent for an input: the items of an array in a query, or the value itself.

    Nothing is sent for an empty array. It counts as itself, and so does one with an empty text.
    """
    is_sent = where is Where.QUERY and isinstance(value, list) and "" not in value
    return (value if is_sent else []) or [value]


def keeps_route(tool: Tool, run: Run, arguments: Any) -> bool:
    """Return whether a call stays on the tool's own route: each value in its path is one step.

    A value from an earlier call, a user, or a server's suggestion may not be.
    """
    called = textual(tool, run)
    if called is None or not isinstance(arguments, dict):
        return True
    in_path = (arguments[n] for n in arguments if called.place_of(n) is Where.PATH)
    return all(is_one_step(to_text(each)) for each in in_path)


def _is_whole_float(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def _is_plain(value: Any) -> bool:
    return type_of(value) in ("string", "integer", "number", "boolean")
