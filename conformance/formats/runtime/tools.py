"""The rules of tool calls that need only one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import shown
from conformance.formats.runtime.kinds import Broken, Rule
from conformance.formats.runtime.parts import TOOL
from conformance.formats.schema.schemas import schema_faults
from conformance.spec.messages import message
from conformance.spec.vocabulary import CallStatus, ToolEventName

Members = Mapping[str, Any]


def _numbers(bounds: Members) -> tuple[int, int] | None:
    returned, total = bounds.get("returned"), bounds.get("total")
    if type(returned) is int and type(total) is int:
        return returned, total
    return None


def _total(bounds: Members) -> Iterator[Broken]:
    """Yield a `total` that is less than `returned` (RT-BND-003)."""
    numbers = _numbers(bounds)
    # The schema reports an empty result whose total is not 0: RT-BND-002.
    if numbers is not None and numbers[1] < numbers[0]:
        said = message("documents.bounds.less", returned=numbers[0], total=numbers[1])
        yield ("total",), said


def _whole(bounds: Members) -> Iterator[Broken]:
    """Yield a `total` other than `returned`, although nothing was truncated (RT-BND-004)."""
    numbers = _numbers(bounds)
    if numbers is None or bounds.get("truncated") is not False or not 0 < numbers[0] < numbers[1]:
        return
    yield ("total",), message("documents.bounds.whole", returned=numbers[0], total=numbers[1])


def _hint(bounds: Members) -> Iterator[Broken]:
    """Yield truncated bounds without a `refinement_hint` (RT-BND-005)."""
    if bounds.get("truncated") is True and "refinement_hint" not in bounds:
        yield (), message("documents.bounds.hintless")


def _idle(result: Members) -> Iterator[Broken]:
    """Yield a retry hint without an error (RT-RES-003)."""
    if "retry_hint" in result and "error" not in result:
        yield ("retry_hint",), message("documents.result.idle_hint")


def _own_parent(meta: Members) -> Iterator[Broken]:
    """Yield a call that is its own parent, in a meta or an event (RT-META-002)."""
    own, parent = meta.get("tool_call_id"), meta.get("parent_tool_call_id")
    if parent is not None and own == parent:
        yield ("parent_tool_call_id",), message("documents.meta.own_parent", given=shown(own))


def _ids(catalog: Members) -> Iterator[Broken]:
    """Yield ids that an earlier tool of the catalog has (RT-CAT-002)."""
    seen: set[str] = set()
    tools = catalog.get("tools")
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        name = tool.get("id") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            continue
        if name in seen:
            yield ("tools", index, "id"), message("documents.toolset.id_twice", given=shown(name))
        seen.add(name)


def _prefix(tool: Members) -> Iterator[Broken]:
    """Yield an id that does not start with the tool's `service` and `toolset` (RT-CAT-003)."""
    prefix = f"{tool.get('service')}.{tool.get('toolset')}."
    name = tool.get("id")
    if isinstance(name, str) and name.count(".") == 2 and not name.startswith(prefix):
        said = message("documents.toolset.id_prefix", given=shown(name), prefix=shown(prefix))
        yield ("id",), said


def _schemas(tool: Members) -> Iterator[Broken]:
    """Yield the faults of a tool's schemas (RT-CAT-004)."""
    for member in ("payload", "result"):
        held = tool.get(member)
        schema = held.get("schema") if isinstance(held, dict) else None
        for fault in schema_faults(schema) if isinstance(schema, dict) else ():
            yield (member, "schema", *fault.place), fault.message
    for index, each in enumerate(declared(tool)):
        schema = each.get("schema")
        for fault in schema_faults(schema) if isinstance(schema, dict) else ():
            yield ("server_data", index, "schema", *fault.place), fault.message


def _bare(tool: Members) -> Iterator[Broken]:
    """Yield a missing description or payload (RT-CAT-005)."""
    for member in ("description", "payload"):
        if not tool.get(member):
            yield (), message("documents.toolset.bare", member=member)


def inputs(tool: Members) -> Members:
    """Return the properties in the payload schema of a tool; empty if it has none."""
    payload = tool.get("payload")
    schema = payload.get("schema") if isinstance(payload, dict) else None
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def declared(tool: Members) -> list[Members]:
    """Return the kinds of server data that a tool declares."""
    listed = tool.get("server_data")
    listed = listed if isinstance(listed, list) else []
    return [each if isinstance(each, dict) else {} for each in listed]


def _injected(tool: Members) -> Iterator[Broken]:
    """Yield injected fields that are inputs too (RT-INJ-001)."""
    names = tool.get("injected")
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and name in inputs(tool):
            place = ("payload", "schema", "properties", name)
            yield place, message("documents.toolset.injected", name=shown(name))


