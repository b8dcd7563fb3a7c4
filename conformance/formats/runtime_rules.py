"""The rules of the runtime vocabulary that no schema holds, for any of its documents."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from conformance.formats.problem import Problem, problem
from conformance.formats.runtime_calls import CALL_RULES
from conformance.formats.runtime_kinds import Rule
from conformance.formats.runtime_manifest import MANIFEST_RULES
from conformance.formats.runtime_models import MODEL_RULES
from conformance.formats.runtime_parts import parts
from conformance.formats.runtime_replay import REPLAY_RULES
from conformance.formats.runtime_retry import RETRY_RULES
from conformance.formats.runtime_rows import RUNTIME_ROWS
from conformance.formats.runtime_tools import TOOL_RULES

DOCUMENTS = frozenset(row.document for row in RUNTIME_ROWS)

RULES: Mapping[str, tuple[tuple[str, Rule], ...]] = {
    **TOOL_RULES,
    **MODEL_RULES,
    **MANIFEST_RULES,
    "retry-record": RETRY_RULES,
    "rule-record": REPLAY_RULES,
    "call-record": CALL_RULES,
}

_MOST = 10
"""Problems by one rule in one document; the eleventh tells nobody anything new."""


def runtime_problems(document: str, data: Mapping[str, Any]) -> list[Problem]:
    """The problems of a document and of those inside it; `document` is one of `DOCUMENTS`."""
    return [
        problem((*place, *inside), clause, said, clause=clause)
        for kind, place, members in parts(document, data)
        for clause, rule in RULES.get(kind, ())
        for inside, said in islice(rule(members), _MOST)
    ]
