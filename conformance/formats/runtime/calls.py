"""The rules that compare a tool, a call and its result, in a call record.

The kit also applies them to the calls that it makes itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place, shown
from conformance.formats.runtime.kinds import Broken, Rule
from conformance.formats.runtime.tools import declared
from conformance.formats.schema.equality import distinct, same
from conformance.formats.schema.instances import Instances, Unjudgeable, nearest
from conformance.formats.schema.keyword_words import words
from conformance.formats.schema.schemas import schema_faults
from conformance.spec.messages import message
from conformance.spec.vocabulary import Emission, ToolEventName, ToolsetKind

Members = Mapping[str, Any]

RESERVED = "server_data"
_DEFAULT = "server_data_default"
"""The argument with which a caller requests optional server data."""


def _object(value: Any) -> Members:
    return value if isinstance(value, dict) else {}


def _tool(record: Members) -> Members:
    return _object(record.get("tool"))


def _result(record: Members) -> Members:
    return _object(record.get("tool_result"))


def _succeeded(record: Members) -> bool:
    return "result" in _result(record) and "error" not in _result(record)


def items(result: Any) -> list[Any] | None:
    """Return the items of a bounded result, from its only array; None if it has none or several."""
    if isinstance(result, list):
        return result
    arrays = [each for each in _object(result).values() if isinstance(each, list)]
    return arrays[0] if len(arrays) == 1 else None


def _bounded(record: Members) -> Iterator[Broken]:
    """Yield a success without bounds, if the tool is declared `bounded` (RT-BND-006)."""
    bounded = _tool(record).get("bounded") is True
    if bounded and _succeeded(record) and "bounds" not in _result(record):
        yield ("tool_result",), message("documents.bounds.absent")


def _count(record: Members) -> Iterator[Broken]:
    """Yield a `returned` that is not the number of items (RT-BND-007)."""
    returned = _object(_result(record).get("bounds")).get("returned")
    held = items(_result(record).get("result"))
    if type(returned) is int and held is not None and returned != len(held):
        said = message("documents.bounds.count", returned=returned, items=len(held))
        yield ("tool_result", "bounds", "returned"), said


def _unbounded(record: Members) -> Iterator[Broken]:
    """Yield bounds of a success, if the tool is not declared `bounded` (RT-BND-009)."""
    bounded = _tool(record).get("bounded") is True
    # RT-BND-008 is about the bounds of a failure.
    if not bounded and _succeeded(record) and "bounds" in _result(record):
        yield ("tool_result", "bounds"), message("documents.bounds.undeclared")


def _name(record: Members) -> Iterator[Broken]:
    """Yield a name other than the id of the tool (RT-RES-004)."""
    name, tool = _result(record).get("name"), _tool(record).get("id")
    if isinstance(name, str) and name != tool:
        called = tool if isinstance(tool, str) else shown(tool)
        said = message("documents.result.name", name=shown(name), tool=called)
        yield ("tool_result", "name"), said


def _echo(record: Members) -> Iterator[Broken]:
    """Yield an id other than that of the call (RT-META-005)."""
    own = _result(record).get("tool_call_id")
    call = _object(record.get("meta")).get("tool_call_id")
    if isinstance(own, str) and isinstance(call, str) and own != call:
        said = message("documents.result.id", given=shown(own), call=shown(call))
        yield ("tool_result", "tool_call_id"), said


def _agent(record: Members) -> Iterator[Broken]:
    """Yield the members that a success of an agent lacks (RT-KIND-002)."""
    if _tool(record).get("kind") == ToolsetKind.AGENT and _succeeded(record):
        for member in ("run_link", "children_count"):
            if member not in _result(record):
                yield ("tool_result",), message("documents.result.agent", member=member)


def _judge(schema: Any) -> Instances | None:
    """Return what judges values by a schema; None if RT-CAT-004 reports the schema."""
    return Instances(schema) if isinstance(schema, dict) and not schema_faults(schema) else None


def _invalid(
    judge: Instances | None, value: Any, at: Place, *, promised: bool = False
) -> Iterator[Broken]:
    """Yield the errors of `value`; if it was `promised`, its schema may be what is wrong."""
    try:
        for each in judge.errors(value) if judge is not None else ():
            error = nearest(each)
            said = words(error)
            if promised:
                said = message("documents.promised", problem=said)
            yield (*at, *error.absolute_path), said
    except Unjudgeable as beyond:
        yield at, beyond.reason


def _as_declared(record: Members) -> Iterator[Broken]:
    """Yield the errors of a result (RT-RES-006)."""
    if _succeeded(record):
        schema = _object(_tool(record).get("result")).get("schema")
        value, at = _result(record)["result"], ("tool_result", "result")
        yield from _invalid(_judge(schema), value, at, promised=True)


def _payload(record: Members) -> Any:
    return _object(_tool(record).get("payload")).get("schema")


def _hinted(record: Members) -> Members:
    """Return the retry hint if it is about the called tool, otherwise an empty object."""
    hint = _object(_result(record).get("retry_hint"))
    return hint if hint.get("tool") == _tool(record).get("id") else {}


_HINT: Place = ("tool_result", "retry_hint")


def _example(record: Members) -> Iterator[Broken]:
    """Yield the errors of an `example_input` (RT-HINT-004)."""
    hint = _hinted(record)
    if "example_input" in hint:
        judge = _judge(_payload(record))
        yield from _invalid(judge, hint["example_input"], (*_HINT, "example_input"))


def _missing(record: Members) -> Iterator[Broken]:
    """Yield `missing_fields` that are not required, or not missing (RT-HINT-005)."""
    names = _hinted(record).get("missing_fields")
    required = _object(_payload(record)).get("required")
    wanted = _texts(required if isinstance(required, list) else [])
    for index, name in enumerate(names if isinstance(names, list) else ()):
        if not isinstance(name, str):
            continue  # the schema reports it
        if name not in wanted or name in _object(record.get("arguments")):
            place = (*_HINT, "missing_fields", index)
            yield place, message("documents.hint.not_missing", name=shown(name))


def _prior(record: Members) -> Iterator[Broken]:
    """Yield a `prior_input` other than the arguments of the call (RT-HINT-006)."""
    hint = _hinted(record)
    if "prior_input" in hint and not same(hint["prior_input"], record.get("arguments")):
        yield (*_HINT, "prior_input"), message("documents.hint.prior")


def _obeyed(record: Members) -> Iterator[Broken]:
    """Yield injected fields that the tool received as the caller sent them (RT-INJ-002)."""
    names = _tool(record).get("injected")
    sent, got = _object(record.get("arguments")), _object(record.get("received"))
    for name in names if isinstance(names, list) else ():
        if not isinstance(name, str) or name not in sent or name not in got:
            continue
        if same(sent[name], got[name]):
            yield ("received", name), message("documents.toolset.obeyed", name=shown(name))


def _entries(record: Members) -> list[Members]:
    listed = _result(record).get("server_data")
    return [_object(each) for each in listed] if isinstance(listed, list) else []


def _texts(values: Iterable[Any]) -> dict[str, int]:
    """Return the strings of a list, each with the index of its first occurrence."""
    found: dict[str, int] = {}
    for index, each in enumerate(values):
        if isinstance(each, str):
            found.setdefault(each, index)
    return found


def _kinds(record: Members) -> dict[str, Members]:
    return {
        each["kind"]: each for each in declared(_tool(record)) if isinstance(each.get("kind"), str)
    }


def _known(record: Members) -> Iterator[Broken]:
    """Yield server data of an undeclared kind, and the errors of the data (RT-SD-004)."""
    kinds = _kinds(record)
    judges: dict[str, Instances | None] = {}
    for index, each in enumerate(_entries(record)):
        place: Place = ("tool_result", "server_data", index)
        kind = each.get("kind")
        if not isinstance(kind, str):
            continue  # the schema reports it
        if kind not in kinds:
            yield (*place, "kind"), message("documents.serverdata.undeclared", kind=shown(kind))
        elif "data" in each:
            if kind not in judges:
                judges[kind] = _judge(kinds[kind].get("schema"))
            yield from _invalid(judges[kind], each["data"], (*place, "data"))


def _always(record: Members) -> Iterator[Broken]:
    """Yield `always_on` server data that a success lacks (RT-SD-005)."""
    sent = _texts(each.get("kind") for each in _entries(record))
    for kind, each in _kinds(record).items():
        if each.get("always_on") is True and kind not in sent and _succeeded(record):
            yield ("tool_result",), message("documents.serverdata.always", kind=shown(kind))


def _optional(record: Members) -> Iterator[Broken]:
    """Yield optional server data that is sent or missing against the request (RT-SD-006)."""
    by, asked = RESERVED, _object(record.get("arguments")).get(RESERVED)
    if asked not in list(Emission):
        by, asked = _DEFAULT, _tool(record).get(_DEFAULT, Emission.ON)
    sent = _texts(each.get("kind") for each in _entries(record))
    for kind, each in _kinds(record).items():
        if each.get("always_on") is True or not _succeeded(record):
            continue
        if asked == Emission.OFF and kind in sent:
            place = ("tool_result", "server_data", sent[kind])
            yield place, message("documents.serverdata.unwanted", kind=shown(kind), by=by)
        if asked == Emission.ON and kind not in sent:
            yield ("tool_result",), message("documents.serverdata.lacking", kind=shown(kind))


def _passed_on(record: Members) -> Iterator[Broken]:
    """Yield the reserved argument, if the tool received it (RT-SD-007)."""
    if declared(_tool(record)) and RESERVED in _object(record.get("received")):
        yield ("received", RESERVED), message("documents.serverdata.passed_on")


def _shown(record: Members) -> Iterator[Broken]:
    """Yield server data in what the model is shown (RT-SD-008)."""
    entries = [each for each in _entries(record) if _is_telling(each.get("data"))]
    views: tuple[tuple[Place, Any], ...] = (
        (("model_view",), record.get("model_view")),
        (("tool_result", "result"), _result(record).get("result")),
    )
    places: dict[Any, list[Place]] = defaultdict(list)
    for start, view in views if entries else ():
        for place, value in _containers(view, start):
            places[distinct(value)].append(place)
    for each in entries:
        for place in places.get(distinct(each["data"]), ()):
            yield place, message("documents.serverdata.shown", kind=shown(each.get("kind")))


def _is_telling(data: Any) -> bool:
    """Return whether data cannot be equal to a part of a result by accident, as a scalar can."""
    return isinstance(data, dict | list) and bool(data)


def _containers(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    """Yield each object and array in a value that is not empty, with its place."""
    if not _is_telling(value):
        return
    yield place, value
    for step, each in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _containers(each, (*place, step))


def _ends(record: Members) -> Iterator[Broken]:
    """Yield ends whose bounds or retry hint differ from the result (RT-TEV-007)."""
    if not _result(record):
        return
    listed = record.get("tool_events")
    for index, each in enumerate(listed if isinstance(listed, list) else ()):
        if _object(each).get("event") != ToolEventName.TOOL_END:
            continue
        for member in ("bounds", "retry_hint"):
            if not same(each.get(member), _result(record).get(member)):
                said = message("documents.events.end_differs", member=member)
                yield ("tool_events", index), said


CALL_RULES: tuple[tuple[str, Rule], ...] = (
    ("RT-BND-006", _bounded),
    ("RT-BND-007", _count),
    ("RT-BND-009", _unbounded),
    ("RT-RES-004", _name),
    ("RT-RES-006", _as_declared),
    ("RT-KIND-002", _agent),
    ("RT-META-005", _echo),
    ("RT-INJ-002", _obeyed),
    ("RT-SD-004", _known),
    ("RT-SD-005", _always),
    ("RT-SD-006", _optional),
    ("RT-SD-007", _passed_on),
    ("RT-SD-008", _shown),
    ("RT-HINT-004", _example),
    ("RT-HINT-005", _missing),
    ("RT-HINT-006", _prior),
    ("RT-TEV-007", _ends),
)
"""Each clause with the rule that serves it."""
