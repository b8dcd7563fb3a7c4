"""One thing that is wrong with a document: where, by which rule, and in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from conformance.spec.clauses import clauses
from conformance.spec.messages import Message
from conformance.spec.pointer import to_pointer
from conformance.spec.vocabulary import Requirement

Place = tuple[str | int, ...]
"""The place of a value in a document: member names and indexes, from the root on."""

MISSPELLED, UNDECLARED = "misspelled", "undeclared"
NO_VALUE, ODD_NAME, UNFILLED = "unsatisfiable", "unportable", "unfilled"
HINTS = frozenset({MISSPELLED, UNDECLARED, NO_VALUE, ODD_NAME, UNFILLED})
"""The keywords of hints: what no rule forbids, but what is most likely a slip."""

_PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,199}")
_SHOWN = 80
_SHOWN_NAME = 200


@dataclass(frozen=True, slots=True)
class Problem:
    """`path` and `pointer` name the same place: `$.tools[0].name` and `/tools/0/name`.

    `keyword` is the JSON Schema keyword that failed, or the clause id for a rule that no schema
    holds, or a word for what could not be read. `clause` is None where no clause owns the rule.
    `tool` is the raw name of the tool concerned, where there is one. `place` is the same place once
    more, as steps from the root.
    """

    path: str
    pointer: str
    keyword: str
    clause: str | None
    message: Message
    tool: str | None = None
    place: Place = ()

    @property
    def requirement(self) -> Requirement:
        """How binding the rule is: that of its clause, and MUST where no clause owns it.

        A hint is no more than a SHOULD.
        """
        if self.keyword in HINTS:
            return Requirement.SHOULD
        return clauses()[self.clause].requirement if self.clause else Requirement.MUST


def problem(
    place: Place,
    keyword: str,
    said: Message,
    *,
    clause: str | None = None,
    tool: str | None = None,
) -> Problem:
    """A Problem at `place`, with its two ways of writing that."""
    return Problem(json_path(place), to_pointer(place), keyword, clause, said, tool, place)


def json_path(place: Iterable[str | int]) -> str:
    """`$.tools[0]["odd name"]`; a member name of more than 200 characters is cut."""
    parts = ["$"]
    for step in place:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_NAME.fullmatch(step):
            parts.append(f".{step}")
        else:
            parts.append(f"[{shown(step, _SHOWN_NAME)}]")
    return "".join(parts)


def beginning(text: str, limit: int) -> str:
    """The first `limit` characters at most of a text, without half a word at their end.

    A word that is longer than a third of them is cut all the same.
    """
    if len(text) <= limit or text[limit].isspace():
        return text[:limit]
    end = max(text.rfind(space, limit - limit // 3, limit) for space in " \t\n")
    return text[:limit] if end < 0 else text[:end]


def shown(value: Any, limit: int = _SHOWN) -> str:
    """`value` as JSON text of at most `limit` characters, safe to print: for use in a sentence."""
    if isinstance(value, str):
        if len(value) <= limit:
            return _printable(json.dumps(value, ensure_ascii=False))
        begun = json.dumps(beginning(value[: limit + 1], limit), ensure_ascii=False)
        return _printable(begun[:-1][:limit] + '…"')
    if isinstance(value, int) and value.bit_length() > 4 * limit:
        return "…"  # no decimal text: the interpreter refuses to write very long numbers
    pieces: list[str] = []
    length = 0
    try:
        for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
            pieces.append(piece[: limit + 1])
            length += len(pieces[-1])
            if length > limit:
                return _printable("".join(pieces)[:limit] + "…")
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__  # no JSON value; only its kind can be said
    return _printable("".join(pieces))


def quoted(text: str, limit: int = _SHOWN) -> str:
    """What somebody said, on one line and in quotation marks: JSON keeps its own, unescaped."""
    told = on_one_line(text, 4 * limit)
    if not set('"\\') & set(told):
        return shown(told, limit)
    cut = told if len(told) <= limit else f"{beginning(told, limit)}…"
    return f"“{_printable(cut)}”"


def on_one_line(text: str, most: int) -> str:
    """The first `most` characters of a text, on one line. `…` says that more follows.

    Without it, the rest of a secret that was cut could not be found once the blanks are gone.
    """
    line = " ".join(text[:most].split())
    return f"{line}…" if text[most:].strip() else line


def _printable(text: str) -> str:
    """`text` with a written escape for each character that a terminal or a page could act on."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    """As JSON has it: a secret with such a character has to be found in what is left of it."""
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else json.dumps(character)[1:-1]
