"""Makes small changes in a YAML or JSON text, and leaves the rest as its author wrote it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from conformance.formats.text.json_text import Notation, WrittenNumber
from conformance.formats.text.yaml_text import LONGEST, is_too_much, merged, quiet_reader

Edit = tuple[int, int, str]
"""The start and end of a piece of the text, and its replacement."""

_IN_JSON = json.JSONEncoder(ensure_ascii=False).encode
_INDENTED = re.compile(r"^\s*[\[{]\r?\n([ \t]+)\S")
_MARGIN = re.compile(r"[ \t]*")


class _Larger(Exception):
    """The piece has to be written anew as a whole, which only JSON allows: YAML has comments."""


def edited(text: str, old: Any, new: Any, notation: Notation = Notation.YAML) -> str | None:
    """Return the text of `old`, changed to that of `new`; None if small edits are not enough.

    A number that becomes a string keeps its digits: `1.10` becomes `"1.10"`. In JSON, a value that
    takes more than such edits is laid out anew, and the text around it stays. Also return None for
    a text that is too long for the reader, which keeps a node for each value.
    """
    if len(text) > LONGEST or is_too_much(text):
        return None
    try:
        root = quiet_reader().compose(text)
        edits = sorted(set(_Source(text, notation is Notation.JSON).edits(root, old, new)))
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


def laid_out(data: Any, text: str, begin: int, end: int) -> str:
    """Return JSON for a piece of a JSON text: on one line, or indented, as the text is.

    Each number is as it was written. The pieces are not all kept until the last one is made.
    """
    made = io.StringIO()
    if "\n" in text[begin:end].strip():
        inside = _INDENTED.match(text)
        margin = _MARGIN.match(text, text.rfind("\n", 0, begin) + 1)
        line = ("\r\n" if "\r\n" in text else "\n") + (margin[0] if margin is not None else "")
        made.writelines(_pieces(data, inside[1] if inside is not None else "  ", line))
    else:
        made.writelines(_pieces(data, "", ""))
    return made.getvalue()


def _pieces(data: Any, indent: str, line: str) -> Iterator[str]:
    if isinstance(data, WrittenNumber):
        yield data.written
    elif not isinstance(data, dict | list) or not data:
        yield _IN_JSON(data)
    else:
        named = isinstance(data, dict)
        begin, end = "{}" if named else "[]"
        for name in data if named else range(len(data)):
            yield f"{begin}{line}{indent}" + (f"{_IN_JSON(name)}: " if named else "")
            yield from _pieces(data[name], indent, line and line + indent)
            begin = "," if line else ", "
        yield line + end


class _Source:
    """A text, and the edits that its values need."""

    def __init__(self, text: str, is_json: bool) -> None:
        self._text = text
        self._is_json = is_json

    def edits(self, node: Node | None, old: Any, new: Any) -> list[Edit]:
        """Return the edits of the smallest pieces that can be changed or written anew."""
        if type(old) is type(new) and old == new:
            return []
        try:
            return [*self._inside(node, old, new)]
        except _Larger:
            if not self._is_json or node is None:
                raise
            begin, end = node.start_mark.index, node.end_mark.index
            return [(begin, end, laid_out(new, self._text, begin, end))]

    def _inside(self, node: Node | None, old: Any, new: Any) -> Iterator[Edit]:
        if node is None or node.anchor is not None:  # another place may share it
            raise _Larger
        if isinstance(node, MappingNode) and isinstance(old, dict) and isinstance(new, dict):
            yield from self._of_members(node, old, new)
        elif isinstance(node, SequenceNode) and isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                raise _Larger
            for inner, each, instead in zip(node.value, old, new, strict=True):
                yield from self.edits(inner, each, instead)
        elif isinstance(node, ScalarNode) and isinstance(new, str):
            written = node.value if new == json.dumps(old) else new
            yield node.start_mark.index, node.end_mark.index, _IN_JSON(written)
        else:
            raise _Larger

    def _of_members(
        self, node: MappingNode, old: dict[str, Any], new: dict[str, Any]
    ) -> Iterator[Edit]:
        names = _present_names(old, new)
        kept = [n for n, name in enumerate(old) if names.get(name, name) in new]
        added = [name for name in new if name not in old and name not in names.values()]
        ahead = [*new][: len(added)] == added
        simple = (
            len(kept) == len(old) and ahead and all(isinstance(new[name], str) for name in added)
        )
        if any(merged(*each) for each in node.value):
            raise _Larger  # a member may be in another mapping
        if len(node.value) != len(old) or not kept or not (simple or self._is_json):
            raise _Larger
        begins = [key.start_mark.index for key, _ in node.value]
        ends = [inner.end_mark.index for _, inner in node.value]
        for n, ((key, inner), (name, value)) in enumerate(
            zip(node.value, old.items(), strict=True)
        ):
            if n in kept:
                if name in names:
                    yield _renamed(key, names[name])
                yield from self.edits(inner, value, new[names.get(name, name)])
            elif n < kept[-1]:
                yield begins[n], begins[n + 1], ""
        if kept[-1] < len(ends) - 1:
            yield ends[kept[-1]], ends[-1], ""
        if added:
            yield self._added(node, {name: new[name] for name in added}, begins, ends, ahead)

    def _added(
        self,
        node: MappingNode,
        added: dict[str, Any],
        begins: list[int],
        ends: list[int],
        ahead: bool,
    ) -> Edit:
        """Return the edit that writes new members in front of the others or after them."""
        first, text = node.value[0][0].start_mark, self._text
        if not self._is_json:
            apart = "\n" + " " * first.column
            if node.flow_style:
                apart = ", " if node.start_mark.line == first.line else f",{apart}"
            names = {name: _IN_JSON(name) if node.flow_style else name for name in added}
            said = (f"{names[name]}: {_IN_JSON(value)}{apart}" for name, value in added.items())
            return first.index, first.index, "".join(said)
        colon = text[node.value[0][0].end_mark.index : node.value[0][1].start_mark.index]
        gap = text[node.start_mark.index + 1 : begins[0]]
        last = 1 if ahead else len(begins) - 1
        apart = text[ends[last - 1] : begins[last]] if len(begins) > 1 else f",{gap or ' '}"
        if ahead and "\n" in gap:
            apart = f",{gap}"
        within = (begins[0], ends[-1]) if "\n" not in apart else (begins[0], node.end_mark.index)
        members = [
            f"{_IN_JSON(name)}{colon}{laid_out(value, text, *within)}"
            for name, value in added.items()
        ]
        if ahead:
            return begins[0], begins[0], "".join(each + apart for each in members)
        return ends[-1], ends[-1], "".join(apart + each for each in members)


def _present_names(old: dict[str, Any], new: dict[str, Any]) -> dict[str, str]:
    """Return the new name of each member that has another one in the same place."""
    pairs = zip(old, new, strict=True) if len(old) == len(new) else ()
    return {was: now for was, now in pairs if was not in new and now not in old}


def _renamed(key: Node, name: str) -> Edit:
    if key.anchor is not None:
        raise _Larger
    said = name if isinstance(key, ScalarNode) and key.style is None else _IN_JSON(name)
    return key.start_mark.index, key.end_mark.index, said
