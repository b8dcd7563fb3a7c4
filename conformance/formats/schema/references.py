"""The references of a JSON Schema: the keywords that have them, and how to find a broken one."""

from __future__ import annotations

from typing import Any, Final

from referencing.exceptions import Unresolvable

NAMING: Final = ("$ref", "$dynamicRef")
"""The keywords that name another schema. `$recursiveRef` can only name the root."""


def broken_reference(schema: Any, error: Unresolvable) -> tuple[str, str]:
    """Return the keyword and the text of the reference that `error` is about.

    The library reports only its last lookup, often without the `#`. The reference may be anywhere
    in `schema`, because references also lead to places where no schema is expected.
    """
    sought = str(getattr(error, "anchor", error.ref))
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            for keyword in NAMING:
                reference = node.get(keyword)
                if isinstance(reference, str) and sought in (
                    reference,
                    reference.partition("#")[2],
                ):
                    return keyword, reference
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return NAMING[0], sought
