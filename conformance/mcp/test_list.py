"""Lists of tools: their form, their order, their pages (MCP-LIST, MCP-PAGE)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from conformance.formats.problem import json_path, shown
from conformance.formats.schema.schemas import schema_faults
from conformance.formats.text import rpc
from conformance.formats.tool.meta import PORTABLE_NAME
from conformance.kit.evidence.catalog import TOOLS_LIST
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence
from conformance.kit.evidence.response import response_of
from conformance.kit.evidence.script import LOOKED, MOST_PAGES
from conformance.kit.model.exchange import Exchange
from conformance.kit.verdicts.checks import Checks, absent, broken, clause, holds, unknown
from conformance.mcp.script_lists import BAD_CURSOR
from conformance.mcp.seen import (
    answered,
    code_of,
    gives_cursor,
    lacking,
    lacks_session,
    listings,
    method_of,
    not_taken,
    own_version,
    proves_nothing,
    result_of,
    shape_checks,
    shown_member,
    unserved,
    usable,
)
from conformance.mcp.shapes import ShapeFault

_SCOPES = frozenset({"public", "private"})
_INVALID = frozenset({"documents.schema.invalid", "documents.schema.dangling_ref"})
"""Problems that certainly make a schema invalid. A schema may also be too large or unknown."""


@clause("MCP-LIST-001", protocol=True)
def test_tools_list_has_its_form(run: RunEvidence) -> Checks:
    """Each page of `tools/list` has its form. Input schemas are checked with their tools."""
    seen = False
    for exchange in listings(run):
        seen = True
        if result_of(exchange) is None:
            yield from _unlisted(run, exchange)
            continue
        yield from shape_checks(exchange, "tools/list", run.run.version, _others)
    if not seen and "tools" in run.capabilities:
        yield not_taken(LOOKED, "tools/list")


def _unlisted(run: RunEvidence, exchange: Exchange) -> Checks:
    """Check a `tools/list` without a result. For a server that declares no tools, it is not a
    failure.
    """
    found, limited = lacking(exchange), proves_nothing(exchange)
    if limited and any(result_of(each) is not None for each in listings(run)):
        return  # a limit of calls says nothing about the lists that came before it
    if found is not None:
        yield unserved(exchange, found)
    elif limited or exchange.trouble is not None:
        yield unknown("kit.not_verified.no_answer", exchange)
    elif "tools" not in run.capabilities:
        yield absent("kit.not_applicable.no_tools")
    elif any(result_of(each) is not None for each in listings(run)):
        # Other listings got a result, so LIFE-006 and WIRE-001 report this one.
        yield unknown("kit.not_verified.step", exchange, reason=answered(exchange))
    elif lacks_session(run, exchange):
        yield broken(exchange, "finding.mcp.session_not_given")
    else:
        answer = answered(exchange)
        yield broken(exchange, "finding.mcp.no_result", method="tools/list", answer=answer)


def _others(fault: ShapeFault) -> bool:
    """Return whether another clause checks a fault: of an input schema, a cache hint, the type."""
    if fault.steps[2:3] == ("inputSchema",):
        return not (fault.missing and fault.steps[3:] == ())
    return fault.steps[:1] in {("ttlMs",), ("cacheScope",), ("resultType",)}


@clause("MCP-LIST-002")
def test_an_input_schema_is_an_object_of_type_object(tool: ToolEvidence) -> Checks:
    """The input schema, as the server sent it, is an object with the type `object`."""
    if "inputSchema" not in tool.tool.raw:
        return  # LIST-001 reports the missing schema
    schema = tool.tool.raw["inputSchema"]
    if not isinstance(schema, dict):
        yield broken(None, "finding.mcp.input_schema", schema=shown(schema), path="$.inputSchema")
    elif schema.get("type") != "object":
        kind = shown_member(schema, "type")
        yield broken(None, "finding.mcp.input_type", type=kind, path="$.inputSchema.type")
    else:
        yield holds()


@clause("MCP-LIST-003")
def test_the_schemas_are_valid_in_their_dialect(tool: ToolEvidence) -> Checks:
    """Each schema is valid in its dialect.

    Remote references are not followed, and an unknown dialect is not verified.
    """
    for member in ("inputSchema", "outputSchema"):
        schema = tool.tool.raw.get(member)
        if not isinstance(schema, dict):
            continue
        faults = schema_faults(schema)
        for fault in faults:
            words = fault.message
            if words.id in _INVALID:
                path = json_path((member, *fault.place))
                yield broken(None, words.id, path=path, **dict(words.values))
            elif words.id != "documents.schema.remote_ref":
                yield unknown(words.id, None, **dict(words.values))
        if not faults:
            yield holds()


@clause("MCP-LIST-004")
def test_a_name_is_short_and_plain(tool: ToolEvidence) -> Checks:
    """A name has up to 128 letters, digits, underscores, dots and hyphens."""
    name = tool.tool.raw.get("name")
    if not isinstance(name, str):
        return
    if PORTABLE_NAME.fullmatch(name):
        yield holds()
    else:
        yield broken(None, "finding.mcp.tool_name", name=shown(name), length=len(name))


@clause("MCP-LIST-005")
def test_no_two_tools_have_one_name(run: RunEvidence) -> Checks:
    """No page has two tools with the same name. PAGE-001 reports a name on two pages."""
    for exchange in _pages(run):
        counted = Counter(_names([exchange]))
        for name, times in counted.items():
            if times > 1:
                yield broken(exchange, "finding.mcp.name_twice", name=shown(name), times=times)
            else:
                yield holds()


@clause("MCP-LIST-006")
def test_the_order_of_tools_is_the_same(run: RunEvidence) -> Checks:
    """Two listings on one connection have the same order. LIST-007 reports another set of tools."""
    first, second = (_listed(run, "mcp_lists", f"list-{n}") for n in ("first", "second"))
    if first is None or second is None:
        yield not_taken("mcp_lists", "tools/list")
        return
    one, two = _names(first), _names(second)
    if sorted(one) != sorted(two):
        yield unknown("finding.mcp.other_set")
    elif one == two:
        yield holds()
    else:
        place = next(n for n, (a, b) in enumerate(zip(one, two, strict=True)) if a != b)
        yield broken(
            second[0], "finding.mcp.order", place=place + 1, one=shown(one[place]),
            two=shown(two[place]),
        )  # fmt: skip


@clause("MCP-LIST-007")
def test_the_set_of_tools_is_the_same(run: RunEvidence) -> Checks:
    """The set of tools depends neither on the connection nor on earlier calls.

    The evidence is two listings of an older connection, one of a fresh connection between them, and
    the listing before the calls. If the server says that its list changes, a call that is not
    read-only may have changed it.
    """
    parts = [
        _listed(run, "mcp_lists", "list-first"),
        _listed(run, "mcp_alone", "list-first"),
        _listed(run, "mcp_lists_again", "list-third"),
    ]
    before, (older, fresh, again) = _pages(run), parts
    if older is None or fresh is None or again is None or not before:
        yield not_taken("mcp_lists", "tools/list")
        return
    sets = [frozenset(_names(each)) for each in (older, fresh, again)]
    if sets[0] == sets[2] != sets[1]:
        yield broken(fresh[0], "finding.mcp.set_by_connection", tools=_differing(sets[0], sets[1]))
        return
    if len(set(sets)) > 1:
        yield unknown("finding.mcp.other_set")
        return
    first = frozenset(_names(before))
    if first == sets[0]:
        yield holds()
    elif _only_read(run) or not _may_change(run):
        yield broken(older[0], "finding.mcp.set_by_calls", tools=_differing(first, sets[0]))
    else:
        yield unknown("finding.mcp.other_set")


def _may_change(run: RunEvidence) -> bool:
    """Return whether the server declares that its tools may change."""
    tools = run.capabilities.get("tools")
    return isinstance(tools, dict) and tools.get("listChanged") is True


def _only_read(run: RunEvidence) -> bool:
    called = [tool for tool in run.by_tool.values() if tool.calls]
    return all(tool.tool.annotations.read_only is True for tool in called)


def _differing(one: frozenset[str], two: frozenset[str]) -> str:
    """Return up to five names that only one of the sets has; `…` shows that there are more."""
    names = [shown(name) for name in sorted(one ^ two)]
    return ", ".join([*names[:5], "…"] if len(names) > 5 else names)


@clause("MCP-LIST-008")
def test_lists_say_how_they_may_be_cached(run: RunEvidence) -> Checks:
    """Each list says for how many milliseconds, and for whom, it may be cached."""
    for exchange in (*_discoveries(run), *listings(run)):
        result = result_of(exchange)
        if result is None or not own_version(run.run, exchange):
            continue
        if result.get("resultType", "complete") != "complete":
            continue
        ttl, scope = result.get("ttlMs"), result.get("cacheScope")
        known = isinstance(scope, str) and scope in _SCOPES
        counts = isinstance(ttl, int) and not isinstance(ttl, bool) and ttl >= 0
        method = method_of(exchange)
        if not counts:
            value = shown_member(result, "ttlMs")
            yield broken(exchange, "finding.mcp.ttl", method=method, value=value)
        if not known:
            value = shown_member(result, "cacheScope")
            yield broken(exchange, "finding.mcp.cache_scope", method=method, value=value)
        if counts and known:
            yield holds()


def _discoveries(run: RunEvidence) -> Iterator[Exchange]:
    found = (run.step(LOOKED, "server-discover"), run.step("mcp_alone", "discover"))
    return (exchange for exchange in found if exchange is not None)


@clause("MCP-PAGE-001")
def test_pages_come_to_an_end(run: RunEvidence) -> Checks:
    """The pages end: no cursor comes twice, a thousand pages are enough, and no tool is on two."""
    pages = _pages(run)
    cursors = [c for page in pages if isinstance(c := _cursor(page), str) and c]
    if not cursors:
        yield absent("finding.mcp.one_page")
        return
    again = [cursor for cursor, times in Counter(cursors).items() if times > 1]
    if again:
        yield broken(pages[-1], "finding.mcp.cursor_twice", cursor=shown(again[0]))
    elif len(pages) >= MOST_PAGES and _cursor(pages[-1]):
        yield broken(pages[-1], "finding.mcp.endless", pages=len(pages))
    else:
        yield holds()
    seen: set[str] = set()
    for page in pages:
        names = set(_names([page]))
        for name in sorted(names & seen) if not again else ():
            yield broken(page, "finding.mcp.name_on_two_pages", name=shown(name))
        seen |= names


@clause("MCP-PAGE-002")
def test_an_invalid_cursor_is_refused(run: RunEvidence) -> Checks:
    """An invalid cursor is refused. The clause applies if the server gives cursors."""
    probe = run.step("mcp_lists", "list-probe")
    if probe is not None and not gives_cursor(probe):
        yield absent("finding.mcp.one_page")
        return
    found: list[Exchange] = []
    yield from usable(run, "mcp_lists", "bad-cursor", found)
    for exchange in found:
        if code_of(exchange) == rpc.INVALID_PARAMS:
            yield holds()
        elif response_of(exchange) is None:
            yield unknown("kit.not_verified.no_answer", exchange)
        else:
            yield broken(
                exchange,
                "finding.mcp.other_answer",
                request=f"cursor: {BAD_CURSOR}",
                answer=answered(exchange),
                wanted=f"error {rpc.INVALID_PARAMS}",
            )


def _pages(run: RunEvidence) -> list[Exchange]:
    """Return the pages of the list that discovery read, in order."""
    walked = run.played(LOOKED)
    return [e for e in walked if e.step and e.step.name == TOOLS_LIST and result_of(e)]


def _listed(run: RunEvidence, script: str, name: str) -> list[Exchange] | None:
    """Return all pages of a script's list, or None if it was not read to its end."""
    found = [e for step, e in run.steps(script).items() if step.name == name]
    if not found or result_of(found[-1]) is None or _cursor(found[-1]):
        return None
    return found


def _cursor(page: Exchange) -> Any:
    return (result_of(page) or {}).get("nextCursor")


def _names(pages: list[Exchange]) -> list[str]:
    names = []
    for page in pages:
        tools = (result_of(page) or {}).get("tools")
        for tool in tools if isinstance(tools, list) else []:
            name = tool.get("name") if isinstance(tool, dict) else None
            if isinstance(name, str):
                names.append(name)
    return names
