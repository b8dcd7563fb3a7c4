"""A picture of boxes, lines and words, and its SVG.

The theme's style sheet sets the colors; without it, all has the color of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from scripts.website.diagrams.words import LINE, SIZE, size

MOST = 680
"""The width of a page's text on a wide screen; readers must scroll wider pictures sideways."""
PHONE = 358
"""The width of a page's text on a phone."""
MARGIN = 6
_CORNER = 7
_TIP = 12
_HEAD = 7
_RING = 4
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A frame around its middle, with words inside.

    `kind` is its class in the style sheet. A decision has a point on its left and right.
    """

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...] = ()
    kind: str = "box"

    def moved(self, x: float, y: float) -> Box:
        """Return the same box, moved by these distances."""
        return Box(self.x + x, self.y + y, self.width, self.height, self.lines, self.kind)


@dataclass(frozen=True, slots=True)
class Line:
    """A path through `points`, with its arrowheads; a `lost` one ends in a cross."""

    points: tuple[Point, ...]
    kind: str = "line"
    head: bool = True
    tail: bool = False
    lost: bool = False

    def moved(self, x: float, y: float) -> Line:
        """Return the same line, moved by these distances."""
        points = tuple((left + x, top + y) for left, top in self.points)
        return Line(points, self.kind, self.head, self.tail, self.lost)


@dataclass(frozen=True, slots=True)
class Words:
    """Words around a middle; with `plate`, they cover what is below them."""

    x: float
    y: float
    lines: tuple[str, ...]
    kind: str = "said"
    plate: bool = True

    @property
    def extent(self) -> tuple[float, float]:
        """The width and the height."""
        return size(self.lines)

    def moved(self, x: float, y: float) -> Words:
        """Return the same words, moved by these distances."""
        return Words(self.x + x, self.y + y, self.lines, self.kind, self.plate)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: later parts cover earlier ones. Its corner is at 0, 0."""

    width: float
    height: float
    parts: tuple[Box | Line | Words, ...]


def framed(parts: list[Box | Line | Words]) -> Picture:
    """Return the smallest picture that has room for `parts`."""
    corners = [corner for part in parts for corner in _corners(part)]
    left, top = (min(each[axis] for each in corners) - MARGIN for axis in (0, 1))
    right, bottom = (max(each[axis] for each in corners) + MARGIN for axis in (0, 1))
    return Picture(right - left, bottom - top, tuple(part.moved(-left, -top) for part in parts))


def _corners(part: Box | Line | Words) -> Iterator[Point]:
    if isinstance(part, Line):
        yield from part.points
        return
    width, height = part.extent if isinstance(part, Words) else (part.width, part.height)
    yield part.x - width / 2, part.y - height / 2
    yield part.x + width / 2, part.y + height / 2


def svg(picture: Picture, title: str, description: str, name: str) -> str:
    """Return a picture as one line of SVG.

    Its ids start with `name`, which is unique on a page. The search reads the description, which
    has all words.
    """
    width, height = _number(picture.width), _number(picture.height)
    shapes = "".join(_shape(part) for part in picture.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{name}-title"'
        f' aria-describedby="{name}-words" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" font-size="{SIZE}" text-anchor="middle">'
        f'<title id="{name}-title">{escape(title)}</title> '
        f'<desc id="{name}-words">{escape(description)}</desc> '
        f'<g data-search-exclude="">{shapes}</g></svg>'
    )


def _shape(part: Box | Line | Words) -> str:
    if isinstance(part, Box):
        return _box(part) + _text(part.x, part.y, part.lines, part.kind)
    if isinstance(part, Words):
        return _plate(part) + _text(part.x, part.y, part.lines, part.kind)
    return _line(part)


