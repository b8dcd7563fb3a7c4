"""The types of the rules of documents: a rule takes the members and yields what breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place
from conformance.spec.messages import Message

Broken = tuple[Place, Message]
"""The place of a fault, relative to the document, and the message about it."""

Rule = Callable[[Mapping[str, Any]], Iterator[Broken]]

Finder = Callable[[Mapping[str, Any]], Iterator[tuple[str, Broken]]]
"""Several rules that one pass checks: each fault comes with its clause."""
