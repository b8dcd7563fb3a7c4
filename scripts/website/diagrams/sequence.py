"""Draws a sequence diagram: a column for each participant, and a row for each message."""

from __future__ import annotations

from itertools import pairwise

from scripts.website.diagrams.picture import MOST, Box, Line, Picture, Words, framed
from scripts.website.diagrams.source import Message, Note, Sequence
from scripts.website.diagrams.words import LINE, size, wrapped

_BREAKS = (420, 300, 240, 200, 160, 130)
_PAD = 14
_AIR = 26
_ROW = 20


def sequence_picture(sequence: Sequence) -> Picture:
    """Draw a sequence, with long lines of text if there is room."""
    tries = (_drawn(sequence, most) for most in _BREAKS)
    narrow = next((each for each in tries if each.width <= MOST), None)
    return narrow or _drawn(sequence, _BREAKS[-1])


def _drawn(sequence: Sequence, most: float) -> Picture:
    columns = _columns(sequence, most)
    heads = {name: wrapped(title, most) for name, title in sequence.participants.items()}
    top = max(size(lines)[1] for lines in heads.values()) + _PAD
    y = top + 10
    steps: list[Box | Line | Words] = []
    for step in sequence.steps:
        if isinstance(step, Note):
            lines = wrapped(step.text, most)
            width, height = size(lines)
            y += _ROW / 2
            box = Box(columns[step.over], y + height / 2 + 4, width + 16, height + 8, lines, "note")
            steps.append(box)
            y += height + 8
            continue
        lines = wrapped(step.text, most)
        start, end = columns[step.start], columns[step.end]
        y += _ROW / 2
        steps.append(Words((start + end) / 2, y + LINE * len(lines) / 2, lines))
        y += LINE * len(lines) + 5
        kind = "dashed" if step.reply else "line"
        tip = end - (10 if end > start else -10) if step.lost else end
        steps.append(Line(((start, y), (tip, y)), kind, lost=step.lost))
    bottom = y + _ROW
    lives: list[Box | Line | Words] = [
        Line(((x, top), (x, bottom)), "life", head=False) for x in columns.values()
    ]
    boxes: list[Box | Line | Words] = [
        Box(columns[name], top / 2, size(lines)[0] + 2 * _PAD, top, lines)
        for name, lines in heads.items()
    ]
    return framed([*lives, *boxes, *steps])


def _columns(sequence: Sequence, most: float) -> dict[str, float]:
    """Return the place of each participant's line: as close as the texts between them allow."""
    names = list(sequence.participants)
    needed = dict.fromkeys(pairwise(names), 0.0)
    heads = [size(wrapped(sequence.participants[name], most))[0] + 2 * _PAD for name in names]
    for pair, (left, right) in zip(pairwise(names), pairwise(heads), strict=True):
        needed[pair] = (left + right) / 2 + _AIR
    said = [step for step in sequence.steps if isinstance(step, Message)]
    between = {step: sorted((names.index(step.start), names.index(step.end))) for step in said}
    for step in sorted(said, key=lambda step: between[step][1] - between[step][0]):
        first, last = between[step]
        spans = list(pairwise(names))[first:last]
        lacking = size(wrapped(step.text, most))[0] + _AIR - sum(needed[each] for each in spans)
        for each in spans:
            needed[each] += max(0.0, lacking) / len(spans)
    columns = {names[0]: 0.0}
    for first_name, next_name in pairwise(names):
        columns[next_name] = columns[first_name] + needed[first_name, next_name]
    return columns
