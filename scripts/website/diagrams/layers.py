"""Places the nodes of a flow in layers.

It orders each layer for few crossings, and aligns nodes that follow each other. `along` is the
direction of the flow, and `across` the other one. A picture from left to right is a picture from
top to bottom with the two exchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_GAP = 26
_SWEEPS = 12
_ROUNDS = 60
_IN_LINE = 20_000.0
_STRAIGHT = 10.0


@dataclass(slots=True)
class Item:
    """A node in a layer, or an edge that passes through it.

    `before` and `after` are its size across, from its middle; `thick` is its size along.
    """

    rank: int
    before: float
    after: float
    thick: float
    node: bool
    across: float = 0.0


def ranks(nodes: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return the layer of each node: after the start of each edge to it. There must be no cycle."""
    edges = list(edges)
    found = dict.fromkeys(nodes, 0)
    for _ in nodes:
        for start, end in edges:
            found[end] = max(found[end], found[start] + 1)
    return found


def backward(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> frozenset[int]:
    """Return the numbers of the edges that close a cycle if the nodes are visited in order."""
    open_: set[str] = set()
    done: set[str] = set()
    found: set[int] = set()

    def visit(node: str) -> None:
        open_.add(node)
        for number, (start, end) in enumerate(edges):
            if start == node and end in open_:
                found.add(number)
            elif start == node and end not in done:
                visit(end)
        open_.remove(node)
        done.add(node)

    for node in sorted(nodes, key=lambda node: any(end == node for _, end in edges)):
        if node not in done:
            visit(node)
    return frozenset(found)


def ordered(layers: Sequence[Sequence[int]], links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the layers in an order with few crossings.

    Of two orders with equally many, it is the one closer to the given order.
    """
    best = [list(layer) for layer in layers]
    least = _crossings(best, links)
    current = [list(layer) for layer in layers]
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in current if down else reversed(current):
            _sort(layer, current, links, down=down)
        count = _crossings(current, links)
        if count < least:
            best, least = [list(layer) for layer in current], count
    return best


def _sort(
    layer: list[int], layers: list[list[int]], links: Sequence[tuple[int, int]], *, down: bool
) -> None:
    place = {item: at for each in layers for at, item in enumerate(each)}

    def wanted(item: int) -> float:
        near = [a if down else b for a, b in links if (b if down else a) == item]
        return sum(place[each] for each in near) / len(near) if near else place[item]

    layer.sort(key=wanted)


def _crossings(layers: list[list[int]], links: Sequence[tuple[int, int]]) -> int:
    place = {item: at for layer in layers for at, item in enumerate(layer)}
    rank = {item: number for number, layer in enumerate(layers) for item in layer}
    count = 0
    for number, (a, b) in enumerate(links):
        for c, d in links[number + 1 :]:
            if rank[a] == rank[c] and (place[a] - place[c]) * (place[b] - place[d]) < 0:
                count += 1
    return count


def place(
    items: Sequence[Item],
    layers: Sequence[Sequence[int]],
    links: Mapping[tuple[int, int], float],
    spine: frozenset[tuple[int, int]],
) -> None:
    """Set `across` of all items: as close to their linked items as the others allow.

    For each link, `links` has the distance of its second end from the first if it is straight. The
    links of `spine` have priority to be straight.
    """
    near: dict[int, list[tuple[int, float, float]]] = {
        item: [] for layer in layers for item in layer
    }
    for link, shift in links.items():
        passing = not items[link[0]].node or not items[link[1]].node
        weight = _IN_LINE if link in spine else _STRAIGHT if passing else 1.0
        if not items[link[0]].node and not items[link[1]].node:
            weight *= 50
        near[link[0]].append((link[1], -shift, weight))
        near[link[1]].append((link[0], shift, weight))
    for layer in layers:
        _settle(items, layer, dict.fromkeys(layer, (0.0, 1.0)))
    for turn in range(_ROUNDS):
        for layer in layers if turn % 2 == 0 else reversed(layers):
            _settle(items, layer, {item: _wanted(items, near[item], item) for item in layer})
    runs = frozenset(link for link in links if not items[link[0]].node and not items[link[1]].node)
    if not _straighten(items, layers, links, spine | runs):
        _straighten(items, layers, links, spine)


def _wanted(
    items: Sequence[Item], near: Sequence[tuple[int, float, float]], item: int
) -> tuple[float, float]:
    total = sum(weight for _, _, weight in near)
    if not total:
        return items[item].across, 0.01
    wanted = sum((items[other].across + shift) * weight for other, shift, weight in near)
    return wanted / total, total


def _settle(
    items: Sequence[Item], layer: Sequence[int], wanted: Mapping[int, tuple[float, float]]
) -> None:
    """Put the items of a layer at their wanted places.

    Where they would overlap, the sum of the squared moves is minimal.
    """
    offset = 0.0
    blocks: list[tuple[float, float, list[tuple[int, float]]]] = []
    for before, item in zip([None, *layer], layer, strict=False):
        if before is not None:
            offset += items[before].after + _GAP + items[item].before
        value, weight = wanted[item]
        mean, held = value - offset, [(item, offset)]
        while blocks and blocks[-1][0] > mean:
            other, more, inside = blocks.pop()
            mean = (mean * weight + other * more) / (weight + more)
            weight, held = weight + more, inside + held
        blocks.append((mean, weight, held))
    for mean, _, held in blocks:
        for item, offset in held:
            items[item].across = mean + offset


def _straighten(
    items: Sequence[Item],
    layers: Sequence[Sequence[int]],
    links: Mapping[tuple[int, int], float],
    rigid: frozenset[tuple[int, int]],
) -> bool:
    """Make the links of `rigid` exactly straight, and move linked items together.

    Returns False if that is impossible, because two such groups change sides.
    """
    part = {item: item for layer in layers for item in layer}
    shift = dict.fromkeys(part, 0.0)
    for link in sorted(rigid, key=lambda link: items[link[0]].rank):
        first, second = link
        moved = shift[first] + links[link] - shift[second]
        for item in [each for each in part if part[each] == part[second]]:
            part[item], shift[item] = part[first], shift[item] + moved
    apart: dict[tuple[int, int], float] = {}
    for layer in layers:
        for left, right in pairwise(layer):
            least = items[left].after + _GAP + items[right].before + shift[left] - shift[right]
            key = (part[left], part[right])
            apart[key] = max(apart.get(key, least), least)
    parts = _in_order(sorted(set(part.values())), apart)
    if parts is None:
        return False
    wanted = {}
    for each in parts:
        own = [items[item].across - shift[item] for item in part if part[item] == each]
        wanted[each] = sum(own) / len(own)
    highest, lowest = dict(wanted), dict(wanted)
    for each in parts:
        held = [lowest[other] + least for (other, end), least in apart.items() if end == each]
        lowest[each] = max([lowest[each], *held])
    for each in reversed(parts):
        held = [highest[other] - least for (start, other), least in apart.items() if start == each]
        highest[each] = min([highest[each], *held])
    for item, of in part.items():
        items[item].across = (lowest[of] + highest[of]) / 2 + shift[item]
    return True


def _in_order(parts: Sequence[int], apart: Iterable[tuple[int, int]]) -> list[int] | None:
    """Return the parts from left to right; None if there is no such order."""
    waiting = list(parts)
    found: list[int] = []
    while waiting:
        free = [
            each
            for each in waiting
            if not any(end == each and start in waiting for start, end in apart)
        ]
        if not free:
            return None
        found += free
        waiting = [each for each in waiting if each not in free]
    return found
