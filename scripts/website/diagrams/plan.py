"""Plans a flow: the sizes of its parts, the layers, and the tracks between layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scripts.website.diagrams.layers import Item, backward, ordered, place, ranks
from scripts.website.diagrams.source import Edge, Node
from scripts.website.diagrams.words import size, wrapped

LOOP = 18
"""The height of an arrow from a node to itself."""
_LABEL = 150
_STEP = 12
_STUB = 12
_TIP = 22
_DOT = 14


@dataclass(slots=True)
class Way:
    """An edge between layers: the items that it passes; the first and the last are nodes."""

    edge: Edge
    items: list[int]
    turned: bool
    lines: tuple[str, ...]


class Plan:
    """The places of the parts of one flow.

    `items` need room in a layer, and `of` has each node's item. `ways` go from layer to layer,
    `channels` go back outside all layers, and `loops` lead from a node to itself. `aside` has the
    edges to a leaf next to its decision. `middles` has the place of each layer along the flow, and
    `tracks` the place where a way bends behind a layer.
    """

    def __init__(
        self, nodes: Sequence[Node], edges: Sequence[Edge], down: bool, most: float
    ) -> None:
        self.down = down
        self.nodes = {node.name: node for node in nodes}
        self.lines = {node.name: wrapped(node.text, most) for node in nodes}
        self.loops = {edge.start: edge for edge in edges if edge.start == edge.end}
        plain = [edge for edge in edges if edge.start != edge.end]
        pairs = [(edge.start, edge.end) for edge in plain]
        back = backward(list(self.nodes), pairs)
        ahead = {pair for number, pair in enumerate(pairs) if number not in back}
        self.aside = dict(self._leaves(plain, [plain[number] for number in back]))
        leaves = {edge.end for edge in self.aside.values()}
        self.channels = [
            plain[number] for number in sorted(back) if pairs[number][::-1] not in ahead
        ]
        found = ranks(
            [name for name in self.nodes if name not in leaves],
            [pair for pair in ahead if pair[1] not in leaves],
        )
        self.items: list[Item] = []
        self.of = {name: self._item(self._node(name, 2 * rank)) for name, rank in found.items()}
        self.ways = [
            self._way(edge, number in back)
            for number, edge in enumerate(plain)
            if edge.end not in leaves and edge not in self.channels
        ]
        self._arrange()

    # Sizes

    def extent(self, name: str) -> tuple[float, float]:
        """Return the width and height of a node's box."""
        node = self.nodes[name]
        if node.shape in ("start", "end"):
            return _DOT, _DOT
        width, height = size(self.lines[name])
        return width + (40 if node.shape == "decision" else 28), height + 18

    def room(self, extent: tuple[float, float]) -> tuple[float, float]:
        """Turn a width and a height into the size along the flow, and half of the size across."""
        width, height = extent
        return (height, width / 2) if self.down else (width, height / 2)

    def label(self, edge: Edge) -> tuple[tuple[str, ...], float, float]:
        """Return the lines of an edge's label, their size along the flow, and half of it across."""
        lines = wrapped(edge.text, _LABEL)
        thick, half = self.room(size(lines))
        return lines, thick, half

    def _item(self, item: Item) -> int:
        self.items.append(item)
        return len(self.items) - 1

    def _node(self, name: str, rank: int) -> Item:
        thick, half = self.room(self.extent(name))
        before = after = half
        if name in self.aside:
            leaf = self.room(self.extent(self.aside[name].end))
            after = self.leaf_at(name) + leaf[1]
            thick = max(thick, leaf[0])
        if name in self.loops:
            _, label, across = self.label(self.loops[name])
            before += LOOP + 2 * across + 6
            thick = max(thick, label)
        return Item(rank, before, after, thick, node=True)

    # Leaves of decisions, drawn next to them

    def _leaves(self, edges: Sequence[Edge], back: Sequence[Edge]) -> Iterator[tuple[str, Edge]]:
        for name, node in self.nodes.items():
            out = [edge for edge in edges if edge.start == name]
            if node.shape != "decision" or len(out) != 2:
                continue
            for edge in out:
                touching = [each for each in edges if edge.end in (each.start, each.end)]
                if touching == [edge] and edge not in back:
                    yield name, edge
                    break

    def leaf_at(self, name: str) -> float:
        """Return the distance across from a decision to the leaf next to it."""
        edge = self.aside[name]
        _, _, across = self.label(edge)
        gap = 2 * across + 2 * _STUB + (8 if self.down else 4)
        half = self.room(self.extent(name))[1]
        return half + max(gap, 34) + self.room(self.extent(edge.end))[1]

    # From layer to layer

    def _way(self, edge: Edge, turned: bool) -> Way:
        first, last = (edge.end, edge.start) if turned else (edge.start, edge.end)
        begin, end = self.of[first], self.of[last]
        lines, thick, half = self.label(edge)
        items = [begin]
        for rank in range(self.items[begin].rank + 1, self.items[end].rank):
            said = bool(lines) and len(items) == 1
            room = half + 3 if said else 2.0
            deep = thick + (0 if self.down else 12) if said else 0.0
            items.append(self._item(Item(rank, room, room, deep, node=False)))
        return Way(edge, [*items, end], turned, lines)

    def _arrange(self) -> None:
        """Order and place the items, and give each layer its room along the flow."""
        number = max(item.rank for item in self.items) + 1
        long = {item: -len(way.items) for way in self.ways for item in way.items[1:-1]}
        layers = [
            sorted(
                (index for index, item in enumerate(self.items) if item.rank == rank),
                key=lambda index: (self.items[index].node, long.get(index, 0), index),
            )
            for rank in range(number)
        ]
        links = [link for way in self.ways for link in pairwise(way.items)]
        self.layers = ordered(layers, links)
        self._ports = dict(self._port_shifts())
        shifts = {
            link: self._port(way, link[0]) - self._port(way, link[1])
            for way in self.ways
            for link in pairwise(way.items)
        }
        place(self.items, self.layers, shifts, self._spine())
        self.tracks: dict[tuple[int, int], float] = {}
        self.middles: list[float] = []
        along = 0.0
        for rank, layer in enumerate(self.layers):
            thick = max((self.items[item].thick for item in layer), default=0.0)
            self.middles.append(along + thick / 2)
            along += thick
            if rank + 1 < number:
                along = self._gap(rank, along)

    def _spine(self) -> frozenset[tuple[int, int]]:
        """Return the links that should be straight.

        From each node, it is the link to the next node with the longest chain after it. Of several
        equal ones it is the middle one. That node must have no other incoming link. So is the last
        part of a way to a node that no other way touches.
        """
        near = [way for way in self.ways if len(way.items) == 3 and not way.turned]
        deep = dict.fromkeys(self.of, 0)
        for _ in deep:
            for way in self.ways:
                if not way.turned:
                    start, end = way.edge.start, way.edge.end
                    deep[start] = max(deep[start], deep[end] + 1)
        ends = [item for way in self.ways for item in (way.items[0], way.items[-1])]
        found = {
            (way.items[-2], way.items[-1]) for way in self.ways if ends.count(way.items[-1]) == 1
        }
        for name in self.of:
            out = sorted(
                (way for way in near if way.edge.start == name), key=lambda w: -deep[w.edge.end]
            )
            alike = [way for way in out if deep[way.edge.end] == deep[out[0].edge.end]]
            for way in alike[len(alike) // 2 :][: len(alike) % 2]:
                if sum(other.edge.end == way.edge.end for other in near) == 1:
                    found |= set(pairwise(way.items))
        return frozenset(found)

    def _port_shifts(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield how far two opposite edges between the same nodes are from the middle.

        The key is the node, and 1 where the edge leaves it, -1 where it arrives.
        """
        place = {item: at for layer in self.layers for at, item in enumerate(layer)}
        for way in self.ways:
            if way.turned:
                ends = way.items[0], way.items[-1]
                [other] = [
                    each
                    for each in self.ways
                    if not each.turned and (each.items[0], each.items[-1]) == ends
                ][:1]
                sign = 1 if place[way.items[1]] > place[other.items[1]] else -1
                for item, side in zip(ends, (1, -1), strict=True):
                    yield (item, side), sign * min(14.0, self.half(item) / 2)

    def half(self, item: int) -> float:
        """Return half the size of a node across, without the parts next to it."""
        [name] = [name for name, each in self.of.items() if each == item]
        return self.room(self.extent(name))[1]

    def _port(self, way: Way, item: int) -> float:
        side = 1 if item == way.items[0] else -1 if item == way.items[-1] else 0
        shift = self._ports.get((item, side), 0.0)
        return shift if way.turned else -shift

    def _gap(self, rank: int, along: float) -> float:
        """Assign a track to each bend after a layer; return where the next layer starts."""
        spans: dict[tuple[str, float], tuple[float, float]] = {}
        keys: dict[tuple[int, int], tuple[str, float]] = {}
        for number, way in enumerate(self.ways):
            for link in pairwise(way.items):
                if self.items[link[0]].rank != rank:
                    continue
                left, right = sorted(self.across(way, item) for item in link)
                if right - left < 0.5:
                    continue
                key = ("way", float(number))
                if self.items[link[0]].node:
                    key = (f"from {link[0]}", self._port(way, link[0]))
                elif self.items[link[1]].node:
                    key = (f"to {link[1]}", self._port(way, link[1]))
                keys[number, rank] = key
                low, high = spans.get(key, (left, right))
                spans[key] = (min(low, left), max(high, right))
        tracks: list[list[tuple[float, float]]] = []
        of: dict[tuple[str, float], int] = {}
        for key, span in sorted(spans.items(), key=lambda each: (each[1][1] - each[1][0], each[0])):
            free = [
                at
                for at, track in enumerate(tracks)
                if all(span[1] + 8 < low or high + 8 < span[0] for low, high in track)
            ]
            at = free[0] if free else len(tracks)
            if not free:
                tracks.append([])
            tracks[at].append(span)
            of[key] = at
        for link, key in keys.items():
            self.tracks[link] = along + _STUB + _STEP * of[key]
        ends = any(self.items[item].node for item in self.layers[rank + 1])
        bends = _STUB + _STEP * (len(tracks) - 1) if tracks else 0
        return along + bends + (_TIP if ends else _STUB)

    def across(self, way: Way, item: int) -> float:
        """Return where a way passes an item, across."""
        return self.items[item].across + self._port(way, item)
