"""One value where a list belongs. Serves ATDF-ERR-007 and ATDF-ERR-012.

In a query a list of one is written as its item, and some readers of bodies take one value for such
a list too. What they then refuse is the item: `tags[0]`, and no longer `tags`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.formats.tool.errors import ErrorView
from conformance.kit.repair.suggestions import locate, schemas_at
from conformance.kit.schema.applies import alternatives
from conformance.kit.schema.constraints import constraints
from conformance.kit.schema.pointer import from_pointer, get, put
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of

_FIRST = "/0"
_MOST_WAYS = 16


def list_of(parameter_name: str | None, arguments: Any, schema: Mapping[str, Any]) -> str | None:
    """Give the pointer of the list whose only item a name means, where one value stands for it.

    None for every other name, and where the schema takes no list there.
    """
    try:
        place = locate(parameter_name, arguments, schema)
        if place is None or not place.endswith(_FIRST):
            return None
        whole = place.removesuffix(_FIRST)
        sent = get(arguments, from_pointer(whole, arguments))
        if not isinstance(sent, str | int | float) or not _takes_a_list(whole, arguments, schema):
            return None
    except SchemaProblem:
        return None
    return whole


def with_lists(arguments: Any, errors: Sequence[ErrorView], schema: Mapping[str, Any]) -> Any:
    """Give the arguments with a list of one wherever a suggestion is for the item of one."""
    lists = [list_of(e.parameter_name, arguments, schema) for e in errors if e.has_suggestion]
    for place in dict.fromkeys(each for each in lists if each is not None):
        tokens = from_pointer(place, arguments)
        arguments = put(arguments, tokens, [get(arguments, tokens)])
    return arguments


def _takes_a_list(pointer: str, arguments: Any, schema: Mapping[str, Any]) -> bool:
    view = view_of(schema)
    return any(
        "array" in constraints(flat).kinds
        for nodes in schemas_at(view, arguments, pointer)
        for flat in alternatives(view, nodes, _MOST_WAYS)
    )
