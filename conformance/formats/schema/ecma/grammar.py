"""Parses an ECMA regular expression into a tree."""

from __future__ import annotations

from typing import Final

from conformance.formats.schema.ecma.tree import (
    UNBOUNDED,
    Anchor,
    Chars,
    Group,
    Look,
    Part,
    Repeat,
    Unreadable,
    render,
)

_LONGEST: Final = 2_000
_SPACE: Final = r" \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_CLASSES: Final = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": _SPACE,
    "D": r"\x00-/:-\U0010ffff",
    "W": r"\x00-/:-@\[-\^`{-\U0010ffff",
    "S": r"\x00-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e"
    r"\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff",
}
"""For each letter, the content of the class in Python's brackets."""
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}


class _Reader:
    def __init__(self, expression: str) -> None:
        if len(expression) > _LONGEST:
            raise Unreadable(f"longer than {_LONGEST} characters")
        self._text = expression
        self._at = 0
        self._depth = 0

    def read(self) -> Group:
        whole = self._ways()
        if self._at < len(self._text):
            raise Unreadable("a parenthesis too many")
        return whole

    def _peek(self, size: int = 1) -> str:
        return self._text[self._at : self._at + size]

    def _take(self, size: int = 1) -> str:
        taken = self._peek(size)
        if len(taken) < size:
            raise Unreadable("it ends too early")
        self._at += size
        return taken

    def _ways(self, captures: bool = False) -> Group:
        self._depth += 1
        if self._depth > 50:
            raise Unreadable("nested too deep")
        ways: list[tuple[Part, ...]] = []
        parts: list[Part] = []
        while self._at < len(self._text) and self._peek() != ")":
            if self._peek() == "|":
                self._take()
                ways.append(tuple(parts))
                parts = []
            else:
                parts.append(self._repeated(self._part()))
        self._depth -= 1
        return Group((*ways, tuple(parts)), captures)

    def _part(self) -> Part:
        char = self._take()
        if char == "(":
            return self._group()
        if char == "[":
            return self._set()
        if char == "\\":
            return self._escape()
        if char == ".":
            return Chars(r"^\n\r\u2028\u2029")
        if char == "^":
            return Anchor(r"\A")
        if char == "$":
            return Anchor(r"\Z")
        if char in "*+?":
            raise Unreadable(f"nothing before {char!r}")
        return Chars(_quoted(char))

    def _group(self) -> Part:
        if self._peek() != "?":
            return self._closed(self._ways(captures=True))
        self._take()
        kind = self._take()
        if kind == ":":
            return self._closed(self._ways())
        if kind == "<" and self._peek() not in ("=", "!"):
            while self._take() != ">":
                pass
            return self._closed(self._ways(captures=True))
        if kind == "<":
            kind += self._take()
        if kind in ("=", "!", "<=", "<!"):
            return Look(f"(?{kind}{render(self._closed(self._ways()))})")
        raise Unreadable(f"(?{kind} is not of ECMA's patterns")

    def _closed(self, group: Group) -> Group:
        self._take()  # only this, or the end of the text, ends the ways of a group
        return group

    def _escape(self) -> Part:
        char = self._take()
        if char in "bB":
            return Anchor(f"\\{char}")
        if char in "123456789":
            return Look(f"\\{char}")
        if char == "k":
            raise Unreadable("a named reference back")
        if char in _CLASSES:
            return Chars(_CLASSES[char])
        return Chars(_quoted(self._character(char)))

    def _character(self, char: str) -> str:
        """Return the one character that an escape means."""
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "x":
            return self._coded(self._take(2))
        if char == "u":
            if self._peek() == "{":
                self._take()
                code = ""
                while self._peek() != "}":
                    code += self._take()
                self._take()
                return self._coded(code)
            return self._coded(self._take(4))
        if char == "c":
            return chr(ord(self._take()) % 32)
        if char.isalnum():
            raise Unreadable(f"\\{char} is not read here")
        return char

    def _coded(self, digits: str) -> str:
        try:
            return chr(int(digits, 16))
        except (ValueError, OverflowError) as error:
            raise Unreadable(f"{digits!r} is no character code") from error

    def _set(self) -> Part:
        negated = self._peek() == "^"
        if negated:
            self._take()
        held = of_class = ""
        while self._peek() != "]":
            char = self._take()
            if char == "\\":
                kind = self._take()
                if kind in _CLASSES:
                    held = of_class = held + _CLASSES[kind]
                elif kind == "b":
                    held += r"\x08"
                else:
                    held += _quoted(self._character(kind))
            elif char == "-":
                held += self._dash() if held != of_class else r"\-"
            else:
                held += _quoted(char)
        self._take()
        if not held:
            return Chars(r"^\x00-\U0010ffff" if not negated else r"\x00-\U0010ffff")
        return Chars(f"^{held}" if negated else held)

    def _dash(self) -> str:
        """Return a dash: a range between two characters, a plain dash at the end or at a class."""
        after = self._peek()
        if after == "]":
            return r"\-"
        if after == "\\" and self._peek(2)[1:] in _CLASSES:
            return r"\-"
        return "-"

    def _repeated(self, part: Part) -> Part:
        bounds = self._bounds()
        if bounds is None:
            return part
        if isinstance(part, Anchor):
            raise Unreadable("a repeated anchor")
        lazy = self._peek() == "?"
        if lazy:
            self._take()
        if self._peek() in ("*", "+") or (self._peek() == "?" and lazy):
            raise Unreadable("a repeat of a repeat")
        return Repeat(part, *bounds, lazy)

    def _bounds(self) -> tuple[int, int] | None:
        sign = self._peek()
        simple = {"*": (0, UNBOUNDED), "+": (1, UNBOUNDED), "?": (0, 1)}
        if sign and sign in simple:
            self._take()
            return simple[sign]
        if sign != "{":
            return None
        end = self._text.find("}", self._at)
        inside = self._text[self._at + 1 : end] if end > 0 else ""
        least, comma, most = inside.partition(",")
        if not least.isdecimal() or not (most == "" or most.isdecimal()):
            return None
        self._at = end + 1
        upper = int(least) if not comma else int(most) if most else UNBOUNDED
        if upper < int(least) or int(least) > 1_000:
            raise Unreadable("bounds of a repeat")
        return int(least), upper


def read(expression: str) -> Group:
    """Parse a pattern. Raises `Unreadable` if it is not a pattern, or an unusual one."""
    return _Reader(expression).read()


def _quoted(char: str) -> str:
    if char.isascii() and char.isalnum():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\U{code:08x}"
