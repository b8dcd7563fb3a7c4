"""A document of the source that breaks a clause, and its correction."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from conformance.formats.problem import json_path
from conformance.spec.vocabulary import Requirement
from scripts.generator.clauses import Clause
from scripts.generator.examples import Example
from scripts.website.pages.context import Context
from scripts.website.pages.examples import broken, in_words
from scripts.website.pages.markdown import code, escaped, fence

_WHOLE = 12
"""The most lines of a part that is shown whole; a longer one shows the lines around the change."""
_AROUND = 3
_FOLDS: Mapping[type, str] = MappingProxyType({dict: "{…}", list: "[…]"})
"""How an object or an array is written that only has to be there."""
_LONGEST = 24


def nearest(context: Context, clause: str) -> tuple[Example, Example] | None:
    """Return a document that breaks a clause, and its valid original, or None.

    It differs in the fewest places from its original, and of several such it is the shortest.
    """
    if context.clauses[clause].facts["requirement"] == Requirement.MAY:
        return None  # a permission cannot be broken
    named = {(each.spec, each.id): each for each in context.source.examples}
    wrong = [each for each in context.source.examples if each.breaks == clause]
    pairs = [(each, named[each.spec, str(each.from_)]) for each in wrong]
    return min(pairs, key=_apart, default=None)


def _apart(pair: tuple[Example, Example]) -> tuple[int, int]:
    bad, good = (lines_of(each.data) for each in pair)
    steps = difflib.SequenceMatcher(None, bad, good, autojunk=False).get_opcodes()
    return sum(kind != "equal" for kind, *_ in steps), len(json.dumps(pair[0].data))


def correction(context: Context, clause: Clause, *, explained: bool = True) -> Iterator[str]:
    """Yield the wrong part of a document, and the same part of a valid one.

    With `explained`, the kit's message is above it.
    """
    pair = nearest(context, clause.id)
    if pair is None:
        return
    whole, valid = (in_words(context, each) for each in pair)
    path, bad, good = changed(whole, valid)
    before, after = (lines_of(each) for each in folded(bad, good))
    title = context.prose(pair[0].title)
    intro = context.said("remedy_correction", title=title, path=json_path(path))
    if explained:
        found = broken(pair[0], whole)
        words = f"{code(found.path)}: {escaped(found.message.words(context.language))}"
        intro += f"\n\n{context.said('clause_exchange_said', words=words)}\n{{ .error }}"
    yield intro
    text, marks = hunk(before, after)
    yield fence(text, "json", marks)
    yield context.said("remedy_corrected")
    yield good_fence(*hunk(after, before))


def good_fence(text: str, marks: str) -> str:
    """Return correct JSON, with the corrected lines marked."""
    return fence(text, f"{{ .json .good {marks}}}")


def changed(bad: Any, good: Any) -> tuple[tuple[str | int, ...], Any, Any]:
    """Return the place of the smallest object or array with all differences, and both versions."""
    path: tuple[str | int, ...] = ()
    while True:
        step = _only_child(bad, good)
        if step is None:
            return path, bad, good
        path, bad, good = (*path, step), bad[step], good[step]


def _only_child(bad: Any, good: Any) -> str | int | None:
    """Return the key of the only object or array, in both, in which the two differ, or None."""
    if isinstance(bad, dict) and isinstance(good, dict) and bad.keys() == good.keys():
        names: list[Any] = [name for name in bad if bad[name] != good[name]]
    elif isinstance(bad, list) and isinstance(good, list) and len(bad) == len(good):
        names = [index for index in range(len(bad)) if bad[index] != good[index]]
    else:
        return None
    if len(names) != 1 or not isinstance(bad[names[0]], dict | list):
        return None
    step: str | int = names[0]
    return step if type(bad[step]) is type(good[step]) else None


def folded(bad: Any, good: Any) -> tuple[Any, Any]:
    """Fold the objects and arrays that are the same in both, if the two are long."""
    if not isinstance(bad, dict) or not isinstance(good, dict):
        return bad, good
    if max(len(lines_of(bad)), len(lines_of(good))) <= _WHOLE:
        return bad, good
    folds = {
        name: _FOLDS[type(bad[name])]
        for name in bad.keys() & good.keys()
        if bad[name] == good[name] and isinstance(bad[name], dict | list) and bad[name]
    }
    return (
        {name: folds.get(name, each) for name, each in bad.items()},
        {name: folds.get(name, each) for name, each in good.items()},
    )


def lines_of(value: Any) -> list[str]:
    """Return the lines of a value as JSON; a folded object or array is `{…}` or `[…]`."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    for fold in _FOLDS.values():
        text = text.replace(json.dumps(fold, ensure_ascii=False), fold)
    return text.split("\n")


def hunk(
    lines: list[str], other: list[str], *, whole: int = _WHOLE, around: int = _AROUND
) -> tuple[str, str]:
    """Return the lines around those that the other text lacks, and the marks for them.

    A text of at most `whole` lines is returned whole.
    """
    steps = difflib.SequenceMatcher(None, lines, other, autojunk=False).get_opcodes()
    wrong = [n for kind, a, b, _, _ in steps if kind != "equal" for n in range(a, b)]
    at = wrong or [a for kind, a, _, _, _ in steps if kind != "equal"]
    first, last = 0, len(lines)
    if len(lines) > whole and at:
        first, last = max(0, at[0] - around), min(len(lines), at[-1] + around + 1)
    cut = lines[first:last]
    spaces = min(len(each) - len(each.lstrip()) for each in cut)
    most = max(whole, _LONGEST)
    shown = [each[spaces:] for each in cut[:most]]
    text = "\n".join([*shown, *(["…"] if len(cut) > most else [])])
    marked = " ".join(str(n - first + 1) for n in wrong if n - first < most)
    return text, f'hl_lines="{marked}"' if marked else ""
