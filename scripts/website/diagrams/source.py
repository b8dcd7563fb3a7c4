"""Reads a diagram: the few forms of Mermaid's language that the pages use.

With Mermaid, the diagrams are also visible where the pages are read as files. Every other line is
an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Shape = Literal["box", "decision", "start", "end"]


class DiagramError(RuntimeError):
    """A diagram cannot be drawn; the text names the line and the reason."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node; `group` is the title of the frame around it, or empty."""

    name: str
    text: str
    shape: Shape = "box"
    group: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between two nodes, by their names; with `both`, it has two heads."""

    start: str
    end: str
    text: str = ""
    dashed: bool = False
    both: bool = False


@dataclass(frozen=True, slots=True)
class Flow:
    """A flowchart, or states; with `down`, it goes from top to bottom."""

    title: str
    down: bool
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """A message from one participant to another; a `lost` one does not arrive."""

    start: str
    end: str
    text: str
    reply: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A note on the line of one participant."""

    over: str
    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """The messages and notes in order; `participants` has each title by name."""

    title: str
    participants: dict[str, str]
    steps: tuple[Message | Note, ...]


_TITLE = re.compile(r"accTitle:\s*(\S.*)")
_NODE = re.compile(r"\s*([A-Za-z]\w*)(?:\[([^\]]*)\]|\{([^}]*)\})?")
_ARROW = re.compile(
    r"\s*(?:(?P<both><)?(?P<line>--|-\.-)>(?:\|(?P<piped>[^|]*)\|)?|--\s+(?P<said>.*?)\s+-->)"
)
_GROUP = re.compile(r"subgraph \w+ \[([^\]]*)\]")
_STATE = re.compile(r"(\[\*\]|\w+) --> (\[\*\]|\w+)(?:: (.*))?")
_NAMED_STATE = re.compile(r'state "([^"]*)" as (\w+)')
_MESSAGE = re.compile(r"(\w+)(->>|-->>|--x)(\w+): (.*)")
_NOTE = re.compile(r"Note over (\w+): (.*)")
_PARTICIPANT = re.compile(r"participant (\w+) as (.*)")
_QUOTED = re.compile(r'^"([^"]*)"$')
_BREAK = re.compile(r"\s*<br ?/?>\s*")


def read_diagram(text: str) -> Flow | Sequence:
    """Read the text of a fence; raises `DiagramError` for a line that it does not understand."""
    kind, *lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    title = next((found[1] for line in lines if (found := _TITLE.fullmatch(line))), "")
    if not title:
        raise DiagramError("a diagram says in a line `accTitle: …` what it shows.")
    rest = [line for line in lines if not _TITLE.fullmatch(line)]
    if kind in ("flowchart TD", "flowchart LR"):
        return _flow(title, kind.endswith("TD"), rest)
    if kind == "stateDiagram-v2":
        return _states(title, rest)
    if kind == "sequenceDiagram":
        return _sequence(title, rest)
    raise DiagramError(f"`{kind}` is no kind of diagram that the pages use.")


def _flow(title: str, down: bool, lines: list[str]) -> Flow:
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    group = ""
    for line in lines:
        if found := _GROUP.fullmatch(line):
            group = _plain(found[1])
        elif line == "end":
            group = ""
        else:
            edges += _chain(line, nodes, group)
    if group:
        raise DiagramError(f"the frame `{group}` has no `end`.")
    return Flow(title, down, tuple(nodes.values()), tuple(edges))


def _chain(line: str, nodes: dict[str, Node], group: str) -> Iterator[Edge]:
    at, last, arrow = 0, "", None
    while True:
        found = _NODE.match(line, at)
        if found is None:
            raise DiagramError(f"`{line}` is not understood at {line[at:]!r}.")
        name, at = found[1], found.end()
        said = found[2] or found[3]
        if said is not None:
            shape: Shape = "box" if found[2] else "decision"
            nodes[name] = Node(name, _plain(said), shape, group)
        nodes.setdefault(name, Node(name, name, "box", group))
        if arrow is not None:
            text = _plain(arrow["piped"] or arrow["said"] or "")
            yield Edge(last, name, text, arrow["line"] == "-.-", arrow["both"] is not None)
        if not line[at:].strip():
            return
        arrow = _ARROW.match(line, at)
        if arrow is None:
            raise DiagramError(f"`{line}` is not understood at {line[at:]!r}.")
        at, last = arrow.end(), name


def _states(title: str, lines: list[str]) -> Flow:
    nodes: dict[str, Node] = {}
    edges = []
    down = True
    for line in lines:
        if line == "direction LR":
            down = False
            continue
        if named := _NAMED_STATE.fullmatch(line):
            nodes[named[2]] = Node(named[2], _plain(named[1]))
            continue
        found = _STATE.fullmatch(line)
        if found is None:
            raise DiagramError(f"`{line}` is not understood.")
        start, end = found[1], found[2]
        first = Node("start", "", "start") if start == "[*]" else Node(start, start)
        last = Node("end", "", "end") if end == "[*]" else Node(end, end)
        for node in (first, last):
            nodes.setdefault(node.name, node)
        edges.append(Edge(first.name, last.name, _plain(found[3] or "")))
    return Flow(title, down, tuple(nodes.values()), tuple(edges))


def _sequence(title: str, lines: list[str]) -> Sequence:
    participants: dict[str, str] = {}
    steps: list[Message | Note] = []
    for line in lines:
        if found := _PARTICIPANT.fullmatch(line):
            participants[found[1]] = _plain(found[2])
        elif found := _NOTE.fullmatch(line):
            steps.append(Note(found[1], _plain(found[2])))
        elif found := _MESSAGE.fullmatch(line):
            steps.append(
                Message(found[1], found[3], _plain(found[4]), found[2] == "-->>", found[2] == "--x")
            )
        else:
            raise DiagramError(f"`{line}` is not understood.")
    named = {each.over for each in steps if isinstance(each, Note)}
    named |= {end for each in steps if isinstance(each, Message) for end in (each.start, each.end)}
    if unknown := sorted(named - participants.keys()):
        raise DiagramError(f"`{unknown[0]}` is no participant.")
    return Sequence(title, participants, tuple(steps))


def _plain(text: str) -> str:
    """Return a text without its line breaks: lines break where the picture has no more room."""
    return _BREAK.sub(" ", _QUOTED.sub(r"\1", text.strip())).strip()