def _box(box: Box) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    paint = f'class="{box.kind}" fill="none" stroke="currentColor"'
    if box.kind == "decision":
        right, bottom = left + box.width, top + box.height
        points = [
            (left, box.y),
            (left + _TIP, top),
            (right - _TIP, top),
            (right, box.y),
            (right - _TIP, bottom),
            (left + _TIP, bottom),
        ]
        return f'<path {paint} d="M{" L".join(_pair(each) for each in points)}Z"/>'
    if box.kind in ("start", "end"):
        x, y, radius = (_number(each) for each in (box.x, box.y, box.width / 2))
        dot = f'<circle class="dot" fill="currentColor" cx="{x}" cy="{y}" r="'
        ring = f'<circle {paint} cx="{x}" cy="{y}" r="{radius}"/>'
        return f'{dot}{radius}"/>' if box.kind == "start" else f'{ring}{dot}{_RING}"/>'
    return (
        f'<rect {paint} x="{_number(left)}" y="{_number(top)}" width="{_number(box.width)}"'
        f' height="{_number(box.height)}" rx="6"/>'
    )


def _text(x: float, y: float, lines: tuple[str, ...], kind: str) -> str:
    if not lines:
        return ""
    first = y - LINE * (len(lines) - 1) / 2 + SIZE * 0.35
    rows = "".join(
        f'<tspan x="{_number(x)}" y="{_number(first + LINE * number)}">{escape(line)}</tspan>'
        for number, line in enumerate(lines)
    )
    return f'<text class="{kind}" fill="currentColor">{rows}</text>'


def _plate(words: Words) -> str:
    if not words.plate:
        return ""
    width, height = words.extent
    return (
        f'<rect class="plate" fill="Canvas" x="{_number(words.x - width / 2 - 3)}"'
        f' y="{_number(words.y - height / 2)}" width="{_number(width + 6)}"'
        f' height="{_number(height)}"/>'
    )


def _line(line: Line) -> str:
    points = line.points
    way = [f"M{_pair(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        near = _towards(corner, before, _CORNER)
        far = _towards(corner, after, _CORNER)
        way.append(f"L{_pair(near)}Q{_pair(corner)} {_pair(far)}")
    way.append(f"L{_pair(points[-1])}")
    dashes = ' stroke-dasharray="5 4"' if line.kind in ("dashed", "life") else ""
    drawn = (
        f'<path class="{line.kind}" fill="none" stroke="currentColor"{dashes} d="{"".join(way)}"/>'
    )
    if line.lost:
        drawn += _cross(points[-1])
    elif line.head:
        drawn += _head(points[-2], points[-1])
    return drawn + (_head(points[1], points[0]) if line.tail else "")


def _towards(start: Point, end: Point, most: float) -> Point:
    """Return the point on the way to `end` at the distance `most`, at most half way."""
    x, y = end[0] - start[0], end[1] - start[1]
    length = abs(x) + abs(y)
    part = min(most, length / 2) / length if length else 0
    return start[0] + x * part, start[1] + y * part


def _head(before: Point, tip: Point) -> str:
    x, y = _towards(tip, before, _HEAD * 2)
    long = abs(x - tip[0]) + abs(y - tip[1]) or 1
    along = ((tip[0] - x) / long, (tip[1] - y) / long)
    back = (tip[0] - along[0] * _HEAD, tip[1] - along[1] * _HEAD)
    wide = (along[1] * _HEAD * 0.6, along[0] * _HEAD * 0.6)
    points = [tip, (back[0] + wide[0], back[1] + wide[1]), (back[0] - wide[0], back[1] - wide[1])]
    return f'<path class="head" fill="currentColor" d="M{" L".join(_pair(p) for p in points)}Z"/>'


def _cross(tip: Point) -> str:
    x, y = tip
    strokes = [((x - 5, y - 5), (x + 5, y + 5)), ((x - 5, y + 5), (x + 5, y - 5))]
    drawn = "".join(f"M{_pair(start)}L{_pair(end)}" for start, end in strokes)
    return f'<path class="line" fill="none" stroke="currentColor" d="{drawn}"/>'


def _pair(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    return f"{round(value, 1) + 0:g}"
