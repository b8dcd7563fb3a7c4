"""Draws a flowchart or states: layers of boxes, and lines with round corners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from scripts.website.diagrams.layers import Item
from scripts.website.diagrams.picture import MARGIN, MOST, Box, Line, Picture, Point, Words, framed
from scripts.website.diagrams.plan import LOOP, Plan
from scripts.website.diagrams.source import DiagramError, Edge, Flow
from scripts.website.diagrams.words import LINE

_BREAKS = (210, 170, 140, 120, 100, 84)
_CHANNEL = 18
Parts = list[Box | Line | Words]


def flow_picture(flow: Flow, room: float = MOST) -> Picture:
    """Draw a flow: with wide boxes if there is room, and downwards if there is not."""
    tries = []
    for down in dict.fromkeys((flow.down, True)):
        for most in _BREAKS:
            tries.append(_whole(flow, down, most))
            if tries[-1].width <= room:
                return tries[-1]
    return min(tries, key=lambda each: each.width)


def _whole(flow: Flow, down: bool, most: float) -> Picture:
    groups = dict.fromkeys(node.group for node in flow.nodes)
    of = {node.name: node.group for node in flow.nodes}
    for edge in flow.edges:
        if of[edge.start] != of[edge.end]:
            raise DiagramError(f"An arrow leaves the frame: {edge.start} to {edge.end}.")
    drawn = [
        _Drawing(
            Plan(
                [node for node in flow.nodes if node.group == group],
                [edge for edge in flow.edges if of[edge.start] == group],
                down,
                most,
            )
        ).picture()
        for group in groups
    ]
    if list(groups) == [""]:
        return drawn[0]
    return _frames(dict(zip(groups, drawn, strict=True)), down)


def _frames(drawn: Mapping[str, Picture], down: bool) -> Picture:
    """Return the pictures of groups in frames with titles."""
    parts: Parts = []
    pad = 12
    width = max(each.width for each in drawn.values()) + 2 * pad
    height = max(each.height for each in drawn.values()) + LINE + 2 * pad
    x = y = 0.0
    for title, picture in drawn.items():
        tall = height if down else picture.height + LINE + 2 * pad
        parts.append(Box(x + width / 2, y + tall / 2, width, tall, (), "group"))
        words = Words(0, 0, (title,), "title", plate=False)
        parts.append(words.moved(x + pad + MARGIN + words.extent[0] / 2, y + pad + LINE / 2))
        left = x + ((width - picture.width) / 2 if down else pad)
        parts += [part.moved(left, y + pad + LINE) for part in picture.parts]
        x, y = (x + width + pad, y) if down else (x, y + tall + pad)
    return framed(parts)


class _Drawing:
    """Draws the parts of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def picture(self) -> Picture:
        """Return the whole picture: lines below boxes, and words above both."""
        lines: Parts = []
        words: Parts = []
        for part in [
            *self._drawn_ways(),
            *self._drawn_channels(),
            *self._drawn_leaves(),
            *self._drawn_loops(),
        ]:
            (lines if isinstance(part, Line) else words).append(part)
        boxes = [self._box(name, self._plan.items[item]) for name, item in self._plan.of.items()]
        return framed([*lines, *boxes, *words])

    def _at(self, along: float, across: float) -> Point:
        return (across, along) if self._plan.down else (along, across)

    def _middle(self, item: int) -> float:
        return self._plan.middles[self._plan.items[item].rank]

    def _box(self, name: str, item: Item, shift: float = 0.0) -> Box:
        x, y = self._at(self._plan.middles[item.rank], item.across + shift)
        return Box(
            x, y, *self._plan.extent(name), self._plan.lines[name], self._plan.nodes[name].shape
        )

    def _drawn(self, edge: Edge, points: Iterable[tuple[float, float]]) -> Line:
        kept: list[Point] = []
        for point in (self._at(*each) for each in points):
            if not kept or abs(point[0] - kept[-1][0]) + abs(point[1] - kept[-1][1]) > 0.05:
                kept.append(point)
        return Line(tuple(kept), "dashed" if edge.dashed else "line", tail=edge.both)

    def _said(self, edge: Edge, along: float, across: float, *, plate: bool = True) -> Parts:
        lines, _, _ = self._plan.label(edge)
        x, y = self._at(along, across)
        return [Words(x, y, lines, plate=plate)] if lines else []

    def _drawn_ways(self) -> Iterator[Box | Line | Words]:
        for number, way in enumerate(self._plan.ways):
            first, last = way.items[0], way.items[-1]
            points = [(self._edge_of(first, 1), self._plan.across(way, first))]
            for start, end in pairwise(way.items):
                before, after = self._plan.across(way, start), self._plan.across(way, end)
                track = self._plan.tracks.get((number, self._plan.items[start].rank))
                if track is not None:
                    points += [(track, before), (track, after)]
            points.append((self._edge_of(last, -1), self._plan.across(way, last)))
            yield self._drawn(way.edge, reversed(points) if way.turned else points)
            if way.lines:
                passed = way.items[1]
                yield from self._said(
                    way.edge, self._middle(passed), self._plan.items[passed].across
                )

    def _edge_of(self, item: int, side: int) -> float:
        """Return where a node ends, along the flow."""
        [name] = [name for name, each in self._plan.of.items() if each == item]
        return self._middle(item) + side * self._plan.room(self._plan.extent(name))[0] / 2

    def _drawn_channels(self) -> Iterator[Box | Line | Words]:
        """Yield the edges that go back, outside all layers between their nodes."""
        outside = {-1: 0.0, 1: 0.0}
        for edge in self._plan.channels:
            start, end = self._plan.of[edge.start], self._plan.of[edge.end]
            side = -1 if not (self._hides(start, -1) or self._hides(end, -1)) else 1
            between = range(self._plan.items[end].rank, self._plan.items[start].rank + 1)
            held = [self._plan.items[item] for rank in between for item in self._plan.layers[rank]]
            most = max(
                side * each.across + (each.before if side < 0 else each.after) for each in held
            )
            _, _, across = self._plan.label(edge)
            far = max(most, outside[side]) if outside[side] else most
            channel = far + _CHANNEL + across
            outside[side] = channel + across
            points = [
                (
                    self._middle(start),
                    self._plan.items[start].across + side * self._plan.half(start),
                ),
                (self._middle(start), side * channel),
                (self._middle(end), side * channel),
                (self._middle(end), self._plan.items[end].across + side * self._plan.half(end)),
            ]
            yield self._drawn(edge, points)
            middle = (self._middle(start) + self._middle(end)) / 2
            yield from self._said(edge, middle, side * channel)

    def _hides(self, item: int, side: int) -> bool:
        """Return whether another node is between a node and the margin."""
        own = self._plan.items[item]
        others = (self._plan.items[each] for each in self._plan.layers[own.rank] if each != item)
        return any(each.node and side * (each.across - own.across) > 0 for each in others)

    def _drawn_leaves(self) -> Iterator[Box | Line | Words]:
        for name, edge in self._plan.aside.items():
            item = self._plan.items[self._plan.of[name]]
            along = self._plan.middles[item.rank]
            near = item.across + self._plan.room(self._plan.extent(name))[1]
            shift = self._plan.leaf_at(name)
            far = item.across + shift - self._plan.room(self._plan.extent(edge.end))[1]
            yield self._drawn(edge, [(along, near), (along, far)])
            yield self._box(edge.end, item, shift)
            yield from self._said(edge, along, (near + far) / 2 - 3)

    def _drawn_loops(self) -> Iterator[Box | Line | Words]:
        for name, edge in self._plan.loops.items():
            item = self._plan.items[self._plan.of[name]]
            along = self._plan.middles[item.rank]
            top = item.across - self._plan.room(self._plan.extent(name))[1]
            points = [
                (along - 11, top),
                (along - 11, top - LOOP),
                (along + 11, top - LOOP),
                (along + 11, top),
            ]
            yield self._drawn(edge, points)
            _, _, across = self._plan.label(edge)
            yield from self._said(edge, along, top - LOOP - across - 4, plate=False)
