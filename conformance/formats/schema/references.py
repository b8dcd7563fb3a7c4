"""The references of a JSON Schema: which keywords contain them, and which have no target."""

from __future__ import annotations

from typing import Any, Final

from referencing.exceptions import Unresolvable

NAMING: Final = ("$ref", "$dynamicRef")
"""The keywords that name another schema; `$recursiveRef` names none but the root."""


def broken_reference(schema: Any, error: Unresolvable) -> tuple[str, str]:
    """Give the keyword and the text of the reference that `error` is about.

    The library tells only what it looked for last, often without the `#`. It may have stood
    anywhere in `schema`: a reference also leads to where no schema is expected.
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
