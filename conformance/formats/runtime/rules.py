"""The rules of the runtime vocabulary that a JSON Schema cannot express, for all its documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from conformance.formats.problem import Problem, problem
from conformance.formats.runtime.calls import CALL_RULES
from conformance.formats.runtime.kinds import Broken, Finder, Rule
from conformance.formats.runtime.manifest import MANIFEST_RULES
from conformance.formats.runtime.model_calls import MODEL_CALL_RULES
from conformance.formats.runtime.models import MODEL_RULES, as_recorded
from conformance.formats.runtime.parts import parts
from conformance.formats.runtime.recognition import RUNTIME_ROWS
from conformance.formats.runtime.replay import as_replayed
from conformance.formats.runtime.retry import RETRY_RULES
from conformance.formats.runtime.stream import in_order
from conformance.formats.runtime.tools import TOOL_RULES

DOCUMENTS = frozenset(row.document for row in RUNTIME_ROWS)

RULES: Mapping[str, tuple[tuple[str, Rule], ...]] = {
    **TOOL_RULES,
    **MODEL_RULES,
    **MODEL_CALL_RULES,
    **MANIFEST_RULES,
    "retry-record": RETRY_RULES,
    "call-record": CALL_RULES,
}

FINDERS: Mapping[str, Finder] = {
    "event-stream": in_order,
    "recorded-stream": as_recorded,
    "rule-record": as_replayed,
}
"""The documents that may be long, with the function that checks all rules in one pass."""

_MOST = 10
"""The most problems of one clause in one document; more would not help the reader."""

_MOST_IN_ALL = 1_000
"""The most problems of one clause in all documents inside one; there may be millions."""


def runtime_problems(document: str, data: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of a document, one of `DOCUMENTS`, and of those inside it."""
    found = []
    in_all: Counter[str] = Counter()
    for kind, place, members in parts(document, data):
        told: Counter[str] = Counter()
        for clause, (inside, said) in _broken(kind, members):
            told[clause] += 1
            in_all[clause] += 1
            if told[clause] <= _MOST and in_all[clause] <= _MOST_IN_ALL:
                found.append(problem((*place, *inside), clause, said, clause=clause))
    return found


def _broken(kind: str, members: Mapping[str, Any]) -> Iterator[tuple[str, Broken]]:
    for clause, rule in RULES.get(kind, ()):
        for each in islice(rule(members), _MOST):
            yield clause, each
    if kind in FINDERS:
        yield from FINDERS[kind](members)
