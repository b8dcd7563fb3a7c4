"""Mechanical faults of files, corrected: a diff first, and the files themselves only if asked."""

from __future__ import annotations

import difflib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conformance.cli.documents.files import Input, content, notation_of
from conformance.formats.text.edits import edited, laid_out
from conformance.formats.text.http_answer import split
from conformance.formats.text.json_text import Notation, WrittenNumber, read
from conformance.formats.validate.mechanical import corrected
from conformance.kit.config.system_words import in_one_line
from conformance.kit.report.safe_text import visible
from conformance.spec.messages import Message, message

DONE, LEFT, UNUSABLE = 0, 1, 2
_MOST_COMPARED = 2_000
"""Lines between the first and the last change that are compared: a text can make each line like a
hundred others, and the work grows with the cube of their number.
"""
_OF_A_NAME = 40
"""Characters of a file's name that are in that of its new text: a longer one may be too long."""


def fix(files: Iterable[Input], language: str, *, write: bool) -> int:
    """Show what can be corrected in each file, and write it if asked; gives the exit code."""
    code = DONE
    changed = read_files = 0
    for each in files:
        read_files += 1
        found = _fixed(each)
        if isinstance(found, Message):
            print(visible(f"{each.name}: {found.words(language)}", None), file=sys.stderr)
            code = UNUSABLE
            continue
        before, after = found
        if before == after:
            continue
        for line in _diff(each.name, before, after):
            print(visible(line, None))
        failed = _written(each, before, after) if write else None
        if failed is not None:
            print(visible(f"{each.name}: {failed.words(language)}", None), file=sys.stderr)
            code = UNUSABLE
            continue
        changed += 1
    if changed:
        said = "validate.fixed" if write else "validate.fixable"
        print(message(said, count=changed).words(language), file=sys.stderr)
    elif code == DONE:
        print(message("validate.not_fixable", count=read_files).words(language), file=sys.stderr)
    return code or (LEFT if changed and not write else DONE)


def _fixed(each: Input) -> tuple[str, str] | Message:
    """The text of a file before and after; the same where there is nothing to correct."""
    raw = content(each)
    if isinstance(raw, Message):
        return raw
    head, raw = split(raw)
    notation = notation_of(each, raw)
    reading = read(raw, notation)
    if not reading.readable:
        return reading.problems[0].message
    data = reading.data
    if corrected(data) == data:
        return "", ""
    if notation is Notation.JSON:
        data = json.loads(reading.text, parse_float=WrittenNumber)
    made = corrected(data)
    above = head.decode("utf-8")
    if reading.problems or raw.startswith(b"\xef\xbb\xbf"):
        return message("validate.fix.only_json")
    text = raw.decode("utf-8")
    small = edited(text, data, made, notation)
    if small is not None and _is_corrected(small, notation, made):
        return above + text, above + small
    if notation is not Notation.JSON:
        return message("validate.fix.only_json")
    end = text[len(text.rstrip()) :]
    return above + text, above + laid_out(made, text, 0, len(text)) + end


def _is_corrected(text: str, notation: Notation, made: Any) -> bool:
    """Whether a text has all that `made` has, except the digits of a version."""
    again = read(text.encode("utf-8"), notation)
    return (
        again.readable
        and not again.problems
        and corrected(again.data) == again.data
        and (notation is Notation.YAML or again.data == made)
    )


def _diff(name: str, before: str, after: str) -> Iterator[str]:
    """What changes. Of a long text, all between the first and the last change is shown as one."""
    old, new = (text.splitlines() for text in (before, after))
    shortest = min(len(old), len(new))
    begin = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    rest = range(1, shortest - begin + 1)
    end = next((n for n in rest if old[-n] != new[-n]), len(rest) + 1) - 1
    gone, come = old[begin : len(old) - end], new[begin : len(new) - end]
    if max(len(gone), len(come)) <= _MOST_COMPARED:
        yield from difflib.unified_diff(old, new, name, name, lineterm="")
        return
    yield from (f"--- {name}", f"+++ {name}")
    yield f"@@ -{begin + 1},{len(gone)} +{begin + 1},{len(come)} @@"
    yield from (f"-{line}" for line in gone)
    yield from (f"+{line}" for line in come)


def _written(each: Input, before: str, text: str) -> Message | None:
    """Write the file; gives why that is not possible. A link stays one, and its file is written.

    To correct a long file takes seconds, in which an editor may save another text.
    """
    if each.path is None:
        return message("validate.fix.standard_input")
    if content(each) != before.encode("utf-8"):
        return message("validate.fix.changed")
    try:
        _replace(each.path.resolve(), text)
    except OSError as error:
        return message("validate.fix.not_written", reason=in_one_line(error))
    return None


def _replace(path: Path, text: str) -> None:
    """Write the whole file or nothing of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_OF_A_NAME]}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(name, path.stat().st_mode & 0o777)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
