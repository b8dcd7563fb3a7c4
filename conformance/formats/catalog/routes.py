"""A catalog and an OpenAPI document of one server: which tool and which operation are the same.

The document gives the route of a tool that names none, and each has its name from both: the one in
the catalog, and the `operationId`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from conformance.formats.schema.uri import urlsplit
from conformance.formats.text.address import in_address
from conformance.formats.text.unseen import UNSEEN
from conformance.formats.tool.declared import invocation_at
from conformance.formats.tool.tool import Input, Invocation, Tool, Where

_LONGEST: Final = 16 * 1024
"""The most characters of a path or a name that is read: one letter may become eighteen."""
_SIGNS: Final = re.compile(r"[/\\;?#%]")
"""Signs that have a meaning in an address for a server that decodes a step twice."""
PLACE: Final = "{}"
"""A place for a value in a step of a template, whatever its name."""


def routed(tools: Sequence[Tool], operations: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return the tools of a catalog, with the routes and further names of their operations."""
    same = dict(_pairs(tools, operations))
    return tuple(
        _routed(tool, operations[same[at]]) if at in same else tool for at, tool in enumerate(tools)
    )


def named(operations: Sequence[Tool], tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return the operations, with the further names from a catalog."""
    same = {operation: at for at, operation in _pairs(tools, operations)}
    return tuple(
        _with_name(each, tools[same[at]].name) if at in same else each
        for at, each in enumerate(operations)
    )


def _inputs(tool: Tool) -> tuple[str, ...]:
    declared = tool.input_schema.get("properties")
    return tuple(declared) if isinstance(declared, dict) else ()


def _pairs(tools: Sequence[Tool], operations: Sequence[Tool]) -> Iterator[tuple[int, int]]:
    """Yield the indexes of each tool and its operation, which has the same route or name."""
    by_route = {route_of(each.name, each.invocation): at for at, each in enumerate(operations)}
    by_id: dict[str, set[int]] = defaultdict(set)
    by_function: dict[str, set[int]] = defaultdict(set)
    for at, each in enumerate(operations):
        by_id[each.name].add(at)
        by_function[function_of(each.name, each.invocation)].add(at)
    for at, tool in enumerate(tools):
        found = by_route.get(route_of(tool.name, tool.invocation))
        alike = [*(by_id.get(tool.name, set()) | by_function.get(plain(tool.name), set()))]
        if found is None and tool.invocation is None and len(alike) == 1:
            found = alike[0]
        if found is not None:
            yield at, found


def route_of(name: str, called: Invocation | None) -> tuple[str, str]:
    """Return the method and the path of a tool's call: its own, or the usual ones."""
    called = called or Invocation(f"/tools/{in_address(name)}/invoke")
    try:
        path = urlsplit(called.endpoint).path
    except ValueError:  # half an IPv6 address
        path = called.endpoint
    return called.method.upper(), "/" + path.strip("/")


def steps_of(path: str) -> tuple[str, ...] | None:
    """Return the steps of a path; None if two servers may read them differently.

    The steps of two paths are equal if a server may route both to one function. Case, letter width
    and empty steps make no difference. Servers differ about escaped signs of an address, steps of
    dots, invisible characters, and overlong paths.
    """
    if len(path) > _LONGEST:
        return None
    steps: list[str] = []
    for part in path.split("/"):
        try:
            decoded = unquote(part, errors="strict")
        except ValueError:
            return None
        step = _folded(decoded)
        if _SIGNS.search(step) or not step.isprintable() or (step and not step.strip(".")):
            return None
        if step:
            steps.append(step)
    return tuple(steps)


def without_format(steps: tuple[str, ...]) -> tuple[str, ...]:
    """Return the steps without a format such as `.json`, which some frameworks ignore."""
    while steps:
        name = steps[-1].partition(".")[0]
        steps = steps[:-1]
        if name:
            return (*steps, name)
    return steps


def is_one_step(text: str) -> bool:
    """Return whether every server reads a text as exactly one step of a path."""
    steps = steps_of(in_address(text))
    return steps is not None and len(without_format(steps)) == 1


def template_of(path: str) -> str:
    """Return the template of a route, in which all places for values are the same."""
    found, depth = [], 0
    for part in re.split(r"(\{|\}|%7[bd])", path, flags=re.I):
        sign = unquote(part)
        if sign == "{":
            depth += 1
        elif sign == "}" and depth == 1:
            found.append(PLACE)
            depth = 0
        elif sign == "}" and depth:
            depth -= 1
        elif not depth:
            found.append(part)
    return path if depth else "".join(found)


def sharing(paths: Iterable[str]) -> frozenset[str]:
    """Return the paths that differ from another one only in the names of their places."""
    alike: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        alike[template_of(path)].add(path)
    return frozenset(path for found in alike.values() if len(found) > 1 for path in found)


def apart(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return the tools of a catalog. Each knows whether its path is that of another tool, too."""
    shared = sharing(each.invocation.endpoint for each in tools if each.invocation is not None)
    return tuple(
        replace(each, invocation=replace(each.invocation, shares_path=True))
        if each.invocation is not None and each.invocation.endpoint in shared
        else each
        for each in tools
    )


def plain_method(method: str) -> str:
    """Return the method by which a framework finds its function: GET for HEAD."""
    asked = method.strip().upper()
    return "GET" if asked == "HEAD" else asked


def function_of(name: str, called: Invocation | None) -> str:
    """Return the function's name in an `operationId`, in plain signs; empty if it has none.

    Frameworks that make the id from a function's name append the route, to keep ids unique.
    """
    whole = plain(name)
    route = plain(f"{called.endpoint}_{called.method}") if called is not None else whole
    return whole.removesuffix(route) if whole.endswith(route) else ""


def plain(name: str) -> str:
    """Return a name with only the signs that every framework keeps and that are visible."""
    if len(name) > _LONGEST:
        return re.sub(r"\W", "_", name.lower())
    return re.sub(r"\W", "_", _folded(UNSEEN.sub("", name)))


def _folded(text: str) -> str:
    """Return a text without differences that a server may ignore: case, width, outer blanks."""
    return unicodedata.normalize("NFKC", text).upper().casefold().strip()


def _routed(tool: Tool, operation: Tool) -> Tool:
    found = _with_name(tool, operation.name)
    if tool.invocation is not None or operation.invocation is None:
        return found
    given = operation.invocation
    made = invocation_at(given.method, given.endpoint, tool.input_schema)
    places = {one.name: one.where for one in given.inputs if one.where is not Where.WHOLE}
    inputs = tuple(Input(n, places.get(n, made.place_of(n))) for n in _inputs(tool))
    alike = all(one.where is Invocation("", made.method).place_of(one.name) for one in inputs)
    return replace(found, invocation=made if alike else replace(made, inputs=inputs))


def _with_name(tool: Tool, name: str) -> Tool:
    """Return the tool with one more name. An operation without an id has only its route."""
    if name in tool.names or " " in name:
        return tool
    return replace(tool, other_names=(*tool.other_names, name))