def _kinds(tool: Members) -> Iterator[Broken]:
    """Yield kinds of server data that are declared twice (RT-SD-002)."""
    seen: set[str] = set()
    for index, each in enumerate(declared(tool)):
        kind = each.get("kind")
        if not isinstance(kind, str):
            continue  # the schema reports it
        if kind in seen:
            said = message("documents.serverdata.twice", kind=shown(kind))
            yield ("server_data", index, "kind"), said
        seen.add(kind)


def _reserved(tool: Members) -> Iterator[Broken]:
    """Yield an input with the reserved name `server_data` (RT-SD-003)."""
    if declared(tool) and "server_data" in inputs(tool):
        place = ("payload", "schema", "properties", "server_data")
        yield place, message("documents.serverdata.reserved")


def _events(record: Members) -> Iterator[tuple[int, Any, Any, Members]]:
    listed = record.get("tool_events")
    for index, each in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(each, dict):
            yield index, each.get("event"), each.get("tool_call_id"), each


def _started_once(record: Members) -> Iterator[Broken]:
    """Yield starts of a call that has already started (RT-META-003)."""
    seen: set[str] = set()
    for index, event, name, _ in _events(record):
        if event == ToolEventName.TOOL_START and isinstance(name, str):
            if name in seen:
                said = message("documents.events.started_twice", given=shown(name))
                yield ("tool_events", index, "tool_call_id"), said
            seen.add(name)


def _parents(record: Members) -> Iterator[Broken]:
    """Yield parents that have not started before (RT-META-004)."""
    seen: set[str] = set()
    for index, event, name, each in _events(record):
        parent = each.get("parent_tool_call_id")
        if event == ToolEventName.TOOL_START:
            # RT-META-002 is about a call that names itself.
            if isinstance(parent, str) and parent != name and parent not in seen:
                said = message("documents.events.parent", given=shown(parent))
                yield ("tool_events", index, "parent_tool_call_id"), said
            seen.add(str(name))


def _pairs(record: Members) -> Iterator[Broken]:
    """Yield starts without an end, and ends without a start (RT-TEV-005)."""
    running: dict[Any, int] = {}
    for index, event, name, _ in _events(record):
        if event == ToolEventName.TOOL_START:
            running.setdefault(str(name), index)
        elif event == ToolEventName.TOOL_END and running.pop(str(name), None) is None:
            yield ("tool_events", index), message("documents.events.not_running", given=shown(name))
    for name, index in running.items():
        yield ("tool_events", index), message("documents.events.endless", given=shown(name))


def _links(record: Members) -> Iterator[Broken]:
    """Yield child runs that are linked outside their call (RT-TEV-006)."""
    running: set[str] = set()
    for index, event, name, _ in _events(record):
        if event == ToolEventName.TOOL_START:
            running.add(str(name))
        elif event == ToolEventName.TOOL_END:
            running.discard(str(name))
        elif event == ToolEventName.CHILD_RUN_LINKED and str(name) not in running:
            yield ("tool_events", index), message("documents.events.not_running", given=shown(name))


def _status(status: Members) -> Iterator[Broken]:
    """Yield a result of another call, or one that does not fit the status (RT-ASYNC-003)."""
    result = status.get("tool_result")
    if not isinstance(result, dict):
        return
    if result.get("tool_call_id", "") != status.get("tool_call_id", ""):
        said = message(
            "documents.result.id",
            given=shown(result.get("tool_call_id")),
            call=shown(status.get("tool_call_id")),
        )
        yield ("tool_result", "tool_call_id"), said
    wanted = {CallStatus.COMPLETED: False, CallStatus.FAILED: True}.get(
        str(status.get("status"))  # type: ignore[call-overload]  # a text equals its enum
    )
    if wanted is not None and wanted != ("error" in result):
        yield ("tool_result",), message("documents.status.mixed", status=shown(status["status"]))


TOOL_RULES: Mapping[str, tuple[tuple[str, Rule], ...]] = {
    "bounds": (("RT-BND-003", _total), ("RT-BND-004", _whole), ("RT-BND-005", _hint)),
    "tool-result": (("RT-RES-003", _idle),),
    "tool-call-meta": (("RT-META-002", _own_parent),),
    "tool-event": (("RT-META-002", _own_parent),),
    "toolset-catalog": (("RT-CAT-002", _ids),),
    TOOL: (
        ("RT-CAT-003", _prefix),
        ("RT-CAT-004", _schemas),
        ("RT-CAT-005", _bare),
        ("RT-INJ-001", _injected),
        ("RT-SD-002", _kinds),
        ("RT-SD-003", _reserved),
    ),
    "tool-events": (
        ("RT-META-003", _started_once),
        ("RT-META-004", _parents),
        ("RT-TEV-005", _pairs),
        ("RT-TEV-006", _links),
    ),
    "call-status": (("RT-ASYNC-003", _status),),
}
"""The clauses of each document, with the rule that serves each clause."""
