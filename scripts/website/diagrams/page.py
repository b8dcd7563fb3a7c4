"""Replaces the diagrams in a page of Markdown: each fence becomes a picture."""

from __future__ import annotations

import re

from scripts.website.diagrams.flow import flow_picture
from scripts.website.diagrams.picture import PHONE, svg
from scripts.website.diagrams.sequence import sequence_picture
from scripts.website.diagrams.source import DiagramError, Flow, Message, Sequence, read_diagram

FENCE = b"```mermaid"
"""The text that every page with a diagram contains."""
_FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def with_pictures(text: str, page: str) -> str:
    """Return a page with its diagrams drawn.

    The number of lines stays the same, so that line numbers in messages remain correct. Raises
    `DiagramError` with the name of the page and the line.
    """
    number = 0

    def drawn(found: re.Match[str]) -> str:
        nonlocal number
        number += 1
        line = text.count("\n", 0, found.start()) + 1
        try:
            picture = figure(found[1], f"diagram-{number}")
        except DiagramError as error:
            raise DiagramError(f"{page}:{line}: {error}") from error
        return picture + "\n" * found[0].count("\n")

    return _FENCE.sub(drawn, text)


def figure(text: str, name: str) -> str:
    """Return the picture of one diagram; its ids start with `name`.

    A flow that is wider than a phone has a second picture, which the style sheet shows there.
    """
    diagram = read_diagram(text)
    told = description(diagram)
    if not isinstance(diagram, Flow):
        drawn = svg(sequence_picture(diagram), diagram.title, told, name)
        return f'<figure class="diagram">{drawn}</figure>'
    picture = flow_picture(diagram)
    drawn = svg(picture, diagram.title, told, name)
    narrow = flow_picture(diagram, PHONE)
    if picture.width <= PHONE or narrow.width > PHONE:
        return f'<figure class="diagram">{drawn}</figure>'
    second = svg(narrow, diagram.title, told, f"{name}-phone")
    return (
        f'<figure class="diagram"><div class="diagram__wide">{drawn}</div>'
        f'<div class="diagram__phone" data-search-exclude="">{second}</div></figure>'
    )


def description(diagram: Flow | Sequence) -> str:
    """Return a description of a diagram: the text of all its arrows."""
    if isinstance(diagram, Sequence):
        titles = diagram.participants
        return "; ".join(
            f"{titles[step.start]} → {titles[step.end]}: {step.text}"
            if isinstance(step, Message)
            else f"{titles[step.over]}: {step.text}"
            for step in diagram.steps
        )
    shown = {node.name: node.text or "●" for node in diagram.nodes}
    said = []
    group = ""
    of = {node.name: node.group for node in diagram.nodes}
    for edge in diagram.edges:
        if of[edge.start] != group:
            group = of[edge.start]
            said.append(f"{group}:")
        arrow = "↔" if edge.both else "→"
        label = f" ({edge.text})" if edge.text else ""
        said.append(f"{shown[edge.start]} {arrow} {shown[edge.end]}{label};")
    return " ".join(said).rstrip(";")
