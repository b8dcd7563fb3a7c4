"""What a rule of a document is: it takes the members, and gives where they break it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place
from conformance.spec.messages import Message

Broken = tuple[Place, Message]
"""Where a rule is broken, from the document on, and in what words."""

Rule = Callable[[Mapping[str, Any]], Iterator[Broken]]

Finder = Callable[[Mapping[str, Any]], Iterator[tuple[str, Broken]]]
"""Rules that are judged in one pass: each break comes with the clause that it is of."""
