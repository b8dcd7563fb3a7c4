"""Makes small changes in a YAML or JSON text, and leaves the rest as its author wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from conformance.formats.text.yaml_text import LONGEST, is_too_much, quiet_reader

Edit = tuple[int, int, str]
"""The start and end of a piece of the text, and its replacement."""


class _Larger(Exception):
    """The change is more than new members at the front and values that become strings."""


def edited(text: str, old: Any, new: Any) -> str | None:
    """Return the text of `old`, changed to that of `new`; None if small edits are not enough.

    A number that becomes a string keeps its digits: `1.10` becomes `"1.10"`. Also return None for a
    text that is too long for the reader, which keeps a node for each value.
    """
    if len(text) > LONGEST or is_too_much(text):
        return None
    try:
        root = quiet_reader().compose(text)
        edits = sorted(set(_edits(root, old, new)))
    except (YAMLError, ValueError, RecursionError, _Larger):
        return None
    kept: list[str] = []
    done = 0
    for begin, end, instead in edits:
        if begin < done:
            return None
        kept += (text[done:begin], instead)
        done = end
    return "".join((*kept, text[done:]))


def _edits(node: Node | None, old: Any, new: Any) -> Iterator[Edit]:
    if type(old) is type(new) and old == new:
        return
    if isinstance(node, MappingNode) and isinstance(old, dict) and isinstance(new, dict):
        yield from _of_members(node, old, new)
    elif isinstance(node, SequenceNode) and isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            raise _Larger
        for inner, each, instead in zip(node.value, old, new, strict=True):
            yield from _edits(inner, each, instead)
    elif isinstance(node, ScalarNode) and isinstance(new, str) and node.anchor is None:
        written = node.value if new == json.dumps(old) else new
        yield node.start_mark.index, node.end_mark.index, json.dumps(written, ensure_ascii=False)
    else:
        raise _Larger


def _of_members(node: MappingNode, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Edit]:
    added = {name: value for name, value in new.items() if name not in old}
    nodes = {key.value: inner for key, inner in node.value}
    if not nodes or old.keys() - new.keys() or [*new][: len(added)] != [*added]:
        raise _Larger
    for name, value in old.items():
        yield from _edits(nodes[name], value, new[name])
    first = node.value[0][0].start_mark
    for name, value in added.items():
        if not isinstance(value, str):
            raise _Larger
        said = json.dumps(value, ensure_ascii=False)
        member = f"{json.dumps(name)}: {said}," if node.flow_style else f"{name}: {said}"
        apart = " " if node.flow_style and node.start_mark.line == first.line else None
        yield first.index, first.index, member + (apart or "\n" + " " * first.column)
